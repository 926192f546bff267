/* Test the sentence, table and readout of a sweep, with chosen values and with a real run.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-scaling.h"
#include "synthetic-sweep.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const only_pre[] = { "pre", NULL };

static void
assert_sentence (const NsSweep *sweep, const NsScalingOptions *options, const char *expected)
{
  NsScalingOptions fallback;
  g_autofree char *text = NULL;

  ns_scaling_options_init (&fallback);
  text = ns_scaling_sentence (sweep, options != NULL ? options : &fallback);
  g_assert_cmpstr (text, ==, expected);
}

/* With 4 seeds ±t about p the interval is 3.182·t·√(4/3)/2, so t = 0.01 gives 0.0184. */
static void
test_verdicts (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);

  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_LN, 0, 0.1, 0.01, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L⁻⁰·⁵⁰ (exponent ± 0.02); closest law 1/√L (off by <0.1\302\240%).\n"
                   "Post-LN: L⁰·⁴² (exponent ± 0.02); closest law ln L (off by <0.1\302\240%).");
  synthetic_set_law (sweep, 0, NS_LAW_LN_OVER_SQRT, 0, 7, 0.003, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_POWER, 1.5, 7, 0, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L⁻⁰·⁰⁸⁵ (exponent ± 0.006); closest law ln L/√L (off by <0.1\302\240%).\n"
                   "Post-LN: L¹·⁵⁰⁰⁰ (exponent ± <0.0001); closest law L¹·⁵⁰ (off by <0.1\302\240%); closest named law "
                   "L (off by 75\302\240%).");
  synthetic_set_law (sweep, 0, NS_LAW_CONSTANT, 0, 7, 0.002, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 7, 0, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L⁰·⁰⁰⁰ (exponent ± 0.004); closest law constant (off by <0.1\302\240%).\n"
                   "Post-LN: flat: the same number at every L.");
}

