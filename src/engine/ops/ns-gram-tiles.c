/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-gram-tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "engine/ops/ns-blas.h"
#include "engine/ops/ns-tiles-private.h"

#define LANES NS_VECTOR
#define GRAM_ROWS  NS_GRAM_TILES_MAX_ROWS
#define GRAM_DEPTH 128 /* columns of x that are transposed at a time */

gboolean
ns_gram_tiles_are_supported (void)
{
  return ns_blas_has_avx512 ();
}

/* Rows `first` on of g [ROWS, ROWS] = xtᵀ·xt, or g += xtᵀ·xt; sums of `depth` products, all in registers. */
NS_AVX512 NS_INLINE void
multiply_tile (float *g, gboolean add, const float *xt, gsize first, gsize n_rows, gsize n_columns, gsize depth)
{
  __m512 sums[8][4] = { 0 };

  for (gsize k = 0; k < depth; k++, xt += GRAM_ROWS)
#pragma GCC unroll 8
    for (gsize i = 0; i < n_rows; i++)
#pragma GCC unroll 4
      for (gsize j = 0; j < n_columns; j++)
        sums[i][j] = _mm512_fmadd_ps (_mm512_set1_ps (xt[first + i]), _mm512_load_ps (xt + j * LANES), sums[i][j]);
#pragma GCC unroll 8
  for (gsize i = 0; i < n_rows; i++)
#pragma GCC unroll 4
    for (gsize j = 0; j < n_columns; j++)
      {
        float *to = g + (first + i) * GRAM_ROWS + j * LANES;

        _mm512_store_ps (to, add ? _mm512_add_ps (_mm512_load_ps (to), sums[i][j]) : sums[i][j]);
      }
}

NS_AVX512 void
ns_gram_tiles_rows (float *g, const float *x, gsize N, gsize C)
{
  float xt[GRAM_DEPTH * GRAM_ROWS] __attribute__ ((aligned (64))),
      sums[GRAM_ROWS * GRAM_ROWS] __attribute__ ((aligned (64)));

  for (gsize c = 0; c < C; c += GRAM_DEPTH)
    {
      gsize depth = MIN (GRAM_DEPTH, C - c);

      for (gsize k = 0; k < depth; k += LANES)
        for (gsize n = 0; n < N; n += LANES)
          if (n + LANES <= N && k + LANES <= depth)
            ns_tiles_transpose (xt + k * GRAM_ROWS + n, GRAM_ROWS, x + n * C + c + k, C, LANES, LANES);
          else
            ns_tiles_transpose (xt + k * GRAM_ROWS + n, GRAM_ROWS, x + n * C + c + k, C, MIN (LANES, N - n),
                                MIN (LANES, depth - k));
      /* left of the diagonal and on it, in as many rows as the registers hold */
      for (gsize n = 0; n < MIN (N, LANES); n += 8)
        multiply_tile (sums, c > 0, xt, n, 8, 1, depth);
      for (gsize n = LANES; n < MIN (N, 2 * LANES); n += 8)
        multiply_tile (sums, c > 0, xt, n, 8, 2, depth);
      for (gsize n = 2 * LANES; n < MIN (N, 3 * LANES); n += 4)
        multiply_tile (sums, c > 0, xt, n, 4, 3, depth);
      for (gsize n = 3 * LANES; n < N; n += 4)
        multiply_tile (sums, c > 0, xt, n, 4, 4, depth);
    }
  for (gsize n = 0; n < N; n++)
    memcpy (g + n * N, sums + n * GRAM_ROWS, (n + 1) * sizeof *g);
}

#else

gboolean
ns_gram_tiles_are_supported (void)
{
  return FALSE;
}

void
ns_gram_tiles_rows (float *g G_GNUC_UNUSED, const float *x G_GNUC_UNUSED, gsize N G_GNUC_UNUSED, gsize C G_GNUC_UNUSED)
{
  g_assert_not_reached ();
}

#endif
