/* Test ‖xᵀ·dy‖ computed from Gram matrices and from the product itself, both against sums in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/pass/ns-linear.h"
#include "tests.h"

#include <string.h>

#define TOLERANCE 1e-4

static NsLinearScratch
scratch_new (gsize in, gsize out, gsize N)
{
  NsLinearScratch s = { .panel = g_new (ns_real *, 1), .partial = g_new (double, NS_LINEAR_MAX_PANELS) };

  s.panel[0] = g_new (ns_real, ns_linear_panel_elements (in, out));
  s.gram_x = g_new (ns_real, N * N);
  s.gram_y = g_new (ns_real, N * N);
  return s;
}

static void
scratch_clear (NsLinearScratch *s)
{
  g_free (s->panel[0]);
  g_free (s->panel);
  g_free (s->partial);
  g_free (s->gram_x);
  g_free (s->gram_y);
}

static double
norm_in_double (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out)
{
  g_autofree double *row = g_new (double, out);
  double sum = 0;

  for (gsize i = 0; i < in; i++)
    {
      memset (row, 0, out * sizeof *row);
      for (gsize n = 0; n < N; n++)
        for (gsize o = 0; o < out; o++)
          row[o] += (double) x[n * in + i] * dy[n * out + o];
      for (gsize o = 0; o < out; o++)
        sum += row[o] * row[o];
    }
  return sqrt (sum);
}

static const gsize sizes[][3] = {
  /* tokens, in, out */
  { 64, 128, 512 }, { 64, 512, 128 }, { 33, 128, 128 }, { 7, 96, 100 }, { 2, 40, 30 }, { 1, 50, 60 }, { 100, 20, 30 },
  { 16, 700, 1100 },
};

typedef void (*Data) (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out);

static void
data_random (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
}

/* Nearly equal tokens, as after rank collapse: x = one vector + 1e-4 of noise. */
static void
data_collapsed (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  for (gsize n = N; n-- > 0;)
    for (gsize i = 0; i < in; i++)
      x[n * in + i] = x[i] + 1e-4f * x[n * in + i];
}

/* Make dy sum to 0 over the tokens, so that the common part of the tokens of x cancels. */
static void
make_sum_zero (ns_real *dy, gsize N, gsize out)
{
  for (gsize o = 0; o < out; o++)
    {
      double mean = 0;

      for (gsize n = 0; n < N; n++)
        mean += dy[n * out + o] / (double) N;
      for (gsize n = 0; n < N; n++)
        dy[n * out + o] -= (ns_real) mean;
    }
}

static void
data_sum_zero (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  make_sum_zero (dy, N, out);
}

/* The common part of x is 300 times the rest and dy cancels it; x·xᵀ in float loses the rest. */
static void
data_cancelling (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  for (gsize n = 0; n < N; n++)
    for (gsize i = 0; i < in; i++)
      x[n * in + i] += i % 2 == 0 ? 300 : -300;
  make_sum_zero (dy, N, out);
}

static void
scale (ns_real *x, double factor, gsize n)
{
  for (gsize i = 0; i < n; i++)
    x[i] = (ns_real) (x[i] * factor);
}

static void
data_tiny (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 1e-18, N * in);
  scale (dy, 1e-18, N * out);
}

static void
data_huge (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 1e17, N * in);
  scale (dy, 1e17, N * out);
}

static void
data_huge_and_tiny (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 1e18, N * in);
  scale (dy, 1e-18, N * out);
}

static void
data_tiny_and_huge (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 1e-25, N * in);
  scale (dy, 1e18, N * out);
}

/* x·xᵀ is denormal or Inf, the gradient is neither. */
static void
data_denormal_gram (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 3e-22, N * in);
  scale (dy, 1e18, N * out);
}

static void
data_infinite_gram (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (x, 1e-5, N * in);
  scale (dy, 3e19, N * out);
}

/* One token is much larger than the others. */
static void
data_one_token (ns_real *x, ns_real *dy, gsize N, gsize in, gsize out)
{
  scale (dy, 1e5, out);
}

static const struct
{
  const char *name;
  Data make;
} kinds[] = {
  { "random", data_random },         { "collapsed", data_collapsed },
  { "sum-zero", data_sum_zero },     { "cancelling", data_cancelling },
  { "tiny", data_tiny },             { "huge", data_huge },
  { "one-token", data_one_token },   { "huge-and-tiny", data_huge_and_tiny },
  { "tiny-and-huge", data_tiny_and_huge }, { "denormal-gram", data_denormal_gram },
  { "infinite-gram", data_infinite_gram },
};

/* Return the largest relative error of one method over all kinds of data and sizes. gain scales the result first. */
static double
worst_error (double gain, gboolean with_gram, guint *n_gram)
{
  double worst = 0;

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        gsize N = sizes[s][0], in = sizes[s][1], out = sizes[s][2];
        g_autofree ns_real *x = check_draw (N * in, 60), *dy = check_draw (N * out, 61);
        NsLinearScratch scratch = scratch_new (in, out, N);
        double expected, got, error;

        kinds[k].make (x, dy, N, in, out);
        expected = norm_in_double (x, dy, N, in, out);
        /* a single token that sums to 0 has no gradient */
        if (expected == 0)
          {
            g_assert_cmpuint (N, ==, 1);
            scratch_clear (&scratch);
            continue;
          }
        *n_gram += ns_linear_uses_gram (N, in, out, FALSE);
        got = with_gram ? ns_linear_gradient_norm (x, dy, N, in, out, &scratch)
                        : ns_linear_gradient_norm_plain (x, dy, N, in, out, &scratch);
        error = check_relative_error (gain * got, expected, 0);
        if (error > TOLERANCE && gain == 1)
          g_test_message ("%s, %u tokens, %u × %u: %.9g for %.9g", kinds[k].name, (guint) N, (guint) in, (guint) out,
                          got, expected);
        worst = fmax (worst, error);
        scratch_clear (&scratch);
      }
  return worst;
}

