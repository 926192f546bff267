/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-head.h"

#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-loss.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-map.h"
#include "engine/pass/ns-ngpt.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"

/* ---- the transform ---- */

/*   u = h·W_dense + b_dense               [N, C]
 *   a = act (u)                           [N, C], of a gated activation the function without its gate
 *   t = N (a)                             [N, C]
 */
static void
transform_forward (NsPass *pass, NsScaled h)
{
  const NsPlan *plan = &pass->plan;
  NsHeadCache *c = &pass->work->head;
  gint64 site = ns_plan_get_head_site (plan);

  c->x = h;
  c->u = ns_map_forward (pass, c->u.v, h, NS_T_W_HEAD_DENSE, site);
  ns_activation_forward (c->act.v, c->u.v, NULL, (NsActivation) plan->variant->activation, exp2 (c->u.exp2),
                         plan->N * plan->C, pass->work->linear.progress);
  c->act.exp2 = c->u.exp2;
  c->t = ns_pass_norm_forward (pass, &c->norm, c->t.v, c->act, NS_NORM_HEAD_DENSE, site);
}

/* Mirrors the forward pass, from dt in pass->dx to dh there:
 *
 *   du = Nᵀ (dt) ⊙ act' (u)               [N, C]
 *   dW_dense = hᵀ·du;  dh = du·W_denseᵀ   [N, C]
 */
static void
transform_backward (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  const NsHeadCache *c = &w->head;
  gint64 site = ns_plan_get_head_site (plan);
  NsScaled du = ns_pass_norm_backward (pass, &c->norm, w->ds, pass->dx, NS_NORM_HEAD_DENSE, site, NULL);

  ns_activation_backward (du.v, NULL, du.v, c->u.v, NULL, (NsActivation) plan->variant->activation,
                          exp2 (c->u.exp2), plan->N * plan->C, w->linear.progress);
  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &pass->dx, FALSE, c->x, du, NS_T_W_HEAD_DENSE, site, NULL);
}

/* ---- logits and loss ---- */

/* Return t, the input of W_head. */
static NsScaled
get_input (const NsPass *pass, NsScaled h)
{
  return pass->plan.head_transform ? pass->work->head.t : h;
}

double
ns_head_forward (NsPass *pass, NsScaled h)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gint64 site = ns_plan_get_head_site (plan);
  NsScaled logits;
  double loss;

  if (plan->head_transform)
    transform_forward (pass, h);
  logits = ns_map_forward (pass, w->logits, get_input (pass, h), NS_T_W_HEAD, site);
  if (plan->variant->ngpt)
    logits = ns_ngpt_logits_forward (pass, logits);
  if (ns_pass_wants (pass, NS_Q_RMS_LOGITS))
    {
      gsize n = plan->N * plan->V;

      ns_pass_record (pass, NS_Q_RMS_LOGITS, site,
                      plan->logit_scale * sqrt (ns_sum_squares (logits.v, n) / (double) n), logits.exp2);
    }
  loss = ns_cross_entropy (logits.v, w->targets, plan->logit_scale * exp2 (logits.exp2), plan->logit_cap,
                           w->logit_slopes, plan->N, plan->V, w->linear.progress);
  if (plan->logit_scale != 1)
    ns_scale (logits.v, plan->logit_scale, plan->N * plan->V);
  return loss;
}

/* dW_head = tᵀ·dlogits;  dt = dlogits·W_headᵀ  [N, C] */
void
ns_head_backward (NsPass *pass, NsScaled h)
{
  NsWorkspace *w = pass->work;
  gint64 site = ns_plan_get_head_site (&pass->plan);
  NsScaled dlogits = { w->logits, 0 };

  if (pass->plan.variant->ngpt)
    dlogits = ns_ngpt_logits_backward (pass, dlogits);
  w->linear.gram_x_valid = FALSE;
  ns_map_projection_backward (pass, &pass->dx, FALSE, get_input (pass, h), dlogits, NS_T_W_HEAD, site, NULL);
  if (pass->plan.head_transform)
    transform_backward (pass);
}
