/* The branches of a block, forward and backward: attention with its projections, and the feed-forward network.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-branch.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-attention.h"
#include "engine/pass/ns-experts.h"
#include "engine/pass/ns-map.h"
#include "engine/pass/ns-ngpt.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-relative-bias.h"

#include <string.h>

/* ---- attention ---- */

static NsAttentionShape
attention_shape (const NsPlan *plan)
{
  return (NsAttentionShape){ plan->B, plan->T, plan->D, plan->H, plan->G };
}

NsScores
ns_attention_branch_get_scores (const NsPass *pass, NsSub sub, gint64 site)
{
  return (NsScores){ .mask = ns_plan_is_causal (&pass->plan, sub, site) ? NS_MASK_CAUSAL : NS_MASK_NONE,
                     .bias = sub == NS_SUB_ATTN ? pass->position_bias[ns_plan_get_index (&pass->plan, site)] : NULL,
                     .window = ns_plan_get_window (&pass->plan, sub, site),
                     .cap = pass->plan.score_cap,
                     .scale = ns_plan_get_attention_scale (&pass->plan) };
}

/* Queries, keys or values: out = x·W, or norm (x·W) with a QK-norm; raw then keeps x·W for backward. */
static NsScaled
project (NsPass *pass, NsScaled out, ns_real *raw, NsNormCache *cache, gboolean has_norm, NsScaled x, NsTensor tensor,
         NsNormPlace norm, gint64 site)
{
  if (!has_norm)
    return ns_map_forward (pass, out.v, x, tensor, site);
  return ns_pass_norm_forward (pass, cache, out.v, ns_map_forward (pass, raw, x, tensor, site), norm, site);
}

/* Mirrors project() up to the norm: ∂L/∂(x·W) from ∂L/∂out. */
static NsScaled
project_norm_backward (NsPass *pass, const NsNormCache *cache, gboolean has_norm, NsScaled dy, NsNormPlace norm,
                       gint64 site, NsGradientSum *sum)
{
  return has_norm ? ns_pass_norm_backward (pass, cache, dy.v, dy, norm, site, sum) : dy;
}

NsRotary
ns_attention_branch_get_rotary (const NsPass *pass, NsSub sub, gint64 site)
{
  if (sub == NS_SUB_CROSS || !ns_variant_has_rotary (pass->plan.variant, ns_plan_get_layer (&pass->plan, site)))
    return (NsRotary){ 0 };
  return ns_plan_get_window (&pass->plan, sub, site) > 0 ? pass->rotary_local : pass->rotary;
}

static gboolean
has_qk_norm (const NsPlan *plan, NsSub sub, gint64 site)
{
  return ns_variant_has_qk_norm (plan->variant, sub, ns_plan_get_layer (plan, site));
}

static gboolean
has_v_norm (const NsPlan *plan)
{
  return plan->variant->qk_norm == NS_QK_NORM_QKV_HEAD;
}

static gboolean
has_inner_norm (const NsPlan *plan, NsSub sub)
{
  return ns_variant_get_wiring (plan->variant, sub).inner_norm;
}

/* Return the queries that meet the keys: in nGPT times both factors. */
static const ns_real *
get_queries (NsPass *pass, const NsSubCache *sub, gint64 site)
{
  return pass->plan.variant->ngpt ? ns_ngpt_queries_forward (pass, sub, site) : sub->q.v;
}

/* Attention, with A = H·D and K = G·D:
 *
 *   q = u·W_Q                             [N, A] = [N, C]·[C, A]
 *   k = source·W_K,  v = source·W_V       [N, K] = [N, C]·[C, K]; source is u, or the encoder's output
 *   mixed = softmax (S)·v                 [N, A], head by head, S = scale·q·kᵀ, where the variant has them with a soft
 *                                         cap and, in self-attention, a bias, over the tokens of mask and window
 *   s = mixed·W_O                         [N, C] = [N, A]·[A, C]
 *
 * with norms on q, k, v (QK-norm) and on mixed (inner norm) where the variant has them, then with q and k turned by
 * rotary positions in self-attention, and s = mixed without W_O. nGPT then multiplies q and k by s_qk (ns-ngpt.h). */
