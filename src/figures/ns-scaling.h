/* From a sweep to the scaling figure and to the words beside it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep may still be filling: what has appeared by the time of the call is shown. Fits take the points at which every
 * seed has appeared, so that an exponent never mixes seeds of different ranges. Pure functions; any thread.
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef enum
{
  NS_SCALING_METRIC, /* every visible variant against depth or width */
  NS_SCALING_RATIO,  /* one variant over another, seed by seed, against √L */
} NsScalingView;

/* How a sweep is shown. */
typedef struct
{
  NsScalingView view;
  gboolean log_x, log_y;
  gboolean band;        /* one standard deviation over the seeds to both sides, of the logarithm on a log axis */
  gboolean best_law;    /* the closest law is drawn through each variant of law_variants, where one can be told */
  guint laws;           /* bit NsLaw: drawn through each variant of law_variants besides */
  guint64 law_variants; /* bit v: laws are drawn through it; those hidden are left out anyway */
  gboolean residuals;   /* a second panel: measured over law, in per cent, for each law drawn */
  guint64 hidden;       /* bit v: variant v is not shown */
  guint numerator, denominator; /* NS_SCALING_RATIO: variants */
  gboolean stopped;     /* nothing more will come: points that lack are spoken of as left out, not as on their way */
  const NsColor *colors;     /* one a variant, or NULL: the palette; borrowed */
  const gboolean *has_color; /* one a variant, with colors */
  const int *styles;    /* one a variant: index of its colour, dash and marker; NULL: its own index; borrowed */
  gboolean titles;      /* a title and a caption (the sentence), for exported figures */
} NsScalingOptions;

/* The metric, log-log, band, the closest law through every variant; the ratio is variant 1 over variant 0 (Post-LN over
 * Pre-LN by default). */
void ns_scaling_options_init (NsScalingOptions *options);

/* Caller owns the figure. Without numbers it says why. */
NsFigure *ns_scaling_figure (const NsSweep *sweep, const NsScalingOptions *options);

/* A line for each visible variant (or one for the ratio), e.g. "Pre-LN: L^(−0.49 ± 0.03); closest law 1/√L (weight
 * 0.97, off by 2 %).", then what lacks: "23 of 40 points so far.". A range that is too short, too few points,
 * numbers that are not finite, zeros and flat data are said in place of a law. Translated; plain text; caller
 * frees. */
char *ns_scaling_sentence (const NsSweep *sweep, const NsScalingOptions *options);

/* One line for the point nearest x (a depth or width; not its logarithm): "Depth 24 · Pre-LN 0.123 ± 0.010 · …";
 * caller frees. */
char *ns_scaling_readout (const NsSweep *sweep, const NsScalingOptions *options, double x);

/* ---- fits ---- */

/* The laws of one variant; of variant over variant, seed by seed. */
void ns_scaling_fit (const NsSweep *sweep, guint variant, NsFit *fit);
void ns_scaling_fit_ratio (const NsSweep *sweep, guint numerator, guint denominator, NsFit *fit);

/* Points of the sweep at which every variant and seed has appeared, of *n_points (nullable). */
guint ns_scaling_count_complete (const NsSweep *sweep, guint *n_points);

/* "L" or "d": what stands for the axis in the formulas; static. */
const char *ns_scaling_get_letter (NsSweepAxis axis);
/* The sweep's metric with its part by name: that of an encoder-decoder is the decoder's unless it is the encoder's. */
NsMetric ns_scaling_get_metric (const NsSweep *sweep);
/* "‖∂L/∂W₂‖ at the last block", "decoder: ‖∂L/∂W₂‖ at the first block"; caller frees. */
char *ns_scaling_dup_metric_title (NsMetric metric);

/* ---- words and cells, for tables ---- */

/* What a fit says after the variant's name, without the full stop: "L^(−0.49 ± 0.03); closest law 1/√L (weight 0.97,
 * off by 2 %)"; caller frees. */
char *ns_scaling_dup_verdict (const NsFit *fit, const char *letter);
/* Why there is no closest law, in words for a reader; NULL with NS_FIT_OK; caller frees. */
char *ns_scaling_dup_reason (const NsFit *fit, const char *letter);
/* "−0.49 ± 0.03", "−0.49" without an interval, "–" without an exponent; caller frees. */
char *ns_scaling_dup_exponent (const NsExponent *exponent);
/* "0.97", ">0.99", "<0.01"; "–" when there is none; caller frees. */
char *ns_scaling_dup_weight (double weight);
/* "2 %", "0.3 %", "<0.1 %", ">1000 %"; "–" when there is none; caller frees. */
char *ns_scaling_dup_percent (double relative_error);

/* One law held against one variant, as cells. */
typedef struct
{
  guint variant;      /* NS_MAX_VARIANTS: the ratio */
  char *name;         /* of the variant, "Post-LN / Pre-LN" for the ratio */
  NsLaw law;
  char *formula;      /* "1/√L"; the free power with its exponent: "L^−0.49" */
  char *weight, *relative_error;
  gboolean is_best;   /* the closest; never when the fit cannot tell */
} NsScalingRow;
void ns_scaling_row_free (NsScalingRow *row);

/* The laws of each visible variant (or of the ratio), variant by variant, those with a name by their weight and the
 * free power last: NsScalingRow, owned. */
GPtrArray *ns_scaling_rows (const NsSweep *sweep, const NsScalingOptions *options);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsScalingRow, ns_scaling_row_free)

G_END_DECLS
