/* The two branches of a block: attention with its projections, and the feed-forward network.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-activation.h"
#include "engine/ns-attention.h"
#include "engine/ns-pass.h"

#include <string.h>

/* A gate doubles the exponent in every block without norms: past a thousand blocks it would leave the double that
 * holds it. There, 10^(−10^300) has to do. */
#define LEAST_EXP2 (-1e300)

static NsScaled
linear (NsPass *pass, ns_real *y, NsScaled x, NsTensor tensor, gint64 block)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, block);
  double power = ns_take_power (&W.std);

  /* biases are 0 at initialization: adding them would change no digit */
  ns_linear_forward (y, x.v, &W, 1, 0, pass->work->N, &pass->work->linear);
  return (NsScaled){ y, x.exp2 + power };
}

/* dx = dy·Wᵀ */
static NsScaled
linear_backward (NsPass *pass, ns_real *dx, NsScaled dy, NsTensor tensor, gint64 block)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, block);
  double power = ns_take_power (&W.std);

  ns_linear_backward (dx, dy.v, &W, 1, 0, pass->work->N, &pass->work->linear);
  return (NsScaled){ dx, dy.exp2 + power };
}

/* dx += dy·Wᵀ, at the scale where dx stands. */
static void
linear_backward_add (NsPass *pass, NsScaled dx, NsScaled dy, NsTensor tensor, gint64 block)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, block);
  double power = ns_take_power (&W.std);

  ns_linear_backward (dx.v, dy.v, &W, exp2 (dy.exp2 + power - dx.exp2), 1, pass->work->N, &pass->work->linear);
}

static NsAttentionShape
attention_shape (const NsPlan *plan)
{
  return (NsAttentionShape){ plan->B, plan->T, plan->C, plan->H };
}

/* q, k, v = u·W_Q, u·W_K, u·W_V;  mixed = softmax (q·kᵀ/√d_h)·v;  s = mixed·W_O */
void
ns_attention_branch_forward (NsPass *pass, NsSubCache *sub, gint64 block)
{
  const NsPlan *plan = &pass->plan;
  NsAttention kind = (NsAttention) plan->variant->attention;
  double scale = 1 / sqrt ((double) plan->C / (double) plan->H);

  sub->v = linear (pass, sub->v.v, sub->u, NS_T_W_V, block);
  if (kind != NS_ATTENTION_UNIFORM)
    {
      sub->q = linear (pass, sub->q.v, sub->u, NS_T_W_Q, block);
      sub->k = linear (pass, sub->k.v, sub->u, NS_T_W_K, block);
      scale *= exp2 (sub->q.exp2 + sub->k.exp2);
    }
  ns_attention_forward (sub->mixed.v, sub->probs, sub->q.v, sub->k.v, sub->v.v, kind, scale, attention_shape (plan));
  sub->mixed.exp2 = sub->v.exp2;
  if (plan->variant->attention_output)
    sub->s = linear (pass, sub->s.v, sub->mixed, NS_T_W_O, block);
  else
    {
      memcpy (sub->s.v, sub->mixed.v, plan->N * plan->C * sizeof (ns_real));
      sub->s.exp2 = sub->mixed.exp2;
    }
}

/* dmixed = ds·W_Oᵀ;  dv = Pᵀ·dmixed;  dq = dS·k/√d_h;  dk = dSᵀ·q/√d_h;
 * du = dq·W_Qᵀ + dk·W_Kᵀ + dv·W_Vᵀ */
