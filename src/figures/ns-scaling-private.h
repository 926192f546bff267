/* What the scaling figure and its words share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-scaling.h"

G_BEGIN_DECLS

/* A variant, or one over another. */
typedef struct
{
  guint variant, over; /* over == NS_MAX_VARIANTS: the variant alone */
} NsScalingCurve;

/* The curves that the options show: NsScalingCurve. */
GArray *ns_scaling_list_curves (const NsSweep *sweep, const NsScalingOptions *options);
char *ns_scaling_dup_name (const NsSweep *sweep, const NsScalingCurve *curve);

/* One seed's value at a point, or all that have appeared; FALSE while there is none. */
gboolean ns_scaling_get_value (const NsSweep *sweep, const NsScalingCurve *curve, guint point, guint seed,
                               double *value, double *log10_value);
gboolean ns_scaling_get_stat (const NsSweep *sweep, const NsScalingCurve *curve, guint point, NsStat *stat);

/* The points at which every seed has appeared. */
typedef struct
{
  guint n, n_seeds;
  double *x;       /* [n] */
  double *log10_y; /* [n_seeds][n] */
} NsScalingData;

NsScalingData ns_scaling_collect (const NsSweep *sweep, const NsScalingCurve *curve);
void ns_scaling_data_clear (NsScalingData *data);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsScalingData, ns_scaling_data_clear)

void ns_scaling_fit_data (const NsScalingData *data, NsFit *fit);

/* Whether every variant of the curve has the metric's quantity somewhere. */
gboolean ns_scaling_curve_exists (const NsSweep *sweep, const NsScalingCurve *curve);

/* Why nothing can be shown, or NULL. */
char *ns_scaling_dup_absence (const NsSweep *sweep, const NsScalingOptions *options);

/* "1/√L"; the free power with its exponent, "L^−0.49". */
char *ns_scaling_dup_law (const NsFit *fit, NsLaw law, const char *letter);
/* With the quantity's symbol or markup in it. */
char *ns_scaling_dup_metric_text (NsMetric metric, const char *symbol);

G_END_DECLS
