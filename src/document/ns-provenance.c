/* Provenance of exports.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-provenance.h"

#include "document/ns-experiment-json.h"
#include "document/ns-experiment-write.h"
#include "document/ns-result-csv.h"
#include "document/ns-short-text.h"
#include "document/ns-version.h"
#include "document/ns-zlib.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-weight-source.h"
#include "engine/run/ns-engine.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <zlib.h>

#define PNG_SIGNATURE "\x89PNG\r\n\x1a\n"
#define PNG_SIGNATURE_BYTES 8
/* A chunk has a length, a type, data and a checksum; this is its size without the data. */
#define PNG_CHUNK_FRAME_BYTES 12
#define PNG_KEYWORD "normscope:experiment"
#define SVG_ELEMENT "normscope:experiment"
/* Maximum element nesting. */
#define SVG_MAX_DEPTH 256
/* Maximum number of elements; the largest figure has some ten thousand. Bounds the time that a file can cost. */
#define SVG_MAX_ELEMENTS 1000000
/* Maximum characters of a cause in a message; GLib's messages quote element and attribute names of any length. */
#define MAX_CAUSE 300

/* ---- writing ---- */

char *
ns_provenance_dup_software (void)
{
  return g_strdup_printf ("Normscope %s (OpenBLAS %s, %s)", ns_version_get (), ns_blas_get_core (), NS_PRECISION_NAME);
}

NsExperiment *
ns_provenance_dup_experiment (const NsResult *result)
{
  NsExperiment *experiment = ns_experiment_copy (ns_result_get_experiment (result));

  experiment->sampling.seed += ns_result_get_first_seed (result);
  experiment->sampling.seeds = ns_result_get_n_seeds (result);
  return experiment;
}

/* Return the experiment on one line for a CSV, where a spreadsheet ends a cell at every separator, even in a string of
 * the JSON: escape a separator before a formula. Caller frees. */
static char *
dup_csv_line (const NsExperiment *experiment)
{
  g_autofree char *line = ns_experiment_dup_line (experiment);
  GString *out = g_string_new (NULL);

  for (const char *p = line; *p != '\0'; p++)
    if ((*p == ',' || *p == ';') && ns_csv_is_formula (p + 1))
      g_string_append_printf (out, "\\u%04x", (guint) *p);
    else
      g_string_append_c (out, *p);
  return g_string_free (out, FALSE);
}

/* Return "VARIANT: FILE, 548090624 bytes, sha256 …", or NULL for drawn weights. Caller frees. */
static char *
dup_weights (const NsVariant *variant)
{
  const NsWeightSource *source = variant->source;

  if (source == NULL)
    return NULL;
  return g_strdup_printf ("%s: %s, %" G_GUINT64_FORMAT " bytes, %s", variant->name, source->name, source->bytes,
                          source->checksum);
}

/* Return a comment line for each variant whose weights are from a file, and for ids from a file. Caller frees. */
static char *
dup_files_comment (const NsExperiment *experiment)
{
  GString *lines = g_string_new (NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *weights = dup_weights (ns_experiment_variant (experiment, v));
      g_autofree char *line = weights != NULL ? ns_text_dup_line (weights) : NULL;

      if (line != NULL)
        g_string_append_printf (lines, "# weights: %s\n", line);
    }
  if (experiment->data.ids != NULL)
    g_string_append_printf (lines, "# ids: %zu of a file\n", g_bytes_get_size (experiment->data.ids) / sizeof (gint32));
  return g_string_free (lines, FALSE);
}

char *
ns_provenance_dup_experiment_comment (const NsExperiment *experiment)
{
  g_autofree char *line = dup_csv_line (experiment), *files = dup_files_comment (experiment);
  gint64 seed = experiment->sampling.seed;

  return g_strdup_printf ("# generator: Normscope %s\n"
                          "# blas: OpenBLAS %s\n"
                          "# precision: %s\n"
                          "# seeds: %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT "\n"
                          "# experiment: %s\n"
                          "%s",
                          ns_version_get (), ns_blas_get_core (), NS_PRECISION_NAME, seed,
                          seed + experiment->sampling.seeds - 1, line, files);
}

