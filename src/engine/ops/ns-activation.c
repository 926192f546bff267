/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-activation.h"

#include "engine/ops/ns-elementary.h"
#include "engine/ops/ns-lanes.h"

#ifdef NS_DOUBLE

/* Return Φ(x), the distribution function of N(0, 1); *density = φ(x) = Φ'(x). */
NS_INLINE double
normal_cdf (double x, double *density)
{
  *density = 0.3989422804014327 * exp (-0.5 * x * x);
  return 0.5 * erfc (-x * 0.7071067811865476);
}

#else

/* The same by Abramowitz and Stegun 7.1.26 (absolute error of erf below 1.5e-7), which needs no function except exp and
 * so vectorizes. */
NS_INLINE float
normal_cdf (float x, float *density)
{
  float e = ns_exp (-0.5f * x * x);
  float z = fabsf (x) * 0.70710678f;
  float t = 1.0f / (1.0f + 0.3275911f * z);
  float tail =
      0.5f * e
      * (t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))));

  *density = 0.39894228f * e;
  return x > 0 ? 1.0f - tail : tail;
}

#endif

/* f = ½·(1 + tanh (u)) = σ(2u) with u = √(2/π)·(h + 0.044715·h³), and slope = (h·f)'. h is clamped to ±32, where f is 0
 * or 1 even in double, so that h³ cannot overflow. σ and 1 − σ both come from exp (−|2u|), so that neither cancels. */
NS_INLINE void
gelu_tanh (ns_real h, ns_real *f, ns_real *slope)
{
  ns_real t = h > 32 ? 32 : (h < -32 ? -32 : h);
  ns_real u2 = t * ((ns_real) 1.5957691216057308 + (ns_real) 0.07135481627260025 * (t * t));
  ns_real a = ns_exp (u2 < 0 ? u2 : -u2);
  ns_real large = 1 / (1 + a), small = a * large;

  *f = u2 < 0 ? small : large;
  *slope = *f + t * (large * small) * ((ns_real) 1.5957691216057308 + (ns_real) 0.21406444881780076 * (t * t));
}

/* The factor f and the slope act' = (h·f)' of one kind at the true value h. */
NS_INLINE void
factor (NsActivation kind, ns_real h, ns_real *f, ns_real *slope)
{
  switch (kind)
    {
    case NS_ACT_RELU:
      *f = *slope = h > 0 ? 1 : 0; /* a step */
      break;
    case NS_ACT_GELU:
    case NS_ACT_GEGLU:
      {
        ns_real density;
        *f = normal_cdf (h, &density);
        *slope = *f + h * density; /* (h·Φ)' = Φ + h·φ */
        break;
      }
    case NS_ACT_GELU_TANH:
      gelu_tanh (h, f, slope);
      break;
    default: /* silu, swiglu */
      *f = 1 / (1 + ns_exp (-h)); /* σ(h);  (h·σ)' = σ·(1 + h·(1 − σ)) */
      *slope = *f * (1 + h * (1 - *f));
    }
}

/* h·f; for the tanh form −0 at h = −Inf, its limit, in place of the NaN of −Inf·0. */
NS_INLINE ns_real
product (NsActivation kind, ns_real h, ns_real f)
{
  return kind == NS_ACT_GELU_TANH && f == 0 ? (ns_real) -0.0 : h * f;
}

/* y = h·f (⊙ g), [n]. Each call has a constant kind, so that every loop is compiled without a branch. */
NS_INLINE void
forward_kind (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, ns_real scale, gsize n)
{
  ns_real f, slope;

  if (kind == NS_ACT_RELU)
    for (gsize i = 0; i < n; i++)
      y[i] = h[i] < 0 ? 0 : h[i]; /* NaN stays NaN, and −Inf gives 0 */
  else if (g == NULL)
    for (gsize i = 0; i < n; i++)
      {
        factor (kind, h[i] * scale, &f, &slope);
        y[i] = product (kind, h[i], f);
      }
  else
    for (gsize i = 0; i < n; i++)
      {
        factor (kind, h[i] * scale, &f, &slope);
        y[i] = product (kind, h[i], f) * g[i];
      }
}

/* Mirrors forward_kind(): dh = dy (⊙ g) ⊙ slope, dg = dy ⊙ h·f, [n]. */
NS_INLINE void
backward_kind (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g, NsActivation kind,
               ns_real scale, gsize n)
{
  ns_real f, slope;

  if (g == NULL)
    for (gsize i = 0; i < n; i++)
      {
        factor (kind, h[i] * scale, &f, &slope);
        dh[i] = dy[i] * slope;
      }
  else
    for (gsize i = 0; i < n; i++)
      {
        factor (kind, h[i] * scale, &f, &slope);
        dg[i] = dy[i] * product (kind, h[i], f); /* first, since dh may be dy */
        dh[i] = dy[i] * g[i] * slope;
      }
}

