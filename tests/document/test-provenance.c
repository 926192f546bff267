/* Reading the experiment back from pictures, valid and hostile.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "png-chunks.h"

#include "document/ns-experiment-json.h"
#include "import/ns-experiment-open.h"
#include "document/ns-provenance.h"
#include "document/ns-zlib.h"
#include "tests.h"

#include <string.h>

#define KEYWORD "normscope:experiment"

/* ---- making PNGs ---- */

static void
append_itxt (GByteArray *png, const char *keyword, gboolean compressed, gconstpointer text, gsize length)
{
  g_autoptr (GByteArray) chunk = g_byte_array_new ();
  const guint8 flags[] = { compressed ? 1 : 0, 0, 'e', 'n', 0, 'x', 0 };

  g_byte_array_append (chunk, (const guint8 *) keyword, (guint) strlen (keyword) + 1);
  g_byte_array_append (chunk, flags, sizeof flags);
  g_byte_array_append (chunk, text, (guint) length);
  png_append_chunk (png, "iTXt", chunk->data, chunk->len);
}

static GByteArray *
begin_png (void)
{
  GByteArray *png = png_begin ();

  append_itxt (png, "Software", FALSE, "Normscope", 9);
  return png;
}

static GBytes *
end_png (GByteArray *png)
{
  png_append_chunk (png, "IDAT", "....", 4);
  png_append_chunk (png, "IEND", "", 0);
  return g_byte_array_free_to_bytes (png);
}

static GBytes *
make_png (const char *text)
{
  GByteArray *png = begin_png ();

  append_itxt (png, KEYWORD, FALSE, text, strlen (text));
  return end_png (png);
}

/* ---- assertions ---- */

static NsExperiment *
make_experiment (void)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape.depth = 7;
  g_free (ns_experiment_variant (experiment, 0)->name);
  ns_experiment_variant (experiment, 0)->name = g_strdup ("<a> & \"b\" ]]> ü \\n");
  return experiment;
}

static void
assert_contains (GBytes *picture, const NsExperiment *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) read = NULL;

  g_assert_true (ns_provenance_is_picture (picture));
  read = ns_experiment_open_bytes (picture, "picture", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (read, wanted));
}

/* Takes ownership of the bytes. */
static void
assert_refused (GBytes *picture, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (ns_experiment_open_bytes (picture, "picture", NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "picture"));
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in: %s", words, error->message);
  g_bytes_unref (picture);
}

static char *
dup_file (const NsExperiment *experiment)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);

  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* ---- PNG ---- */

static void
test_png (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autofree char *text = dup_file (experiment);
  g_autoptr (GByteArray) stream = ns_zlib_deflate (text, strlen (text));
  g_autoptr (GBytes) plain = make_png (text);
  g_autoptr (GBytes) compressed = NULL;
  g_autoptr (GBytes) trailing = NULL;
  GByteArray *png = begin_png ();

  assert_contains (plain, experiment);
  append_itxt (png, KEYWORD, TRUE, stream->data, stream->len);
  compressed = end_png (png);
  assert_contains (compressed, experiment);
  png = g_byte_array_new ();
  g_byte_array_append (png, g_bytes_get_data (plain, NULL), (guint) g_bytes_get_size (plain));
  g_byte_array_append (png, (const guint8 *) "what a server appended", 22);
  trailing = g_byte_array_free_to_bytes (png);
  assert_contains (trailing, experiment);
}

/* Lengths and checksums detect a truncated picture and a flipped bit. */
static void
test_png_damaged (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autofree char *text = ns_experiment_dup_line (experiment);
  g_autoptr (GBytes) whole = make_png (text);
  gsize length;
  const guint8 *data = g_bytes_get_data (whole, &length);

  for (gsize cut = 0; cut < length; cut++)
    assert_refused (g_bytes_new (data, cut), "");
  for (gsize at = 0; at < length; at++)
    {
      guint8 *changed = g_memdup2 (data, length);

      changed[at] ^= (guint8) (1u << g_test_rand_int_range (0, 8));
      assert_refused (g_bytes_new_take (changed, length), "");
    }
}

#define BOMB_BYTES (4u * 1024u * 1024u)

static void
test_png_hostile (void)
{
  static const char zeros[100] = { 0 };
  g_autoptr (GByteArray) bomb = NULL;
  g_autofree char *much = g_malloc0 (BOMB_BYTES);
  GByteArray *png;

  assert_refused (end_png (begin_png ()), "contains no experiment");
  assert_refused (make_png (""), "empty");
  assert_refused (make_png ("{}"), "format");
  assert_refused (make_png ("\xff\xfe"), "UTF-8");

  png = begin_png ();
  append_itxt (png, KEYWORD, FALSE, "{}", 2);
  append_itxt (png, KEYWORD, FALSE, "{}", 2);
  assert_refused (end_png (png), "more than one");

  png = begin_png ();
  append_itxt (png, KEYWORD, TRUE, zeros, 100);
  assert_refused (end_png (png), "corrupt");

  /* 4 MiB of zeros, compressed to 4 KiB. */
  bomb = ns_zlib_deflate (much, BOMB_BYTES);
  g_assert_cmpuint (bomb->len, <, 10000);
  png = begin_png ();
  append_itxt (png, KEYWORD, TRUE, bomb->data, bomb->len);
  assert_refused (end_png (png), "decompressed data is too large");

  /* Only the keyword; then the keyword with incomplete fields. */
  png = begin_png ();
  png_append_chunk (png, "iTXt", KEYWORD, sizeof KEYWORD);
  assert_refused (end_png (png), "malformed");
  png = begin_png ();
  png_append_chunk (png, "iTXt", KEYWORD "\0\0\0language", sizeof KEYWORD + 10);
  assert_refused (end_png (png), "malformed");
  png = begin_png ();
  png_append_chunk (png, "iTXt", KEYWORD "\0\2\0\0\0{}", sizeof KEYWORD + 6);
  assert_refused (end_png (png), "malformed");

  png = begin_png ();
  g_byte_array_append (png, (const guint8 *) "\xff\xff\xff\xff", 4);
  g_byte_array_append (png, (const guint8 *) "iTXt............", 16);
  assert_refused (g_byte_array_free_to_bytes (png), "truncated");

  png = g_byte_array_new ();
  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  png_append_chunk (png, "IEND", "", 0);
  assert_refused (g_byte_array_free_to_bytes (png), "not a header");
}

