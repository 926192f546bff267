/* Test the fits: planted laws are recognized, intervals have their coverage, and data without a law give none.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-laws.h"
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
  return law == NS_LAW_POWER ? p * log (x) : ns_law_log (law, x);
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
  if (fit->status == NS_FIT_OK || fit->status == NS_FIT_TOO_SHORT)
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

/* The weight of the named laws together: the free power takes some of that of the law that it contains. */
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
  static const char *const expected[] = { "constant", "1/√L", "ln L", "ln L/√L", "√L", "L", "Lᵖ" };

  for (int law = 0; law < NS_N_LAWS; law++)
    {
      g_autofree char *formula = ns_law_dup_formula ((NsLaw) law, "L");

      g_assert_cmpstr (formula, ==, expected[law]);
    }
  g_assert_cmpfloat_with_epsilon (ns_law_log (NS_LAW_CONSTANT, 50), 0, 1e-15);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_INV_SQRT, 16)), 0.25, 1e-15);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LN, exp (3))), 3, 1e-14);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LN_OVER_SQRT, exp (2))), 2 / G_E, 1e-14);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_SQRT, 49)), 7, 1e-13);
  g_assert_cmpfloat_with_epsilon (exp (ns_law_log (NS_LAW_LINEAR, 49)), 49, 1e-13);
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
        for (gsize i = 0; i < (law == NS_LAW_POWER ? G_N_ELEMENTS (powers) : 1); i++)
          {
            NsFit fit;

            plant (&data, rand, (NsLaw) law, powers[i], noises[k][0], noises[k][1], noises[k][2]);
            fit = fit_data (&data);
            assert_sane (&fit);
            g_assert_cmpint (fit.status, ==, NS_FIT_OK);
            g_assert_cmpint (fit.best, ==, law);
            g_assert_cmpfloat (fit.laws[law].weight, >, 0.95 * (law == NS_LAW_POWER ? 1 : get_named_weight (&fit)));
            g_assert_cmpfloat (fit.laws[law].relative_error, <, 0.03);
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
      g_assert_cmpfloat (fit.exponent.error, <, 1e-12);
      g_assert_cmpint (fit.flat, ==, law == NS_LAW_CONSTANT);
    }
  g_assert_cmpfloat_with_epsilon (fit.exponent.p, -0.75, 1e-12);
  g_assert_cmpfloat_with_epsilon (fit.laws[NS_LAW_POWER].p, -0.75, 1e-12);
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

/* 95 % intervals contain the true exponent in 95 % of the draws, although the depths of a seed are correlated. With
 * 2000 draws the share has a standard deviation of 0.5 %. */
static void
test_coverage (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  const guint n_draws = 2000;
  Data data;

  for (guint n_seeds = 3; n_seeds <= 12; n_seeds += 3)
    {
      guint n_covered = 0;

      set_depths (&data, 64, 12, n_seeds);
      for (guint draw = 0; draw < n_draws; draw++)
        {
          NsFit fit;

          plant (&data, rand, NS_LAW_POWER, -0.5, 0.02, 0.1, 0.3);
          fit = fit_data (&data);
          n_covered += ns_exponent_agrees (&fit.exponent, -0.5, 0) ? 1 : 0;
        }
      g_test_message ("%u seeds: %u of %u", n_seeds, n_covered, n_draws);
      g_assert_cmpfloat (n_covered, >=, 0.93 * n_draws);
      g_assert_cmpfloat (n_covered, <=, 0.97 * n_draws);
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
  g_assert_true (isfinite (fit.laws[NS_LAW_POWER].p));

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

/* No law holds exactly, as for the sum of a constant and a square root. A named law with a small error wins, although
 * the free power is closer. */
static void
test_closest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  Data data;
  NsFit fit;

  set_depths (&data, 128, 24, 8);
  for (guint s = 0; s < 8; s++)
    for (guint i = 0; i < data.n; i++)
      data.log10_y[s * data.n + i] = -log10 (1 + 1.2 * data.x[i]) / 2 + 0.002 * draw_gaussian (rand);
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.status, ==, NS_FIT_OK);
  g_assert_cmpint (fit.best, ==, NS_LAW_INV_SQRT);
  g_assert_cmpfloat (fit.laws[NS_LAW_INV_SQRT].relative_error, >, 0.01);
  g_assert_cmpfloat (fit.laws[NS_LAW_INV_SQRT].relative_error, <, 0.1);
  g_assert_cmpfloat (fit.laws[NS_LAW_POWER].weight, >, 0.95);

  /* The named law also wins with a large error if the free power has one. */
  for (guint i = 0; i < data.n * 8; i++)
    {
      double log_x = log (data.x[i % data.n]);

      data.log10_y[i] = (-0.68 * log_x + 0.3 * sin (3 * log_x) + 0.002 * draw_gaussian (rand)) / G_LN10;
    }
  fit = fit_data (&data);
  assert_sane (&fit);
  g_assert_cmpint (fit.best, ==, NS_LAW_INV_SQRT);
  g_assert_cmpfloat (fit.laws[NS_LAW_INV_SQRT].relative_error, >, 0.2);
  g_assert_cmpfloat (fit.laws[NS_LAW_POWER].weight, >, 0.95);

  /* Values at the limits of a double still give a finite error. */
  for (guint i = 0; i < data.n * 8; i++)
    data.log10_y[i] = -2.0 * data.x[i % data.n];
  fit = fit_data (&data);
  assert_sane (&fit);
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
  g_test_add_func ("/laws/planted", test_planted);
  g_test_add_func ("/laws/exact", test_exact);
  g_test_add_func ("/laws/aicc", test_aicc);
  g_test_add_func ("/laws/coverage", test_coverage);
  g_test_add_func ("/laws/few-wrong", test_few_wrong);
  g_test_add_func ("/laws/too-short", test_too_short);
  g_test_add_func ("/laws/few-points", test_few_points);
  g_test_add_func ("/laws/flat", test_flat);
  g_test_add_func ("/laws/not-finite", test_not_finite);
  g_test_add_func ("/laws/closest", test_closest);
  g_test_add_func ("/laws/agrees", test_agrees);
}
