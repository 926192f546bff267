/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "picture-bytes.h"
#include "plot/ns-diagram.h"
#include "tests.h"

#define WIDTH  400
#define HEIGHT 120

static const char experiment[] = "{\"format\": \"normscope-experiment\"}";

/* A box, a wire to a sum, and a label, in a frame. */
static NsDiagram *
sample_new (void)
{
  const double wire[] = { 4, 2, 6, 2, 6, 4 };
  NsDiagram *diagram = ns_diagram_new ();

  ns_diagram_add_frame (diagram, 0.5, 0.5, 9, 5);
  ns_diagram_add_box (diagram, 2.5, 2, 3, 1.1, "LN", 4);
  ns_diagram_add_wire (diagram, 3, wire, NS_WIRE_ARROW);
  ns_diagram_add_sum (diagram, 6, 4);
  ns_diagram_add_label (diagram, 4, 5.5, "W<sub>2</sub>");
  return diagram;
}

/* ---- data ---- */

static void
test_size (void)
{
  const double wire[] = { 0, 1, 12, 8 };
  g_autoptr (NsDiagram) diagram = ns_diagram_new ();
  double width, height, margin, wide;

  ns_diagram_get_size (diagram, &margin, &height);
  g_assert_cmpfloat (margin, ==, height);
  ns_diagram_add_box (diagram, 2.5, 2, 3, 1, "LN", 4);
  ns_diagram_get_size (diagram, &width, &height);
  g_assert_cmpfloat_with_epsilon (width, 4 + margin, 1e-9);
  g_assert_cmpfloat_with_epsilon (height, 2.5 + margin, 1e-9);
  ns_diagram_add_wire (diagram, 2, wire, NS_WIRE_PLAIN);
  ns_diagram_get_size (diagram, &width, &height);
  g_assert_cmpfloat_with_epsilon (width, 12 + margin, 1e-9);
  g_assert_cmpfloat_with_epsilon (height, 8 + margin, 1e-9);
  ns_diagram_add_title (diagram, 11, 2, "a name of many letters");
  ns_diagram_get_size (diagram, &wide, &height);
  g_assert_cmpfloat (wide, >, width + 5);
}

