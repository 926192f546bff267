/* Test the fits: planted laws are recognized, intervals have their coverage, and data without a law give none.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-laws.h"
#include "engine/ops/ns-statistics.h"
#include "tests.h"

#include <math.h>

#define MAX_POINTS 128
#define MAX_SEEDS 32

/* Synthetic points: log10_y [n_seeds][n]. */
typedef struct
{
  guint n, n_seeds;
  double x[MAX_POINTS];
  double log10_y[MAX_SEEDS * MAX_POINTS];
} Data;

static double
draw_gaussian (GRand *rand)
{
  double u = 1 - g_rand_double (rand), v = g_rand_double (rand);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

/* Set up to n depths from 1 to last, evenly spaced on a logarithmic axis. */
static void
set_depths (Data *data, double last, guint n, guint n_seeds)
{
  data->n = 0;
  data->n_seeds = n_seeds;
  for (guint i = 0; i < n; i++)
    {
      double x = round (exp (log (last) * i / (n - 1)));

      if (data->n == 0 || x > data->x[data->n - 1])
        data->x[data->n++] = x;
    }
}

static double
planted_log (NsLaw law, double p, double x)
{
  return (law < NS_LAW_POWER ? 1 : p) * ns_law_log (law, x);
}

/* Set y = 0.3·f(x) with standard deviations `noise` for each point, `wobble` for the exponent of each seed and `level`
 * for its factor. At x = 1, where ln x = 0 has no logarithm, y is arbitrary; the fit must omit that point. */
static void
plant (Data *data, GRand *rand, NsLaw law, double p, double noise, double wobble, double level)
{
  for (guint s = 0; s < data->n_seeds; s++)
    {
      double tilt = wobble * draw_gaussian (rand), shift = level * draw_gaussian (rand);

      for (guint i = 0; i < data->n; i++)
        {
          double x = data->x[i];
          double log_y = log (0.3) + shift + tilt * log (x) + noise * draw_gaussian (rand);

          data->log10_y[s * data->n + i] = x < 2 ? 7 : (log_y + planted_log (law, p, x)) / G_LN10;
        }
    }
}

static NsFit
fit_data (const Data *data)
{
  NsFit fit;

  ns_fit_laws (data->x, data->n, data->log10_y, data->n_seeds, &fit);
  return fit;
}

/* Assert that a number is NaN only if the contract allows it. */
static void
assert_sane (const NsFit *fit)
{
  double sum = 0;

  for (int law = 0; law < NS_N_LAWS; law++)
    {
      g_assert_true (fit->laws[law].weight >= 0 && fit->laws[law].weight <= 1);
      sum += fit->laws[law].weight;
    }
  if (fit->status == NS_FIT_OK || fit->status == NS_FIT_TOO_SHORT || fit->status == NS_FIT_NONE)
    {
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-9);
      g_assert_true (isfinite (fit->laws[fit->best].relative_error));
      g_assert_true (isfinite (fit->laws[fit->best].aicc));
      g_assert_true (isfinite (fit->laws[fit->best].log_c));
      g_assert_true (isfinite (fit->exponent.p));
    }
  else
    g_assert_cmpfloat (sum, ==, 0);
}

/* The weight of the named laws together: a law with a free number takes some of that of the law that it contains. */
static double
get_named_weight (const NsFit *fit)
{
  double sum = 0;

  for (int law = 0; law < NS_LAW_POWER; law++)
    sum += fit->laws[law].weight;
  return sum;
}

static void
test_formulas (void)
{
  static const char *const expected[] = { "constant", "1/√d", "ln d", "ln d/√d", "√d", "d", "dᵖ", "exponential",
                                          "exp(±√(d/λ))" };
  NsLaw found;

  G_STATIC_ASSERT (G_N_ELEMENTS (expected) == NS_N_LAWS);
  for (int law = 0; law < NS_N_LAWS; law++)
    {
      g_autofree char *formula = ns_law_dup_formula ((NsLaw) law, "d");

      g_assert_cmpstr (formula, ==, expected[law]);
      g_assert_true (ns_law_from_name (ns_law_get_name ((NsLaw) law), &found));
      g_assert_cmpint (found, ==, law);
    }
  g_assert_false (ns_law_from_name ("exp", &found));
  g_assert_cmpfloat_with_epsilon (ns_law_log (NS_LAW_CONSTANT, 50), 0, 1e-15);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_INV_SQRT, 16)), 0.25, 1e-15);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LN, exp (3))), 3, 1e-14);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LN_OVER_SQRT, exp (2))), 2 / G_E, 1e-14);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_SQRT, 49)), 7, 1e-13);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LINEAR, 49)), 49, 1e-13);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_POWER, 49)), 49, 1e-13);
  g_assert_cmpfloat (ns_law_log (NS_LAW_EXPONENTIAL, 49), ==, 49);
  g_assert_cmpfloat (ns_law_log (NS_LAW_STRETCHED, 49), ==, 7);
}