/* The deviation from the closest law is given in per cent. */
static void
test_closest (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("2..128", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  for (guint i = 0; i < n_points; i++)
    for (guint s = 0; s < 2; s++)
      synthetic_set_point (sweep, 0, i, s, -log10 (1 + 1.2 * (double) points[i]) / 2 + (s == 0 ? 1e-4 : -1e-4));
  assert_sentence (sweep, NULL, "Pre-LN: L⁻⁰·⁴⁶⁶⁷ (exponent ± <0.0001); closest law 1/√L, with a small significant "
                                "deviation (off by 4\302\240%).");
}

/* Set a curve, the same for every seed but for a zigzag of the size `spread` whose phase differs between the seeds. */
static void
set_curve (NsSweep *sweep, guint variant, double spread, double (*log_y) (double x))
{
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  for (guint i = 0; i < n_points; i++)
    for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
      synthetic_set_point (sweep, variant, i, s,
                           (log_y ((double) points[i]) + ((i + s) % 2 == 0 ? spread : -spread)) / G_LN10);
}

static double
wave (double x)
{
  return 0.5 * log (x) + 0.4 * sin (3 * log (x));
}

/* An exponential with a wave. */
static double
fall (double x)
{
  return -0.5 * x + 0.3 * sin (3 * log (x));
}

/* 0.9975 a block. */
static double
creep (double x)
{
  return -0.0025 * x;
}

/* A power with a small wave, far from every named law. */
static double
ripple (double x)
{
  return -0.25 * log (x) + 0.02 * sin (3 * log (x));
}

/* The laws with a free number are stated with it, and what the seeds' spread says about a deviation. With 4 seeds ±t
 * about p the interval is ±3.182·t·√(4/3)/2. */
static void
test_free_laws (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) width = synthetic_sweep ("16..128", "w_2@last", only_pre, 4, NS_SWEEP_D_MODEL);
  g_autoptr (NsSweep) one = synthetic_sweep ("1..128", "w_2@last", only_pre, 1, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) four = synthetic_sweep ("8,16,32,64", "w_2@last", only_pre, 4, NS_SWEEP_DEPTH);

  synthetic_set_law (sweep, 0, NS_LAW_EXPONENTIAL, log (0.56), 0.1, 0.5, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_STRETCHED, 0.25, 0.1, 0.05, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: closest law exponential (× 0.56 a block, 0.54 to 0.58; off by <0.1\302\240%).\n"
                   "Post-LN: closest law exp(√(L/16)) (λ = 16.0, 12.1 to 22.1; off by <0.1\302\240%).");
  set_curve (sweep, 0, 0.02, wave);
  set_curve (sweep, 1, 0.1, fall);
  assert_sentence (sweep, NULL,
                   "Pre-LN: none of these laws fits: the closest, √L, is off by 30\302\240%, 13 standard deviations of "
                   "a seed.\n"
                   "Post-LN: closest law exponential, with a significant deviation within the seeds’ spread (× 0.6078 "
                   "a block, 0.6076 to 0.6080; off by 21\302\240%).");
  set_curve (sweep, 0, 0.002, creep);
  set_curve (sweep, 1, 0.002, ripple);
  assert_sentence (sweep, NULL,
                   "Pre-LN: closest law exponential (× 0.997503 a block, 0.997496 to 0.997510; off by <0.1\302\240%).\n"
                   "Post-LN: L⁻⁰·²⁴⁷⁶ (exponent ± <0.0001); closest law L⁻⁰·²⁵, with a small significant deviation "
                   "(off by 1\302\240%); closest named law ln L/√L (off by 33\302\240%).");
  synthetic_set_law (width, 0, NS_LAW_EXPONENTIAL, -0.01, 0.1, 0, G_MAXUINT);
  assert_sentence (width, NULL,
                   "Pre-LN: closest law exponential (× 0.990050 for each unit of d, 0.990050 to 0.990050; off by "
                   "<0.1\302\240%).");
  synthetic_set_law (one, 0, NS_LAW_EXPONENTIAL, -0.5, 0.1, 0, G_MAXUINT);
  assert_sentence (one, NULL, "Pre-LN: closest law exponential (× 0.61 a block; off by <0.1\302\240%).");
  synthetic_set_law (four, 0, NS_LAW_EXPONENTIAL, -0.5, 0.1, 0, G_MAXUINT);
  assert_sentence (four, NULL, "Pre-LN: too few points for a law: 4 with L ≥ 2, of at least 5.");
}

