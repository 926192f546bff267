/* The assumptions of the mean-field recursion.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field-private.h"

#include "engine/experiment/ns-derived.h"

#include <math.h>

/* The largest norm_eps that is negligible next to a mean square of at least 1. */
#define MAX_EPS 1e-4
/* The largest variance of a logit, that of Xavier weights and a tiny vocabulary. */
#define MAX_LOGIT_VARIANCE 2.0
/* The largest variance of Σe^z, relative to its square, that is negligible in p = e^z/Σe^z, and that of Σp². */
#define MAX_SOFTMAX_VARIANCE 0.2

double
ns_mean_field_get_head_variance (const NsExperiment *experiment, const NsVariant *variant)
{
  double d = (double) experiment->shape.d_model, V = (double) experiment->shape.vocab;
  const NsInit *init = &variant->init;

  if (init->head.rule == 0)
    return init->head.number * init->head.number;
  if (init->head.rule == NS_INIT_HEAD_LECUN || init->scheme == NS_INIT_LECUN_NORMAL)
    return 1 / d;
  return 2 / (d + V);
}

gboolean
ns_mean_field_covers (NsQuantity quantity)
{
  static const NsQuantity covered[] = {
    NS_Q_RMS_X,        NS_Q_RMS_Y_ATTN,  NS_Q_RMS_Z_ATTN,  NS_Q_RMS_Z_FFN, NS_Q_RMS_ATTN, NS_Q_RMS_FFN,
    NS_Q_TOKEN_COS,    NS_Q_GRAD_X,      NS_Q_GRAD_Y_ATTN, NS_Q_GRAD_Z_ATTN, NS_Q_GRAD_Z_FFN, NS_Q_IDENTITY,
    NS_Q_IDENTITY_SHARE, NS_Q_GRAD_COS,  NS_Q_W_V,         NS_Q_W_1,       NS_Q_W_2,      NS_Q_B_V,
    NS_Q_B_1,          NS_Q_B_2,         NS_Q_ATTN,        NS_Q_FFN,       NS_Q_BLOCK,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (covered); i++)
    if (covered[i] == quantity)
      return TRUE;
  return FALSE;
}

/* Return TRUE if the head reads a vector of mean square 1, whose length no gradient changes. */
static gboolean
has_normalized_head (const NsExperiment *experiment, guint variant)
{
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  gint64 depth = experiment->shape.depth;

  return experiment->loss == NS_LOSS_UNIT_GRADIENT || ns_experiment_has_final_norm (experiment, variant)
         || ns_placement_has_post (ns_variant_get_placement (v, NS_SUB_FFN, depth, depth));
}

const char **
ns_mean_field_list_missed (const NsExperiment *experiment, guint variant, NsQuantity quantity)
{
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  const NsScale *residual = &v->init.residual;
  gboolean is_xavier = v->init.scheme == NS_INIT_XAVIER_NORMAL || v->init.scheme == NS_INIT_XAVIER_UNIFORM;
  gboolean is_lecun = v->init.scheme == NS_INIT_LECUN_NORMAL;
  gboolean is_normal = v->init.scheme != NS_INIT_XAVIER_UNIFORM;
  gboolean is_plain = residual->rule == NS_INIT_RESIDUAL_NONE || (residual->rule == 0 && residual->number == 1);
  gboolean is_forward = !ns_quantity_is_backward (quantity);
  gboolean has_head = !is_forward && experiment->loss != NS_LOSS_UNIT_GRADIENT;
  double logit = (double) experiment->shape.d_model * ns_mean_field_get_head_variance (experiment, v);
  const struct
  {
    const char *key;
    gboolean is_met;
  } assumptions[] = {
    { "shape.stack", experiment->shape.stack == NS_STACK_SINGLE },
    { "shape.kv_heads", ns_shape_get_kv_heads (&experiment->shape) == experiment->shape.heads },
    { "shape.d_ff", is_lecun || experiment->shape.d_ff == experiment->shape.d_model },
    { "data.source", experiment->data.source == NS_SOURCE_GAUSSIAN },
    { "shape.patch_features", !ns_experiment_has_patches (experiment) },
    { "data.class_token", experiment->data.class_token == NS_CLASS_TOKEN_NONE },
    { "sublayers", v->sublayers == NS_SUB_LAYERS_BOTH },
    { "topology", v->topology == NS_TOPOLOGY_SEQUENTIAL },
    { "attention", v->attention == NS_ATTENTION_UNIFORM },
    { "attention_output", !v->attention_output },
    { "activation", v->activation == NS_ACT_RELU },
    { "experts", v->experts.count == 0 },
    { "norm", v->norm != NS_NORM_DYT },
    { "norm_eps", v->norm_eps <= MAX_EPS },
    { "branch_norm_gain", v->branch_norm_gain == 1 },
    { "attn.inner_norm", !v->attn.inner_norm },
    { "ffn.inner_norm", !v->ffn.inner_norm },
    { "block_residual", !v->block_residual },
    { "streams", v->hyper.streams == 0 },
    { "input_scale", v->input_scale.rule == 0 && v->input_scale.number == 1 },
    { "input_norm", !v->input_norm },
    { "ngpt", !v->ngpt },
    { "init.scheme", is_xavier || is_lecun },
    { "init.residual", is_plain },
    { "init.truncate", isnan (v->init.truncate) || !is_normal },
    /* Gradients only. */
    { "dual_residual", is_forward || !v->dual_residual },
    { "final_norm", is_forward || has_normalized_head (experiment, variant) },
    { "head_transform", !has_head || !v->head_transform },
    { "init.head", !has_head || logit <= MAX_LOGIT_VARIANCE },
    { "logit_scale", !has_head || (v->logit_scale.rule == 0 && v->logit_scale.number == 1) },
    { "logit_cap", !has_head || isnan (v->logit_cap) },
    { "shape.vocab", !has_head || logit > MAX_LOGIT_VARIANCE
                         || expm1 (2 * logit) <= MAX_SOFTMAX_VARIANCE * (double) experiment->shape.vocab },
  };
  const char **missed = g_new0 (const char *, G_N_ELEMENTS (assumptions) + 1);
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (assumptions); i++)
    if (!assumptions[i].is_met)
      missed[n++] = assumptions[i].key;
  return missed;
}

gboolean
ns_mean_field_holds (const NsExperiment *experiment, guint variant, NsQuantity quantity)
{
  g_autofree const char **missed = ns_mean_field_list_missed (experiment, variant, quantity);

  return ns_mean_field_covers (quantity) && missed[0] == NULL;
}
