/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-product-tiles.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(NS_DOUBLE)

#include "engine/ops/ns-blas.h"
#include "engine/ops/ns-tiles-private.h"

#define VECTORS 4                     /* of a tile's rows */
#define WIDTH   (VECTORS * NS_VECTOR) /* columns of a strip */
#define DEPTH   128                   /* rows of a strip: 32 KiB, of the 48 of the first cache */
#define LINES   (DEPTH * VECTORS)     /* cache lines of a strip */
#define MAX_X   ((gsize) 1 << 16)     /* numbers of x that all strips read: 256 KiB, within a core's cache */
#define ROWS    4 /* of a tile: 16 sums at a time; 8 hide the latency of two multiplications per cycle */

typedef struct
{
  float alpha, beta;
  __mmask16 masks[VECTORS]; /* the columns that there are */
  gboolean adds;            /* to the sums before, of the strip above */
  gsize depth;
  const float *next;        /* the weights of the next strip, which come into the cache meanwhile; NULL: none */
  gsize ld_next;            /* of their rows, */
  guint line_bits;          /* with 2^line_bits cache lines each */
  float strip[DEPTH * WIDTH] __attribute__ ((aligned (64))); /* [depth, WIDTH] */
} Strip;

gboolean
ns_product_tiles_are_supported (void)
{
  return ns_blas_has_avx512 ();
}

/* Copy some columns of u, 0 where the masks lack them. */
NS_AVX512 NS_INLINE void
copy (Strip *s, const float *u, gsize ldu)
{
  for (gsize k = 0; k < s->depth; k++)
#pragma GCC unroll 4
    for (gsize j = 0; j < VECTORS; j++)
      _mm512_store_ps (s->strip + k * WIDTH + j * NS_VECTOR,
                       _mm512_maskz_loadu_ps (s->masks[j], u + k * ldu + j * NS_VECTOR));
}

/* Copy n rows of u as columns; the others are 0. */
NS_AVX512 NS_INLINE void
copy_transposed (Strip *s, const float *u, gsize ldu, gsize n)
{
  for (gsize k = 0; k < s->depth; k += NS_VECTOR)
    for (gsize j = 0; j < WIDTH; j += NS_VECTOR)
      ns_tiles_transpose (s->strip + k * WIDTH + j, WIDTH, u + j * ldu + k, ldu,
                          n > j ? MIN (n - j, NS_VECTOR) : 0, MIN (s->depth - k, NS_VECTOR));
}

/* Fetch one of the LINES of the next strip. */
NS_AVX512 NS_INLINE void
fetch (const Strip *s, gsize line)
{
  gsize column = line & ((1u << s->line_bits) - 1);

  if (line < LINES && s->next != NULL)
    _mm_prefetch ((const char *) (s->next + (line >> s->line_bits) * s->ld_next + column * NS_VECTOR), _MM_HINT_T0);
}

/* y = alpha·x·strip + beta·y, or y += alpha·x·strip, of a few rows; the sums stay in registers. Rows of x are `row`
 * apart, its columns `column`. Meanwhile lines of the next strip are fetched, from `line` on. */
NS_AVX512 NS_INLINE void
multiply_rows (const Strip *s, gsize rows, const float *x, gsize row, gsize column, float *y, gsize ldy, gsize line)
{
  const __m512 alpha = _mm512_set1_ps (s->alpha), beta = _mm512_set1_ps (s->adds ? 1 : s->beta);
  const float *strip = s->strip;
  __m512 sums[ROWS][VECTORS] = { 0 };

  for (gsize k = 0; k < s->depth; k++, strip += WIDTH)
    {
      __m512 u[VECTORS];

      fetch (s, line + k);
#pragma GCC unroll 4
      for (gsize j = 0; j < VECTORS; j++)
        u[j] = _mm512_load_ps (strip + j * NS_VECTOR);
#pragma GCC unroll 4
      for (gsize i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (gsize j = 0; j < VECTORS; j++)
          sums[i][j] = _mm512_fmadd_ps (_mm512_set1_ps (x[i * row + k * column]), u[j], sums[i][j]);
    }
#pragma GCC unroll 4
  for (gsize i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (gsize j = 0; j < VECTORS; j++)
      {
        float *to = y + i * ldy + j * NS_VECTOR;
        __m512 product = _mm512_mul_ps (alpha, sums[i][j]);

        if (s->adds || s->beta != 0)
          product = _mm512_fmadd_ps (beta, _mm512_maskz_loadu_ps (s->masks[j], to), product);
        _mm512_mask_storeu_ps (to, s->masks[j], product);
      }
}

NS_AVX512 NS_INLINE void
multiply_strip (const Strip *s, gsize N, const float *x, gsize row, gsize column, float *y, gsize ldy)
{
  gsize n = 0;

  for (; n + ROWS <= N; n += ROWS)
    multiply_rows (s, ROWS, x + n * row, row, column, y + n * ldy, ldy, n / ROWS * DEPTH);
  if (N & 2)
    multiply_rows (s, 2, x + n * row, row, column, y + n * ldy, ldy, LINES);
  n += N & 2;
  if (N & 1)
    multiply_rows (s, 1, x + n * row, row, column, y + n * ldy, ldy, LINES);
}

/* Return the first of the weights of a strip. */
NS_AVX512 NS_INLINE const float *
get_weights (const NsProduct *p, gsize k, gsize c)
{
  return p->u + (p->u_transposed ? c * p->ldu + k : k * p->ldu + c);
}

/* Add the products of rows first … end − 1 of u to all columns of y. */
NS_AVX512 NS_INLINE void
multiply (const NsProduct *p, gsize first, gsize end)
{
  Strip s;

  s.alpha = (float) p->alpha;
  s.beta = (float) p->beta;
  s.ld_next = p->ldu;
  s.line_bits = p->u_transposed ? 3 : 2; /* DEPTH or WIDTH in lines */
  for (gsize c = 0; c < p->columns; c += WIDTH)
    {
      gsize n = MIN (p->columns - c, WIDTH);

      for (gsize j = 0; j < VECTORS; j++)
        s.masks[j] = (__mmask16) ((1u << (n > j * NS_VECTOR ? MIN (n - j * NS_VECTOR, NS_VECTOR) : 0)) - 1);
      for (gsize k = first; k < end; k += DEPTH)
        {
          s.adds = k > 0;
          s.depth = MIN (end - k, DEPTH);
          s.next = k + DEPTH < end          ? get_weights (p, k + DEPTH, c)
                   : c + WIDTH < p->columns ? get_weights (p, first, c + WIDTH)
                                            : NULL;
          if (p->u_transposed)
            copy_transposed (&s, get_weights (p, k, c), p->ldu, n);
          else
            copy (&s, get_weights (p, k, c), p->ldu);
          if (p->x_transposed)
            multiply_strip (&s, p->N, p->x + k * p->ldx, 1, p->ldx, p->y + c, p->ldy);
          else
            multiply_strip (&s, p->N, p->x + k, p->ldx, 1, p->y + c, p->ldy);
        }
    }
}

NS_AVX512 void
ns_product_tiles (const NsProduct *p)
{
  gsize step = MAX (MAX_X / p->N / DEPTH, 1) * DEPTH;

  for (gsize k = 0; k < p->depth; k += step)
    multiply (p, k, MIN (k + step, p->depth));
}

#else

gboolean
ns_product_tiles_are_supported (void)
{
  return FALSE;
}

void
ns_product_tiles (const NsProduct *p G_GNUC_UNUSED)
{
  g_assert_not_reached ();
}

#endif
