/* The ends of a part: input scale and norm, final norm.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   x_0 = norm_input (c·x),  r_0 = x_0
 *   h = norm_final (x_L),  with a dual residual h = x_L + norm_final (r_L)
 *
 * with each norm only where the variant has it; c is the input scale. All arrays [N, C]. With several streams each is
 * a copy of x_0, and their sum takes the place of x_L.
 */
#include "engine/pass/ns-part.h"

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-mix.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-patch.h"
#include "engine/pass/ns-relative-bias.h"

void
ns_part_input_forward (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  NsPartCache *c = &pass->work->part[part];
  gint64 site = ns_plan_get_input (plan, part);
  NsScaled *x = &pass->work->x[site];

  ns_relative_bias_forward (pass, part);
  /* x = c·x */
  *x = ns_scaled_add (x->v, ns_plan_get_input_scale (plan, part), *x, 0, *x, plan->N * plan->C);
  /* x_0 = norm_input (x); raw keeps x for backward */
  if (plan->variant->input_norm)
    {
      NsScaled raw = ns_scaled_add (c->raw, 1, *x, 0, *x, plan->N * plan->C);

      *x = ns_pass_norm_forward (pass, &c->input, x->v, raw, NS_NORM_INPUT, site);
    }
  /* r_0 = x_0 */
  if (plan->variant->dual_residual)
    c->r = ns_scaled_add (c->dual, 1, *x, 0, *x, plan->N * plan->C);
  if (plan->n > 0)
    ns_mix_copy (x->v, plan->n, plan->N, plan->C);
}

void
ns_part_add_dual_gradient (NsPass *pass)
{
  if (pass->plan.variant->dual_residual)
    pass->dx = ns_scaled_add (pass->work->dx, 1, pass->dx, 1, pass->dr, ns_pass_get_gradient_size (pass));
}

void
ns_part_input_backward (NsPass *pass, gint64 part)
{
  const NsPassHooks *hooks = pass->hooks;

  ns_relative_bias_backward (pass, part);
  if (pass->plan.n > 0)
    ns_mix_sum (pass->dx.v, pass->dx.v, pass->plan.n, pass->plan.N, pass->plan.C);
  if (pass->plan.variant->input_norm)
    pass->dx = ns_pass_norm_backward (pass, &pass->work->part[part].input, pass->dx.v, pass->dx, NS_NORM_INPUT,
                                      ns_plan_get_input (&pass->plan, part), NULL);
  if (pass->plan.P > 0 && part == 0)
    ns_patch_backward (pass, ns_plan_get_input_scale (&pass->plan, part));
  /* the factor c is left to the hook: the gradient of a drawn input is not measured */
  if (hooks != NULL && hooks->input_gradient != NULL)
    hooks->input_gradient (hooks->data, part, pass->dx, ns_plan_get_input_scale (&pass->plan, part));
}

/* Return TRUE when the part ends in a norm; *norm is its place. */
static gboolean
has_norm (const NsPlan *plan, gint64 part, NsNormPlace *norm)
{
  gboolean is_last = part == plan->parts.n - 1;

  *norm = is_last ? NS_NORM_FINAL : NS_NORM_ENCODER_FINAL;
  return is_last ? plan->final_norm : plan->encoder_norm;
}

NsScaled
ns_part_output_forward (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  NsPartCache *c = &pass->work->part[part];
  NsScaled x = pass->work->x[ns_plan_get_last (plan, part)], h = plan->variant->dual_residual ? c->r : x;
  NsNormPlace norm;

  if (plan->n > 0)
    {
      ns_mix_sum (c->merged, x.v, plan->n, plan->N, plan->C);
      h.v = c->merged;
    }
  /* h = norm_final (x_L), or norm_final (r_L) */
  if (has_norm (plan, part, &norm))
    h = ns_pass_norm_forward (pass, &c->final, c->out_array, h, norm, ns_plan_get_head_site (plan));
  /* h = x_L + norm_final (r_L) */
  if (plan->variant->dual_residual)
    h = ns_scaled_add (c->out_array, 1, x, 1, h, plan->N * plan->C);
  c->out = h;
  return h;
}

void
ns_part_output_backward (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gboolean dual = plan->variant->dual_residual;
  NsScaled dh = pass->dx;
  NsNormPlace norm;

  /* with a dual residual dh reaches x_L as it is, and r_L through the norm */
  if (dual)
    dh = ns_scaled_add (w->dr, 1, dh, 0, dh, ns_pass_get_gradient_size (pass));
  if (has_norm (plan, part, &norm))
    dh = ns_pass_norm_backward (pass, &w->part[part].final, dh.v, dh, norm, ns_plan_get_head_site (plan), NULL);
  if (dual)
    pass->dr = dh;
  else
    pass->dx = dh;
  if (plan->n > 0)
    ns_mix_copy (pass->dx.v, plan->n, plan->N, plan->C);
}
