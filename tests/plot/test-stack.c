/* Stacked bars: their sums, places, colours, legend and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "layout-checks.h"
#include "plot/ns-color-map.h"
#include "plot/ns-draw.h"
#include "plot/ns-export.h"
#include "plot/ns-hit.h"
#include "plot/ns-range.h"
#include "plot/ns-stack.h"
#include "sample-figures.h"
#include "tests.h"

#define WIDTH 1280
#define HEIGHT 720

/* Three parts of two bars: 3, 2, −1 and 1, −2 (the third has only the first bar). */
static NsFigure *
make_small (void)
{
  static const double x[] = { 1, 2 }, a[] = { 3, 1 }, b[] = { 2, -2 }, c[] = { -1 };
  NsFigure *figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, "Shares", NS_AXIS_LINEAR);

  panel->zero_based = TRUE;
  figure->x_integers = TRUE;
  ns_panel_add_stack (panel, "input", 0, "Input", 0.0, 2, x, a, NULL);
  ns_panel_add_stack (panel, "attention 1", 1, "Attention", 1.0, 2, x, b, NULL);
  ns_panel_add_stack (panel, "attention 2", 1, "Attention", 0.0, 1, x, c, NULL);
  return figure;
}

static void
test_sums (void)
{
  g_autoptr (NsFigure) figure = make_small ();
  const NsPanel *panel = g_ptr_array_index (figure->panels, 0);
  g_autoptr (NsStack) stack = ns_stack_new (panel);
  double low, high;

  g_assert_cmpuint (stack->n, ==, 2);
  g_assert_cmpfloat (stack->high[0], ==, 5);
  g_assert_cmpfloat (stack->low[0], ==, -1);
  g_assert_cmpfloat (stack->high[1], ==, 1);
  g_assert_cmpfloat (stack->low[1], ==, -2);
  g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &low, &high));
  g_assert_cmpfloat (low, ==, -2);
  g_assert_cmpfloat (high, ==, 5);
  g_assert_true (ns_stack_get_bar (panel, 1, &low, &high));
  g_assert_cmpfloat (low, ==, -1);
  g_assert_cmpfloat (high, ==, 5);
  g_assert_false (ns_stack_get_bar (panel, 3, &low, &high));

  g_assert_cmpint (ns_stack_find_part (panel, 1, 2.9, &low, &high), ==, 0);
  g_assert_cmpint (ns_stack_find_part (panel, 1, 3.1, &low, &high), ==, 1);
  g_assert_cmpfloat (low, ==, 3);
  g_assert_cmpfloat (high, ==, 5);
  g_assert_cmpint (ns_stack_find_part (panel, 1, -0.5, &low, &high), ==, 2);
  g_assert_cmpint (ns_stack_find_part (panel, 2, -0.5, &low, &high), ==, 1);
  g_assert_cmpint (ns_stack_find_part (panel, 1, 5.5, &low, &high), ==, -1);
}

/* ---- drawing ---- */

static cairo_surface_t *
draw (const NsFigure *figure, const NsLayout *layout, const NsTheme *theme)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  g_assert_true (ns_figure_draw_with_layout (figure, layout, cr, theme));
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static gboolean
has_color (cairo_surface_t *surface, double x, double y, const NsColor *color)
{
  guint32 pixel;

  memcpy (&pixel,
          cairo_image_surface_get_data (surface) + (int) y * cairo_image_surface_get_stride (surface) + 4 * (int) x,
          sizeof pixel);
  return fabs (((pixel >> 16) & 0xff) - 255 * color->red) < 4 && fabs (((pixel >> 8) & 0xff) - 255 * color->green) < 4
         && fabs ((pixel & 0xff) - 255 * color->blue) < 4;
}

/* Every part that is high enough has its colour in its middle, and the pointer finds it there. */
static void
check_parts (const NsFigure *figure, NsThemeKind kind)
{
  g_autoptr (NsLayout) layout = NULL;
  cairo_surface_t *picture;
  NsTheme theme;
  int n = 0;

  ns_theme_init (&theme, kind);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  picture = draw (figure, layout, &theme);
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);
      const NsAxisMap *y = &ns_layout_get_panel (layout, p)->y;

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);
          NsColor color = ns_theme_get_hue (&theme, series->style, series->lightness);

          for (gsize i = 0; i < series->n; i++)
            {
              double px = ns_hit_x_to_px (layout, series->x[i]), low = 0.0, high = 0.0, from, to, py;
              NsHit hit;

              /* The sum of what lies between 0 and this part. */
              for (guint before = 0; before < s; before++)
                {
                  const NsSeries *other = g_ptr_array_index (panel->series, before);
                  gsize k;

                  if (!ns_series_find_x (other, series->x[i], &k))
                    continue;
                  low += fmin (0.0, other->y[k]);
                  high += fmax (0.0, other->y[k]);
                }
              from = series->y[i] < 0 ? low : high;
              to = from + series->y[i];
              py = ns_scale_map (y, 0.5 * (from + to));
              if (fabs (ns_scale_map (y, to) - ns_scale_map (y, from)) < 5.0)
                continue;
              n++;
              if (!has_color (picture, px, py, &color))
                g_error ("panel %u, series %u, point %d: another colour at %g, %g", p, s, (int) i, px, py);
              g_assert_true (ns_hit_test (figure, layout, px, py, &hit));
              g_assert_cmpint (hit.panel, ==, (int) p);
              g_assert_cmpint (hit.series, ==, (int) s);
              g_assert_cmpuint (hit.index, ==, i);
            }
        }
    }
  g_assert_cmpint (n, >, 3);
  cairo_surface_destroy (picture);
}

