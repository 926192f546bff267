/* Test the random numbers: published values of Philox, the vector code against the plain code, and the
 * distributions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-random.h"
#include "tests.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the generator itself ---- */

/* Values published by the authors of Philox for 4x32-10: counter, key, output. */
static const guint32 known[][10] = {
  { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
  { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
    0x6d5451fd },
  { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
    0x24126ea1 },
};

/* Return the upper 24 bits of the word behind an element: an id with the bound 2^24. */
static guint32
upper_bits (NsRandomKey key, guint64 element)
{
  gint32 id;

  ns_random_ids (key, element, 1, 1u << 24, &id);
  return (guint32) id;
}

static void
test_known_answers (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      const guint32 *k = known[i];
      philox4x32_ctr_t words = { { k[0], k[1], k[2], k[3] } };
      philox4x32_key_t seed = { { k[4], k[5] } };
      philox4x32_ctr_t out = philox4x32 (words, seed);
      NsRandomKey key = { k[4] | (guint64) k[5] << 32, k[2], k[3], 0, 0 };
      guint64 counter = k[0] | (guint64) k[1] << 32, first = counter / 16 * 64 + counter % 16;

      for (guint w = 0; w < 4; w++)
        g_assert_cmphex (out.v[w], ==, k[6 + w]);
      /* larger counters belong to no element, since elements have 64 bits themselves */
      if (counter < G_MAXUINT64 / 64 * 16)
        for (guint w = 0; w < 4; w++)
          g_assert_cmphex (upper_bits (key, first + 16 * w), ==, k[6 + w] >> 8);
    }
}

/* Element 0 of key 0, computed by hand in double from the published words. */
static void
test_first_numbers (void)
{
  NsRandomKey key = { 0, 0, 0, 0, 0 };
  float normal[64], uniform[64];
  double u = ((double) (known[0][6] >> 9) + 0.5) / 8388608, turn = (double) known[0][7] / 4294967296.0;
  double r = sqrt (-2 * log (u));

  ns_random_fill (key, NS_DISTRIBUTION_NORMAL, 0, 64, normal);
  ns_random_fill (key, NS_DISTRIBUTION_UNIFORM, 0, 64, uniform);
  g_assert_cmpfloat_with_epsilon (normal[0], r * cos (2 * G_PI * turn), 2e-6);
  g_assert_cmpfloat_with_epsilon (normal[16], r * sin (2 * G_PI * turn), 2e-6);
  for (int w = 0; w < 4; w++)
    g_assert_cmpfloat_with_epsilon (uniform[16 * w], sqrt (3) * ((double) known[0][6 + w] / 2147483648.0 - 1), 1e-6);
}

/* ---- the fast generator against the plain one ---- */

static guint
count_different (NsRandomKey key, guint32 plain_block, NsDistribution distribution, guint64 first, gsize n)
{
  g_autofree float *fast = g_new0 (float, n + 1), *plain = g_new0 (float, n + 1);
  NsRandomKey plain_key = { key.seed, plain_block, key.stream, key.truncate, 0 };
  guint different = 0;

  fast[n] = plain[n] = 77;
  ns_random_fill (key, distribution, first, n, fast);
  ns_random_fill_plain (plain_key, distribution, first, n, plain);
  for (gsize i = 0; i <= n; i++)
    different += memcmp (&fast[i], &plain[i], sizeof *fast) != 0;
  return different;
}

static void
test_fast_is_plain (void)
{
  const guint64 far[] = { 0, (guint64) 1 << 32, ((guint64) 1 << 34) - 100, ((guint64) 1 << 40) + 12345 };
  const NsRandomKey keys[]
      = { { 0, 0, 0, 0, 0 }, { 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0 },
          { (guint64) 5 << 32 | 7, 12, 66, 0, 0 }, { 8, 3, 4, 2, 0 }, { 9, 3, 65, NS_TRUNCATE_MIN, 0 } };

  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    for (int d = NS_DISTRIBUTION_NORMAL; d <= NS_DISTRIBUTION_UNIFORM; d++)
      {
        for (guint64 offset = 0; offset < 70; offset++)
          for (gsize n = 0; n < 200; n += offset % 64 < 3 ? 1 : 13)
            g_assert_cmpuint (count_different (keys[k], keys[k].block, (NsDistribution) d, offset, n), ==, 0);
        for (gsize f = 0; f < G_N_ELEMENTS (far); f++)
          g_assert_cmpuint (count_different (keys[k], keys[k].block, (NsDistribution) d, far[f], 1000), ==, 0);
        g_assert_cmpuint (count_different (keys[k], keys[k].block, (NsDistribution) d, 3, 200000), ==, 0);
        /* the comparison detects a difference */
        g_assert_cmpuint (count_different (keys[k], keys[k].block ^ 1, (NsDistribution) d, 0, 100), >=, 95);
      }
}

