/* Test the verdicts on claims, with values chosen so that each verdict occurs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim.h"
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-sweep-private.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define SEEDS 8
#define PRE 0
#define POST 1

static NsExperiment *
make_experiment (gint64 seeds)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->sampling.seeds = seeds;
  experiment->shape.depth = 32;
  return experiment;
}

static void
set_point (NsSweep *sweep, guint variant, guint point, guint seed, double log10_value)
{
  SweepValue *value = ns_sweep_at (sweep, variant, point, seed);

  value->log10_value = log10_value;
  value->value = pow (10, log10_value);
  atomic_store (&value->ready, TRUE);
}

static double
normal (GRand *random)
{
  return sqrt (-2 * log (1 - g_rand_double (random))) * cos (2 * G_PI * g_rand_double (random));
}

/* Make a sweep in which both variants follow a law (NS_LAW_POWER: x^p) with noise: one factor per seed and one per
 * point. */
static NsSweep *
make_sweep (const NsExperiment *experiment, const char *points_text, NsLaw pre, NsLaw post, double p, double noise)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  NsMetric metric = { NS_Q_W_2, NS_AT_LAST, NS_PART_STACK };
  guint n;
  g_autofree gint64 *points = ns_sweep_points_from_text (points_text, &n, NULL);
  NsSweep *sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, points, n, metric, NULL);

  for (guint v = 0; v < 2; v++)
    for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
      {
        double own = noise * normal (random);

        for (guint i = 0; i < n; i++)
          {
            NsLaw law = v == PRE ? pre : post;
            double x = (double) points[i];
            double log_f = (law < NS_LAW_POWER ? 1 : p) * ns_law_log (law, x);

            set_point (sweep, v, i, s, log_f / G_LN10 + own + noise * normal (random));
          }
      }
  return sweep;
}

static NsClaim *
make_claim (NsCheckKind kind, const char *variant, NsLaw law, double expected)
{
  NsClaim *claim = ns_claim_new ("test");

  claim->kind = kind;
  claim->variant = g_strdup (variant);
  claim->law = law;
  claim->expected = expected;
  claim->tolerance = 0.1;
  if (kind == NS_CHECK_RATIO)
    claim->over = g_strdup ("pre");
  return claim;
}

static NsClaimResult
evaluate_sweep (const NsClaim *claim, NsSweep *sweep)
{
  NsSweep *const sweeps[] = { sweep };
  NsEvidence evidence = { .sweeps = sweeps, .n_sweeps = sweep != NULL ? 1 : 0 };
  g_autoptr (NsExperiment) experiment
    = sweep != NULL ? ns_experiment_copy (ns_sweep_get_experiment (sweep)) : make_experiment (SEEDS);
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &evidence, &result);
  return result;
}

/* ---- laws ---- */

static void
test_planted_laws (void)
{
  static const NsLaw laws[]
    = { NS_LAW_CONSTANT, NS_LAW_INV_SQRT, NS_LAW_LN, NS_LAW_LN_OVER_SQRT, NS_LAW_SQRT, NS_LAW_LINEAR };

  for (gsize planted = 0; planted < G_N_ELEMENTS (laws); planted++)
    for (gsize claimed = 0; claimed < G_N_ELEMENTS (laws); claimed++)
      {
        g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
        g_autoptr (NsSweep) sweep
          = make_sweep (experiment, "2..128", laws[planted], laws[planted], 0, 0.01);
        g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT, "post", laws[claimed], 0);
        NsClaimResult result = evaluate_sweep (claim, sweep);

        g_test_message ("%s planted, %s claimed: %g ± %g", ns_law_get_name (laws[planted]),
                        ns_law_get_name (laws[claimed]), result.measured, result.error);
        g_assert_cmpint (result.verdict, ==,
                         planted == claimed ? NS_VERDICT_CONSISTENT : NS_VERDICT_NOT_CONSISTENT);
        g_assert_cmpint (result.why_not, ==, NS_WHY_NOT_NONE);
        g_assert_cmpuint (result.n_seeds, ==, SEEDS);
        g_assert_cmpfloat (result.x_max, ==, 128);
      }
}

