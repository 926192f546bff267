/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N tokens, E experts, k of them for each token, S = N·k slots. The experts' arrays have a row for each slot, ordered
 * by expert.
 */
#include "engine/pass/ns-experts.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-activation.h"
#include "engine/pass/ns-map.h"
#include "engine/pass/ns-pass-parameters.h"

#include <string.h>

static gsize
n_slots (const NsPlan *plan)
{
  return plan->N * plan->k;
}

/* Return TRUE when the weight of a slot multiplies the input of its expert, not the output. */
static gboolean
weights_are_on_input (const NsPlan *plan)
{
  return plan->variant->experts.weights == NS_EXPERT_WEIGHTS_SIGMOID_INPUT;
}

/* ---- the experts' linear maps ---- */

/* y = x·W_e for the rows of each expert: x [S, in], y [S, out] */
static NsScaled
rows_forward (NsPass *pass, ns_real *y, NsScaled x, NsTensor tensor, gint64 site)
{
  NsRowGroups groups = ns_pass_get_row_groups (pass, tensor, site);
  double power = 0;

  for (gsize e = 0; e < groups.n; e++)
    {
      gsize first = groups.start[e], rows = groups.start[e + 1] - first;
      NsMatrix W;

      if (rows == 0)
        continue;
      W = ns_pass_get_expert (pass, tensor, site, e);
      power = ns_take_power (&W.std); /* the same of all experts */
      ns_linear_forward (y + first * W.out, x.v + first * W.in, &W, 1, 0, rows, &pass->work->linear);
    }
  return ns_pass_add_to_linear (pass, tensor, site, (NsScaled){ y, x.exp2 + power }, x);
}

/* dx = dy·W_eᵀ for the rows of each expert, or dx += dy·W_eᵀ, keeping the exponent of dx */
static void
rows_backward (NsPass *pass, NsScaled *dx, gboolean add, NsScaled dy, NsTensor tensor, gint64 site)
{
  NsRowGroups groups = ns_pass_get_row_groups (pass, tensor, site);
  double power = 0;

  for (gsize e = 0; e < groups.n; e++)
    {
      gsize first = groups.start[e], rows = groups.start[e + 1] - first;
      NsMatrix W;

      if (rows == 0)
        continue;
      W = ns_pass_get_expert (pass, tensor, site, e);
      power = ns_take_power (&W.std);
      ns_linear_backward (dx->v + first * W.in, dy.v + first * W.out, &W, add ? exp2 (dy.exp2 + power - dx->exp2) : 1,
                          add, rows, &pass->work->linear);
    }
  if (!add)
    dx->exp2 = dy.exp2 + power;
}

/* ---- forward ---- */

static void
record_routing (NsPass *pass, const NsRouting *routing, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  gsize max = 0, min = n_slots (plan);

  if (ns_pass_wants (pass, NS_Q_ROUTER_ENTROPY))
    ns_pass_record (pass, NS_Q_ROUTER_ENTROPY, site,
                    ns_routing_get_entropy (routing, ns_plan_get_routing_shape (plan)), 0);
  for (gsize e = 0; e < plan->E; e++)
    {
      max = MAX (max, routing->start[e + 1] - routing->start[e]);
      min = MIN (min, routing->start[e + 1] - routing->start[e]);
    }
  ns_pass_record (pass, NS_Q_EXPERT_LOAD_MAX, site, (double) max / (double) n_slots (plan), 0);
  ns_pass_record (pass, NS_Q_EXPERT_LOAD_MIN, site, (double) min / (double) n_slots (plan), 0);
}

/* act = act (h), or act (h) ⊙ g, [n] */
static NsScaled
activate (NsPass *pass, ns_real *act, NsScaled h, NsScaled g, gsize n)
{
  const NsPlan *plan = &pass->plan;

  ns_activation_forward (act, h.v, plan->gated ? g.v : NULL, (NsActivation) plan->variant->activation, exp2 (h.exp2), n,
                         pass->work->linear.progress);
  return (NsScaled){ act, MAX (h.exp2 + (plan->gated ? g.exp2 : 0), NS_MIN_EXP2) };
}