/* Seeds keep their weights in every version, so these numbers must never change. */
static void
test_pinned (void)
{
  const struct
  {
    NsRandomKey key;
    guint64 element;
    guint32 normal, uniform;
  } pinned[] = {
    { { 0, 0, 0, 0, 0 }, 0, 0x3f7dbb31, 0xbeb30d9d },
    { { 1, 7, 3, 0, 0 }, 12345, 0x3fb36f9b, 0xbf0bb7a6 },
    { { (guint64) 1 << 52, 65536, 66, 0, 0 }, ((guint64) 1 << 36) + 17, 0xbfafbb78, 0x3fa962ce },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pinned); i++)
    {
      float normal, uniform;
      guint32 bits[2];

      ns_random_fill (pinned[i].key, NS_DISTRIBUTION_NORMAL, pinned[i].element, 1, &normal);
      ns_random_fill (pinned[i].key, NS_DISTRIBUTION_UNIFORM, pinned[i].element, 1, &uniform);
      memcpy (&bits[0], &normal, 4);
      memcpy (&bits[1], &uniform, 4);
      g_test_message ("%#x, %#x", bits[0], bits[1]);
      g_assert_cmphex (bits[0], ==, pinned[i].normal);
      g_assert_cmphex (bits[1], ==, pinned[i].uniform);
    }
}

/* ---- distributions ---- */

#define SAMPLES ((gsize) 1 << 20)

static float *
draw (NsRandomKey key, NsDistribution distribution)
{
  float *x = g_new (float, SAMPLES);

  ns_random_fill (key, distribution, 0, SAMPLES, x);
  return x;
}

static int
compare_floats (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

static float *
sort (const float *x)
{
  float *sorted = g_memdup2 (x, SAMPLES * sizeof *x);

  qsort (sorted, SAMPLES, sizeof *sorted, compare_floats);
  return sorted;
}

/* Return √n·sup |F_n − F|. It exceeds 1.95 for one in a thousand samples from F (Kolmogorov). */
static double
kolmogorov (const float *sorted, double scale, double shift, NsDistribution distribution)
{
  double n = (double) SAMPLES, worst = 0;

  for (gsize i = 0; i < SAMPLES; i++)
    {
      double v = sorted[i] * scale + shift;
      double F = distribution == NS_DISTRIBUTION_NORMAL ? 0.5 * erfc (-v / sqrt (2)) : 0.5 + v / (2 * sqrt (3));

      worst = fmax (worst, fmax (fabs (F - (double) i / n), fabs (F - ((double) i + 1) / n)));
    }
  return worst * sqrt (n);
}

/* Return the distance of the mean of x^power from its expected value, in standard errors. */
static double
moment_error (const float *x, int power, double expected, double expected_of_square)
{
  double sum = 0;

  for (gsize i = 0; i < SAMPLES; i++)
    {
      double moment = x[i];

      for (int k = 1; k < power; k++)
        moment *= x[i];
      sum += moment;
    }
  return (sum / (double) SAMPLES - expected) / sqrt ((expected_of_square - expected * expected) / (double) SAMPLES);
}

static void
test_normal (void)
{
  for (guint32 block = 0; block < 4; block++)
    {
      g_autofree float *x = draw ((NsRandomKey){ 11, block, NS_STREAM_W_1, 0, 0 }, NS_DISTRIBUTION_NORMAL);
      g_autofree float *sorted = sort (x);
      double largest = 0;

      g_assert_cmpfloat (fabs (moment_error (x, 1, 0, 1)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 2, 1, 3)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 3, 0, 15)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 4, 3, 105)), <, 4);
      g_assert_cmpfloat (kolmogorov (sorted, 1, 0, NS_DISTRIBUTION_NORMAL), <, 1.95);
      for (gsize i = 0; i < SAMPLES; i++)
        largest = fmax (largest, fabs (x[i]));
      g_assert_cmpfloat (largest, >, 4.2); /* the tails exist, and end at the resolution of 23 bits */
      g_assert_cmpfloat (largest, <, 5.8);
      /* a scale off by 1 % and the wrong distribution are detected */
      g_assert_cmpfloat (kolmogorov (sorted, 1.01, 0, NS_DISTRIBUTION_NORMAL), >, 1.95);
      g_assert_cmpfloat (kolmogorov (sorted, 1, 0.005, NS_DISTRIBUTION_NORMAL), >, 1.95);
      g_assert_cmpfloat (fabs (moment_error (x, 4, 3.1, 105)), >, 4);
    }
}

