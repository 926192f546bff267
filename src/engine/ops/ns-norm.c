/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-norm.h"

#include "engine/ops/ns-elementary.h"
#include "engine/ops/ns-lanes.h"

#include <string.h>

NS_INLINE void
add (NsLanes *sums, const ns_real *x, gsize n)
{
  NS_EACH_FOUR (k)
    sums->v[k] += ns_four (x, k, n);
}

/* Σ_c x_c over one token [C], in double. */
NS_INLINE double
sum_token (const ns_real *x, gsize C)
{
  NsLanes sums = { 0 };
  gsize c = 0;

  for (; c + NS_LANES <= C; c += NS_LANES)
    add (&sums, x + c, NS_LANES);
  add (&sums, x + c, C - c);
  return ns_sum_lanes (&sums);
}

/* Σ_c (x_c − m)² in the same way. */
NS_INLINE double
sum_squares_about (const ns_real *x, double m, gsize C)
{
  NsLanes sums = { 0 };
  gsize c = 0;

  for (; c + NS_LANES <= C; c += NS_LANES)
    NS_EACH_FOUR (k)
      {
        NsFour d = ns_four (x + c, k, NS_LANES) - m;

        sums.v[k] += d * d;
      }
  if (c < C)
    {
      double squares[NS_LANES] = { 0 };

      for (gsize j = 0; j < C - c; j++)
        squares[j] = (x[c + j] - m) * (x[c + j] - m);
      ns_lanes_add (&sums, squares);
    }
  return ns_sum_lanes (&sums);
}

/* y = y·γ + β over one token [C]; γ and β may be NULL. */
NS_INLINE void
scale_and_shift (ns_real *y, const ns_real *gain, const ns_real *bias, gsize C)
{
  if (gain != NULL)
    for (gsize c = 0; c < C; c++)
      y[c] *= gain[c];
  if (bias != NULL)
    for (gsize c = 0; c < C; c++)
      y[c] += bias[c];
}

NS_SIMD void
ns_norm_forward (ns_real *y, ns_real *mean, ns_real *rstd, const ns_real *x, const ns_real *gain, const ns_real *bias,
                 NsNormKind kind, double eps, double var_weight, gsize N, gsize C, NsProgress *progress)
{
  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, x += C, y += C) /* each token on its own */
    {
      /* rmsnorm: mean (x²). layernorm: the mean first, then mean ((x − mean)²), so that no large mean cancels */
      double m = kind == NS_NORM_LAYERNORM ? sum_token (x, C) / (double) C : 0;
      double var = sum_squares_about (x, m, C) / (double) C;

      /* two numbers a token are all that backward needs besides x */
      mean[n] = (ns_real) m;
      rstd[n] = (ns_real) (1.0 / sqrt (var * var_weight + eps));
      /* x̂ = (x − mean)·rstd */
      for (gsize c = 0; c < C; c++)
        y[c] = (x[c] - mean[n]) * rstd[n];
      /* y = x̂·γ + β */
      scale_and_shift (y, gain, bias, C);
    }
}

/* s += g and sx += g·x̂, with g = dy·γ and x̂ = (x − m)·r. */
NS_INLINE void
add_gradient (NsLanes *s, NsLanes *sx, const ns_real *dy, const ns_real *x, const ns_real *gain, ns_real m, ns_real r)
{
  NS_EACH_FOUR (k)
    {
      NsRealFour scaled = ns_four_real (dy, k, NS_LANES);
      NsFour g;

      if (gain != NULL)
        scaled *= ns_four_real (gain, k, NS_LANES);
      g = ns_four_widen (scaled);
      s->v[k] += g;
      sx->v[k] += g * ns_four_widen ((ns_four_real (x, k, NS_LANES) - m) * r);
    }
}

/* The equations are in the header. mean[n] is 0 for rmsnorm, so that x̂ = (x − mean)·rstd holds for both. */
NS_SIMD void
ns_norm_backward (ns_real *dx, double *dgain, double *dbias, const ns_real *dy, const ns_real *x, const ns_real *mean,
                  const ns_real *rstd, const ns_real *gain, NsNormKind kind, double var_weight, gsize N, gsize C,
                  NsProgress *progress)
{
  if (dgain != NULL)
    memset (dgain, 0, C * sizeof *dgain);
  if (dbias != NULL)
    memset (dbias, 0, C * sizeof *dbias);
  /* each token on its own */
  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, x += C, dx += C, dy += C)
    {
      NsLanes s = { 0 }, sx = { 0 };
      double mean_g, mean_gx;
      ns_real m = mean[n], r = rstd[n];
      gsize c = 0;

      /* s = Σ_c g and sx = Σ_c g·x̂ */
      for (; c + NS_LANES <= C; c += NS_LANES)
        add_gradient (&s, &sx, dy + c, x + c, gain != NULL ? gain + c : NULL, m, r);
      if (c < C)
        {
          double g[NS_LANES] = { 0 }, gx[NS_LANES] = { 0 };

          for (gsize j = 0; j < C - c; j++)
            {
              g[j] = gain != NULL ? dy[c + j] * gain[c + j] : dy[c + j];
              gx[j] = g[j] * ((x[c + j] - m) * r);
            }
          ns_lanes_add (&s, g);
          ns_lanes_add (&sx, gx);
        }
      /* rmsnorm subtracts no mean; where eps alone decides rstd, rstd does not depend on x */
      mean_g = kind == NS_NORM_LAYERNORM ? ns_sum_lanes (&s) / (double) C : 0;
      mean_gx = var_weight * ns_sum_lanes (&sx) / (double) C;

      /* dγ += dy·x̂,  dβ += dy: this token's share, [C] */
      if (dgain != NULL)
        for (c = 0; c < C; c++)
          dgain[c] += (double) dy[c] * ((x[c] - m) * r);
      if (dbias != NULL)
        for (c = 0; c < C; c++)
          dbias[c] += dy[c];
      /* dx = rstd·(g − mean (g) − x̂·mean (g·x̂)); last, since dx may be dy */
      for (c = 0; c < C; c++)
        {
          ns_real g = gain != NULL ? dy[c] * gain[c] : dy[c];
          dx[c] = r * (g - (ns_real) mean_g - (x[c] - m) * r * (ns_real) mean_gx);
        }
    }
}

