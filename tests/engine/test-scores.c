/* Test what is measured on attention scores and on the tokens of a sequence. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ops/ns-attention.h"
#include "engine/ops/ns-gram.h"
#include "engine/ops/ns-tokens.h"
#include "tests.h"

#include <string.h>

/* Create keys e_1 … e_T for one sequence of T features: the scores are then scale·q. Free with g_free(). */
static ns_real *
new_unit_keys (gsize T)
{
  ns_real *k = g_new0 (ns_real, T * T);

  for (gsize t = 0; t < T; t++)
    k[t * (T + 1)] = 1;
  return k;
}

/* Softmax weights of T independent scores N(0, σ²) have the entropy ln T − σ²/2, up to 1/T. */
static void
test_gaussian_scores (void)
{
  const NsAttentionShape s = { .B = 1, .T = 512, .D = 512, .H = 2, .G = 1 };
  const gsize n = s.T * s.H * s.D;
  const double sigmas[] = { 0, 0.3, 1, 1.5 };
  g_autofree ns_real *q = check_draw (n, 1), *k = new_unit_keys (s.T), *y = g_new (ns_real, n);
  g_autofree ns_real *probs = g_new (ns_real, s.H * s.T * s.T);

  for (gsize i = 0; i < G_N_ELEMENTS (sigmas); i++)
    {
      double sigma = sigmas[i], entropy, largest = 0;
      NsAttentionStats stats;

      for (gsize j = 0; j < n; j++)
        largest = fmax (largest, q[j]);
      ns_attention_forward (y, probs, q, k, k, NS_MASKED (NS_MASK_NONE), FALSE, sigma, s, &stats, NULL);
      entropy = stats.entropy * log ((double) s.T);
      g_test_message ("sigma %g: entropy %g", sigma, entropy);
      g_assert_cmpfloat_with_epsilon (entropy, log ((double) s.T) - sigma * sigma / 2,
                                      1e-4 + 2 * expm1 (sigma * sigma) / (double) s.T);
      g_assert_cmpfloat_with_epsilon (stats.max_logit, sigma * largest, 1e-5 * (1 + sigma * largest));
      /* the mean over the rows 1 … T − 1, each relative to what it sees */
      ns_attention_forward (y, probs, q, k, k, NS_MASKED (NS_MASK_CAUSAL), FALSE, sigma, s, &stats, NULL);
      g_assert_cmpfloat (stats.entropy, <=, 1 + 1e-6);
      if (sigma == 0)
        g_assert_cmpfloat_with_epsilon (stats.entropy, 1, 1e-6);
    }
}

/* Compare with −Σ p·ln p of the weights themselves. They have the same bits whether anything is measured or not. */
static void
test_definition (void)
{
  const NsAttentionShape s = { .B = 2, .T = 21, .D = 3, .H = 4, .G = 2 };
  const gsize n = s.B * s.T * s.H * s.D, n_keys = s.B * s.T * s.G * s.D, n_probs = s.B * s.H * s.T * s.T;
  g_autofree ns_real *q = check_draw (n, 2), *k = check_draw (n_keys, 3), *v = check_draw (n_keys, 4);
  g_autofree ns_real *y = g_new (ns_real, n), *plain = g_new (ns_real, n);
  g_autofree ns_real *probs = g_new (ns_real, n_probs), *plain_probs = g_new (ns_real, n_probs);

  for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
    {
      NsAttentionStats stats;
      double sum = 0, rows = 0, largest = -INFINITY, squares = 0, n_visible = 0, score;

      ns_attention_forward (plain, plain_probs, q, k, v, NS_MASKED (mask), FALSE, 0.9, s, NULL, NULL);
      ns_attention_forward (y, probs, q, k, v, NS_MASKED (mask), FALSE, 0.9, s, &stats, NULL);
      g_assert_cmpmem (y, n * sizeof *y, plain, n * sizeof *y);
      g_assert_cmpmem (probs, n_probs * sizeof *probs, plain_probs, n_probs * sizeof *probs);
      for (gsize row = 0; row < s.B * s.H * s.T; row++)
        {
          gsize b = row / (s.H * s.T), h = row / s.T % s.H, t = row % s.T;
          gsize visible = mask == NS_MASK_CAUSAL ? t + 1 : s.T;

          for (gsize j = 0; j < visible; j++)
            {
              double p = probs[row * s.T + j];

              sum -= visible > 1 ? p * log (p) / log ((double) visible) : 0;
              score = 0.9 * check_dot (q + ((b * s.T + t) * s.H + h) * s.D,
                                       k + ((b * s.T + j) * s.G + h / 2) * s.D, s.D);
              largest = fmax (largest, score);
              squares += score * score;
              n_visible++;
            }
          rows += visible > 1 ? 1 : 0;
        }
      g_assert_cmpfloat_with_epsilon (stats.entropy, sum / rows, 1e-6);
      g_assert_cmpfloat_with_epsilon (stats.max_logit, largest, 1e-5);
      g_assert_cmpfloat_with_epsilon (stats.rms, sqrt (squares / n_visible), 1e-5);
    }
}

