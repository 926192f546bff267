/* What the flow figure shows, in words: one line a variant and one that compares two.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only what was measured is said. Every clause is a whole phrase of its own, so that it can be translated.
 */
#include "figures/ns-trend.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* From here a ratio is read as a power of ten, not as "4.1:1". */
#define FACTOR_LOG10 4.0
#define ALIKE_COS 0.9

/* "block 5", "blocks 1 to 5", "3 of 24 blocks": where something is wrong. */
static char *
dup_blocks (const NsTrend *trend, gint64 depth)
{
  if (trend->n_bad == 1)
    return g_strdup_printf (_("block %d"), (int) trend->bad_first);
  if (trend->n_bad == trend->bad_last - trend->bad_first + 1)
    return g_strdup_printf (_("blocks %d to %d"), (int) trend->bad_first, (int) trend->bad_last);
  return g_strdup_printf (_("%d of %d blocks"), (int) trend->n_bad, (int) depth);
}

static char *
dup_drift (const NsTrend *trend)
{
  double drift = trend->last_log10 - trend->first_log10;
  g_autofree char *ratio = ns_format_ratio (fabs (drift));
  int first = (int) trend->first, last = (int) trend->last;

  if (fabs (drift) >= FACTOR_LOG10)
    return drift < 0 ? g_strdup_printf (_("falls by a factor of %s from block %d to %d"), ratio, first, last)
                     : g_strdup_printf (_("rises by a factor of %s from block %d to %d"), ratio, first, last);
  return drift < 0 ? g_strdup_printf (_("falls %s:1 from block %d to %d"), ratio, first, last)
                   : g_strdup_printf (_("rises %s:1 from block %d to %d"), ratio, first, last);
}

static char *
dup_turn (const NsTrend *trend)
{
  g_autofree char *before = ns_format_ratio (fabs (trend->turn_log10 - trend->first_log10));
  g_autofree char *after = ns_format_ratio (fabs (trend->turn_log10 - trend->last_log10));
  int turn = (int) trend->turn, last = (int) trend->last;

  if (trend->kind == NS_TREND_PEAK)
    return g_strdup_printf (_("rises %s:1 to a peak in block %d, then falls %s:1 to block %d"), before, turn, after,
                            last);
  return g_strdup_printf (_("falls %s:1 to a low in block %d, then rises %s:1 to block %d"), before, turn, after, last);
}

static char *
dup_trend (const NsTrend *trend, NsQuantity quantity, gint64 depth)
{
  g_autofree char *blocks = dup_blocks (trend, depth);
  g_autofree char *number = NULL;

  switch (trend->kind)
    {
    case NS_TREND_ABSENT:
      return g_strdup_printf (_("has no %s"), ns_quantity_info (quantity)->symbol);
    case NS_TREND_NOT_FINITE:
      return trend->is_inf ? g_strdup_printf (_("infinite in %s"), blocks)
                           : g_strdup_printf (_("not a number in %s"), blocks);
    case NS_TREND_ZERO:
      return trend->n_bad == depth ? g_strdup (_("exactly 0 in every block"))
                                   : g_strdup_printf (_("exactly 0 in %s"), blocks);
    case NS_TREND_SINGLE:
      number = ns_format_log10 (trend->first_log10, 3);
      return depth == 1 ? g_strdup_printf (_("%s in its only block"), number)
                        : g_strdup_printf (_("%s in block %d, the only one that has it"), number, (int) trend->first);
    case NS_TREND_FLAT:
      number = ns_format_ratio (fabs (trend->last_log10 - trend->first_log10));
      return g_strdup_printf (_("flat (%s:1)"), number);
    case NS_TREND_WITHIN_SEEDS:
      number = ns_format_ratio (fabs (trend->last_log10 - trend->first_log10));
      return g_strdup_printf (_("flat within the spread of the seeds (%s:1)"), number);
    case NS_TREND_DRIFTS:
      return dup_drift (trend);
    case NS_TREND_PEAK:
    case NS_TREND_LOW:
      return dup_turn (trend);
    default:
      g_assert_not_reached ();
    }
}

/* Finite, but past what a double holds: the bottom marks of a linear axis are no zeros. */
static char *
dup_underflow (const NsTrend *trend, gint64 depth)
{
  g_autofree char *blocks = NULL;

  if (trend->n_bad == 0 || trend->kind == NS_TREND_NOT_FINITE || trend->kind == NS_TREND_ZERO)
    return NULL;
  blocks = dup_blocks (trend, depth);
  return g_strdup_printf (_("too small for a double in %s"), blocks);
}

