/* Sites, which variant has which quantity where, and the shapes of tensors.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-quantity.h"

#include "engine/experiment/ns-derived.h"

/* ---- sites ---- */

gint64
ns_experiment_get_n_parts (const NsExperiment *experiment)
{
  return experiment->shape.stack == NS_STACK_ENCODER_DECODER ? 2 : 1;
}

gint64
ns_experiment_get_head_site (const NsExperiment *experiment)
{
  return ns_experiment_get_n_parts (experiment) * (experiment->shape.depth + 1);
}

NsPart
ns_experiment_get_part (const NsExperiment *experiment, gint64 index)
{
  if (ns_experiment_get_n_parts (experiment) == 1)
    return NS_PART_STACK;
  return index == 0 ? NS_PART_ENCODER : NS_PART_DECODER;
}

gint64
ns_experiment_get_site (const NsExperiment *experiment, NsPart part, gint64 layer)
{
  gboolean second = part != NS_PART_ENCODER && ns_experiment_get_n_parts (experiment) == 2;

  return layer + (second ? experiment->shape.depth + 1 : 0);
}

NsPart
ns_site_get_part (const NsExperiment *experiment, gint64 site)
{
  return ns_experiment_get_part (experiment, site / (experiment->shape.depth + 1));
}

gint64
ns_site_get_layer (const NsExperiment *experiment, gint64 site)
{
  return site % (experiment->shape.depth + 1);
}

const char *
ns_part_get_name (NsPart part)
{
  static const char *const names[] = { "stack", "encoder", "decoder" };

  g_return_val_if_fail ((guint) part < G_N_ELEMENTS (names), NULL);
  return names[part];
}

/* ---- which variant has what ---- */

/* A block of a variant: what its tensors depend on. */
typedef struct
{
  const NsVariant *variant;
  NsPart part;
  gint64 layer, depth;
} Block;

/* The linear maps of a block, and with `bias` their biases. */
static gboolean
has_linear (NsTensor matrix, const Block *block)
{
  if (matrix >= NS_T_CROSS_W_Q && block->part != NS_PART_DECODER)
    return FALSE;
  switch ((int) matrix)
    {
    case NS_T_W_O:
    case NS_T_CROSS_W_O:
      return block->variant->attention_output;
    case NS_T_W_3:
      return ns_activation_is_gated ((NsActivation) block->variant->activation);
    default:
      return TRUE;
    }
}

/* The norms of one sub-layer, counted from its pre norm. */
static gboolean
sub_layer_has_norm (NsSub sub, int norm, const Block *block)
{
  const NsVariant *variant = block->variant;
  NsPlacement placement = ns_variant_get_placement (variant, sub, block->layer, block->depth);
  /* Side by side the two sub-layers share the attention's post norm, and its pre norm unless each has its own. */
  gboolean shares_pre = sub == NS_SUB_FFN && variant->topology == NS_TOPOLOGY_PARALLEL;
  gboolean shares_post = sub == NS_SUB_FFN && variant->topology != NS_TOPOLOGY_SEQUENTIAL;

  switch (norm)
    {
    case NS_NORM_ATTN_PRE:
      return !shares_pre && ns_placement_has_pre (placement);
    case NS_NORM_ATTN_BRANCH:
      return ns_placement_has_branch (placement);
    case NS_NORM_ATTN_POST:
      return !shares_post && ns_placement_has_post (placement);
    case NS_NORM_ATTN_INNER:
      return ns_variant_get_wiring (variant, sub).inner_norm;
    case NS_NORM_ATTN_Q:
    case NS_NORM_ATTN_K: /* the cosine has no parameter */
      return variant->qk_norm != NS_QK_NORM_NONE && variant->qk_norm != NS_QK_NORM_COSINE;
    case NS_NORM_ATTN_V:
      return variant->qk_norm == NS_QK_NORM_QKV_HEAD;
    default:
      g_return_val_if_reached (FALSE);
    }
}