static void
test_extreme_scores (void)
{
  const NsAttentionShape s = { .B = 1, .T = 3, .D = 1, .H = 1, .G = 1 }, one = { 1, 1, 1, 1, 1 };
  const ns_real q[] = { 1e9f, 1e9f, 1e9f }, k[] = { 1e9f, 2e9f, -3e9f }, v[] = { 5, 6, 7 };
  const ns_real nan_q[] = { NAN, 1, 1 }, future[] = { 1, 2, 1e6f };
  ns_real y[3], probs[9];
  NsAttentionStats stats;

  /* one weight is 1, the others underflow */
  ns_attention_forward (y, probs, q, k, v, NS_MASKED (NS_MASK_NONE), FALSE, 1, s, &stats, NULL);
  g_assert_cmpfloat (stats.entropy, ==, 0);
  g_assert_cmpfloat_with_epsilon (stats.max_logit, 2e18, 1e13);
  /* the last key is visible to the last query alone, whose score with it is negative */
  ns_attention_forward (y, probs, (const ns_real[]){ 1, 1, -1 }, future, v, NS_MASKED (NS_MASK_CAUSAL), FALSE, 1, s,
                        &stats, NULL);
  g_assert_cmpfloat (stats.max_logit, ==, 2);
  ns_attention_forward (y, probs, nan_q, k, v, NS_MASKED (NS_MASK_NONE), FALSE, 1, s, &stats, NULL);
  g_assert_true (isnan (stats.entropy) && isnan (stats.max_logit));
  /* one token has no entropy */
  ns_attention_forward (y, probs, q, k, v, NS_MASKED (NS_MASK_NONE), FALSE, 1, one, &stats, NULL);
  g_assert_true (isnan (stats.entropy));
  g_assert_cmpfloat_with_epsilon (stats.max_logit, 1e18, 1e13);
  ns_attention_forward (y, NULL, NULL, NULL, v, NS_MASKED (NS_MASK_CAUSAL), TRUE, 1, s, &stats, NULL);
  g_assert_cmpfloat (stats.entropy, ==, 1);
  g_assert_cmpfloat (stats.max_logit, ==, 0);
  ns_attention_forward (y, NULL, NULL, NULL, v, NS_MASKED (NS_MASK_NONE), TRUE, 1, one, &stats, NULL);
  g_assert_true (isnan (stats.entropy));
}

/* ---- tokens ---- */

static void
measure (const ns_real *x, gsize B, gsize T, gsize C, double *residual, double *participation)
{
  g_autofree double *mean = g_new (double, C);
  g_autofree ns_real *centred = g_new (ns_real, T * C), *gram = g_new (ns_real, MIN (T, C) * MIN (T, C));

  ns_token_spread (x, B, T, C, mean, centred, gram, residual, participation, NULL);
}

static void
test_known_tokens (void)
{
  const gsize T = 6, C = 9;
  ns_real x[2 * 6 * 9] = { 0 }, narrow[6 * 3] = { 0 };
  const double sizes[] = { 1, 1e15, 1e-15 };
  double residual, participation;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      /* orthogonal tokens spread over T − 1 directions about their mean; in the second sequence all lie on a line */
      memset (x, 0, sizeof x);
      for (gsize t = 0; t < T; t++)
        {
          x[t * C + t] = (ns_real) sizes[i];
          x[(T + t) * C + 4] = (ns_real) (sizes[i] * ((double) t - 2.5));
        }
      measure (x, 1, T, C, &residual, &participation);
      g_assert_cmpfloat_with_epsilon (residual, sqrt (5.0 / 6), 1e-6);
      g_assert_cmpfloat_with_epsilon (participation, 5, 1e-5);
      measure (x, 2, T, C, &residual, &participation); /* the mean over the sequences */
      g_assert_cmpfloat_with_epsilon (residual, (sqrt (5.0 / 6) + 1) / 2, 1e-6);
      g_assert_cmpfloat_with_epsilon (participation, 3, 1e-5);
      measure (x, 2, T, C, NULL, &participation);
      g_assert_cmpfloat_with_epsilon (participation, 3, 1e-5);
      measure (x, 2, T, C, &residual, NULL);
    }
  /* more tokens than features: ± each axis, the third one half as long. λ ∝ 1, 1, 1/4 */
  for (gsize t = 0; t < 6; t++)
    narrow[t * 3 + t / 2] = (ns_real) ((t % 2 == 0 ? 1 : -1) * (t < 4 ? 1 : 0.5));
  measure (narrow, 1, 6, 3, &residual, &participation);
  g_assert_cmpfloat_with_epsilon (residual, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (participation, 2.25 * 2.25 / (2 + 1.0 / 16), 1e-5);
}