/* ---- truncated normal numbers ---- */

/* Return E x^n of N(0, 1) between ±k, n even: m_n = (n − 1)·m_(n−2) − 2·k^(n−1)·φ(k)/(2Φ(k) − 1), m_0 = 1. */
static double
truncated_moment (double k, int n)
{
  double phi = exp (-k * k / 2) / sqrt (2 * G_PI), inside = erf (k / sqrt (2));

  return n == 0 ? 1 : (n - 1) * truncated_moment (k, n - 2) - 2 * pow (k, n - 1) * phi / inside;
}

/* Return √n·sup |F_n − F| for N(0, 1) between ±k. */
static double
kolmogorov_truncated (const float *x, double k)
{
  g_autofree float *sorted = sort (x);
  double n = (double) SAMPLES, worst = 0, inside = erf (k / sqrt (2));

  for (gsize i = 0; i < SAMPLES; i++)
    {
      double F = CLAMP (0.5 + 0.5 * erf (sorted[i] / sqrt (2)) / inside, 0, 1);

      worst = fmax (worst, fmax (fabs (F - (double) i / n), fabs (F - ((double) i + 1) / n)));
    }
  return worst * sqrt (n);
}

static gsize
count_same (const float *x, const float *y)
{
  gsize same = 0;

  for (gsize i = 0; i < SAMPLES; i++)
    same += x[i] == y[i];
  return same;
}

static void
test_truncated (void)
{
  const float bounds[] = { NS_TRUNCATE_MIN, 1, 2, 3 };

  for (guint b = 0; b < G_N_ELEMENTS (bounds); b++)
    {
      float k = bounds[b];
      g_autofree float *x = draw ((NsRandomKey){ 13, b, NS_STREAM_W_1, k, 0 }, NS_DISTRIBUTION_NORMAL);
      g_autofree float *whole = draw ((NsRandomKey){ 13, b, NS_STREAM_W_1, 0, 0 }, NS_DISTRIBUTION_NORMAL);
      g_autofree float *clamped = g_memdup2 (whole, SAMPLES * sizeof *whole);
      g_autofree float *uniform = draw ((NsRandomKey){ 13, b, NS_STREAM_W_1, k, 0 }, NS_DISTRIBUTION_UNIFORM);
      g_autofree float *all = draw ((NsRandomKey){ 13, b, NS_STREAM_W_1, 0, 0 }, NS_DISTRIBUTION_UNIFORM);
      double inside = erf (k / sqrt (2)), m2 = truncated_moment (k, 2), m4 = truncated_moment (k, 4);

      for (gsize i = 0; i < SAMPLES; i++)
        {
          g_assert_cmpfloat (fabsf (x[i]), <=, k);
          /* numbers within the bounds stay as they are */
          g_assert_true (fabsf (whole[i]) > k || x[i] == whole[i]);
          clamped[i] = CLAMP (whole[i], -k, k);
        }
      g_assert_cmpfloat (fabs ((double) count_same (x, whole) - inside * SAMPLES), <, 2500);
      g_assert_cmpfloat (fabs (moment_error (x, 1, 0, m2)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 2, m2, m4)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 3, 0, truncated_moment (k, 6))), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 4, m4, truncated_moment (k, 8))), <, 4);
      g_assert_cmpfloat (kolmogorov_truncated (x, k), <, 1.95);
      /* numbers moved to the bounds, or not truncated, are detected */
      g_assert_cmpfloat (fabs (moment_error (clamped, 2, m2, m4)), >, 4);
      g_assert_cmpfloat (fabs (moment_error (whole, 2, m2, m4)), >, 4);
      if (k < 3)
        g_assert_cmpfloat (kolmogorov_truncated (whole, k), >, 1.95);
      /* uniform numbers have no bounds */
      g_assert_cmpuint (count_same (uniform, all), ==, SAMPLES);
    }
  /* the published standard deviations: 0.880 at 2, 0.987 at 3 */
  g_assert_cmpfloat_with_epsilon (sqrt (truncated_moment (2, 2)), 0.87962566103423978, 1e-12);
  g_assert_cmpfloat_with_epsilon (sqrt (truncated_moment (3, 2)), 0.9866, 5e-5);
}