/* The free numbers as they are stated: the ends of an interval belong to those of p. */
static void
test_numbers (void)
{
  NsExponent slope = { .p = -0.5, .error = 0.1, .n_seeds = 4 };
  double number, from, to;

  ns_law_get_number (NS_LAW_POWER, &slope, &number, &from, &to);
  g_assert_true (number == -0.5 && from == -0.6 && to == -0.4);
  ns_law_get_number (NS_LAW_EXPONENTIAL, &slope, &number, &from, &to);
  g_assert_true (number == exp (-0.5) && from == exp (-0.6) && to == exp (-0.4));
  ns_law_get_number (NS_LAW_STRETCHED, &slope, &number, &from, &to);
  g_assert_cmpfloat_with_epsilon (number, 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (from, 1 / 0.36, 1e-12);
  g_assert_cmpfloat_with_epsilon (to, 1 / 0.16, 1e-12);
  ns_law_get_number (NS_LAW_SQRT, &slope, &number, &from, &to);
  g_assert_true (isnan (number) && isnan (from) && isnan (to));
  slope.error = 0.6;
  ns_law_get_number (NS_LAW_STRETCHED, &slope, &number, &from, &to);
  g_assert_cmpfloat_with_epsilon (from, 1 / 1.21, 1e-12);
  g_assert_true (isinf (to));
  slope.error = NAN;
  ns_law_get_number (NS_LAW_STRETCHED, &slope, &number, &from, &to);
  g_assert_cmpfloat_with_epsilon (number, 4, 1e-12);
  g_assert_true (isnan (from) && isnan (to));
}

/* Each law is recognized, with independent noise and with noise correlated along the depths of a seed. */
static void
test_planted (void)
{
  static const double powers[] = { -1.3, -0.8, -0.25, 0.25, 1.5 };
  static const double noises[][3] = { { 0.02, 0, 0 }, { 0.02, 0.02, 0.1 }, { 0.001, 0.005, 1 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Data data;

  set_depths (&data, 128, 24, 8);
  for (gsize k = 0; k < G_N_ELEMENTS (noises); k++)
    for (guint repeat = 0; repeat < 50; repeat++)
      for (int law = 0; law < NS_N_LAWS; law++)
        for (gsize i = 0; i < (law < NS_LAW_POWER ? 1 : G_N_ELEMENTS (powers)); i++)
          {
            double p = law == NS_LAW_EXPONENTIAL ? powers[i] / 5 : powers[i];
            NsFit fit;

            plant (&data, rand, (NsLaw) law, p, noises[k][0], noises[k][1], noises[k][2]);
            fit = fit_data (&data);
            assert_sane (&fit);
            g_assert_cmpint (fit.status, ==, NS_FIT_OK);
            g_assert_cmpint (fit.best, ==, law);
            g_assert_cmpfloat (fit.laws[law].weight, >, 0.95 * (law < NS_LAW_POWER ? get_named_weight (&fit) : 1));
            if (law >= NS_LAW_POWER)
              {
                g_assert_cmpfloat (fabs (fit.laws[law].slope.p - p), <, 10 * fit.laws[law].slope.error);
                g_assert_cmpint (fit.free.status, ==, NS_FIT_OK);
                g_assert_cmpint (fit.free.best, ==, law);
              }
            g_assert_cmpfloat (fit.laws[law].relative_error, <, 0.05);
            g_assert_cmpfloat (fit.x_min, ==, 2);
            g_assert_cmpfloat (fit.x_max, ==, 128);
            g_assert_cmpuint (fit.n_points, ==, data.n - 1);
            g_assert_cmpuint (fit.exponent.n_seeds, ==, 8);
            g_assert_false (fit.flat);
          }
}

/* The factor, the exponent and the free power of exact data. */
static void
test_exact (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  Data data;
  NsFit fit;

  set_depths (&data, 100, 20, 3);
  for (int law = 0; law < NS_N_LAWS; law++)
    {
      plant (&data, rand, (NsLaw) law, -0.75, 0, 0, 0);
      fit = fit_data (&data);
      assert_sane (&fit);
      g_assert_cmpint (fit.status, ==, NS_FIT_OK);
      g_assert_cmpint (fit.best, ==, law);
      g_assert_cmpfloat_with_epsilon (exp (fit.laws[law].log_c), 0.3, 1e-12);
      g_assert_cmpfloat (fit.laws[law].relative_error, <, 1e-12);
      g_assert_cmpfloat (fit.exponent.error, <, 1e-11);
      g_assert_false (fit.deviates);
      g_assert_cmpint (fit.flat, ==, law == NS_LAW_CONSTANT);
    }
  for (int law = NS_LAW_POWER; law < NS_N_LAWS; law++)
    {
      plant (&data, rand, (NsLaw) law, -0.75, 0, 0, 0);
      fit = fit_data (&data);
      g_assert_cmpfloat_with_epsilon (fit.laws[law].slope.p, -0.75, 1e-12);
      g_assert_cmpfloat_with_epsilon (fit.exponent.p, fit.laws[NS_LAW_POWER].slope.p, 1e-15);
    }
}

/* AICc by hand: residuals ±r about the constant law. */
static void
test_aicc (void)
{
  static const double x[] = { 2, 3, 4, 5, 6, 7 };
  static const double signs[] = { 1, -1, 1, -1, 1, -1 };
  const double r = 0.1;
  double log10_y[6];
  NsFit fit;

  for (guint i = 0; i < 6; i++)
    log10_y[i] = signs[i] * r / G_LN10;
  ns_fit_laws (x, 6, log10_y, 1, &fit);
  g_assert_cmpfloat_with_epsilon (fit.laws[NS_LAW_CONSTANT].aicc, 6 * log (r * r) + 4 + 4.0 * 3 / 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (fit.laws[NS_LAW_CONSTANT].log_c, 0, 1e-12);
  g_assert_cmpfloat_with_epsilon (fit.laws[NS_LAW_CONSTANT].relative_error,
                                  sqrt ((pow (exp (r) - 1, 2) + pow (exp (-r) - 1, 2)) / 2), 1e-12);
  /* One seed has an exponent without an interval. */
  g_assert_true (isnan (fit.exponent.error));
  g_assert_cmpfloat (fit.exponent.std, ==, 0);
  g_assert_true (ns_exponent_agrees (&fit.exponent, fit.exponent.p, 0));
  g_assert_false (ns_exponent_agrees (&fit.exponent, fit.exponent.p + 0.1, 0.05));
}

/* 95 % intervals contain the true exponent in 95 % of the draws, although the depths of a seed are correlated, and so
 * do those of the factor and of λ. With 2000 draws the share has a standard deviation of 0.5 %. */
static void
test_coverage (void)
{
  static const double numbers[] = { -0.5, 0.9, 400 }; /* of p = -0.5, ln 0.9 and -0.05 */
  static const double slopes[] = { -0.5, -0.105360515657826, -0.05 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  const guint n_draws = 2000;
  Data data;

  for (int law = NS_LAW_POWER; law < NS_N_LAWS; law++)
    for (guint n_seeds = 3; n_seeds <= 12; n_seeds += 3)
      {
        guint n_covered = 0;

        set_depths (&data, 64, 12, n_seeds);
        for (guint draw = 0; draw < n_draws; draw++)
          {
            double number, from, to;
            NsFit fit;

            plant (&data, rand, (NsLaw) law, slopes[law - NS_LAW_POWER], 0.02, 0.1, 0.3);
            fit = fit_data (&data);
            ns_law_get_number ((NsLaw) law, &fit.laws[law].slope, &number, &from, &to);
            n_covered += from <= numbers[law - NS_LAW_POWER] && numbers[law - NS_LAW_POWER] <= to ? 1 : 0;
          }
        g_test_message ("law %d, %u seeds: %u of %u", law, n_seeds, n_covered, n_draws);
        g_assert_cmpfloat (n_covered, >=, 0.93 * n_draws);
        g_assert_cmpfloat (n_covered, <=, 0.97 * n_draws);
      }
}

/* A law that holds is rejected in no more than 5 % of the draws, whether the noise is that of points or that of a
 * seed's exponent, whose residuals have one degree of freedom: then the share is 5 %. The same deviation of a law that
 * does not hold is found the more often the more seeds there are. */
static void
test_misfit (void)
{
  static const double noises[][2] = { { 0.1, 0 }, { 0.1, 0.1 }, { 1e-5, 0.1 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  const guint n_draws = 2000;
  Data data;

  for (guint n_seeds = 2; n_seeds <= 8; n_seeds += 3)
    for (gsize k = 0; k < G_N_ELEMENTS (noises); k++)
      {
        guint n_rejected = 0;

        set_depths (&data, 64, 12, n_seeds);
        for (guint draw = 0; draw < n_draws; draw++)
          {
            NsFit fit;

            plant (&data, rand, NS_LAW_SQRT, 0, noises[k][0], noises[k][1], 0.3);
            fit = fit_data (&data);
            n_rejected += fit.laws[NS_LAW_SQRT].misfit > ns_student_quantile (n_seeds - 1.0) ? 1 : 0;
          }
        g_test_message ("%u seeds, noise %g, %g: %u of %u", n_seeds, noises[k][0], noises[k][1], n_rejected, n_draws);
        g_assert_cmpfloat (n_rejected, <=, 0.065 * n_draws);
        if (k == 2)
          g_assert_cmpfloat (n_rejected, >=, 0.035 * n_draws);
      }
  for (guint n_seeds = 2; n_seeds <= 32; n_seeds *= 4)
    {
      guint n_rejected = 0;

      set_depths (&data, 64, 12, n_seeds);
      for (guint draw = 0; draw < 200; draw++)
        {
          NsFit fit;

          plant (&data, rand, NS_LAW_POWER, 0.7, 0.1, 0.1, 0.3);
          fit = fit_data (&data);
          n_rejected += fit.laws[NS_LAW_SQRT].misfit > ns_student_quantile (n_seeds - 1.0) ? 1 : 0;
        }
      g_test_message ("%u seeds, L^0.7 for √L: %u of 200", n_seeds, n_rejected);
      if (n_seeds == 2)
        g_assert_cmpuint (n_rejected, <, 100);
      else
        g_assert_cmpuint (n_rejected, >, n_seeds == 8 ? 100 : 198);
    }
}

/* If the seeds vary as much as the laws differ, the contrast over the seeds still selects a wrong law rarely. The
 * weights alone would do so in a quarter of the draws. */
static void
test_few_wrong (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  const guint n_draws = 1000;
  guint n_wrong = 0, n_heavy = 0;
  Data data;

  set_depths (&data, 128, 24, 6);
  for (guint draw = 0; draw < n_draws; draw++)
    {
      NsFit fit;
      int heaviest = 0;

      plant (&data, rand, NS_LAW_LN, 0, 0.005, 0.4, 0.1);
      fit = fit_data (&data);
      assert_sane (&fit);
      for (int law = 1; law < NS_LAW_POWER; law++)
        heaviest = fit.laws[law].weight > fit.laws[heaviest].weight ? law : heaviest;
      n_wrong += fit.status == NS_FIT_OK && fit.best != NS_LAW_LN ? 1 : 0;
      n_heavy += heaviest != NS_LAW_LN && fit.laws[heaviest].weight > 0.95 * get_named_weight (&fit) ? 1 : 0;
    }
  g_test_message ("wrong law %u, wrong weights %u of %u", n_wrong, n_heavy, n_draws);
  g_assert_cmpuint (n_wrong, <, n_draws / 50);
  g_assert_cmpuint (n_heavy, >, n_draws / 10);
}

static void
test_too_short (void)
{
  static const double x[] = { 1, 2, 3, 4, 5 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  Data data = { .n = 5, .n_seeds = 8 };
  NsFit fit;

  memcpy (data.x, x, sizeof x);
  plant (&data, rand, NS_LAW_SQRT, 0, 0.1, 0, 0);
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_SHORT);
  g_assert_cmpint (fit.rival, !=, fit.best);
  g_assert_cmpint (fit.rival, <, NS_LAW_POWER);
  g_assert_cmpuint (fit.n_points, ==, 4);
  /* The free power has too many unknowns for four points and does not compete. */
  g_assert_true (isnan (fit.laws[NS_LAW_POWER].aicc));
  g_assert_cmpfloat (fit.laws[NS_LAW_POWER].weight, ==, 0);
  g_assert_true (isfinite (fit.laws[NS_LAW_POWER].slope.p));

  /* With one seed there is no contrast; the weights alone prevent a decision. */
  data.n_seeds = 1;
  for (guint draw = 0; draw < 20; draw++)
    {
      plant (&data, rand, NS_LAW_SQRT, 0, 0.3, 0, 0);
      fit = fit_data (&data);
      assert_sane (&fit);
      g_assert_cmpint (fit.status, ==, NS_FIT_TOO_SHORT);
      g_assert_cmpfloat (fit.laws[fit.rival].weight, >, 0.05);
    }

  /* The same law is recognized over a longer range. */
  set_depths (&data, 128, 24, 8);
  plant (&data, rand, NS_LAW_SQRT, 0, 0.1, 0, 0);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_SQRT);
}

static void
test_few_points (void)
{
  static const double x[] = { 1, 2, 8, 32 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  Data data = { .n = 3, .n_seeds = 4 };
  NsFit fit;

  memcpy (data.x, x, sizeof x);
  plant (&data, rand, NS_LAW_INV_SQRT, 0, 0, 0, 0);
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_FEW_POINTS);
  g_assert_cmpuint (fit.n_points, ==, 2);
  g_assert_cmpfloat_with_epsilon (fit.exponent.p, -0.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (exp (fit.laws[NS_LAW_INV_SQRT].log_c), 0.3, 1e-12);

  data.n = 2;
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_FEW_POINTS);
  g_assert_cmpuint (fit.n_points, ==, 1);
  g_assert_true (isnan (fit.exponent.p));
  g_assert_cmpuint (fit.exponent.n_seeds, ==, 0);
  g_assert_false (ns_exponent_agrees (&fit.exponent, 0, 1e9));

  ns_fit_laws (NULL, 0, NULL, 0, &fit);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_FEW_POINTS);
  ns_fit_laws (x, 4, NULL, 0, &fit);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_FEW_POINTS);
}

/* Constant data up to rounding give the constant law, without a division by zero, also with a level for each seed. */
static void
test_flat (void)
{
  Data data;
  NsFit fit;

  set_depths (&data, 128, 24, 4);
  for (guint s = 0; s < 4; s++)
    for (guint i = 0; i < data.n; i++)
      data.log10_y[s * data.n + i] = -0.3 * s + (i % 3) * 1e-8;
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_true (fit.flat);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_CONSTANT);
  g_assert_cmpfloat (fabs (fit.exponent.p), <, 1e-7);
  g_assert_cmpfloat (fit.exponent.error, <, 1e-7);

  /* The same with residuals of exactly 0. */
  for (guint i = 0; i < 4 * data.n; i++)
    data.log10_y[i] = 0;
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_true (fit.flat);
  g_assert_cmpint (fit.best, ==, NS_LAW_CONSTANT);
  g_assert_cmpfloat (fit.laws[NS_LAW_CONSTANT].relative_error, ==, 0);

  data.log10_y[data.n + 5] += 1e-5;
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_false (fit.flat);
  g_assert_cmpint (fit.best, ==, NS_LAW_CONSTANT);
}

static void
test_not_finite (void)
{
  static const double bad[] = { NAN, INFINITY, -INFINITY };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  Data data;
  NsFit fit;

  for (gsize k = 0; k < G_N_ELEMENTS (bad); k++)
    {
      set_depths (&data, 128, 24, 4);
      plant (&data, rand, NS_LAW_INV_SQRT, 0, 0, 0, 0);
      data.log10_y[2 * data.n + 9] = bad[k];
      fit = fit_data (&data);
      assert_sane (&fit);
      g_assert_cmpint (fit.status, ==, NS_FIT_NOT_FINITE);
      g_assert_cmpfloat (fit.first_bad, ==, data.x[9]);
      g_assert_cmpuint (fit.n_zero, ==, k == 2);
      g_assert_cmpuint (fit.n_nonfinite, ==, k != 2);
      g_assert_cmpfloat_with_epsilon (fit.exponent.p, -0.5, 1e-12);
      g_assert_cmpuint (fit.exponent.n_seeds, ==, 4);

      for (guint i = 0; i < data.n * data.n_seeds; i++)
        data.log10_y[i] = bad[k];
      fit = fit_data (&data);
      assert_sane (&fit);
      g_assert_cmpint (fit.status, ==, NS_FIT_NOT_FINITE);
      g_assert_cmpuint (fit.n_zero + fit.n_nonfinite, ==, (data.n - 1) * data.n_seeds);
      g_assert_true (isnan (fit.exponent.p));
      g_assert_false (fit.flat);
    }
  /* Points below x = 2 do not count. */
  plant (&data, rand, NS_LAW_INV_SQRT, 0, 0, 0, 0);
  data.log10_y[0] = NAN;
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
}

/* Set a curve with independent noise and another exponent for each seed. */
static void
set_curve (Data *data, GRand *rand, double noise, double wobble, double (*log_y) (double x))
{
  for (guint s = 0; s < data->n_seeds; s++)
    {
      double tilt = wobble * draw_gaussian (rand);

      for (guint i = 0; i < data->n; i++)
        data->log10_y[s * data->n + i]
          = (log_y (data->x[i]) + tilt * log (data->x[i]) + noise * draw_gaussian (rand)) / G_LN10;
    }
}

/* The root of a sum of a constant and 1/√x. */
static double
bend (double x)
{
  return -log (1 + 1.2 * x) / 2;
}

static double
wave (double x)
{
  return -0.68 * log (x) + 0.3 * sin (3 * log (x));
}

static double
fall (double x)
{
  return -0.5 * x + 0.3 * sin (3 * log (x));
}

/* 0.997 a block. */
static double
creep (double x)
{
  return -0.003 * x;
}

/* No law holds exactly. A named law with a small error wins, although the free power is closer, and the deviation is
 * said where the seeds show it. */
static void
test_closest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  Data data;
  NsFit fit;

  set_depths (&data, 128, 24, 8);
  set_curve (&data, rand, 0.005, 0, bend);
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_INV_SQRT);
  g_assert_cmpfloat (fit.laws[NS_LAW_INV_SQRT].relative_error, >, 0.01);
  g_assert_cmpfloat (fit.laws[NS_LAW_INV_SQRT].relative_error, <, 0.1);
  g_assert_cmpfloat (fit.laws[NS_LAW_POWER].weight, >, 0.95);
  g_assert_true (fit.deviates);

  /* Seeds that differ more do not show it. */
  set_curve (&data, rand, 0.005, 0.1, bend);
  fit = fit_data (&data);
  g_assert_cmpint (fit.best, ==, NS_LAW_INV_SQRT);
  g_assert_false (fit.deviates);

  /* An exponential that fits much better than a constant, which is off by less than a tenth; not if the seeds do not
   * show it. */
  set_depths (&data, 64, 24, 8);
  set_curve (&data, rand, 0.002, 0, creep);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_EXPONENTIAL);
  g_assert_false (fit.deviates);
  g_assert_cmpfloat (fit.laws[NS_LAW_CONSTANT].relative_error, <, 0.1);
  set_curve (&data, rand, 0.002, 0.1, creep);
  fit = fit_data (&data);
  g_assert_cmpint (fit.best, ==, NS_LAW_CONSTANT);
}

