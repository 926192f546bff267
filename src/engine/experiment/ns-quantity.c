/* Properties of quantities, and the tensors and quantities that a variant has at each site.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-quantity.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-sub-layers.h"

#include <glib/gi18n-lib.h>

/* ---- quantities of tensors ---- */

/* NsTensor and NsQuantity come from one list, so a tensor and its quantity have the same number. */
G_STATIC_ASSERT ((int) NS_Q_W_Q == (int) NS_T_W_Q);
G_STATIC_ASSERT ((int) NS_Q_B_HEAD == (int) NS_T_B_HEAD);
G_STATIC_ASSERT ((int) NS_Q_ATTN == (int) NS_N_TENSORS);

NsQuantity
ns_tensor_get_quantity (NsTensor tensor)
{
  return (NsQuantity) tensor;
}

gboolean
ns_quantity_get_tensor (NsQuantity quantity, NsTensor *tensor)
{
  if (quantity >= NS_Q_ATTN)
    return FALSE;
  if (tensor != NULL)
    *tensor = (NsTensor) quantity;
  return TRUE;
}

const char *
ns_tensor_get_name (NsTensor tensor)
{
  return ns_quantity_info (ns_tensor_get_quantity (tensor))->name;
}

/* ---- rows of the table ---- */

gboolean
ns_quantity_has_log10 (NsQuantity quantity)
{
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;

  return kind == NS_KIND_GRADIENT || kind == NS_KIND_ACTIVATION;
}

gboolean
ns_quantity_is_signed (NsQuantity quantity)
{
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;

  return kind == NS_KIND_COSINE || kind == NS_KIND_SHARE || kind == NS_KIND_CONTRIBUTION || kind == NS_KIND_LENGTH
         || kind == NS_KIND_NUMBER;
}

gboolean
ns_quantity_is_offered (NsQuantity quantity, NsQuantityKind kind)
{
  NsQuantityKind own = ns_quantity_info (quantity)->kind;

  if (ns_quantity_is_of_step (quantity, NULL, NULL))
    return FALSE;
  return own == kind || ((own == NS_KIND_SHARE || own == NS_KIND_LENGTH) && kind == NS_KIND_GRADIENT)
         || ((own == NS_KIND_CONTRIBUTION || own == NS_KIND_NUMBER) && kind == NS_KIND_ACTIVATION);
}

gboolean
ns_quantity_is_backward (NsQuantity quantity)
{
  NsQuantityKind kind = ns_quantity_info (quantity)->kind;

  return !ns_quantity_takes_own_passes (quantity)
         && (kind == NS_KIND_GRADIENT || kind == NS_KIND_SHARE || kind == NS_KIND_CONTRIBUTION);
}

gboolean
ns_quantity_takes_own_passes (NsQuantity quantity)
{
  return ns_quantity_info (quantity)->own_passes;
}

gboolean
ns_quantity_is_of_step (NsQuantity quantity, NsOptimizer *optimizer, gboolean *matrices_only)
{
  gboolean is_adam = quantity == NS_Q_UPDATE_H_ADAM || quantity == NS_Q_UPDATE_H_ADAM_W;

  if (quantity < NS_Q_UPDATE_H_SGD || quantity > NS_Q_UPDATE_H_ADAM_W)
    return FALSE;
  if (optimizer != NULL)
    {
      *optimizer = is_adam ? NS_OPTIMIZER_ADAM : NS_OPTIMIZER_SGD;
      *matrices_only = quantity == NS_Q_UPDATE_H_SGD_W || quantity == NS_Q_UPDATE_H_ADAM_W;
    }
  return TRUE;
}

char *
ns_quantity_dup_tooltip (NsQuantity quantity)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  GString *text = g_string_new (_ (info->title));

  if (info->unit != NULL)
    g_string_append_printf (text, " (%s)", _ (info->unit));
  if (strcmp (info->title, info->help) != 0)
    g_string_append_printf (text, "\n%s", _ (info->help));
  return g_string_free (text, FALSE);
}

/* Quantities without a rank follow those with one; otherwise the order of the table. */
static int
compare_rank (gconstpointer a, gconstpointer b)
{
  NsQuantity qa = *(const NsQuantity *) a, qb = *(const NsQuantity *) b;
  guint rank_a = ns_quantity_info (qa)->rank - 1, rank_b = ns_quantity_info (qb)->rank - 1; /* 0 wraps to the end */

  if (rank_a != rank_b)
    return rank_a < rank_b ? -1 : 1;
  return qa < qb ? -1 : 1;
}

