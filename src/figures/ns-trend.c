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

/* The extreme of many noisy blocks always exceeds both ends a little. A turn must exceed them by this ratio (the second
 * one for a single seed, whose noise is unknown) and by this many standard deviations. */
#define TURN_RATIO 1.5
#define TURN_RATIO_ONE_SEED 2.0
#define TURN_SPREADS 3.0

/* Compute the difference a − b for every seed: of logarithms, or of values. Return FALSE if one is not finite, or if a
 * value is 0, which may be an underflow. */
static gboolean
get_differences (const NsTrendSource *a, gint64 site_a, const NsTrendSource *b, gint64 site_b, NsMeanKind mean,
                 double *differences)
{
  for (guint s = 0; s < a->n_seeds; s++)
    {
      double value_a, value_b, log10_a, log10_b;

      if (!ns_result_get_value (a->result, a->variant, a->quantity, site_a, s, &value_a, &log10_a)
          || !ns_result_get_value (b->result, b->variant, b->quantity, site_b, s, &value_b, &log10_b))
        return FALSE;
      if (mean == NS_MEAN_ARITHMETIC && (value_a == 0 || value_b == 0))
        return FALSE;
      differences[s] = mean == NS_MEAN_GEOMETRIC ? log10_a - log10_b : value_a - value_b;
      if (!isfinite (differences[s]))
        return FALSE;
    }
  return TRUE;
}

double
ns_ratio_spread (const NsTrendSource *a, gint64 site_a, const NsTrendSource *b, gint64 site_b)
{
  g_autofree double *ratios = g_new (double, a->n_seeds);
  double mean, std;

  if (a->n_seeds < 2 || !get_differences (a, site_a, b, site_b, NS_MEAN_GEOMETRIC, ratios))
    return 0;
  ns_moments (ratios, 1, a->n_seeds, &mean, &std);
  return std;
}

gboolean
ns_differ_within_seeds (const NsTrendSource *a, gint64 site_a, const NsTrendSource *b, gint64 site_b)
{
  g_autofree double *differences = g_new (double, a->n_seeds);
  double mean, std;

  if (a->n_seeds < 2
      || (!get_differences (a, site_a, b, site_b, a->mean, differences)
          && !get_differences (a, site_a, b, site_b, NS_MEAN_GEOMETRIC, differences)))
    return FALSE;
  ns_moments (differences, 1, a->n_seeds, &mean, &std);
  return fabs (mean) <= std;
}

static gint64
get_site (const NsTrend *trend, const NsTrendSource *source, gint64 block)
{
  return ns_experiment_get_site (ns_result_get_experiment (source->result), trend->part, block);
}

static gboolean
get_stat_of_block (const NsTrend *trend, const NsTrendSource *source, gint64 block, NsStat *stat)
{
  return ns_result_get_stat_of_first (source->result, source->variant, source->quantity,
                                      get_site (trend, source, block), source->n_seeds, stat);
}

/* Return the spread over the seeds of log10 (value in block a / value in block b). */
static double
get_spread (const NsTrend *trend, const NsTrendSource *source, gint64 a, gint64 b)
{
  return ns_ratio_spread (source, get_site (trend, source, a), source, get_site (trend, source, b));
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
find_bad (NsTrend *trend, const NsTrendSource *source)
{
  static const NsTrendKind kinds[] = { NS_TREND_NOT_FINITE, NS_TREND_ZERO };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      trend->n_bad = 0;
      for (gint64 block = trend->first; block <= trend->last; block++)
        {
          double value;
          NsStat stat;

          if (!get_stat_of_block (trend, source, block, &stat))
            continue;
          value = ns_stat_get_log10 (&stat, source->mean);
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
typical_spread (const NsTrend *trend, const NsTrendSource *source)
{
  double sum = 0;

  for (gint64 block = trend->first + 1; block <= trend->last; block++)
    {
      double spread = get_spread (trend, source, block, trend->first);

      sum += spread * spread;
    }
  return sqrt (sum / (double) (trend->last - trend->first));
}

static void
find_turn (NsTrend *trend, const NsTrendSource *source)
{
  double high = MAX (trend->first_log10, trend->last_log10), low = MIN (trend->first_log10, trend->last_log10);
  double furthest = log10 (source->n_seeds > 1 ? TURN_RATIO : TURN_RATIO_ONE_SEED);
  double typical = typical_spread (trend, source);

  for (gint64 block = trend->first + 1; block < trend->last; block++)
    {
      double value, excursion, spread;
      NsStat stat;

      if (!get_stat_of_block (trend, source, block, &stat))
        continue;
      value = ns_stat_get_log10 (&stat, source->mean);
      excursion = MAX (value - high, low - value);
      if (excursion <= furthest)
        continue;
      spread = MAX (get_spread (trend, source, block, trend->first),
                    get_spread (trend, source, block, trend->last));
      if (excursion <= TURN_SPREADS * MAX (spread, typical))
        continue;
      furthest = excursion;
      trend->kind = value > high ? NS_TREND_PEAK : NS_TREND_LOW;
      trend->turn = block;
      trend->turn_log10 = value;
    }
}

static gboolean
find_ends (NsTrend *trend, const NsTrendSource *source)
{
  gint64 depth = ns_experiment_get_depth (ns_result_get_experiment (source->result), trend->part);
  gboolean found = FALSE;

  for (gint64 block = source->from_input ? 0 : 1; block <= depth; block++)
    {
      NsStat stat;

      if (!get_stat_of_block (trend, source, block, &stat))
        continue;
      if (!found)
        {
          found = TRUE;
          trend->first = block;
          trend->first_log10 = ns_stat_get_log10 (&stat, source->mean);
        }
      trend->last = block;
      trend->last_log10 = ns_stat_get_log10 (&stat, source->mean);
      if (stat.mean == 0)
        note_bad (trend, block);
    }
  return found;
}

NsTrend
ns_trend_measure (const NsTrendSource *source, NsPart part)
{
  NsTrend trend = { .kind = NS_TREND_ABSENT, .part = part }, ends;
  double drift;

  if (!find_ends (&trend, source))
    return trend;
  ends = trend;
  if (find_bad (&trend, source))
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
  else if (ns_differ_within_seeds (source, get_site (&trend, source, trend.last), source,
                                   get_site (&trend, source, trend.first)))
    trend.kind = NS_TREND_WITHIN_SEEDS;
  else
    trend.kind = NS_TREND_DRIFTS;
  find_turn (&trend, source);
  return trend;
}

int
ns_trend_get_sign (const NsTrend *trend)
{
  double drift = trend->last_log10 - trend->first_log10;

  switch (trend->kind)
    {
    case NS_TREND_WITHIN_SEEDS:
      return 0;
    case NS_TREND_FLAT:
    case NS_TREND_DRIFTS:
    case NS_TREND_PEAK:
    case NS_TREND_LOW:
      return fabs (drift) < log10 (NS_FLAT_RATIO) ? 0 : drift > 0 ? 1 : -1;
    default:
      return 2;
    }
}