/* Equal tokens have no differences and so no directions; zeros have neither. */
static void
test_equal_tokens (void)
{
  const gsize T = 5, C = 7;
  g_autofree ns_real *x = check_draw (T * C, 5);
  double residual, participation;

  for (gsize t = 1; t < T; t++)
    memcpy (x + t * C, x, C * sizeof *x);
  measure (x, 1, T, C, &residual, &participation);
  g_assert_cmpfloat_with_epsilon (residual, 0, 1e-15);
  if (sizeof (ns_real) == sizeof (float)) /* sums of floats in double are exact */
    g_assert_true (residual == 0 && isnan (participation));
  memset (x, 0, T * C * sizeof *x);
  measure (x, 1, T, C, &residual, &participation);
  g_assert_true (isnan (residual) && isnan (participation));
}

/* Compare large shapes with sums over all pairs of tokens. */
static void
test_random_tokens (void)
{
  const gsize shapes[][2] = { { 700, 300 }, { 300, 700 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      const gsize T = shapes[i][0], C = shapes[i][1];
      g_autofree ns_real *x = check_draw (T * C, 6 + (guint) i), *centred = g_new (ns_real, T * C);
      double trace = 0, squares = 0, residual, participation;

      for (gsize c = 0; c < C; c++)
        {
          double mean = 0, stretch = 1 + (double) c / 50;

          for (gsize t = 0; t < T; t++)
            mean += (x[t * C + c] = (ns_real) (stretch * x[t * C + c] + 1)) / (double) T;
          for (gsize t = 0; t < T; t++)
            centred[t * C + c] = (ns_real) (x[t * C + c] - mean);
        }
      for (gsize t = 0; t < T; t++)
        {
          trace += check_square (centred + t * C, C);
          for (gsize u = 0; u < T; u++)
            squares += pow (check_dot (centred + t * C, centred + u * C, C), 2);
        }
      measure (x, 1, T, C, &residual, &participation);
      g_assert_cmpfloat_with_epsilon (residual, sqrt (trace / check_square (x, T * C)), 1e-5);
      g_assert_cmpfloat_with_epsilon (participation, trace * trace / squares, 1e-3);
      g_assert_cmpfloat (participation, <, 300);
    }
}

/* A large Gram matrix is computed in pieces. */
static void
test_gram_pieces (void)
{
  const gsize N = 1060, C = 1030;
  g_autofree ns_real *x = check_draw (N * C, 8), *g = g_new (ns_real, N * N), *expected = g_new (ns_real, N * N);

  g_assert_cmpuint (N * N * C, >, NS_PIECE_PRODUCTS);
  for (int columns = 0; columns < 2; columns++)
    {
      gsize n = columns ? C : N, inner = columns ? N : C;

      if (columns)
        ns_gram_columns (g, x, N, C, NULL);
      else
        ns_gram_rows (g, x, N, C, NULL);
      ns_gemm (CblasRowMajor, columns ? CblasTrans : CblasNoTrans, columns ? CblasNoTrans : CblasTrans, (int) n,
               (int) n, (int) inner, 1, x, (int) C, x, (int) C, 0, expected, (int) n);
      for (gsize i = 0; i < n; i++)
        for (gsize j = 0; j <= i; j++)
          g_assert_cmpfloat_with_epsilon (g[i * n + j], expected[i * n + j], 1e-2);
    }
}

void
add_scores_tests (void)
{
  g_test_add_func ("/scores/gaussian", test_gaussian_scores);
  g_test_add_func ("/scores/definition", test_definition);
  g_test_add_func ("/scores/extremes", test_extreme_scores);
  g_test_add_func ("/scores/tokens/known", test_known_tokens);
  g_test_add_func ("/scores/tokens/equal", test_equal_tokens);
  g_test_add_func ("/scores/tokens/random", test_random_tokens);
  g_test_add_func ("/scores/tokens/gram-pieces", test_gram_pieces);
}
