/* The identity path.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   ι_L = ∂L/∂x_L
 *   ι ← a·J_postᵀ ι              through a sub-layer, J_post the Jacobian of its norm after the addition, if any
 *   ι ← a·J_postᵀ ι + J_postᵀ ι  likewise; the second term skips the other sub-layers of the block (block residual)
 *   ι_0 ← ι_0 + ∂L/∂r            dual residual
 *   ι ← (1 − λ) ⊙ J_postᵀ ι      nGPT
 *
 * All arrays [N, C]. Without norms after the addition ι stays a multiple of ∂L/∂x_L and is kept as its factor.
 */
#include "engine/pass/ns-identity.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-ngpt.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-sub-layer.h"

#include <string.h>

static gboolean
wants_identity (const NsPass *pass)
{
  return ns_pass_wants (pass, NS_Q_IDENTITY) || ns_pass_wants (pass, NS_Q_IDENTITY_SHARE)
         || ns_pass_wants (pass, NS_Q_GRAD_COS);
}

static gsize
path_size (const NsPass *pass)
{
  return pass->plan.N * pass->plan.X;
}

/* Multiply ι by a; the factor stays between 1/2 and 1, or 0. */
static void
multiply_path (NsIdentity *path, double a)
{
  int shift;

  path->factor = frexp (path->factor * a, &shift);
  path->v.exp2 += shift;
}

/* Replace ι by v, an array in work->identity. */
static void
replace (NsPass *pass, NsScaled v)
{
  NsIdentity *path = &pass->identity;

  path->sum2 = ns_rescale_gradient (&v, path_size (pass));
  path->v = v;
  path->factor = 1;
}

void
ns_identity_start (NsPass *pass)
{
  NsIdentity *path = &pass->identity;

  if (!wants_identity (pass))
    return;
  path->end = ns_scaled_add (pass->work->end_gradient, 1, pass->dx, 0, pass->dx, path_size (pass));
  path->end_sum2 = path->sum2 = ns_sum_squares (path->end.v, path_size (pass));
  path->v = path->end;
  path->factor = 1;
}

/* Carry ι through the norm after the addition of a sub-layer, if it has one. */
static void
path_through_post_norm (NsPass *pass, const NsBlockCache *cache, const NsSubLayer *layer, gint64 site)
{
  NsIdentity *path = &pass->identity;
  double factor = path->factor;

  if (factor == 0 || !ns_placement_has_post (ns_plan_get_placement (&pass->plan, layer->sub, site)))
    return;
  replace (pass, ns_pass_norm_transposed (pass, &cache->sub[layer->sub].post, pass->work->identity, path->v,
                                          layer->post, site));
  multiply_path (path, factor);
}

/* nGPT: carry ι through (1 − λ) ⊙ x. */
static void
steps_backward (NsPass *pass, const NsSubLayer *layer, gint64 site)
{
  double factor = pass->identity.factor;

  if (factor == 0)
    return;
  replace (pass, ns_ngpt_residual (pass, layer, site, pass->work->identity, pass->identity.v, pass->plan.N));
  multiply_path (&pass->identity, factor);
}

/* Add factor·x to ι. */
static void
add_to_path (NsPass *pass, double factor, NsScaled x)
{
  NsIdentity *path = &pass->identity;

  if (factor != 0)
    replace (pass, ns_scaled_add (pass->work->identity, path->factor, path->v, factor, x, path_size (pass)));
}

void
ns_identity_block_backward (NsPass *pass, gint64 site)
{
  const NsBlockCache *cache = ns_workspace_get_block (pass->work, site);
  gboolean has_skip = pass->plan.variant->block_residual;
  NsIdentity *path = &pass->identity, skip = { .factor = 0 };
  int n;
  const NsSub *subs = ns_block_get_subs (pass, site, &n);

  if (!wants_identity (pass))
    return;
  /* a parallel block has one addition and one norm after it, the attention's */
  if (pass->plan.variant->topology != NS_TOPOLOGY_SEQUENTIAL)
    n = 1;
  for (int i = n - 1; i >= 0; i--)
    {
      path_through_post_norm (pass, cache, &ns_sub_layers[subs[i]], site);
      if (has_skip && i == n - 1)
        {
          skip = *path;
          skip.v = ns_scaled_add (pass->work->identity_skip, 1, path->v, 0, path->v, path_size (pass));
        }
      if (pass->plan.variant->ngpt)
        steps_backward (pass, &ns_sub_layers[subs[i]], site);
      multiply_path (path, ns_plan_get_residual_scale (&pass->plan, subs[i], site));
    }
  add_to_path (pass, skip.factor, skip.v);
}

void
ns_identity_add_dual_gradient (NsPass *pass)
{
  if (wants_identity (pass) && pass->plan.variant->dual_residual)
    add_to_path (pass, 1, pass->dr);
}

/* Record the cosine between ∂L/∂x at the site above and here; keep the latter. */
static void
record_previous (NsPass *pass, gint64 site, double sum2)
{
  NsProducts products = { pass->identity.above_sum2, 0, sum2 };
  gsize n = path_size (pass);

  if (!ns_pass_wants (pass, NS_Q_GRAD_COS_PREV))
    return;
  if (ns_plan_get_layer (&pass->plan, site) < ns_plan_get_depth (&pass->plan, site))
    {
      products.xy = ns_dot (pass->work->above_gradient, pass->dx.v, n);
      ns_pass_record (pass, NS_Q_GRAD_COS_PREV, site + 1, ns_products_get_cosine (&products), 0);
    }
  memcpy (pass->work->above_gradient, pass->dx.v, n * sizeof (ns_real));
  pass->identity.above_sum2 = sum2;
}

void
ns_identity_record (NsPass *pass, gint64 site, double sum2)
{
  const NsIdentity *path = &pass->identity;
  NsScaled dx = pass->dx;
  gsize n = path_size (pass);
  gboolean wants_share = ns_pass_wants (pass, NS_Q_IDENTITY_SHARE), wants_cos = ns_pass_wants (pass, NS_Q_GRAD_COS);
  gboolean is_multiple = path->v.v == path->end.v;
  double at_end = NAN, on_path = 0;

  record_previous (pass, site, sum2);
  if (!wants_identity (pass))
    return;
  ns_pass_record (pass, NS_Q_IDENTITY, site, fabs (path->factor) * (sqrt (path->sum2) / sqrt (path->end_sum2)),
                  path->v.exp2 - path->end.exp2);
  if (wants_cos || (wants_share && is_multiple && path->factor != 0))
    at_end = ns_dot (path->end.v, dx.v, n);
  if (wants_cos)
    {
      NsProducts products = { path->end_sum2, at_end, sum2 };

      ns_pass_record (pass, NS_Q_GRAD_COS, site, ns_products_get_cosine (&products), 0);
    }
  if (!wants_share)
    return;
  if (path->factor != 0)
    on_path = path->factor * (is_multiple ? at_end : ns_dot (path->v.v, dx.v, n));
  /* a gradient of 0 has no parts */
  ns_pass_record (pass, NS_Q_IDENTITY_SHARE, site, sum2 > 0 ? on_path / sum2 : NAN, path->v.exp2 - dx.exp2);
}
