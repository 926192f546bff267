/* Verdicts on the built-in claims about warm-up and learning rates, from real trainings, and on twins that state the
 * opposite.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "tests.h"

#include <string.h>

static NsClaim *
find_claim (const char *id)
{
  GPtrArray *claims = ns_claims_builtin ();

  for (guint i = 0; i < claims->len; i++)
    if (strcmp (((NsClaim *) g_ptr_array_index (claims, i))->id, id) == 0)
      return g_ptr_array_index (claims, i);
  g_error ("there is no claim %s", id);
}

static void
check_verdict (const NsTraining *training, const NsClaim *claim, NsVerdict verdict)
{
  const NsExperiment *experiment = ns_training_get_experiment (training);
  NsEvidence evidence = { .training = training };
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &evidence, &result);
  g_test_message ("%s: verdict %d, %g +- %g in %g..%g, %u of %u stalled", claim->id, result.verdict, result.measured,
                  result.error, result.low, result.high, result.n_stalled, result.n_seeds);
  g_assert_cmpuint (result.missed, ==, 0);
  g_assert_cmpuint (result.n_seeds, ==, experiment->sampling.seeds);
  g_assert_cmpint (result.verdict, ==, verdict);
}

/* Train one variant of a claim's experiment, and check the claim about it. */
static void
check_training (NsEngine *engine, const char *id, guint variant)
{
  NsClaim *claim = find_claim (id), twin = *claim;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) now = ns_experiment_new ();
  g_autoptr (NsExperiment) experiment = ns_claim_set_up (claim, now, &error);
  g_autoptr (NsTraining) training = NULL;

  g_assert_no_error (error);
  g_ptr_array_set_size (experiment->variants, variant + 1);
  g_ptr_array_remove_range (experiment->variants, 0, variant);
  experiment->sampling.seeds = claim->min_seeds; /* the set-up has more where claims share it */
  training = ns_claim_training_new (experiment, &error);
  g_assert_no_error (error);
  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  /* What the claim accepts, the twin does not. */
  twin.lower[0] = claim->upper[0];
  twin.upper[0] = claim->lower[0];
  check_verdict (training, claim, NS_VERDICT_CONSISTENT);
  check_verdict (training, &twin, NS_VERDICT_NOT_CONSISTENT);
}

static void
test_warm_up (void)
{
  static const char *const ids[] = { "train-post", "train-post-warm-up", "train-pre" };
  g_autoptr (NsEngine) engine = ns_engine_new (0, 0);

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    check_training (engine, ids[i], i);
}

static void
test_rates (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) now = ns_experiment_new ();
  const NsClaim *claim = find_claim ("train-learning-rates");
  g_autoptr (NsExperiment) experiment = ns_claim_set_up (claim, now, &error);
  g_autoptr (NsSensitivity) map = NULL;
  NsEngine *engine = ns_engine_new (0, 0);
  NsClaim twin = *claim;
  NsClaimResult result;
  NsEvidence evidence = { .maps = &map, .n_maps = 1 };

  g_assert_no_error (error);
  map = ns_claim_map_new (claim, experiment, &error);
  g_assert_no_error (error);
  ns_engine_fill_sensitivity (engine, map, NULL, &error);
  g_assert_no_error (error);
  ns_engine_free (engine);
  ns_claim_evaluate (claim, experiment, &evidence, &result);
  g_test_message ("%g ×/÷ %g: %g over %g", result.measured, result.error, result.factors[0], result.factors[1]);
  g_assert_cmpuint (result.missed, ==, 0);
  g_assert_cmpuint (result.n_seeds, ==, NS_CLAIM_MIN_TRAININGS);
  g_assert_cmpuint (result.n_open[0] + result.n_open[1] + result.n_none[0] + result.n_none[1], ==, 0);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_CONSISTENT);
  /* What the claim accepts, the twin does not. */
  twin.lower[0] = 0;
  twin.upper[0] = claim->lower[0];
  ns_claim_evaluate (&twin, experiment, &evidence, &result);
  g_assert_cmpint (result.verdict, ==, NS_VERDICT_NOT_CONSISTENT);
}

void
add_claim_trainings_tests (void)
{
  if (!g_test_slow ())
    return;
  g_test_add_func ("/claim-trainings/warm-up", test_warm_up);
  g_test_add_func ("/claim-trainings/rates", test_rates);
}