/* A law with a free number is growth by it: the other two of its kind are rivals, and a fall is none. */
static void
test_free_laws (void)
{
  for (int planted = NS_LAW_POWER; planted < NS_N_LAWS; planted++)
    for (int claimed = NS_LAW_POWER; claimed < NS_N_LAWS; claimed++)
      {
        g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
        g_autoptr (NsSweep) grows
          = make_sweep (experiment, "2..128", (NsLaw) planted, (NsLaw) planted, 0.3, 0.01);
        g_autoptr (NsSweep) falls
          = make_sweep (experiment, "2..128", (NsLaw) planted, (NsLaw) planted, -0.3, 0.01);
        g_autoptr (NsSweep) noisy = make_sweep (experiment, "2,3,4,5,6", (NsLaw) planted, (NsLaw) planted, 0.3, 0.05);
        g_autoptr (NsSweep) few = make_sweep (experiment, "2,4,8,16", (NsLaw) planted, (NsLaw) planted, 0.3, 0.01);
        g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT, "post", (NsLaw) claimed, 0);
        NsClaimResult result = evaluate_sweep (claim, grows);

        g_assert_cmpint (result.verdict, ==,
                         planted == claimed ? NS_VERDICT_CONSISTENT : NS_VERDICT_NOT_CONSISTENT);
        g_assert_cmpint (result.rival, ==, planted == claimed ? NS_N_LAWS : planted);
        if (planted == claimed)
          g_assert_cmpfloat (fabs (result.measured - 0.3), <, 3 * result.error);
        g_assert_cmpint (evaluate_sweep (claim, falls).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
        g_assert_cmpint (evaluate_sweep (claim, noisy).verdict, ==, NS_VERDICT_CANNOT_TELL);
        g_assert_cmpint (evaluate_sweep (claim, few).why_not, ==, NS_WHY_NOT_POINTS);
      }
}

/* The first points do not count from `from` on; a law is not consistent if it is off by far more than the seeds differ,
 * although its exponent agrees. */
static void
test_misfit (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsSweep) sweep = make_sweep (experiment, "2..128", NS_LAW_SQRT, NS_LAW_SQRT, 0, 0.001);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_SQRT, 0);
  NsClaimResult result = evaluate_sweep (claim, sweep);
  guint n;
  const gint64 *points = ns_sweep_get_points (sweep, &n);

  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (result.off, <, 0.01);
  for (guint i = 0; i < n; i++)
    for (guint s = 0; s < SEEDS; s++)
      set_point (sweep, POST, i, s, log10 ((double) points[i]) / 2 + (points[i] < 8 ? 0.2 : 0) + 1e-4 * s * (i % 3));
  result = evaluate_sweep (claim, sweep);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  claim->from = 8;
  result = evaluate_sweep (claim, sweep);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (result.x_min, >=, 8);

  claim->from = 2;
  for (guint i = 0; i < n; i++)
    for (guint s = 0; s < SEEDS; s++)
      set_point (sweep, POST, i, s,
                 log10 ((double) points[i]) / 2 + 0.15 * sin (3 * log ((double) points[i])) + 1e-4 * s * (i % 3));
  result = evaluate_sweep (claim, sweep);
  g_assert_cmpfloat (fabs (result.measured - 0.5), <, 0.1);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_true (result.misfits);
  g_assert_cmpfloat (result.off, >, 0.1);
}

static void
test_local_exponent (void)
{
  double x[127];

  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = i + 2;
  g_assert_cmpfloat (ns_law_local_exponent (NS_LAW_CONSTANT, x, G_N_ELEMENTS (x)), ==, 0);
  g_assert_cmpfloat (fabs (ns_law_local_exponent (NS_LAW_INV_SQRT, x, G_N_ELEMENTS (x)) + 0.5), <, 1e-12);
  g_assert_cmpfloat (fabs (ns_law_local_exponent (NS_LAW_LINEAR, x, G_N_ELEMENTS (x)) - 1), <, 1e-12);
  /* d ln ln x/d ln x = 1/ln x, approximated by two close points. */
  x[0] = 50;
  x[1] = 50.001;
  g_assert_cmpfloat (fabs (ns_law_local_exponent (NS_LAW_LN, x, 2) - 1 / log (50)), <, 1e-5);
  g_assert_cmpfloat (fabs (ns_law_local_exponent (NS_LAW_LN_OVER_SQRT, x, 2) - 1 / log (50) + 0.5), <, 1e-5);
}