GArray *
ns_quantities_for_use (NsQuantityUse use)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsQuantity));

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if ((ns_quantity_info (q)->uses & use) != 0)
      g_array_append_val (list, q);
  g_array_sort (list, compare_rank);
  return list;
}

/* ---- existence ---- */

/* A block of a variant: everything that decides which tensors it has. */
typedef struct
{
  const NsVariant *variant;
  NsPart part;
  gint64 layer, depth;
} Block;

/* Return TRUE when the block has the linear map of a slot: its matrix and, with biases, its bias. */
static gboolean
has_linear (NsTensorSlot slot, const Block *block)
{
  switch ((int) slot)
    {
    case NS_SLOT_O:
      return block->variant->attention_output;
    case NS_SLOT_3:
      return ns_activation_is_gated ((NsActivation) block->variant->activation);
    case NS_SLOT_ROUTER:
      return block->variant->experts.count > 0;
    case NS_SLOT_SHARED_1:
    case NS_SLOT_SHARED_2:
      return ns_variant_has_shared_expert (block->variant);
    case NS_SLOT_SHARED_GATE:
      return ns_variant_has_shared_expert (block->variant) && block->variant->experts.shared_gate;
    case NS_SLOT_SHARED_3:
      return ns_variant_has_shared_expert (block->variant)
             && ns_activation_is_gated ((NsActivation) block->variant->activation);
    default:
      return TRUE;
    }
}

static gboolean
has_norm (NsSub sub, NsTensorSlot slot, const Block *block)
{
  const NsVariant *variant = block->variant;
  NsPlacement placement = ns_variant_get_placement (variant, sub, block->layer, block->depth);
  /* Parallel sub-layers share the attention's post norm, and its pre norm unless each has its own. */
  gboolean shares_pre = sub == NS_SUB_FFN && variant->topology == NS_TOPOLOGY_PARALLEL;
  gboolean shares_post = sub == NS_SUB_FFN && variant->topology != NS_TOPOLOGY_SEQUENTIAL;

  switch ((int) slot)
    {
    case NS_SLOT_PRE:
      return !shares_pre && ns_placement_has_pre (placement);
    case NS_SLOT_BRANCH:
      return ns_placement_has_branch (placement);
    case NS_SLOT_POST:
      return !shares_post && ns_placement_has_post (placement);
    case NS_SLOT_INNER:
      return ns_variant_get_wiring (variant, sub).inner_norm;
    case NS_SLOT_Q:
    case NS_SLOT_K: /* cosine attention and head-rotary have no parameters */
      return variant->qk_norm == NS_QK_NORM_FULL || variant->qk_norm == NS_QK_NORM_HEAD
             || variant->qk_norm == NS_QK_NORM_QKV_HEAD;
    case NS_SLOT_V:
      return variant->qk_norm == NS_QK_NORM_QKV_HEAD;
    default:
      g_return_val_if_reached (FALSE);
    }
}

/* Return TRUE when norms of the variant have such a vector: a gain, a bias, an alpha. */
static gboolean
norms_have (NsTensor tensor, const NsVariant *variant)
{
  switch ((int) ns_tensor_info (tensor)->role)
    {
    case NS_ROLE_GAIN:
      return !variant->ngpt;
    case NS_ROLE_NORM_BIAS:
      return ns_variant_has_bias (variant, tensor);
    case NS_ROLE_ALPHA:
      return variant->norm == NS_NORM_DYT && !variant->ngpt;
    default:
      return FALSE;
    }
}

static gboolean
block_has_tensor (NsTensor tensor, const Block *block)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);

  if (info->sub == NS_SUB_NONE || !ns_variant_has_sub (block->variant, info->sub, block->part))
    return FALSE;
  switch (info->role)
    {
    case NS_ROLE_MATRIX:
      return has_linear (info->slot, block);
    case NS_ROLE_LINEAR_BIAS:
      return ns_variant_has_bias (block->variant, tensor) && has_linear (info->slot, block);
    case NS_ROLE_SCALE:
      return block->variant->branch_parameter != NS_BRANCH_PARAMETER_NONE || block->variant->ngpt;
    case NS_ROLE_FACTOR:
      return block->variant->ngpt && has_linear (info->slot, block);
    case NS_ROLE_MIX:
      return block->variant->hyper.streams > 0
             && (block->variant->hyper.weights != NS_STREAM_WEIGHTS_STATIC || !ns_tensor_is_of_token_mix (tensor));
    case NS_ROLE_GAIN:
    case NS_ROLE_NORM_BIAS:
    case NS_ROLE_ALPHA:
    case NS_ROLE_TABLE:
    default:
      return norms_have (tensor, block->variant) && has_norm (info->sub, info->slot, block);
    }
}

