/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-gram.h"

#include "engine/ops/ns-gram-tiles.h"
#include "engine/ops/ns-lanes.h"

#define GRAM_ROW_STEP 64 /* a multiple of the product's tile */

/* Return how many rows of g [N, N] are computed at a time, sums of C products each: all if that takes no longer than a
 * piece. */
static gsize
get_step (gsize N, gsize C)
{
  gsize rows = NS_PIECE_PRODUCTS / (N * C);

  return rows >= N ? N : MAX (rows / GRAM_ROW_STEP, 1) * GRAM_ROW_STEP;
}

void
ns_gram_rows (ns_real *g, const ns_real *x, gsize N, gsize C, NsProgress *progress)
{
  gsize step = get_step (N, C);

#ifndef NS_DOUBLE
  if (N <= NS_GRAM_TILES_MAX_ROWS && N == step && ns_gram_tiles_are_supported ())
    {
      ns_gram_tiles_rows (g, x, N, C);
      return;
    }
#endif
  /* row by row of pieces, left of the diagonal and on it */
  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n += step)
    {
      gsize rows = MIN (step, N - n);

      if (n > 0)
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) n, (int) C, 1, x + n * C, (int) C, x,
                 (int) C, 0, g + n * N, (int) N);
      ns_syrk (CblasRowMajor, CblasLower, CblasNoTrans, (int) rows, (int) C, 1, x + n * C, (int) C, 0,
               g + n * (N + 1), (int) N);
    }
}

void
ns_gram_columns (ns_real *g, const ns_real *x, gsize N, gsize C, NsProgress *progress)
{
  gsize step = get_step (C, N);

  for (gsize c = 0; c < C && !ns_progress_is_cancelled (progress); c += step)
    {
      gsize rows = MIN (step, C - c);

      if (c > 0)
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, (int) rows, (int) c, (int) N, 1, x + c, (int) C, x, (int) C,
                 0, g + c * C, (int) C);
      ns_syrk (CblasRowMajor, CblasLower, CblasTrans, (int) rows, (int) N, 1, x + c, (int) C, 0, g + c * (C + 1),
               (int) C);
    }
}

/* The sums of the products and of their absolute values. */
NS_INLINE void
add_with_absolute (NsLanes *sums, NsLanes *absolute, const ns_real *a, const ns_real *b, gsize n)
{
  NS_EACH_FOUR (k)
    {
      NsFour product = ns_four (a, k, n) * ns_four (b, k, n);

      sums->v[k] += product;
      absolute->v[k] += ns_four_absolute (product);
    }
}

/* From the lower triangles: twice the entries below the diagonal, once the diagonal. */
NS_SIMD void
ns_gram_dot (const ns_real *a, const ns_real *b, gsize N, gsize ld, double *dot, double *absolute)
{
  *dot = *absolute = 0;
  for (gsize n = 0; n < N; n++, a += ld, b += ld)
    {
      NsLanes s = { 0 }, t = { 0 };
      double diagonal = (double) a[n] * b[n];
      gsize i = 0;

      for (; i + NS_LANES <= n; i += NS_LANES)
        add_with_absolute (&s, &t, a + i, b + i, NS_LANES);
      add_with_absolute (&s, &t, a + i, b + i, n - i);
      *dot += 2 * ns_sum_lanes (&s) + diagonal;
      *absolute += 2 * ns_sum_lanes (&t) + diagonal;
    }
}

double
ns_gram_trace (const ns_real *g, gsize N, gsize ld)
{
  double trace = 0;

  for (gsize n = 0; n < N; n++)
    trace += g[n * ld + n];
  return trace;
}
