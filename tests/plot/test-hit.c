/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-hit.h"
#include "sample-figures.h"
#include "tests.h"

static NsLayout *
make_layout (const NsFigure *figure)
{
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  return ns_layout_new (figure, &theme, 1280, 720);
}

static void
test_round_trip (void)
{
  static const int depths[] = { 1, 2, 24, 1000 };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
    {
      g_autoptr (NsFigure) figure = sample_flow_new (depths[d], 2, SAMPLE_GHOST | SAMPLE_MARKS);
      g_autoptr (NsLayout) layout = make_layout (figure);
      const NsPanel *panel = g_ptr_array_index (figure->panels, 0);

      for (guint s = 0; s < panel->series->len; s++)
        {
          const NsSeries *series = g_ptr_array_index (panel->series, s);
          const NsAxisMap *y = ns_layout_get_series_scale (layout, 0, series);

          for (gsize i = 0; i < series->n && series->role == NS_ROLE_DATA; i++)
            {
              NsHit hit;
              double px = ns_hit_x_to_px (layout, series->x[i]), py = ns_scale_map (y, series->y[i]);

              if (ns_series_get_mark (series, i) != NS_MARK_NONE)
                continue;
              g_assert_true (ns_hit_test (figure, layout, px, py, &hit));
              g_assert_cmpint (hit.panel, ==, 0);
              g_assert_cmpfloat (hit.x, ==, series->x[i]);
              g_assert_cmpfloat_with_epsilon (hit.x_px, px, 1e-9);
              g_assert_cmpint (hit.series, ==, (int) s);
              g_assert_cmpuint (hit.index, ==, i);
              g_assert_cmpfloat (hit.distance_px, <, 1e-6);
            }
        }
    }
}

static void
test_nearest (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsLayout) layout = make_layout (figure);
  const NsRect *first = &ns_layout_get_panel (layout, 0)->plot, *second = &ns_layout_get_panel (layout, 1)->plot;
  double half = 0.5 * (ns_hit_x_to_px (layout, 2) - ns_hit_x_to_px (layout, 1));
  NsHit hit;

  g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, 7) + half - 1, first->y + 5, &hit));
  g_assert_cmpfloat (hit.x, ==, 7);
  g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, 7) + half + 1, first->y + 5, &hit));
  g_assert_cmpfloat (hit.x, ==, 8);
  g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, 7), second->y + 5, &hit));
  g_assert_cmpint (hit.panel, ==, 1);

  /* Between the panels x is still found. */
  g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, 7), second->y - 5, &hit));
  g_assert_cmpint (hit.panel, ==, -1);
  g_assert_cmpfloat (hit.x, ==, 7);
  g_assert_cmpint (hit.series, ==, -1);
  g_assert_false (ns_hit_test (figure, layout, first->x - 5, first->y + 5, &hit));
  g_assert_false (ns_hit_test (figure, layout, NAN, first->y + 5, &hit));
}

static void
test_marks_are_hit (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_MARKS);
  g_autoptr (NsLayout) layout = make_layout (figure);
  const NsRect *plot = &ns_layout_get_panel (layout, 0)->plot;
  NsHit hit;

  /* Block 4 of the second variant underflows, with a mark on the bottom edge. */
  g_assert_true (ns_hit_test (figure, layout, ns_hit_x_to_px (layout, 4), plot->y + plot->height - 1, &hit));
  g_assert_cmpint (hit.series, ==, 1);
  g_assert_cmpuint (hit.index, ==, 3);
}

static void
test_step (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_PLAIN);
  g_autoptr (NsFigure) empty = ns_figure_new ();

  g_assert_cmpfloat (ns_figure_step_x (figure, NAN, 1), ==, 1);
  g_assert_cmpfloat (ns_figure_step_x (figure, NAN, -1), ==, 24);
  g_assert_cmpfloat (ns_figure_step_x (figure, 5, 1), ==, 6);
  g_assert_cmpfloat (ns_figure_step_x (figure, 5, -1), ==, 4);
  g_assert_cmpfloat (ns_figure_step_x (figure, 24, 1), ==, 24);
  g_assert_cmpfloat (ns_figure_step_x (figure, 1, -1), ==, 1);
  g_assert_cmpfloat (ns_figure_nearest_x (figure, 7.4), ==, 7);
  g_assert_cmpfloat (ns_figure_nearest_x (figure, 1e9), ==, 24);
  g_assert_true (isnan (ns_figure_nearest_x (empty, 3)));
  g_assert_true (isnan (ns_figure_step_x (empty, 3, 1)));
}

static void
test_axes (void)
{
  g_autoptr (NsFigure) figure = sample_flow_new (24, 2, SAMPLE_SUBTITLES);
  g_autoptr (NsLayout) layout = make_layout (figure);
  const NsRect *first = &ns_layout_get_panel (layout, 0)->plot, *second = &ns_layout_get_panel (layout, 1)->plot;
  double bottom = second->y + second->height;
  int panel;

  g_assert_cmpint (ns_hit_find_axis (layout, first->x - 3, first->y + 5, &panel), ==, NS_HIT_Y_AXIS);
  g_assert_cmpint (panel, ==, 0);
  g_assert_cmpint (ns_hit_find_axis (layout, 4, second->y + second->height, &panel), ==, NS_HIT_Y_AXIS);
  g_assert_cmpint (panel, ==, 1);
  g_assert_cmpint (ns_hit_find_axis (layout, second->x + 40, bottom + 12, &panel), ==, NS_HIT_X_AXIS);
  g_assert_cmpint (panel, ==, -1);
  /* In a plot, between two plots, at its right, and outside the picture. */
  g_assert_cmpint (ns_hit_find_axis (layout, first->x + 3, first->y + 5, &panel), ==, NS_HIT_NO_AXIS);
  g_assert_cmpint (ns_hit_find_axis (layout, 4, second->y - 5, &panel), ==, NS_HIT_NO_AXIS);
  g_assert_cmpint (ns_hit_find_axis (layout, second->x + second->width + 3, bottom - 5, &panel), ==, NS_HIT_NO_AXIS);
  g_assert_cmpint (ns_hit_find_axis (layout, second->x + 40, layout->height - 1, &panel), ==, NS_HIT_NO_AXIS);
  g_assert_cmpint (ns_hit_find_axis (layout, -1, first->y + 5, &panel), ==, NS_HIT_NO_AXIS);
}

void
add_hit_tests (void)
{
  g_test_add_func ("/hit/round-trip", test_round_trip);
  g_test_add_func ("/hit/nearest", test_nearest);
  g_test_add_func ("/hit/marks", test_marks_are_hit);
  g_test_add_func ("/hit/step", test_step);
  g_test_add_func ("/hit/axes", test_axes);
}
