/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-position-bias.h"

#include <math.h>

double
ns_alibi_get_slope (gsize H, gsize h)
{
  gsize n = 1;

  while (2 * n <= H)
    n *= 2;
  if (h < n)
    return exp2 (-8.0 * (double) (h + 1) / (double) n);
  return exp2 (-4.0 * (double) (2 * (h - n) + 1) / (double) n);
}

void
ns_alibi_fill (ns_real *bias, double factor, gsize H, gsize T)
{
  for (gsize h = 0; h < H; h++, bias += 2 * T - 1)
    {
      double slope = factor * ns_alibi_get_slope (H, h);

      for (gsize i = 0; i < 2 * T - 1; i++)
        bias[i] = (ns_real) (-slope * fabs ((double) i - (double) (T - 1)));
    }
}