static gboolean
input_has_tensor (NsTensor tensor, const NsExperiment *experiment, const NsVariant *variant, NsPart part)
{
  switch ((int) ns_tensor_info (tensor)->slot)
    {
    case NS_SLOT_INPUT:
      return variant->input_norm && norms_have (tensor, variant);
    case NS_SLOT_SCORES:
      return variant->position_bias == NS_POSITION_BIAS_T5;
    case NS_SLOT_PATCH:
      return ns_experiment_has_patches (experiment) && part != NS_PART_DECODER
             && (ns_tensor_is_matrix (tensor) || ns_variant_has_bias (variant, tensor));
    default:
      return FALSE;
    }
}

static gboolean
head_has_tensor (NsTensor tensor, const NsExperiment *experiment, guint variant_index)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);
  const NsVariant *variant = ns_experiment_variant (experiment, variant_index);

  switch ((int) info->slot)
    {
    case NS_SLOT_HEAD:
      if (info->role == NS_ROLE_FACTOR)
        return experiment->loss == NS_LOSS_CROSS_ENTROPY && variant->ngpt;
      return experiment->loss == NS_LOSS_CROSS_ENTROPY
             && (info->role == NS_ROLE_MATRIX || ns_variant_has_bias (variant, tensor));
    case NS_SLOT_HEAD_DENSE:
      return ns_experiment_has_head_transform (experiment, variant_index)
             && (info->role == NS_ROLE_MATRIX || norms_have (tensor, variant)
                 || (info->role == NS_ROLE_LINEAR_BIAS && ns_variant_has_bias (variant, tensor)));
    case NS_SLOT_FINAL:
      return norms_have (tensor, variant) && ns_experiment_has_final_norm (experiment, variant_index);
    case NS_SLOT_ENCODER_FINAL:
      return norms_have (tensor, variant) && ns_experiment_has_encoder_norm (experiment, variant_index);
    default:
      return FALSE;
    }
}

gboolean
ns_tensor_exists (NsTensor tensor, const NsExperiment *experiment, guint variant, gint64 site)
{
  NsParts parts = ns_shape_get_parts (&experiment->shape);
  Block block = { ns_experiment_variant (experiment, variant), ns_site_get_part (experiment, site),
                  ns_parts_get_layer (&parts, site), ns_parts_get_depth (&parts, site) };

  if (site == ns_experiment_get_head_site (experiment))
    return head_has_tensor (tensor, experiment, variant);
  return block.layer == 0 ? input_has_tensor (tensor, experiment, block.variant, block.part)
                          : block_has_tensor (tensor, &block);
}

gboolean
ns_quantity_needs_one_stream (NsQuantity quantity)
{
  switch ((int) quantity)
    {
    case NS_Q_IDENTITY:
    case NS_Q_IDENTITY_SHARE:
    case NS_Q_SKIP_RATIO_ATTN:
    case NS_Q_SKIP_RATIO_CROSS:
    case NS_Q_SKIP_RATIO_FFN:
    case NS_Q_SKIP_COS_ATTN:
    case NS_Q_SKIP_COS_CROSS:
    case NS_Q_SKIP_COS_FFN:
    case NS_Q_GRAD_SKIP_RATIO_ATTN:
    case NS_Q_GRAD_SKIP_RATIO_CROSS:
    case NS_Q_GRAD_SKIP_RATIO_FFN:
    case NS_Q_GRAD_SKIP_COS_ATTN:
    case NS_Q_GRAD_SKIP_COS_CROSS:
    case NS_Q_GRAD_SKIP_COS_FFN:
    case NS_Q_SHARE_INPUT:
    case NS_Q_SHARE_ATTN:
    case NS_Q_SHARE_CROSS:
    case NS_Q_SHARE_FFN:
      return TRUE;
    default:
      return ns_quantity_takes_own_passes (quantity);
    }
}