/* out_n = Σ_j weight_nj·rows_nj over the slots j of each token n, or without weights (NULL): rows [S, C], out [N, C] */
static void
sum_slots (ns_real *out, const ns_real *rows, const ns_real *weights, const NsRouting *routing, const NsPlan *plan)
{
  gsize C = plan->C, k = plan->k;

  memset (out, 0, plan->N * C * sizeof *out);
  for (gsize slot = 0; slot < n_slots (plan); slot++)
    {
      const ns_real *row = rows + routing->row[slot] * C;
      ns_real *sum = out + slot / k * C, weight = weights != NULL ? weights[slot] : 1;

      for (gsize c = 0; c < C; c++)
        sum[c] += weight * row[c];
    }
}

/* s += σ (u·w_g) ⊙ FFN_s (u), or FFN_s (u) without the gate */
static NsScaled
add_shared_forward (NsPass *pass, NsSubCache *sub, gint64 site, NsScaled s)
{
  const NsPlan *plan = &pass->plan;
  gsize C = plan->C;
  gboolean has_gate = plan->variant->experts.shared_gate;
  NsScaled gate = { sub->gate, 0 }, gated = { pass->work->branch, 0 };

  sub->shared_h = ns_map_forward (pass, sub->shared_h.v, sub->u, NS_T_SHARED_W_1, site);
  if (plan->gated)
    sub->shared_g = ns_map_forward (pass, sub->shared_g.v, sub->u, NS_T_SHARED_W_3, site);
  sub->shared_act = activate (pass, sub->shared_act.v, sub->shared_h, sub->shared_g,
                              plan->N * plan->F * (gsize) plan->variant->experts.shared);
  sub->shared_out = ns_map_forward (pass, sub->shared_out.v, sub->shared_act, NS_T_SHARED_W_2, site);
  if (!has_gate)
    return ns_scaled_add (s.v, 1, s, 1, sub->shared_out, plan->N * C);
  gate = ns_map_forward (pass, sub->gate, sub->u, NS_T_SHARED_GATE, site);
  gated.exp2 = sub->shared_out.exp2;
  for (gsize n = 0; n < plan->N; n++)
    {
      sub->gate[n] = (ns_real) (1 / (1 + exp (-gate.v[n] * exp2 (gate.exp2))));
      for (gsize c = 0; c < C; c++)
        gated.v[n * C + c] = sub->gate[n] * sub->shared_out.v[n * C + c];
    }
  return ns_scaled_add (s.v, 1, s, 1, gated, plan->N * C);
}

/* With p the weights of the slots:
 *
 *   r = u·W_r                             [N, E] = [N, C]·[C, E], which gives p and the rows u_e
 *   h_e = u_e·W_1,e,  gated also g_e      [S, F], u_e [S, C] the tokens of expert e
 *   act_e = act (h_e), or act (h_e) ⊙ g_e [S, F]
 *   o_e = act_e·W_2,e                     [S, C]
 *   s = Σ p·o over the slots of a token   [N, C], and the shared expert
 *
 * With weights on the input the rows are p·u_e, and s = Σ o. */
void
ns_experts_forward (NsPass *pass, NsSubCache *sub, gint64 site, gboolean first)
{
  const NsPlan *plan = &pass->plan;
  NsRouting *routing = &sub->routing;
  NsScaled r = ns_map_forward (pass, pass->work->router, sub->u, NS_T_ROUTER, site);
  gboolean on_input = weights_are_on_input (plan);
  gsize C = plan->C;

  ns_routing_forward (routing, r.v, exp2 (r.exp2), ns_plan_get_routing_shape (plan));
  if (first)
    record_routing (pass, routing, site);
  sub->rows.exp2 = sub->u.exp2;
  for (gsize slot = 0; slot < n_slots (plan); slot++)
    {
      ns_real *row = sub->rows.v + routing->row[slot] * C, p = on_input ? routing->weights[slot] : 1;

      for (gsize c = 0; c < C; c++)
        row[c] = p * sub->u.v[slot / plan->k * C + c];
    }
  sub->h = rows_forward (pass, sub->h.v, sub->rows, NS_T_W_1, site);
  if (plan->gated)
    sub->g = rows_forward (pass, sub->g.v, sub->rows, NS_T_W_3, site);
  sub->act = activate (pass, sub->act.v, sub->h, sub->g, n_slots (plan) * plan->F);
  sub->last = sub->act;
  sub->out = rows_forward (pass, sub->out.v, sub->act, NS_T_W_2, site);
  sum_slots (sub->s.v, sub->out.v, on_input ? NULL : routing->weights, routing, plan);
  sub->s.exp2 = sub->out.exp2;
  if (ns_variant_has_shared_expert (plan->variant))
    sub->s = add_shared_forward (pass, sub, site, sub->s);
}