NS_SIMD static void
forward_piece (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, double scale, gsize n)
{
  if (kind == NS_ACT_RELU)
    forward_kind (y, h, NULL, NS_ACT_RELU, 1, n);
  else if (kind == NS_ACT_GELU || kind == NS_ACT_GEGLU)
    forward_kind (y, h, g, NS_ACT_GELU, (ns_real) scale, n);
  else if (kind == NS_ACT_GELU_TANH || kind == NS_ACT_GEGLU_TANH)
    forward_kind (y, h, g, NS_ACT_GELU_TANH, (ns_real) scale, n);
  else
    forward_kind (y, h, g, NS_ACT_SILU, (ns_real) scale, n);
}

NS_SIMD static void
backward_piece (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g, NsActivation kind,
                double scale, gsize n)
{
  if (kind == NS_ACT_RELU)
    backward_kind (dh, NULL, dy, h, NULL, NS_ACT_RELU, 1, n); /* its slope has no scale, and h·scale may be 0 */
  else if (kind == NS_ACT_GELU || kind == NS_ACT_GEGLU)
    backward_kind (dh, dg, dy, h, g, NS_ACT_GELU, (ns_real) scale, n);
  else if (kind == NS_ACT_GELU_TANH || kind == NS_ACT_GEGLU_TANH)
    backward_kind (dh, dg, dy, h, g, NS_ACT_GELU_TANH, (ns_real) scale, n);
  else
    backward_kind (dh, dg, dy, h, g, NS_ACT_SILU, (ns_real) scale, n);
}

void
ns_activation_forward (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, double scale, gsize n,
                       NsProgress *progress)
{
  for (gsize i = 0; i < n && !ns_progress_is_cancelled (progress); i += NS_PIECE_ELEMENTS)
    forward_piece (y + i, h + i, g != NULL ? g + i : NULL, kind, scale, MIN (NS_PIECE_ELEMENTS, n - i));
}

void
ns_activation_backward (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g,
                        NsActivation kind, double scale, gsize n, NsProgress *progress)
{
  for (gsize i = 0; i < n && !ns_progress_is_cancelled (progress); i += NS_PIECE_ELEMENTS)
    backward_piece (dh + i, dg != NULL ? dg + i : NULL, dy + i, h + i, g != NULL ? g + i : NULL, kind, scale,
                    MIN (NS_PIECE_ELEMENTS, n - i));
}

/* Compute p and its sum, and, unless dot is NULL, Σ p·(x − max). The sums are in NS_LANES partial sums, so that the
 * loop vectorizes and rounds the same on every machine. */
NS_INLINE double
exp_shifted (ns_real *p, const ns_real *x, ns_real max, gsize n, double *dot)
{
  double lane[NS_LANES] = { 0 }, lane_dot[NS_LANES] = { 0 }, sum = 0;
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    for (int j = 0; j < NS_LANES; j++)
      {
        ns_real shifted = x[i + j] - max, e = ns_exp (shifted);

        p[i + j] = e;
        lane[j] += e;
        if (dot != NULL) /* a score of −Inf has the weight 0 */
          lane_dot[j] += (double) e * (e == 0 ? 0 : shifted);
      }
  if (i < n) /* the rest, made up to NS_LANES values so that this loop vectorizes, too: attention has short rows */
    {
      ns_real rest[NS_LANES];
      gsize left = n - i;

      for (int j = 0; j < NS_LANES; j++)
        rest[j] = (gsize) j < left ? x[i + (gsize) j] : max;
      for (int j = 0; j < NS_LANES; j++)
        {
          ns_real shifted = rest[j] - max, e = ns_exp (shifted);

          rest[j] = e;
          lane[j] += (gsize) j < left ? e : 0;
          if (dot != NULL)
            lane_dot[j] += (gsize) j < left ? (double) e * (e == 0 ? 0 : shifted) : 0;
        }
      for (int j = 0; j < NS_LANES; j++)
        if ((gsize) j < left)
          p[i + (gsize) j] = rest[j];
    }
  for (int j = 0; j < NS_LANES; j++)
    sum += lane[j];
  if (dot == NULL)
    return sum;
  *dot = 0;
  for (int j = 0; j < NS_LANES; j++)
    *dot += lane_dot[j];
  return sum;
}

NS_SIMD double
ns_exp_shifted (ns_real *p, const ns_real *x, ns_real max, gsize n)
{
  return exp_shifted (p, x, max, n, NULL);
}

NS_SIMD double
ns_exp_shifted_dot (ns_real *p, const ns_real *x, ns_real max, gsize n, double *dot)
{
  return exp_shifted (p, x, max, n, dot);
}