/* None of the laws fits: the closest is off by more than a tenth, and by more than the spread of the seeds explains. If
 * that is as large, the closest law stands. */
static void
test_none (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (10);
  Data data;
  NsFit fit;

  set_depths (&data, 128, 24, 8);
  set_curve (&data, rand, 0.002, 0, wave);
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_NONE);
  g_assert_cmpfloat (fit.laws[fit.best].relative_error, >, 0.1);
  g_assert_cmpfloat (fit.laws[fit.best].misfit, >, 20);
  for (int law = 0; law < NS_N_LAWS; law++)
    g_assert_false (ns_fit_allows (&fit, (NsLaw) law));
  set_curve (&data, rand, 1, 0, wave);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, !=, NS_FIT_NONE);
  g_assert_true (ns_fit_allows (&fit, fit.best));

  /* Many seeds show that the law does not hold; as long as it is off by less than they differ, it is named. */
  data.n_seeds = 32;
  set_curve (&data, rand, 0.4, 0, fall);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_EXPONENTIAL);
  g_assert_true (fit.deviates);
  g_assert_cmpfloat (fit.laws[fit.best].relative_error, >, 0.1);
  g_assert_cmpfloat (ns_fit_get_spread (&fit, fit.best), <, 1);
  data.n_seeds = 8;

  /* Values at the limits of a double still give finite numbers, and no law. */
  for (guint i = 0; i < data.n * 8; i++)
    data.log10_y[i] = -2.0 * data.x[i % data.n] * data.x[i % data.n];
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_NONE);

  /* Four points are too few for a law with a free number, so an exponential is not excluded. */
  data.n = 4;
  data.n_seeds = 4;
  for (guint i = 0; i < 4; i++)
    data.x[i] = 8 << i;
  plant (&data, rand, NS_LAW_EXPONENTIAL, -0.5, 0.01, 0, 0);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_TOO_FEW_POINTS);

  /* One seed has no spread to compare with. */
  set_depths (&data, 128, 24, 1);
  plant (&data, rand, NS_LAW_EXPONENTIAL, -0.5, 0.5, 0, 0);
  fit = fit_data (&data);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_EXPONENTIAL);
  g_assert_true (isnan (fit.laws[NS_LAW_EXPONENTIAL].misfit));
}