char *
ns_provenance_dup_comment (const NsResult *result)
{
  g_autoptr (NsExperiment) experiment = ns_provenance_dup_experiment (result);

  return ns_provenance_dup_experiment_comment (experiment);
}

/* Write what an experiment file cannot hold: the files of weights, and how many ids are from a file. */
static void
write_files (NsJsonWriter *writer, const NsExperiment *experiment)
{
  gboolean any = FALSE;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      const NsWeightSource *source = variant->source;

      if (source == NULL)
        continue;
      if (!any)
        ns_json_open (writer, "weights", '[');
      any = TRUE;
      ns_json_open (writer, NULL, '{');
      ns_json_string (writer, "variant", variant->name);
      ns_json_string (writer, "file", source->name);
      ns_json_integer (writer, "bytes", (gint64) source->bytes);
      ns_json_integer (writer, "tensors", (gint64) source->n_tensors);
      ns_json_string (writer, "checksum", source->checksum);
      ns_json_close (writer, '}');
    }
  if (any)
    ns_json_close (writer, ']');
  if (experiment->data.ids != NULL)
    ns_json_integer (writer, "ids", (gint64) (g_bytes_get_size (experiment->data.ids) / sizeof (gint32)));
}

void
ns_provenance_write (NsJsonWriter *writer, const char *format, gint64 version, const NsExperiment *experiment)
{
  g_autofree char *generator = g_strconcat ("normscope ", ns_version_get (), NULL);
  g_autofree char *blas = g_strconcat ("OpenBLAS ", ns_blas_get_core (), NULL);

  ns_json_string (writer, "format", format);
  ns_json_integer (writer, "version", version);
  ns_experiment_write (writer, "experiment", experiment);
  ns_json_string (writer, "generator", generator);
  ns_json_string (writer, "blas", blas);
  ns_json_string (writer, "precision", NS_PRECISION_NAME);
  write_files (writer, experiment);
}

/* ---- messages ---- */

static gboolean
refuse_picture (const char *name, const char *cause, GError **error)
{
  g_autofree char *quoted = ns_short_text (cause, MAX_CAUSE);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s cannot be read as a picture: %s"), name,
               quoted);
  return FALSE;
}

static gboolean
refuse_second (const char *name, GError **error)
{
  return refuse_picture (name, _ ("it contains more than one experiment"), error);
}

/* ---- PNG ---- */

static guint32
read_uint32 (const guint8 *data)
{
  return (guint32) data[0] << 24 | (guint32) data[1] << 16 | (guint32) data[2] << 8 | data[3];
}

/* Read the text of an iTXt chunk with our keyword. Layout: keyword, 0, compression flag, method, language, 0,
 * translated keyword, 0, text. *text is NULL if the chunk has another keyword. */
static gboolean
read_itxt (const guint8 *data, gsize length, const char *name, GBytes **text, GError **error)
{
  const guint8 *end = data + length, *p;
  const char *reason;
  GByteArray *inflated;
  gboolean compressed;
  gsize packed, max_bytes;

  *text = NULL;
  if (length < sizeof PNG_KEYWORD || memcmp (data, PNG_KEYWORD, sizeof PNG_KEYWORD) != 0)
    return TRUE;
  p = data + sizeof PNG_KEYWORD;
  if (end - p < 2 || p[0] > 1 || (p[0] == 1 && p[1] != 0))
    return refuse_picture (name, _ ("the chunk with the experiment is malformed"), error);
  compressed = p[0] == 1;
  p += 2;
  for (int field = 0; field < 2; field++)
    {
      p = memchr (p, 0, (gsize) (end - p));
      if (p == NULL)
        return refuse_picture (name, _ ("the chunk with the experiment is malformed"), error);
      p++;
    }
  packed = (gsize) (end - p);
  if (!compressed)
    {
      *text = g_bytes_new (p, packed);
      return TRUE;
    }
  max_bytes = MIN (NS_PROVENANCE_INFLATE_BYTES + NS_PROVENANCE_INFLATE_FACTOR * packed,
                   ns_file_get_max_bytes (NS_FILE_EXPERIMENT));
  inflated = ns_zlib_inflate (p, packed, max_bytes, &reason);
  if (inflated == NULL)
    {
      g_autofree char *cause = g_strdup_printf (_ ("the chunk with the experiment: %s"), reason);

      return refuse_picture (name, cause, error);
    }
  *text = g_byte_array_free_to_bytes (inflated);
  return TRUE;
}