static void
test_bounds (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsSweep) falling = make_sweep (experiment, "2..128", NS_LAW_POWER, NS_LAW_POWER, -1, 0.01);
  g_autoptr (NsSweep) rising = make_sweep (experiment, "2..128", NS_LAW_POWER, NS_LAW_POWER, 0.2, 0.01);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT, "pre", NS_LAW_CONSTANT, 0);
  g_autoptr (NsClaim) number = make_claim (NS_CHECK_EXPONENT, "pre", NS_N_LAWS, 0.25);

  g_assert_cmpint (evaluate_sweep (claim, falling).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  claim->at_most = TRUE;
  g_assert_cmpint (evaluate_sweep (claim, falling).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (claim, rising).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (number, rising).verdict, ==, NS_VERDICT_CONSISTENT);
  number->tolerance = 0.01;
  g_assert_cmpint (evaluate_sweep (number, rising).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
}

static void
test_ratio (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsSweep) theorem = make_sweep (experiment, "2..128", NS_LAW_INV_SQRT, NS_LAW_CONSTANT, 0, 0.01);
  g_autoptr (NsSweep) lesson = make_sweep (experiment, "2..128", NS_LAW_LN_OVER_SQRT, NS_LAW_LN, 0, 0.01);
  g_autoptr (NsSweep) other = make_sweep (experiment, "2..128", NS_LAW_INV_SQRT, NS_LAW_LINEAR, 0, 0.01);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_RATIO, "post", NS_LAW_SQRT, 0);

  g_assert_cmpint (evaluate_sweep (claim, theorem).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (claim, lesson).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (claim, other).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (fabs (evaluate_sweep (claim, other).measured - 1.5), <, 0.02);
}

/* ---- undecided ---- */

static void
check_why_not (const NsClaim *claim, NsSweep *sweep, NsWhyNot why_not)
{
  NsClaimResult result = evaluate_sweep (claim, sweep);

  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CANNOT_TELL);
  g_assert_cmpint (result.why_not, ==, why_not);
}

static void
test_cannot_tell (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsExperiment) alone = make_experiment (1);
  g_autoptr (NsClaim) constant = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_CONSTANT, 0);
  g_autoptr (NsClaim) root = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_SQRT, 0);
  g_autoptr (NsClaim) missing = make_claim (NS_CHECK_EXPONENT, "deepnorm", NS_LAW_CONSTANT, 0);
  g_autoptr (NsClaim) gated = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_CONSTANT, 0);
  g_autoptr (NsSweep) sweep = make_sweep (experiment, "2..128", NS_LAW_CONSTANT, NS_LAW_CONSTANT, 0, 0.01);
  g_autoptr (NsSweep) one_seed = make_sweep (alone, "2..128", NS_LAW_CONSTANT, NS_LAW_CONSTANT, 0, 0.01);
  g_autoptr (NsSweep) two_points = make_sweep (experiment, "4,8", NS_LAW_CONSTANT, NS_LAW_CONSTANT, 0, 0.01);
  g_autoptr (NsSweep) noisy = make_sweep (experiment, "2..128", NS_LAW_CONSTANT, NS_LAW_CONSTANT, 0, 0.8);
  g_autoptr (NsSweep) narrow = make_sweep (experiment, "60,61,62,63,64", NS_LAW_SQRT, NS_LAW_SQRT, 0, 0.01);

  check_why_not (constant, NULL, NS_WHY_NOT_RUN);
  check_why_not (missing, sweep, NS_WHY_NOT_VARIANT);
  gated->metric.quantity = NS_Q_W_3;
  check_why_not (gated, sweep, NS_WHY_NOT_QUANTITY);
  check_why_not (constant, one_seed, NS_WHY_NOT_SEEDS);
  check_why_not (constant, two_points, NS_WHY_NOT_POINTS);
  check_why_not (constant, noisy, NS_WHY_NOT_WIDE);
  root->tolerance = 100; /* only their curvature separates the laws, and it is small here */
  check_why_not (root, narrow, NS_WHY_NOT_RIVAL);

  set_point (sweep, POST, 3, 2, -INFINITY);
  check_why_not (constant, sweep, NS_WHY_NOT_FINITE);
  set_point (sweep, POST, 3, 2, NAN);
  check_why_not (constant, sweep, NS_WHY_NOT_FINITE);
  set_point (sweep, POST, 3, 2, 0);
  g_assert_cmpint (evaluate_sweep (constant, sweep).verdict, ==, NS_VERDICT_CONSISTENT);
  atomic_store (&ns_sweep_at (sweep, POST, 5, 1)->ready, FALSE);
  check_why_not (constant, sweep, NS_WHY_NOT_RUN);
}

/* Constant data have an interval of width 0. */
static void
test_flat (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsSweep) sweep = make_sweep (experiment, "1..128", NS_LAW_CONSTANT, NS_LAW_CONSTANT, 0, 0);
  g_autoptr (NsClaim) constant = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_CONSTANT, 0);
  g_autoptr (NsClaim) ln = make_claim (NS_CHECK_EXPONENT, "post", NS_LAW_LN, 0);

  g_assert_cmpint (evaluate_sweep (constant, sweep).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (ln, sweep).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
}

