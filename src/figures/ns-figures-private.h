/* Helpers shared inside this room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "figures/ns-figures.h"

G_BEGIN_DECLS

/* A drift below this ratio is called flat, whatever the seeds say. */
#define NS_FLAT_RATIO 1.25
/* Token similarity from which the tokens count as one vector. */
#define NS_COLLAPSE_COS 0.99

gboolean ns_flow_is_visible (const NsFlowOptions *options, guint variant);

/* Whether a variant has the residual of attention, FFN or, in an encoder-decoder, cross-attention off. */
gboolean ns_variant_lacks_residual (const NsExperiment *experiment, guint variant);

/* Where a layer (0: the input) of the part stands on the flow figure's axis: the parts lie side by side. */
gint64 ns_flow_get_x (const NsExperiment *experiment, gint64 part_index, gint64 layer);
/* The part and layer nearest to x. */
NsPart ns_flow_find_layer (const NsExperiment *experiment, gint64 x, gint64 *layer);
/* Divides the axis of a figure that has its series, when the experiment has more than one part. */
void ns_flow_add_parts (NsFigure *figure, const NsExperiment *experiment);

/* Adds what theory says to the panel of the activations, as references. */
void ns_flow_add_predictions (const NsResult *result, const NsFlowOptions *options, gboolean with_cos, NsPanel *panel);

/* log10 of the mean where a double holds it, else the mean of the log10. -INFINITY: 0; NAN, INFINITY as found. */
double ns_stat_get_log10 (const NsStat *stat);

/* "4.1", "41", "2.3·10⁵", "10³¹²": a ratio >= 1 by its log10; caller frees. */
char *ns_format_ratio (double log10_ratio);

/* "0.998", ">0.999" for what would round up to 1; caller frees. */
char *ns_format_cosine (double cosine);

/* "0.123 ± 0.01", "1.2·10⁻³⁰⁴", "NaN"; caller frees. */
char *ns_format_stat (const NsStat *stat);

G_END_DECLS
