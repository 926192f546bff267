/* Properties that follow from the settings. See MODEL: wiring and depth-dependent constants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The wiring of a sub-layer; cross-attention's falls back to the attention's, field by field. */
NsWiring ns_variant_get_wiring (const NsVariant *variant, NsSub sub);

/* The placement that holds in block l = 1..depth: Post-LN or Pre-LN by post_fraction (Mix-LN, Li et al. 2024),
 * else the sub-layer's own. */
NsPlacement ns_variant_get_placement (const NsVariant *variant, NsSub sub, gint64 block, gint64 depth);
gboolean ns_placement_has_pre (NsPlacement placement);
gboolean ns_placement_has_branch (NsPlacement placement);
gboolean ns_placement_has_post (NsPlacement placement);
/* Whether a norm stands before the head: `auto` is on unless the last block ends in a post norm. With unit-gradient
 * there is no head, so never. */
gboolean ns_experiment_has_final_norm (const NsExperiment *experiment, guint variant);
/* Whether the encoder's output is normalized before the decoder reads it, by the same rule with any loss; FALSE in a
 * single stack. */
gboolean ns_experiment_has_encoder_norm (const NsExperiment *experiment, guint variant);
/* a: the residual scale, with N = M = depth in an encoder-decoder. DeepNorm (Wang et al. 2022); Admin's closed form
 * (Liu et al. 2020). */
double ns_variant_get_alpha (const NsVariant *variant, NsPart part, gint64 depth);
/* b: the branch scale. */
double ns_variant_get_branch_scale (const NsVariant *variant, gint64 depth);
/* Features of one head, and heads of keys and values (grouped-query attention, Ainslie et al. 2023). */
gint64 ns_shape_get_d_head (const NsShape *shape);
gint64 ns_shape_get_kv_heads (const NsShape *shape);

G_END_DECLS
