/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-random.h"

#include "engine/ops/ns-real.h"

#include <Random123/philox.h>
#include <string.h>

#ifdef NS_HAS_V4
#include <immintrin.h>
#endif

#define GROUP 64    /* elements of a group */
#define COUNTERS 16 /* counters of a group, one vector wide */

/* ---- Philox 4x32-10, sixteen counters at a time ---- */

NS_INLINE void
philox (guint32 key0, guint32 key1, guint32 c[4])
{
#pragma GCC unroll 10
  for (guint32 round = 0; round < 10; round++)
    {
      guint32 h0 = (guint32) (((guint64) 0xD2511F53u * c[0]) >> 32), l0 = 0xD2511F53u * c[0];
      guint32 h1 = (guint32) (((guint64) 0xCD9E8D57u * c[2]) >> 32), l1 = 0xCD9E8D57u * c[2];

      c[0] = h1 ^ c[1] ^ (key0 + round * 0x9E3779B9u);
      c[1] = l1;
      c[2] = h0 ^ c[3] ^ (key1 + round * 0xBB67AE85u);
      c[3] = l0;
    }
}

NS_INLINE void
philox_group (NsRandomKey key, guint64 group, guint32 word[4][COUNTERS])
{
  guint64 first = group * COUNTERS;
  guint32 k0 = (guint32) key.seed, k1 = (guint32) (key.seed >> 32), low = (guint32) first,
          high = (guint32) (first >> 32);

  for (guint32 i = 0; i < COUNTERS; i++)
    {
      /* low is a multiple of 16, so that adding i < 16 never carries into high */
      guint32 c[4] = { low + i, high, key.block, key.stream };

      philox (k0, k1, c);
      word[0][i] = c[0];
      word[1][i] = c[1];
      word[2][i] = c[2];
      word[3][i] = c[3];
    }
}

/* ---- from 32 random bits to a number ---- */

NS_INLINE float
float_from_bits (guint32 bits)
{
  float f;
  memcpy (&f, &bits, sizeof f);
  return f;
}

NS_INLINE guint32
bits_from_float (float f)
{
  guint32 bits;
  memcpy (&bits, &f, sizeof bits);
  return bits;
}

/* u in (0, 1), symmetric about 1/2: (23 bits + ½)·2^-23, exact in a float. */
NS_INLINE float
unit_open (guint32 word)
{
  return ((float) (gint32) (word >> 9) + 0.5f) * 0x1p-23f;
}

/* ln u for a normal u > 0: u = m·2^e with m in [√½, √2), then 2·artanh ((m − 1)/(m + 1)) by its series;
 * |s| <= 0.1716, so the first term left out is below 2^-29. */
NS_INLINE float
log_unit (float u)
{
  guint32 bits = bits_from_float (u) - 0x3F3504F3u; /* √½ */
  gint32 e = (gint32) bits >> 23;
  float m = float_from_bits ((bits & 0x007FFFFFu) + 0x3F3504F3u);
  float s = (m - 1.0f) / (m + 1.0f), s2 = s * s;
  float series = 2.0f + s2 * (0.66666667f + s2 * (0.4f + s2 * (0.28571429f + s2 * 0.22222222f)));

  return (float) e * 0.69314718f + s * series;
}

/* cos and sin of 2π·word/2^32. The quadrant is taken off in whole numbers, so no digit is lost; then the Taylor series
 * of sin and cos (π/2·f), |f| <= 1/2. */
NS_INLINE void
cos_sin_turn (guint32 word, float *cosine, float *sine)
{
  guint32 quadrant = (word + 0x20000000u) >> 30;
  float f = (float) (gint32) (word - (quadrant << 30)) * 0x1p-30f;
  float t = f * f;
  float s = f * (1.57079633f + t * (-0.645964098f + t * (0.0796926263f + t * (-0.00468175414f + t * 0.000160441185f))));
  float c =
      1.0f
      + t * (-1.23370055f + t * (0.253669508f + t * (-0.0208634807f + t * (0.000919260275f + t * -2.52020424e-5f))));
  float a = (quadrant & 1) ? s : c, b = (quadrant & 1) ? c : s;

  /* quadrants 0 1 2 3: cos = c, −s, −c, s; sin = s, c, −s, −c */
  *cosine = ((quadrant + 1) & 2) ? -a : a;
  *sine = (quadrant & 2) ? -b : b;
}

/* Box–Muller: two words give two independent numbers from N(0, 1). */
NS_INLINE void
normal_pair (guint32 w0, guint32 w1, float *a, float *b)
{
  float r = sqrtf (-2.0f * log_unit (unit_open (w0)));
  float c, s;

  cos_sin_turn (w1, &c, &s);
  *a = r * c;
  *b = r * s;
}

