/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-plan.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-sub-layers.h"

#include <math.h>

/* The factor on the cosine in cosine attention, at initialization (Liu et al. 2022). */
#define COSINE_SCALE 10.0

static gboolean
is_uniform_distribution (const NsVariant *v)
{
  return v->init.scheme == NS_INIT_XAVIER_UNIFORM || v->init.scheme == NS_INIT_FAIRSEQ;
}

void
ns_plan_init (NsPlan *plan, const NsExperiment *experiment, guint variant)
{
  const NsShape *shape = &experiment->shape;
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  gsize M = (gsize) experiment->sampling.batches;

  *plan = (NsPlan){
    .experiment = experiment,
    .variant = v,
    .parts = ns_shape_get_parts (shape),
    .B = M * (gsize) shape->batch,
    .T = (gsize) shape->seq_len,
    .N = M * (gsize) shape->batch * (gsize) shape->seq_len,
    .M = M,
    .C = (gsize) shape->d_model,
    .n = (gsize) v->hyper.streams,
    .X = (gsize) (MAX (v->hyper.streams, 1) * shape->d_model),
    .F = (gsize) shape->d_ff,
    .V = (gsize) shape->vocab,
    .P = ns_experiment_has_patches (experiment) ? (gsize) shape->patch_features : 0,
    .D = (gsize) ns_shape_get_d_head (shape),
    .H = (gsize) shape->heads,
    .G = (gsize) ns_shape_get_kv_heads (shape),
    .logit_scale = v->logit_scale.rule == NS_LOGIT_SCALE_INVERSE_SQRT_D_MODEL ? 1 / sqrt ((double) shape->d_model)
                                                                              : v->logit_scale.number,
    .score_cap = isnan (v->score_cap) ? 0 : v->score_cap,
    .logit_cap = isnan (v->logit_cap) ? 0 : v->logit_cap,
    .E = (gsize) v->experts.count,
    .k = v->experts.count > 0 ? (gsize) v->experts.per_token : 0,
    .gated = ns_activation_is_gated ((NsActivation) v->activation),
    .final_norm = ns_experiment_has_final_norm (experiment, variant),
    .head_transform = ns_experiment_has_head_transform (experiment, variant),
    .encoder_norm = ns_experiment_has_encoder_norm (experiment, variant),
    .distribution = is_uniform_distribution (v) ? NS_DISTRIBUTION_UNIFORM : NS_DISTRIBUTION_NORMAL,
    .truncate = isnan (v->init.truncate) ? 0 : (float) v->init.truncate,
  };
  for (gint64 part = 0; part < plan->parts.n; part++)
    plan->b[part] = ns_variant_get_branch_scale (v, plan->parts.depth[part]);
}

/* ---- sites ---- */

gint64
ns_plan_get_head_site (const NsPlan *plan)
{
  return ns_parts_get_input (&plan->parts, plan->parts.n);
}

NsPart
ns_plan_get_part (const NsPlan *plan, gint64 site)
{
  return ns_parts_get_part (&plan->parts, ns_plan_get_index (plan, site));
}

gint64
ns_plan_get_index (const NsPlan *plan, gint64 site)
{
  return ns_parts_get_index (&plan->parts, site);
}

gint64
ns_plan_get_layer (const NsPlan *plan, gint64 site)
{
  return ns_parts_get_layer (&plan->parts, site);
}

gint64
ns_plan_get_depth (const NsPlan *plan, gint64 site)
{
  return ns_parts_get_depth (&plan->parts, site);
}

gint64
ns_plan_get_input (const NsPlan *plan, gint64 part)
{
  return ns_parts_get_input (&plan->parts, part);
}

gint64
ns_plan_get_last (const NsPlan *plan, gint64 part)
{
  return ns_parts_get_last (&plan->parts, part);
}

/* ---- random streams ---- */