/* ---- DyT ---- */

#define TILE 256 /* elements at a time, so that the slopes stay on the C stack */

/* t = tanh (α·x·scale) and slope = 1 − t² of n <= TILE elements; scale 0: t = α·x, slope 1. */
NS_INLINE void
dyt_tile (ns_real t[TILE], ns_real slope[TILE], const ns_real *x, double alpha, double scale, gsize n)
{
  ns_real a = (ns_real) (scale == 0 ? alpha : alpha * scale);

  if (scale == 0)
    for (gsize c = 0; c < n; c++)
      {
        t[c] = a * x[c];
        slope[c] = 1;
      }
  else
    for (gsize c = 0; c < n; c++)
      t[c] = ns_tanh (a * x[c], &slope[c]);
}

NS_SIMD void
ns_dyt_forward (ns_real *y, const ns_real *x, const ns_real *gain, const ns_real *bias, double alpha, double scale,
                gsize N, gsize C, NsProgress *progress)
{
  ns_real slope[TILE]; /* computed, not used */

  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, x += C, y += C)
    {
      /* t = tanh (α·x·scale), [C] tile by tile */
      for (gsize c = 0; c < C; c += TILE)
        dyt_tile (y + c, slope, x + c, alpha, scale, MIN (TILE, C - c));
      /* y = γ·t + β */
      scale_and_shift (y, gain, bias, C);
    }
}

/* Add Σ_c dy·γ·slope·x over one tile of n elements to the partial sums of dα. */
NS_INLINE void
dyt_add_dalpha (NsLanes *sums, const ns_real *dy, const ns_real *x, const ns_real *gain, const ns_real *slope,
                gsize n)
{
  for (gsize c = 0; c < n; c += NS_LANES)
    {
      double terms[NS_LANES] = { 0 };

      for (gsize j = 0; j < MIN (NS_LANES, n - c); j++)
        terms[j] = (double) dy[c + j] * (gain != NULL ? gain[c + j] : 1) * slope[c + j] * x[c + j];
      ns_lanes_add (sums, terms);
    }
}

NS_SIMD void
ns_dyt_backward (ns_real *dx, double *dgain, double *dbias, double *dalpha, const ns_real *dy, const ns_real *x,
                 const ns_real *gain, double alpha, double scale, gsize N, gsize C, NsProgress *progress)
{
  ns_real t[TILE], slope[TILE];
  NsLanes lanes = { 0 };

  if (dgain != NULL)
    memset (dgain, 0, C * sizeof *dgain);
  if (dbias != NULL)
    memset (dbias, 0, C * sizeof *dbias);
  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, x += C, dx += C, dy += C)
    for (gsize at = 0; at < C; at += TILE)
      {
        gsize size = MIN (TILE, C - at);
        const ns_real *g = gain != NULL ? gain + at : NULL;

        dyt_tile (t, slope, x + at, alpha, scale, size);
        /* dγ += dy·t,  dβ += dy */
        for (gsize c = 0; dgain != NULL && c < size; c++)
          dgain[at + c] += (double) dy[at + c] * t[c];
        for (gsize c = 0; dbias != NULL && c < size; c++)
          dbias[at + c] += dy[at + c];
        /* dα += Σ_c dy·γ·(1 − t²)·x */
        dyt_add_dalpha (&lanes, dy + at, x + at, g, slope, size);
        /* dx = dy·γ·α·(1 − t²); last, since dx may be dy */
        for (gsize c = 0; c < size; c++)
          dx[at + c] = dy[at + c] * (g != NULL ? g[c] : 1) * ((ns_real) alpha * slope[c]);
      }
  if (dalpha != NULL)
    *dalpha = ns_sum_lanes (&lanes) * (scale == 0 ? 1 : scale);
}

NS_SIMD void
ns_dyt_held (ns_real *dx, const ns_real *dy, const ns_real *x, const ns_real *gain, double alpha, double scale,
             gsize N, gsize C, NsProgress *progress)
{
  ns_real t[TILE], slope[TILE], at_zero = (ns_real) (scale == 0 ? alpha : alpha * scale);

  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, x += C, dx += C, dy += C)
    for (gsize at = 0; at < C; at += TILE)
      {
        gsize size = MIN (TILE, C - at);

        dyt_tile (t, slope, x + at, alpha, scale, size);
        /* dx = dy·γ·t/x */
        for (gsize c = 0; c < size; c++)
          dx[at + c] = dy[at + c] * (gain != NULL ? gain[at + c] : 1) * (x[at + c] != 0 ? t[c] / x[at + c] : at_zero);
      }
}
