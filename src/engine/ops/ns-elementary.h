/* exp and tanh without a branch or a call, so that loops of them vectorize; in the double build those of the C library.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private to the operations. In float the relative error is a few units in the last place; NaN stays NaN, ±Inf give
 * the limits. Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

#include <string.h>

#ifdef NS_DOUBLE

NS_INLINE double
ns_exp (double x)
{
  return exp (x);
}

#else

/* exp (x) = 2^k·exp (r) with x = k·ln 2 + r, |r| <= ln 2 / 2: exp (r) by its Taylor series, 2^k built from its bits.
 * Below −87 the result is 0, above 88.7 it is Inf. */
NS_INLINE float
ns_exp (float x)
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

#endif

/* Return tanh (x); *slope = 1 − tanh² (x) = 4a/(1 + a)² with a = exp (−2|x|), which does not cancel for large |x|. */
NS_INLINE ns_real
ns_tanh (ns_real x, ns_real *slope)
{
  ns_real size = x < 0 ? -x : x;
  ns_real a = ns_exp (-2 * size);
  ns_real inverse = 1 / (1 + a);

  *slope = 4 * a * inverse * inverse;
#ifdef NS_DOUBLE
  return tanh (x);
#else
  {
    /* (1 − a)/(1 + a) cancels near 0: there x + x³·p(x²), p a polynomial fitted to (tanh (x)/x − 1)/x² */
    float s = x * x;
    float far = (1 - a) * inverse;
    float last = -0.0538432632f + s * (0.0209613291f + s * -0.00604516510f);
    float series = -0.333333284f + s * (0.133327189f + s * last);
    float near = x + x * s * series;

    far = x < 0 ? -far : far;
    return size < 0.625f ? near : far;
  }
#endif
}
