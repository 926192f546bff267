/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plot/ns-ticks.h"
#include "tests.h"

/* Measure text in a font of fixed width, without markup tags. */
static double
measure (const char *markup, gpointer data)
{
  double unit = *(double *) data, width = 0.0;
  gboolean in_tag = FALSE;

  for (const char *c = markup; *c; c = g_utf8_next_char (c))
    {
      if (*c == '<')
        in_tag = TRUE;
      else if (*c == '>')
        in_tag = FALSE;
      else if (!in_tag)
        width += unit;
    }
  return width;
}

static guint
assert_apart (const GPtrArray *ticks, const NsAxisMap *scale, double unit, double gap)
{
  double end = -INFINITY, before = -INFINITY;
  double low = fmin (scale->start_px, scale->end_px), high = fmax (scale->start_px, scale->end_px);
  gboolean falls = scale->end_px < scale->start_px;
  guint n = 0;

  for (guint i = 0; i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, falls ? ticks->len - 1 - i : i);
      double half;

      g_assert_cmpfloat (tick->px, >=, before - 1e-9);
      g_assert_cmpfloat (tick->px, >=, low - 1e-3);
      g_assert_cmpfloat (tick->px, <=, high + 1e-3);
      g_assert_cmpfloat_with_epsilon (tick->px, ns_scale_map (scale, tick->value), 1e-6);
      before = tick->px;
      if (tick->markup == NULL)
        continue;
      half = 0.5 * measure (tick->markup, &unit);
      g_assert_cmpfloat (tick->px - half - end, >=, gap - 1e-6);
      end = tick->px + half;
      n++;
    }
  return n;
}

static void
test_never_touch (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int round = 0; round < 6000; round++)
    {
      double unit = g_rand_double_range (rand, 4, 30), gap = g_rand_double_range (rand, 0, 30);
      double length = g_rand_double_range (rand, 20, 3000);
      double width = pow (10.0, g_rand_double_range (rand, -6, 6));
      double min = g_rand_double_range (rand, -1, 1) * pow (10.0, g_rand_double_range (rand, -3, 6));
      NsAxisScale kind = round % 2 ? NS_AXIS_LOG10 : NS_AXIS_LINEAR;
      NsAxisMap scale;
      g_autoptr (GPtrArray) ticks = NULL;

      if (kind == NS_AXIS_LOG10)
        {
          min = fmod (min, 1000.0);
          width = pow (10.0, g_rand_double_range (rand, -2, 3));
        }
      scale = ns_scale_make (kind, min, min + width, round % 3 ? 0.0 : length, round % 3 ? length : 0.0);
      ticks = ns_ticks_new (&scale, FALSE, NAN, NAN, gap, measure, &unit);
      assert_apart (ticks, &scale, unit, gap);
    }
}

static void
test_has_labels (void)
{
  double unit = 8.0;

  /* The axis has room for ten labels, so every range must get at least two. */
  for (double min = -950.0; min < 5.0; min += 37.3)
    for (double width = 0.02; width < 1000.0; width *= 1.7)
      for (int kind = 0; kind < 2; kind++)
        {
          NsAxisMap scale = ns_scale_make (kind ? NS_AXIS_LOG10 : NS_AXIS_LINEAR, min, min + width, 600, 0);
          g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, FALSE, NAN, NAN, 8.0, measure, &unit);

          g_assert_cmpuint (assert_apart (ticks, &scale, unit, 8.0), >=, 2);
        }
}

static const char *
find_label (const GPtrArray *ticks, double value)
{
  for (guint i = 0; i < ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (ticks, i);

      if (fabs (tick->value - value) < 1e-9)
        return tick->markup;
    }
  return NULL;
}

static void
test_integers (void)
{
  double unit = 8.0;

  for (int depth = 1; depth <= 1024; depth += depth < 130 ? 1 : 37)
    for (double length = 60; length < 2000; length *= 1.6)
      {
        NsAxisMap scale = ns_scale_make (NS_AXIS_LINEAR, 0.5, depth + 0.5, 0, length);
        g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, TRUE, 1, depth, 8.0, measure, &unit);
        g_autofree char *last = g_strdup_printf ("%d", depth);

        assert_apart (ticks, &scale, unit, 8.0);
        g_assert_cmpstr (find_label (ticks, depth), ==, last);
        if (length >= 100)
          g_assert_cmpstr (find_label (ticks, 1.0), ==, "1");
        for (guint i = 0; i < ticks->len; i++)
          {
            const NsTick *tick = g_ptr_array_index (ticks, i);

            g_assert_cmpfloat (tick->value, ==, floor (tick->value));
          }
      }
}

