/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-activation.h"

#include <string.h>

#ifdef NS_DOUBLE

NS_INLINE double
real_exp (double x)
{
  return exp (x);
}

/* Φ(x) and φ(x) of the standard normal distribution. */
NS_INLINE double
normal_cdf (double x, double *density)
{
  *density = 0.3989422804014327 * exp (-0.5 * x * x);
  return 0.5 * erfc (-x * 0.7071067811865476);
}

#else

/* exp in float without a branch, so that loops of it vectorize: x = k·ln 2 + r, |r| <= ln 2 / 2, Taylor series of
 * exp (r), 2^k put together from bits. Below -87 the result is 0, above 88 it is Inf; NaN stays. */
NS_INLINE float
real_exp (float x)
{
  float clamped = x > 88.7f ? 88.7f : (x < -87.0f ? -87.0f : x);
  float shifted = clamped * 1.44269504f + 12582912.0f; /* 1.5·2^23: rounds to a whole number, kept in the low bits */
  float k = shifted - 12582912.0f;
  float r = (clamped - k * 0.693359375f) + k * 2.12194440e-4f;
  float series =
      1.0f
      + r * (1.0f + r * (0.5f + r * (0.166666667f + r * (0.0416666667f + r * (0.00833333333f + r * 0.00138888889f)))));
  guint32 bits;
  float power;

  memcpy (&bits, &shifted, sizeof bits);
  /* 2^k in two halves, since 2^128 is no float */
  bits = (bits - 0x4B400000u + 254u);
  {
    guint32 low = (bits / 2) << 23, high = (bits - bits / 2) << 23;
    float a, b;

    memcpy (&a, &low, sizeof a);
    memcpy (&b, &high, sizeof b);
    power = series * a * b;
  }
  power = x < -87.0f ? 0.0f : power;
  power = x > 88.7f ? INFINITY : power;
  return x == x ? power : x;
}

/* Φ(x) by Abramowitz and Stegun 7.1.26 (absolute error of erf below 1.5e-7), which needs the exponential alone. */
NS_INLINE float
normal_cdf (float x, float *density)
{
  float e = real_exp (-0.5f * x * x);
  float z = fabsf (x) * 0.70710678f;
  float t = 1.0f / (1.0f + 0.3275911f * z);
  float tail =
      0.5f * e
      * (t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))));

  *density = 0.39894228f * e;
  return x > 0 ? 1.0f - tail : tail;
}

#endif

/* f and act' of one kind at the true value h: act (h) = h·f. */
NS_INLINE void
factor (NsActivation kind, ns_real h, ns_real *f, ns_real *slope)
{
  switch (kind)
    {
    case NS_ACT_RELU:
      *f = *slope = h > 0 ? 1 : 0;
      break;
    case NS_ACT_GELU:
    case NS_ACT_GEGLU:
      {
        ns_real density;
        *f = normal_cdf (h, &density);
        *slope = *f + h * density;
        break;
      }
    default: /* silu, swiglu */
      *f = 1 / (1 + real_exp (-h));
      *slope = *f * (1 + h * (1 - *f));
    }
}

/* One loop for each kind, so that each is branch-free inside. */
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
        y[i] = h[i] * f;
      }
  else
    for (gsize i = 0; i < n; i++)
      {
        factor (kind, h[i] * scale, &f, &slope);
        y[i] = h[i] * f * g[i];
      }
}

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
        dg[i] = dy[i] * (h[i] * f);
        dh[i] = dy[i] * g[i] * slope;
      }
}

NS_SIMD void
ns_activation_forward (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, double scale, gsize n)
{
  if (kind == NS_ACT_RELU)
    forward_kind (y, h, NULL, NS_ACT_RELU, 1, n);
  else if (kind == NS_ACT_GELU || kind == NS_ACT_GEGLU)
    forward_kind (y, h, g, NS_ACT_GELU, (ns_real) scale, n);
  else
    forward_kind (y, h, g, NS_ACT_SILU, (ns_real) scale, n);
}

NS_SIMD void
ns_activation_backward (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g,
                        NsActivation kind, double scale, gsize n)
{
  if (kind == NS_ACT_RELU)
    backward_kind (dh, NULL, dy, h, NULL, NS_ACT_RELU, 1, n); /* its slope has no scale, and h·scale may be 0 */
  else if (kind == NS_ACT_GELU || kind == NS_ACT_GEGLU)
    backward_kind (dh, dg, dy, h, g, NS_ACT_GELU, (ns_real) scale, n);
  else
    backward_kind (dh, dg, dy, h, g, NS_ACT_SILU, (ns_real) scale, n);
}

NS_SIMD double
ns_exp_shifted (ns_real *p, const ns_real *x, ns_real max, gsize n)
{
  double lane[NS_LANES] = { 0 }, sum = 0;
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    for (int j = 0; j < NS_LANES; j++)
      {
        p[i + j] = real_exp (x[i + j] - max);
        lane[j] += p[i + j];
      }
  for (int j = 0; i + j < n; j++)
    {
      p[i + j] = real_exp (x[i + j] - max);
      lane[j] += p[i + j];
    }
  for (int j = 0; j < NS_LANES; j++)
    sum += lane[j];
  return sum;
}
