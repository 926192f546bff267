/* An x axis of two parts: numbering restarts, curves break, and nothing crosses the divider.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plot/ns-draw.h"
#include "plot/ns-figure-text.h"
#include "plot/ns-hit.h"
#include "plot/ns-ticks.h"
#include "sample-figures.h"
#include "tests.h"

static const int depths[] = { 1, 2, 6, 24, 500, 1000 };

static NsLayout *
make_layout (const NsFigure *figure, double width, double height)
{
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  return ns_layout_new (figure, &theme, width, height);
}

static void
test_find (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (6, 1, SAMPLE_PARTS), plain = sample_flow_new (6, 1, SAMPLE_PLAIN);
  const NsAxisPart *first = g_ptr_array_index (figure->x_parts, 0), *second = g_ptr_array_index (figure->x_parts, 1);
  double divider = ns_figure_find_x_divider (figure, -INFINITY);

  /* The first part ends at 6, the second starts at 8. */
  g_assert_cmpfloat (divider, ==, 7);
  g_assert_cmpfloat (ns_figure_find_x_divider (figure, 6), ==, divider);
  g_assert_true (isinf (ns_figure_find_x_divider (figure, divider)));
  g_assert_true (ns_figure_find_x_part (figure, -5) == first);
  g_assert_true (ns_figure_find_x_part (figure, 6.9) == first);
  g_assert_true (ns_figure_find_x_part (figure, 7) == second);
  g_assert_true (ns_figure_find_x_part (figure, 100) == second);
  g_assert_null (ns_figure_find_x_part (plain, 3));
  g_assert_true (isinf (ns_figure_find_x_divider (plain, -INFINITY)));
}

static void
assert_ends_named (const NsLayout *layout, const NsAxisPart *part, gboolean with_first)
{
  gboolean has_first = FALSE, has_last = FALSE;

  for (guint i = 0; i < layout->x_ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (layout->x_ticks, i);
      g_autofree char *number = g_strdup_printf ("%.0f", tick->value - part->offset);

      if (tick->value < part->start || tick->value > part->end)
        continue;
      g_assert_cmpfloat_with_epsilon (tick->px, ns_scale_map (&layout->x, tick->value), 1e-6);
      if (tick->markup == NULL)
        continue;
      g_assert_cmpstr (tick->markup, ==, number);
      has_first |= tick->value == part->start;
      has_last |= tick->value == part->end;
    }
  g_assert_true (has_last);
  g_assert_true (has_first || !with_first || part->start == part->end);
}

static void
test_numbering_restarts (void)
{
  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      g_autoptr (NsFigure) figure = sample_flow_new (depths[d], 2, SAMPLE_PARTS);
      g_autoptr (NsLayout) wide = make_layout (figure, 1280, 720), narrow = make_layout (figure, 420, 360);

      for (guint p = 0; p < 2; p++)
        {
          assert_ends_named (wide, g_ptr_array_index (figure->x_parts, p), TRUE);
          /* If two labels would touch, the depth of the left part remains. */
          assert_ends_named (narrow, g_ptr_array_index (figure->x_parts, p), FALSE);
        }
    }
}

static void
test_titles_are_under_parts (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PARTS);
  g_autoptr (NsLayout) layout = make_layout (figure, 1280, 720);
  double divider = ns_scale_map (&layout->x, ns_figure_find_x_divider (figure, 0));
  guint n = 0;

  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);
      const NsAxisPart *part;
      double middle;

      if (label->role != NS_LABEL_X_TITLE)
        continue;
      g_assert_cmpuint (n, <, 2);
      part = g_ptr_array_index (figure->x_parts, n);
      middle = label->rect.x + 0.5 * label->rect.width;
      g_assert_cmpstr (label->text, ==, part->title);
      g_assert_cmpfloat_with_epsilon (middle, ns_scale_map (&layout->x, 0.5 * (part->start + part->end)), 1.0);
      g_assert_true ((middle < divider) == (n == 0));
      n++;
    }
  g_assert_cmpuint (n, ==, 2);
}