/* Read the chunk at *at and advance *at to the next one. */
static gboolean
read_chunk (const guint8 *data, gsize length, gsize *at, const char *name, GBytes **found, GError **error)
{
  const guint8 *chunk = data + *at;
  gsize left = length - *at, size;
  g_autoptr (GBytes) text = NULL;

  if (left < PNG_CHUNK_FRAME_BYTES || read_uint32 (chunk) > left - PNG_CHUNK_FRAME_BYTES)
    return refuse_picture (name, _ ("it is truncated"), error);
  size = read_uint32 (chunk);
  if (crc32_z (0, chunk + 4, size + 4) != read_uint32 (chunk + 8 + size))
    {
      g_autofree char *cause = g_strdup_printf (_ ("the checksum of the chunk at byte %zu is wrong"), *at + 1);

      return refuse_picture (name, cause, error);
    }
  if (*at == PNG_SIGNATURE_BYTES && memcmp (chunk + 4, "IHDR", 4) != 0)
    return refuse_picture (name, _ ("its first chunk is not a header"), error);
  if (memcmp (chunk + 4, "iTXt", 4) == 0 && !read_itxt (chunk + 8, size, name, &text, error))
    return FALSE;
  if (text != NULL && *found != NULL)
    return refuse_second (name, error);
  if (text != NULL)
    *found = g_steal_pointer (&text);
  *at += size + PNG_CHUNK_FRAME_BYTES;
  /* Ignore bytes after the end of the picture. */
  if (memcmp (chunk + 4, "IEND", 4) == 0)
    *at = length;
  else if (*at == length)
    return refuse_picture (name, _ ("it is truncated"), error);
  return TRUE;
}

static gboolean
read_png (const guint8 *data, gsize length, const char *name, GBytes **found, GError **error)
{
  gsize at = PNG_SIGNATURE_BYTES;

  if (at == length)
    return refuse_picture (name, _ ("it is truncated"), error);
  while (at < length)
    if (!read_chunk (data, length, &at, name, found, error))
      return FALSE;
  return TRUE;
}

/* ---- SVG ---- */

typedef struct
{
  guint depth, n_elements;
  gboolean in_metadata; /* in the document's <metadata> */
  GString *text;        /* of the open experiment element, or NULL */
  GBytes *found;        /* text of a complete experiment element, or NULL */
} Svg;

/* Strip a namespace prefix, which other programs write: "metadata" of "svg:metadata". */
static const char *
local_name (const char *element)
{
  const char *colon = strchr (element, ':');

  return colon != NULL ? colon + 1 : element;
}