void
ns_attention_branch_forward (NsPass *pass, NsSubCache *sub, const NsSubLayer *layer, gint64 site, gboolean first)
{
  const NsPlan *plan = &pass->plan;
  gboolean uniform = ns_plan_is_uniform (plan);
  double scale = ns_plan_get_attention_scale (plan);
  gboolean has_entropy = plan->T > 1 && ns_pass_wants (pass, layer->entropy);
  NsRotary rotary = ns_attention_branch_get_rotary (pass, layer->sub, site);
  gboolean qk_norm = has_qk_norm (plan, layer->sub, site);
  gboolean measures = first && (has_entropy || ns_pass_wants (pass, layer->max_logit)
                                || ns_pass_wants (pass, layer->rms_scores));
  NsAttentionStats stats;

  sub->v = project (pass, sub->v, sub->v_array, &sub->v_norm, has_v_norm (plan), sub->source, layer->w_v,
                    layer->v_norm, site);
  if (!uniform)
    {
      sub->q = project (pass, sub->q, sub->q_array, &sub->q_norm, qk_norm, sub->u, layer->w_q,
                        layer->q_norm, site);
      sub->k = project (pass, sub->k, sub->k_array, &sub->k_norm, qk_norm, sub->source, layer->w_k,
                        layer->k_norm, site);
      if (rotary.pairs > 0)
        {
          ns_rotary_forward (sub->q.v, &rotary, plan->N, plan->H, plan->D, pass->work->linear.progress);
          ns_rotary_forward (sub->k.v, &rotary, plan->N, plan->G, plan->D, pass->work->linear.progress);
        }
      /* the exponents of q and k enter the scores */
      scale *= exp2 (sub->q.exp2 + sub->k.exp2);
    }
  ns_attention_forward (sub->mixed.v, sub->probs, get_queries (pass, sub, site), sub->k.v, sub->v.v,
                        ns_attention_branch_get_scores (pass, layer->sub, site), uniform, scale, attention_shape (plan),
                        measures ? &stats : NULL, pass->work->linear.progress);
  if (measures && has_entropy)
    ns_pass_record (pass, layer->entropy, site, stats.entropy, 0);
  if (measures)
    {
      ns_pass_record (pass, layer->max_logit, site, stats.max_logit, 0);
      ns_pass_record (pass, layer->rms_scores, site, stats.rms, 0);
    }
  sub->mixed.exp2 = sub->v.exp2; /* mixed is a mean of values */
  sub->last = sub->mixed;
  if (has_inner_norm (plan, layer->sub))
    sub->last = ns_pass_norm_forward (pass, &sub->inner, sub->inner_array, sub->mixed, layer->inner, site);
  if (plan->variant->attention_output)
    sub->s = ns_map_forward (pass, sub->s.v, sub->last, layer->w_o, site);
  else
    sub->s = ns_scaled_add (sub->s.v, 0, sub->last, 1, sub->last, pass->plan.N * pass->plan.C);
}

/* pass->dsource += part: the gradient of the encoder's output, summed over the decoder's blocks. */
static void
add_to_source (NsPass *pass, NsScaled part)
{
  ns_real *sum = pass->work->dsource;
  gsize n = ns_pass_get_gradient_size (pass);

  pass->dsource = pass->has_dsource ? ns_scaled_add (sum, 1, part, 1, pass->dsource, n)
                                    : ns_scaled_add (sum, 0, part, 1, part, n);
  pass->has_dsource = TRUE;
  ns_rescale_gradient (&pass->dsource, n);
}

