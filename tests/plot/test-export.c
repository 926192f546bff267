/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cairo.h>
#include <math.h>
#include <string.h>

#include "picture-bytes.h"
#include "plot/ns-draw.h"
#include "plot/ns-export-private.h"
#include "plot/ns-export.h"
#include "sample-figures.h"
#include "tests.h"

static const char experiment[] = "{\"format\": \"normscope-experiment\", \"name\": \"a < b & ‖W₂‖\"}";

static const NsExportMetadata metadata = {
  .title = "Gradient norms",
  .description = "Pre-LN falls 4.1:1",
  .software = "Normscope 0.1.0",
  .experiment = experiment,
};

static GBytes *
export_sample (NsExportFormat format, double scale, const NsExportMetadata *data)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_MARKS | SAMPLE_CAPTION);
  g_autoptr (GError) error = NULL;
  GBytes *bytes;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  bytes = ns_figure_export (figure, &theme, format, 640, 400, scale, data, &error);
  g_assert_no_error (error);
  return bytes;
}

static const guint8 *
get_row (cairo_surface_t *surface, int row)
{
  return cairo_image_surface_get_data (surface) + row * cairo_image_surface_get_stride (surface);
}

/* Read back, the file has the pixels that the draw function paints, with and without metadata. */
static void
test_png (void)
{
  for (int with = 0; with < 2; with++)
    {
      g_autoptr (GBytes) png = export_sample (NS_EXPORT_PNG, 2.0, with ? &metadata : NULL);
      g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_MARKS | SAMPLE_CAPTION);
      cairo_surface_t *back, *drawn = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1280, 800);
      cairo_t *cr = cairo_create (drawn);
      NsTheme theme;

      g_assert_cmpmem (g_bytes_get_data (png, NULL), 8, "\x89PNG\r\n\x1a\n", 8);
      back = picture_read_png (png);
      g_assert_cmpint (cairo_image_surface_get_width (back), ==, 1280);
      g_assert_cmpint (cairo_image_surface_get_height (back), ==, 800);

      ns_theme_init (&theme, NS_THEME_LIGHT);
      cairo_scale (cr, 2.0, 2.0);
      ns_figure_draw (figure, cr, &theme, 640, 400);
      cairo_surface_flush (drawn);
      for (int row = 0; row < 800; row++)
        for (int column = 0; column < 1280; column++)
          {
            guint32 a, b;

            memcpy (&a, get_row (back, row) + 4 * column, sizeof a);
            memcpy (&b, get_row (drawn, row) + 4 * column, sizeof b);
            g_assert_cmphex (a & 0xffffff, ==, b & 0xffffff);
          }
      g_assert_cmpint (picture_contains (png, experiment), ==, with);
      g_assert_cmpint (picture_contains (png, "normscope:experiment"), ==, with);
      cairo_surface_destroy (back);
      cairo_surface_destroy (drawn);
      cairo_destroy (cr);
    }
}

/* CRC-32 (ISO 3309) by polynomial division of the message, least significant bit of each byte first: a witness that is
 * independent of zlib. */
static guint32
divide (const guint8 *data, gsize n)
{
  guint32 rest = 0;

  for (gsize bit = 0; bit < 8 * (n + 4); bit++)
    {
      guint32 next = bit < 8 * n ? (data[bit / 8] >> (bit % 8)) & 1 : 0;
      guint32 out = rest >> 31;

      next ^= bit < 32;
      rest = (rest << 1 | next) ^ (out ? 0x04c11db7u : 0);
    }
  for (int i = 0; i < 16; i++)
    {
      guint32 low = (rest >> i) & 1, high = (rest >> (31 - i)) & 1;

      rest = (rest & ~(1u << i) & ~(1u << (31 - i))) | high << i | low << (31 - i);
    }
  return ~rest;
}

/* Every chunk, Cairo's and ours, has a correct CRC, and the file ends after the last one. */
static void
test_png_chunks (void)
{
  g_autoptr (GBytes) png = export_sample (NS_EXPORT_PNG, 1.0, &metadata);
  gsize size, at = 8;
  const guint8 *data = g_bytes_get_data (png, &size);
  guint n_text = 0;

  while (at < size)
    {
      guint32 length, check;

      g_assert_cmpuint (size - at, >=, 12);
      memcpy (&length, data + at, 4);
      length = GUINT32_FROM_BE (length);
      g_assert_cmpuint (size - at - 12, >=, length);
      memcpy (&check, data + at + 8 + length, 4);
      g_assert_cmphex (GUINT32_FROM_BE (check), ==, divide (data + at + 4, length + 4));
      n_text += memcmp (data + at + 4, "iTXt", 4) == 0;
      at += 12 + length;
    }
  g_assert_cmpuint (at, ==, size);
  g_assert_cmpuint (n_text, ==, 4);
}

static void
test_transparent (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (GBytes) png = NULL;
  cairo_surface_t *back;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_DARK);
  theme.transparent = TRUE;
  png = ns_figure_export (figure, &theme, NS_EXPORT_PNG, 320, 200, 1.0, NULL, NULL);
  back = picture_read_png (png);
  g_assert_cmpint (cairo_image_surface_get_format (back), ==, CAIRO_FORMAT_ARGB32);
  g_assert_cmpint (cairo_image_surface_get_data (back)[3], ==, 0);
  cairo_surface_destroy (back);
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  const char *element = g_markup_parse_context_get_element (context);

  if (g_strcmp0 (element, "normscope:experiment") == 0)
    g_string_append_len (data, text, (gssize) length);
}

