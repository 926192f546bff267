/* The checks of claims by block, at one depth.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/analysis/ns-mean-field.h"
#include "engine/ops/ns-statistics.h"

#include <math.h>
#include <string.h>

/* Range of 1 − similarity in which the factor per block is fitted: above it the recursion has not settled, below it
 * rounding to single precision dominates. */
#define HALVING_FROM 0.1
#define HALVING_TO 1e-4

/* ---- reading ---- */

/* Read the values of each block and seed, or their log10, into the table. */
static void
read_blocks (const NsClaim *claim, const NsResult *from, guint variant, gboolean logs, NsClaimTable *table)
{
  const NsExperiment *experiment = ns_result_get_experiment (from);
  guint depth = (guint) ns_experiment_get_depth (experiment, claim->metric.part);

  ns_claim_table_init (table, depth, ns_result_get_n_seeds (from));
  for (guint i = 0; i < depth; i++)
    {
      gint64 site = ns_experiment_get_site (experiment, claim->metric.part, i + 1);

      table->x[i] = i + 1.0;
      for (guint s = 0; s < table->n_seeds; s++)
        {
          double value = NAN, log10_value = NAN;

          ns_result_get_value (from, variant, claim->metric.quantity, site, s, &value, &log10_value);
          table->values[(gsize) s * depth + i] = logs ? log10_value : value;
        }
    }
}

/* ---- one factor for all blocks ---- */

/* Find the table rows first..last - 1 in which 1 − value, by the mean over the seeds, lies in the fitted range. Return
 * FALSE when a mean is not finite. */
static gboolean
find_settled (const NsClaimTable *table, guint *first, guint *last)
{
  for (guint i = 0; i < table->n; i++)
    {
      double mean = ns_mean (table->values + i, table->n, table->n_seeds);

      if (!isfinite (mean))
        return FALSE;
      if (1 - mean > HALVING_FROM)
        *first = *last = i + 1;
      else if (1 - mean > HALVING_TO && *last == i)
        *last = i + 1;
    }
  return TRUE;
}

/* Return the factor per block by which 1 − value changes, by least squares on its logarithm over rows first..last - 1
 * of one seed. */
static double
fit_block_factor (const double *values, guint first, guint last)
{
  double n = last - first, middle = (n - 1) / 2, xx = 0, xy = 0;

  for (guint i = first; i < last; i++)
    {
      double x = i - first - middle;

      xx += x * x;
      xy += x * log (1 - values[i]);
    }
  return exp (xy / xx);
}

static void
judge_halving (const NsClaim *claim, const NsClaimTable *table, NsClaimResult *result)
{
  g_autofree double *factors = g_new (double, table->n_seeds);
  guint first = 0, last = 0;
  double mean, error;

  result->n_seeds = table->n_seeds;
  if (!find_settled (table, &first, &last))
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_FINITE);
      return;
    }
  result->n_points = last - first;
  if (last - first < NS_CLAIM_MIN_POINTS)
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_POINTS);
      return;
    }
  result->x_min = first + 1.0;
  result->x_max = last;
  for (guint s = 0; s < table->n_seeds; s++)
    factors[s] = fit_block_factor (table->values + (gsize) s * table->n, first, last);
  ns_claim_interval (factors, table->n_seeds, 1, &mean, &error);
  if (isfinite (mean))
    ns_claim_judge_number (mean, error, claim->expected,
                           claim->at_most ? -INFINITY : claim->expected - claim->tolerance,
                           claim->expected + claim->tolerance, result);
  else
    ns_claim_cannot_tell (result, NS_WHY_NOT_FINITE);
}

/* Judge the factor from each block to the one below. The table holds logarithms to base 10. The tolerance is relative
 * to the change through the whole stack, since a factor near 1 changes little in one block but much over a hundred. */
static void
judge_geometric (const NsClaim *claim, const NsClaimTable *table, NsClaimResult *result)
{
  g_autofree double *factors = g_new (double, table->n_seeds);
  double middle = (table->n + 1) / 2.0, share, mean, error;

  result->n_seeds = table->n_seeds;
  result->n_points = table->n;
  result->x_min = 1;
  result->x_max = table->n;
  if (table->n < NS_CLAIM_MIN_POINTS)
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_POINTS);
      return;
    }
  for (guint s = 0; s < table->n_seeds; s++)
    {
      double xx = 0, xy = 0;

      for (guint i = 0; i < table->n; i++)
        {
          double x = middle - table->x[i]; /* toward the input */

          xx += x * x;
          xy += x * table->values[(gsize) s * table->n + i];
        }
      factors[s] = isfinite (xy) ? pow (10, xy / xx) : NAN;
    }
  share = pow (1 + claim->tolerance, 1.0 / (table->n - 1));
  ns_claim_interval (factors, table->n_seeds, 1, &mean, &error);
  if (isfinite (mean))
    ns_claim_judge_number (mean, error, claim->expected, claim->at_most ? -INFINITY : claim->expected / share,
                           claim->expected * share, result);
  else
    ns_claim_cannot_tell (result, NS_WHY_NOT_FINITE);
}