/* A named law that is not close stands where the interval of the power includes it, else the power does. */
static void
test_simplest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  const guint n_draws = 200;
  guint n_sqrt = 0, n_power = 0;
  Data data;

  set_depths (&data, 128, 24, 8);
  for (guint draw = 0; draw < n_draws; draw++)
    {
      NsFit fit;

      plant (&data, rand, NS_LAW_SQRT, 0, 0.6, 0.3, 0.3);
      fit = fit_data (&data);
      n_sqrt += fit.best == NS_LAW_SQRT ? 1 : 0;
      /* a law that contains it is no rival */
      g_assert_false (fit.status == NS_FIT_TOO_SHORT && ns_law_contains (fit.rival, fit.best));
      plant (&data, rand, NS_LAW_POWER, 1.6, 0.6, 0.1, 0.3);
      fit = fit_data (&data);
      n_power += fit.best == NS_LAW_POWER ? 1 : 0;
    }
  g_test_message ("√L %u, power %u of %u", n_sqrt, n_power, n_draws);
  g_assert_cmpuint (n_sqrt, >, n_draws * 8 / 10);
  g_assert_cmpuint (n_power, >, n_draws * 9 / 10);
}

static void
test_agrees (void)
{
  NsExponent exponent = { .p = -0.48, .error = 0.03, .std = 0.05, .n_seeds = 8 };

  g_assert_true (ns_exponent_agrees (&exponent, -0.5, 0));
  g_assert_true (ns_exponent_agrees (&exponent, -0.46, 0));
  g_assert_false (ns_exponent_agrees (&exponent, -0.52, 0));
  g_assert_true (ns_exponent_agrees (&exponent, -0.52, 0.02));
  g_assert_false (ns_exponent_agrees (&exponent, 0, 0.4));
}

void
add_laws_tests (void)
{
  g_test_add_func ("/laws/formulas", test_formulas);
  g_test_add_func ("/laws/numbers", test_numbers);
  g_test_add_func ("/laws/planted", test_planted);
  g_test_add_func ("/laws/exact", test_exact);
  g_test_add_func ("/laws/aicc", test_aicc);
  g_test_add_func ("/laws/coverage", test_coverage);
  g_test_add_func ("/laws/misfit", test_misfit);
  g_test_add_func ("/laws/few-wrong", test_few_wrong);
  g_test_add_func ("/laws/too-short", test_too_short);
  g_test_add_func ("/laws/few-points", test_few_points);
  g_test_add_func ("/laws/flat", test_flat);
  g_test_add_func ("/laws/not-finite", test_not_finite);
  g_test_add_func ("/laws/closest", test_closest);
  g_test_add_func ("/laws/none", test_none);
  g_test_add_func ("/laws/simplest", test_simplest);
  g_test_add_func ("/laws/agrees", test_agrees);
}
