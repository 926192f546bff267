/* What gradient and stream do between a part's input and its last block, in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"
#include "figures/ns-verdict-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Block 1 is named where it changes the curve by this ratio or more, and by more than all other blocks together. */
#define FIRST_BLOCK_RATIO 1.5

/* The words for a curve, in the direction in which it runs. %1$d is the last block, %2$s a change, "to a third",
 * %3$d the block of a turn, %4$s the change after it. */
typedef struct
{
  NsQuantity quantity;
  int sign; /* 1: from the input to the last block; -1: from there to the input */
  const char *flat, *within_seeds, *grows, *shrinks, *peak, *low, *zero, *infinite, *nan;
  const char *first_block; /* added where block 1 makes most of the change */
} VerdictWords;

static const VerdictWords gradient_words = {
  NS_Q_GRAD_X,
  -1,
  N_ ("the gradient ∂L/∂x is flat from block %1$d to the input"),
  N_ ("the gradient ∂L/∂x shows no trend beyond the spread of the seeds from block %1$d to the input"),
  N_ ("the gradient ∂L/∂x grows %2$s from block %1$d to the input"),
  N_ ("the gradient ∂L/∂x shrinks %2$s from block %1$d to the input"),
  N_ ("the gradient ∂L/∂x grows %2$s from block %1$d to a peak in block %3$d, "
      "and from there shrinks %4$s at the input"),
  N_ ("the gradient ∂L/∂x shrinks %2$s from block %1$d to a low in block %3$d, "
      "and from there grows %4$s at the input"),
  N_ ("the gradient ∂L/∂x is exactly 0 at %s"),
  N_ ("the gradient ∂L/∂x is infinite at %s"),
  N_ ("the gradient ∂L/∂x is not a number at %s"),
  /* Translators: what the gradient does to the input; then "flat" and "grows to 31 times" */
  N_ ("%1$s: %2$s down to block 1, %3$s through it"),
};

static const VerdictWords stream_words = {
  NS_Q_RMS_X,
  1,
  N_ ("the stream is flat up to block %1$d"),
  N_ ("the stream shows no trend beyond the spread of the seeds up to block %1$d"),
  N_ ("the stream grows %2$s by block %1$d"),
  N_ ("the stream shrinks %2$s by block %1$d"),
  N_ ("the stream grows %2$s at a peak in block %3$d, and from there shrinks %4$s by block %1$d"),
  N_ ("the stream shrinks %2$s at a low in block %3$d, and from there grows %4$s by block %1$d"),
  N_ ("the stream is exactly 0 at %s"),
  N_ ("the stream is infinite at %s"),
  N_ ("the stream is not a number at %s"),
  /* Translators: what the stream does from the input; then "flat" and "grows to 31 times" */
  N_ ("%1$s: %3$s through block 1, %2$s from there"),
};

static NsTrendSource
get_verdict_source (const NsWiringVerdict *verdict, const VerdictWords *words)
{
  return (NsTrendSource){ .result = verdict->result,
                          .variant = verdict->variant,
                          .quantity = words->quantity,
                          .mean = NS_MEAN_GEOMETRIC,
                          .n_seeds = ns_result_get_n_seeds (verdict->result),
                          .from_input = TRUE };
}

/* Say what the curve does between two blocks. */
static char *
dup_step (const NsWiringVerdict *verdict, const VerdictWords *words, gint64 low, gint64 high, double log10_ratio)
{
  NsTrendSource source = get_verdict_source (verdict, words);
  g_autofree char *change = ns_format_change (log10_ratio);

  if (fabs (log10_ratio) < log10 (NS_FLAT_RATIO))
    return g_strdup (_ ("flat"));
  if (ns_differ_within_seeds (&source, ns_experiment_get_site (verdict->experiment, verdict->part, high), &source,
                              ns_experiment_get_site (verdict->experiment, verdict->part, low)))
    return g_strdup (_ ("no clear trend"));
  /* Translators: a change: "shrinks to a third" */
  return g_strdup_printf (log10_ratio > 0 ? _ ("grows %s") : _ ("shrinks %s"), change);
}

