/* The norms of a pass: layernorm, rmsnorm and DyT at any place, on arrays with a power of two.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass-norm.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-norm.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-pass-parameters.h"

/* Below this exponent tanh equals its argument in every digit. */
#define MIN_DYT_EXP2 (-60.0)

/* Cosine attention (Swin Transformer V2) and nGPT divide by the length; this keeps a vector of zeros at zero. */
#define COSINE_EPS 1e-24

static gboolean
is_query_or_key (NsNormPlace norm)
{
  NsTensorSlot slot = ns_norm_info (norm)->slot;

  return slot == NS_SLOT_Q || slot == NS_SLOT_K;
}

/* Return TRUE for an rmsnorm without parameters and with a fixed ε: of q or k in cosine attention, or any norm of
 * nGPT. */
static gboolean
is_plain (const NsPass *pass, NsNormPlace norm)
{
  return (is_query_or_key (norm) && pass->plan.variant->qk_norm == NS_QK_NORM_COSINE) || pass->plan.variant->ngpt;
}

/* Return TRUE for the norm of q or k that is an rmsnorm without parameters, whatever the norms of the variant are. It
 * comes before rotary positions, which keep lengths, so that the order does not matter. */
static gboolean
is_plain_rms (const NsPass *pass, NsNormPlace norm)
{
  return is_query_or_key (norm) && pass->plan.variant->qk_norm == NS_QK_NORM_HEAD_ROTARY;
}

/* Return γ [C]; NULL: all ones. */
static const ns_real *
get_gain (const NsPass *pass, NsNormPlace norm, gint64 site)
{
  const ns_real *gain = ns_pass_get_vector (pass, ns_norm_info (norm)->gain, site);

  /* nGPT's vectors have the length 1; its queries and keys have the root mean square 1, and the factor on the scores
   * divides by it */
  if (pass->plan.variant->ngpt)
    return is_query_or_key (norm) ? NULL : pass->work->ngpt.gain;
  if (gain != NULL || ns_norm_info (norm)->slot != NS_SLOT_BRANCH || pass->plan.variant->branch_norm_gain == 1)
    return gain;
  return pass->work->branch_gain;
}

/* Return α of a DyT. */
static double
get_alpha (const NsPass *pass, NsNormPlace norm, gint64 site)
{
  const ns_real *alpha = ns_pass_get_vector (pass, ns_norm_info (norm)->alpha, site);

  return alpha != NULL ? *alpha : pass->plan.variant->dyt_alpha;
}

/* Return the factor from x's stored to its true values for DyT; 0 where DyT is linear and keeps x's exponent. */
static double
dyt_scale (NsScaled x)
{
  return x.exp2 < MIN_DYT_EXP2 ? 0 : exp2 (x.exp2);
}

static void
dyt_forward (NsPass *pass, NsNormCache *cache, NsScaled x, NsNormPlace norm, gint64 site, gsize rows, gsize features)
{
  double scale = dyt_scale (x);

  cache->y.exp2 = scale == 0 ? x.exp2 : 0;
  ns_dyt_forward (cache->y.v, x.v, get_gain (pass, norm, site), NULL, get_alpha (pass, norm, site), scale, rows,
                  features, pass->work->linear.progress);
}

/* y = y + β, for a β ≠ 0 from the hooks, [rows, features]. β is in true values, so y becomes true values, too. */
static NsScaled
add_norm_bias (const NsPass *pass, NsScaled y, NsNormPlace norm, gint64 site, gsize rows, gsize features)
{
  const ns_real *bias = ns_pass_get_vector (pass, ns_norm_info (norm)->bias, site);
  double scale = exp2 (y.exp2);

  if (bias == NULL || ns_sum_squares (bias, features) == 0)
    return y;
  for (gsize n = 0; n < rows; n++)
    for (gsize c = 0; c < features; c++)
      y.v[n * features + c] = (ns_real) (y.v[n * features + c] * scale + bias[c]);
  return (NsScaled){ y.v, 0 };
}

static NsNormKind
get_kind (const NsPass *pass, NsNormPlace norm)
{
  return is_plain (pass, norm) || is_plain_rms (pass, norm) ? NS_NORM_RMSNORM : (NsNormKind) pass->plan.variant->norm;
}

NsScaled
ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsNormPlace norm, gint64 site)
{
  double own_eps = is_plain (pass, norm) ? COSINE_EPS : pass->plan.variant->norm_eps;
  double eps = own_eps > 0 ? own_eps * exp2 (-2 * x.exp2) : 0; /* eps for the stored values */
  gsize rows, features;
  NsScaled y;

  ns_plan_get_norm_shape (&pass->plan, norm, &rows, &features);
  cache->x = x;
  cache->y = (NsScaled){ out, 0 };
  cache->var_weight = 1;
  if (get_kind (pass, norm) == NS_NORM_DYT)
    dyt_forward (pass, cache, x, norm, site, rows, features);
  else
    {
      if (eps > 0x1p90) /* the stored variance is below 2^40, so eps alone decides: the norm is linear, y = x/√eps */
        {
          eps = own_eps;
          cache->var_weight = 0;
          cache->y.exp2 = x.exp2;
        }
      ns_norm_forward (out, cache->mean, cache->rstd, x.v, get_gain (pass, norm, site), NULL, get_kind (pass, norm),
                       eps, cache->var_weight, rows, features, pass->work->linear.progress);
    }
  y = add_norm_bias (pass, cache->y, norm, site, rows, features);
  if (x.exp2 < 0) /* between these two cases eps leaves y small: carry its power of two separately */
    ns_rescale_if_small (&y, rows * features);
  return y;
}

