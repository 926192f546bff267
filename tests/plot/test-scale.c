/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-range.h"
#include "plot/ns-scale.h"
#include "tests.h"

static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (int i = 0; i < 20000; i++)
    {
      double min = g_rand_double_range (rand, -1e3, 1e3), width = pow (10.0, g_rand_double_range (rand, -6, 6));
      double start = g_rand_double_range (rand, -50, 2000), end = start + g_rand_double_range (rand, 1, 2000);
      NsAxisMap scale = ns_scale_make (i % 2, min, min + width, i % 3 ? start : end, i % 3 ? end : start);
      double value = min + g_rand_double (rand) * width;
      double back = ns_scale_unmap (&scale, ns_scale_map (&scale, value));

      g_assert_cmpfloat_with_epsilon (back, value, 1e-9 * (width + fabs (min)));
      g_assert_cmpfloat (ns_scale_map (&scale, scale.min), ==, scale.start_px);
    }
}

static void
test_degenerate (void)
{
  static const double pairs[][2] = { { 1, 1 },     { 0, 0 },          { NAN, 1 },      { 1, -INFINITY },
                                     { 5, 2 },     { -1e308, 1e308 }, { 1e15, 1e15 },  { -3e-320, -3e-320 } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      NsAxisMap scale = ns_scale_make (NS_AXIS_LINEAR, pairs[i][0], pairs[i][1], 0, 100);

      g_assert_true (isfinite (scale.min) && isfinite (scale.max));
      g_assert_cmpfloat (scale.min, <, scale.max);
      g_assert_true (isfinite (ns_scale_map (&scale, scale.max)));
    }
}

static void
test_from_data (void)
{
  NsRange range = ns_range_from_data (NS_AXIS_LINEAR, FALSE, 10, 20);

  g_assert_cmpfloat_with_epsilon (range.min, 9.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (range.max, 20.5, 1e-12);

  range = ns_range_from_data (NS_AXIS_LINEAR, TRUE, 10, 20);
  g_assert_cmpfloat (range.min, ==, 0.0);
  g_assert_cmpfloat_with_epsilon (range.max, 21, 1e-12);

  range = ns_range_from_data (NS_AXIS_LINEAR, TRUE, -2, -1);
  g_assert_cmpfloat (range.max, ==, 0.0);

  /* A flat curve looks flat. */
  range = ns_range_from_data (NS_AXIS_LOG10, FALSE, -3.01, -3.0);
  g_assert_cmpfloat_with_epsilon (range.max - range.min, 1.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (range.max + range.min, -6.01, 1e-12);

  range = ns_range_from_data (NS_AXIS_LINEAR, TRUE, 0, 0);
  g_assert_cmpfloat (range.max, >, range.min);
  range = ns_range_from_data (NS_AXIS_LINEAR, FALSE, -G_MAXDOUBLE, G_MAXDOUBLE);
  g_assert_true (isfinite (range.max - range.min));
  range = ns_range_from_data (NS_AXIS_LINEAR, FALSE, NAN, 1);
  g_assert_cmpfloat (range.max, >, range.min);
}

static void
test_panel_range (void)
{
  g_autoptr (NsFigure) figure = ns_figure_new ();
  NsPanel *panel = ns_figure_add_panel (figure, "y", NS_AXIS_LINEAR);
  const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, NAN, 99, 3, INFINITY }, low[] = { 0.5, 0, 0, 2, 0 };
  const double high[] = { 2, 0, 0, 4, 0 };
  const guint8 mark[] = { 0, 0, NS_MARK_UNDERFLOW, 0, 0 };
  NsSeries *right;
  double min, max;
  NsRange range;

  g_assert_false (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max));
  g_assert_false (ns_panel_get_auto_range (panel, NS_SIDE_LEFT, &range));
  ns_panel_add_series (panel, "a", NS_SERIES_LINE, 0, 5, x, y, low, high, mark);
  right = ns_panel_add_series (panel, "b", NS_SERIES_LINE, 1, 5, x, x, NULL, NULL, NULL);
  right->side = NS_SIDE_RIGHT;

  g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max));
  g_assert_cmpfloat (min, ==, 0.5);
  g_assert_cmpfloat (max, ==, 4.0);
  g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_RIGHT, &min, &max));
  g_assert_cmpfloat (max, ==, 5.0);
  g_assert_true (ns_panel_get_auto_range (panel, NS_SIDE_LEFT, &range));
  g_assert_cmpfloat_with_epsilon (range.max, 4.175, 1e-12);
  /* what was there before does not stretch the axis */
  ns_panel_add_series (panel, "c", NS_SERIES_LINE, 0, 2, x, (const double[]){ -50, 50 }, NULL, NULL, NULL)->keeps_range
      = TRUE;
  g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max));
  g_assert_cmpfloat (min, ==, 0.5);
  g_assert_cmpfloat (max, ==, 4.0);
  /* as long as there is something else */
  g_ptr_array_remove_index (panel->series, 0);
  g_assert_true (ns_panel_get_data_range (panel, NS_SIDE_LEFT, &min, &max));
  g_assert_cmpfloat (max, ==, 50.0);
}

static void
test_memory (void)
{
  NsRangeMemory memory = { 0 };
  NsRange shown = ns_range_memory_update (&memory, NS_AXIS_LINEAR, (NsRange){ 0, 10 }, FALSE);

  g_assert_cmpfloat (shown.max, ==, 10);
  shown = ns_range_memory_update (&memory, NS_AXIS_LINEAR, (NsRange){ 2, 5 }, FALSE);
  g_assert_cmpfloat (shown.min, ==, 0);
  g_assert_cmpfloat (shown.max, ==, 10);
  shown = ns_range_memory_update (&memory, NS_AXIS_LINEAR, (NsRange){ -1, 20 }, FALSE);
  g_assert_cmpfloat (shown.min, ==, -1);
  g_assert_cmpfloat (shown.max, ==, 20);
  shown = ns_range_memory_update (&memory, NS_AXIS_LINEAR, (NsRange){ NAN, 3 }, FALSE);
  g_assert_cmpfloat (shown.max, ==, 20);
  shown = ns_range_memory_update (&memory, NS_AXIS_LINEAR, (NsRange){ 2, 5 }, TRUE);
  g_assert_cmpfloat (shown.min, ==, 2);
  g_assert_cmpfloat (shown.max, ==, 5);
  shown = ns_range_memory_update (&memory, NS_AXIS_LOG10, (NsRange){ -3, -1 }, FALSE);
  g_assert_cmpfloat (shown.max, ==, -1);
  ns_range_memory_reset (&memory);
  shown = ns_range_memory_update (&memory, NS_AXIS_LOG10, (NsRange){ -8, -7 }, FALSE);
  g_assert_cmpfloat (shown.max, ==, -7);
}

void
add_scale_tests (void)
{
  g_test_add_func ("/scale/round-trip", test_round_trip);
  g_test_add_func ("/scale/degenerate", test_degenerate);
  g_test_add_func ("/scale/range/from-data", test_from_data);
  g_test_add_func ("/scale/range/panel", test_panel_range);
  g_test_add_func ("/scale/range/memory", test_memory);
}