static void
start_element (GMarkupParseContext *context, const char *element, const char **names, const char **values,
               gpointer user_data, GError **error)
{
  Svg *svg = user_data;

  svg->depth++;
  if (svg->depth > SVG_MAX_DEPTH)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("elements are nested deeper than %d levels"),
                 SVG_MAX_DEPTH);
  else if (++svg->n_elements > SVG_MAX_ELEMENTS)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("it has more than %d elements"),
                 SVG_MAX_ELEMENTS);
  else if (svg->depth == 1 && strcmp (local_name (element), "svg") != 0)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_UNKNOWN_ELEMENT, _ ("it is XML, but not SVG"));
  else if (svg->text != NULL)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("its experiment contains XML elements"));
  else if (svg->depth == 2)
    svg->in_metadata = strcmp (local_name (element), "metadata") == 0;
  else if (svg->depth == 3 && svg->in_metadata && strcmp (element, SVG_ELEMENT) == 0)
    {
      if (svg->found != NULL)
        g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("it contains more than one experiment"));
      else
        svg->text = g_string_new (NULL);
    }
}

static void
end_element (GMarkupParseContext *context, const char *element, gpointer user_data, GError **error)
{
  Svg *svg = user_data;

  if (svg->text != NULL)
    svg->found = g_string_free_to_bytes (g_steal_pointer (&svg->text));
  svg->depth--;
}

static void
append_text (GMarkupParseContext *context, const char *text, gsize length, gpointer user_data, GError **error)
{
  Svg *svg = user_data;

  if (svg->text != NULL && svg->text->len + length > ns_file_get_max_bytes (NS_FILE_EXPERIMENT))
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("its experiment is too large"));
  else if (svg->text != NULL)
    g_string_append_len (svg->text, text, (gssize) length);
}

/* GMarkup supports only XML's five entities and character references, so an SVG can neither expand nor load
 * anything. */
static gboolean
read_svg (const char *data, gsize length, const char *name, GBytes **found, GError **error)
{
  const GMarkupParser parser = { start_element, end_element, append_text, NULL, NULL };
  Svg svg = { 0 };
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &svg, NULL);
  g_autoptr (GError) cause = NULL;
  g_autofree char *valid = NULL;

  /* Check first, since GLib's message would quote the invalid bytes. */
  if (!g_utf8_validate_len (data, length, NULL))
    return refuse_picture (name, _ ("it is not text in UTF-8"), error);
  if (g_markup_parse_context_parse (context, data, (gssize) length, &cause)
      && g_markup_parse_context_end_parse (context, &cause))
    {
      *found = svg.found;
      return TRUE;
    }
  g_clear_pointer (&svg.found, g_bytes_unref);
  if (svg.text != NULL)
    g_string_free (svg.text, TRUE);
  /* GLib truncates quoted names without regard to character boundaries. */
  valid = g_utf8_make_valid (cause->message, -1);
  return refuse_picture (name, valid, error);
}

/* ---- either ---- */

static gboolean
is_png (const char *data, gsize length)
{
  return length >= PNG_SIGNATURE_BYTES && memcmp (data, PNG_SIGNATURE, PNG_SIGNATURE_BYTES) == 0;
}

gboolean
ns_provenance_is_picture (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  if (is_png (data, length))
    return TRUE;
  data = ns_file_skip_bom (data, &length);
  while (length > 0 && g_ascii_isspace (*data))
    {
      data++;
      length--;
    }
  return length > 0 && *data == '<';
}

GBytes *
ns_provenance_read (GBytes *picture, const char *name, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (picture, &length);
  g_autoptr (GBytes) found = NULL;
  gboolean is_read;

  if (length == 0)
    {
      refuse_picture (name, _ ("it is truncated"), error);
      return NULL;
    }
  if (!ns_file_check_size (name, length, NS_FILE_PICTURE, error))
    return NULL;
  if (is_png (data, length))
    is_read = read_png ((const guint8 *) data, length, name, &found, error);
  else
    {
      data = ns_file_skip_bom (data, &length);
      is_read = read_svg (data, length, name, &found, error);
    }
  if (!is_read)
    return NULL;
  if (found == NULL)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                 _ ("%s contains no experiment; allowed: an experiment file, a link, or a PNG or SVG exported by "
                    "Normscope (other programs may drop its metadata)"),
                 name);
  return g_steal_pointer (&found);
}