/* ---- by block ---- */

/* Set the quantity in one part to f(block), with a relative error for each seed. */
static void
add_part (NsResult *result, guint variant, NsQuantity quantity, NsPart part, double (*f) (double), double noise)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (gint64 l = 1; l <= experiment->shape.depth; l++)
    for (guint s = 0; s < (guint) experiment->sampling.seeds; s++)
      {
        double value = f ((double) l) * (1 + noise * normal (random));

        ns_result_set (result, variant, quantity, ns_experiment_get_site (experiment, part, l), s, value,
                       log10 (fabs (value)));
      }
}

static NsResult *
make_part_result (const NsExperiment *experiment, guint variant, NsQuantity quantity, NsPart part, double (*f) (double),
                  double noise)
{
  NsResult *result = ns_result_new_of (experiment, 0, (guint) experiment->sampling.seeds, NULL);

  add_part (result, variant, quantity, part, f, noise);
  return result;
}

static NsResult *
make_result (const NsExperiment *experiment, guint variant, NsQuantity quantity, double (*f) (double), double noise)
{
  return make_part_result (experiment, variant, quantity, NS_PART_STACK, f, noise);
}

static NsClaimResult
evaluate_result (const NsClaim *claim, const NsResult *from)
{
  NsEvidence evidence = { .result = from };
  NsClaimResult result;

  ns_claim_evaluate (claim, ns_result_get_experiment (from), &evidence, &result);
  return result;
}

static double
inverse_root (double l)
{
  return 3 / sqrt (l);
}

static double
level (double l)
{
  return 0.3;
}

static void
test_profile (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsResult) falling = make_result (experiment, PRE, NS_Q_BLOCK, inverse_root, 0.01);
  g_autoptr (NsResult) even = make_result (experiment, PRE, NS_Q_BLOCK, level, 0.01);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_PROFILE, "pre", NS_LAW_INV_SQRT, 0);

  claim->metric.quantity = NS_Q_BLOCK;
  g_assert_cmpint (evaluate_result (claim, falling).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_result (claim, even).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  /* over another variant */
  claim->over = g_strdup ("post");
  add_part (falling, POST, NS_Q_BLOCK, NS_PART_STACK, level, 0.01);
  add_part (even, POST, NS_Q_BLOCK, NS_PART_STACK, inverse_root, 0.01);
  g_assert_cmpint (evaluate_result (claim, falling).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_result (claim, even).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  claim->law = NS_LAW_SQRT;
  g_assert_cmpint (evaluate_result (claim, even).verdict, ==, NS_VERDICT_CONSISTENT);
}

static double
within (double l)
{
  return sqrt (1 + l);
}

/* A curve inside the band up to block 10, then above its upper bound 1 + 3l/2. */
static double
above (double l)
{
  return sqrt (l <= 10 ? 1 + l : 1 + 1.7 * l);
}

/* A curve inside the band, but closer to the bound than the spread of the seeds. */
static double
edge (double l)
{
  return sqrt (1 + 1.45 * l);
}

static void
test_band (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsExperiment) alone = make_experiment (1);
  g_autoptr (NsResult) good = make_result (experiment, PRE, NS_Q_RMS_X, within, 0.01);
  g_autoptr (NsResult) bad = make_result (experiment, PRE, NS_Q_RMS_X, above, 0.01);
  g_autoptr (NsResult) wide = make_result (experiment, PRE, NS_Q_RMS_X, edge, 0.05);
  g_autoptr (NsResult) one_seed = make_result (alone, PRE, NS_Q_RMS_X, within, 0.01);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_BAND, "pre", NS_N_LAWS, 0);
  NsClaimResult result;

  claim->metric.quantity = NS_Q_RMS_X;
  claim->tolerance = 0.02;
  claim->lower[0] = claim->upper[0] = 1;
  claim->lower[1] = 0.5;
  claim->upper[1] = 1.5;
  g_assert_cmpint (evaluate_result (claim, good).verdict, ==, NS_VERDICT_CONSISTENT);
  result = evaluate_result (claim, bad);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (result.at, >, 10);
  g_assert_cmpfloat (result.measured, >, result.high);
  g_assert_cmpint (evaluate_result (claim, wide).why_not, ==, NS_WHY_NOT_WIDE);
  g_assert_cmpint (evaluate_result (claim, one_seed).why_not, ==, NS_WHY_NOT_SEEDS);

  ns_result_set (bad, PRE, NS_Q_RMS_X, 5, 0, NAN, NAN);
  g_assert_cmpint (evaluate_result (claim, bad).why_not, ==, NS_WHY_NOT_FINITE);
}

