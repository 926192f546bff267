/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-token-streams.h"

#include "engine/ops/ns-norm.h"
#include "engine/pass/ns-pass-parameters.h"

#include <math.h>
#include <string.h>

static gboolean
is_manifold (const NsPass *pass)
{
  return pass->plan.variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;
}

/* Get the rows that the norm and the maps read: each stream of each token, or all streams of each token. */
static void
get_rows (const NsPass *pass, gsize *rows, gsize *features)
{
  const NsPlan *plan = &pass->plan;

  *rows = is_manifold (pass) ? plan->N : plan->N * plan->n;
  *features = is_manifold (pass) ? plan->X : plan->C;
}

/* Return what a row of the maps' output has for a part. */
static gsize
get_columns (const NsPass *pass, NsMixPart part)
{
  gsize size = ns_mix_part_get_size (part, pass->plan.n);

  return is_manifold (pass) ? size : size / pass->plan.n;
}

/* Return the place of a part's scale in their tensor: dynamic weights share that of A_m and A_r. */
static gsize
get_scale_index (const NsPass *pass, NsMixPart part)
{
  static const gsize shared[NS_N_MIX_PARTS] = { [NS_MIX_IN] = 0, [NS_MIX_STREAMS] = 0, [NS_MIX_OUT] = 1 };
  static const gsize own[NS_N_MIX_PARTS] = { [NS_MIX_IN] = 0, [NS_MIX_STREAMS] = 1, [NS_MIX_OUT] = 2 };

  return is_manifold (pass) ? own[part] : shared[part];
}

static gsize
count_scales (const NsPass *pass)
{
  return is_manifold (pass) ? 3 : 2;
}

/* The part of the weights that the token does not change, the scales, and l as far as it is computed. */
static NsTokenMix
describe (const NsPass *pass, const NsSubLayer *layer, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  const ns_real *scales = ns_pass_get_vector (pass, layer->mix_scale, site);
  NsTokenMix mix = { .is_manifold = is_manifold (pass), .n = plan->n, .base = arrays->base };

  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      const ns_real *given = ns_pass_get_vector (pass, layer->mix[part], site);
      double *base = arrays->base + ns_mix_part_get_offset (part, plan->n);
      gsize scale = get_scale_index (pass, part);

      for (gsize e = 0; e < ns_mix_part_get_size (part, plan->n); e++)
        base[e] = given != NULL ? given[e] : ns_plan_get_initial_element (plan, layer->mix[part], site, e);
      mix.scale[part] =
          scales != NULL ? scales[scale] : ns_plan_get_initial_element (plan, layer->mix_scale, site, scale);
      mix.l[part] = ns_pass_get_vector (pass, layer->mix_map[part], site) != NULL ? arrays->l[part] : NULL;
    }
  return mix;
}

/* x̄ = norm (x); return the exponent of x̄. */
static double
normalize (NsPass *pass, NsScaled x)
{
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  double own = pass->plan.variant->norm_eps, eps = own > 0 ? own * exp2 (-2 * x.exp2) : 0, exponent = 0;
  gsize rows, features;

  get_rows (pass, &rows, &features);
  arrays->var_weight = 1;
  if (eps > 0x1p90) /* as in ns_pass_norm_forward(): eps alone decides */
    {
      eps = own;
      arrays->var_weight = 0;
      exponent = x.exp2;
    }
  ns_norm_forward (arrays->normed, arrays->mean, arrays->rstd, x.v, NULL, NULL,
                   is_manifold (pass) ? NS_NORM_RMSNORM : NS_NORM_LAYERNORM, eps, arrays->var_weight, rows, features,
                   pass->work->linear.progress);
  return exponent;
}

NsMix
ns_token_streams_get_mix (NsPass *pass, NsScaled x, const NsSubLayer *layer, gint64 site)
{
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  NsTokenMix mix = describe (pass, layer, site);
  gsize n = pass->plan.n, rows, features;
  double *weights = pass->work->mix;

  get_rows (pass, &rows, &features);
  arrays->exp2 = normalize (pass, x);
  /* l = x̄·W */
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    if (mix.l[part] != NULL)
      {
        const ns_real *W = ns_pass_get_vector (pass, layer->mix_map[part], site);
        int columns = (int) get_columns (pass, part);

        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) rows, columns, (int) features,
                 (ns_real) exp2 (arrays->exp2), arrays->normed, (int) features, W, columns, 0, arrays->l[part],
                 columns);
      }
  ns_token_mix_forward (weights, &mix, pass->plan.N);
  return (NsMix){ .n = n,
                  .in = weights + ns_mix_part_get_offset (NS_MIX_IN, n),
                  .streams = weights + ns_mix_part_get_offset (NS_MIX_STREAMS, n),
                  .out = weights + ns_mix_part_get_offset (NS_MIX_OUT, n),
                  .stride = n * (n + 2) };
}

/* Give the gradients of all weights the same power of two; return it. */
static double
join_exponents (const NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  const double *exponents = pass->work->token_mix.exponents;
  double *gradient = pass->work->token_mix.gradient, largest = exponents[0];

  for (NsMixPart part = 1; part < NS_N_MIX_PARTS; part++)
    largest = fmax (largest, exponents[part]);
  for (gsize t = 0; t < plan->N; t++)
    for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
      for (gsize e = 0; e < ns_mix_part_get_size (part, plan->n); e++)
        gradient[t * plan->n * (plan->n + 2) + ns_mix_part_get_offset (part, plan->n) + e] *=
            exp2 (exponents[part] - largest);
  return largest;
}

