/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-sub-layers.h"

#include <glib/gi18n-lib.h>
#include <math.h>

gboolean
ns_variant_has_sub (const NsVariant *variant, NsSub sub, NsPart part)
{
  if (sub == NS_SUB_CROSS)
    return part == NS_PART_DECODER;
  return variant->sublayers != (sub == NS_SUB_FFN ? NS_SUB_LAYERS_ATTENTION : NS_SUB_LAYERS_FFN);
}

NsSub
ns_variant_get_first_sub (const NsVariant *variant)
{
  return variant->sublayers == NS_SUB_LAYERS_FFN ? NS_SUB_FFN : NS_SUB_ATTN;
}

NsSub
ns_variant_get_last_sub (const NsVariant *variant)
{
  return variant->sublayers == NS_SUB_LAYERS_ATTENTION ? NS_SUB_ATTN : NS_SUB_FFN;
}

double
ns_variant_count_branches (const NsVariant *variant, NsPart part, double depth)
{
  int n = 0;

  for (int sub = 0; sub < NS_N_SUBS; sub++)
    n += ns_variant_has_sub (variant, (NsSub) sub, part) ? 1 : 0;
  return n * depth;
}

/* The quantities of a sub-layer other than those of its tensors. */
static const struct
{
  NsSub sub;
  NsQuantity quantity;
} of_sub_layers[] = {
  { NS_SUB_ATTN, NS_Q_ATTN },
  { NS_SUB_ATTN, NS_Q_GRAD_Y_ATTN },
  { NS_SUB_ATTN, NS_Q_GRAD_Z_ATTN },
  { NS_SUB_ATTN, NS_Q_GRAD_SKIP_RATIO_ATTN },
  { NS_SUB_ATTN, NS_Q_GRAD_SKIP_COS_ATTN },
  { NS_SUB_ATTN, NS_Q_RMS_Y_ATTN },
  { NS_SUB_ATTN, NS_Q_RMS_Z_ATTN },
  { NS_SUB_ATTN, NS_Q_RMS_ATTN },
  { NS_SUB_ATTN, NS_Q_SKIP_RATIO_ATTN },
  { NS_SUB_ATTN, NS_Q_SKIP_COS_ATTN },
  { NS_SUB_ATTN, NS_Q_SHARE_ATTN },
  { NS_SUB_ATTN, NS_Q_ENTROPY },
  { NS_SUB_ATTN, NS_Q_MAX_LOGIT },
  { NS_SUB_ATTN, NS_Q_RMS_SCORES },
  { NS_SUB_FFN, NS_Q_FFN },
  { NS_SUB_FFN, NS_Q_GRAD_Z_FFN },
  { NS_SUB_FFN, NS_Q_GRAD_SKIP_RATIO_FFN },
  { NS_SUB_FFN, NS_Q_GRAD_SKIP_COS_FFN },
  { NS_SUB_FFN, NS_Q_RMS_Z_FFN },
  { NS_SUB_FFN, NS_Q_RMS_FFN },
  { NS_SUB_FFN, NS_Q_SKIP_RATIO_FFN },
  { NS_SUB_FFN, NS_Q_SKIP_COS_FFN },
  { NS_SUB_FFN, NS_Q_SHARE_FFN },
};

gboolean
ns_variant_has_sub_of (const NsVariant *variant, NsQuantity quantity, NsPart part)
{
  if (variant->sublayers == NS_SUB_LAYERS_BOTH)
    return TRUE;
  /* the output of the last sub-layer is the block's */
  if (quantity == NS_Q_RMS_Y_ATTN || quantity == NS_Q_GRAD_Y_ATTN)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (of_sub_layers); i++)
    if (of_sub_layers[i].quantity == quantity)
      return ns_variant_has_sub (variant, of_sub_layers[i].sub, part);
  return TRUE;
}

/* What an FFN alone would silently leave out. */
static const char *
find_setting_of_attention (const NsVariant *variant)
{
  if (variant->qk_norm != NS_QK_NORM_NONE)
    return "qk_norm";
  if (variant->rotary.pairs != NS_ROTARY_NONE)
    return "rotary";
  if (variant->position_bias != NS_POSITION_BIAS_NONE)
    return "position_bias";
  if (variant->window.size > 0)
    return "window";
  return !isnan (variant->score_cap) ? "score_cap" : NULL;
}

const char *
ns_sub_layers_find_conflict (const NsExperiment *experiment, const NsVariant *variant, const char **key)
{
  if (variant->sublayers == NS_SUB_LAYERS_BOTH)
    return NULL;
  *key = "shape.stack";
  if (experiment->shape.stack == NS_STACK_ENCODER_DECODER)
    return _ ("when shape.stack = encoder-decoder; allowed: both, or shape.stack = single");
  *key = "topology";
  if (variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    return _ ("when the topology is parallel, which adds attention and FFN at once; allowed: both, or topology = "
              "sequential");
  *key = "block_residual";
  if (variant->block_residual)
    return _ ("when block_residual = true: the input of a block with one sub-layer is already its residual; allowed: "
              "both, or block_residual = false");
  *key = "init.residual";
  if (variant->init.residual.rule == NS_INIT_RESIDUAL_SUB_LN)
    return _ ("when init.residual = sub-ln, whose factor √(ln n) is 0 for a single branch; allowed: both, or another "
              "init.residual");
  *key = "experts";
  if (variant->sublayers == NS_SUB_LAYERS_ATTENTION && variant->experts.count > 0)
    return _ ("with experts, which replace an FFN; allowed: both or ffn, or experts = null");
  *key = variant->sublayers == NS_SUB_LAYERS_FFN ? find_setting_of_attention (variant) : NULL;
  if (*key != NULL)
    return _ ("with norms, positions, windows or caps of an attention; allowed: both or attention, or qk_norm, rotary "
              "and position_bias = none, window and score_cap = null");
  return NULL;
}
