/* Properties that follow from the settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-sub-layers.h"

#include <math.h>
#include <string.h>

gint64
ns_shape_get_d_head (const NsShape *shape)
{
  return shape->d_head > 0 ? shape->d_head : shape->d_model / shape->heads;
}

gint64
ns_shape_get_kv_heads (const NsShape *shape)
{
  return shape->kv_heads > 0 ? shape->kv_heads : shape->heads;
}

/* ---- rotary positions ---- */

/* The turns of `high` of the rules, unless they are set (code of Llama 3.1; of YaRN). */
#define LLAMA3_HIGH 4
#define YARN_HIGH 32

NsRotaryRule
ns_variant_get_rotary_rule (const NsVariant *variant, const NsShape *shape)
{
  const NsRotarySettings *rotary = &variant->rotary;
  gint64 whole = ns_shape_get_d_head (shape) / 2 * 2;
  double high = rotary->scaling == NS_ROTARY_SCALING_YARN ? YARN_HIGH : LLAMA3_HIGH;

  if (rotary->pairs == NS_ROTARY_NONE)
    return (NsRotaryRule){ 0 };
  return (NsRotaryRule){ .dim = (gsize) (rotary->dim > 0 ? rotary->dim : whole),
                         .base = rotary->base,
                         .scaling = (NsRotaryScaling) rotary->scaling,
                         .factor = rotary->factor,
                         .original = (double) rotary->original,
                         .low = rotary->low,
                         .high = isnan (rotary->high) ? high : rotary->high,
                         .attention_factor = isnan (rotary->attention_factor) ? 0 : rotary->attention_factor,
                         .fractional = !rotary->truncate };
}

double *
ns_variant_dup_rotary_factors (const NsVariant *variant, const NsShape *shape, gsize *n)
{
  const NsRotarySettings *rotary = &variant->rotary;

  return ns_param_dup_numbers (shape->seq_len > rotary->original ? rotary->long_factors : rotary->short_factors, n);
}

