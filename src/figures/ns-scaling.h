/* The scaling figure of a sweep, and its texts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sweep may still be filling: a call uses the values that are there. Fits use only points at which every seed is
 * computed, so that all seeds of an exponent cover the same range. Pure functions; any thread.
 */
#pragma once

#include "engine/analysis/ns-laws.h"
#include "engine/run/ns-sweep.h"
#include "figures/ns-law-words.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef enum
{
  NS_SCALING_METRIC, /* every visible variant against depth or width */
  NS_SCALING_RATIO,  /* one variant over another, seed by seed, against √L */
} NsScalingView;

/* What the mean-field recursion predicts for a sweep: immutable, reference-counted, any thread. */
typedef struct _NsScalingTheory NsScalingTheory;

/* Compute it for every variant, against depth up to theory_depth. For a million blocks this takes some tenths of a
 * second for each variant. Keeps a reference to the sweep. */
NsScalingTheory *ns_scaling_theory_new (const NsSweep *sweep, int theory_depth);
NsScalingTheory *ns_scaling_theory_ref (NsScalingTheory *theory);
void ns_scaling_theory_unref (NsScalingTheory *theory);
/* Return TRUE if it was made for this sweep and depth. `theory` may be NULL. */
gboolean ns_scaling_theory_is_of (const NsScalingTheory *theory, const NsSweep *sweep, int theory_depth);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsScalingTheory, ns_scaling_theory_unref)

/* Options of the scaling figure and its texts. */
typedef struct
{
  NsScalingView view;
  gboolean log_x, log_y;
  gboolean band;        /* one standard deviation over the seeds to both sides, of the logarithm on a log axis */
  gboolean best_law;    /* draw the closest law through each variant of law_variants, if the fit is clear */
  guint laws;           /* bit NsLaw: also draw this law through each variant of law_variants */
  guint64 law_variants; /* bit v: draw laws through variant v, unless it is hidden */
  gboolean residuals;   /* a second panel: deviation of the measurement from each drawn law, in per cent */
  guint64 hidden;       /* bit v: variant v is not shown */
  guint numerator, denominator; /* NS_SCALING_RATIO: variants */
  gboolean stopped;     /* the sweep was stopped: texts call missing points left out, not pending */
  const NsColor *colors;     /* one for each variant, or NULL: the palette; borrowed */
  const gboolean *has_color; /* one for each variant, with colors */
  const int *styles;    /* for each variant the index of its colour, dash and marker; NULL: its own index; borrowed */
  gboolean titles;      /* a title and a caption (the sentence), for exported figures */
  gboolean predictions; /* draw mean-field theory dashed through each visible variant that meets its assumptions */
  int theory_depth;     /* against depth, draw it on to that depth, 1 .. NS_MEAN_FIELD_MAX_DEPTH */
  const NsScalingTheory *theory; /* its numbers, if they are of this sweep and depth; NULL: computed; borrowed */
} NsScalingOptions;

/* Set the defaults: the metric on log-log axes with band, the closest law through every variant; the ratio is variant 1
 * over variant 0 (Post-LN over Pre-LN in the default experiment). */
void ns_scaling_options_init (NsScalingOptions *options);

/* Make the figure; without values its panel has a message with the reason. Caller owns it. */
NsFigure *ns_scaling_figure (const NsSweep *sweep, const NsScalingOptions *options);

/* Describe the figure: a line for each visible variant (or one for the ratio), e.g. "Pre-LN: L⁻⁰·⁴⁹ (exponent ± 0.03);
 * closest law 1/√L (weight 0.97, off by 2 %).", then the progress of an unfinished sweep, "23 of 40 points so far.".
 * Where no law can be named, the line gives the reason: too short a range, too few points, zeros, values that are not
 * finite, flat data. Translated; plain text; caller frees. */
char *ns_scaling_sentence (const NsSweep *sweep, const NsScalingOptions *options);
/* The same, with the words that have a page of help in *links (NsLink of ns-links.h; nullable). */
char *ns_scaling_linked_sentence (const NsSweep *sweep, const NsScalingOptions *options, GArray **links);

/* Return one line with the values at the point nearest to x, a depth or width (not its logarithm): "Depth 24 · Pre-LN
 * 0.123 ± 0.010 · …"; caller frees. */
char *ns_scaling_readout (const NsSweep *sweep, const NsScalingOptions *options, double x);

/* ---- fits ---- */

/* Fit the laws to one variant, or to the ratio of two, taken seed by seed. */
void ns_scaling_fit (const NsSweep *sweep, guint variant, NsFit *fit);
void ns_scaling_fit_ratio (const NsSweep *sweep, guint numerator, guint denominator, NsFit *fit);

/* Return how many of the *n_points points (nullable) are computed for every variant and seed. */
guint ns_scaling_count_complete (const NsSweep *sweep, guint *n_points);

/* Return the symbol of the axis in formulas, "L" or "d"; static. */
const char *ns_scaling_get_letter (NsSweepAxis axis);
/* Return the sweep's metric with its part resolved: in an encoder-decoder NS_PART_STACK means the decoder. */
NsMetric ns_scaling_get_metric (const NsSweep *sweep);
/* Return "‖∂L/∂W₂‖ at the last block" or "decoder: ‖∂L/∂W₂‖ at the first block"; caller frees. */
char *ns_scaling_dup_metric_title (NsMetric metric);

/* ---- cells of tables ---- */

/* The fit of one law to one variant, as cells of a table. */
typedef struct
{
  guint variant;      /* NS_MAX_VARIANTS: the ratio */
  char *name;         /* the variant's, "Post-LN / Pre-LN" for the ratio */
  NsLaw law;
  char *formula;      /* "1/√L"; with a free number "L⁻⁰·⁴⁹", "0.56ᴸ" */
  char *weight, *relative_error;
  gboolean is_best;   /* the closest law; FALSE for all laws unless the fit is NS_FIT_OK */
} NsScalingRow;
void ns_scaling_row_free (NsScalingRow *row);

/* Return the laws of each visible variant (or of the ratio): the named laws, then those with a free number, each by
 * falling weight. An array of NsScalingRow, which owns them; caller owns the array. */
GPtrArray *ns_scaling_rows (const NsSweep *sweep, const NsScalingOptions *options);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsScalingRow, ns_scaling_row_free)

G_END_DECLS
