/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>
#include <zlib.h>

#include "plot/ns-export-private.h"

#define PNG_SIGNATURE_LENGTH 8
#define PNG_HEADER_LENGTH (PNG_SIGNATURE_LENGTH + 4 + 4 + 13 + 4)

char *
ns_export_dup_text (const char *text)
{
  GString *out;

  if (text == NULL)
    return NULL;
  out = g_string_new (NULL);
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      gboolean is_space = c == '\t' || c == '\n' || c == '\r';
      gboolean is_noncharacter = (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;

      g_string_append_unichar (out, (g_unichar_iscntrl (c) && !is_space) || is_noncharacter ? 0xfffd : c);
    }
  return g_string_free (out, FALSE);
}

static void
append_uint32 (GByteArray *out, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);

  g_byte_array_append (out, (const guint8 *) &big, sizeof big);
}

/* Append an iTXt chunk: keyword, NUL, uncompressed, method 0, language "", translated keyword "", UTF-8 text. */
static void
append_itxt (GByteArray *out, const char *keyword, const char *text)
{
  static const guint8 flags[] = { 0, 0, 0, 0, 0 };
  g_autoptr (GByteArray) chunk = NULL;

  if (text == NULL)
    return;
  chunk = g_byte_array_new ();
  g_byte_array_append (chunk, (const guint8 *) "iTXt", 4);
  g_byte_array_append (chunk, (const guint8 *) keyword, (guint) strlen (keyword));
  g_byte_array_append (chunk, flags, sizeof flags);
  g_byte_array_append (chunk, (const guint8 *) text, (guint) strlen (text));

  append_uint32 (out, chunk->len - 4);
  g_byte_array_append (out, chunk->data, chunk->len);
  append_uint32 (out, (guint32) crc32 (0, chunk->data, chunk->len));
}

GByteArray *
ns_export_png_add_metadata (GByteArray *png, const NsExportMetadata *metadata)
{
  GByteArray *out;

  if (metadata == NULL || png->len < PNG_HEADER_LENGTH)
    return png;
  out = g_byte_array_sized_new (png->len + 1024);
  g_byte_array_append (out, png->data, PNG_HEADER_LENGTH);
  append_itxt (out, "Title", metadata->title);
  append_itxt (out, "Description", metadata->description);
  append_itxt (out, "Software", metadata->software);
  append_itxt (out, "normscope:experiment", metadata->experiment);
  append_itxt (out, "normscope:verified", metadata->verified);
  g_byte_array_append (out, png->data + PNG_HEADER_LENGTH, png->len - PNG_HEADER_LENGTH);
  g_byte_array_unref (png);
  return out;
}

/* Cairo numbers groups and images by a counter of the process ("surface12"), so two exports of the same figure would
 * differ. Renumber ids and references to them in the order of first appearance. */
static gboolean
renumber (const GMatchInfo *match, GString *result, gpointer data)
{
  GHashTable *numbers = data;
  g_autofree char *before = g_match_info_fetch (match, 1);
  g_autofree char *kind = g_match_info_fetch (match, 2);
  g_autofree char *old = g_match_info_fetch (match, 3);
  gpointer number = g_hash_table_lookup (numbers, old);

  if (number == NULL)
    {
      number = GUINT_TO_POINTER (g_hash_table_size (numbers) + 1);
      g_hash_table_insert (numbers, g_strdup (old), number);
    }
  g_string_append_printf (result, "%s%s%u", before, kind, GPOINTER_TO_UINT (number));
  return FALSE;
}

static void
append_element (GString *out, const char *open, const char *text, const char *close)
{
  g_autofree char *escaped = NULL;

  if (text == NULL)
    return;
  escaped = g_markup_escape_text (text, -1);
  g_string_append_printf (out, "%s%s%s\n", open, escaped, close);
}

static char *
make_svg_metadata (const NsExportMetadata *metadata)
{
  GString *out = g_string_new (NULL);

  append_element (out, "<title>", metadata->title, "</title>");
  append_element (out, "<desc>", metadata->description, "</desc>");
  if (metadata->software != NULL || metadata->experiment != NULL)
    {
      g_string_append (out, "<metadata xmlns:normscope=\"https://normscope.org/ns\">\n");
      append_element (out, "<normscope:software>", metadata->software, "</normscope:software>");
      append_element (out, "<normscope:experiment>", metadata->experiment, "</normscope:experiment>");
      append_element (out, "<normscope:verified>", metadata->verified, "</normscope:verified>");
      g_string_append (out, "</metadata>\n");
    }
  return g_string_free (out, FALSE);
}

/* Ask viewers not to smooth the cells of heat maps: in the word of SVG 1.1, and, where it is known, in that of CSS. */
static char *
sharpen_images (const char *svg)
{
  GString *out = g_string_new (NULL);
  const char *image;

  while ((image = strstr (svg, "<image ")) != NULL)
    {
      g_string_append_len (out, svg, image - svg);
      g_string_append (out, "<image image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" ");
      svg = image + strlen ("<image ");
    }
  g_string_append (out, svg);
  return g_string_free (out, FALSE);
}

GByteArray *
ns_export_svg_finish (GByteArray *svg, const NsExportMetadata *metadata, const char *elements)
{
  g_autoptr (GRegex) ids = g_regex_new ("(id=\"|#)(surface|image)([0-9]+)", G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = g_strndup ((const char *) svg->data, svg->len);
  g_autofree char *plain = g_regex_replace_eval (ids, text, -1, 0, 0, renumber, numbers, NULL);
  g_autofree char *renumbered = sharpen_images (plain);
  const char *root, *end, *body = renumbered;

  g_byte_array_set_size (svg, 0);
  root = metadata != NULL ? strstr (renumbered, "<svg") : NULL;
  root = root != NULL ? strchr (root, '>') : NULL;
  if (root != NULL)
    {
      g_autofree char *inner = make_svg_metadata (metadata);

      body = root + 1;
      g_byte_array_append (svg, (const guint8 *) renumbered, (guint) (body - renumbered));
      g_byte_array_append (svg, (const guint8 *) "\n", 1);
      g_byte_array_append (svg, (const guint8 *) inner, (guint) strlen (inner));
    }
  end = elements != NULL ? g_strrstr (body, "</svg>") : NULL;
  if (end != NULL)
    {
      g_byte_array_append (svg, (const guint8 *) body, (guint) (end - body));
      g_byte_array_append (svg, (const guint8 *) elements, (guint) strlen (elements));
      body = end;
    }
  g_byte_array_append (svg, (const guint8 *) body, (guint) strlen (body));
  return svg;
}
