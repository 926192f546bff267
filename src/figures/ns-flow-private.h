/* Parts of the flow figure, in call order: figure → sentence → comparison, predictions, factor, ghosts, axis → options.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/ns-flow.h"
#include "figures/ns-trend.h"

G_BEGIN_DECLS

/* ---- figure (ns-flow.c), shared with the other figures by block ---- */

/* Return an empty figure over the blocks; caller owns it. */
NsFigure *ns_flow_figure_new (void);
/* Append a panel with the curves or bars of one quantity; the figure owns it. */
NsPanel *ns_flow_add_panel (NsFigure *figure, const NsResult *result, const NsResult *ghost,
                            const NsFlowOptions *options, NsQuantity quantity, NsSeriesKind kind);
/* Return "At initialization: depth 24, d_model 64, …", the title of an exported figure; caller frees. */
char *ns_flow_dup_title (const NsExperiment *experiment, guint n_seeds);

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

/* ---- sentence (ns-flow-sentence.c), shared with the verdict ---- */

/* Token similarity from which the tokens count as alike. */
#define NS_ALIKE_COS 0.9
/* Token similarity from which the tokens count as one vector. */
#define NS_COLLAPSE_COS 0.99

/* Name the places without a usable value: "block 5", "blocks 1 to 5", "3 of 24 blocks", "the input and blocks 1 to 5".
 * Caller frees. */
char *ns_trend_dup_blocks (const NsTrend *trend, gint64 depth);
/* Return the format of "Geometric means over %u seeds.", untranslated. */
const char *ns_mean_get_format (NsMeanKind mean);
/* Return "the forward pass overflows in block 12 with 2 of 8 seeds"; NULL when it does not. Caller frees. */
char *ns_flow_dup_overflow (const NsResult *result, guint variant);
/* The same for n of n_seeds seeds that overflow, the first at that site. */
char *ns_flow_dup_overflow_at (const NsExperiment *experiment, gint64 site, guint n, guint n_seeds);

/* ---- axis (ns-flow-axis.c) ---- */

/* Return the x of a layer (0: the input) of a part; the parts follow each other on one axis. */
gint64 ns_flow_get_x (const NsExperiment *experiment, gint64 part_index, gint64 layer);
/* Return the same of a site other than the head. */
gint64 ns_flow_get_site_x (const NsExperiment *experiment, gint64 site);
/* Return the part, and in *layer the layer, nearest to x. */
NsPart ns_flow_find_layer (const NsExperiment *experiment, gint64 x, gint64 *layer);
/* Divide the x axis into one section for each part. Call it when the series are in the figure; a single stack stays as
 * it is. */
void ns_flow_add_parts (NsFigure *figure, const NsExperiment *experiment);

/* ---- marks (ns-flow-marks.c) ---- */

/* Return "× 4.1" or "÷ 4.1" for logarithms, "+0.120" for other numbers; NULL if it is no number. Caller frees. */
char *ns_flow_dup_change (gboolean is_log, double first, double second);

/* Name a mark, drawn or not: "Pin at Block 3". */
char *ns_flow_dup_bare_mark_name (const NsMarks *marks, int id);
/* Add pins and notes as annotations to the panels, which have their series. */
void ns_flow_add_marks (const NsResult *result, const NsFlowOptions *options, NsFigure *figure);

/* ---- comparison (ns-flow-comparison.c) ---- */

/* Return TRUE when a first picture, of one seed, was shown before this result. */
gboolean ns_flow_follows_first_seed (const NsResult *result, const NsFlowOptions *options);

/* Compare the curves at the last block in a line of the sentence. `sources` are NsTrendSource, `trends` their NsTrend
 * in the last part. NULL when fewer than two have a number there. */
char *ns_flow_dup_comparison (const NsResult *result, const NsFlowOptions *options, const GArray *sources,
                              const GArray *trends);

/* ---- ghosts (ns-flow-ghost.c) ---- */

/* Return the variant of the former experiment that a variant was: the one of its name, or after a renaming the one in
 * its place; −1: none. */
int ns_ghost_find_variant (const NsExperiment *now, const NsExperiment *before, guint variant);
/* Name the variant's former curve by the settings that differed: "before: depth 17". `of_training`: those of training
 * matter, too. Caller frees. */
char *ns_ghost_dup_name (const NsExperiment *now, guint variant, const NsExperiment *before, guint ghost_variant,
                         gboolean of_training);

/* ---- predictions (ns-flow-predictions.c) ---- */

/* Add the predictions, as references, to the panels of the gradients, of the activations, and of the similarity, which
 * may be NULL. */
void ns_flow_add_predictions (const NsResult *result, const NsFlowOptions *options, NsPanel *gradients,
                              NsPanel *activations, NsPanel *similarity);

/* ---- factor (ns-flow-factor.c) ---- */

/* Add to each measured curve of a panel of the figure, which has its parts, the line of a constant factor per block. */
void ns_flow_add_factor (const NsFigure *figure, NsPanel *panel, double factor);

G_END_DECLS