/* A norm with residuals off can look healthy while all tokens are one vector; the curves alone would not say so. */
static char *
dup_similarity (const NsResult *result, guint variant)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 depth = experiment->shape.depth;
  g_autofree char *number = NULL;
  NsStat last, input;

  if (!ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, depth, &last) || !isfinite (last.mean))
    return NULL;
  if (last.mean < NS_COLLAPSE_COS && !ns_variant_lacks_residual (ns_experiment_variant (experiment, variant)))
    return NULL;
  number = ns_format_cosine (last.mean);
  if (last.mean < ALIKE_COS)
    return g_strdup_printf (_("token similarity %s at block %d"), number, (int) depth);
  /* What was so at the input already did not become so in the stack. */
  if (ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, 0, &input)
      && input.mean >= MIN (last.mean, NS_COLLAPSE_COS))
    return g_strdup_printf (_("tokens are alike from the input on: similarity %s at block %d"), number, (int) depth);
  if (last.mean < NS_COLLAPSE_COS)
    return g_strdup_printf (_("tokens become alike: similarity %s at block %d"), number, (int) depth);
  return g_strdup_printf (_("tokens become one vector (similarity %s)"), number);
}

static char *
dup_overflow (const NsResult *result, guint variant)
{
  gint64 depth = ns_result_get_experiment (result)->shape.depth;
  gint64 site = ns_result_get_first_overflow (result, variant, NULL);
  guint n_seeds = ns_result_get_n_seeds (result), n = 0;

  if (site == 0)
    return NULL;
  for (guint s = 0; s < n_seeds; s++)
    n += ns_result_get_overflow (result, variant, s) != 0 ? 1 : 0;
  if (site > depth)
    return n == n_seeds ? g_strdup (_("the forward pass overflows in the head"))
                        : g_strdup_printf (_("the forward pass overflows in the head with %u of %u seeds"), n, n_seeds);
  return n == n_seeds ? g_strdup_printf (_("the forward pass overflows in block %d"), (int) site)
                      : g_strdup_printf (_("the forward pass overflows in block %d with %u of %u seeds"), (int) site, n,
                                         n_seeds);
}

static void
take_clause (GPtrArray *clauses, char *clause)
{
  if (clause != NULL)
    g_ptr_array_add (clauses, clause);
}

static char *
dup_line (const NsResult *result, guint variant, NsQuantity quantity, const NsTrend *trend)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autoptr (GPtrArray) clauses = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *joined = NULL;

  take_clause (clauses, dup_overflow (result, variant));
  if (clauses->len == 0)
    {
      take_clause (clauses, dup_trend (trend, quantity, experiment->shape.depth));
      take_clause (clauses, dup_underflow (trend, experiment->shape.depth));
      take_clause (clauses, dup_similarity (result, variant));
    }
  g_ptr_array_add (clauses, NULL);
  /* Translators: between the clauses about one variant */
  joined = g_strjoinv (_("; "), (char **) clauses->pdata);
  /* Translators: a variant's name and what its curve does */
  return g_strdup_printf (_("%s: %s."), ns_experiment_variant (experiment, variant)->name, joined);
}

static gboolean
has_number (const NsTrend *trend, gint64 depth)
{
  return trend->kind != NS_TREND_ABSENT && trend->last == depth && isfinite (trend->last_log10);
}

static char *
dup_comparison (const NsResult *result, NsQuantity quantity, const guint variants[2], const NsTrend trends[2])
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 depth = experiment->shape.depth;
  const char *const names[] = { ns_experiment_variant (experiment, variants[0])->name,
                                ns_experiment_variant (experiment, variants[1])->name };
  g_autofree char *ratio = NULL;
  const char *more, *less;
  double difference;

  if (!has_number (&trends[0], depth) || !has_number (&trends[1], depth))
    return NULL;
  difference = trends[1].last_log10 - trends[0].last_log10;
  ratio = ns_format_ratio (fabs (difference));
  more = names[difference >= 0 ? 1 : 0];
  less = names[difference >= 0 ? 0 : 1];

  if (fabs (difference) < log10 (NS_FLAT_RATIO)
      || fabs (difference) <= ns_ratio_spread (result, quantity, variants[1], depth, variants[0], depth))
    return depth == 1 ? g_strdup_printf (_("In that block %s and %s are close (%s:1)."), names[0], names[1], ratio)
                      : g_strdup_printf (_("At the top %s and %s are close (%s:1)."), names[0], names[1], ratio);
  return depth == 1 ? g_strdup_printf (_("In that block %s is %s times %s."), more, ratio, less)
                    : g_strdup_printf (_("At the top %s is %s times %s."), more, ratio, less);
}

char *
ns_flow_sentence (const NsResult *result, const NsFlowOptions *options)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  const NsExperiment *experiment;
  NsTrend trends[2];
  guint compared[2], n_compared = 0;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  experiment = ns_result_get_experiment (result);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsTrend trend;

      if (!ns_flow_is_visible (options, v))
        continue;
      trend = ns_trend_measure (result, v, options->gradient);
      g_ptr_array_add (lines, dup_line (result, v, options->gradient, &trend));
      if (n_compared < 2)
        {
          compared[n_compared] = v;
          trends[n_compared++] = trend;
        }
    }
  if (n_compared == 0)
    return g_strdup (_("Every variant is hidden."));
  if (n_compared == 2)
    take_clause (lines, dup_comparison (result, options->gradient, compared, trends));
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}
