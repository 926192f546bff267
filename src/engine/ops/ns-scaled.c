/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-scaled.h"

#include "engine/ops/ns-probe.h"

#include <string.h>

void
ns_root_add (NsRoot *root, double value, double exponent)
{
  int shift;

  if (value == 0)
    return;
  if (isfinite (value))
    {
      value = frexp (value, &shift);
      exponent += shift;
    }
  if (root->sum2 == 0)
    root->exp2 = exponent;
  else if (exponent > root->exp2)
    {
      root->sum2 *= exp2 (2 * (root->exp2 - exponent));
      root->exp2 = exponent;
    }
  root->sum2 += value * fabs (value) * exp2 (2 * (exponent - root->exp2));
}

/* Scale x [n], whose sum of squares is sum2, to a root mean square in [1, 2) by a power of two; exp2 stays at or below
 * max_exp2. Return the new sum of squares. */
static double
rescale (NsScaled *x, gsize n, double sum2, double max_exp2)
{
  double shift = floor (log2 (sum2 / (double) n) / 2);

  if (x->exp2 + shift > max_exp2)
    shift = max_exp2 - x->exp2;
  ns_scale (x->v, exp2 (-shift), n);
  x->exp2 += shift;
  return ns_sum_squares (x->v, n);
}

double
ns_take_power (double *factor)
{
  double size = fabs (*factor), power;

  if (!(size > 0 && size < 0x1p-20))
    return 0;
  power = floor (log2 (size));
  *factor *= exp2 (-power);
  return power;
}

#define SMALL 0x1p-80 /* a mean square: values of about 2^-40 */
#define LARGE_VALUE 0x1p+80

double
ns_rescale_if_small (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  /* rescale large values only if exp2 < 0, that is if they had shrunk before: a true overflow is a result to show */
  if ((mean2 > 0 && mean2 < SMALL) || (mean2 > 1 && x->exp2 < 0 && mean2 < INFINITY))
    return rescale (x, n, sum2, 0);
  return sum2;
}

double
ns_rescale_gradient (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  if (mean2 > 0 && mean2 < INFINITY && (mean2 < SMALL || mean2 > LARGE_VALUE))
    return rescale (x, n, sum2, INFINITY);
  return sum2;
}

NsScaled
ns_scaled_add (ns_real *z, double a, NsScaled x, double b, NsScaled s, gsize n)
{
  double e;

  x.exp2 += ns_take_power (&a);
  s.exp2 += ns_take_power (&b);
  e = MAX (x.exp2, s.exp2);
  if (a != 0 && b != 0)
    {
      ns_add (z, a * exp2 (x.exp2 - e), x.v, b * exp2 (s.exp2 - e), s.v, n);
      return (NsScaled){ z, e };
    }
  if (a == 0)
    {
      x = s;
      a = b;
    }
  memmove (z, x.v, n * sizeof *z);
  if (a != 1)
    ns_scale (z, a, n);
  return (NsScaled){ z, x.exp2 };
}
