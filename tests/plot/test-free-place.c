/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cairo.h>
#include <math.h>

#include "plot/ns-draw.h"
#include "plot/ns-free-place.h"
#include "plot/ns-hit.h"
#include "sample-figures.h"
#include "tests.h"

#define WIDTH  1280
#define HEIGHT 720
#define GAP    14
/* Of 255, between the channels of a pixel: more than a band has, less than a curve. */
#define COLORED 80

/* Draw a figure on white. */
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

/* Count the pixels of curves and bars in a rectangle. */
static guint
count_colored (cairo_surface_t *surface, const NsRect *rect)
{
  const guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  guint n = 0;

  for (int y = (int) rect->y; y < (int) (rect->y + rect->height); y++)
    for (int x = (int) rect->x; x < (int) (rect->x + rect->width); x++)
      {
        const guint8 *pixel = data + y * stride + 4 * x;

        n += MAX (MAX (pixel[0], pixel[1]), pixel[2]) - MIN (MIN (pixel[0], pixel[1]), pixel[2]) > COLORED;
      }
  return n;
}

/* Beside each block a table finds a place on the picture where no curve and no bar is drawn. */
static void
test_free (void)
{
  static const int depths[] = { 1, 2, 24, 1000 };
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
    for (int variants = 1; variants <= 2; variants++)
      {
        g_autoptr (NsFigure) figure = sample_flow_new (depths[d], variants, SAMPLE_PLAIN);
        g_autoptr (NsLayout) layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
        cairo_surface_t *surface = draw (figure, layout, &theme);

        for (int i = 0; i <= 6; i++)
          {
            double x_px = ns_hit_x_to_px (layout, 1 + (depths[d] - 1) * i / 6.0);
            NsRect place = { 0, 0, 260, 80 };

            g_assert_true (ns_layout_find_free_place (figure, layout, x_px, GAP, &place));
            g_assert_cmpfloat (place.x, >=, 0);
            g_assert_cmpfloat (place.x + place.width, <=, WIDTH);
            g_assert_cmpfloat (place.y, >=, 0);
            g_assert_cmpfloat (place.y + place.height, <=, HEIGHT);
            g_assert_cmpuint (count_colored (surface, &place), ==, 0);
          }
        cairo_surface_destroy (surface);
      }
}

/* Where nothing is free, a place is found, and said to cover something. */
static void
test_covered (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = NULL;
  NsRect place, plot;
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  layout = ns_layout_new (figure, &theme, WIDTH, HEIGHT);
  plot = ns_layout_get_panel (layout, 0)->plot;
  place = (NsRect) { 0, 0, plot.width - 20, plot.height - 10 };
  g_assert_false (ns_layout_find_free_place (figure, layout, plot.x + 100, GAP, &place));
  g_assert_cmpfloat (place.x, >=, 0);
  g_assert_cmpfloat (place.x + place.width, <=, WIDTH);
}

void
add_free_place_tests (void)
{
  g_test_add_func ("/free-place/free", test_free);
  g_test_add_func ("/free-place/covered", test_covered);
}
