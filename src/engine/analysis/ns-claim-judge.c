/* Intervals, exponents and verdicts that the checks of claims share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim-private.h"

#include "engine/ops/ns-statistics.h"

#include <math.h>

void
ns_claim_table_init (NsClaimTable *table, guint n, guint n_seeds)
{
  *table = (NsClaimTable) { n, n_seeds, g_new (double, MAX (n, 1)), g_new (double, MAX ((gsize) n * n_seeds, 1)) };
}

void
ns_claim_table_clear (NsClaimTable *table)
{
  g_free (table->x);
  g_free (table->values);
}

void
ns_claim_cannot_tell (NsClaimResult *result, NsWhyNot why_not)
{
  result->verdict = NS_VERDICT_CANNOT_TELL;
  result->why_not = why_not;
}

/* ---- intervals ---- */

void
ns_claim_interval (const double *values, guint n, gsize stride, double *mean, double *error)
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

void
ns_claim_judge_number (double measured, double error, double expected, double low, double high, NsClaimResult *result)
{
  result->has_measured = TRUE;
  result->measured = measured;
  result->error = error;
  result->expected = expected;
  result->low = low;
  result->high = high;
  if (isnan (error))
    {
      ns_claim_cannot_tell (result, NS_WHY_NOT_SEEDS);
      return;
    }
  result->verdict = judge (measured, error, low, high);
  result->why_not = result->verdict == NS_VERDICT_CANNOT_TELL ? NS_WHY_NOT_WIDE : NS_WHY_NOT_NONE;
}

/* ---- exponents and laws ---- */

gboolean
ns_claim_has_free_law (const NsClaim *claim)
{
  return claim->law >= NS_LAW_POWER && claim->law < NS_N_LAWS;
}

/* The exponent may agree although another law fits the curve better, or none. Overrule the verdict if AICc and the
 * seeds prefer, or cannot exclude, a rival, or if the law is off by more than the seeds' spread explains. */
static void
rule_out_rivals (const NsClaim *claim, const NsFit *fit, NsClaimResult *result)
{
  NsLawChoice choice = { fit->status, fit->best, fit->rival };

  if (result->verdict != NS_VERDICT_CONSISTENT || claim->law == NS_N_LAWS || claim->at_most || fit->flat)
    return;
  if (ns_claim_has_free_law (claim))
    choice = fit->free;
  else if (ns_law_fit_is_close (&fit->laws[claim->law]))
    choice = fit->named;
  if (choice.status == NS_FIT_TOO_FEW_POINTS)
    ns_claim_cannot_tell (result, NS_WHY_NOT_POINTS);
  else if (choice.status == NS_FIT_TOO_SHORT)
    {
      result->rival = choice.best == claim->law ? choice.rival : choice.best;
      ns_claim_cannot_tell (result, NS_WHY_NOT_RIVAL);
    }
  else if (choice.best != claim->law && !ns_law_contains (choice.best, claim->law))
    {
      result->rival = choice.best;
      result->verdict = NS_VERDICT_NOT_CONSISTENT;
    }
  else if (!ns_fit_allows (fit, claim->law))
    {
      result->misfits = TRUE;
      result->verdict = NS_VERDICT_NOT_CONSISTENT;
    }
}

/* Copy the columns of a table from x = `from` on. */
static NsClaimTable
cut_table (const NsClaimTable *table, double from)
{
  NsClaimTable cut;
  guint first = 0;

  while (first < table->n && table->x[first] < from)
    first++;
  ns_claim_table_init (&cut, table->n - first, table->n_seeds);
  for (guint i = 0; i < cut.n; i++)
    {
      cut.x[i] = table->x[first + i];
      for (guint s = 0; s < cut.n_seeds; s++)
        cut.values[(gsize) s * cut.n + i] = table->values[(gsize) s * table->n + first + i];
    }
  return cut;
}

