/* The trend of a curve over the blocks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-trend.h"

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-statistics.h"
#include "figures/ns-format.h"

#include <math.h>

/* The extreme of many noisy blocks always lies a little beyond both ends. A turn has to exceed them by this ratio (the
 * second one with a single seed, whose noise is unknown) and by this many spreads. */
#define TURN_RATIO 1.5
#define TURN_RATIO_ONE_SEED 2.0
#define TURN_SPREADS 3.0

double
ns_ratio_spread (const NsResult *result, NsQuantity quantity, guint variant_a, gint64 site_a, guint variant_b,
                 gint64 site_b)
{
  guint n = ns_result_get_n_seeds (result);
  g_autofree double *ratios = g_new (double, n);
  double mean, std;

  if (n < 2)
    return 0;
  for (guint s = 0; s < n; s++)
    {
      double a, b;

      if (!ns_result_get_value (result, variant_a, quantity, site_a, s, NULL, &a)
          || !ns_result_get_value (result, variant_b, quantity, site_b, s, NULL, &b) || !isfinite (a - b))
        return 0;
      ratios[s] = a - b;
    }
  ns_moments (ratios, 1, n, &mean, &std);
  return std;
}

static gint64
get_site (const NsTrend *trend, const NsResult *result, gint64 block)
{
  return ns_experiment_get_site (ns_result_get_experiment (result), trend->part, block);
}

static gboolean
get_stat (const NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity, gint64 block, NsStat *stat)
{
  return ns_result_get_stat (result, variant, quantity, get_site (trend, result, block), stat);
}

/* Return the spread over the seeds of log10 (value in block a / value in block b). */
static double
get_spread (const NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity, gint64 a, gint64 b)
{
  return ns_ratio_spread (result, quantity, variant, get_site (trend, result, a), variant,
                          get_site (trend, result, b));
}

static void
note_bad (NsTrend *trend, gint64 block)
{
  if (trend->n_bad++ == 0)
    trend->bad_first = block;
  trend->bad_last = block;
}

/* Find the blocks without a usable value and set the kind: NaN or Inf first, else zeros, so that the worst is
 * reported. */
static gboolean
find_bad (NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity)
{
  static const NsTrendKind kinds[] = { NS_TREND_NOT_FINITE, NS_TREND_ZERO };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      trend->n_bad = 0;
      for (gint64 block = trend->first; block <= trend->last; block++)
        {
          double value;
          NsStat stat;

          if (!get_stat (trend, result, variant, quantity, block, &stat))
            continue;
          value = ns_stat_get_log10 (&stat);
          if (k == 0 ? isfinite (value) || (isinf (value) && value < 0) : !(isinf (value) && value < 0))
            continue;
          if (trend->n_bad == 0)
            trend->is_inf = isinf (value);
          note_bad (trend, block);
        }
      if (trend->n_bad > 0)
        {
          trend->kind = kinds[k];
          return TRUE;
        }
    }
  return FALSE;
}

/* Return the root mean square of the spreads between the first block and each other one. Few seeds agree by chance in
 * some of many blocks; this is the floor for the spread of such a block. */
static double
typical_spread (const NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity)
{
  double sum = 0;

  for (gint64 block = trend->first + 1; block <= trend->last; block++)
    {
      double spread = get_spread (trend, result, variant, quantity, block, trend->first);

      sum += spread * spread;
    }
  return sqrt (sum / (double) (trend->last - trend->first));
}

static void
find_turn (NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity)
{
  double high = MAX (trend->first_log10, trend->last_log10), low = MIN (trend->first_log10, trend->last_log10);
  double furthest = log10 (ns_result_get_n_seeds (result) > 1 ? TURN_RATIO : TURN_RATIO_ONE_SEED);
  double typical = typical_spread (trend, result, variant, quantity);

  for (gint64 block = trend->first + 1; block < trend->last; block++)
    {
      double value, excursion, spread;
      NsStat stat;

      if (!get_stat (trend, result, variant, quantity, block, &stat))
        continue;
      value = ns_stat_get_log10 (&stat);
      excursion = MAX (value - high, low - value);
      if (excursion <= furthest)
        continue;
      spread = MAX (get_spread (trend, result, variant, quantity, block, trend->first),
                    get_spread (trend, result, variant, quantity, block, trend->last));
      if (excursion <= TURN_SPREADS * MAX (spread, typical))
        continue;
      furthest = excursion;
      trend->kind = value > high ? NS_TREND_PEAK : NS_TREND_LOW;
      trend->turn = block;
      trend->turn_log10 = value;
    }
}

static gboolean
find_ends (NsTrend *trend, const NsResult *result, guint variant, NsQuantity quantity)
{
  gint64 depth = ns_result_get_experiment (result)->shape.depth;

  for (gint64 block = 1; block <= depth; block++)
    {
      NsStat stat;

      if (!get_stat (trend, result, variant, quantity, block, &stat))
        continue;
      if (trend->first == 0)
        {
          trend->first = block;
          trend->first_log10 = ns_stat_get_log10 (&stat);
        }
      trend->last = block;
      trend->last_log10 = ns_stat_get_log10 (&stat);
      if (stat.mean == 0)
        note_bad (trend, block);
    }
  return trend->first > 0;
}

NsTrend
ns_trend_measure (const NsResult *result, guint variant, NsQuantity quantity, NsPart part)
{
  NsTrend trend = { .kind = NS_TREND_ABSENT, .part = part }, ends;
  double drift;

  if (!find_ends (&trend, result, variant, quantity))
    return trend;
  ends = trend;
  if (find_bad (&trend, result, variant, quantity))
    return trend;
  trend = ends;

  if (trend.first == trend.last)
    {
      trend.kind = NS_TREND_SINGLE;
      return trend;
    }
  drift = trend.last_log10 - trend.first_log10;
  if (fabs (drift) < log10 (NS_FLAT_RATIO))
    trend.kind = NS_TREND_FLAT;
  else if (fabs (drift) <= get_spread (&trend, result, variant, quantity, trend.last, trend.first))
    trend.kind = NS_TREND_WITHIN_SEEDS;
  else
    trend.kind = NS_TREND_DRIFTS;
  find_turn (&trend, result, variant, quantity);
  return trend;
}
