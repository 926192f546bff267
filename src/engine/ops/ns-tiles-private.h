/* What products in tiles share: matrices of 16 × 16 in the registers of AVX-512.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For files that define functions with NS_AVX512 where __x86_64__ is defined.
 */
#pragma once

#include "engine/ops/ns-real.h"

#include <immintrin.h>

#define NS_AVX512 __attribute__ ((target ("avx512f")))
#define NS_VECTOR 16 /* floats of a register */

/* Exchange the off-diagonal squares of `half` elements in a matrix of 16 rows. A lane from 16 on is one of the lower
 * row. */
NS_AVX512 NS_INLINE void
ns_tiles_exchange (__m512 *rows, int half, __m512i to_upper)
{
  const __m512i to_lower = _mm512_add_epi32 (to_upper, _mm512_set1_epi32 (half));

#pragma GCC unroll 16
  for (int i = 0; i < NS_VECTOR; i++)
    if ((i & half) == 0)
      {
        __m512 upper = rows[i], lower = rows[i + half];

        rows[i] = _mm512_permutex2var_ps (upper, to_upper, lower);
        rows[i + half] = _mm512_permutex2var_ps (upper, to_lower, lower);
      }
}

/* Put the transpose of up to 16 rows and columns of x, whose rows are ldx apart, into xt [16, ldt]. The other
 * elements of the 16 × 16 are 0. */
NS_AVX512 NS_INLINE void
ns_tiles_transpose (float *xt, gsize ldt, const float *x, gsize ldx, gsize n_rows, gsize n_columns)
{
  const __mmask16 columns = (__mmask16) (0xffff >> (NS_VECTOR - n_columns));
  __m512 rows[NS_VECTOR];

#pragma GCC unroll 16
  for (gsize i = 0; i < NS_VECTOR; i++)
    rows[i] = _mm512_maskz_loadu_ps (i < n_rows ? columns : 0, x + (i < n_rows ? i * ldx : 0));
  ns_tiles_exchange (rows, 8, _mm512_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  ns_tiles_exchange (rows, 4, _mm512_setr_epi32 (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27));
  ns_tiles_exchange (rows, 2, _mm512_setr_epi32 (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29));
  ns_tiles_exchange (rows, 1, _mm512_setr_epi32 (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30));
#pragma GCC unroll 16
  for (gsize i = 0; i < NS_VECTOR; i++)
    _mm512_store_ps (xt + i * ldt, rows[i]);
}
