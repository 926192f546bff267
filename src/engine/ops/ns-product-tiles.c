/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-product-tiles.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(NS_DOUBLE)

#include "engine/ops/ns-blas.h"
#include "engine/ops/ns-tiles-private.h"

#define VECTORS 4                     /* of a tile's rows */
#define WIDTH   (VECTORS * NS_VECTOR) /* columns of a strip */
#define STRIP_DEPTH   128                   /* rows of a strip: 32 KiB, of the 48 of the first cache */
#define HALF    (STRIP_DEPTH / 2)           /* also the rows of transposed weights of a strip */
#define MAX_X   ((gsize) 1 << 16)     /* numbers of x that all strips read: 256 KiB, within a core's cache */
#define TILE_ROWS    6 /* of a tile: 24 sums at a time, of 32 registers */

typedef struct
{
  float alpha, beta;
  __mmask16 masks[VECTORS]; /* the columns that there are */
  gboolean adds;            /* to the sums before, of the strip above */
  gsize depth;
  const float *next;        /* the weights of the next strip, which come into the cache meanwhile; NULL: none */
  gsize ld_next;            /* of their rows */
  gboolean is_transposed;   /* of those weights WIDTH rows and DEPTH columns, not the other way round */
  float strip[STRIP_DEPTH * WIDTH] __attribute__ ((aligned (64))); /* [depth, WIDTH] */
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

/* Where the lines of the next strip are that come into the cache during one HALF of a tile's depth. */
typedef struct
{
  const float *line;
  gsize step;
} Fetch;

G_STATIC_ASSERT (HALF == WIDTH);

/* Return that of a half of the tile-th tile. The rows of the next strip's weights are cut into columns of one line: the
 * first tiles fetch a column of DEPTH rows each, or two of HALF rows; later ones read a line that is there. */
NS_AVX512 NS_INLINE Fetch
get_fetch (const Strip *s, gsize tile, gsize first)
{
  if (s->next == NULL || tile >= VECTORS)
    return (Fetch){ s->strip, 0 };
  if (s->is_transposed)
    return (Fetch){ s->next + (2 * tile + first / HALF) * NS_VECTOR, s->ld_next };
  return (Fetch){ s->next + first * s->ld_next + tile * NS_VECTOR, s->ld_next };
}

/* y = alpha·x·strip + beta·y, or y += alpha·x·strip, of a few rows; the sums stay in registers. Rows of x are `row`
 * apart, its columns `column`. */
NS_AVX512 NS_INLINE void
multiply_rows (const Strip *s, gsize tile, gsize rows, const float *x, gsize row, gsize column, float *y, gsize ldy)
{
  const float *strip = s->strip;
  __m512 sums[TILE_ROWS][VECTORS] = { 0 };

  for (gsize first = 0; first < s->depth; first += HALF)
    {
      Fetch fetch = get_fetch (s, tile, first);

      for (gsize k = 0; k < MIN (HALF, s->depth - first); k++, strip += WIDTH, x += column, fetch.line += fetch.step)
        {
          __m512 u[VECTORS];

          _mm_prefetch ((const char *) fetch.line, _MM_HINT_T0);
#pragma GCC unroll 4
          for (gsize j = 0; j < VECTORS; j++)
            u[j] = _mm512_load_ps (strip + j * NS_VECTOR);
#pragma GCC unroll 6
          for (gsize i = 0; i < rows; i++)
            {
              __m512 factor = _mm512_set1_ps (x[i * row]);

#pragma GCC unroll 4
              for (gsize j = 0; j < VECTORS; j++)
                sums[i][j] = _mm512_fmadd_ps (factor, u[j], sums[i][j]);
            }
        }
    }
#pragma GCC unroll 6
  for (gsize i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (gsize j = 0; j < VECTORS; j++)
      {
        float *to = y + i * ldy + j * NS_VECTOR;
        __m512 product = _mm512_mul_ps (_mm512_set1_ps (s->alpha), sums[i][j]);

        if (s->adds || s->beta != 0)
          product = _mm512_fmadd_ps (_mm512_set1_ps (s->adds ? 1 : s->beta),
                                     _mm512_maskz_loadu_ps (s->masks[j], to), product);
        _mm512_mask_storeu_ps (to, s->masks[j], product);
      }
}

NS_AVX512 NS_INLINE void
multiply_strip (const Strip *s, gsize N, const float *x, gsize row, gsize column, float *y, gsize ldy)
{
  gsize n = 0;

  for (; n + TILE_ROWS <= N; n += TILE_ROWS)
    multiply_rows (s, n / TILE_ROWS, TILE_ROWS, x + n * row, row, column, y + n * ldy, ldy);
  if ((N - n) & 4)
    multiply_rows (s, n / TILE_ROWS, 4, x + n * row, row, column, y + n * ldy, ldy);
  n += (N - n) & 4;
  /* the rest fetches nothing */
  if ((N - n) & 2)
    multiply_rows (s, VECTORS, 2, x + n * row, row, column, y + n * ldy, ldy);
  n += (N - n) & 2;
  if ((N - n) & 1)
    multiply_rows (s, VECTORS, 1, x + n * row, row, column, y + n * ldy, ldy);
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
  s.is_transposed = p->u_transposed;
  for (gsize c = 0; c < p->columns; c += WIDTH)
    {
      gsize n = MIN (p->columns - c, WIDTH);

      for (gsize j = 0; j < VECTORS; j++)
        s.masks[j] = (__mmask16) ((1u << (n > j * NS_VECTOR ? MIN (n - j * NS_VECTOR, NS_VECTOR) : 0)) - 1);
      for (gsize k = first; k < end; k += STRIP_DEPTH)
        {
          s.adds = k > 0;
          s.depth = MIN (end - k, STRIP_DEPTH);
          s.next = k + STRIP_DEPTH < end          ? get_weights (p, k + STRIP_DEPTH, c)
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
  gsize step = MAX (MAX_X / p->N / STRIP_DEPTH, 1) * STRIP_DEPTH;

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