static void
test_log_integers (void)
{
  static const int wanted[] = { 1, 2, 5, 10, 20, 50, 128 };
  double unit = 8.0;
  NsAxisMap scale = ns_scale_make (NS_AXIS_LOG10, -0.04, log10 (128) + 0.04, 0, 900);
  g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, TRUE, 0.0, log10 (128), 8.0, measure, &unit);

  assert_apart (ticks, &scale, unit, 8.0);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      g_autofree char *text = g_strdup_printf ("%d", wanted[i]);

      g_assert_cmpstr (find_label (ticks, log10 (wanted[i])), ==, text);
    }
}

static void
test_decades (void)
{
  double unit = 8.0;
  NsAxisMap scale = ns_scale_make (NS_AXIS_LOG10, -3.2, 0.3, 300, 0);
  g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, FALSE, NAN, NAN, 8.0, measure, &unit);
  guint n_minor = 0;

  g_assert_cmpstr (find_label (ticks, -3), ==, "10<sup>\u22123</sup>");
  g_assert_cmpstr (find_label (ticks, 0), ==, "10<sup>0</sup>");
  for (guint i = 0; i < ticks->len; i++)
    n_minor += !((const NsTick *) g_ptr_array_index (ticks, i))->major;
  /* 2..9 in three whole decades and 7..9 below 10^-3; 2 is outside (log10 2 = 0.301). */
  g_assert_cmpuint (n_minor, ==, 3 * 8 + 3);
}

static void
test_long_span (void)
{
  double unit = 14.0;
  NsAxisMap scale = ns_scale_make (NS_AXIS_LOG10, -900, 0, 250, 0);
  g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, FALSE, NAN, NAN, 8.0, measure, &unit);

  g_assert_cmpuint (assert_apart (ticks, &scale, unit, 8.0), >=, 2);
  g_assert_cmpuint (ticks->len, <, 40);
  for (guint i = 0; i < ticks->len; i++)
    g_assert_true (g_str_has_prefix (((const NsTick *) g_ptr_array_index (ticks, i))->markup, "10<sup>"));
}

static void
test_less_than_a_decade (void)
{
  double unit = 8.0;
  NsAxisMap scale = ns_scale_make (NS_AXIS_LOG10, log10 (0.03), log10 (0.3), 300, 0);
  g_autoptr (GPtrArray) ticks = ns_ticks_new (&scale, FALSE, NAN, NAN, 8.0, measure, &unit);

  g_assert_cmpstr (find_label (ticks, log10 (0.05)), ==, "0.05");
  g_assert_cmpstr (find_label (ticks, log10 (0.1)), ==, "0.1");
  g_assert_cmpstr (find_label (ticks, log10 (0.2)), ==, "0.2");
}

static void
assert_number (double log10_value, int digits, const char *expected)
{
  g_autofree char *text = ns_log10_to_markup (log10_value, digits);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_numbers (void)
{
  assert_number (-INFINITY, 3, "0");
  assert_number (0, 3, "1");
  assert_number (log10 (0.05), 3, "0.05");
  assert_number (log10 (123.4), 3, "123");
  assert_number (log10 (0.9999), 3, "1");
  assert_number (log10 (9.996), 3, "10");
  assert_number (log10 (99996), 4, "10<sup>5</sup>");
  assert_number (-7, 3, "10<sup>\u22127</sup>");
  assert_number (log10 (3.14159e-7), 3, "3.14·10<sup>\u22127</sup>");
  assert_number (-412 + log10 (3.2), 3, "3.2·10<sup>\u2212412</sup>");
  assert_number (NAN, 3, "NaN");
  assert_number (INFINITY, 3, "∞");
}

void
add_ticks_tests (void)
{
  g_test_add_func ("/ticks/never-touch", test_never_touch);
  g_test_add_func ("/ticks/has-labels", test_has_labels);
  g_test_add_func ("/ticks/integers", test_integers);
  g_test_add_func ("/ticks/log-integers", test_log_integers);
  g_test_add_func ("/ticks/decades", test_decades);
  g_test_add_func ("/ticks/long-span", test_long_span);
  g_test_add_func ("/ticks/less-than-a-decade", test_less_than_a_decade);
  g_test_add_func ("/ticks/numbers", test_numbers);
}