void
ns_claim_judge_exponent (const NsClaim *claim, const NsClaimTable *table, NsClaimResult *result)
{
  g_auto (NsClaimTable) cut = cut_table (table, claim->from);
  double expected = claim->expected;
  const NsExponent *slope;
  NsFit fit;

  ns_fit_laws (cut.x, cut.n, cut.values, cut.n_seeds, &fit);
  result->n_seeds = table->n_seeds;
  result->n_points = fit.n_points;
  result->x_min = fit.x_min;
  result->x_max = fit.x_max;
  if (fit.status == NS_FIT_NOT_FINITE || fit.n_points < NS_CLAIM_MIN_POINTS)
    {
      ns_claim_cannot_tell (result, fit.status == NS_FIT_NOT_FINITE ? NS_WHY_NOT_FINITE : NS_WHY_NOT_POINTS);
      return;
    }
  if (claim->law < NS_N_LAWS)
    result->off = fit.laws[claim->law].relative_error;
  if (claim->law < NS_LAW_POWER)
    expected = ns_law_local_exponent (claim->law, cut.x, cut.n);
  slope = ns_claim_has_free_law (claim) ? &fit.laws[claim->law].slope : &fit.exponent;
  if (ns_claim_has_free_law (claim))
    ns_claim_judge_number (slope->p, slope->error, slope->p, 0, INFINITY, result);
  else
    ns_claim_judge_number (slope->p, slope->error, expected, claim->at_most ? -INFINITY : expected - claim->tolerance,
                           expected + claim->tolerance, result);
  rule_out_rivals (claim, &fit, result);
}

/* ---- point by point ---- */

gboolean
ns_claim_is_squared (const NsClaim *claim)
{
  return ns_quantity_has_log10 (claim->metric.quantity) || claim->metric.quantity == NS_Q_LOSS;
}

void
ns_claim_table_square (const NsClaim *claim, NsClaimTable *table)
{
  for (gsize i = 0; ns_claim_is_squared (claim) && i < (gsize) table->n * table->n_seeds; i++)
    table->values[i] *= table->values[i];
}

void
ns_claim_get_band (const NsClaim *claim, const NsClaimTable *table, double *low, double *high)
{
  for (guint i = 0; i < table->n; i++)
    {
      low[i] = claim->lower[0] + claim->lower[1] * table->x[i];
      high[i] = claim->upper[0] + claim->upper[1] * table->x[i];
    }
}

/* Return how far an interval exceeds low..high, in units of `scale`; negative if it lies inside. */
static double
get_excess (double mean, double error, double low, double high, double scale)
{
  double reach = isnan (error) ? 0 : error;

  return MAX (low - (mean - reach), mean + reach - high) / scale;
}

void
ns_claim_judge_points (const NsClaim *claim, const NsClaimTable *table, const double *low, const double *high,
                       gboolean relative, NsClaimResult *result)
{
  static const int rank[] = {
    [NS_VERDICT_CONSISTENT] = 0,
    [NS_VERDICT_CANNOT_TELL] = 1,
    [NS_VERDICT_NOT_CONSISTENT] = 2,
  };
  double worst = -INFINITY;

  result->verdict = NS_VERDICT_CONSISTENT;
  result->n_seeds = table->n_seeds;
  result->n_points = table->n;
  result->x_min = table->x[0];
  result->x_max = table->x[table->n - 1];
  for (guint i = 0; i < table->n; i++)
    {
      double scale = relative ? MAX (fabs (high[i]), G_MINDOUBLE) : 1;
      double from = low[i] - claim->tolerance * scale, to = high[i] + claim->tolerance * scale;
      double mean, error, excess;
      NsVerdict here;

      ns_claim_interval (table->values + i, table->n_seeds, table->n, &mean, &error);
      if (!isfinite (mean))
        {
          result->has_measured = FALSE;
          ns_claim_cannot_tell (result, NS_WHY_NOT_FINITE);
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
      result->at = table->x[i];
    }
  if (result->verdict == NS_VERDICT_CANNOT_TELL)
    result->why_not = table->n_seeds < 2 ? NS_WHY_NOT_SEEDS : NS_WHY_NOT_WIDE;
}
