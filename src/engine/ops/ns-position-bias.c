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

gsize
ns_relative_get_bucket (const NsRelativeRule *rule, gint64 offset)
{
  gsize n = rule->causal ? rule->buckets : rule->buckets / 2, exact = n / 2;
  gsize first = !rule->causal && offset > 0 ? n : 0;
  gint64 distance = rule->causal ? MAX (-offset, 0) : ABS (offset);
  float share;

  if (distance < (gint64) exact)
    return first + (gsize) distance;
  share = (float) log ((double) ((float) distance / (float) exact));
  share /= (float) log ((double) rule->distance / (double) exact);
  share *= (float) (n - exact);
  return first + (share >= (float) (n - exact) ? n - 1 : exact + (gsize) share);
}

void
ns_relative_fill (ns_real *bias, const ns_real *table, const NsRelativeRule *rule, gsize H, gsize T)
{
  for (gsize i = 0; i < 2 * T - 1; i++)
    {
      const ns_real *row = table + ns_relative_get_bucket (rule, (gint64) i - (gint64) (T - 1)) * H;

      for (gsize h = 0; h < H; h++)
        bias[h * (2 * T - 1) + i] = row[h];
    }
}

void
ns_relative_backward (double *dtable, const double *dbias, double factor, const NsRelativeRule *rule, gsize H, gsize T)
{
  for (gsize i = 0; i < 2 * T - 1; i++)
    {
      double *row = dtable + ns_relative_get_bucket (rule, (gint64) i - (gint64) (T - 1)) * H;

      for (gsize h = 0; h < H; h++)
        row[h] += factor * dbias[h * (2 * T - 1) + i];
    }
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