/* ---- SVG ---- */

static GBytes *
make_svg (const char *format, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  char *svg = g_strdup_printf (format, escaped);

  return g_bytes_new_take (svg, strlen (svg));
}

#define IN_SVG(middle) "<?xml version=\"1.0\"?>\n<svg xmlns=\"x\"><g><path/></g>" middle "</svg>\n"
#define HELD(text) "<normscope:experiment>" text "</normscope:experiment>"

static void
test_svg (void)
{
  static const char *const formats[] = {
    IN_SVG ("<metadata>" HELD ("%s") "</metadata>"),
    IN_SVG ("<title>t</title><metadata id='m'><normscope:software>N</normscope:software>" HELD ("%s") "</metadata>"),
    "\357\273\277 <!-- c --><svg:svg><svg:metadata>" HELD ("%s") "</svg:metadata><svg:metadata/></svg:svg>",
  };
  g_autoptr (NsExperiment) experiment = make_experiment ();
  g_autofree char *text = dup_file (experiment);
  g_autofree char *plain = NULL;
  g_autoptr (GBytes) cdata = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GBytes) svg = make_svg (formats[i], text);

      assert_contains (svg, experiment);
    }
  g_free (ns_experiment_variant (experiment, 0)->name);
  ns_experiment_variant (experiment, 0)->name = g_strdup ("<a> & b");
  g_free (text);
  text = dup_file (experiment);
  plain = g_strdup_printf (IN_SVG ("<metadata>" HELD ("<![CDATA[%s]]>") "</metadata>"), text);
  cdata = g_bytes_new (plain, strlen (plain));
  assert_contains (cdata, experiment);
}

static void
test_svg_hostile (void)
{
  static const struct
  {
    const char *text, *words;
  } cases[] = {
    { IN_SVG (""), "contains no experiment" },
    { IN_SVG ("<g>" HELD ("{}") "</g>"), "contains no experiment" },
    { IN_SVG ("<metadata><g>" HELD ("{}") "</g></metadata>"), "contains no experiment" },
    { IN_SVG ("<metadata>" HELD ("{}") HELD ("{}") "</metadata>"), "more than one" },
    { IN_SVG ("<metadata>" HELD ("{<b/>}") "</metadata>"), "contains XML elements" },
    { IN_SVG ("<metadata>" HELD ("") "</metadata>"), "empty" },
    { IN_SVG ("<metadata>" HELD ("{}") "</metadata>"), "format" },
    { IN_SVG ("<metadata>" HELD ("&a;") "</metadata>"), "picture" },
    { "<!DOCTYPE svg [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" IN_SVG ("<metadata>" HELD ("&b;") "</metadata>"),
      "picture" },
    { "<html><metadata>" HELD ("{}") "</metadata></html>", "not SVG" },
    { "<svg><metadata>" HELD ("{}"), "picture" },
    { "<svg", "picture" },
    { "<", "picture" },
    { IN_SVG ("\xff"), "UTF-8" },
  };
  g_autoptr (GString) deep = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (g_bytes_new_static (cases[i].text, strlen (cases[i].text)), cases[i].words);
  for (int i = 0; i < 100000; i++)
    g_string_append (deep, "<svg>");
  assert_refused (g_bytes_new (deep->str, deep->len), "nested");
}

/* ---- other formats ---- */

static void
test_others (void)
{
  assert_refused (g_bytes_new_static ("%PDF-1.5\n", 9), "PDF");
  assert_refused (g_bytes_new_static ("GIF89a\1\2", 8), "picture");
  assert_refused (g_bytes_new_static ("", 0), "empty");
}

static void
test_software (void)
{
  g_autofree char *software = ns_provenance_dup_software ();

  g_assert_true (g_str_has_prefix (software, "Normscope "));
  g_assert_nonnull (strstr (software, "OpenBLAS"));
  g_assert_nonnull (strstr (software, NS_PRECISION_NAME));
}

void
add_provenance_tests (void)
{
  g_test_add_func ("/provenance/png", test_png);
  g_test_add_func ("/provenance/png/damaged", test_png_damaged);
  g_test_add_func ("/provenance/png/hostile", test_png_hostile);
  g_test_add_func ("/provenance/svg", test_svg);
  g_test_add_func ("/provenance/svg/hostile", test_svg_hostile);
  g_test_add_func ("/provenance/others", test_others);
  g_test_add_func ("/provenance/software", test_software);
}