static void
test_uniform (void)
{
  for (guint32 block = 0; block < 4; block++)
    {
      g_autofree float *x = draw ((NsRandomKey){ 12, block, NS_STREAM_W_2, 0, 0 }, NS_DISTRIBUTION_UNIFORM);
      g_autofree float *sorted = sort (x);

      g_assert_cmpfloat (fabs (moment_error (x, 1, 0, 1)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 2, 1, 9.0 / 5)), <, 4);
      g_assert_cmpfloat (fabs (moment_error (x, 4, 9.0 / 5, 9)), <, 4);
      g_assert_cmpfloat (kolmogorov (sorted, 1, 0, NS_DISTRIBUTION_UNIFORM), <, 1.95);
      g_assert_cmpfloat (kolmogorov (sorted, 1.01, 0, NS_DISTRIBUTION_UNIFORM), >, 1.95);
      for (gsize i = 0; i < SAMPLES; i++)
        g_assert_cmpfloat (fabs (x[i]), <, 1.7320509);
    }
}

/* Return √n times the correlation of two samples; N(0, 1) if they are independent. */
static double
correlation (const float *x, const float *y, gsize n)
{
  double xy = 0, xx = 0, yy = 0;

  for (gsize i = 0; i < n; i++)
    {
      xy += (double) x[i] * y[i];
      xx += (double) x[i] * x[i];
      yy += (double) y[i] * y[i];
    }
  return xy / sqrt (xx * yy) * sqrt ((double) n);
}

static float *
squares (const float *x)
{
  float *y = g_new (float, SAMPLES);

  for (gsize i = 0; i < SAMPLES; i++)
    y[i] = x[i] * x[i] - 1;
  return y;
}

/* Rows have the root mean square 1 and the directions of the plain numbers; a part of a row is that of the whole. */
static void
test_rows (void)
{
  const gsize sizes[] = { 1, 7, 64, 100, 1500 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const gsize n = sizes[i], rows = 5, all = rows * n;
      const NsRandomKey plain_key = { 21, 2, NS_STREAM_W_2, 0, 0 }, key = { 21, 2, NS_STREAM_W_2, 0, (guint32) n };
      g_autofree float *plain = g_new (float, all), *x = g_new (float, all), *part = g_new (float, all);

      ns_random_fill (plain_key, NS_DISTRIBUTION_NORMAL, 0, all, plain);
      ns_random_fill (key, NS_DISTRIBUTION_NORMAL, 0, all, x);
      for (gsize r = 0; r < rows; r++)
        {
          double sum2 = 0, plain2 = 0;

          for (gsize j = r * n; j < (r + 1) * n; j++)
            {
              sum2 += (double) x[j] * x[j];
              plain2 += (double) plain[j] * plain[j];
            }
          g_assert_cmpfloat (fabs (sum2 / (double) n - 1), <, 1e-6);
          for (gsize j = r * n; j < (r + 1) * n; j++)
            g_assert_cmpfloat (fabs (x[j] - plain[j] * sqrt ((double) n / plain2)), <, 1e-6 * fabs (x[j]));
        }
      for (gsize first = 0; first < all; first += n / 3 + 1)
        {
          ns_random_fill (key, NS_DISTRIBUTION_NORMAL, first, all - first, part);
          g_assert_cmpint (memcmp (part, x + first, (all - first) * sizeof *x), ==, 0);
          ns_random_fill (key, NS_DISTRIBUTION_NORMAL, first, 1, part);
          g_assert_cmpint (memcmp (part, x + first, sizeof *x), ==, 0);
        }
    }
}