/* The stream of each matrix, in a single stack or an encoder, and in a decoder. */
static const struct
{
  NsTensor tensor;
  NsStream stream, decoder;
} random_streams[] = {
  { NS_T_W_Q, NS_STREAM_W_Q, NS_STREAM_DECODER_W_Q },
  { NS_T_W_K, NS_STREAM_W_K, NS_STREAM_DECODER_W_K },
  { NS_T_W_V, NS_STREAM_W_V, NS_STREAM_DECODER_W_V },
  { NS_T_W_O, NS_STREAM_W_O, NS_STREAM_DECODER_W_O },
  { NS_T_W_1, NS_STREAM_W_1, NS_STREAM_DECODER_W_1 },
  { NS_T_W_2, NS_STREAM_W_2, NS_STREAM_DECODER_W_2 },
  { NS_T_W_3, NS_STREAM_W_3, NS_STREAM_DECODER_W_3 },
  { NS_T_ROUTER, NS_STREAM_ROUTER, NS_STREAM_DECODER_ROUTER },
  { NS_T_SHARED_W_1, NS_STREAM_SHARED_W_1, NS_STREAM_DECODER_SHARED_W_1 },
  { NS_T_SHARED_W_2, NS_STREAM_SHARED_W_2, NS_STREAM_DECODER_SHARED_W_2 },
  { NS_T_SHARED_W_3, NS_STREAM_SHARED_W_3, NS_STREAM_DECODER_SHARED_W_3 },
  { NS_T_SHARED_GATE, NS_STREAM_SHARED_GATE, NS_STREAM_DECODER_SHARED_GATE },
  { NS_T_CROSS_W_Q, NS_STREAM_CROSS_W_Q, NS_STREAM_CROSS_W_Q },
  { NS_T_CROSS_W_K, NS_STREAM_CROSS_W_K, NS_STREAM_CROSS_W_K },
  { NS_T_CROSS_W_V, NS_STREAM_CROSS_W_V, NS_STREAM_CROSS_W_V },
  { NS_T_CROSS_W_O, NS_STREAM_CROSS_W_O, NS_STREAM_CROSS_W_O },
  { NS_T_W_PATCH, NS_STREAM_W_PATCH, NS_STREAM_W_PATCH },
  { NS_T_W_HEAD_DENSE, NS_STREAM_W_HEAD_DENSE, NS_STREAM_W_HEAD_DENSE },
  { NS_T_W_HEAD, NS_STREAM_W_HEAD, NS_STREAM_W_HEAD },
};

NsStream
ns_tensor_get_stream (NsTensor tensor, NsPart part)
{
  for (gsize i = 0; i < G_N_ELEMENTS (random_streams); i++)
    if (random_streams[i].tensor == tensor)
      return part == NS_PART_DECODER ? random_streams[i].decoder : random_streams[i].stream;
  g_return_val_if_reached (NS_STREAM_TEST);
}

NsTensor
ns_stream_get_tensor (NsStream stream)
{
  for (gsize i = 0; i < G_N_ELEMENTS (random_streams); i++)
    if (random_streams[i].stream == stream || random_streams[i].decoder == stream)
      return random_streams[i].tensor;
  g_return_val_if_reached (NS_N_TENSORS);
}

/* ---- norms, attention ---- */

NsPlacement
ns_plan_get_placement (const NsPlan *plan, NsSub sub, gint64 site)
{
  return ns_variant_get_placement (plan->variant, sub, ns_plan_get_layer (plan, site),
                                   ns_plan_get_depth (plan, site));
}

double
ns_plan_get_residual_scale (const NsPlan *plan, NsSub sub, gint64 site)
{
  if (!ns_variant_get_wiring (plan->variant, sub).residual)
    return 0;
  return ns_variant_get_alpha (plan->variant, ns_plan_get_part (plan, site), ns_plan_get_layer (plan, site),
                               &plan->parts);
}

double
ns_plan_get_branch_scale (const NsPlan *plan, gint64 site)
{
  return plan->b[MIN (ns_plan_get_index (plan, site), plan->parts.n - 1)];
}

double
ns_plan_get_norm_scale (const NsPlan *plan, gint64 site)
{
  return plan->variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING
             ? 1 / sqrt ((double) ns_plan_get_layer (plan, site))
             : 1;
}