static void
test_mean_field (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_MEAN_FIELD, "pre", NS_N_LAWS, 0);
  NsClaimResult measured;
  double rms_x[33];

  claim->metric.quantity = NS_Q_RMS_X;
  result = make_result (experiment, PRE, NS_Q_RMS_X, within, 0.01);
  ns_mean_field_predict (experiment, PRE, NS_Q_RMS_X, rms_x, NULL);
  for (guint l = 1; l <= 32; l++)
    for (guint s = 0; s < SEEDS; s++)
      ns_result_set (result, PRE, NS_Q_RMS_X, l, s, rms_x[l] * (1 + 0.001 * s), 0);
  measured = evaluate_result (claim, result);
  g_assert_cmpint (measured.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (measured.expected, ==, rms_x[(int) measured.at] * rms_x[(int) measured.at]);
  for (guint s = 0; s < SEEDS; s++)
    ns_result_set (result, PRE, NS_Q_RMS_X, 17, s, rms_x[17] * 1.2, 0);
  g_assert_cmpint (evaluate_result (claim, result).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (evaluate_result (claim, result).at, ==, 17);
}

static double
halving (double l)
{
  return 1 - pow (0.5, l);
}

static double
slower (double l)
{
  return 1 - pow (0.7, l);
}

static void
test_halving (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsResult) half = make_result (experiment, POST, NS_Q_TOKEN_COS, halving, 1e-6);
  g_autoptr (NsResult) more = make_result (experiment, POST, NS_Q_TOKEN_COS, slower, 1e-6);
  g_autoptr (NsResult) never = make_result (experiment, POST, NS_Q_TOKEN_COS, level, 1e-6);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_HALVING, "post", NS_N_LAWS, 0.5);
  NsClaimResult result;

  claim->metric.quantity = NS_Q_TOKEN_COS;
  claim->tolerance = 0.05;
  result = evaluate_result (claim, half);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (fabs (result.measured - 0.5), <, 0.01);
  result = evaluate_result (claim, more);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (fabs (result.measured - 0.7), <, 0.01);
  g_assert_cmpint (evaluate_result (claim, never).why_not, ==, NS_WHY_NOT_POINTS);
  ns_result_set (half, POST, NS_Q_TOKEN_COS, 5, 0, NAN, NAN);
  g_assert_cmpint (evaluate_result (claim, half).why_not, ==, NS_WHY_NOT_FINITE);
}

/* ---- by a factor, within bounds, as identities ---- */

static double
shrinking (double l)
{
  return pow (0.8, 32 - l); /* toward the input */
}

static void
test_geometric (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsExperiment) shallow = make_experiment (SEEDS);
  g_autoptr (NsResult) falling = make_result (experiment, POST, NS_Q_W_2, shrinking, 0.01);
  g_autoptr (NsResult) even = make_result (experiment, POST, NS_Q_W_2, level, 0.01);
  g_autoptr (NsResult) few = NULL;
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_GEOMETRIC, "post", NS_N_LAWS, 0.8);
  NsClaimResult result;

  shallow->shape.depth = 3;
  few = make_result (shallow, POST, NS_Q_W_2, shrinking, 0.01);
  result = evaluate_result (claim, falling);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (fabs (result.measured - 0.8), <, 0.001);
  /* The tolerance is a share of the change over all blocks: 1.1 over 31 steps. */
  g_assert_cmpfloat (fabs (pow (result.high / 0.8, 31) - 1.1), <, 1e-9);
  g_assert_cmpfloat (fabs (pow (result.low / 0.8, 31) - 1 / 1.1), <, 1e-9);
  result = evaluate_result (claim, even);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (fabs (result.measured - 1), <, 0.001);
  claim->expected = 1;
  g_assert_cmpint (evaluate_result (claim, even).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_result (claim, falling).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  claim->at_most = TRUE;
  g_assert_cmpint (evaluate_result (claim, falling).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_result (claim, few).why_not, ==, NS_WHY_NOT_POINTS);
  ns_result_set (even, POST, NS_Q_W_2, 5, 0, 0, -INFINITY);
  g_assert_cmpint (evaluate_result (claim, even).why_not, ==, NS_WHY_NOT_FINITE);
}