gboolean
ns_variant_uses_rotary_setting (const NsVariant *variant, const char *key)
{
  enum
  {
    LINEAR = 1 << NS_ROTARY_SCALING_LINEAR,
    LLAMA3 = 1 << NS_ROTARY_SCALING_LLAMA3,
    YARN = 1 << NS_ROTARY_SCALING_YARN,
    LONGROPE = 1 << NS_ROTARY_SCALING_LONGROPE,
    ALL = 1 << NS_ROTARY_SCALING_NONE | LINEAR | LLAMA3 | YARN | LONGROPE,
  };
  static const struct
  {
    const char *key;
    int scalings; /* that use it */
  } settings[] = {
    { "rotary_base", ALL },
    { "rotary_dim", ALL },
    { "rotary_scaling", ALL },
    { "rotary_base_local", ALL },
    { "rotary_skip_every", ALL },
    { "rotary_factor", LINEAR | LLAMA3 | YARN | LONGROPE },
    { "rotary_original", LLAMA3 | YARN | LONGROPE },
    { "rotary_low", LLAMA3 | YARN },
    { "rotary_high", LLAMA3 | YARN },
    { "rotary_attention_factor", YARN | LONGROPE },
    { "rotary_truncate", YARN },
    { "rotary_short_factors", LONGROPE },
    { "rotary_long_factors", LONGROPE },
  };

  if (strcmp (key, "rotary_base_local") == 0 && variant->window.size == 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    if (strcmp (settings[i].key, key) == 0)
      return variant->rotary.pairs != NS_ROTARY_NONE && (settings[i].scalings & 1 << variant->rotary.scaling) != 0;
  return TRUE;
}

gboolean
ns_variant_has_rotary (const NsVariant *variant, gint64 layer)
{
  const NsRotarySettings *rotary = &variant->rotary;

  return rotary->pairs != NS_ROTARY_NONE && (rotary->skip_every == 0 || layer % rotary->skip_every != 0);
}

gboolean
ns_variant_has_qk_norm (const NsVariant *variant, NsSub sub, gint64 layer)
{
  if (variant->qk_norm == NS_QK_NORM_HEAD_ROTARY)
    return sub == NS_SUB_ATTN && ns_variant_has_rotary (variant, layer);
  return variant->qk_norm != NS_QK_NORM_NONE || variant->ngpt;
}

gboolean
ns_variant_has_local_rotary (const NsVariant *variant)
{
  return variant->rotary.pairs != NS_ROTARY_NONE && variant->window.size > 0 && !isnan (variant->rotary.base_local);
}

NsRotaryRule
ns_variant_get_local_rotary_rule (const NsVariant *variant, const NsShape *shape)
{
  NsRotaryRule rule = ns_variant_get_rotary_rule (variant, shape);

  rule.base = variant->rotary.base_local;
  rule.scaling = NS_ROTARY_SCALING_NONE;
  return rule;
}

gint64
ns_variant_get_window (const NsVariant *variant, gint64 layer)
{
  const NsWindowSettings *window = &variant->window;

  if (layer <= window->after || (window->full_every > 0 && layer % window->full_every == 0))
    return 0;
  return window->size;
}

/* Pair i of `pairs` has the angle base^(−i/pairs). A width that is not allowed, not checked yet, keeps the list. */
static void
fit_list (char **list, gsize pairs)
{
  gsize former;
  g_autofree double *numbers = ns_param_dup_numbers (*list, &former);
  double fitting[NS_MAX_LIST];

  if (former == 0 || pairs == 0 || pairs > NS_MAX_LIST)
    return;
  for (gsize i = 0; i < pairs; i++)
    fitting[i] = numbers[i * former / pairs];
  g_free (*list);
  *list = ns_param_dup_list (fitting, pairs);
}

void
ns_experiment_fit_rotary (NsExperiment *experiment, gint64 d_head)
{
  gint64 now = ns_shape_get_d_head (&experiment->shape);

  for (guint v = 0; v < experiment->variants->len && now != d_head; v++)
    {
      NsRotarySettings *rotary = &ns_experiment_variant (experiment, v)->rotary;
      gsize pairs;

      if (rotary->dim > 0) /* null if not a single pair fits */
        rotary->dim
            = MIN (MAX (2 * llround ((double) rotary->dim * (double) now / (double) (2 * d_head)), 2), now / 2 * 2);
      pairs = (gsize) (rotary->dim > 0 ? rotary->dim : now) / 2;
      fit_list (&rotary->short_factors, pairs);
      fit_list (&rotary->long_factors, pairs);
    }
}

/* ---- wiring ---- */

NsWiring
ns_variant_get_wiring (const NsVariant *variant, NsSub sub)
{
  NsWiring cross = variant->cross;

  if (sub != NS_SUB_CROSS)
    return sub == NS_SUB_ATTN ? variant->attn : variant->ffn;
  if (cross.norm == NS_NULL_CHOICE)
    cross.norm = variant->attn.norm;
  if (cross.residual == NS_NULL_CHOICE)
    cross.residual = variant->attn.residual;
  if (cross.inner_norm == NS_NULL_CHOICE)
    cross.inner_norm = variant->attn.inner_norm;
  return cross;
}

/* ---- experts ---- */

gboolean
ns_variant_has_shared_expert (const NsVariant *variant)
{
  return variant->experts.count > 0 && variant->experts.shared > 0;
}

/* ---- biases ---- */

static gboolean
get_group (int group, gboolean fallback)
{
  return group == NS_NULL_CHOICE ? fallback : group;
}

gboolean
ns_variant_has_bias (const NsVariant *variant, NsTensor bias)
{
  const NsBiases *biases = &variant->biases;
  gboolean qkv = get_group (biases->qkv, variant->bias);
  const NsTensorInfo *info;

  if (bias == NS_N_TENSORS)
    return FALSE;
  info = ns_tensor_info (bias);
  if (info->role == NS_ROLE_NORM_BIAS)
    return variant->norm != NS_NORM_RMSNORM && get_group (biases->norms, variant->bias);
  g_return_val_if_fail (info->role == NS_ROLE_LINEAR_BIAS, FALSE);
  switch ((int) info->slot)
    {
    case NS_SLOT_Q:
    case NS_SLOT_V:
      return qkv;
    case NS_SLOT_K:
      return get_group (biases->k, qkv);
    case NS_SLOT_O:
      return get_group (biases->output, variant->bias);
    case NS_SLOT_HEAD:
    case NS_SLOT_HEAD_DENSE:
      return get_group (biases->head, variant->bias);
    case NS_SLOT_PATCH:
      return variant->bias;
    default:
      return get_group (biases->ffn, variant->bias);
    }
}

/* ---- placements and scales ---- */

gboolean
ns_variant_scales_with_depth (const NsVariant *variant)
{
  int init = variant->init.residual.rule;

  return variant->residual_scale.rule != 0 || variant->branch_scale.rule != 0 || variant->input_scale.rule != 0
         || init == NS_INIT_RESIDUAL_GPT2 || init == NS_INIT_RESIDUAL_DEEPNORM || init == NS_INIT_RESIDUAL_WANG
         || init == NS_INIT_RESIDUAL_SUB_LN || init == NS_INIT_RESIDUAL_T_FIXUP || init == NS_INIT_RESIDUAL_FIXUP;
}

NsPlacement
ns_variant_get_placement (const NsVariant *variant, NsSub sub, gint64 block, gint64 depth)
{
  if (variant->ngpt)
    return NS_PLACE_BRANCH_POST;
  if (!isnan (variant->post_fraction))
    return (double) block <= floor (variant->post_fraction * (double) depth) ? NS_PLACE_POST : NS_PLACE_PRE;
  if (variant->first_block_pre && block == 1)
    return NS_PLACE_PRE;
  return ns_variant_get_wiring (variant, sub).norm;
}

gboolean
ns_placement_has_pre (NsPlacement placement)
{
  return placement == NS_PLACE_PRE || placement == NS_PLACE_SANDWICH || placement == NS_PLACE_PRE_POST;
}

gboolean
ns_placement_has_branch (NsPlacement placement)
{
  return placement == NS_PLACE_BRANCH || placement == NS_PLACE_SANDWICH || placement == NS_PLACE_BRANCH_POST;
}

gboolean
ns_placement_has_post (NsPlacement placement)
{
  return placement == NS_PLACE_POST || placement == NS_PLACE_PRE_POST || placement == NS_PLACE_BRANCH_POST;
}

gboolean
ns_variant_ends_in_norm (const NsVariant *variant, gint64 depth)
{
  if (variant->final_norm != NS_FINAL_NORM_AUTO)
    return variant->final_norm == NS_FINAL_NORM_ON;
  /* In the parallel topology both sub-layers share the post norm. The second stream of a dual residual has passed no
   * norm. */
  return variant->dual_residual
         || !ns_placement_has_post (
             ns_variant_get_placement (variant, ns_variant_get_last_sub (variant), depth, depth));
}

gboolean
ns_experiment_has_final_norm (const NsExperiment *experiment, guint variant)
{
  NsParts parts = ns_shape_get_parts (&experiment->shape);

  return experiment->loss != NS_LOSS_UNIT_GRADIENT
         && ns_variant_ends_in_norm (ns_experiment_variant (experiment, variant), parts.depth[parts.n - 1]);
}

gboolean
ns_experiment_has_head_transform (const NsExperiment *experiment, guint variant)
{
  return experiment->loss == NS_LOSS_CROSS_ENTROPY && ns_experiment_variant (experiment, variant)->head_transform;
}

gboolean
ns_experiment_has_patches (const NsExperiment *experiment)
{
  return experiment->data.source == NS_SOURCE_GAUSSIAN && experiment->shape.patch_features > 0;
}

gboolean
ns_experiment_has_class_token_loss (const NsExperiment *experiment)
{
  const NsData *data = &experiment->data;

  return data->class_token_loss && data->source == NS_SOURCE_GAUSSIAN && data->class_token != NS_CLASS_TOKEN_NONE
         && experiment->shape.stack == NS_STACK_SINGLE;
}

gboolean
ns_experiment_has_one_sequence (const NsExperiment *experiment)
{
  const NsData *data = &experiment->data;

  return experiment->shape.stack == NS_STACK_ENCODER_DECODER && data->source != NS_SOURCE_GAUSSIAN
         && (data->source != NS_SOURCE_TOKENS || data->task == NS_TASK_REVERSAL);
}

gboolean
ns_experiment_has_encoder_norm (const NsExperiment *experiment, guint variant)
{
  return experiment->shape.stack == NS_STACK_ENCODER_DECODER
         && ns_variant_ends_in_norm (ns_experiment_variant (experiment, variant), experiment->shape.depth);
}

double
ns_variant_get_alpha (const NsVariant *variant, NsPart part, gint64 block, const NsParts *parts)
{
  double L = (double) parts->depth[ns_parts_find (parts, part)];
  double n_sub = ns_variant_count_branches (variant, part, L);

  switch (variant->residual_scale.rule)
    {
    case NS_RESIDUAL_SCALE_DEEPNORM: /* Wang et al. 2022, table 1 */
      return part == NS_PART_ENCODER ? 0.81 * pow (L * L * L * L * (double) parts->depth[1], 1.0 / 16)
                                     : pow (n_sub, 0.25);
    case NS_RESIDUAL_SCALE_ADMIN: /* Liu et al. 2020, closed form for an output change of O(log n) */
      return sqrt ((n_sub + 1) / log (n_sub + 1) - 1);
    case NS_RESIDUAL_SCALE_ADMIN_CONSTANT: /* the same for an output change of O(1) */
      return sqrt (n_sub);
    case NS_RESIDUAL_SCALE_KEEL: /* section 3.1: a first block that is Pre-LN has none */
      return variant->first_block_pre && isnan (variant->post_fraction) && block == 1 ? 1 : n_sub;
    default:
      return variant->residual_scale.number;
    }
}

double
ns_variant_get_branch_scale (const NsVariant *variant, gint64 depth)
{
  return variant->branch_scale.rule == NS_BRANCH_SCALE_INVERSE_SQRT_DEPTH ? 1 / sqrt ((double) depth)
                                                                          : variant->branch_scale.number;
}