static void
test_hit (void)
{
  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      g_autoptr (NsFigure) figure = sample_flow_new (depths[d], 2, SAMPLE_PARTS);
      g_autoptr (NsLayout) layout = make_layout (figure, 1280, 720);
      int depth = depths[d], stride = sample_get_stride (depth);
      double y = ns_layout_get_panel (layout, 0)->plot.y + 5, divider = ns_figure_find_x_divider (figure, 0);
      NsHit hit;

      for (int part = 0; part < 2; part++)
        for (int block = 1; block <= depth; block++)
          {
            double x = part * stride + block;

            g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, x), y, &hit));
            g_assert_cmpfloat (hit.x, ==, x);
          }
      /* In the gap the nearer end is found, and the arrow keys skip the gap. */
      g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, divider - 0.1), y, &hit));
      g_assert_cmpfloat (hit.x, ==, depth);
      g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, divider + 0.1), y, &hit));
      g_assert_cmpfloat (hit.x, ==, stride + 1);
      g_assert_cmpfloat (ns_figure_step_x (figure, depth, 1), ==, stride + 1);
      g_assert_cmpfloat (ns_figure_step_x (figure, stride + 1, -1), ==, depth);
    }
}

/* Around the divider, only its own column of pixels is painted. */
static void
test_nothing_crosses (void)
{
  for (gsize d = 0; d < G_N_ELEMENTS (depths); d++)
    for (int flags = 0; flags < 2; flags++)
      {
        g_autoptr (NsFigure) figure = sample_flow_new (depths[d], 2, SAMPLE_PARTS | (flags ? SAMPLE_GHOST : 0));
        g_autoptr (NsLayout) layout = make_layout (figure, 1280, 720);
        cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1280, 720);
        cairo_t *cr = cairo_create (surface);
        double divider = ns_hit_x_to_px (layout, ns_figure_find_x_divider (figure, 0));
        NsTheme theme;

        ns_theme_init (&theme, NS_THEME_LIGHT);
        theme.grid_opacity = 0;
        ns_figure_draw_with_layout (figure, layout, cr, &theme);
        cairo_surface_flush (surface);
        for (guint p = 0; p < 2; p++)
          {
            NsRect plot = ns_layout_get_panel (layout, p)->plot;

            for (int y = (int) plot.y + 2; y < (int) (plot.y + plot.height) - 2; y++)
              for (int x = (int) divider - 3; x <= (int) divider + 4; x++)
                {
                  guint32 pixel;

                  memcpy (&pixel,
                          cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface)
                              + 4 * x,
                          sizeof pixel);
                  if (x == (int) floor (divider))
                    g_assert_cmphex (pixel & 0xffffff, <, 0xf0f0f0);
                  else
                    g_assert_cmphex (pixel & 0xffffff, ==, 0xffffff);
                }
          }
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
}

static void
test_copied_numbers (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (3, 1, SAMPLE_PARTS);
  g_autofree char *text = ns_figure_to_tsv (figure);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), ==, 8);
  g_assert_true (g_str_has_prefix (lines[0], "Part\tblock\t"));
  g_assert_true (g_str_has_prefix (lines[1], "First\t1\t"));
  g_assert_true (g_str_has_prefix (lines[3], "First\t3\t"));
  g_assert_true (g_str_has_prefix (lines[4], "Second\t1\t"));
  g_assert_true (g_str_has_prefix (lines[6], "Second\t3\t"));
}

/* A part without data keeps its range of the axis. */
static void
test_empty_part (void)
{
  g_autoptr (NsFigure) figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, "y", NS_AXIS_LINEAR);
  const double x[] = { 5, 6, 7 }, y[] = { 1, 2, 3 };
  g_autoptr (NsLayout) layout = NULL;

  figure->x_integers = TRUE;
  ns_panel_add_series (panel, "curve", NS_SERIES_LINE, 0, 3, x, y, NULL, NULL, NULL);
  ns_figure_add_x_part (figure, "A", "A", 1, 3, 0);
  ns_figure_add_x_part (figure, "B", "B", 5, 7, 4);
  layout = make_layout (figure, 800, 400);
  g_assert_cmpfloat (layout->x.min, <, 1);
  g_assert_cmpfloat (layout->x.max, >, 7);
  assert_ends_named (layout, g_ptr_array_index (figure->x_parts, 0), TRUE);
}

void
add_parts_tests (void)
{
  g_test_add_func ("/parts/find", test_find);
  g_test_add_func ("/parts/numbers", test_numbering_restarts);
  g_test_add_func ("/parts/titles", test_titles_are_under_parts);
  g_test_add_func ("/parts/hit", test_hit);
  g_test_add_func ("/parts/nothing-crosses", test_nothing_crosses);
  g_test_add_func ("/parts/copied-numbers", test_copied_numbers);
  g_test_add_func ("/parts/empty-part", test_empty_part);
}
