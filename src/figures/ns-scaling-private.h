/* Shared by the scaling figure and its texts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-scaling.h"

G_BEGIN_DECLS

/* A variant, or the ratio of two. */
typedef struct
{
  guint variant, over; /* over == NS_MAX_VARIANTS: the variant alone */
} NsScalingCurve;

/* Return the curves that the options show, an array of NsScalingCurve; caller owns it. */
GArray *ns_scaling_list_curves (const NsSweep *sweep, const NsScalingOptions *options);
/* Return "Pre-LN" or "Post-LN / Pre-LN"; caller frees. */
char *ns_scaling_dup_name (const NsSweep *sweep, const NsScalingCurve *curve);

/* Compute the statistic of the seeds computed so far at a point. Return FALSE while there is none. */
gboolean ns_scaling_get_stat (const NsSweep *sweep, const NsScalingCurve *curve, guint point, NsStat *stat);

/* The points at which every seed is computed. */
typedef struct
{
  guint n, n_seeds;
  double *x;       /* [n] */
  double *log10_y; /* [n_seeds][n] */
} NsScalingData;

/* Collect the complete points of a curve; clear it with ns_scaling_data_clear(). */
NsScalingData ns_scaling_collect (const NsSweep *sweep, const NsScalingCurve *curve);
void ns_scaling_data_clear (NsScalingData *data);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsScalingData, ns_scaling_data_clear)

void ns_scaling_fit_data (const NsScalingData *data, NsFit *fit);

/* Return TRUE when every variant of the curve has the metric's quantity. */
gboolean ns_scaling_curve_exists (const NsSweep *sweep, const NsScalingCurve *curve);

/* The theory of one curve: log10 y [n] over x [n], NAN where there is none. */
typedef struct
{
  guint n;
  const double *x;  /* of the theory */
  double *log10_y;
} NsTheoryCurve;

/* Return the theory that the options name, or a new one; caller unrefs. */
NsScalingTheory *ns_scaling_get_theory (const NsSweep *sweep, const NsScalingOptions *options);
/* Get the theory of a curve; return FALSE if it has no number at all. Caller frees log10_y. */
gboolean ns_scaling_theory_get_curve (const NsScalingTheory *theory, const NsScalingCurve *curve,
                                      NsTheoryCurve *found);
/* Return a line of the sentence: "Mean field at depth 1000000: Pre-LN 0.0012, Post-LN 1.5.", or why there is no theory.
 * Caller frees. */
char *ns_scaling_dup_theory_line (const NsSweep *sweep, const NsScalingOptions *options);
/* Return the read-out at a depth beyond the sweep, where only the theory has numbers; NULL within it. Caller frees. */
char *ns_scaling_dup_beyond (const NsSweep *sweep, const NsScalingOptions *options, double x);

/* Return a sentence on why there is nothing to show, or NULL; caller frees. */
char *ns_scaling_dup_absence (const NsSweep *sweep, const NsScalingOptions *options);

/* Return the law to name in one word: the exponential or stretched one that is the closest, else the power; NS_N_LAWS
 * if no law is the closest and the power does not fit. */
NsLaw ns_scaling_get_law_in_short (const NsFit *fit);
/* Return where the metric is measured, and that it is a ratio: "last block", "encoder, first block, ratio"; NULL when
 * there is nothing to say; caller frees. */
char *ns_scaling_dup_place (NsMetric metric, NsScalingView view);
/* Return the metric's title with the given symbol or markup of its quantity; caller frees. */
char *ns_scaling_dup_metric_text (NsMetric metric, const char *symbol);

G_END_DECLS