/* The square of a norm at every depth. */
static void
test_bounds_of_a_sweep (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsExperiment) alone = make_experiment (1);
  g_autoptr (NsSweep) root = make_sweep (experiment, "2..128", NS_LAW_SQRT, NS_LAW_CONSTANT, 0, 0.001);
  g_autoptr (NsSweep) one_seed = make_sweep (alone, "2..128", NS_LAW_SQRT, NS_LAW_CONSTANT, 0, 0.001);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_BOUNDS, "pre", NS_N_LAWS, 0);
  NsClaimResult result;

  claim->upper[1] = 1.1; /* √L squared lies between 0 and 1.1·L */
  claim->tolerance = 0;
  g_assert_cmpint (evaluate_sweep (claim, root).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_sweep (claim, one_seed).why_not, ==, NS_WHY_NOT_SEEDS);
  g_assert_cmpint (evaluate_sweep (claim, NULL).why_not, ==, NS_WHY_NOT_RUN);
  claim->upper[0] = 20;
  claim->upper[1] = 0;
  result = evaluate_sweep (claim, root);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (result.at, ==, 128);
  g_assert_cmpfloat (result.high, ==, 20);
  g_assert_cmpfloat (fabs (result.measured - 128), <, 2);
  set_point (root, PRE, 3, 2, NAN);
  g_assert_cmpint (evaluate_sweep (claim, root).why_not, ==, NS_WHY_NOT_FINITE);
}

static void
test_identity (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsResult) same = make_result (experiment, PRE, NS_Q_RMS_X, within, 0);
  g_autoptr (NsResult) cosines = make_result (experiment, PRE, NS_Q_TOKEN_COS, level, 0.01);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_IDENTITY, "pre", NS_N_LAWS, 0);
  NsClaimResult result;

  claim->metric.quantity = NS_Q_RMS_X;
  claim->tolerance = 1e-6;
  claim->over = g_strdup ("post");
  add_part (same, POST, NS_Q_RMS_X, NS_PART_STACK, within, 0);
  result = evaluate_result (claim, same);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpfloat (result.measured, ==, 1);
  for (guint s = 0; s < SEEDS; s++)
    ns_result_set (same, POST, NS_Q_RMS_X, 17, s, sqrt (18) * 1.001, log10 (sqrt (18) * 1.001));
  result = evaluate_result (claim, same);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpfloat (result.at, ==, 17);
  /* Two zeros are the same. */
  for (guint s = 0; s < SEEDS; s++)
    {
      ns_result_set (same, PRE, NS_Q_RMS_X, 17, s, 0, -INFINITY);
      ns_result_set (same, POST, NS_Q_RMS_X, 17, s, 0, -INFINITY);
    }
  g_assert_cmpint (evaluate_result (claim, same).verdict, ==, NS_VERDICT_CONSISTENT);
  ns_result_set (same, POST, NS_Q_RMS_X, 3, 0, NAN, NAN);
  g_assert_cmpint (evaluate_result (claim, same).why_not, ==, NS_WHY_NOT_FINITE);

  /* Cosines are compared by difference; without another variant, with the input. */
  g_clear_pointer (&claim->over, g_free);
  claim->metric.quantity = NS_Q_TOKEN_COS;
  g_assert_cmpint (evaluate_result (claim, cosines).why_not, ==, NS_WHY_NOT_FINITE);
  for (guint s = 0; s < SEEDS; s++)
    ns_result_set (cosines, PRE, NS_Q_TOKEN_COS, 0, s, 0.3, 0);
  g_assert_cmpint (evaluate_result (claim, cosines).verdict, !=, NS_VERDICT_CONSISTENT);
  claim->tolerance = 0.1;
  g_assert_cmpint (evaluate_result (claim, cosines).verdict, ==, NS_VERDICT_CONSISTENT);
}

/* With several variants of one wiring, a claim uses the one that meets most of its assumptions. */
static void
test_find_variant (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_EXPONENT, "gpt2-init", NS_LAW_CONSTANT, 0);
  NsVariant *scaled = ns_variant_from_text ("pre:init.residual=gpt2", NULL);

  g_ptr_array_add (claim->assumptions, ns_assumption_new ("init.residual", "gpt2", NULL));
  g_assert_cmpuint (ns_claim_find_variant (claim, experiment, claim->variant), ==, PRE);
  g_ptr_array_add (experiment->variants, scaled);
  g_assert_cmpuint (ns_claim_find_variant (claim, experiment, claim->variant), ==, 2);
  g_assert_cmpuint (ns_claim_find_variant (claim, experiment, "deepnorm"), ==, NS_MAX_VARIANTS);
}

/* In an encoder-decoder a claim uses the part of its metric, by default the decoder. Here the encoder meets each claim
 * and the decoder does not. */