void
ns_plan_get_norm_shape (const NsPlan *plan, NsNormPlace norm, gsize *rows, gsize *features)
{
  const NsNormInfo *info = ns_norm_info (norm);
  gboolean is_query = info->slot == NS_SLOT_Q;
  gint64 one, columns;

  ns_tensor_get_shape (info->gain, &plan->experiment->shape, plan->variant, &one, &columns);
  *features = (gsize) columns;
  *rows = plan->N;
  /* a norm over the features of each head has as many rows as there are heads */
  if (is_query || info->slot == NS_SLOT_K || info->slot == NS_SLOT_V)
    *rows = plan->N * (is_query ? plan->H : plan->G) * plan->D / *features;
}

gboolean
ns_plan_is_uniform (const NsPlan *plan)
{
  return plan->variant->attention == NS_ATTENTION_UNIFORM;
}

gboolean
ns_plan_is_causal (const NsPlan *plan, NsSub sub, gint64 site)
{
  NsPart part = ns_plan_get_part (plan, site);

  if (sub == NS_SUB_CROSS || part == NS_PART_ENCODER)
    return FALSE;
  return part == NS_PART_DECODER || plan->variant->attention == NS_ATTENTION_CAUSAL;
}

gsize
ns_plan_get_window (const NsPlan *plan, NsSub sub, gint64 site)
{
  return sub == NS_SUB_CROSS ? 0 : (gsize) ns_variant_get_window (plan->variant, ns_plan_get_layer (plan, site));
}

double
ns_plan_get_attention_scale (const NsPlan *plan)
{
  const NsVariant *v = plan->variant;
  double scale;

  if (v->qk_norm == NS_QK_NORM_COSINE)
    return COSINE_SCALE / (double) plan->D;
  scale = v->attention_scale.rule == NS_ATTENTION_SCALE_SQRT_D_HEAD ? 1 / sqrt ((double) plan->D)
                                                                    : v->attention_scale.number;
  /* in μP ∝ 1/d_head, if the heads become wider with the model */
  return plan->experiment->shape.d_head > 0 ? scale : scale / sqrt (ns_plan_get_mup_ratio (plan));
}

double
ns_plan_get_alibi_factor (const NsPlan *plan)
{
  if (plan->variant->position_bias != NS_POSITION_BIAS_ALIBI_SCALED)
    return 1;
  if (plan->variant->ngpt)
    return sqrt ((double) plan->D);
  return plan->variant->qk_norm == NS_QK_NORM_COSINE ? COSINE_SCALE : ns_plan_get_attention_scale (plan);
}

NsTable
ns_plan_get_embedding (const NsPlan *plan, gint64 part)
{
  return ns_shape_get_embedding (&plan->experiment->shape, ns_experiment_get_part (plan->experiment, part));
}

double
ns_plan_get_embed_std (const NsPlan *plan)
{
  return plan->variant->ngpt ? 1 / sqrt ((double) plan->C) : plan->experiment->data.embed_std;
}

double
ns_plan_get_embed_scale (const NsPlan *plan)
{
  const NsScale *scale = &plan->experiment->data.embed_scale;

  if (plan->variant->ngpt) /* the vectors have the length 1 */
    return 1;

  return scale->rule == NS_EMBED_SCALE_SQRT_D_MODEL ? sqrt ((double) plan->C) : scale->number;
}

static NsRoutingWeights
get_routing_weights (const NsVariant *variant)
{
  switch ((NsExpertWeights) variant->experts.weights)
    {
    case NS_EXPERT_WEIGHTS_SOFTMAX:
      return NS_ROUTING_SOFTMAX;
    case NS_EXPERT_WEIGHTS_SIGMOID_INPUT:
      return NS_ROUTING_SIGMOID;
    case NS_EXPERT_WEIGHTS_NORMALIZED:
    default:
      return NS_ROUTING_NORMALIZED;
    }
}

NsRoutingShape
ns_plan_get_routing_shape (const NsPlan *plan)
{
  return (NsRoutingShape){ plan->N, plan->E, plan->k, get_routing_weights (plan->variant) };
}

double
ns_plan_get_input_scale (const NsPlan *plan, gint64 part)
{
  const NsScale *scale = &plan->variant->input_scale;

  /* T-Fixup (Huang et al. 2020) */
  return scale->rule == NS_INPUT_SCALE_T_FIXUP ? pow (9 * (double) plan->parts.depth[part], -0.25)
                                                 : scale->number;
}