/* Uniform in (−√3, √3): variance 1. */
NS_INLINE float
unit_uniform (guint32 word)
{
  return (2.0f * unit_open (word) - 1.0f) * 1.73205081f;
}

/* ---- whole groups ---- */

NS_INLINE void
convert_group (guint32 word[4][COUNTERS], NsDistribution distribution, float *restrict out)
{
  if (distribution == NS_DISTRIBUTION_NORMAL)
    for (int half = 0; half < 2; half++)
      for (int i = 0; i < COUNTERS; i++)
        normal_pair (word[2 * half][i], word[2 * half + 1][i], &out[32 * half + i], &out[32 * half + 16 + i]);
  else
    for (int w = 0; w < 4; w++)
      for (int i = 0; i < COUNTERS; i++)
        out[16 * w + i] = unit_uniform (word[w][i]);
}

/* Return the normal number of one element. */
static float
normal_element (NsRandomKey key, guint64 element)
{
  guint64 counter = element / GROUP * COUNTERS + element % COUNTERS;
  guint32 c[4] = { (guint32) counter, (guint32) (counter >> 32), key.block, key.stream };
  guint w = (guint) (element % GROUP / COUNTERS);
  float pair[2];

  philox ((guint32) key.seed, (guint32) (key.seed >> 32), c);
  normal_pair (c[w & 2], c[(w & 2) + 1], &pair[0], &pair[1]);
  return pair[w & 1];
}

/* Draw an element again, from other streams, until it is within the bounds. */
static float
draw_again (NsRandomKey key, guint64 element)
{
  float x = 0;

  for (guint32 a = 1; a < 256; a++)
    {
      key.stream += 1u << 24;
      x = normal_element (key, element);
      if (fabsf (x) <= key.truncate)
        return x;
    }
  return 0; /* for one number in 10^53 at the smallest bounds */
}

/* Draw the elements of groups again that lie beyond the bounds. */
static void
truncate_groups (NsRandomKey key, guint64 group, gsize n_groups, float *out)
{
  for (gsize i = 0; i < n_groups * GROUP; i++)
    if (fabsf (out[i]) > key.truncate)
      out[i] = draw_again (key, group * GROUP + i);
}

NS_SIMD static void
fill_groups_anywhere (NsRandomKey key, NsDistribution distribution, guint64 group, gsize n_groups, float *out)
{
  guint32 word[4][COUNTERS];

  for (gsize g = 0; g < n_groups; g++)
    {
      philox_group (key, group + g, word);
      convert_group (word, distribution, out + g * GROUP);
    }
}

#ifdef NS_HAS_V4

typedef guint64 Words __attribute__ ((vector_size (64))); /* in the lower halves */
typedef guint32 Words32 __attribute__ ((vector_size (32), aligned (4), may_alias));

/* Return the products of the lower halves. (The form with a mask: GCC 12 warns of the one without.) */
NS_V4 NS_INLINE Words
multiply_words (Words a, Words b)
{
  return (Words) _mm512_maskz_mul_epu32 (0xff, (__m512i) a, (__m512i) b);
}

/* The same words. GCC does not see that the factors have 32 bits, and products of 64 bits take three times as long.
 * Here a lane of 64 bits has a word in its lower half; what the upper half has does not count. */
NS_V4 NS_INLINE void
philox_group_v4 (NsRandomKey key, guint64 group, guint32 word[4][COUNTERS])
{
  const Words count = { 0, 1, 2, 3, 4, 5, 6, 7 }, zero = { 0 }, m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;
  guint32 key0 = (guint32) key.seed, key1 = (guint32) (key.seed >> 32);
  guint64 first = group * COUNTERS;

  for (int i = 0; i < COUNTERS; i += 8)
    {
      Words c[4] = { count + first + (guint64) i, zero + (first >> 32), zero + key.block, zero + key.stream };

#pragma GCC unroll 10
      for (guint32 round = 0; round < 10; round++)
        {
          Words p0 = multiply_words (m0, c[0]), p1 = multiply_words (m1, c[2]);

          c[0] = p1 >> 32 ^ c[1] ^ (guint64) (key0 + round * 0x9E3779B9u);
          c[1] = p1;
          c[2] = p0 >> 32 ^ c[3] ^ (guint64) (key1 + round * 0xBB67AE85u);
          c[3] = p0;
        }
      for (int w = 0; w < 4; w++)
        *(Words32 *) &word[w][i] = __builtin_convertvector(c[w], Words32);
    }
}

