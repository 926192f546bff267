/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-streams.h"

#include "engine/ops/ns-mix.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-token-streams.h"

#include <string.h>

/* Put the values of a tensor, those of the hooks or the initial ones, into values [n]. */
static void
fill_tensor (const NsPass *pass, double *values, gsize n, NsTensor tensor, gint64 site)
{
  const ns_real *given = ns_pass_get_vector (pass, tensor, site);

  for (gsize e = 0; e < n; e++)
    values[e] = given != NULL ? given[e] : ns_plan_get_initial_element (&pass->plan, tensor, site, e);
}

static gboolean
has_token_weights (const NsPass *pass)
{
  return pass->plan.variant->hyper.weights != NS_STREAM_WEIGHTS_STATIC;
}

/* Return the weights of a sub-layer with the input x, in work->mix. */
static NsMix
get_mix (NsPass *pass, NsScaled x, const NsSubLayer *layer, gint64 site)
{
  gsize n = pass->plan.n;
  double *in = pass->work->mix, *out = in + n, *streams = out + n;

  if (has_token_weights (pass))
    return ns_token_streams_get_mix (pass, x, layer, site);
  fill_tensor (pass, in, n, layer->mix[NS_MIX_IN], site);
  fill_tensor (pass, out, n, layer->mix[NS_MIX_OUT], site);
  fill_tensor (pass, streams, n * n, layer->mix[NS_MIX_STREAMS], site);
  return (NsMix){ n, in, streams, out, 0 };
}

NsScaled
ns_streams_in_forward (NsPass *pass, NsSubCache *cache, NsScaled x, const NsSubLayer *layer, gint64 site)
{
  NsMix mix = get_mix (pass, x, layer, site);

  cache->streams = x;
  ns_mix_in (cache->x_array, x.v, &mix, pass->plan.N, pass->plan.C);
  return (NsScaled){ cache->x_array, x.exp2 };
}

NsScaled
ns_streams_out_forward (NsPass *pass, const NsSubCache *cache, ns_real *y, double b, NsScaled s,
                        const NsSubLayer *layer, gint64 site, gboolean first)
{
  NsMix mix = get_mix (pass, cache->streams, layer, site);
  NsScaled x = cache->streams, z = { y, 0 };
  gsize size = pass->plan.N * pass->plan.X;

  s.exp2 += ns_take_power (&b);
  z.exp2 = MAX (x.exp2, s.exp2);
  ns_mix_out (y, exp2 (x.exp2 - z.exp2), x.v, b * exp2 (s.exp2 - z.exp2), s.v, &mix, pass->plan.N, pass->plan.C);
  if (first && ns_pass_wants (pass, layer->rms_z))
    {
      double sum2 = ns_rescale_if_small (&z, size);

      ns_pass_record (pass, layer->rms_z, site, sqrt (sum2 / (double) size), z.exp2);
    }
  return z;
}

/* Put the gradients of a part of each token's weights, ⟨a_i, b_j⟩·factor, into work->token_mix. */
static void
token_gradient (NsPass *pass, NsMixPart part, NsScaled a, gsize n_a, NsScaled b, gsize n_b, double factor)
{
  gsize n = pass->plan.n, stride = n * (n + 2), size = ns_mix_part_get_size (part, n);
  double *gradient = pass->work->token_mix.gradient + ns_mix_part_get_offset (part, n);

  for (gsize t = 0; t < pass->plan.N; t++)
    memset (gradient + t * stride, 0, size * sizeof *gradient);
  ns_mix_add_products (gradient, stride, a.v, n_a, b.v, n_b, pass->plan.N, pass->plan.C);
  for (gsize t = 0; t < pass->plan.N; t++)
    for (gsize e = 0; e < size; e++)
      gradient[t * stride + e] *= factor;
  pass->work->token_mix.exponents[part] = a.exp2 + b.exp2;
}

/* Record the gradient of weights: for each minibatch the sum over its tokens of ⟨a_i, b_j⟩·factor; a [N, n_a, C],
 * b [N, n_b, C]. Where they depend on the token, keep those of each one instead. */
static void
weight_gradient (NsPass *pass, NsMixPart part, gint64 site, NsScaled a, gsize n_a, NsScaled b, gsize n_b, double factor,
                 const NsSubLayer *layer)
{
  gsize M = pass->plan.M, N = pass->plan.N / M, C = pass->plan.C, size = n_a * n_b;
  double *gradient = pass->work->dmix;

  if (has_token_weights (pass))
    {
      token_gradient (pass, part, a, n_a, b, n_b, factor);
      return;
    }
  memset (gradient, 0, M * size * sizeof *gradient);
  for (gsize m = 0; m < M; m++)
    ns_mix_add_products (gradient + m * size, 0, a.v + m * N * n_a * C, n_a, b.v + m * N * n_b * C, n_b, N, C);
  for (gsize i = 0; i < M * size; i++)
    gradient[i] *= factor;
  ns_pass_vector_gradient (pass, layer->mix[part], site, gradient, a.exp2 + b.exp2, &pass->sum[layer->sub]);
}

NsScaled
ns_streams_out_backward (NsPass *pass, const NsSubCache *cache, NsScaled dz, double b, NsScaled s,
                         const NsSubLayer *layer, gint64 site)
{
  NsMix mix = get_mix (pass, cache->streams, layer, site);
  gsize n = mix.n;

  weight_gradient (pass, NS_MIX_STREAMS, site, cache->streams, n, dz, n, 1, layer);
  weight_gradient (pass, NS_MIX_OUT, site, dz, n, s, 1, b, layer);
  ns_mix_out_backward (pass->work->dmixed_out, dz.v, &mix, pass->plan.N, pass->plan.C);
  return (NsScaled){ pass->work->dmixed_out, dz.exp2 };
}

void
ns_streams_in_backward (NsPass *pass, const NsSubCache *cache, NsScaled dz, NsScaled dm, const NsSubLayer *layer,
                        gint64 site)
{
  NsMix mix = get_mix (pass, cache->streams, layer, site);
  double e = MAX (dz.exp2, dm.exp2);
  NsScaled through = { NULL, 0 };

  weight_gradient (pass, NS_MIX_IN, site, cache->streams, mix.n, dm, 1, 1, layer);
  if (has_token_weights (pass))
    through = ns_token_streams_backward (pass, cache->streams, layer, site);
  ns_mix_backward (pass->work->dx, exp2 (dz.exp2 - e), dz.v, exp2 (dm.exp2 - e), dm.v, &mix, pass->plan.N,
                   pass->plan.C);
  pass->dx = (NsScaled){ pass->work->dx, e };
  if (through.v != NULL)
    pass->dx = ns_scaled_add (pass->work->dx, 1, pass->dx, 1, through, ns_pass_get_stream_gradient_size (pass));
  ns_rescale_gradient (&pass->dx, ns_pass_get_stream_gradient_size (pass));
}