static gboolean
block_has_norm (NsNormPlace norm, const Block *block)
{
  if (norm >= NS_NORM_INPUT)
    return FALSE;
  if (norm >= NS_NORM_FFN_PRE)
    return sub_layer_has_norm (NS_SUB_FFN, norm - NS_NORM_FFN_PRE, block);
  if (norm >= NS_NORM_CROSS_PRE)
    return block->part == NS_PART_DECODER && sub_layer_has_norm (NS_SUB_CROSS, norm - NS_NORM_CROSS_PRE, block);
  return sub_layer_has_norm (NS_SUB_ATTN, norm, block);
}

/* Whether norms of the variant have the vector: the gain always, the others by the kind of norm. */
static gboolean
norms_have (NsTensor tensor, const NsVariant *variant)
{
  if (tensor >= NS_T_ALPHA_ATTN_PRE)
    return variant->norm == NS_NORM_DYT;
  if (tensor >= NS_T_BIAS_ATTN_PRE)
    return variant->bias && variant->norm != NS_NORM_RMSNORM;
  return TRUE;
}

static gboolean
is_of_norm (NsTensor tensor)
{
  return tensor >= NS_T_GAIN_ATTN_PRE && tensor <= NS_T_ALPHA_FINAL;
}

static NsNormPlace
norm_of (NsTensor tensor)
{
  return (NsNormPlace) ((tensor - NS_T_GAIN_ATTN_PRE) % NS_N_NORMS);
}

static gboolean
block_has_tensor (NsTensor tensor, const Block *block)
{
  if (tensor < NS_N_BLOCK_MATRICES)
    return has_linear (tensor, block);
  if (tensor < 2 * NS_N_BLOCK_MATRICES)
    return block->variant->bias && has_linear ((NsTensor) (tensor - NS_N_BLOCK_MATRICES), block);
  if (is_of_norm (tensor))
    return norms_have (tensor, block->variant) && block_has_norm (norm_of (tensor), block);
  if (tensor >= NS_T_SCALE_ATTN && tensor <= NS_T_SCALE_FFN)
    return block->variant->branch_parameter != NS_BRANCH_PARAMETER_NONE
           && (tensor != NS_T_SCALE_CROSS || block->part == NS_PART_DECODER);
  return FALSE;
}

static gboolean
head_has (NsQuantity quantity, const NsExperiment *experiment, guint variant_index)
{
  const NsVariant *variant = ns_experiment_variant (experiment, variant_index);
  gboolean has_head = experiment->loss == NS_LOSS_CROSS_ENTROPY;
  NsTensor tensor = (NsTensor) quantity;

  if (quantity >= (NsQuantity) NS_N_TENSORS)
    return has_head && ns_quantity_info (quantity)->sites == NS_SITES_HEAD;
  if (tensor == NS_T_W_HEAD)
    return has_head;
  if (tensor == NS_T_B_HEAD)
    return has_head && variant->bias;
  if (!is_of_norm (tensor) || !norms_have (tensor, variant))
    return FALSE;
  return (norm_of (tensor) == NS_NORM_FINAL && ns_experiment_has_final_norm (experiment, variant_index))
         || (norm_of (tensor) == NS_NORM_ENCODER_FINAL && ns_experiment_has_encoder_norm (experiment, variant_index));
}

gboolean
ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site)
{
  gint64 head = ns_experiment_get_head_site (experiment);
  NsTensor tensor = (NsTensor) quantity;
  Block block = { .depth = experiment->shape.depth };

  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, FALSE);
  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  if (site < 0 || site > head)
    return FALSE;
  if (site == head)
    return head_has (quantity, experiment, variant);

  block.variant = ns_experiment_variant (experiment, variant);
  block.part = ns_site_get_part (experiment, site);
  block.layer = ns_site_get_layer (experiment, site);
  switch (ns_quantity_info (quantity)->sites)
    {
    case NS_SITES_STREAM:
      return quantity != NS_Q_TOKEN_COS || experiment->shape.seq_len > 1;
    case NS_SITES_DECODER_BLOCKS:
      return block.layer >= 1 && block.part == NS_PART_DECODER;
    case NS_SITES_BLOCKS:
      return block.layer >= 1;
    case NS_SITES_HEAD:
      return FALSE;
    case NS_SITES_TENSOR:
    default:
      if (block.layer == 0)
        return is_of_norm (tensor) && norm_of (tensor) == NS_NORM_INPUT && block.variant->input_norm
               && norms_have (tensor, block.variant);
      return block_has_tensor (tensor, &block);
    }
}

