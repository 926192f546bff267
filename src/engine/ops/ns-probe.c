/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-probe.h"

#include "engine/ops/ns-lanes.h"

NS_INLINE void
add_squares (NsLanes *sums, const ns_real *x, gsize n)
{
  NS_EACH_FOUR (k)
    sums->v[k] += ns_four (x, k, n) * ns_four (x, k, n);
}

NS_SIMD double
ns_sum_squares (const ns_real *x, gsize n)
{
  NsLanes sums = { 0 };
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    add_squares (&sums, x + i, NS_LANES);
  add_squares (&sums, x + i, n - i);
  return ns_sum_lanes (&sums);
}

NS_INLINE void
add_absolute (NsLanes *sums, const ns_real *x, gsize n)
{
  NS_EACH_FOUR (k)
    sums->v[k] += ns_four_absolute (ns_four (x, k, n));
}

NS_SIMD double
ns_sum_absolute (const ns_real *x, gsize n)
{
  NsLanes sums = { 0 };
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    add_absolute (&sums, x + i, NS_LANES);
  add_absolute (&sums, x + i, n - i);
  return ns_sum_lanes (&sums);
}

NS_INLINE void
add_products (NsLanes *sums, const ns_real *x, const ns_real *y, gsize n)
{
  NS_EACH_FOUR (k)
    sums->v[k] += ns_four (x, k, n) * ns_four (y, k, n);
}

NS_SIMD double
ns_dot (const ns_real *x, const ns_real *y, gsize n)
{
  NsLanes sums = { 0 };
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    add_products (&sums, x + i, y + i, NS_LANES);
  add_products (&sums, x + i, y + i, n - i);
  return ns_sum_lanes (&sums);
}

NS_INLINE void
add_all_products (NsLanes *xx, NsLanes *xy, NsLanes *yy, const ns_real *x, const ns_real *y, gsize n)
{
  NS_EACH_FOUR (k)
    {
      NsFour a = ns_four (x, k, n), b = ns_four (y, k, n);

      xx->v[k] += a * a;
      xy->v[k] += a * b;
      yy->v[k] += b * b;
    }
}

NS_SIMD NsProducts
ns_products (const ns_real *x, const ns_real *y, gsize n)
{
  NsLanes xx = { 0 }, xy = { 0 }, yy = { 0 };
  gsize i = 0;

  for (; i + NS_LANES <= n; i += NS_LANES)
    add_all_products (&xx, &xy, &yy, x + i, y + i, NS_LANES);
  add_all_products (&xx, &xy, &yy, x + i, y + i, n - i);
  return (NsProducts){ ns_sum_lanes (&xx), ns_sum_lanes (&xy), ns_sum_lanes (&yy) };
}

double
ns_products_get_cosine (const NsProducts *products)
{
  double cosine = products->xy / sqrt (products->xx * products->yy); /* exactly 1 for equal arrays */

  /* rounding can pass 1; NaN stays NaN */
  return fabs (cosine) > 1 ? copysign (1, cosine) : cosine;
}

double
ns_sum_squares_double (const double *x, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

NS_SIMD void
ns_column_products (double *sums, const ns_real *a, const ns_real *b, gsize rows, gsize columns)
{
  memset (sums, 0, columns * sizeof *sums);
  for (gsize r = 0; r < rows; r++)
    for (gsize c = 0; c < columns; c++)
      sums[c] += (double) a[r * columns + c] * b[r * columns + c];
}

void
ns_column_sums (const ns_real *dy, double *sum, gsize N, gsize C)
{
  memset (sum, 0, C * sizeof *sum);
  for (gsize n = 0; n < N; n++)
    for (gsize c = 0; c < C; c++)
      sum[c] += dy[n * C + c];
}

NS_SIMD double
ns_token_cosine (const ns_real *x, double *scratch, gsize B, gsize T, gsize C)
{
  double total = 0;

  for (gsize b = 0; b < B; b++) /* each sequence on its own */
    {
      double unit = 0; /* Σ_t |e_t|²: T but for rounding; summed, so that the same rounding cancels in |Σ_t e_t|² */

      /* scratch = Σ_t e_t, [C] */
      memset (scratch, 0, C * sizeof *scratch);
      for (gsize t = 0; t < T; t++, x += C)
        {
          double norm2 = ns_sum_squares (x, C), inverse = 1 / sqrt (norm2);

          unit += norm2 * inverse * inverse;
          for (gsize c = 0; c < C; c++)
            scratch[c] += x[c] * inverse;
        }
      /* Σ_{s≠t} e_s·e_t */
      total += ns_sum_squares_double (scratch, C) - unit;
    }
  /* B·T·(T − 1) ordered pairs */
  total /= (double) B * (double) T * (double) (T - 1);
  return total > 1 ? 1 : total; /* rounding can pass 1; NaN stays NaN */
}

NS_SIMD void
ns_add (ns_real *z, double a, const ns_real *x, double b, const ns_real *y, gsize n)
{
  ns_real ra = (ns_real) a, rb = (ns_real) b;

  for (gsize i = 0; i < n; i++)
    z[i] = ra * x[i] + rb * y[i];
}

NS_SIMD void
ns_scale (ns_real *x, double a, gsize n)
{
  ns_real ra = (ns_real) a;

  for (gsize i = 0; i < n; i++)
    x[i] *= ra;
}
