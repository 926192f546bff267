/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "claims.h"

#include "engine/experiment/ns-experiment.h"

NsExperiment *
claims_make_experiment (gint64 steps)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape = (NsShape) { .depth = 2, .d_model = 8, .heads = 2, .d_ff = 16, .seq_len = 16, .batch = 4,
                                  .vocab = 8 };
  experiment->data.source = NS_SOURCE_MARKOV;
  experiment->sampling.seeds = SEEDS;
  experiment->training.steps = steps;
  return experiment;
}

NsClaim *
claims_make (NsCheckKind kind, const char *variant, double least, double most)
{
  NsClaim *claim = ns_claim_new ("test");

  claim->kind = kind;
  claim->metric.quantity = NS_Q_LOSS;
  claim->variant = g_strdup (variant);
  claim->lower[0] = least;
  claim->upper[0] = most;
  g_ptr_array_add (claim->assumptions, ns_assumption_new ("shape.depth", "1..3", NULL));
  return claim;
}

NsWhyNot
claims_get_why_not (const NsClaim *claim, const NsExperiment *experiment)
{
  NsEvidence none = { 0 };
  NsClaimResult result;

  ns_claim_evaluate (claim, experiment, &none, &result);
  return result.why_not;
}

static void
assert_obstacle (GPtrArray *claims, const NsExperiment *experiment, NsWhyNot why_not)
{
  g_autoptr (GArray) needs = ns_claims_list_needs (claims, experiment);

  g_assert_cmpuint (needs->len, ==, 0);
  g_assert_cmpint (claims_get_why_not (g_ptr_array_index (claims, 0), experiment), ==, why_not);
}

void
claims_assert_obstacles (GPtrArray *claims, NsExperiment *experiment)
{
  experiment->sampling.seeds = SEEDS - 1;
  assert_obstacle (claims, experiment, NS_WHY_NOT_SEEDS);
  experiment->sampling.seeds = SEEDS;
  experiment->shape.depth = 4;
  assert_obstacle (claims, experiment, NS_WHY_NOT_ASSUMED);
}