/* Add to a clause what block 1 does, if that is most of the change. Takes the clause. */
static char *
take_with_first_block (const NsWiringVerdict *verdict, const VerdictWords *words, const NsTrend *trend, char *clause)
{
  g_autofree char *taken = clause, *through = NULL, *beyond = NULL;
  gint64 site = ns_experiment_get_site (verdict->experiment, verdict->part, 1);
  double jump, rest;
  NsStat stat;

  if (trend->first > 0 || trend->last < 2
      || !ns_result_get_stat (verdict->result, verdict->variant, words->quantity, site, &stat))
    return g_steal_pointer (&taken);
  jump = words->sign * (stat.log10_mean - trend->first_log10);
  rest = words->sign * (trend->last_log10 - stat.log10_mean);
  if (!(fabs (jump) >= log10 (FIRST_BLOCK_RATIO)) || fabs (jump) <= fabs (jump + rest) / 2)
    return g_steal_pointer (&taken);
  through = dup_step (verdict, words, 0, 1, jump);
  beyond = dup_step (verdict, words, 1, trend->last, rest);
  return g_strdup_printf (_ (words->first_block), clause, beyond, through);
}

static char *
dup_turn_in_words (const NsTrend *trend, const VerdictWords *words)
{
  double from = words->sign > 0 ? trend->first_log10 : trend->last_log10;
  double to = words->sign > 0 ? trend->last_log10 : trend->first_log10;
  g_autofree char *before = ns_format_change (trend->turn_log10 - from);
  g_autofree char *after = ns_format_change (to - trend->turn_log10);

  return g_strdup_printf (_ (trend->kind == NS_TREND_PEAK ? words->peak : words->low), (int) trend->last, before,
                          (int) trend->turn, after);
}

static char *
dup_trend_in_words (const NsWiringVerdict *verdict, const VerdictWords *words)
{
  NsTrendSource source = get_verdict_source (verdict, words);
  NsTrend trend = ns_trend_measure (&source, verdict->part);
  double drift = words->sign * (trend.last_log10 - trend.first_log10);
  g_autofree char *text = NULL;
  const char *format;

  switch (trend.kind)
    {
    case NS_TREND_NOT_FINITE:
    case NS_TREND_ZERO:
      text = ns_trend_dup_blocks (&trend, ns_experiment_get_depth (verdict->experiment, verdict->part));
      format = trend.kind == NS_TREND_ZERO ? words->zero : trend.is_inf ? words->infinite : words->nan;
      return g_strdup_printf (_ (format), text);
    case NS_TREND_PEAK:
    case NS_TREND_LOW:
      return dup_turn_in_words (&trend, words);
    case NS_TREND_FLAT:
    case NS_TREND_WITHIN_SEEDS:
    case NS_TREND_DRIFTS:
      format = trend.kind == NS_TREND_FLAT           ? words->flat
               : trend.kind == NS_TREND_WITHIN_SEEDS ? words->within_seeds
               : drift > 0                           ? words->grows
                                                     : words->shrinks;
      text = ns_format_change (drift);
      return take_with_first_block (verdict, words, &trend, g_strdup_printf (_ (format), (int) trend.last, text));
    case NS_TREND_ABSENT:
    case NS_TREND_SINGLE:
    default:
      return NULL;
    }
}

char *
ns_verdict_dup_gradient (const NsWiringVerdict *verdict)
{
  return dup_trend_in_words (verdict, &gradient_words);
}

char *
ns_verdict_dup_stream (const NsWiringVerdict *verdict)
{
  return dup_trend_in_words (verdict, &stream_words);
}

gboolean
ns_verdict_lacks_gradient (const NsWiringVerdict *verdict)
{
  NsTrendSource source = get_verdict_source (verdict, &gradient_words);
  NsTrendKind kind = ns_trend_measure (&source, verdict->part).kind;

  return kind == NS_TREND_NOT_FINITE || kind == NS_TREND_ZERO;
}