static void
test_parts (void)
{
  static const struct
  {
    NsCheckKind kind;
    NsQuantity quantity;
    double (*encoder) (double), (*decoder) (double);
  } cases[] = {
    { NS_CHECK_BAND, NS_Q_RMS_X, within, above },
    { NS_CHECK_PROFILE, NS_Q_BLOCK, inverse_root, level },
    { NS_CHECK_HALVING, NS_Q_TOKEN_COS, halving, slower },
  };
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsResult) result
        = make_part_result (experiment, PRE, cases[i].quantity, NS_PART_ENCODER, cases[i].encoder, 1e-6);
      g_autoptr (NsClaim) claim = make_claim (cases[i].kind, "pre", NS_LAW_INV_SQRT, 0.5);

      add_part (result, PRE, cases[i].quantity, NS_PART_DECODER, cases[i].decoder, 1e-6);
      claim->metric.quantity = cases[i].quantity;
      claim->tolerance = 0.02;
      claim->lower[0] = claim->upper[0] = 1;
      claim->lower[1] = 0.5;
      claim->upper[1] = 1.5;
      g_assert_cmpint (evaluate_result (claim, result).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
      claim->metric.part = NS_PART_DECODER;
      g_assert_cmpint (evaluate_result (claim, result).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
      claim->metric.part = NS_PART_ENCODER;
      g_assert_cmpint (evaluate_result (claim, result).verdict, ==, NS_VERDICT_CONSISTENT);
    }
}

/* A quantity that only the decoder has is measured there. */
static void
test_cross (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_PROFILE, "pre", NS_LAW_INV_SQRT, 0);

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  result = make_part_result (experiment, PRE, NS_Q_RMS_CROSS, NS_PART_DECODER, inverse_root, 0.01);
  claim->metric.quantity = NS_Q_RMS_CROSS;
  g_assert_cmpint (evaluate_result (claim, result).verdict, ==, NS_VERDICT_CONSISTENT);
  claim->metric.part = NS_PART_ENCODER;
  g_assert_cmpint (evaluate_result (claim, result).why_not, ==, NS_WHY_NOT_QUANTITY);
}

/* ---- assumptions, wiring, needs ---- */

static void
check_assumption (const NsExperiment *experiment, const char *path, const char *text, gboolean holds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsAssumption) assumption = ns_assumption_new (path, text, &error);

  g_assert_no_error (error);
  g_assert_cmpint (ns_assumption_holds (assumption, experiment, POST), ==, holds);
}

static void
test_assumptions (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);

  check_assumption (experiment, "shape.heads", "4", TRUE);
  check_assumption (experiment, "shape.heads", "1", FALSE);
  check_assumption (experiment, "shape.heads", "2..8", TRUE);
  check_assumption (experiment, "norm_eps", "0..1e-5", TRUE);
  check_assumption (experiment, "norm_eps", "0..1e-6", FALSE);
  check_assumption (experiment, "attention", "full|causal", TRUE);
  check_assumption (experiment, "attention", "uniform", FALSE);
  check_assumption (experiment, "attn.norm", "post", TRUE);
  check_assumption (experiment, "init.residual", "none|1", TRUE);
  check_assumption (experiment, "residual_scale", "deepnorm", FALSE);
  check_assumption (experiment, "shape.d_ff", "shape.d_model", FALSE);
  experiment->shape.d_ff = experiment->shape.d_model;
  check_assumption (experiment, "shape.d_ff", "shape.d_model", TRUE);
}

static void
test_bad_assumptions (void)
{
  static const char *const bad[][3] = {
    { "shape.hads", "1", "shape.hads" },      { "attention", "unifrom", "unifrom" },
    { "attention", "full|unifrom", "unifrom" }, { "shape.heads", "0", "from 1" },
    { "shape.d_ff", "attention", "attention" }, { "shape.d_ff", "shape.d_ff", "shape.d_ff" },
    { "norm_eps", "1..0", "1..0" },             { "attention", "", "attention" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (NsAssumption) assumption = ns_assumption_new (bad[i][0], bad[i][1], &error);

      g_assert_null (assumption);
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, bad[i][2]));
    }
}

/* The result lists each assumption that either of the two variants does not meet. */
static void
test_missed (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (NsSweep) sweep = NULL;
  g_autoptr (NsClaim) claim = make_claim (NS_CHECK_RATIO, "post", NS_LAW_SQRT, 0);

  g_ptr_array_add (claim->assumptions, ns_assumption_new ("shape.heads", "4", NULL));
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("shape.batch", "77", NULL));
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("activation", "relu", NULL));
  ns_experiment_variant (experiment, PRE)->activation = NS_ACT_GELU;
  sweep = make_sweep (experiment, "2..128", NS_LAW_INV_SQRT, NS_LAW_CONSTANT, 0, 0.01);
  g_assert_cmpuint (evaluate_sweep (claim, sweep).missed, ==, 6);
}

