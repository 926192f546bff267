/* The verdict on a claim about the learning rates that train a variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The range of each seed counts with its logarithm, since learning rates are spaced by it.
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#include <math.h>
#include <string.h>

/* ---- the map ---- */

/* Return the experiment with the claim's variants alone, in its order. Caller frees. */
static NsExperiment *
dup_reduced (const NsClaim *claim, const NsExperiment *experiment)
{
  const char *const ids[] = { claim->variant, claim->over };
  NsExperiment *reduced = ns_experiment_copy (experiment);

  g_ptr_array_set_size (reduced->variants, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (ids) && ids[i] != NULL; i++)
    {
      guint v = ns_claim_find_variant (claim, experiment, ids[i]);
      NsVariant *variant = ns_variant_copy (ns_experiment_variant (experiment, v));

      variant->training.learning_rate = NAN;
      g_ptr_array_add (reduced->variants, variant);
    }
  /* The map replaces it, so a map fits whatever it is. */
  reduced->training.learning_rate = claim->rates[0];
  return reduced;
}

NsSensitivity *
ns_claim_map_new (const NsClaim *claim, const NsExperiment *experiment, GError **error)
{
  g_autoptr (NsExperiment) reduced = dup_reduced (claim, experiment);
  gint64 depth = reduced->shape.depth;
  const NsSensitivityPlan plan = { NS_SENSITIVITY_DEPTH, &depth, 1, claim->rates, claim->n_rates };

  return ns_sensitivity_new (reduced, &plan, (guint) reduced->sampling.seeds, error);
}

gboolean
ns_claim_map_fits (const NsClaim *claim, const NsExperiment *experiment, const NsSensitivity *map)
{
  g_autoptr (NsExperiment) reduced = dup_reduced (claim, experiment);
  const NsSensitivityPlan *plan = ns_sensitivity_get_plan (map);

  return plan->axis == NS_SENSITIVITY_DEPTH && plan->n_points == 1 && plan->points[0] == reduced->shape.depth
         && plan->n_rates == claim->n_rates && memcmp (plan->rates, claim->rates, plan->n_rates * sizeof (double)) == 0
         && ns_experiment_equal (ns_sensitivity_get_experiment (map), reduced);
}

static const NsSensitivity *
find_map (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence)
{
  for (guint i = 0; i < evidence->n_maps; i++)
    if (ns_claim_map_fits (claim, experiment, evidence->maps[i]))
      return evidence->maps[i];
  return NULL;
}

/* ---- the verdict ---- */

/* Read log10 of the factor of each seed: of the first variant of the map, minus that of the second if there is one. */
static void
read_factors (const NsSensitivity *map, double *logs, NsClaimResult *result)
{
  guint n_variants = ns_sensitivity_get_experiment (map)->variants->len;

  for (guint v = 0; v < n_variants; v++)
    {
      double sum = 0;

      for (guint s = 0; s < result->n_seeds; s++)
        {
          NsStabilityRange range;
          double log10_factor = 0;

          if (!ns_sensitivity_get_seed_range (map, v, 0, s, &range))
            result->n_none[v]++;
          else
            {
              log10_factor = log10 (range.factor);
              result->n_open[v] += range.is_open;
            }
          logs[s] = v == 0 ? log10_factor : logs[s] - log10_factor;
          sum += log10_factor;
        }
      result->factors[v] = pow (10, sum / result->n_seeds);
    }
}

/* An open range of the variant makes the measured number a lower bound, one of `over` an upper bound. Keep a verdict
 * only if it holds for every number that the bounds leave. */
static void
doubt_open_ranges (NsClaimResult *result)
{
  gboolean can_be_more = result->n_open[0] > 0, can_be_less = result->n_open[1] > 0;
  gboolean is_doubtful = FALSE;

  if (result->verdict == NS_VERDICT_CONSISTENT)
    is_doubtful = (can_be_more && isfinite (result->high)) || (can_be_less && result->low > 0);
  else if (result->verdict == NS_VERDICT_NOT_CONSISTENT)
    is_doubtful = (can_be_more && result->measured < result->low) || (can_be_less && result->measured > result->high);
  if (is_doubtful)
    ns_claim_cannot_tell (result, NS_WHY_NOT_OPEN);
}

static void
judge_factors (const NsClaim *claim, const double *logs, NsClaimResult *result)
{
  double low = claim->lower[0], high = claim->upper[0] > 0 ? claim->upper[0] : INFINITY;
  double mean, error;

  ns_claim_interval (logs, result->n_seeds, 1, &mean, &error);
  ns_claim_judge_number (mean, error, 0, log10 (low), log10 (high), result);
  result->measured = pow (10, mean);
  result->error = pow (10, error);
  result->expected = low > 0 ? low : high;
  result->low = low;
  result->high = high;
  doubt_open_ranges (result);
}

void
ns_claim_evaluate_rates (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                         NsClaimResult *result)
{
  NsWhyNot obstacle = ns_claim_find_obstacle (claim, experiment);
  const NsSensitivity *map = obstacle == NS_WHY_NOT_NONE ? find_map (claim, experiment, evidence) : NULL;
  g_autofree double *logs = NULL;

  if (map == NULL || ns_sensitivity_count_finished (map) < ns_sensitivity_get_n_runs (map))
    {
      ns_claim_cannot_tell (result, obstacle != NS_WHY_NOT_NONE ? obstacle : NS_WHY_NOT_RUN);
      return;
    }
  result->n_seeds = ns_sensitivity_get_n_seeds (map);
  result->n_points = claim->n_rates;
  result->x_min = claim->rates[0];
  result->x_max = claim->rates[claim->n_rates - 1];
  logs = g_new (double, result->n_seeds);
  read_factors (map, logs, result);
  judge_factors (claim, logs, result);
}
