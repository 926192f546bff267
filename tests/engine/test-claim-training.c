/* Claims that train: their verdicts on tiny trainings, and when they are checked at all.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "claims.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-loss.h"
#include "tests.h"

#include <math.h>

#define STEPS 6

static NsExperiment *
make_experiment (double learning_rate)
{
  NsExperiment *experiment = claims_make_experiment (STEPS);

  experiment->training.learning_rate = learning_rate;
  return experiment;
}

static NsClaimResult
evaluate (const NsClaim *claim, const NsExperiment *experiment, const NsTraining *training)
{
  NsEvidence evidence = { .training = training };
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &evidence, &result);
  return result;
}

static NsClaimResult
evaluate_ends (const char *variant, double least, double most, const NsTraining *training)
{
  g_autoptr (NsClaim) claim = claims_make (NS_CHECK_LOSS, variant, least, most);

  return evaluate (claim, ns_training_get_experiment (training), training);
}

static NsTraining *
train (NsExperiment *experiment, gint64 n_steps)
{
  g_autoptr (GError) error = NULL;
  NsEngine *engine = ns_engine_new (1, 0);
  NsTraining *training = ns_claim_training_new (experiment, &error);

  g_assert_no_error (error);
  ns_engine_train_until (engine, training, G_MAXUINT, n_steps, NULL, &error);
  g_assert_no_error (error);
  ns_engine_free (engine);
  return training;
}

/* Compute what is to be measured from the losses themselves. */
static void
get_expected (const NsTraining *training, guint variant, double *mean, double *error)
{
  double ratios[SEEDS], sum = 0, squares = 0;

  for (guint s = 0; s < SEEDS; s++)
    {
      g_assert_true (ns_training_get_loss (training, variant, s, STEPS - 1, &ratios[s])); /* a window of one step */
      ratios[s] /= ns_training_get_symbol_entropy (training);
      sum += ratios[s];
    }
  *mean = sum / SEEDS;
  for (guint s = 0; s < SEEDS; s++)
    squares += (ratios[s] - *mean) * (ratios[s] - *mean);
  *error = 2.776445 * sqrt (squares / (SEEDS - 1) / SEEDS); /* Student, 4 degrees of freedom */
}

static void
test_verdicts (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (0.001);
  g_autoptr (NsTraining) training = train (experiment, STEPS);
  double mean, error;
  guint post;
  NsClaimResult result = evaluate_ends ("post", 0.01, 100, training);

  post = result.variant;
  g_assert_cmpuint (post, <, NS_MAX_VARIANTS);
  get_expected (training, post, &mean, &error);
  g_assert_cmpfloat (fabs (result.measured - mean), <, 1e-9);
  g_assert_cmpfloat (fabs (result.error - error), <, 1e-5);
  g_assert_cmpuint (result.n_seeds, ==, SEEDS);
  g_assert_cmpuint (result.n_diverged, ==, 0);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_ends ("post", mean - 2 * error, 0, training).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_ends ("post", mean + 2 * error, 0, training).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_cmpint (evaluate_ends ("post", 0, mean + 2 * error, training).verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (evaluate_ends ("post", 0, mean - 2 * error, training).verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  result = evaluate_ends ("post", 0, mean, training);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CANNOT_TELL);
  g_assert_cmpint (result.why_not, ==, NS_WHY_NOT_WIDE);
  g_assert_cmpint (evaluate_ends ("deepnorm", 0, 1, training).why_not, ==, NS_WHY_NOT_VARIANT);
}

/* An infinite loss is at least anything and at most nothing. */
static void
test_diverged (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (1e6);
  g_autoptr (NsTraining) training = NULL;
  NsClaimResult result;

  experiment->training.optimizer = NS_OPTIMIZER_ADAMW;
  experiment->training.weight_decay = 1;
  training = train (experiment, STEPS);
  result = evaluate_ends ("post", 0.95, 0, training);
  g_assert_cmpuint (result.n_diverged, ==, SEEDS);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  g_assert_cmpint (result.why_not, ==, NS_WHY_NOT_NONE);
  result = evaluate_ends ("post", 0, 100, training);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
  g_assert_true (isnan (result.measured));
}

/* Nothing is trained outside the assumptions or with few seeds, and an unfinished training judges nothing. */
static void
test_obstacles (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (0.001);
  g_autoptr (NsTraining) half = train (experiment, STEPS / 2);
  g_autoptr (GPtrArray) claims = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_claim_free);
  g_autoptr (GArray) needs = NULL;
  const NsClaim *claim;

  g_ptr_array_add (claims, claims_make (NS_CHECK_LOSS, "pre", 0, 0.9));
  g_ptr_array_add (claims, claims_make (NS_CHECK_LOSS, "post", 0.95, 0));
  claim = g_ptr_array_index (claims, 0);
  needs = ns_claims_list_needs (claims, experiment);
  g_assert_cmpuint (needs->len, ==, 1);
  g_assert_true (g_array_index (needs, NsClaimNeed, 0).is_training);
  g_assert_false (g_array_index (needs, NsClaimNeed, 0).is_sweep);
  g_assert_cmpint (claims_get_why_not (claim, experiment), ==, NS_WHY_NOT_RUN);
  g_assert_cmpint (evaluate (claim, experiment, half).why_not, ==, NS_WHY_NOT_RUN);
  claims_assert_obstacles (claims, experiment);
  g_assert_cmpuint (evaluate (claim, experiment, NULL).missed, ==, 1);
}

void
add_claim_training_tests (void)
{
  g_test_add_func ("/claim-training/verdicts", test_verdicts);
  g_test_add_func ("/claim-training/diverged", test_diverged);
  g_test_add_func ("/claim-training/obstacles", test_obstacles);
}
