/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field.h"

#include "engine/experiment/ns-derived.h"

#include <math.h>

/* The largest norm_eps that is negligible next to a mean square of at least 1. */
#define MAX_EPS 1e-4

/* Per feature: q the mean square of a token, c the mean product of two different tokens. */
typedef struct
{
  double q, c;
} Moments;

static double
similarity (Moments x)
{
  return CLAMP (x.c / x.q, -1, 1);
}

static Moments
normalized (Moments x)
{
  return (Moments) { 1, similarity (x) };
}

/* Uniform attention gives every token the mean over all tokens, so q and c are equal. */
static Moments
attention (Moments x, double n_tokens)
{
  double u = (x.q + (n_tokens - 1) * x.c) / n_tokens;

  return (Moments) { u, u };
}

/* ReLU halves the mean square; for two Gaussians of similarity r the mean product is k(r)/2 (Cho & Saul 2009). */
static Moments
feed_forward (Moments x)
{
  double r = similarity (x);
  double k = (sqrt (1 - r * r) + r * (G_PI - acos (r))) / G_PI;

  return (Moments) { x.q / 2, x.q * k / 2 };
}

static Moments
sub_layer (const NsExperiment *experiment, const NsVariant *variant, NsSub sub, gint64 block, Moments x)
{
  gint64 depth = experiment->shape.depth;
  NsPlacement placement = ns_variant_get_placement (variant, sub, block, depth);
  gboolean residual = ns_variant_get_wiring (variant, sub).residual;
  double a = residual ? ns_variant_get_alpha (variant, NS_PART_STACK, depth) : 0;
  double b = ns_variant_get_branch_scale (variant, depth);
  Moments branch = ns_placement_has_pre (placement) ? normalized (x) : x;

  if (ns_placement_has_pre (placement) && variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING)
    branch = (Moments) { branch.q / (double) block, branch.c / (double) block };
  branch = sub == NS_SUB_ATTN ? attention (branch, (double) experiment->shape.seq_len) : feed_forward (branch);
  if (ns_placement_has_branch (placement))
    branch = normalized (branch);
  x = (Moments) { a * a * x.q + b * b * branch.q, a * a * x.c + b * b * branch.c };
  return ns_placement_has_post (placement) ? normalized (x) : x;
}

void
ns_mean_field_predict (const NsExperiment *experiment, guint variant, double *rms_x, double *token_cos)
{
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  Moments x = { 1, 0 };

  for (gint64 block = 0; block <= experiment->shape.depth; block++)
    {
      if (block > 0)
        {
          x = sub_layer (experiment, v, NS_SUB_ATTN, block, x);
          x = sub_layer (experiment, v, NS_SUB_FFN, block, x);
        }
      if (rms_x != NULL)
        rms_x[block] = sqrt (x.q);
      if (token_cos != NULL)
        token_cos[block] = similarity (x);
    }
}

const char **
ns_mean_field_list_missed (const NsExperiment *experiment, guint variant)
{
  const NsVariant *v = ns_experiment_variant (experiment, variant);
  const NsScale *residual = &v->init.residual;
  gboolean is_xavier = v->init.scheme == NS_INIT_XAVIER_NORMAL || v->init.scheme == NS_INIT_XAVIER_UNIFORM;
  gboolean is_lecun = v->init.scheme == NS_INIT_LECUN_NORMAL;
  gboolean is_plain = residual->rule == NS_INIT_RESIDUAL_NONE || (residual->rule == 0 && residual->number == 1);
  const struct
  {
    const char *key;
    gboolean is_met;
  } assumptions[] = {
    { "shape.stack", experiment->shape.stack == NS_STACK_SINGLE },
    { "shape.kv_heads", ns_shape_get_kv_heads (&experiment->shape) == experiment->shape.heads },
    { "shape.d_ff", is_lecun || experiment->shape.d_ff == experiment->shape.d_model },
    { "data.source", experiment->data.source == NS_SOURCE_GAUSSIAN },
    { "data.class_token", experiment->data.class_token == NS_CLASS_TOKEN_NONE },
    { "topology", v->topology == NS_TOPOLOGY_SEQUENTIAL },
    { "attention", v->attention == NS_ATTENTION_UNIFORM },
    { "attention_output", !v->attention_output },
    { "activation", v->activation == NS_ACT_RELU },
    { "norm", v->norm != NS_NORM_DYT },
    { "norm_eps", v->norm_eps <= MAX_EPS },
    { "branch_norm_gain", v->branch_norm_gain == 1 },
    { "attn.inner_norm", !v->attn.inner_norm },
    { "ffn.inner_norm", !v->ffn.inner_norm },
    { "block_residual", !v->block_residual },
    { "input_scale", v->input_scale.rule == 0 && v->input_scale.number == 1 },
    { "input_norm", !v->input_norm },
    { "init.scheme", is_xavier || is_lecun },
    { "init.residual", is_plain },
  };
  const char **missed = g_new0 (const char *, G_N_ELEMENTS (assumptions) + 1);
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (assumptions); i++)
    if (!assumptions[i].is_met)
      missed[n++] = assumptions[i].key;
  return missed;
}

gboolean
ns_mean_field_holds (const NsExperiment *experiment, guint variant)
{
  g_autofree const char **missed = ns_mean_field_list_missed (experiment, variant);

  return missed[0] == NULL;
}
