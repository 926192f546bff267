/* The verdict on a claim, from sweeps and results.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/experiment/ns-settings.h"

#include <math.h>

/* ---- sweeps ---- */

static const NsSweep *
find_sweep (const NsClaim *claim, const NsEvidence *evidence)
{
  for (guint i = 0; i < evidence->n_sweeps; i++)
    {
      const NsSweep *sweep = evidence->sweeps[i];
      NsMetric metric = ns_sweep_get_metric (sweep);

      if (ns_sweep_get_axis (sweep) == claim->axis && metric.quantity == claim->metric.quantity
          && metric.where == claim->metric.where && metric.part == claim->metric.part)
        return sweep;
    }
  return NULL;
}

/* Read the values of one variant, their log10, or the log10 of the ratio of two variants, into the table. Return FALSE
 * while values are missing. */
static gboolean
read_sweep (const NsSweep *sweep, guint variant, guint over, gboolean logs, NsClaimTable *table)
{
  guint n;
  const gint64 *points = ns_sweep_get_points (sweep, &n);

  ns_claim_table_init (table, n, ns_sweep_get_n_seeds (sweep));
  for (guint i = 0; i < n; i++)
    {
      table->x[i] = (double) points[i];
      for (guint s = 0; s < table->n_seeds; s++)
        {
          double *value = &table->values[(gsize) s * n + i];
          double log10_divisor = 0;

          if (!ns_sweep_get_value (sweep, variant, i, s, logs ? NULL : value, logs ? value : NULL))
            return FALSE;
          if (over < NS_MAX_VARIANTS && !ns_sweep_get_value (sweep, over, i, s, NULL, &log10_divisor))
            return FALSE;
          *value -= log10_divisor;
        }
    }
  return TRUE;
}

static void
judge_bounds (const NsClaim *claim, NsClaimTable *table, NsClaimResult *result)
{
  g_autofree double *low = g_new (double, table->n);
  g_autofree double *high = g_new (double, table->n);

  ns_claim_table_square (claim, table);
  ns_claim_get_band (claim, table, low, high);
  ns_claim_judge_points (claim, table, low, high, ns_claim_is_squared (claim), result);
}

static void
evaluate_sweep (const NsClaim *claim, const NsEvidence *evidence, NsClaimResult *result)
{
  const NsSweep *sweep = find_sweep (claim, evidence);
  g_auto (NsClaimTable) table = { 0 };

  if (sweep == NULL || !read_sweep (sweep, result->variant, result->over, claim->kind != NS_CHECK_BOUNDS, &table))
    ns_claim_cannot_tell (result, NS_WHY_NOT_RUN);
  else if (claim->kind == NS_CHECK_BOUNDS)
    judge_bounds (claim, &table, result);
  else
    ns_claim_judge_exponent (claim, &table, result);
}

/* ---- claims ---- */

static gboolean
has_quantity (NsMetric metric, const NsExperiment *experiment, guint variant)
{
  gint64 last = ns_experiment_get_site (experiment, metric.part, ns_experiment_get_depth (experiment, metric.part));

  return variant == NS_MAX_VARIANTS || ns_quantity_exists (metric.quantity, experiment, variant, last)
         || ns_quantity_exists (metric.quantity, experiment, variant, ns_experiment_get_head_site (experiment));
}

void
ns_claim_evaluate (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                   NsClaimResult *result)
{
  *result = (NsClaimResult) {
    .verdict = NS_VERDICT_CANNOT_TELL,
    .variant = ns_claim_find_variant (claim, experiment, claim->variant),
    .over = NS_MAX_VARIANTS,
    .measured = NAN,
    .error = NAN,
    .expected = claim->expected,
    .x_min = NAN,
    .x_max = NAN,
    .off = NAN,
    .rival = NS_N_LAWS,
  };
  if (claim->over != NULL)
    result->over = ns_claim_find_variant (claim, experiment, claim->over);
  if (result->variant == NS_MAX_VARIANTS || (claim->over != NULL && result->over == NS_MAX_VARIANTS))
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_VARIANT);
      return;
    }
  result->missed = ns_claim_find_missed (claim, experiment, result->variant);
  if (claim->over != NULL)
    result->missed |= ns_claim_find_missed (claim, experiment, result->over);
  if (claim->kind == NS_CHECK_RATES)
    ns_claim_evaluate_rates (claim, experiment, evidence, result);
  else if (ns_check_trains (claim->kind))
    ns_claim_evaluate_training (claim, experiment, evidence->training, result);
  else if (!has_quantity (claim->metric, experiment, result->variant)
           || !has_quantity (claim->metric, experiment, result->over))
    ns_claim_cannot_tell (result, NS_WHY_NOT_QUANTITY);
  else if (ns_check_sweeps (claim->kind))
    evaluate_sweep (claim, evidence, result);
  else if (evidence->result == NULL)
    ns_claim_cannot_tell (result, NS_WHY_NOT_RUN);
  else
    ns_claim_evaluate_blocks (claim, evidence->result, result);
}