/* Uniform attention has W_Q = W_K = 0, so k = q = 0, and with them ∂L/∂W_Q = uᵀ·dS·k and ∂L/∂W_K are 0. */
static void
record_zeros (NsPass *pass, const NsSubLayer *layer, gint64 site)
{
  const NsTensor matrices[] = { layer->w_q, layer->w_k };

  for (gsize i = 0; i < G_N_ELEMENTS (matrices); i++)
    {
      NsTensor bias = ns_matrix_get_bias (matrices[i]);

      ns_pass_record_gradient (pass, ns_tensor_get_quantity (matrices[i]), site, 0, NULL, 0);
      if (ns_variant_has_bias (pass->plan.variant, bias))
        ns_pass_record_gradient (pass, ns_tensor_get_quantity (bias), site, 0, NULL, 0);
    }
}

/* dmixed = ds·W_Oᵀ, through the inner norm where there is one; dW_O = mixedᵀ·ds. */
static NsScaled
output_backward (NsPass *pass, const NsSubCache *sub, const NsSubLayer *layer, gint64 site, NsScaled ds)
{
  const NsPlan *plan = &pass->plan;
  NsGradientSum *sum = &pass->sum[layer->sub];
  NsScaled dmixed = ds;

  if (!plan->variant->attention_output)
    return ds;
  pass->work->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, layer->w_o, site, sub->last, ds, sum);
  if (pass->satisfied)
    return ds;
  dmixed = ns_map_backward (pass, pass->work->dmixed, ds, layer->w_o, site);
  if (has_inner_norm (plan, layer->sub))
    dmixed = ns_pass_norm_backward (pass, &sub->inner, dmixed.v, dmixed, layer->inner, site, sum);
  return dmixed;
}

/* dsource = dv·W_Vᵀ + dk·W_Kᵀ and du = dq·W_Qᵀ, [N, C]. In self-attention the source is u: all three add up in du. */
static NsScaled
projections_backward (NsPass *pass, const NsSubCache *sub, const NsSubLayer *layer, gint64 site, NsScaled dq,
                      NsScaled dk, NsScaled dv)
{
  NsWorkspace *w = pass->work;
  NsGradientSum *sum = &pass->sum[layer->sub];
  gboolean is_cross = layer->sub == NS_SUB_CROSS, uniform = ns_plan_is_uniform (&pass->plan);
  NsScaled du = { w->du, dv.exp2 }, dsource = { is_cross ? w->dsource_part : w->du, dv.exp2 };

  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &dsource, FALSE, sub->source, dv, layer->w_v, site, sum);
  if (uniform)
    record_zeros (pass, layer, site);
  else
    ns_map_projection_backward (pass, &dsource, TRUE, sub->source, dk, layer->w_k, site, sum);
  if (is_cross)
    {
      add_to_source (pass, dsource);
      w->linear.gram_x_valid = FALSE;
    }
  else
    du = dsource;
  if (!uniform)
    ns_map_projection_backward (pass, &du, !is_cross, sub->u, dq, layer->w_q, site, sum);
  else if (is_cross) /* the output does not depend on the queries */
    memset (du.v, 0, ns_pass_get_gradient_size (pass) * sizeof *du.v);
  return du;
}

/* dq, dk and dv from dmixed, of gradient i of those at once; with relative biases also their gradient, minibatch by
 * minibatch. */