NS_V4 static void
fill_groups_v4 (NsRandomKey key, NsDistribution distribution, guint64 group, gsize n_groups, float *out)
{
  guint32 word[4][COUNTERS];

  for (gsize g = 0; g < n_groups; g++)
    {
      philox_group_v4 (key, group + g, word);
      convert_group (word, distribution, out + g * GROUP);
    }
}

#endif

static void
fill_groups (NsRandomKey key, NsDistribution distribution, guint64 group, gsize n_groups, float *out)
{
#ifdef NS_HAS_V4
  if (ns_has_v4 ())
    fill_groups_v4 (key, distribution, group, n_groups, out);
  else
#endif
    fill_groups_anywhere (key, distribution, group, n_groups, out);
  if (distribution == NS_DISTRIBUTION_NORMAL && key.truncate > 0)
    truncate_groups (key, group, n_groups, out);
}

static void
fill_elements (NsRandomKey key, NsDistribution distribution, guint64 first, gsize n, float *out)
{
  float edge[GROUP];

  while (n > 0)
    {
      guint64 group = first / GROUP;
      gsize offset = first % GROUP, take;

      if (offset == 0 && n >= GROUP)
        {
          take = n / GROUP * GROUP;
          fill_groups (key, distribution, group, n / GROUP, out);
        }
      else
        {
          take = MIN (n, GROUP - offset);
          fill_groups (key, distribution, group, 1, edge);
          memcpy (out, edge + offset, take * sizeof *out);
        }
      first += take;
      out += take;
      n -= take;
    }
}

/* Return what scales a row to the root mean square 1. */
static float
get_row_factor (NsRandomKey key, NsDistribution distribution, guint64 row)
{
  float part[1024];
  double sum2 = 0;

  for (gsize done = 0; done < key.row;)
    {
      gsize take = MIN (key.row - done, G_N_ELEMENTS (part));

      fill_elements (key, distribution, row * key.row + done, take, part);
      for (gsize i = 0; i < take; i++)
        sum2 += (double) part[i] * part[i];
      done += take;
    }
  return (float) sqrt (key.row / sum2);
}

void
ns_random_fill (NsRandomKey key, NsDistribution distribution, guint64 first, gsize n, float *out)
{
  if (key.row == 0)
    {
      fill_elements (key, distribution, first, n, out);
      return;
    }
  while (n > 0)
    {
      gsize take = MIN (n, key.row - (gsize) (first % key.row));
      float factor = get_row_factor (key, distribution, first / key.row);

      fill_elements (key, distribution, first, take, out);
      for (gsize i = 0; i < take; i++)
        out[i] *= factor;
      first += take;
      out += take;
      n -= take;
    }
}

/* Draw one element of a stream. */
static float
draw_plain (NsRandomKey key, NsDistribution distribution, guint64 element)
{
  philox4x32_key_t k = { { (guint32) key.seed, (guint32) (key.seed >> 32) } };
  guint64 counter = element / GROUP * COUNTERS + element % COUNTERS;
  int w = (int) (element % GROUP / COUNTERS);
  philox4x32_ctr_t c = { { (guint32) counter, (guint32) (counter >> 32), key.block, key.stream } };
  philox4x32_ctr_t r = philox4x32 (c, k);
  float pair[2];

  if (distribution == NS_DISTRIBUTION_UNIFORM)
    return unit_uniform (r.v[w]);
  normal_pair (r.v[w & 2], r.v[(w & 2) + 1], &pair[0], &pair[1]);
  return pair[w & 1];
}

void
ns_random_fill_plain (NsRandomKey key, NsDistribution distribution, guint64 first, gsize n, float *out)
{
  for (gsize j = 0; j < n; j++)
    {
      NsRandomKey own = key;

      out[j] = draw_plain (own, distribution, first + j);
      while (distribution == NS_DISTRIBUTION_NORMAL && key.truncate > 0 && fabsf (out[j]) > key.truncate)
        {
          own.stream += 1u << 24;
          out[j] = draw_plain (own, distribution, first + j);
        }
    }
}

void
ns_random_ids (NsRandomKey key, guint64 first, gsize n, guint32 bound, gint32 *out)
{
  guint32 word[4][COUNTERS];

  for (gsize j = 0; j < n; j++)
    {
      guint64 element = first + j;

      if (j == 0 || element % GROUP == 0)
        philox_group (key, element / GROUP, word);
      out[j] = (gint32) (((guint64) word[element % GROUP / COUNTERS][element % COUNTERS] * bound) >> 32);
    }
}