/* ---- backward ---- */

/* The gradients of h and g of n elements from that of the activation, in the arrays dh and dg; dh holds dact. */
static void
activation_backward (NsPass *pass, NsScaled *dh, NsScaled *dg, NsScaled h, NsScaled g, gsize n)
{
  const NsPlan *plan = &pass->plan;

  dg->exp2 = dh->exp2 + h.exp2;
  ns_activation_backward (dh->v, plan->gated ? dg->v : NULL, dh->v, h.v, plan->gated ? g.v : NULL,
                          (NsActivation) plan->variant->activation, exp2 (h.exp2), n, pass->work->linear.progress);
  if (plan->gated)
    dh->exp2 += g.exp2;
}

/* do = ds of each slot, in work->drows [S, C] */
static void
spread_backward (NsPass *pass, const NsSubCache *sub, const ns_real *ds)
{
  gsize C = pass->plan.C;

  for (gsize slot = 0; slot < n_slots (&pass->plan); slot++)
    memcpy (pass->work->drows + sub->routing.row[slot] * C, ds + slot / pass->plan.k * C, C * sizeof *ds);
}

/* From the gradient of the rows p·u, in work->drows: dp = ⟨drow, u⟩ in work->dslots [S]. */
static void
input_weights_backward (NsPass *pass, const NsSubCache *sub)
{
  gsize C = pass->plan.C;

  for (gsize slot = 0; slot < n_slots (&pass->plan); slot++)
    {
      const ns_real *row = pass->work->drows + sub->routing.row[slot] * C, *u = sub->u.v + slot / pass->plan.k * C;
      double sum = 0;

      for (gsize c = 0; c < C; c++)
        sum += (double) row[c] * u[c];
      pass->work->dslots[slot] = (ns_real) sum;
    }
}

/* dp = ⟨ds, o⟩ and do = p·ds of each slot, in work->dslots [S] and work->drows [S, C] */
static void
slots_backward (NsPass *pass, const NsSubCache *sub, const ns_real *ds)
{
  const NsRouting *routing = &sub->routing;
  NsWorkspace *w = pass->work;
  gsize C = pass->plan.C;

  for (gsize slot = 0; slot < n_slots (&pass->plan); slot++)
    {
      const ns_real *d = ds + slot / pass->plan.k * C, *out = sub->out.v + routing->row[slot] * C;
      ns_real *row = w->drows + routing->row[slot] * C, p = routing->weights[slot];
      double sum = 0;

      for (gsize c = 0; c < C; c++)
        {
          sum += (double) d[c] * out[c];
          row[c] = p * d[c];
        }
      w->dslots[slot] = (ns_real) sum;
    }
}

/* One gradient ds [N, C]: through the experts into du [N, C], and dlogits [N, E] of the router with its exponent. */
static NsScaled
experts_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds, ns_real *du, NsScaled *dlogits)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsGradientSum *sum = &pass->sum[NS_SUB_FFN];
  NsScaled drows = { w->drows, ds.exp2 }, dh = { w->dh, 0 }, dg = { w->dg, 0 };
  gboolean on_input = weights_are_on_input (plan);

  if (on_input)
    spread_backward (pass, sub, ds.v);
  else
    {
      slots_backward (pass, sub, ds.v);
      ns_routing_backward (dlogits->v, w->dslots, &sub->routing, ns_plan_get_routing_shape (plan));
      dlogits->exp2 = ds.exp2 + sub->out.exp2;
    }
  ns_pass_experts_gradient (pass, NS_T_W_2, site, sub->act, drows, sum);
  if (pass->satisfied)
    return (NsScaled){ du, ds.exp2 };
  rows_backward (pass, &dh, FALSE, drows, NS_T_W_2, site);
  activation_backward (pass, &dh, &dg, sub->h, sub->g, n_slots (plan) * plan->F);
  ns_pass_experts_gradient (pass, NS_T_W_1, site, sub->rows, dh, sum);
  rows_backward (pass, &drows, FALSE, dh, NS_T_W_1, site);
  if (plan->gated)
    {
      ns_pass_experts_gradient (pass, NS_T_W_3, site, sub->rows, dg, sum);
      rows_backward (pass, &drows, TRUE, dg, NS_T_W_3, site);
    }
  if (on_input)
    {
      input_weights_backward (pass, sub);
      ns_routing_backward (dlogits->v, w->dslots, &sub->routing, ns_plan_get_routing_shape (plan));
      dlogits->exp2 = drows.exp2 + sub->u.exp2;
    }
  sum_slots (du, drows.v, on_input ? sub->routing.weights : NULL, &sub->routing, plan);
  return (NsScaled){ du, drows.exp2 };
}