static void
scores_backward (NsPass *pass, const NsSubCache *sub, const ns_real *q, const NsSubLayer *layer, gint64 site, gsize i,
                 NsScaled dmixed, NsScaled dq, NsScaled dk, NsScaled dv)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gboolean uniform = ns_plan_is_uniform (plan), has_table = ns_relative_bias_is_wanted (pass, layer->sub);
  NsScores scores = ns_attention_branch_get_scores (pass, layer->sub, site);
  NsAttentionShape shape = attention_shape (plan);
  gsize parts = has_table ? plan->M : 1;

  if (!uniform)
    scores.scale *= exp2 (sub->q.exp2 + sub->k.exp2);
  shape.B = plan->B / parts;
  for (gsize m = 0; m < parts; m++)
    {
      gsize n = m * shape.B * plan->T, q_at = n * w->A, k_at = n * w->K;
      gsize dq_at = i * w->N * w->A + q_at, dk_at = i * w->N * w->K + k_at;

      if (has_table)
        scores.dbias = ns_relative_bias_get_gradient (pass);
      ns_attention_backward (uniform ? NULL : dq.v + dq_at, uniform ? NULL : dk.v + dk_at, dv.v + dk_at, w->scratch_tt,
                             dmixed.v + dq_at, uniform ? NULL : sub->probs + n * plan->H * plan->T,
                             uniform ? NULL : q + q_at, uniform ? NULL : sub->k.v + k_at, sub->v.v + k_at,
                             scores, uniform, ns_plan_get_attention_scale (plan), shape,
                             w->linear.progress);
      if (has_table)
        ns_relative_bias_add_gradient (pass, site, m, dmixed.exp2 + sub->v.exp2);
    }
}

/* Mirrors the forward pass, from the output projection back to u:
 *
 *   dmixed = ds·W_Oᵀ                      [N, A]
 *   dv = Pᵀ·dmixed                        [N, K]
 *   dP = dmixed·vᵀ, dS = softmax' (dP)    [T, T] in each head; through the cap where there is one
 *   dq = scale·dS·k,  dk = scale·dSᵀ·q    [N, A], [N, K]; turned back, with rotary positions
 *   du, dsource through W_Q, W_K, W_V     [N, C]
 */
NsScaled
ns_attention_branch_backward (NsPass *pass, const NsSubCache *sub, const NsSubLayer *layer, gint64 site, NsScaled ds)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsGradientSum *sum = &pass->sum[layer->sub];
  gboolean uniform = ns_plan_is_uniform (plan);
  gboolean qk_norm = has_qk_norm (plan, layer->sub, site);
  NsRotary rotary = ns_attention_branch_get_rotary (pass, layer->sub, site);
  NsScaled dmixed = output_backward (pass, sub, layer, site, ds), dq, dk, dv;
  const ns_real *q;

  if (pass->satisfied)
    return (NsScaled){ w->du, ds.exp2 };
  /* exponents: dv is linear in dmixed; dS in dmixed and v; dq in dS and k; dk in dS and q */
  dv = (NsScaled){ w->dv, dmixed.exp2 };
  dq = (NsScaled){ w->dq, dmixed.exp2 + sub->v.exp2 + sub->k.exp2 };
  dk = (NsScaled){ w->dk, dmixed.exp2 + sub->v.exp2 + sub->q.exp2 };
  q = get_queries (pass, sub, site);
  for (gsize i = 0; i < pass->copies; i++)
    scores_backward (pass, sub, q, layer, site, i, dmixed, dq, dk, dv);
  if (plan->variant->ngpt)
    ns_ngpt_queries_backward (pass, sub, site, dq);
  if (rotary.pairs > 0)
    {
      ns_rotary_backward (dq.v, &rotary, pass->copies * w->N, plan->H, plan->D, w->linear.progress);
      ns_rotary_backward (dk.v, &rotary, pass->copies * w->N, plan->G, plan->D, w->linear.progress);
    }
  dv = project_norm_backward (pass, &sub->v_norm, has_v_norm (plan), dv, layer->v_norm, site, sum);
  if (!uniform)
    {
      dq = project_norm_backward (pass, &sub->q_norm, qk_norm, dq, layer->q_norm, site, sum);
      dk = project_norm_backward (pass, &sub->k_norm, qk_norm, dk, layer->k_norm, site, sum);
    }
  return projections_backward (pass, sub, layer, site, dq, dk, dv);
}

/* ---- FFN ---- */