static void
test_needs (void)
{
  g_autoptr (GPtrArray) claims = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_claim_free);
  g_autoptr (NsExperiment) experiment = make_experiment (SEEDS);
  g_autoptr (GArray) needs = NULL;
  NsClaim *width = make_claim (NS_CHECK_EXPONENT, "pre", NS_LAW_LINEAR, 0);
  NsClaim *encoder = make_claim (NS_CHECK_EXPONENT, "pre", NS_LAW_LN, 0);
  NsClaim *band = make_claim (NS_CHECK_BAND, "pre", NS_N_LAWS, 0);
  NsClaim *halving = make_claim (NS_CHECK_HALVING, "post", NS_N_LAWS, 0.5);

  halving->metric.quantity = NS_Q_TOKEN_COS;
  encoder->metric.part = NS_PART_ENCODER;
  width->axis = NS_SWEEP_D_MODEL;
  g_ptr_array_add (claims, make_claim (NS_CHECK_EXPONENT, "pre", NS_LAW_LN, 0));
  g_ptr_array_add (claims, make_claim (NS_CHECK_RATIO, "post", NS_LAW_SQRT, 0));
  g_ptr_array_add (claims, band);
  g_ptr_array_add (claims, halving);
  g_ptr_array_add (claims, width);
  g_ptr_array_add (claims, encoder);
  g_ptr_array_add (claims, make_claim (NS_CHECK_EXPONENT, "deepnorm", NS_LAW_LN, 0)); /* none is wired like that */
  needs = ns_claims_list_needs (claims, experiment);
  g_assert_cmpuint (needs->len, ==, 4);
  g_assert_true (g_array_index (needs, NsClaimNeed, 0).is_sweep);
  g_assert_false (g_array_index (needs, NsClaimNeed, 1).is_sweep);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    g_assert_cmpint (ns_quantity_set_has (&g_array_index (needs, NsClaimNeed, 1).quantities, q), ==,
                     q == band->metric.quantity || q == NS_Q_TOKEN_COS);
  g_assert_cmpint (g_array_index (needs, NsClaimNeed, 2).axis, ==, NS_SWEEP_D_MODEL);
  g_assert_cmpint (g_array_index (needs, NsClaimNeed, 3).metric.part, ==, NS_PART_ENCODER);
}

static void
test_names (void)
{
  for (int kind = 0; kind < NS_N_CHECKS; kind++)
    {
      NsCheckKind back;

      g_assert_true (ns_check_kind_from_name (ns_check_kind_get_name ((NsCheckKind) kind), &back));
      g_assert_cmpint (back, ==, kind);
    }
  for (int law = 0; law < NS_N_LAWS; law++)
    {
      NsLaw back;

      g_assert_true (ns_law_from_name (ns_law_get_name ((NsLaw) law), &back));
      g_assert_cmpint (back, ==, law);
    }
  g_assert_false (ns_law_from_name ("log", &(NsLaw){ 0 }));
}

void
add_claim_tests (void)
{
  g_test_add_func ("/claim/planted-laws", test_planted_laws);
  g_test_add_func ("/claim/free-laws", test_free_laws);
  g_test_add_func ("/claim/misfit", test_misfit);
  g_test_add_func ("/claim/local-exponent", test_local_exponent);
  g_test_add_func ("/claim/bounds", test_bounds);
  g_test_add_func ("/claim/ratio", test_ratio);
  g_test_add_func ("/claim/cannot-tell", test_cannot_tell);
  g_test_add_func ("/claim/flat", test_flat);
  g_test_add_func ("/claim/profile", test_profile);
  g_test_add_func ("/claim/band", test_band);
  g_test_add_func ("/claim/mean-field", test_mean_field);
  g_test_add_func ("/claim/halving", test_halving);
  g_test_add_func ("/claim/geometric", test_geometric);
  g_test_add_func ("/claim/bounds-of-a-sweep", test_bounds_of_a_sweep);
  g_test_add_func ("/claim/identity", test_identity);
  g_test_add_func ("/claim/find-variant", test_find_variant);
  g_test_add_func ("/claim/parts", test_parts);
  g_test_add_func ("/claim/cross", test_cross);
  g_test_add_func ("/claim/assumptions", test_assumptions);
  g_test_add_func ("/claim/bad-assumptions", test_bad_assumptions);
  g_test_add_func ("/claim/missed", test_missed);
  g_test_add_func ("/claim/needs", test_needs);
  g_test_add_func ("/claim/names", test_names);
}