/* du += through the shared expert and its gate, with σ the gate and o the expert's output:
 *
 *   do = σ·ds [N, C],  dgate = ⟨ds, o⟩·σ·(1 − σ) [N]
 *
 * Without the gate do = ds. */
static void
shared_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds, NsScaled *du)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsGradientSum *sum = &pass->sum[NS_SUB_FFN];
  gsize N = plan->N, C = plan->C, F = plan->F * (gsize) plan->variant->experts.shared;
  NsScaled dout = { w->dshared, ds.exp2 }, dgate = { w->dgate, ds.exp2 + sub->shared_out.exp2 };
  NsScaled dh = { w->dshared_h, 0 }, dg = { w->dshared_g, 0 };
  gboolean has_gate = plan->variant->experts.shared_gate;
  double dact_exp2;

  for (gsize n = 0; n < pass->copies * N; n++)
    {
      const ns_real *d = ds.v + n * C, *out = sub->shared_out.v + n % N * C;
      double gate = has_gate ? sub->gate[n % N] : 1, dot = 0;

      for (gsize c = 0; c < C; c++)
        {
          dot += (double) d[c] * out[c];
          dout.v[n * C + c] = (ns_real) gate * d[c];
        }
      dgate.v[n] = (ns_real) (dot * gate * (1 - gate));
    }
  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &dh, FALSE, sub->shared_act, dout, NS_T_SHARED_W_2, site, sum);
  dact_exp2 = dh.exp2;
  for (gsize i = 0; i < pass->copies; i++)
    {
      NsScaled dh_i = { dh.v + i * N * F, dact_exp2 }, dg_i = { plan->gated ? dg.v + i * N * F : NULL, 0 };

      activation_backward (pass, &dh_i, &dg_i, sub->shared_h, sub->shared_g, N * F);
      dh.exp2 = dh_i.exp2;
      dg.exp2 = dg_i.exp2;
    }
  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, du, TRUE, sub->u, dh, NS_T_SHARED_W_1, site, sum);
  if (plan->gated)
    ns_map_projection_backward (pass, du, TRUE, sub->u, dg, NS_T_SHARED_W_3, site, sum);
  if (has_gate)
    ns_map_projection_backward (pass, du, TRUE, sub->u, dgate, NS_T_SHARED_GATE, site, sum);
}

/* Mirrors the forward pass:
 *
 *   dp = ⟨ds, o⟩,  do_e = p·ds            [S], [S, C]
 *   dr = softmax' (dp)                    [N, E]
 *   dact_e = do_e·W_2,eᵀ, dh_e, dg_e      [S, F]
 *   du = Σ dh_e·W_1,eᵀ (+ dg_e·W_3,eᵀ) over the slots of a token, + dr·W_rᵀ  [N, C], and the shared expert
 *
 * With weights on the input do_e = ds, dp = ⟨d(p·u_e), u_e⟩ and du = Σ p·d(p·u_e) + dr·W_rᵀ. */
NsScaled
ns_experts_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsScaled du = { w->du, ds.exp2 }, dlogits = { w->router, 0 };

  ns_pass_clear_expert_sums (pass);
  for (gsize i = 0; i < pass->copies; i++)
    {
      gsize at = i * plan->N * plan->C;
      NsScaled ds_i = { ds.v + at, ds.exp2 }, dlogits_i = { w->router + i * plan->N * plan->E, 0 };

      du.exp2 = experts_backward (pass, sub, site, ds_i, w->du + at, &dlogits_i).exp2;
      dlogits.exp2 = dlogits_i.exp2;
      if (pass->satisfied)
        return du;
    }
  ns_pass_record_expert_sums (pass, site);
  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &du, TRUE, sub->u, dlogits, NS_T_ROUTER, site, &pass->sum[NS_SUB_FFN]);
  if (ns_variant_has_shared_expert (plan->variant))
    shared_backward (pass, sub, site, ds, &du);
  return du;
}