/* The feed-forward network:
 *
 *   h = u·W_1,  gated also g = u·W_3      [N, F] = [N, C]·[C, F]
 *   act = act (h), or act (h) ⊙ g         [N, F]
 *   s = act·W_2                           [N, C] = [N, F]·[F, C], through an inner norm where there is one
 */
void
ns_ffn_branch_forward (NsPass *pass, NsSubCache *sub, gint64 site, gboolean first)
{
  const NsPlan *plan = &pass->plan;
  const ns_real *h = sub->h.v, *g = sub->g.v;

  if (plan->E > 0)
    {
      ns_experts_forward (pass, sub, site, first);
      return;
    }
  sub->h = ns_map_forward (pass, sub->h.v, sub->u, NS_T_W_1, site);
  if (plan->gated)
    sub->g = ns_map_forward (pass, sub->g.v, sub->u, NS_T_W_3, site);
  if (plan->variant->ngpt)
    ns_ngpt_hidden_forward (pass, sub, site, &h, &g);
  ns_activation_forward (sub->act.v, h, plan->gated ? g : NULL, (NsActivation) plan->variant->activation,
                         exp2 (sub->h.exp2), plan->N * plan->F, pass->work->linear.progress);
  sub->act.exp2 = MAX (sub->h.exp2 + (plan->gated ? sub->g.exp2 : 0), NS_MIN_EXP2);
  sub->last = sub->act;
  if (has_inner_norm (plan, NS_SUB_FFN))
    sub->last = ns_pass_norm_forward (pass, &sub->inner, sub->inner_array, sub->act, NS_NORM_FFN_INNER, site);
  sub->s = ns_map_forward (pass, sub->s.v, sub->last, NS_T_W_2, site);
}

/* Mirrors the forward pass:
 *
 *   dact = ds·W_2ᵀ                        [N, F]
 *   dh = dact ⊙ act' (h), or also ⊙ g     [N, F]
 *   dg = dact ⊙ act (h)                   [N, F]
 *   du = dh·W_1ᵀ (+ dg·W_3ᵀ)              [N, C]
 */
NsScaled
ns_ffn_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsGradientSum *sum = &pass->sum[NS_SUB_FFN];
  NsScaled dact, dh, dg, du = { w->du, ds.exp2 };
  const ns_real *h = sub->h.v, *g = sub->g.v;

  if (plan->E > 0)
    return ns_experts_backward (pass, sub, site, ds);
  w->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, NS_T_W_2, site, sub->last, ds, sum);
  if (pass->satisfied)
    return du;
  dact = ns_map_backward (pass, w->dh, ds, NS_T_W_2, site);
  if (has_inner_norm (plan, NS_SUB_FFN))
    dact = ns_pass_norm_backward (pass, &sub->inner, dact.v, dact, NS_NORM_FFN_INNER, site, sum);
  dh = dact;
  dg = (NsScaled){ w->dg, dact.exp2 + sub->h.exp2 };
  if (plan->gated)
    dh.exp2 += sub->g.exp2;
  if (plan->variant->ngpt)
    ns_ngpt_hidden_forward (pass, sub, site, &h, &g);
  for (gsize i = 0; i < pass->copies; i++)
    {
      gsize at = i * plan->N * plan->F;

      ns_activation_backward (dh.v + at, plan->gated ? dg.v + at : NULL, dact.v + at, h, plan->gated ? g : NULL,
                              (NsActivation) plan->variant->activation,
                              exp2 (sub->h.exp2), plan->N * plan->F, w->linear.progress);
    }
  if (plan->variant->ngpt)
    ns_ngpt_hidden_backward (pass, sub, site, dh, dg);

  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &du, FALSE, sub->u, dh, NS_T_W_1, site, sum);
  if (plan->gated)
    ns_map_projection_backward (pass, &du, TRUE, sub->u, dg, NS_T_W_3, site, sum);
  return du;
}
