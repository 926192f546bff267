/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-token-mix.h"

#include <math.h>

gsize
ns_mix_part_get_offset (NsMixPart part, gsize n)
{
  return (gsize) part * n;
}

gsize
ns_mix_part_get_size (NsMixPart part, gsize n)
{
  return part == NS_MIX_STREAMS ? n * n : n;
}

/* Return l of an element of a part. */
static double
get_l (const NsTokenMix *mix, NsMixPart part, gsize token, gsize element)
{
  return mix->l[part] == NULL ? 0 : mix->l[part][token * ns_mix_part_get_size (part, mix->n) + element];
}

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

/* ---- doubly stochastic matrices ---- */

#define MAX_ELEMENTS ((gsize) NS_MAX_STREAMS * NS_MAX_STREAMS)

/* y = x over the sum of its row, or of its column, [n, n] */
static void
divide (double *y, const double *x, gsize n, gboolean by_column)
{
  gsize along = by_column ? n : 1, across = by_column ? 1 : n;

  for (gsize i = 0; i < n; i++)
    {
      double sum = 0;

      for (gsize j = 0; j < n; j++)
        sum += x[i * across + j * along];
      for (gsize j = 0; j < n; j++)
        y[i * across + j * along] = x[i * across + j * along] / sum;
    }
}

/* steps[k] = the matrix after the division k from h, of rows and of columns in turn; the last is P (h). The largest
 * number of each row is taken off first, which the first division undoes. */
static void
sinkhorn_forward (double steps[][MAX_ELEMENTS], const double *h, gsize n)
{
  double start[MAX_ELEMENTS];

  for (gsize i = 0; i < n; i++)
    {
      double max = h[i * n];

      for (gsize j = 1; j < n; j++)
        max = fmax (max, h[i * n + j]);
      for (gsize j = 0; j < n; j++)
        start[i * n + j] = exp (h[i * n + j] - max);
    }
  for (int k = 0; k < 2 * NS_SINKHORN_STEPS; k++)
    divide (steps[k], k == 0 ? start : steps[k - 1], n, k % 2 == 1);
}

/* From the gradient at P (h) to that at h, in place. With g = ∂L/∂ln y of y = x/Σx, ∂L/∂ln x = g − y·Σg. */
static void
sinkhorn_backward (double *gradient, double steps[][MAX_ELEMENTS], gsize n)
{
  for (gsize e = 0; e < n * n; e++)
    gradient[e] *= steps[2 * NS_SINKHORN_STEPS - 1][e];
  for (int k = 2 * NS_SINKHORN_STEPS - 1; k >= 0; k--)
    {
      gsize along = k % 2 == 1 ? n : 1, across = k % 2 == 1 ? 1 : n;

      for (gsize i = 0; i < n; i++)
        {
          double sum = 0;

          for (gsize j = 0; j < n; j++)
            sum += gradient[i * across + j * along];
          for (gsize j = 0; j < n; j++)
            gradient[i * across + j * along] -= steps[k][i * across + j * along] * sum;
        }
    }
}

/* steps from b + s·l of a token */
static void
fill_steps (double steps[][MAX_ELEMENTS], const NsTokenMix *mix, gsize token)
{
  const double *base = mix->base + ns_mix_part_get_offset (NS_MIX_STREAMS, mix->n);
  double h[MAX_ELEMENTS];

  for (gsize e = 0; e < mix->n * mix->n; e++)
    h[e] = base[e] + mix->scale[NS_MIX_STREAMS] * get_l (mix, NS_MIX_STREAMS, token, e);
  sinkhorn_forward (steps, h, mix->n);
}

/* ---- weights of tokens ---- */

void
ns_token_mix_forward (double *weights, const NsTokenMix *mix, gsize N)
{
  double steps[2 * NS_SINKHORN_STEPS][MAX_ELEMENTS];
  gsize n = mix->n;

  for (gsize t = 0; t < N; t++)
    for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
      {
        gsize offset = ns_mix_part_get_offset (part, n);
        double *w = weights + t * n * (n + 2) + offset;

        if (mix->is_manifold && part == NS_MIX_STREAMS)
          fill_steps (steps, mix, t);
        for (gsize e = 0; e < ns_mix_part_get_size (part, n); e++)
          {
            double l = get_l (mix, part, t, e), b = mix->base[offset + e];

            if (!mix->is_manifold)
              w[e] = b + mix->scale[part] * tanh (l);
            else if (part == NS_MIX_STREAMS)
              w[e] = steps[2 * NS_SINKHORN_STEPS - 1][e];
            else
              w[e] = (part == NS_MIX_OUT ? 2 : 1) * sigmoid (b + mix->scale[part] * l);
          }
      }
}

/* Turn the gradient of the weights of one part of a token into that of l. */
static void
part_backward (double *gradient, double *dbase, double *dscale, const double *weights, const NsTokenMix *mix,
               NsMixPart part, gsize token)
{
  double steps[2 * NS_SINKHORN_STEPS][MAX_ELEMENTS];

  if (mix->is_manifold && part == NS_MIX_STREAMS)
    {
      fill_steps (steps, mix, token);
      sinkhorn_backward (gradient, steps, mix->n);
    }
  for (gsize e = 0; e < ns_mix_part_get_size (part, mix->n); e++)
    {
      double l = get_l (mix, part, token, e), t = mix->is_manifold ? l : tanh (l);

      /* σ' = σ·(1 − σ), (2·σ)' = 2·σ·(1 − σ) */
      if (mix->is_manifold && part != NS_MIX_STREAMS)
        gradient[e] *= weights[e] * (1 - (part == NS_MIX_OUT ? weights[e] / 2 : weights[e]));
      dbase[e] += gradient[e];
      *dscale += gradient[e] * t;
      gradient[e] *= mix->scale[part] * (mix->is_manifold ? 1 : 1 - t * t);
    }
}

void
ns_token_mix_backward (double *gradient, double *dbase, double dscale[NS_N_MIX_PARTS], const double *weights,
                       const NsTokenMix *mix, gsize first, gsize end)
{
  gsize n = mix->n;

  for (gsize t = first; t < end; t++)
    for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
      {
        gsize offset = ns_mix_part_get_offset (part, n), at = t * n * (n + 2) + offset;

        part_backward (gradient + at, dbase + offset, &dscale[part], weights + at, mix, part, t);
      }
}