/* Return TRUE if the block at a site has a sub-layer with an addition of its own that adds to a residual. */
static gboolean
has_residual (NsSub sub, const NsExperiment *experiment, guint index, gint64 site)
{
  const NsVariant *variant = ns_experiment_variant (experiment, index);

  if (!ns_variant_has_sub (variant, sub, ns_site_get_part (experiment, site)))
    return FALSE;
  if (sub == NS_SUB_FFN && variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    return FALSE;
  return ns_variant_get_wiring (variant, sub).residual;
}

gboolean
ns_quantity_exists (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site)
{
  gint64 head = ns_experiment_get_head_site (experiment);
  gboolean in_block = site != head && ns_site_get_layer (experiment, site) >= 1;
  NsTensor tensor;
  NsPart part;

  g_return_val_if_fail ((guint) quantity < NS_N_QUANTITIES, FALSE);
  g_return_val_if_fail (variant < experiment->variants->len, FALSE);

  if (site < 0 || site > head || (ns_quantity_info (quantity)->of_tokens && experiment->shape.seq_len == 1))
    return FALSE;
  part = ns_site_get_part (experiment, site);
  if (in_block && !ns_variant_has_sub_of (ns_experiment_variant (experiment, variant), quantity, part))
    return FALSE;
  if (ns_experiment_variant (experiment, variant)->hyper.streams > 0 && ns_quantity_needs_one_stream (quantity))
    return FALSE;
  switch (ns_quantity_info (quantity)->sites)
    {
    case NS_SITES_STREAM:
      return site != head;
    case NS_SITES_INPUTS:
      return site != head && !in_block;
    case NS_SITES_BLOCKS:
      return in_block;
    case NS_SITES_SEQUENTIAL_BLOCKS:
      return in_block && ns_experiment_variant (experiment, variant)->topology == NS_TOPOLOGY_SEQUENTIAL;
    case NS_SITES_EXPERT_BLOCKS:
      return in_block && ns_experiment_variant (experiment, variant)->experts.count > 0;
    case NS_SITES_DECODER_BLOCKS:
      return in_block && ns_site_get_part (experiment, site) == NS_PART_DECODER;
    case NS_SITES_ATTN_RESIDUALS:
      return in_block && has_residual (NS_SUB_ATTN, experiment, variant, site);
    case NS_SITES_CROSS_RESIDUALS:
      return in_block && has_residual (NS_SUB_CROSS, experiment, variant, site);
    case NS_SITES_FFN_RESIDUALS:
      return in_block && has_residual (NS_SUB_FFN, experiment, variant, site);
    case NS_SITES_HEAD:
      return site == head && experiment->loss == NS_LOSS_CROSS_ENTROPY;
    case NS_SITES_OUTPUT:
      return site == head;
    case NS_SITES_TENSOR:
    default:
      return ns_quantity_get_tensor (quantity, &tensor) && ns_tensor_exists (tensor, experiment, variant, site);
    }
}

gboolean
ns_quantity_is_of_parameters (NsQuantity quantity)
{
  NsQuantityGroup group = ns_quantity_info (quantity)->group;

  return group == NS_GROUP_TENSOR || group == NS_GROUP_SUM;
}

const char *
ns_gradient_estimate_get_name (NsGradientEstimate estimate)
{
  return ns_param_find ("sampling.estimate")->choices[estimate];
}

char *
ns_sampling_dup_estimate (const NsSampling *sampling)
{
  guint M = (guint) sampling->batches;

  if (M == 1)
    return NULL;
  switch ((NsGradientEstimate) sampling->estimate)
    {
    case NS_ESTIMATE_MEAN:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "norm of the mean over %u minibatch",
                                           "norm of the mean over %u minibatches", M), M);
    case NS_ESTIMATE_EXPECTED:
      /* Translators: the unbiased estimate of a squared norm can be negative; its root is not a number (NaN) */
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                           "expected gradient from %u minibatch (NaN: negative square)",
                                           "expected gradient from %u minibatches (NaN: negative square)", M), M);
    default:
      return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of the norms of %u minibatch",
                                           "mean of the norms of %u minibatches", M), M);
    }
}

gboolean
ns_quantity_is_of_head (NsQuantity quantity)
{
  NsTensor tensor;
  NsTensorSlot slot;

  if (!ns_quantity_get_tensor (quantity, &tensor))
    return ns_quantity_info (quantity)->sites == NS_SITES_HEAD
           || ns_quantity_info (quantity)->sites == NS_SITES_OUTPUT;
  slot = ns_tensor_info (tensor)->slot;
  return slot == NS_SLOT_HEAD || slot == NS_SLOT_HEAD_DENSE || slot == NS_SLOT_FINAL || slot == NS_SLOT_ENCODER_FINAL;
}

gboolean
ns_quantity_is_of_input (NsQuantity quantity)
{
  NsTensor tensor;

  return ns_quantity_info (quantity)->sites == NS_SITES_INPUTS
         || (ns_quantity_get_tensor (quantity, &tensor) && ns_tensor_info (tensor)->slot == NS_SLOT_SCORES);
}

gboolean
ns_quantity_is_of_blocks (NsQuantity quantity)
{
  return !ns_quantity_is_of_head (quantity) && !ns_quantity_is_of_input (quantity);
}