static void
test_norms (void)
{
  guint n_gram = 0;

  g_assert_cmpfloat (worst_error (1, FALSE, &n_gram), <=, TOLERANCE);
  g_assert_cmpfloat (worst_error (1, TRUE, &n_gram), <=, TOLERANCE);
  /* both methods occur, and the comparison detects a planted error of 3e-4 */
  g_assert_cmpuint (n_gram, >, 2 * G_N_ELEMENTS (kinds));
  g_assert_cmpuint (n_gram, <, 2 * G_N_ELEMENTS (kinds) * G_N_ELEMENTS (sizes));
  g_assert_cmpfloat (worst_error (1.0003, TRUE, &n_gram), >, TOLERANCE);
}

/* The norms of blocks of rows, from Gram matrices and from products, match sums in double. */
static void
test_blocks (void)
{
  const gsize Ms[] = { 2, 3, 4, 11 };
  guint n_gram = 0, n_products = 0;

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (gsize i = 0; i < G_N_ELEMENTS (Ms); i++)
        {
          gsize N = sizes[s][0], in = sizes[s][1], out = sizes[s][2], M = Ms[i], n = N / M;
          g_autofree ns_real *x = check_draw (N * in, 62), *dy = check_draw (N * out, 63);
          g_autofree double *blocks = g_new (double, M);
          NsLinearScratch scratch;
          double whole;

          if (N % M != 0)
            continue;
          scratch = scratch_new (in, out, N);
          kinds[k].make (x, dy, N, in, out);
          whole = ns_linear_gradient_norms (blocks, M, x, dy, N, in, out, &scratch);
          g_assert_cmpfloat (check_relative_error (whole, norm_in_double (x, dy, N, in, out), 0), <=, TOLERANCE);
          for (gsize m = 0; m < M; m++)
            g_assert_cmpfloat (check_relative_error (blocks[m], norm_in_double (x + m * n * in, dy + m * n * out, n,
                                                                                  in, out), 0), <=, TOLERANCE);
          *(ns_linear_uses_gram (N, in, out, FALSE) ? &n_gram : &n_products) += 1;
          scratch_clear (&scratch);
        }
  g_assert_cmpuint (n_gram, >, 20);
  g_assert_cmpuint (n_products, >, 20);
}

/* The Gram matrix that q, k and v share belongs to the current x. */
static void
test_shared_gram (void)
{
  const gsize N = 20, C = 128;
  g_autofree ns_real *x = check_draw (N * C, 71), *other = check_draw (N * C, 72), *dy = check_draw (N * C, 73);
  NsLinearScratch scratch = scratch_new (C, C, N);
  double first = ns_linear_gradient_norm (x, dy, N, C, C, &scratch), again, stale;

  g_assert_true (scratch.gram_x_valid);
  again = ns_linear_gradient_norm (x, dy, N, C, C, &scratch);
  g_assert_cmpfloat (first, ==, again);
  g_assert_cmpfloat (check_relative_error (again, norm_in_double (x, dy, N, C, C), 0), <=, TOLERANCE);
  stale = ns_linear_gradient_norm (other, dy, N, C, C, &scratch);
  g_assert_cmpfloat (stale, ==, first);
  scratch.gram_x_valid = FALSE;
  g_assert_cmpfloat (check_relative_error (ns_linear_gradient_norm (other, dy, N, C, C, &scratch),
                                           norm_in_double (other, dy, N, C, C), 0), <=, TOLERANCE);
  scratch_clear (&scratch);
}

/* NaN and Inf propagate; zero gives zero. */
static void
test_not_finite (void)
{
  const ns_real odd[] = { NAN, INFINITY };
  const gsize N = 20, C = 128;
  g_autofree ns_real *dy = check_draw (N * C, 81);
  NsLinearScratch scratch = scratch_new (C, C, N);

  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++)
    for (gsize at = 0; at < N * C; at += 517)
      {
        g_autofree ns_real *x = check_draw (N * C, 82);

        x[at] = odd[i];
        scratch.gram_x_valid = FALSE;
        g_assert_false (isfinite (ns_linear_gradient_norm (x, dy, N, C, C, &scratch)));
        scratch.gram_x_valid = FALSE;
        g_assert_false (isfinite (ns_linear_gradient_norm (dy, x, N, C, C, &scratch)));
      }
  {
    g_autofree ns_real *zero = g_new0 (ns_real, N * C);

    scratch.gram_x_valid = FALSE;
    g_assert_cmpfloat (ns_linear_gradient_norm (zero, dy, N, C, C, &scratch), ==, 0);
  }
  scratch_clear (&scratch);
}

void
add_gradient_norms_tests (void)
{
  g_test_add_func ("/gradient-norms/norms", test_norms);
  g_test_add_func ("/gradient-norms/blocks", test_blocks);
  g_test_add_func ("/gradient-norms/shared-gram", test_shared_gram);
  g_test_add_func ("/gradient-norms/not-finite", test_not_finite);
}
