/* Properties that follow from the settings. See MODEL: wiring and depth-dependent constants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-parts.h"
#include "engine/experiment/ns-tensor.h"
#include "engine/ops/ns-rotary.h"

G_BEGIN_DECLS

/* Return the wiring of a sub-layer. A field of cross-attention that is null has the value of the attention's field. */
NsWiring ns_variant_get_wiring (const NsVariant *variant, NsSub sub);

/* Return TRUE when the variant has experts, and one that every token passes through. */
gboolean ns_variant_has_shared_expert (const NsVariant *variant);

/* Return TRUE when the variant adds this bias (NS_N_TENSORS: none), of a linear map or of a norm, wherever it has the
 * map or the norm. */
gboolean ns_variant_has_bias (const NsVariant *variant, NsTensor bias);

/* Return TRUE if the depth is in the scales of the residual, the branches or the input, or in the initialization, so
 * that no block keeps its values when the stack grows. */
gboolean ns_variant_scales_with_depth (const NsVariant *variant);
/* Return the norm placement in block 1 .. depth: with a post_fraction Post-LN in that share of the blocks from the
 * bottom and Pre-LN above (Mix-LN, Li et al. 2024), without one and with first_block_pre Pre-LN in block 1
 * (HybridNorm*, Zhuo et al. 2025), otherwise the sub-layer's own. */
NsPlacement ns_variant_get_placement (const NsVariant *variant, NsSub sub, gint64 block, gint64 depth);
/* Return TRUE when a placement has a norm before the sub-layer, on the branch, after the addition. */
gboolean ns_placement_has_pre (NsPlacement placement);
gboolean ns_placement_has_branch (NsPlacement placement);
gboolean ns_placement_has_post (NsPlacement placement);
/* Return TRUE when a norm follows the last block: `auto` adds one unless that block ends in a norm. */
gboolean ns_variant_ends_in_norm (const NsVariant *variant, gint64 depth);
/* Return TRUE when there is a norm before the head: `auto` means one unless the last block ends in a post norm. FALSE
 * with the loss unit-gradient, which has no head. */
gboolean ns_experiment_has_final_norm (const NsExperiment *experiment, guint variant);
/* Return TRUE when a dense layer, an activation and a norm precede the output matrix. Without a head there are none. */
gboolean ns_experiment_has_head_transform (const NsExperiment *experiment, guint variant);
/* Return TRUE when the Gaussian input is patches of pixels, which a matrix maps to the model's features. */
gboolean ns_experiment_has_patches (const NsExperiment *experiment);
/* Return TRUE when the loss is that of the class tokens alone. */
gboolean ns_experiment_has_class_token_loss (const NsExperiment *experiment);
/* Return TRUE when the tokens of an encoder and its decoder are those of one sequence: of a text, a chain or a
 * reversal. */
gboolean ns_experiment_has_one_sequence (const NsExperiment *experiment);
/* Return TRUE when a norm follows the encoder, by the same rule with any loss; FALSE in a single stack. */
gboolean ns_experiment_has_encoder_norm (const NsExperiment *experiment, guint variant);
/* Return a, the residual scale of a block (1..L) of a part: a number, DeepNorm's rule (Wang et al. 2022, table 1), the
 * closed form of Admin (Liu et al. 2020) or Keel's (Chen and Wei 2026). */
double ns_variant_get_alpha (const NsVariant *variant, NsPart part, gint64 block, const NsParts *parts);
/* Return b, the branch scale in a part of this depth. */
double ns_variant_get_branch_scale (const NsVariant *variant, gint64 depth);
/* Return the features of one head, and the number of key and value heads (grouped-query attention, Ainslie et al.
 * 2023). */
gint64 ns_shape_get_d_head (const NsShape *shape);
gint64 ns_shape_get_kv_heads (const NsShape *shape);
/* Return the rule of the angles of rotary positions, for heads of this shape; its dim is 0 without them. */
NsRotaryRule ns_variant_get_rotary_rule (const NsVariant *variant, const NsShape *shape);
/* Return the *n numbers that divide the angles of LongRoPE's pairs in sequences of the shape's length; NULL if there
 * are none. Caller frees. */
double *ns_variant_dup_rotary_factors (const NsVariant *variant, const NsShape *shape, gsize *n);
/* Return FALSE when the key is of a setting that the variant's kind of rotary positions, or of their scaling, or its
 * lack of a window, leaves without effect. */
gboolean ns_variant_uses_rotary_setting (const NsVariant *variant, const char *key);
/* Return TRUE when block `layer`, from 1 on, has rotary positions. */
gboolean ns_variant_has_rotary (const NsVariant *variant, gint64 layer);
/* Return TRUE when queries and keys of a sub-layer of block `layer` have norms, as in nGPT. Those of head-rotary are
 * where the sub-layer has rotary positions. */
gboolean ns_variant_has_qk_norm (const NsVariant *variant, NsSub sub, gint64 layer);
/* Return TRUE when blocks with a window have rotary positions of their own, and their rule: another base, and no
 * scaling. */
gboolean ns_variant_has_local_rotary (const NsVariant *variant);
NsRotaryRule ns_variant_get_local_rotary_rule (const NsVariant *variant, const NsShape *shape);
/* Return the tokens that a query sees at most in the self-attention of block `layer`, from 1 on: itself and those
 * before it, without a mask as many after it. 0: all. */
gint64 ns_variant_get_window (const NsVariant *variant, gint64 layer);
/* Give every variant whose rotary_dim is set the same share of a head of the experiment's new shape as it had of one
 * of d_head features, and every pair the LongRoPE factors of the former pair with the same angle, or the next faster
 * one. */
void ns_experiment_fit_rotary (NsExperiment *experiment, gint64 d_head);

G_END_DECLS
