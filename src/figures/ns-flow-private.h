/* Parts of the flow figure, in call order: figure → sentence → comparison, predictions, ghosts, axis → options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-flow.h"
#include "figures/ns-trend.h"

G_BEGIN_DECLS

/* ---- options (ns-flow-options.c) ---- */

gboolean ns_flow_is_visible (const NsFlowOptions *options, guint variant);

/* Return the scale of the axis that shows the quantity. */
NsAxisScale ns_flow_get_scale (const NsResult *result, const NsFlowOptions *options, NsQuantity quantity);
/* Return the mean over the seeds that this axis shows. */
NsMeanKind ns_flow_get_mean (const NsResult *result, const NsFlowOptions *options, NsQuantity quantity);

/* Return the variant whose bars are so long that those of another one would be flat on a linear axis, or −1. */
int ns_flow_find_flattening (const NsResult *result, const NsFlowOptions *options);

/* Return TRUE when the variant has the residual of attention, FFN or, in an encoder-decoder, cross-attention off. */
gboolean ns_variant_lacks_residual (const NsExperiment *experiment, guint variant);

/* Return TRUE when the figure shows the token similarity. */
gboolean ns_flow_shows_token_cos (const NsExperiment *experiment, const NsFlowOptions *options);

/* ---- axis (ns-flow-axis.c) ---- */

/* Return the x of a layer (0: the input) of a part; the parts follow each other on one axis. */
gint64 ns_flow_get_x (const NsExperiment *experiment, gint64 part_index, gint64 layer);
/* Return the part, and in *layer the layer, nearest to x. */
NsPart ns_flow_find_layer (const NsExperiment *experiment, gint64 x, gint64 *layer);
/* Divide the x axis into one section for each part. Call it when the series are in the figure; a single stack stays as
 * it is. */
void ns_flow_add_parts (NsFigure *figure, const NsExperiment *experiment);

/* ---- comparison (ns-flow-comparison.c) ---- */

/* Return TRUE when a first picture, of one seed, was shown before this result. */
gboolean ns_flow_follows_first_seed (const NsResult *result, const NsFlowOptions *options);

/* Compare the curves at the last block in a line of the sentence. `sources` are NsTrendSource, `trends` their NsTrend
 * in the last part. NULL when fewer than two have a number there. */
char *ns_flow_dup_comparison (const NsResult *result, const NsFlowOptions *options, const GArray *sources,
                              const GArray *trends);

/* ---- ghosts (ns-flow-ghost.c) ---- */

/* Return the variant of `ghost` that a variant of `result` was: the one of its name, or after a renaming the one in its
 * place; −1: none. */
int ns_flow_find_ghost (const NsResult *result, const NsResult *ghost, guint variant);
/* Name the variant's former curve by the settings that differed: "before: depth 17"; caller frees. */
char *ns_flow_dup_before (const NsResult *result, guint variant, const NsResult *ghost, guint ghost_variant);

/* ---- predictions (ns-flow-predictions.c) ---- */

/* Add the predictions, as references, to the panels of the activations and of the similarity, which may be NULL. */
void ns_flow_add_predictions (const NsResult *result, const NsFlowOptions *options, NsPanel *activations,
                              NsPanel *similarity);

G_END_DECLS