static void
test_parts (void)
{
  g_autoptr (NsDiagram) sample = sample_new (), both = sample_new ();
  double width, height, both_width, both_height;
  NsDiagramPart part, copy;

  g_assert_cmpuint (ns_diagram_get_n_parts (sample), ==, 5);
  ns_diagram_get_part (sample, 1, &part);
  g_assert_cmpint (part.kind, ==, NS_DIAGRAM_BOX);
  g_assert_cmpstr (part.text, ==, "LN");
  g_assert_cmpint (part.style, ==, 4);
  g_assert_cmpfloat (part.x, ==, 2.5);
  g_assert_cmpuint (ns_diagram_count_letters ("W<sub>2</sub>≤"), ==, 3);

  /* Copied parts are shifted and own their text. */
  ns_diagram_add_diagram (both, sample, 1, 10);
  g_assert_cmpuint (ns_diagram_get_n_parts (both), ==, 10);
  for (guint i = 0; i < 5; i++)
    {
      ns_diagram_get_part (sample, i, &part);
      ns_diagram_get_part (both, 5 + i, &copy);
      g_assert_cmpint (copy.kind, ==, part.kind);
      g_assert_cmpstr (copy.text, ==, part.text);
      g_assert_true (copy.text != part.text || part.text == NULL);
      g_assert_cmpuint (copy.n, ==, part.n);
      g_assert_cmpint (copy.flags, ==, part.flags);
      for (guint p = 0; p < part.n; p++)
        {
          g_assert_cmpfloat (copy.xy[2 * p], ==, part.xy[2 * p] + 1);
          g_assert_cmpfloat (copy.xy[2 * p + 1], ==, part.xy[2 * p + 1] + 10);
        }
      if (part.n == 0)
        {
          g_assert_cmpfloat (copy.x, ==, part.x + 1);
          g_assert_cmpfloat (copy.y, ==, part.y + 10);
        }
    }
  ns_diagram_get_size (sample, &width, &height);
  ns_diagram_get_size (both, &both_width, &both_height);
  g_assert_cmpfloat_with_epsilon (both_width, width + 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (both_height, height + 10, 1e-9);
}

/* ---- ids ---- */

/* The same coordinates as those of the drawing. */
static void
test_ids (void)
{
  const double wire[] = { 1, 2, 8, 2, 8, 5 };
  g_autoptr (NsDiagram) own = ns_diagram_new (), diagram = ns_diagram_new ();
  NsRect rect;
  double width, height, unit;

  ns_diagram_add_frame (own, 0, 0, 9, 6);
  ns_diagram_set_id (own, 11);
  ns_diagram_add_wire (own, 3, wire, NS_WIRE_PLAIN);
  ns_diagram_set_id (own, 12);
  ns_diagram_add_box (own, 4, 2, 2, 1, "LN", 4);
  ns_diagram_set_id (own, 13);
  ns_diagram_add_spot (own, 4.5, 2, 1, 1);
  ns_diagram_set_id (own, 0);
  ns_diagram_add_label (own, 4, 2, "no id");
  ns_diagram_add_diagram (diagram, own, 2, 1);

  ns_diagram_get_size (diagram, &width, &height);
  unit = fmin (WIDTH / width, HEIGHT / height);
  g_assert_true (ns_diagram_get_rect (diagram, WIDTH, HEIGHT, 12, &rect));
  g_assert_cmpfloat_with_epsilon (rect.x, (WIDTH - unit * width) / 2 + unit * 5, 1e-9);
  g_assert_cmpfloat_with_epsilon (rect.y, (HEIGHT - unit * height) / 2 + unit * 2.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (rect.width, 2 * unit, 1e-9);
  g_assert_cmpfloat_with_epsilon (rect.height, unit, 1e-9);
  g_assert_true (ns_diagram_get_rect (diagram, WIDTH, HEIGHT, 11, &rect));
  g_assert_cmpfloat_with_epsilon (rect.width, 7 * unit, 1e-9);
  g_assert_cmpfloat_with_epsilon (rect.height, 3 * unit, 1e-9);
  g_assert_false (ns_diagram_get_rect (diagram, WIDTH, HEIGHT, 14, &rect));
  g_assert_false (ns_diagram_get_rect (diagram, WIDTH, HEIGHT, 0, &rect));
}

/* ---- pixels ---- */

static guint32
get_pixel (cairo_surface_t *surface, int x, int y)
{
  const unsigned char *data = cairo_image_surface_get_data (surface);
  guint32 pixel;

  memcpy (&pixel, data + (gsize) y * (gsize) cairo_image_surface_get_stride (surface) + 4 * (gsize) x, sizeof pixel);
  return pixel;
}

static cairo_surface_t *
draw (const NsDiagram *diagram, const NsTheme *theme, double width, double height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  ns_diagram_draw (diagram, cr, theme, width, height);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

typedef struct
{
  int x0, y0, x1, y1; /* first and last painted column and row; x1 < x0 when nothing is painted */
} Painted;

static Painted
get_painted (cairo_surface_t *surface)
{
  Painted painted = { WIDTH, HEIGHT, -1, -1 };

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      if (get_pixel (surface, x, y) != 0)
        {
          painted.x0 = MIN (painted.x0, x);
          painted.y0 = MIN (painted.y0, y);
          painted.x1 = MAX (painted.x1, x);
          painted.y1 = MAX (painted.y1, y);
        }
  return painted;
}

/* A diagram is centred, as large as fits, and nothing leaves its target. */
static void
test_bounds (void)
{
  static const double sizes[][2] = { { 400, 120 }, { 60, 120 }, { 400, 40 }, { 132, 48 }, { 20, 16 } };
  g_autoptr (NsDiagram) sample = sample_new ();
  NsTheme theme;
  double own_width, own_height;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  ns_diagram_get_size (sample, &own_width, &own_height);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      double width = sizes[i][0], height = sizes[i][1], unit = fmin (width / own_width, height / own_height);
      cairo_surface_t *surface = draw (sample, &theme, width, height);
      Painted painted = get_painted (surface);
      double left = (width - own_width * unit) / 2, top = (height - own_height * unit) / 2;

      g_assert_cmpint (painted.x1, >=, painted.x0);
      g_assert_cmpfloat (painted.x0, >=, floor (left));
      g_assert_cmpfloat (painted.y0, >=, floor (top));
      g_assert_cmpfloat (painted.x1, <, ceil (width - left));
      g_assert_cmpfloat (painted.y1, <, ceil (height - top));
      /* The frame extends from 0.5 to 9 units; the label is the lowest part. */
      g_assert_cmpfloat (fabs (painted.x0 - (left + 0.5 * unit)), <, 2);
      g_assert_cmpfloat (fabs (painted.x1 - (left + 9 * unit)), <, 2);
      g_assert_cmpfloat (painted.y1, >, top + 5.2 * unit);
      cairo_surface_destroy (surface);
    }
}

/* Return the largest contrast to the background in a rectangle of the picture, in units. */
static double
get_contrast (const NsDiagram *diagram, NsThemeKind kind, double x0, double y0, double x1, double y1)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  double own_width, own_height, unit, left, top, best = 1;
  NsTheme theme;

  ns_theme_init (&theme, kind);
  cairo_set_source_rgb (cr, theme.background.red, theme.background.green, theme.background.blue);
  cairo_paint (cr);
  ns_diagram_draw (diagram, cr, &theme, WIDTH, HEIGHT);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  ns_diagram_get_size (diagram, &own_width, &own_height);
  unit = fmin (WIDTH / own_width, HEIGHT / own_height);
  left = (WIDTH - own_width * unit) / 2;
  top = (HEIGHT - own_height * unit) / 2;
  for (int y = (int) (top + y0 * unit); y < (int) (top + y1 * unit); y++)
    for (int x = (int) (left + x0 * unit); x < (int) (left + x1 * unit); x++)
      {
        guint32 pixel = get_pixel (surface, x, y);
        NsColor color = { ((pixel >> 16) & 255) / 255.0, ((pixel >> 8) & 255) / 255.0, (pixel & 255) / 255.0 };

        best = fmax (best, ns_color_contrast (&color, &theme.background));
      }
  cairo_surface_destroy (surface);
  return best;
}

/* Texts, wires, sums, and boxes and labels in every hue are readable in every theme. */
static void
test_contrast (void)
{
  g_autoptr (NsDiagram) sample = sample_new ();

  for (int kind = NS_THEME_LIGHT; kind <= NS_THEME_HIGH_CONTRAST_DARK; kind++)
    {
      g_assert_cmpfloat (get_contrast (sample, (NsThemeKind) kind, 1.5, 1.6, 3.5, 2.4), >=, 4.5);   /* the box's text */
      g_assert_cmpfloat (get_contrast (sample, (NsThemeKind) kind, 4.3, 1.8, 5.7, 2.2), >=, 4.5);   /* a wire */
      g_assert_cmpfloat (get_contrast (sample, (NsThemeKind) kind, 5.6, 3.6, 6.4, 4.4), >=, 4.5);   /* the sum */
      g_assert_cmpfloat (get_contrast (sample, (NsThemeKind) kind, 3.4, 5.2, 4.6, 5.9), >=, 4.5);   /* the label */
      g_assert_cmpfloat (get_contrast (sample, (NsThemeKind) kind, 7, 2, 8, 4), ==, 1);             /* empty */
      for (int style = 0; style < 6; style++)
        {
          g_autoptr (NsDiagram) hue = ns_diagram_new ();

          ns_diagram_add_box (hue, 2.5, 1, 3, 1.1, " ", style);
          ns_diagram_add_styled_label (hue, 2.5, 3, "MMM", style);
          g_assert_cmpfloat (get_contrast (hue, (NsThemeKind) kind, 0.8, 0.3, 1.2, 1.7), >=, 4.5);
          g_assert_cmpfloat (get_contrast (hue, (NsThemeKind) kind, 1, 2.5, 4, 3.5), >=, 4.5);
        }
    }
}

/* A box covers the wires behind it. */
static void
test_box_covers (void)
{
  const double wire[] = { 0.3, 2, 4.7, 2 };
  g_autoptr (NsDiagram) plain = ns_diagram_new (), behind = ns_diagram_new ();

  for (int i = 0; i < 2; i++)
    ns_diagram_add_box (i == 0 ? plain : behind, 2.5, 2, 3, 1.1, " ", 4);
  ns_diagram_add_wire (behind, 2, wire, NS_WIRE_PLAIN);
  ns_diagram_add_label (plain, 4.6, 2, " "); /* the same size as `behind` */
  ns_diagram_add_wire (plain, 2, (const double[]){ 4.3, 2, 4.7, 2 }, NS_WIRE_PLAIN);
  g_assert_cmpfloat (get_contrast (behind, NS_THEME_LIGHT, 1.5, 1.7, 3.5, 2.3), ==,
                     get_contrast (plain, NS_THEME_LIGHT, 1.5, 1.7, 3.5, 2.3));
  g_assert_cmpfloat (get_contrast (behind, NS_THEME_LIGHT, 0.4, 1.9, 0.8, 2.1), >=, 4.5);
}

/* ---- files ---- */

static GBytes *
export_sample (NsExportFormat format, double scale, gboolean transparent)
{
  static const NsExportMetadata metadata = { .title = "Wiring", .software = "Normscope", .experiment = experiment };
  g_autoptr (NsDiagram) sample = sample_new ();
  g_autoptr (GError) error = NULL;
  GBytes *bytes;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_DARK);
  theme.transparent = transparent;
  bytes = ns_diagram_export (sample, &theme, format, WIDTH, HEIGHT, scale, &metadata, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
test_png (void)
{
  for (int transparent = 0; transparent < 2; transparent++)
    {
      g_autoptr (GBytes) bytes = export_sample (NS_EXPORT_PNG, 2, transparent);
      cairo_surface_t *surface = picture_read_png (bytes);
      guint32 corner;

      g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 2 * WIDTH);
      g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 2 * HEIGHT);
      g_assert_true (picture_contains (bytes, "normscope:experiment"));
      corner = get_pixel (surface, 0, 0);
      if (transparent)
        g_assert_cmpuint (corner >> 24, ==, 0);
      else
        g_assert_cmpuint (corner & 255, <, 80); /* dark */
      cairo_surface_destroy (surface);
    }
}