gboolean
ns_quantity_is_of_head (NsQuantity quantity)
{
  NsTensor tensor = (NsTensor) quantity;

  if (quantity >= (NsQuantity) NS_N_TENSORS)
    return ns_quantity_info (quantity)->sites == NS_SITES_HEAD;
  return tensor == NS_T_W_HEAD || tensor == NS_T_B_HEAD
         || (is_of_norm (tensor)
             && (norm_of (tensor) == NS_NORM_FINAL || norm_of (tensor) == NS_NORM_ENCODER_FINAL));
}

/* ---- shapes ---- */

/* Features of the norm of queries, keys or values. */
static gint64
qkv_norm_features (NsNormPlace norm, const NsShape *shape, const NsVariant *variant)
{
  gint64 d_head = ns_shape_get_d_head (shape);
  gboolean of_query = norm == NS_NORM_ATTN_Q || norm == NS_NORM_CROSS_Q;

  if (variant != NULL && variant->qk_norm != NS_QK_NORM_FULL)
    return d_head;
  return d_head * (of_query ? shape->heads : ns_shape_get_kv_heads (shape));
}

static gint64
norm_features (NsNormPlace norm, const NsShape *shape, const NsVariant *variant)
{
  switch ((int) norm)
    {
    case NS_NORM_ATTN_Q:
    case NS_NORM_ATTN_K:
    case NS_NORM_ATTN_V:
    case NS_NORM_CROSS_Q:
    case NS_NORM_CROSS_K:
    case NS_NORM_CROSS_V:
      return qkv_norm_features (norm, shape, variant);
    case NS_NORM_ATTN_INNER:
    case NS_NORM_CROSS_INNER:
      return shape->heads * ns_shape_get_d_head (shape);
    case NS_NORM_FFN_INNER:
      return shape->d_ff;
    default:
      return shape->d_model;
    }
}

static void
matrix_shape (NsTensor matrix, const NsShape *shape, gint64 *in, gint64 *out)
{
  gint64 queries = shape->heads * ns_shape_get_d_head (shape);
  gint64 keys = ns_shape_get_kv_heads (shape) * ns_shape_get_d_head (shape);

  *in = *out = shape->d_model;
  switch ((int) matrix)
    {
    case NS_T_W_Q:
    case NS_T_CROSS_W_Q:
      *out = queries;
      break;
    case NS_T_W_K:
    case NS_T_W_V:
    case NS_T_CROSS_W_K:
    case NS_T_CROSS_W_V:
      *out = keys;
      break;
    case NS_T_W_O:
    case NS_T_CROSS_W_O:
      *in = queries;
      break;
    case NS_T_W_1:
    case NS_T_W_3:
      *out = shape->d_ff;
      break;
    case NS_T_W_2:
      *in = shape->d_ff;
      break;
    case NS_T_W_HEAD:
      *out = shape->vocab;
      break;
    default:
      g_return_if_reached ();
    }
}

void
ns_tensor_get_shape (NsTensor tensor, const NsShape *shape, const NsVariant *variant, gint64 *rows, gint64 *columns)
{
  g_return_if_fail ((guint) tensor < NS_N_TENSORS);

  if (ns_tensor_is_matrix (tensor))
    {
      matrix_shape (tensor, shape, rows, columns);
      return;
    }
  *rows = 1;
  if (tensor < 2 * NS_N_BLOCK_MATRICES)
    matrix_shape ((NsTensor) (tensor - NS_N_BLOCK_MATRICES), shape, rows, columns);
  else if (tensor == NS_T_B_HEAD)
    *columns = shape->vocab;
  else if (!is_of_norm (tensor))
    *columns = variant != NULL && variant->branch_parameter == NS_BRANCH_PARAMETER_SCALAR ? 1 : shape->d_model;
  else if (tensor >= NS_T_ALPHA_ATTN_PRE)
    *columns = 1;
  else
    *columns = norm_features (norm_of (tensor), shape, variant);
  *rows = 1;
}