/* Compute dx [rows, features] and, for each minibatch, its terms of dγ and dβ [M, features] and of dα [M], which is in
 * work->numbers. dbias may be NULL. */
static void
dyt_backward (NsPass *pass, ns_real *dx, double *dgain, double *dbias, const ns_real *dy, const ns_real *x,
              const ns_real *gain, double alpha, double scale, gsize rows, gsize features)
{
  gsize M = pass->plan.M, n = rows / M;

  for (gsize m = 0; m < M; m++)
    {
      gsize at = m * n * features;

      ns_dyt_backward (dx + at, dgain + m * features, dbias != NULL ? dbias + m * features : NULL,
                       &pass->work->numbers[m], dy + at, x + at, gain, alpha, scale, n, features,
                       pass->work->linear.progress);
    }
}

/* Likewise of a layernorm or rmsnorm. */
static void
layer_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, double *dgain, double *dbias,
                     const ns_real *dy, const ns_real *gain, NsNormKind kind, gsize rows, gsize features)
{
  gsize M = pass->plan.M, n = rows / M;

  for (gsize m = 0; m < M; m++)
    {
      gsize at = m * n * features;

      ns_norm_backward (dx + at, dgain + m * features, dbias != NULL ? dbias + m * features : NULL, dy + at,
                        cache->x.v + at, cache->mean + m * n, cache->rstd + m * n, gain, kind, cache->var_weight, n,
                        features, pass->work->linear.progress);
    }
}

NsScaled
ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm, gint64 site,
                       NsGradientSum *sum)
{
  gboolean has_bias = ns_variant_has_bias (pass->plan.variant, ns_norm_info (norm)->bias);
  double *dgain = pass->work->features, *dbias = has_bias ? pass->work->features2 : NULL;
  const ns_real *gain = get_gain (pass, norm, site);
  NsScaled x = cache->x;
  gsize rows, features;

  if (pass->copies > 1) /* parameters are not measured */
    return ns_pass_norm_transposed (pass, cache, dx, dy, norm, site);
  ns_plan_get_norm_shape (&pass->plan, norm, &rows, &features);
  if (get_kind (pass, norm) == NS_NORM_DYT)
    {
      double scale = dyt_scale (x);

      dyt_backward (pass, dx, dgain, dbias, dy.v, x.v, gain, get_alpha (pass, norm, site), scale, rows, features);
      ns_pass_vector_gradient (pass, ns_norm_info (norm)->alpha, site, pass->work->numbers,
                               dy.exp2 + (scale == 0 ? x.exp2 : 0), sum);
      x.exp2 = cache->y.exp2; /* ns_dyt_backward() gives the gradient of the true values */
    }
  else
    layer_norm_backward (pass, cache, dx, dgain, dbias, dy.v, gain, get_kind (pass, norm), rows, features);
  if (!is_plain (pass, norm) && !is_plain_rms (pass, norm))
    {
      ns_pass_vector_gradient (pass, ns_norm_info (norm)->gain, site, dgain, dy.exp2 + cache->y.exp2, sum);
      if (dbias != NULL)
        ns_pass_vector_gradient (pass, ns_norm_info (norm)->bias, site, dbias, dy.exp2, sum);
    }
  return (NsScaled){ dx, dy.exp2 + cache->y.exp2 - x.exp2 };
}

NsScaled
ns_pass_norm_transposed (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                         gint64 site)
{
  const ns_real *gain = get_gain (pass, norm, site);
  NsProgress *progress = pass->work->linear.progress;
  NsScaled x = cache->x;
  gsize rows, features;

  ns_plan_get_norm_shape (&pass->plan, norm, &rows, &features);
  for (gsize i = 0; i < pass->copies; i++)
    {
      gsize at = i * rows * features;

      if (get_kind (pass, norm) == NS_NORM_DYT)
        ns_dyt_backward (dx + at, NULL, NULL, NULL, dy.v + at, x.v, gain, get_alpha (pass, norm, site), dyt_scale (x),
                         rows, features, progress);
      else
        ns_norm_backward (dx + at, NULL, NULL, dy.v + at, x.v, cache->mean, cache->rstd, gain, get_kind (pass, norm),
                          cache->var_weight, rows, features, progress);
    }
  if (get_kind (pass, norm) == NS_NORM_DYT)
    return (NsScaled){ dx, dy.exp2 };
  return (NsScaled){ dx, dy.exp2 + cache->y.exp2 - x.exp2 };
}

NsScaled
ns_pass_norm_held (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm, gint64 site)
{
  const ns_real *gain = get_gain (pass, norm, site);
  NsProgress *progress = pass->work->linear.progress;
  NsScaled x = cache->x;
  gsize rows, features;

  ns_plan_get_norm_shape (&pass->plan, norm, &rows, &features);
  if (get_kind (pass, norm) == NS_NORM_DYT)
    ns_dyt_held (dx, dy.v, x.v, gain, get_alpha (pass, norm, site), dyt_scale (x), rows, features, progress);
  else /* a variance without weight is one that does not depend on x */
    ns_norm_backward (dx, NULL, NULL, dy.v, x.v, cache->mean, cache->rstd, gain, get_kind (pass, norm), 0, rows,
                      features, progress);
  return (NsScaled){ dx, dy.exp2 + cache->y.exp2 - x.exp2 };
}