/* ---- block by block ---- */

/* Compute what the recursion predicts at blocks 1..depth; for a norm, its square. */
static void
predict (const NsClaim *claim, const NsExperiment *experiment, guint variant, double *values)
{
  guint depth = (guint) ns_experiment_get_depth (experiment, claim->metric.part);
  g_autofree double *sites = g_new (double, depth + 1);

  if (!ns_mean_field_predict (experiment, variant, claim->metric.quantity, sites, NULL))
    for (guint i = 0; i <= depth; i++)
      sites[i] = NAN;
  for (guint i = 0; i < depth; i++)
    values[i] = ns_claim_is_squared (claim) ? sites[i + 1] * sites[i + 1] : sites[i + 1];
}

static void
judge_blocks (const NsClaim *claim, const NsResult *from, NsClaimTable *table, NsClaimResult *result)
{
  g_autofree double *low = g_new (double, table->n);
  g_autofree double *high = g_new (double, table->n);

  ns_claim_table_square (claim, table);
  ns_claim_get_band (claim, table, low, high);
  if (claim->kind == NS_CHECK_MEAN_FIELD)
    {
      predict (claim, ns_result_get_experiment (from), result->variant, low);
      memcpy (high, low, table->n * sizeof *high);
    }
  ns_claim_judge_points (claim, table, low, high, ns_claim_is_squared (claim), result);
}

/* Read the reference of the quantity at a block: the same block of the other variant, or the input. */
static void
read_reference (const NsClaim *claim, const NsResult *from, const NsClaimResult *result, guint block, guint seed,
                double *value, double *log10_value)
{
  const NsExperiment *experiment = ns_result_get_experiment (from);
  gboolean other = claim->over != NULL;
  gint64 site = ns_experiment_get_site (experiment, claim->metric.part, other ? block : 0);

  *value = *log10_value = NAN;
  ns_result_get_value (from, other ? result->over : result->variant, claim->metric.quantity, site, seed, value,
                       log10_value);
}

/* Subtract the logarithms of the other variant, whose blocks the profile is over. */
static void
divide_by_other (const NsClaim *claim, const NsResult *from, const NsClaimResult *result, NsClaimTable *table)
{
  for (guint i = 0; i < table->n && claim->over != NULL; i++)
    for (guint s = 0; s < table->n_seeds; s++)
      {
        double value, log10_value;

        read_reference (claim, from, result, i + 1, s, &value, &log10_value);
        table->values[(gsize) s * table->n + i] -= log10_value;
      }
}

/* Judge the ratio of norms, which must be 1, or the difference of cosines, which must be 0. */
static void
judge_identity (const NsClaim *claim, const NsResult *from, NsClaimTable *table, NsClaimResult *result)
{
  gboolean quotient = ns_quantity_has_log10 (claim->metric.quantity);
  g_autofree double *expected = g_new (double, table->n);

  for (guint i = 0; i < table->n; i++)
    {
      expected[i] = quotient ? 1 : 0;
      for (guint s = 0; s < table->n_seeds; s++)
        {
          double *mine = &table->values[(gsize) s * table->n + i];
          double value, log10_value;

          read_reference (claim, from, result, i + 1, s, &value, &log10_value);
          if (!quotient)
            *mine -= value;
          else if (*mine == log10_value) /* also two zeros */
            *mine = 1;
          else
            *mine = pow (10, *mine - log10_value);
        }
    }
  ns_claim_judge_points (claim, table, expected, expected, FALSE, result);
}

void
ns_claim_evaluate_blocks (const NsClaim *claim, const NsResult *from, NsClaimResult *result)
{
  gboolean logs = claim->kind == NS_CHECK_PROFILE || claim->kind == NS_CHECK_GEOMETRIC
                  || (claim->kind == NS_CHECK_IDENTITY && ns_quantity_has_log10 (claim->metric.quantity));
  g_auto (NsClaimTable) table = { 0 };

  read_blocks (claim, from, result->variant, logs, &table);
  switch ((int) claim->kind)
    {
    case NS_CHECK_PROFILE:
      divide_by_other (claim, from, result, &table);
      ns_claim_judge_exponent (claim, &table, result);
      break;
    case NS_CHECK_HALVING:
      judge_halving (claim, &table, result);
      break;
    case NS_CHECK_GEOMETRIC:
      judge_geometric (claim, &table, result);
      break;
    case NS_CHECK_IDENTITY:
      judge_identity (claim, from, &table, result);
      break;
    default:
      judge_blocks (claim, from, &table, result);
    }
}