static void
test_independence (void)
{
  const NsRandomKey base = { 3, 4, 5, 0, 0 };
  const NsRandomKey others[]
      = { { 4, 4, 5, 0, 0 }, { 3, 5, 5, 0, 0 }, { 3, 4, 6, 0, 0 }, { 3 | (guint64) 1 << 32, 4, 5, 0, 0 },
          { 4, 3, 5, 0, 0 }, { 3, 5, 4, 0, 0 } };
  g_autofree float *x = draw (base, NS_DISTRIBUTION_NORMAL), *x2 = squares (x);

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree float *y = draw (others[i], NS_DISTRIBUTION_NORMAL), *y2 = squares (y);

      g_assert_cmpfloat (fabs (correlation (x, y, SAMPLES)), <, 4);
      g_assert_cmpfloat (fabs (correlation (x2, y2, SAMPLES)), <, 4);
    }
  /* within a stream: neighbours, and elements of the same Box–Muller pair or counter */
  for (gsize lag = 1; lag <= 64; lag += lag < 16 ? 1 : 16)
    {
      g_assert_cmpfloat (fabs (correlation (x, x + lag, SAMPLES - lag)), <, 4);
      g_assert_cmpfloat (fabs (correlation (x2, x2 + lag, SAMPLES - lag)), <, 4);
    }
  g_assert_cmpfloat (fabs (correlation (x, x, SAMPLES)), >, 4);
}

static void
test_ids (void)
{
  const guint32 bounds[] = { 2, 7, 256, 1000, 1u << 20 };
  const gsize n = 1 << 18;
  g_autofree gint32 *ids = g_new (gint32, n);

  for (gsize b = 0; b < G_N_ELEMENTS (bounds); b++)
    {
      guint32 classes = MIN (bounds[b], 1024);
      g_autofree guint *counts = g_new0 (guint, classes);
      double chi2 = 0, expected = (double) n / classes, degrees = classes - 1;

      ns_random_ids ((NsRandomKey){ 9, 0, NS_STREAM_IDS, 0, 0 }, 0, n, bounds[b], ids);
      for (gsize i = 0; i < n; i++)
        {
          g_assert_cmpint (ids[i], >=, 0);
          g_assert_cmpint (ids[i], <, bounds[b]);
          counts[(guint64) ids[i] * classes / bounds[b]]++;
        }
      for (guint32 c = 0; c < classes; c++)
        chi2 += (counts[c] - expected) * (counts[c] - expected) / expected;
      /* χ² with k degrees of freedom has mean k and variance 2k */
      g_assert_cmpfloat (chi2, <, degrees + 5 * sqrt (2 * degrees) + 5);
      g_assert_cmpfloat (chi2, >, degrees - 5 * sqrt (2 * degrees) - 5);
    }
  /* any part of the sequence equals that of the whole */
  for (guint64 first = 0; first < 130; first += 11)
    {
      gint32 part[100];

      ns_random_ids ((NsRandomKey){ 9, 0, NS_STREAM_IDS, 0, 0 }, first, 100, 1u << 20, part);
      g_assert_cmpmem (part, sizeof part, ids + first, sizeof part);
    }
}

void
add_random_tests (void)
{
  g_test_add_func ("/random/known-answers", test_known_answers);
  g_test_add_func ("/random/first-numbers", test_first_numbers);
  g_test_add_func ("/random/fast-is-plain", test_fast_is_plain);
  g_test_add_func ("/random/pinned", test_pinned);
  g_test_add_func ("/random/normal", test_normal);
  g_test_add_func ("/random/truncated", test_truncated);
  g_test_add_func ("/random/uniform", test_uniform);
  g_test_add_func ("/random/independence", test_independence);
  g_test_add_func ("/random/rows", test_rows);
  g_test_add_func ("/random/ids", test_ids);
}
