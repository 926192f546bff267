/* Test mean, standard deviation and the quantiles of Student's t.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-statistics.h"
#include "tests.h"

#include <math.h>

static void
test_moments (void)
{
  static const double values[] = { 1, -7, 2, -7, 4, -7, 5 };
  static const double single = -3;
  double mean, std;

  /* A stride of 2 skips the sevens. */
  ns_moments (values, 2, 4, &mean, &std);
  g_assert_cmpfloat (mean, ==, 3);
  g_assert_cmpfloat_with_epsilon (std, sqrt (10.0 / 3), 1e-15);
  g_assert_cmpfloat (ns_mean (values, 2, 4), ==, 3);
  g_assert_cmpfloat_with_epsilon (ns_variance (values, 2, 4, 3), 10.0 / 3, 1e-15);
  ns_moments (&single, 1, 1, &mean, &std);
  g_assert_cmpfloat (mean, ==, -3);
  g_assert_cmpfloat (std, ==, 0);
  g_assert_cmpfloat (ns_mean (&single, 1, 1), ==, -3);
  g_assert_cmpfloat (ns_variance (&single, 1, 1, -3), ==, 0);
}

/* Values scaled by 2^±1000, whose squares exceed a double, give statistics scaled by 2^±1000. */
static void
test_range (void)
{
  static const int powers[] = { -1070, -1000, 0, 1000, 1021 };
  static const double values[] = { 1, 2, 4, 5 };

  for (gsize p = 0; p < G_N_ELEMENTS (powers); p++)
    {
      double scaled[4], mean, std;

      for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
        scaled[i] = ldexp (values[i], powers[p]);
      ns_moments (scaled, 1, 4, &mean, &std);
      g_assert_cmpfloat (mean, ==, ldexp (3, powers[p]));
      g_assert_cmpfloat (std, ==, ldexp (sqrt (10.0 / 3), powers[p]));
      g_assert_cmpfloat (ns_mean (scaled, 1, 4), ==, mean);
    }
}

static void
test_not_finite (void)
{
  static const double with_nan[] = { 1, NAN, 2 }, with_inf[] = { 1, INFINITY, 2 }, with_zero[] = { 0, -INFINITY, 0 };
  double mean, std;
  NsStat stat;

  ns_moments (with_nan, 1, 3, &mean, &std);
  g_assert_true (isnan (mean) && isnan (std));
  ns_moments (with_inf, 1, 3, &mean, &std);
  g_assert_cmpfloat (mean, ==, INFINITY);
  g_assert_true (isnan (std));
  ns_stat_init (&stat, with_inf, with_zero, 3);
  g_assert_cmpuint (stat.n, ==, 3);
  g_assert_cmpuint (stat.n_nonfinite, ==, 1);
  g_assert_cmpfloat (stat.log10_mean, ==, -INFINITY);
}

/* Quantiles to ten digits, from the closed forms for 1, 2 and 4 degrees of freedom and from tables for the rest. */
static void
test_student (void)
{
  static const double table[][2] = {
    { 1, 12.7062047361747 }, { 2, 4.30265272974946 }, { 3, 3.18244630528371 }, { 4, 2.77644510519779 },
    { 5, 2.57058183563632 }, { 7, 2.36462425159278 }, { 10, 2.22813885198627 }, { 15, 2.13144954555978 },
    { 30, 2.04227245630124 }, { 100, 1.98397151852355 }, { 1e9, 1.95996398691714 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmpfloat_with_epsilon (ns_student_quantile (table[i][0]), table[i][1], 1e-8);
  g_assert_cmpfloat_with_epsilon (ns_student_quantile (1), tan (G_PI * 0.475), 1e-9);
  g_assert_cmpfloat_with_epsilon (ns_student_quantile (2), 0.95 / sqrt (2 * 0.975 * 0.025), 1e-9);
  /* The quantile is continuous where the expansion starts, and falls in between. */
  g_assert_cmpfloat_with_epsilon (ns_student_quantile (1e4), ns_student_quantile (1e4 * (1 + 1e-12)), 1e-9);
  for (double df = 1; df < 2e4; df *= 1.3)
    g_assert_cmpfloat (ns_student_quantile (df), >, ns_student_quantile (df * 1.3));
  g_assert_true (isnan (ns_student_quantile (NAN)));
}

void
add_statistics_tests (void)
{
  g_test_add_func ("/statistics/moments", test_moments);
  g_test_add_func ("/statistics/range", test_range);
  g_test_add_func ("/statistics/not-finite", test_not_finite);
  g_test_add_func ("/statistics/student", test_student);
}