/* Each reason for having no law has its own sentence. */
static void
test_no_law (void)
{
  g_autoptr (NsSweep) few = synthetic_sweep ("1,2,8", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) one = synthetic_sweep ("1,2", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) shallow = synthetic_sweep ("1,2,3,4,5", "w_2@last", only_pre, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) bad = synthetic_sweep ("1,2,4,8,16,32", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);

  synthetic_set_law (few, 0, NS_LAW_INV_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (few, NULL,
                   "Pre-LN: L⁻⁰·⁵⁰ (exponent ± 0.01); too few points for a law: 2 with L ≥ 2, of at least 4.");
  synthetic_set_law (one, 0, NS_LAW_INV_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (one, NULL, "Pre-LN: too few points for a law: 1 with L ≥ 2, of at least 4.");

  synthetic_set_law (shallow, 0, NS_LAW_SQRT, 0, 1, 0.3, G_MAXUINT);
  assert_sentence (shallow, NULL,
                   "Pre-LN: L⁰·⁵⁰ (exponent ± 0.55); cannot tell: L = 2 to 5 with 4 seeds does not separate √L "
                   "from constant.");

  synthetic_set_law (bad, 0, NS_LAW_INV_SQRT, 0, 1, 0.01, G_MAXUINT);
  synthetic_set_point (bad, 0, 3, 1, NAN);
  assert_sentence (bad, NULL, "Pre-LN: no law: not a finite number at L = 8 (1 of 10 values).");
  synthetic_set_point (bad, 0, 3, 1, -INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: exactly 0 at L = 8 (1 of 10 values).");
  synthetic_set_point (bad, 0, 4, 1, INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: zeros and values that are not finite from L = 8 on (2 of 10 values).");
  for (guint i = 0; i < 6; i++)
    for (guint s = 0; s < 2; s++)
      synthetic_set_point (bad, 0, i, s, -INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: exactly 0 everywhere.");
  for (guint i = 0; i < 6; i++)
    for (guint s = 0; s < 2; s++)
      synthetic_set_point (bad, 0, i, s, NAN);
  assert_sentence (bad, NULL, "Pre-LN: no law: not a finite number anywhere.");
}

static void
test_cells (void)
{
  static const struct
  {
    NsExponent exponent;
    const char *text;
  } exponents[] = {
    { { -0.486, 0.0312, 0, 8 }, "−0.49 ± 0.03" }, { { -0.004, 0.02, 0, 8 }, "0.00 ± 0.02" },
    { { 1.23456, 0.0042, 0, 8 }, "1.235 ± 0.004" }, { { 2, 1e-9, 0, 8 }, "2.0000 ± <0.0001" },
    { { -0.5, NAN, 0, 1 }, "−0.50" }, { { NAN, NAN, 0, 0 }, "–" },
  };
  static const struct
  {
    double value;
    const char *weight, *percent;
  } cells[] = {
    { 0.97, "0.97", "97\302\240%" },
    { 1, ">0.99", "100\302\240%" },
    { 0.003, "<0.01", "0.3\302\240%" },
    { 0.0001, "<0.01", "<0.1\302\240%" },
    { NAN, "–", "–" },
    { 20, ">0.99", ">1000\302\240%" },
    { 0.0234, "0.02", "2\302\240%" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (exponents); i++)
    {
      g_autofree char *text = ns_scaling_dup_exponent (&exponents[i].exponent);

      g_assert_cmpstr (text, ==, exponents[i].text);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autofree char *weight = ns_scaling_dup_weight (cells[i].value);
      g_autofree char *percent = ns_scaling_dup_percent (cells[i].value);

      g_assert_cmpstr (weight, ==, cells[i].weight);
      g_assert_cmpstr (percent, ==, cells[i].percent);
    }
}

static void
test_metric_titles (void)
{
  static const char *const cases[][2] = {
    { "w_2@last", "‖∂L/∂W₂‖ at the last block" },     { "w_2@first", "‖∂L/∂W₂‖ at the first block" },
    { "rms_x@max", "largest rms(xₗ) of all blocks" },  { "block@total", "total ‖∂L/∂θₗ‖ over all blocks" },
    { "w_2@squares", "sum of ‖∂L/∂W₂‖² over all blocks" }, { "w_head@last", "‖∂L/∂W_head‖" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *title = NULL;
      NsMetric metric;

      g_assert_true (ns_metric_from_text (cases[i][0], &metric, NULL));
      title = ns_scaling_dup_metric_title (metric);
      g_assert_cmpstr (title, ==, cases[i][1]);
    }
}

static void
test_rows (void)
{
  static const char *const order[] = { "1/√L", "ln L/√L", "constant" };
  g_autoptr (NsSweep) sweep = synthetic_sweep ("2..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) few = synthetic_sweep ("2,4", "w_2@last", only_pre, 4, NS_SWEEP_DEPTH);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) few_rows = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.1, 0.01, G_MAXUINT);
  rows = ns_scaling_rows (sweep, &options);
  g_assert_cmpuint (rows->len, ==, 2 * NS_N_LAWS);
  for (guint i = 0; i < rows->len; i++)
    {
      const NsScalingRow *row = rows->pdata[i];

      g_assert_cmpuint (row->variant, ==, i / NS_N_LAWS);
      g_assert_cmpstr (row->name, ==, i < NS_N_LAWS ? "Pre-LN" : "Post-LN");
      g_assert_cmpint (row->is_best, ==, i % NS_N_LAWS == 0);
      if (i < G_N_ELEMENTS (order))
        g_assert_cmpstr (row->formula, ==, order[i]);
    }
  /* The named law and the power that it is share the weight: the column sums to 1. */
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[0])->weight, ==, "0.81");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[NS_LAW_POWER])->weight, ==, "0.19");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[0])->relative_error, ==, "<0.1\302\240%");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[1])->weight, ==, "<0.01");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[NS_LAW_POWER])->formula, ==, "L⁻⁰·⁵⁰");

  synthetic_set_law (few, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  few_rows = ns_scaling_rows (few, &options);
  for (guint i = 0; i < few_rows->len; i++)
    {
      g_assert_cmpstr (((NsScalingRow *) few_rows->pdata[i])->weight, ==, "–");
      g_assert_false (((NsScalingRow *) few_rows->pdata[i])->is_best);
    }
}

