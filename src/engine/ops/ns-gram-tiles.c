/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-gram-tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "engine/ops/ns-blas.h"
#include "engine/ops/ns-real.h"

#include <immintrin.h>

#define AVX512 __attribute__ ((target ("avx512f")))
#define LANES 16
#define ALL   ((__mmask16) 0xffff)
#define ROWS  NS_GRAM_TILES_MAX_ROWS
#define DEPTH 128 /* columns of x that are transposed at a time */

gboolean
ns_gram_tiles_are_supported (void)
{
  return ns_blas_has_avx512 ();
}

/* Exchange the off-diagonal squares of `half` elements in a matrix of 16 rows. A lane from 16 on is one of the lower
 * row. */
AVX512 NS_INLINE void
exchange (__m512 *rows, int half, __m512i to_upper)
{
  const __m512i to_lower = _mm512_add_epi32 (to_upper, _mm512_set1_epi32 (half));

#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++)
    if ((i & half) == 0)
      {
        __m512 upper = rows[i], lower = rows[i + half];

        rows[i] = _mm512_permutex2var_ps (upper, to_upper, lower);
        rows[i + half] = _mm512_permutex2var_ps (upper, to_lower, lower);
      }
}

/* xt [16, ROWS] = xᵀ of 16 rows and 16 columns; rows from n_rows on and columns that are not in the mask are 0. */
AVX512 NS_INLINE void
transpose (float *xt, const float *x, gsize n_rows, gsize C, __mmask16 columns)
{
  __m512 rows[LANES];

#pragma GCC unroll 16
  for (gsize i = 0; i < LANES; i++)
    rows[i] = _mm512_maskz_loadu_ps (i < n_rows ? columns : 0, x + (i < n_rows ? i * C : 0));
  exchange (rows, 8, _mm512_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  exchange (rows, 4, _mm512_setr_epi32 (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27));
  exchange (rows, 2, _mm512_setr_epi32 (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29));
  exchange (rows, 1, _mm512_setr_epi32 (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30));
#pragma GCC unroll 16
  for (gsize i = 0; i < LANES; i++)
    _mm512_store_ps (xt + i * ROWS, rows[i]);
}

/* Rows `first` on of g [ROWS, ROWS] = xtᵀ·xt, or g += xtᵀ·xt; sums of `depth` products, all in registers. */
AVX512 NS_INLINE void
multiply_tile (float *g, gboolean add, const float *xt, gsize first, gsize n_rows, gsize n_columns, gsize depth)
{
  __m512 sums[8][4] = { 0 };

  for (gsize k = 0; k < depth; k++, xt += ROWS)
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
        float *to = g + (first + i) * ROWS + j * LANES;

        _mm512_store_ps (to, add ? _mm512_add_ps (_mm512_load_ps (to), sums[i][j]) : sums[i][j]);
      }
}

AVX512 void
ns_gram_tiles_rows (float *g, const float *x, gsize N, gsize C)
{
  float xt[DEPTH * ROWS] __attribute__ ((aligned (64))), sums[ROWS * ROWS] __attribute__ ((aligned (64)));

  for (gsize c = 0; c < C; c += DEPTH)
    {
      gsize depth = MIN (DEPTH, C - c);

      for (gsize k = 0; k < depth; k += LANES)
        for (gsize n = 0; n < N; n += LANES)
          if (n + LANES <= N && k + LANES <= depth)
            transpose (xt + k * ROWS + n, x + n * C + c + k, LANES, C, ALL);
          else
            transpose (xt + k * ROWS + n, x + n * C + c + k, MIN (LANES, N - n), C,
                       (__mmask16) (ALL >> (LANES - MIN (LANES, depth - k))));
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
    memcpy (g + n * N, sums + n * ROWS, (n + 1) * sizeof *g);
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