static void
test_svg (void)
{
  const GMarkupParser parser = { .text = on_text };
  g_autoptr (GBytes) svg = export_sample (NS_EXPORT_SVG, 1.0, &metadata);
  g_autoptr (GBytes) plain = export_sample (NS_EXPORT_SVG, 1.0, NULL);
  g_autoptr (GString) found = g_string_new (NULL);
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, found, NULL);
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *text = g_bytes_get_data (svg, &size);

  /* The XML is well-formed and the experiment is read back unchanged. */
  g_markup_parse_context_parse (context, text, (gssize) size, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (found->str, ==, experiment);
  g_assert_true (picture_contains (svg, "<title>Gradient norms</title>"));
  g_assert_true (picture_contains (svg, "width=\"640px\""));
  g_assert_true (picture_contains (plain, "<svg"));
  g_assert_false (picture_contains (plain, "<metadata"));
}

static void
test_pdf (void)
{
  g_autoptr (GBytes) pdf = export_sample (NS_EXPORT_PDF, 1.0, &metadata);
  g_autoptr (GBytes) plain = export_sample (NS_EXPORT_PDF, 1.0, NULL);
  gsize size;
  const char *data = g_bytes_get_data (pdf, &size);

  g_assert_cmpmem (data, 5, "%PDF-", 5);
  /* 640 x 400 px are 480 x 300 pt. */
  g_assert_true (picture_contains (pdf, "[ 0 0 480 300 ]"));
  /* Text stays text: fonts are embedded with a mapping to Unicode. */
  g_assert_true (picture_contains (pdf, "/FontFile"));
  g_assert_true (picture_contains (pdf, "/ToUnicode"));
  g_assert_true (picture_contains (pdf, "(Gradient norms)"));
  g_assert_true (picture_contains (pdf, "2026"));
  g_assert_false (picture_contains (plain, "/Keywords"));
}

/* Cairo may end a PDF anywhere, or leave out an object. */
static void
test_damaged_pdf (void)
{
  g_autoptr (GBytes) pdf = export_sample (NS_EXPORT_PDF, 1.0, &metadata);
  gsize size;
  const guint8 *data = g_bytes_get_data (pdf, &size);
  g_autofree guint8 *damaged = g_memdup2 (data, size);
  guint entries = 0;

  g_assert_true (ns_export_pdf_is_whole (data, size));
  for (gsize length = 0; length + 1 < size; length++)
    g_assert_false (ns_export_pdf_is_whole (data, length));
  for (gsize i = 0; i + 20 < size; i++)
    if (memcmp (data + i + 10, " 00000 n \n", 10) == 0)
      {
        memcpy (damaged + i, "0000000000", 10);
        g_assert_false (ns_export_pdf_is_whole (damaged, size));
        memcpy (damaged + i, data + i, 10);
        entries++;
      }
  g_assert_cmpuint (entries, >, 5);
}

static void
test_deterministic (void)
{
  for (int format = NS_EXPORT_PNG; format <= NS_EXPORT_PDF; format++)
    {
      g_autoptr (GBytes) first = export_sample (format, 1.5, &metadata);
      g_autoptr (GBytes) other = export_sample (NS_EXPORT_SVG, 1.0, NULL);
      g_autoptr (GBytes) second = NULL;

      /* A current date would differ only after a second. */
      if (format == NS_EXPORT_PDF)
        g_usleep (1100000);
      second = export_sample (format, 1.5, &metadata);
      g_assert_true (g_bytes_equal (first, second));
    }
}

static void
test_sizes (void)
{
  static const double bad[][3] = {
    { 100000, 100000, 1 }, { 32768, 100, 1 },  { 20000, 20000, 1 }, { 640, 400, 100 },    { 10, 400, 1 },
    { 640, 0, 1 },         { -640, 400, 1 },   { NAN, 400, 1 },     { 640, INFINITY, 1 }, { 640, 400, 0 },
    { 640, 400, -1 },      { 640, 400, NAN },  { 1e308, 1e308, 9 }, { 640, 400, 1e-9 },   { -640, -400, -1 },
    { 1e9, 1e9, 1e-6 },
  };
  g_autoptr (NsFigure) figure = sample_flow_new (4, 1, SAMPLE_PLAIN);
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    for (int format = NS_EXPORT_PNG; format <= NS_EXPORT_PDF; format++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GBytes) bytes = ns_figure_export (figure, &theme, format, bad[i][0], bad[i][1], bad[i][2], NULL,
                                                     &error);

        g_assert_null (bytes);
        g_assert_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SIZE);
      }
}

static void
test_extensions (void)
{
  g_autoptr (GError) error = NULL;
  NsExportFormat format = NS_EXPORT_PNG;

  g_assert_true (ns_export_format_from_path ("a/b.c/figure.PDF", &format, &error));
  g_assert_cmpint (format, ==, NS_EXPORT_PDF);
  g_assert_true (ns_export_format_from_path ("figure.svg", &format, &error));
  g_assert_cmpint (format, ==, NS_EXPORT_SVG);
  g_assert_false (ns_export_format_from_path ("figure", &format, &error));
  g_assert_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "figure"));
  g_clear_error (&error);
  g_assert_false (ns_export_format_from_path ("figure.jpg", &format, &error));
  g_assert_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_FORMAT);
}

void
add_export_tests (void)
{
  g_test_add_func ("/export/png", test_png);
  g_test_add_func ("/export/png-chunks", test_png_chunks);
  g_test_add_func ("/export/transparent", test_transparent);
  g_test_add_func ("/export/svg", test_svg);
  g_test_add_func ("/export/pdf", test_pdf);
  g_test_add_func ("/export/damaged-pdf", test_damaged_pdf);
  g_test_add_func ("/export/deterministic", test_deterministic);
  g_test_add_func ("/export/sizes", test_sizes);
  g_test_add_func ("/export/extensions", test_extensions);
}