static void
test_parts (void)
{
  g_autoptr (NsFigure) small = make_small (), one = sample_stack_new (1, 2, SAMPLE_PLAIN);
  g_autoptr (NsFigure) some = sample_stack_new (12, 2, SAMPLE_DIVERGING);
  /* So many parts that they are drawn as an image. */
  g_autoptr (NsFigure) many = sample_stack_new (60, 1, SAMPLE_DIVERGING);

  check_parts (small, NS_THEME_LIGHT);
  check_parts (one, NS_THEME_LIGHT);
  check_parts (some, NS_THEME_DARK);
  check_parts (many, NS_THEME_LIGHT);
}

static void
test_legend (void)
{
  static const int depths[] = { 1, 24, 1000 };
  static const double text_scales[] = { 1.0, 1.5, 2.0 };
  static const double sizes[][2] = { { 640, 360 }, { 900, 560 }, { 1280, 720 }, { 1920, 1080 } };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      g_autoptr (NsFigure) figure = sample_stack_new (depths[d], 2, SAMPLE_PLAIN);
      guint n = depths[d] == 1000 ? 1 : G_N_ELEMENTS (sizes);

      for (guint k = 0; k < n * G_N_ELEMENTS (text_scales); k++)
        {
          const double *size = sizes[n == 1 ? 2 : k / G_N_ELEMENTS (text_scales)];
          g_autofree char *what = g_strdup_printf ("depth %d, %g x %g", depths[d], size[0], size[1]);
          g_autoptr (NsLayout) layout = NULL;
          NsTheme theme;

          ns_theme_init (&theme, NS_THEME_LIGHT);
          theme.text_scale = text_scales[k % G_N_ELEMENTS (text_scales)];
          layout = ns_layout_new (figure, &theme, size[0], size[1]);
          assert_labels (layout, what);
          /* One entry for a hue, however many series it has. */
          if (size[0] >= 900)
            g_assert_cmpuint (count_role (layout, NS_LABEL_LEGEND), ==, 3);
        }
    }
}

/* A mark is drawn once for a bar. */
static void
test_marks (void)
{
  g_autoptr (NsFigure) figure = sample_stack_new (24, 1, SAMPLE_MARKS);
  g_autoptr (NsStack) stack = ns_stack_new (g_ptr_array_index (figure->panels, 0));
  g_autoptr (GBytes) with = NULL, without = NULL;
  g_autoptr (NsFigure) plain = sample_stack_new (24, 1, SAMPLE_PLAIN);
  NsTheme theme;

  g_assert_cmpint (stack->marks[23], ==, 1 << NS_MARK_NAN);
  g_assert_cmpint (stack->marks[3], ==, 1 << NS_MARK_NONE);
  ns_theme_init (&theme, NS_THEME_LIGHT);
  with = ns_figure_export (figure, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  without = ns_figure_export (plain, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_cmpuint (g_bytes_get_size (with), <, g_bytes_get_size (without) + 10000);
}

static void
test_files (void)
{
  g_autoptr (NsFigure) figure = sample_stack_new (1000, 1, SAMPLE_PLAIN);
  g_autoptr (GBytes) svg = NULL, pdf = NULL;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  svg = ns_figure_export (figure, &theme, NS_EXPORT_SVG, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_cmpuint (g_bytes_get_size (svg), <, 400000);
  pdf = ns_figure_export (figure, &theme, NS_EXPORT_PDF, WIDTH, HEIGHT, 1, NULL, NULL);
  g_assert_cmpuint (g_bytes_get_size (pdf), <, 300000);
}

void
add_stack_tests (void)
{
  g_test_add_func ("/stack/sums", test_sums);
  g_test_add_func ("/stack/parts", test_parts);
  g_test_add_func ("/stack/legend", test_legend);
  g_test_add_func ("/stack/marks", test_marks);
  g_test_add_func ("/stack/files", test_files);
}
