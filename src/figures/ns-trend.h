/* The trend of a curve over the blocks: it falls, rises, peaks, is flat, or has values that are not finite.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions; any thread.
 */
#pragma once

#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* A drift below this ratio is flat, however small the spread over the seeds. */
#define NS_FLAT_RATIO 1.25

typedef enum
{
  NS_TREND_ABSENT,      /* the variant has no such quantity */
  NS_TREND_NOT_FINITE,  /* NaN or Inf in some block */
  NS_TREND_ZERO,        /* exactly 0 in some block, so that there is no ratio */
  NS_TREND_SINGLE,      /* one block has it */
  NS_TREND_FLAT,        /* first and last differ by less than NS_FLAT_RATIO */
  NS_TREND_WITHIN_SEEDS, /* first and last differ by more, but within the spread over the seeds */
  NS_TREND_DRIFTS,      /* falls or rises from first to last */
  NS_TREND_PEAK,        /* rises to `turn`, then falls */
  NS_TREND_LOW,         /* falls to `turn`, then rises */
} NsTrendKind;

typedef struct
{
  NsTrendKind kind;
  NsPart part;         /* the part whose blocks are counted */
  gint64 first, last;  /* blocks between which it is measured; 0: the input */
  gint64 turn;         /* PEAK, LOW */
  double first_log10, last_log10, turn_log10;
  /* NOT_FINITE, ZERO: the blocks with such values; else those whose mean is below the smallest double. n_bad 0:
   * none. */
  gint64 n_bad, bad_first, bad_last;
  gboolean is_inf;     /* NOT_FINITE: Inf, not NaN, in bad_first */
} NsTrend;

/* The curve that is measured. */
typedef struct
{
  const NsResult *result;
  guint variant;
  NsQuantity quantity;
  NsMeanKind mean; /* the mean that the curve's axis shows */
  guint n_seeds;   /* measure only the first n_seeds seeds of the result */
  gboolean from_input; /* of a quantity of the stream: begin at the input of the part in place of block 1 */
} NsTrendSource;

/* Measure the trend over the blocks of one part, NS_PART_STACK in a single stack. */
NsTrend ns_trend_measure (const NsTrendSource *source, NsPart part);

/* Return 1, 0 or −1 if the curve's end is above, near or below its start, and 2 if it lacks either. Trends of different
 * signs contradict each other. */
int ns_trend_get_sign (const NsTrend *trend);

/* Return TRUE if the mean difference of two values, seed by seed, is at most its standard deviation: of the values for
 * an arithmetic mean, of their logarithms for a geometric one. Return FALSE for one seed. */
gboolean ns_differ_within_seeds (const NsTrendSource *a, gint64 site_a, const NsTrendSource *b, gint64 site_b);

/* Return the sample standard deviation over the seeds of log10 (value a / value b), taken seed by seed; 0 with one seed
 * or where a value is not finite. */
double ns_ratio_spread (const NsTrendSource *a, gint64 site_a, const NsTrendSource *b, gint64 site_b);

G_END_DECLS
