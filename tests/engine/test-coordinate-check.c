/* Test coordinate checks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "engine/analysis/ns-coordinate-check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training.h"
#include "tests.h"

#define STEPS 4
#define SEEDS 8
static const gint64 widths[] = { 16, 32, 64, 128 };

/* Two variants that differ in their scaling with the width. */
static NsExperiment *
make_experiment (void)
{
  NsShape shape = { .depth = 2, .d_model = 32, .heads = 2, .d_ff = 64, .seq_len = 8, .batch = 4, .vocab = 19 };
  NsExperiment *e = check_experiment (shape, "pre:attention=causal pre:attention=causal,init.mup_base=16");

  e->data.source = NS_SOURCE_TOKENS;
  e->data.positions = NS_POSITIONS_LEARNED;
  e->sampling.seeds = SEEDS;
  e->training.optimizer = NS_OPTIMIZER_ADAM;
  e->training.learning_rate = 0.01;
  return e;
}

static NsCoordinateCheck *
run (const NsExperiment *e)
{
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (GError) error = NULL;
  NsCoordinateCheck *check = ns_coordinate_check_new (e, widths, G_N_ELEMENTS (widths), STEPS, &error);

  g_assert_no_error (error);
  ns_engine_check_coordinates (engine, check, NULL, &error);
  g_assert_no_error (error);
  return check;
}

/* The standard scaling grows once it is trained, and μP stays flat. */
static void
test_verdicts (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsCoordinateCheck) check = run (e);
  NsExponent standard, mup;
  NsCoordinates verdict = ns_coordinate_check_judge (check, 0, STEPS, &standard);

  ns_coordinate_check_judge (check, 1, STEPS, &mup);
  g_test_message ("exponents %.3f ± %.3f, with μP %.3f ± %.3f", standard.p, standard.error, mup.p, mup.error);
  g_assert_cmpint (verdict, ==, NS_COORDINATES_GROW);
  g_assert_cmpuint (standard.n_seeds, ==, SEEDS);
  g_assert_cmpfloat (standard.p, >, 0.3);
  g_assert_cmpfloat (fabs (mup.p), <, 0.1);
  /* before the first step both are flat */
  ns_coordinate_check_judge (check, 0, 0, &standard);
  ns_coordinate_check_judge (check, 1, 0, &mup);
  g_assert_cmpfloat (fabs (standard.p), <, 0.1);
  g_assert_cmpfloat (fabs (mup.p), <, 0.1);
}

/* The numbers are those of a training at that width. */
static void
test_values (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsCoordinateCheck) check = run (e);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsTraining) training = NULL;
  NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;
  guint n;

  e->shape.d_model = 64;
  e->shape.d_ff = 128;
  e->training.steps = STEPS + 1;
  training = ns_training_new (e, &plan, 0, SEEDS, NULL);
  g_assert_true (ns_engine_train (engine, training, NULL, NULL));
  ns_training_get_records (training, &n);
  g_assert_cmpuint (n, ==, STEPS + 1);
  for (guint v = 0; v < 2; v++)
    for (guint t = 0; t <= STEPS; t++)
      {
        NsStat ours, theirs;

        g_assert_true (ns_coordinate_check_get_stat (check, v, 2, t, &ours));
        g_assert_true (ns_training_get_stat (training, v, NS_Q_ABS_X, t, 2, &theirs));
        g_assert_cmpfloat (ours.mean, ==, theirs.mean);
        g_assert_cmpuint (ours.n, ==, SEEDS);
      }
}

/* A cancelled check goes on; a diverged one is named. */
static void
test_unfinished (void)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsCoordinateCheck) check = ns_coordinate_check_new (e, widths, G_N_ELEMENTS (widths), STEPS, NULL);
  g_autoptr (NsCoordinateCheck) diverged = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  NsExponent exponent;
  NsStat stat;

  ns_progress_cancel (progress);
  g_assert_false (ns_engine_check_coordinates (engine, check, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_assert_false (ns_coordinate_check_get_stat (check, 0, 2, STEPS, &stat));
  g_assert_cmpint (ns_coordinate_check_judge (check, 0, STEPS, &exponent), ==, NS_COORDINATES_UNKNOWN);
  g_assert_true (isnan (exponent.p));
  g_assert_true (ns_engine_check_coordinates (engine, check, NULL, NULL));
  g_assert_true (ns_coordinate_check_get_stat (check, 0, 2, STEPS, &stat));

  e->training.optimizer = NS_OPTIMIZER_SGD;
  e->training.learning_rate = 1e6;
  ns_experiment_variant (e, 0)->attn.norm = ns_experiment_variant (e, 0)->ffn.norm = NS_PLACE_NONE;
  diverged = run (e);
  g_assert_cmpint (ns_coordinate_check_judge (diverged, 0, STEPS, &exponent), ==, NS_COORDINATES_DIVERGED);
}

static void
test_refused (void)
{
  static const gint64 zero[] = { 0 };
  g_autoptr (NsExperiment) e = make_experiment ();
  g_autoptr (GError) error = NULL, no_tokens = NULL;

  g_assert_null (ns_coordinate_check_new (e, zero, 1, STEPS, &error));
  g_assert_nonnull (strstr (error->message, "0 is not allowed as a width"));
  e->data.source = NS_SOURCE_GAUSSIAN;
  g_assert_null (ns_coordinate_check_new (e, widths, G_N_ELEMENTS (widths), STEPS, &no_tokens));
  g_assert_nonnull (strstr (no_tokens->message, "data.source"));
}

void
add_coordinate_check_tests (void)
{
  g_test_add_func ("/coordinate-check/verdicts", test_verdicts);
  g_test_add_func ("/coordinate-check/values", test_values);
  g_test_add_func ("/coordinate-check/unfinished", test_unfinished);
  g_test_add_func ("/coordinate-check/refused", test_refused);
}