NsScaled
ns_attention_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 block, NsScaled ds, NsRoot *sum)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsAttention kind = (NsAttention) plan->variant->attention;
  gsize C = plan->C;
  NsScaled dmixed = ds, dq, dk, dv, du = { w->du, ds.exp2 };

  if (plan->variant->attention_output)
    {
      w->linear.gram_x_valid = FALSE;
      ns_pass_matrix_gradient (pass, NS_T_W_O, block, sub->mixed, ds, C, C, sum);
      if (pass->satisfied)
        return du;
      dmixed = linear_backward (pass, w->dmixed, ds, NS_T_W_O, block);
    }
  dv = (NsScaled){ w->dv, dmixed.exp2 };
  dq = (NsScaled){ w->dq, dmixed.exp2 + sub->v.exp2 + sub->k.exp2 };
  dk = (NsScaled){ w->dk, dmixed.exp2 + sub->v.exp2 + sub->q.exp2 };
  ns_attention_backward (dq.v, dk.v, dv.v, w->scratch_tt, dmixed.v, sub->probs, sub->q.v, sub->k.v, sub->v.v, kind,
                         1 / sqrt ((double) C / (double) plan->H), attention_shape (plan));

  w->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, NS_T_W_V, block, sub->u, dv, C, C, sum);
  du = linear_backward (pass, w->du, dv, NS_T_W_V, block);
  if (kind == NS_ATTENTION_UNIFORM)
    {
      /* W_Q = W_K = 0: ∂L/∂W_Q = uᵀ·dS·k with k = 0, and likewise for W_K */
      static const NsTensor zero[] = { NS_T_W_Q, NS_T_W_K, NS_T_B_Q, NS_T_B_K };

      for (int i = 0; i < (plan->variant->bias ? 4 : 2); i++)
        ns_pass_record (pass, (NsQuantity) zero[i], block, 0, 0);
      return du;
    }
  ns_pass_matrix_gradient (pass, NS_T_W_Q, block, sub->u, dq, C, C, sum);
  linear_backward_add (pass, du, dq, NS_T_W_Q, block);
  ns_pass_matrix_gradient (pass, NS_T_W_K, block, sub->u, dk, C, C, sum);
  linear_backward_add (pass, du, dk, NS_T_W_K, block);
  return du;
}

/* h = u·W_1, g = u·W_3;  act = act (h) (⊙ g);  s = act·W_2 */
void
ns_ffn_branch_forward (NsPass *pass, NsSubCache *sub, gint64 block)
{
  const NsPlan *plan = &pass->plan;

  sub->h = linear (pass, sub->h.v, sub->u, NS_T_W_1, block);
  if (plan->gated)
    sub->g = linear (pass, sub->g.v, sub->u, NS_T_W_3, block);
  ns_activation_forward (sub->act.v, sub->h.v, plan->gated ? sub->g.v : NULL,
                         (NsActivation) plan->variant->activation, exp2 (sub->h.exp2), plan->N * plan->F);
  sub->act.exp2 = MAX (sub->h.exp2 + (plan->gated ? sub->g.exp2 : 0), LEAST_EXP2);
  sub->s = linear (pass, sub->s.v, sub->act, NS_T_W_2, block);
}

/* dact = ds·W_2ᵀ;  dh = dact ⊙ act' (h) (⊙ g), dg = dact ⊙ act (h);  du = dh·W_1ᵀ + dg·W_3ᵀ */
NsScaled
ns_ffn_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 block, NsScaled ds, NsRoot *sum)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsScaled dact, dh, dg, du = { w->du, ds.exp2 };

  w->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, NS_T_W_2, block, sub->act, ds, plan->F, plan->C, sum);
  if (pass->satisfied)
    return du;
  dact = dh = linear_backward (pass, w->dh, ds, NS_T_W_2, block);
  dg = (NsScaled){ w->dg, dact.exp2 + sub->h.exp2 };
  if (plan->gated)
    dh.exp2 += sub->g.exp2;
  ns_activation_backward (dh.v, plan->gated ? dg.v : NULL, dact.v, sub->h.v, plan->gated ? sub->g.v : NULL,
                          (NsActivation) plan->variant->activation, exp2 (sub->h.exp2), plan->N * plan->F);

  w->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, NS_T_W_1, block, sub->u, dh, plan->C, plan->F, sum);
  du = linear_backward (pass, w->du, dh, NS_T_W_1, block);
  if (plan->gated)
    {
      ns_pass_matrix_gradient (pass, NS_T_W_3, block, sub->u, dg, plan->C, plan->F, sum);
      linear_backward_add (pass, du, dg, NS_T_W_3, block);
    }
  return du;
}
