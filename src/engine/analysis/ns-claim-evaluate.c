/* The verdict on a claim, from sweeps and results.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim.h"

#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/ops/ns-statistics.h"

#include <math.h>

/* Range of 1 − similarity in which the factor per block is fitted: above it the recursion has not settled, below it
 * rounding to single precision dominates. */
#define HALVING_FROM 0.1
#define HALVING_TO 1e-4
#define MIN_POINTS 4

/* One value for each seed and each x; x ascending. */
typedef struct
{
  guint n, n_seeds;
  double *x;      /* [n] */
  double *values; /* [n_seeds][n] */
} Table;

static void
table_clear (Table *table)
{
  g_free (table->x);
  g_free (table->values);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

static void
table_init (Table *table, guint n, guint n_seeds)
{
  *table = (Table) { n, n_seeds, g_new (double, MAX (n, 1)), g_new (double, MAX ((gsize) n * n_seeds, 1)) };
}

static void
cannot_tell (NsClaimResult *result, NsWhyNot why_not)
{
  result->verdict = NS_VERDICT_CANNOT_TELL;
  result->why_not = why_not;
}

/* ---- intervals ---- */

/* Compute the mean over the seeds of n values that lie `stride` apart, and half its 95 % t-interval, NAN with one
 * seed. */
static void
get_interval (const double *values, guint n, gsize stride, double *mean, double *error)
{
  *mean = ns_mean (values, stride, n);
  *error = n >= 2 ? ns_student_quantile (n - 1.0) * sqrt (ns_variance (values, stride, n, *mean) / n) : NAN;
}

/* Compare mean ± error with low..high. */
static NsVerdict
judge (double mean, double error, double low, double high)
{
  if (mean - error >= low && mean + error <= high)
    return NS_VERDICT_CONSISTENT;
  if (mean + error < low || mean - error > high)
    return NS_VERDICT_NOT_CONSISTENT;
  return NS_VERDICT_CANNOT_TELL;
}

static void
judge_number (const NsClaim *claim, double measured, double error, double expected, NsClaimResult *result)
{
  result->has_measured = TRUE;
  result->measured = measured;
  result->error = error;
  result->expected = expected;
  result->low = claim->at_most ? -INFINITY : expected - claim->tolerance;
  result->high = expected + claim->tolerance;
  if (isnan (error))
    {
      cannot_tell (result, NS_WHY_NOT_SEEDS);
      return;
    }
  result->verdict = judge (measured, error, result->low, result->high);
  result->why_not = result->verdict == NS_VERDICT_CANNOT_TELL ? NS_WHY_NOT_WIDE : NS_WHY_NOT_NONE;
}

/* ---- exponents and laws ---- */

double
ns_law_local_exponent (NsLaw law, const double *x, guint n)
{
  double mean_x = 0, mean_f = 0, xx = 0, xf = 0;

  for (guint i = 0; i < n; i++)
    {
      mean_x += log (x[i]) / n;
      mean_f += ns_law_log (law, x[i]) / n;
    }
  for (guint i = 0; i < n; i++)
    {
      double dx = log (x[i]) - mean_x;

      xx += dx * dx;
      xf += dx * (ns_law_log (law, x[i]) - mean_f);
    }
  return xf / xx;
}

/* The exponent may agree although another law fits the curve better. Overrule the verdict if AICc and the seeds prefer,
 * or cannot exclude, a rival. */
static void
rule_out_rivals (const NsClaim *claim, const NsFit *fit, NsClaimResult *result)
{
  if (result->verdict != NS_VERDICT_CONSISTENT || claim->law == NS_N_LAWS || claim->at_most || fit->flat)
    return;
  if (fit->status == NS_FIT_TOO_SHORT)
    {
      result->rival = fit->best == claim->law ? fit->rival : fit->best;
      cannot_tell (result, NS_WHY_NOT_RIVAL);
    }
  else if (fit->best != claim->law && fit->best != NS_LAW_POWER)
    {
      result->rival = fit->best;
      result->verdict = NS_VERDICT_NOT_CONSISTENT;
    }
}

/* Judge the exponent of values that are logarithms to base 10. */
static void
judge_exponent (const NsClaim *claim, const Table *table, NsClaimResult *result)
{
  guint first = 0;
  double expected = claim->expected;
  NsFit fit;

  while (first < table->n && table->x[first] < 2)
    first++;
  ns_fit_laws (table->x, table->n, table->values, table->n_seeds, &fit);
  result->n_seeds = table->n_seeds;
  result->n_points = fit.n_points;
  result->x_min = fit.x_min;
  result->x_max = fit.x_max;
  if (fit.status == NS_FIT_TOO_FEW_POINTS || fit.status == NS_FIT_NOT_FINITE)
    {
      cannot_tell (result, fit.status == NS_FIT_NOT_FINITE ? NS_WHY_NOT_FINITE : NS_WHY_NOT_POINTS);
      return;
    }
  if (claim->law != NS_N_LAWS)
    expected = ns_law_local_exponent (claim->law, table->x + first, table->n - first);
  judge_number (claim, fit.exponent.p, fit.exponent.error, expected, result);
  rule_out_rivals (claim, &fit, result);
}

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

/* Read log10 values of one variant, or of the ratio of two, into the table. Return FALSE while values are missing. */
static gboolean
read_sweep (const NsSweep *sweep, guint variant, guint over, Table *table)
{
  guint n;
  const gint64 *points = ns_sweep_get_points (sweep, &n);

  table_init (table, n, ns_sweep_get_n_seeds (sweep));
  for (guint i = 0; i < n; i++)
    {
      table->x[i] = (double) points[i];
      for (guint s = 0; s < table->n_seeds; s++)
        {
          double *value = &table->values[(gsize) s * n + i];
          double log10_divisor = 0;

          if (!ns_sweep_get_value (sweep, variant, i, s, NULL, value))
            return FALSE;
          if (over < NS_MAX_VARIANTS && !ns_sweep_get_value (sweep, over, i, s, NULL, &log10_divisor))
            return FALSE;
          *value -= log10_divisor;
        }
    }
  return TRUE;
}

static void
evaluate_sweep (const NsClaim *claim, const NsEvidence *evidence, NsClaimResult *result)
{
  const NsSweep *sweep = find_sweep (claim, evidence);
  g_auto (Table) table = { 0 };

  if (sweep == NULL || !read_sweep (sweep, result->variant, result->over, &table))
    cannot_tell (result, NS_WHY_NOT_RUN);
  else
    judge_exponent (claim, &table, result);
}

/* ---- over the blocks ---- */

/* Read the values of each block and seed, or their log10, into the table. */
static void
read_blocks (const NsClaim *claim, const NsResult *from, guint variant, gboolean logs, Table *table)
{
  const NsExperiment *experiment = ns_result_get_experiment (from);
  guint depth = (guint) experiment->shape.depth;

  table_init (table, depth, ns_result_get_n_seeds (from));
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

/* Find the table rows first..last - 1 in which 1 − value, by the mean over the seeds, lies in the fitted range. Return
 * FALSE when a mean is not finite. */
static gboolean
find_settled (const Table *table, guint *first, guint *last)
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
judge_halving (const NsClaim *claim, const Table *table, NsClaimResult *result)
{
  g_autofree double *factors = g_new (double, table->n_seeds);
  guint first = 0, last = 0;
  double mean, error;

  result->n_seeds = table->n_seeds;
  if (!find_settled (table, &first, &last))
    {
      cannot_tell (result, NS_WHY_NOT_FINITE);
      return;
    }
  result->n_points = last - first;
  if (last - first < MIN_POINTS)
    {
      cannot_tell (result, NS_WHY_NOT_POINTS);
      return;
    }
  result->x_min = first + 1.0;
  result->x_max = last;
  for (guint s = 0; s < table->n_seeds; s++)
    factors[s] = fit_block_factor (table->values + (gsize) s * table->n, first, last);
  get_interval (factors, table->n_seeds, 1, &mean, &error);
  if (isfinite (mean))
    judge_number (claim, mean, error, claim->expected, result);
  else
    cannot_tell (result, NS_WHY_NOT_FINITE);
}

/* ---- block by block ---- */

static gboolean
is_squared (const NsClaim *claim)
{
  return ns_quantity_info (claim->metric.quantity)->kind != NS_KIND_COSINE;
}

/* Compute the range that the claim expects at blocks 1..depth; for a norm, of its square. */
static void
get_expected_ranges (const NsClaim *claim, const NsExperiment *experiment, guint variant, double *low, double *high)
{
  guint depth = (guint) experiment->shape.depth;
  g_autofree double *sites = g_new (double, depth + 1);

  if (claim->kind == NS_CHECK_MEAN_FIELD && is_squared (claim))
    ns_mean_field_predict (experiment, variant, sites, NULL);
  else if (claim->kind == NS_CHECK_MEAN_FIELD)
    ns_mean_field_predict (experiment, variant, NULL, sites);
  for (guint i = 0; i < depth; i++)
    if (claim->kind == NS_CHECK_MEAN_FIELD)
      low[i] = high[i] = is_squared (claim) ? sites[i + 1] * sites[i + 1] : sites[i + 1];
    else
      {
        low[i] = claim->lower[0] + claim->lower[1] * (i + 1);
        high[i] = claim->upper[0] + claim->upper[1] * (i + 1);
      }
}

/* Return how far an interval reaches beyond low..high, as a share of `scale`; negative when it stays inside. */
static double
get_excess (double mean, double error, double low, double high, double scale)
{
  double reach = isnan (error) ? 0 : error;

  return MAX (low - (mean - reach), mean + reach - high) / scale;
}

/* Take the worst verdict of all blocks, and report the block of that verdict whose interval reaches out the
 * farthest. */
static void
judge_blocks (const NsClaim *claim, const NsExperiment *experiment, const Table *table, NsClaimResult *result)
{
  static const int rank[] = {
    [NS_VERDICT_CONSISTENT] = 0,
    [NS_VERDICT_CANNOT_TELL] = 1,
    [NS_VERDICT_NOT_CONSISTENT] = 2,
  };
  g_autofree double *low = g_new (double, table->n);
  g_autofree double *high = g_new (double, table->n);
  double worst = -INFINITY;

  get_expected_ranges (claim, experiment, result->variant, low, high);
  result->verdict = NS_VERDICT_CONSISTENT;
  result->n_seeds = table->n_seeds;
  result->n_points = table->n;
  result->x_min = 1;
  result->x_max = table->n;
  for (guint i = 0; i < table->n; i++)
    {
      double scale = is_squared (claim) ? MAX (fabs (high[i]), G_MINDOUBLE) : 1;
      double from = low[i] - claim->tolerance * scale, to = high[i] + claim->tolerance * scale;
      double mean, error, excess;
      NsVerdict here;

      get_interval (table->values + i, table->n_seeds, table->n, &mean, &error);
      if (!isfinite (mean))
        {
          result->has_measured = FALSE;
          cannot_tell (result, NS_WHY_NOT_FINITE);
          return;
        }
      here = isnan (error) ? NS_VERDICT_CANNOT_TELL : judge (mean, error, from, to);
      excess = get_excess (mean, error, from, to, scale);
      if (rank[here] < rank[result->verdict] || (here == result->verdict && excess <= worst))
        continue;
      worst = excess;
      result->verdict = here;
      result->has_measured = TRUE;
      result->measured = mean;
      result->error = error;
      result->expected = (low[i] + high[i]) / 2;
      result->low = from;
      result->high = to;
      result->block = i + 1;
    }
  if (result->verdict == NS_VERDICT_CANNOT_TELL)
    result->why_not = table->n_seeds < 2 ? NS_WHY_NOT_SEEDS : NS_WHY_NOT_WIDE;
}

static void
evaluate_blocks (const NsClaim *claim, const NsEvidence *evidence, NsClaimResult *result)
{
  g_auto (Table) table = { 0 };

  if (evidence->result == NULL)
    {
      cannot_tell (result, NS_WHY_NOT_RUN);
      return;
    }
  read_blocks (claim, evidence->result, result->variant, claim->kind == NS_CHECK_PROFILE, &table);
  if (claim->kind == NS_CHECK_PROFILE)
    judge_exponent (claim, &table, result);
  else if (claim->kind == NS_CHECK_HALVING)
    judge_halving (claim, &table, result);
  else
    {
      for (gsize i = 0; is_squared (claim) && i < (gsize) table.n * table.n_seeds; i++)
        table.values[i] *= table.values[i];
      judge_blocks (claim, ns_result_get_experiment (evidence->result), &table, result);
    }
}

/* ---- claims ---- */

static void
find_missed (const NsClaim *claim, const NsExperiment *experiment, NsClaimResult *result)
{
  for (guint i = 0; i < claim->assumptions->len; i++)
    {
      const NsAssumption *assumption = g_ptr_array_index (claim->assumptions, i);

      if (!ns_assumption_holds (assumption, experiment, result->variant)
          || (result->over < NS_MAX_VARIANTS && !ns_assumption_holds (assumption, experiment, result->over)))
        result->missed |= G_GUINT64_CONSTANT (1) << i;
    }
}

static gboolean
has_quantity (NsMetric metric, const NsExperiment *experiment, guint variant)
{
  gint64 last = ns_experiment_get_site (experiment, metric.part, experiment->shape.depth);

  return variant == NS_MAX_VARIANTS || ns_quantity_exists (metric.quantity, experiment, variant, last)
         || ns_quantity_exists (metric.quantity, experiment, variant, ns_experiment_get_head_site (experiment));
}

void
ns_claim_evaluate (const NsClaim *claim, const NsExperiment *experiment, const NsEvidence *evidence,
                   NsClaimResult *result)
{
  *result = (NsClaimResult) {
    .verdict = NS_VERDICT_CANNOT_TELL,
    .variant = ns_experiment_find_architecture (experiment, claim->variant),
    .over = NS_MAX_VARIANTS,
    .measured = NAN,
    .error = NAN,
    .expected = claim->expected,
    .x_min = NAN,
    .x_max = NAN,
    .rival = NS_N_LAWS,
  };
  if (claim->over != NULL)
    result->over = ns_experiment_find_architecture (experiment, claim->over);
  if (result->variant == NS_MAX_VARIANTS || (claim->over != NULL && result->over == NS_MAX_VARIANTS))
    {
      cannot_tell (result, NS_WHY_NOT_VARIANT);
      return;
    }
  find_missed (claim, experiment, result);
  if (!has_quantity (claim->metric, experiment, result->variant)
      || !has_quantity (claim->metric, experiment, result->over))
    cannot_tell (result, NS_WHY_NOT_QUANTITY);
  else if (ns_check_is_by_block (claim->kind))
    evaluate_blocks (claim, evidence, result);
  else
    evaluate_sweep (claim, evidence, result);
}
