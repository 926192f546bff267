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

static NsExperiment *
make_experiment (const char *variants)
{
  NsShape shape = { .depth = 2, .d_model = 32, .heads = 2, .d_ff = 64, .seq_len = 8, .batch = 4, .vocab = 19 };
  NsExperiment *e = check_experiment (shape, variants);

  e->data.source = NS_SOURCE_TOKENS;
  e->data.positions = NS_POSITIONS_LEARNED;
  e->sampling.seeds = SEEDS;
  e->training.optimizer = NS_OPTIMIZER_ADAM;
  e->training.learning_rate = 0.01;
  return e;
}

/* Two variants that differ in their scaling with the width. */
#define TWO "pre:attention=causal pre:attention=causal,init.mup_base=16"

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

/* Return what becomes of a size of a variant. */
static NsCoordinate
judge_one (const NsCoordinateCheck *check, guint variant, guint step, NsQuantity quantity, gint64 site)
{
  guint n, worst;
  g_autofree NsCoordinate *all = ns_coordinate_check_judge (check, variant, step, &n, &worst);

  for (guint i = 0; i < n; i++)
    if (all[i].quantity == quantity && all[i].site == site)
      return all[i];
  g_assert_not_reached ();
}

/* The standard scaling grows once it is trained, and μP stays flat: also where the last norm fixes the size of x_L. */
static void
test_verdicts (void)
{
  g_autoptr (NsExperiment) e
      = make_experiment (TWO " post:attention=causal post:attention=causal,init.mup_base=16 deepnorm:attention=causal "
                             "deepnorm:attention=causal,init.mup_base=16 keel:attention=causal "
                             "keel:attention=causal,init.mup_base=16");
  g_autoptr (NsCoordinateCheck) check = run (e);

  for (guint v = 0; v < e->variants->len; v++)
    {
      NsCoordinate worst = ns_coordinate_check_get_worst (check, v, STEPS);

      g_test_message ("%u: %s at %d, %.3f ± %.3f", v, ns_quantity_info (worst.quantity)->name, (int) worst.site,
                      worst.exponent.p, worst.exponent.error);
      g_assert_cmpint (worst.verdict, ==, v % 2 == 0 ? NS_COORDINATES_GROW : NS_COORDINATES_FLAT);
      g_assert_cmpuint (worst.exponent.n_seeds, ==, SEEDS);
      if (v % 2 == 0)
        {
          NsCoordinate ffn = judge_one (check, v, STEPS, NS_Q_RMS_FFN, 2);

          g_assert_cmpint (ffn.verdict, ==, NS_COORDINATES_GROW);
          g_assert_cmpfloat (ffn.exponent.p, >, 0.3);
          /* not before the first step */
          ffn = judge_one (check, v, 0, NS_Q_RMS_FFN, 2);
          g_assert_cmpfloat (fabs (ffn.exponent.p), <, 0.1);
        }
    }
}

/* Every size is there once, the worst of them is the variant's, and scores that fall are no fault. */
static void
test_sizes (void)
{
  g_autoptr (NsExperiment) e = make_experiment ("pre:attention=causal,init.mup_base=16 pre:attention=uniform");
  g_autoptr (NsCoordinateCheck) check = run (e);
  NsCoordinate scores = judge_one (check, 0, STEPS, NS_Q_RMS_SCORES, 1);
  NsCoordinate logits = judge_one (check, 0, STEPS, NS_Q_RMS_LOGITS, 3);
  guint n, worst;
  g_autofree NsCoordinate *all = ns_coordinate_check_judge (check, 0, STEPS, &n, &worst);

  g_assert_cmpuint (n, ==, 2 * 5 + 1); /* two branches, two sums and the scores of each block, the logits */
  g_test_message ("scores %.3f ± %.3f, logits %.3f ± %.3f", scores.exponent.p, scores.exponent.error,
                  logits.exponent.p, logits.exponent.error);
  g_assert_cmpfloat (scores.exponent.p, <, -0.3);
  g_assert_cmpint (scores.verdict, ==, NS_COORDINATES_FLAT);
  /* uniform scores are 0 */
  scores = judge_one (check, 1, STEPS, NS_Q_RMS_SCORES, 1);
  g_assert_cmpint (scores.verdict, ==, NS_COORDINATES_FLAT);
  g_assert_true (isnan (scores.exponent.p));
}

/* The numbers are those of a training at that width. */
static void
test_values (void)
{
  g_autoptr (NsExperiment) e = make_experiment (TWO);
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
        guint n_sizes, worst;
        g_autofree NsCoordinate *sizes = ns_coordinate_check_judge (check, v, STEPS, &n_sizes, &worst);

        for (guint i = 0; i < n_sizes; i++)
          {
            NsStat ours, theirs;

            g_assert_true (ns_coordinate_check_get_stat (check, v, &sizes[i], 2, t, &ours));
            g_assert_true (ns_training_get_stat (training, v, sizes[i].quantity, t, sizes[i].site, &theirs));
            g_assert_cmpfloat (ours.mean, ==, theirs.mean);
            g_assert_cmpuint (ours.n, ==, SEEDS);
          }
      }
}

/* A cancelled check goes on; a diverged one is named. */
static void
test_unfinished (void)
{
  g_autoptr (NsExperiment) e = make_experiment (TWO);
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsCoordinateCheck) check = ns_coordinate_check_new (e, widths, G_N_ELEMENTS (widths), STEPS, NULL);
  g_autoptr (NsCoordinateCheck) diverged = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  NsCoordinate size = { .quantity = NS_Q_RMS_FFN, .site = 2 }, worst;
  NsStat stat;

  ns_progress_cancel (progress);
  g_assert_false (ns_engine_check_coordinates (engine, check, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_assert_false (ns_coordinate_check_get_stat (check, 0, &size, 2, STEPS, &stat));
  worst = ns_coordinate_check_get_worst (check, 0, STEPS);
  g_assert_cmpint (worst.verdict, ==, NS_COORDINATES_UNKNOWN);
  g_assert_true (isnan (worst.exponent.p));
  g_assert_true (ns_engine_check_coordinates (engine, check, NULL, NULL));
  g_assert_true (ns_coordinate_check_get_stat (check, 0, &size, 2, STEPS, &stat));

  e->training.optimizer = NS_OPTIMIZER_SGD;
  e->training.learning_rate = 1e6;
  ns_experiment_variant (e, 0)->attn.norm = ns_experiment_variant (e, 0)->ffn.norm = NS_PLACE_NONE;
  diverged = run (e);
  worst = ns_coordinate_check_get_worst (diverged, 0, STEPS);
  g_assert_cmpint (worst.verdict, ==, NS_COORDINATES_DIVERGED);
}

static void
test_refused (void)
{
  static const gint64 zero[] = { 0 };
  g_autoptr (NsExperiment) e = make_experiment (TWO);
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
  g_test_add_func ("/coordinate-check/sizes", test_sizes);
  g_test_add_func ("/coordinate-check/values", test_values);
  g_test_add_func ("/coordinate-check/unfinished", test_unfinished);
  g_test_add_func ("/coordinate-check/refused", test_refused);
}