static void
test_vectors (void)
{
  g_autoptr (GBytes) svg = export_sample (NS_EXPORT_SVG, 1, FALSE), again = export_sample (NS_EXPORT_SVG, 1, FALSE);
  g_autoptr (GBytes) pdf = export_sample (NS_EXPORT_PDF, 1, FALSE);

  g_assert_true (g_str_has_prefix (g_bytes_get_data (svg, NULL), "<?xml"));
  g_assert_true (picture_contains (svg, "normscope-experiment"));
  g_assert_true (picture_contains (svg, "<title>Wiring</title>"));
  g_assert_true (g_bytes_equal (svg, again));
  g_assert_true (g_str_has_prefix (g_bytes_get_data (pdf, NULL), "%PDF-"));
  g_assert_true (picture_contains (pdf, "%%EOF"));
}

static void
test_refused (void)
{
  g_autoptr (NsDiagram) sample = sample_new ();
  g_autoptr (GError) error = NULL;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  g_assert_null (ns_diagram_export (sample, &theme, NS_EXPORT_PNG, 1, 400, 1, NULL, &error));
  g_assert_error (error, NS_EXPORT_ERROR, NS_EXPORT_ERROR_SIZE);
}

void
add_diagram_tests (void)
{
  g_test_add_func ("/diagram/size", test_size);
  g_test_add_func ("/diagram/parts", test_parts);
  g_test_add_func ("/diagram/ids", test_ids);
  g_test_add_func ("/diagram/bounds", test_bounds);
  g_test_add_func ("/diagram/contrast", test_contrast);
  g_test_add_func ("/diagram/box-covers", test_box_covers);
  g_test_add_func ("/diagram/png", test_png);
  g_test_add_func ("/diagram/vectors", test_vectors);
  g_test_add_func ("/diagram/refused", test_refused);
}