/* Turn the gradients of the weights into those of l, and record those of b and of the scales. */
static void
weights_backward (NsPass *pass, const NsTokenMix *mix, double exponent, const NsSubLayer *layer, gint64 site)
{
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  gsize M = pass->plan.M, N = pass->plan.N / M, n = pass->plan.n, all = n * (n + 2), scales = count_scales (pass);
  double *sums = pass->work->dmix, dscale[NS_N_MIX_PARTS];

  memset (arrays->dbase, 0, M * all * sizeof *arrays->dbase);
  memset (arrays->dscale, 0, M * scales * sizeof *arrays->dscale);
  for (gsize m = 0; m < M; m++)
    {
      memset (dscale, 0, sizeof dscale);
      ns_token_mix_backward (arrays->gradient, arrays->dbase + m * all, dscale, pass->work->mix, mix, m * N,
                             (m + 1) * N);
      for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
        arrays->dscale[m * scales + get_scale_index (pass, part)] += dscale[part];
    }
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      gsize size = ns_mix_part_get_size (part, n);

      for (gsize m = 0; m < M; m++)
        memcpy (sums + m * size, arrays->dbase + m * all + ns_mix_part_get_offset (part, n), size * sizeof *sums);
      ns_pass_vector_gradient (pass, layer->mix[part], site, sums, exponent, &pass->sum[layer->sub]);
    }
  ns_pass_vector_gradient (pass, layer->mix_scale, site, arrays->dscale, exponent, &pass->sum[layer->sub]);
}

/* Put the gradients of l into their arrays, the largest about 1; return the power of two that is left. */
static double
split_gradient (const NsPass *pass)
{
  const NsTokenMixArrays *arrays = &pass->work->token_mix;
  gsize n = pass->plan.n, all = n * (n + 2);
  double max = 0;
  int power = 0;

  for (gsize i = 0; i < pass->plan.N * all; i++)
    max = fmax (max, fabs (arrays->gradient[i]));
  if (max > 0 && isfinite (max))
    frexp (max, &power);
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      gsize size = ns_mix_part_get_size (part, n);

      for (gsize t = 0; t < pass->plan.N; t++)
        for (gsize e = 0; e < size; e++)
          arrays->dl[part][t * size + e] =
              (ns_real) ldexp (arrays->gradient[t * all + ns_mix_part_get_offset (part, n) + e], -power);
    }
  return power;
}

/* Record dW = x̄ᵀ·dl of the map of a part, minibatch by minibatch. */
static void
map_gradient (NsPass *pass, NsMixPart part, double exponent, const NsSubLayer *layer, gint64 site)
{
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  gsize columns = get_columns (pass, part), rows, features;
  double *sums = pass->work->dmix;

  get_rows (pass, &rows, &features);
  rows /= pass->plan.M;
  for (gsize m = 0; m < pass->plan.M; m++)
    {
      ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, (int) features, (int) columns, (int) rows, 1,
               arrays->normed + m * rows * features, (int) features, arrays->dl[part] + m * rows * columns,
               (int) columns, 0, arrays->dmap, (int) columns);
      for (gsize i = 0; i < features * columns; i++)
        sums[m * features * columns + i] = arrays->dmap[i];
    }
  ns_pass_vector_gradient (pass, layer->mix_map[part], site, sums, exponent, &pass->sum[layer->sub]);
}

/* dx = norm' (Σ dl·Wᵀ); v is NULL where all W are 0. */
static NsScaled
input_gradient (NsPass *pass, NsScaled x, double exponent, const NsSubLayer *layer, gint64 site)
{
  NsTokenMixArrays *arrays = &pass->work->token_mix;
  gboolean is_first = TRUE;
  gsize rows, features;

  get_rows (pass, &rows, &features);
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      const ns_real *W = ns_pass_get_vector (pass, layer->mix_map[part], site);
      int columns = (int) get_columns (pass, part);

      if (W == NULL)
        continue;
      ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) features, columns, 1, arrays->dl[part],
               columns, W, columns, is_first ? 0 : 1, arrays->dnormed, (int) features);
      is_first = FALSE;
    }
  if (is_first)
    return (NsScaled){ NULL, 0 };
  ns_norm_backward (arrays->dnormed, NULL, NULL, arrays->dnormed, x.v, arrays->mean, arrays->rstd, NULL,
                    is_manifold (pass) ? NS_NORM_RMSNORM : NS_NORM_LAYERNORM, arrays->var_weight, rows, features,
                    pass->work->linear.progress);
  return (NsScaled){ arrays->dnormed, exponent + arrays->exp2 - x.exp2 };
}

NsScaled
ns_token_streams_backward (NsPass *pass, NsScaled x, const NsSubLayer *layer, gint64 site)
{
  NsTokenMix mix = describe (pass, layer, site);
  double exponent = join_exponents (pass);

  weights_backward (pass, &mix, exponent, layer, site);
  exponent += split_gradient (pass);
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    map_gradient (pass, part, exponent + pass->work->token_mix.exp2, layer, site);
  return input_gradient (pass, x, exponent, layer, site);
}