static void
test_readout (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1,2,4,8,16,32,64,100", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  static const struct
  {
    double x;
    const char *text;
  } cases[] = {
    { 100, "Depth 100 · no value yet" },
    { 4.2, "Depth 4 · Pre-LN 0.150 ×/÷ 1.00 · Post-LN 0.300 ×/÷ 1.00" },
    { 12, "Depth 16 · Pre-LN 0.0750 ×/÷ 1.00 · Post-LN 3.16 (1 of 4 seeds)" },
    { 0, "Depth 1 · Pre-LN 0.300 ×/÷ 1.00 · Post-LN 0.300 ×/÷ 1.00" },
  };
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  synthetic_set_law (sweep, 0, NS_LAW_POWER, -0.5, 0.3, 0, 6);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.3, 0, 4);
  synthetic_set_point (sweep, 1, 4, 3, 0.5);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = ns_scaling_readout (sweep, &options, cases[i].x);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* A real run under the assumptions of the theorem: Post-LN is constant, Pre-LN falls as 1/√L, and their ratio is √L. */
static void
test_real (void)
{
  static const char *const variants[] = { "pre:norm_eps=0,attention=uniform,attention_output=off,name=Pre",
                                          "post:norm_eps=0,attention=uniform,attention_output=off,name=Post", NULL };
  g_autoptr (NsSweep) sweep = synthetic_sweep ("2,3,4,6,8,12,16,24,32", "w_2@last", variants, 8, NS_SWEEP_DEPTH);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  NsScalingOptions options;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GError *error = NULL;
  NsFit fit;

  ns_engine_run_sweep (engine, sweep, NULL, &error);
  g_assert_no_error (error);
  ns_scaling_options_init (&options);
  text = ns_scaling_sentence (sweep, &options);
  g_test_message ("%s", text);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 2);
  g_assert_nonnull (strstr (lines[0], "closest law 1/√L (off by "));
  g_assert_nonnull (strstr (lines[1], "closest law constant (off by "));
  ns_scaling_fit (sweep, 0, &fit);
  g_assert_true (ns_exponent_agrees (&fit.exponent, -0.5, 0.05));
  g_assert_false (ns_exponent_agrees (&fit.exponent, 0, 0.2));
  ns_scaling_fit (sweep, 1, &fit);
  g_assert_true (ns_exponent_agrees (&fit.exponent, 0, 0.05));
  ns_scaling_fit_ratio (sweep, 1, 0, &fit);
  g_assert_cmpint (fit.best, ==, NS_LAW_SQRT);
}

void
add_scaling_tests (void)
{
  g_test_add_func ("/scaling/verdicts", test_verdicts);
  g_test_add_func ("/scaling/closest", test_closest);
  g_test_add_func ("/scaling/free-laws", test_free_laws);
  g_test_add_func ("/scaling/no-law", test_no_law);
  g_test_add_func ("/scaling/cells", test_cells);
  g_test_add_func ("/scaling/metric-titles", test_metric_titles);
  g_test_add_func ("/scaling/rows", test_rows);
  g_test_add_func ("/scaling/readout", test_readout);
  g_test_add_func ("/scaling/real", test_real);
}
