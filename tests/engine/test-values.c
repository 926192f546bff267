/* Test the values of the operations against plain sums and the C library. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-loss.h"
#include "engine/ops/ns-norm.h"
#include "engine/ops/ns-probe.h"
#include "tests.h"

#include <string.h>

/* ---- linear maps ---- */

static const gsize linear_sizes[][3] = {
  { 5, 24, 40 }, { 3, 640, 1024 }, { 2, 4096, 200 }, { 2, 130, 5003 }, { 1, 1, 1 },
};

/* Compare the product with a plain sum, with stored weights and with weights drawn panel by panel. */
static void
test_linear_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (linear_sizes); i++)
    {
      gsize N = linear_sizes[i][0], in = linear_sizes[i][1], out = linear_sizes[i][2];
      NsMatrix W = { .key = { 1, 2, (guint32) i }, .in = in, .out = out, .std = sqrt (1.0 / (double) in) };
      const double scale = 0.75, beta = 0.5;
      g_autofree ns_real *unit = g_new (ns_real, in * out), *x = check_draw (N * in, 3), *y0 = check_draw (N * out, 4);
      g_autofree ns_real *y = g_memdup2 (y0, N * out * sizeof *y0), *kept = g_memdup2 (y0, N * out * sizeof *y0);
      NsLinearScratch *scratch = linear_scratch_new (in, out, N);
      double worst = 0;

      ns_linear_forward (y, x, &W, scale, beta, N, scratch);
      ns_weights_fill (unit, W.key, W.distribution, out, 0, in, 0, out);
      W.unit = unit;
      ns_linear_forward (kept, x, &W, scale, beta, N, scratch);
      g_assert_cmpmem (y, N * out * sizeof *y, kept, N * out * sizeof *y);
      for (gsize n = 0; n < N; n++)
        for (gsize o = 0; o < out; o++)
          {
            double sum = 0;

            for (gsize j = 0; j < in; j++)
              sum += (double) x[n * in + j] * unit[j * out + o];
            sum = beta * y0[n * out + o] + scale * W.std * sum;
            worst = fmax (worst, check_relative_error (sum, y[n * out + o], 1));
          }
      g_assert_cmpfloat (worst, <=, VALUE_TOLERANCE);
      linear_scratch_free (scratch);
    }
}

/* ---- activations ---- */

/* √(2/π)·(h + 0.044715·h³) */
static double
tanh_argument (double h)
{
  return sqrt (2 / G_PI) * (h + 0.044715 * h * h * h);
}

/* Compare with erf and exp of the C library, also for large arguments, NaN and Inf. */
static void
test_activation_values (void)
{
  const ns_real odd[] = { NAN, INFINITY, -INFINITY };
  double worst = 0;

  for (double h = -30; h <= 30; h += 0.01)
    {
      ns_real x = (ns_real) h, y;
      double v = x;

      ns_activation_forward (&y, &x, NULL, NS_ACT_RELU, 1, 1, NULL);
      g_assert_cmpfloat (y, ==, v > 0 ? v : 0);
      ns_activation_forward (&y, &x, NULL, NS_ACT_GELU, 1, 1, NULL);
      worst = fmax (worst, check_relative_error (y, 0.5 * v * erfc (-v / sqrt (2)), 1));
      ns_activation_forward (&y, &x, NULL, NS_ACT_SILU, 1, 1, NULL);
      worst = fmax (worst, check_relative_error (y, v / (1 + exp (-v)), 1));
      ns_activation_forward (&y, &x, NULL, NS_ACT_GELU_TANH, 1, 1, NULL);
      worst = fmax (worst, check_relative_error (y, 0.5 * v * (1 + tanh (tanh_argument (v))), 1));
    }
  g_test_message ("%.2g", worst);
  g_assert_cmpfloat (worst, <=, fmax (VALUE_TOLERANCE, 1e-12));
  for (int kind = NS_ACT_RELU; kind <= NS_ACT_GEGLU_TANH; kind++)
    {
      ns_real y[3];

      ns_activation_forward (y, odd, NULL, (NsActivation) kind, 1, 3, NULL);
      g_assert_true (isnan (y[0]));
      g_assert_true (isinf (y[1]));
    }
}

/* Relative errors of the tanh form and its slope where 1 + tanh cancels, near 0, and for numbers whose square or cube
 * overflows. */
static void
test_gelu_tanh (void)
{
  const ns_real far[] = { -13.5f, -40, -1e13f, -1e19f, -3e38f, -INFINITY }, one = 1;
  const double epsilon = sizeof (ns_real) == 8 ? 1e-15 : 3e-7;

  for (double h = -5; h <= 10; h += 0.0037)
    for (double size = 1; size > 1e-30; size *= 1e-5)
      {
        ns_real x = (ns_real) (h * size), y, slope, gate;
        double v = x, u = tanh_argument (v), f = 1 / (1 + exp (-2 * u)), g = 1 / (1 + exp (2 * u));
        double expected = f + v * f * g * 2 * sqrt (2 / G_PI) * (1 + 3 * 0.044715 * v * v);

        ns_activation_forward (&y, &x, NULL, NS_ACT_GELU_TANH, 1, 1, NULL);
        ns_activation_backward (&slope, &gate, &one, &x, &one, NS_ACT_GEGLU_TANH, 1, 1, NULL);
        /* the rounding error of the argument grows with it */
        g_assert_cmpfloat (fabs (y - v * f), <=, epsilon * (1 + fabs (u)) * fabs (v * f));
        g_assert_cmpfloat (fabs (slope - expected), <=, 2 * epsilon);
        g_assert_cmpfloat (gate, ==, y);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (far); i++)
    {
      ns_real x = far[i], minus = -x, y, slope;

      ns_activation_forward (&y, &x, NULL, NS_ACT_GELU_TANH, 1, 1, NULL);
      ns_activation_backward (&slope, NULL, &one, &x, NULL, NS_ACT_GELU_TANH, 1, 1, NULL);
      g_assert_cmpfloat (fabs (y), <, 1e-38);
      g_assert_cmpfloat (fabs (slope), <, 1e-38);
      g_assert_true (signbit (y));
      ns_activation_forward (&y, &minus, &one, NS_ACT_GEGLU_TANH, 1, 1, NULL);
      ns_activation_backward (&slope, NULL, &one, &minus, NULL, NS_ACT_GELU_TANH, 1, 1, NULL);
      g_assert_cmpfloat (y, ==, minus);
      g_assert_cmpfloat (slope, ==, 1);
    }
}

/* Relative errors of DyT and its slope against the C library, from the smallest numbers to saturation. */
static void
test_dyt_values (void)
{
  const double alpha = 0.5;
  const ns_real odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f }, ones[] = { 1, 1, 1, 1, 1 };
  const double limits[] = { NAN, 1, -1, 1, -1 };
  double value = 0, slope = 0;
  ns_real y[5], d[5];

  for (double h = -80; h <= 80; h += 0.0113)
    for (double size = 1; size > 1e-32; size *= 1e-8)
      {
        ns_real x = (ns_real) (h * size), t, dx;
        double z = alpha * x, cosh_z = cosh (z);

        ns_dyt_forward (&t, &x, NULL, NULL, alpha, 1, 1, 1, NULL);
        ns_dyt_backward (&dx, NULL, NULL, NULL, ones, &x, NULL, alpha, 1, 1, 1, NULL);
        value = fmax (value, check_relative_error (t, tanh (z), 0));
        slope = fmax (slope, check_relative_error (dx, alpha / (cosh_z * cosh_z), 0) / fmax (1, fabs (z)));
      }
  g_test_message ("%.2g %.2g", value, slope);
  g_assert_cmpfloat (value, <=, sizeof (ns_real) == 8 ? 1e-15 : 3e-7);
  g_assert_cmpfloat (slope, <=, sizeof (ns_real) == 8 ? 2e-15 : 5e-7);
  ns_dyt_forward (y, odd, NULL, NULL, alpha, 1, 1, 5, NULL);
  ns_dyt_backward (d, NULL, NULL, NULL, ones, odd, NULL, alpha, 1, 1, 5, NULL);
  g_assert_true (isnan (y[0]) && isnan (d[0]));
  for (gsize i = 1; i < 5; i++)
    {
      g_assert_cmpfloat (y[i], ==, limits[i]);
      g_assert_cmpfloat (d[i], ==, 0);
    }
}
/* A power of two carried with x gives the same values as one multiplied into x. A scale of 0 makes DyT linear, and its
 * result keeps the power of x. */
static void
test_dyt_scale (void)
{
  const gsize N = 3, C = 70, n = N * C;
  const double alpha = 0.7, powers[] = { 0x1p-3, 0x1p-60 };
  g_autofree ns_real *x = check_draw (n, 51), *gain = check_draw (C, 52), *dy = check_draw (n, 53);

  for (gsize i = 0; i < G_N_ELEMENTS (powers); i++)
    {
      const double scale = powers[i];
      gboolean linear = scale < 0x1p-50;
      double power = linear ? scale : 1; /* power of the linear result */
      g_autofree ns_real *small = g_new (ns_real, n), *y = g_new (ns_real, 4 * n);
      g_autofree double *vectors = g_new (double, 4 * C);
      double a, b;

      for (gsize j = 0; j < n; j++)
        small[j] = (ns_real) (x[j] * scale);
      ns_dyt_forward (y, small, gain, NULL, alpha, 1, N, C, NULL);
      ns_dyt_backward (y + n, vectors, vectors + C, &a, dy, small, gain, alpha, 1, N, C, NULL);
      ns_dyt_forward (y + 2 * n, x, gain, NULL, alpha, linear ? 0 : scale, N, C, NULL);
      ns_dyt_backward (y + 3 * n, vectors + 2 * C, vectors + 3 * C, &b, dy, x, gain, alpha, linear ? 0 : scale, N, C,
                       NULL);
      for (gsize j = 0; j < n; j++)
        {
          g_assert_cmpfloat (check_relative_error (y[j], y[2 * n + j] * power, 0), <=, VALUE_TOLERANCE);
          g_assert_cmpfloat (check_relative_error (y[n + j], y[3 * n + j], 0), <=, VALUE_TOLERANCE);
        }
      for (gsize c = 0; c < C; c++)
        {
          g_assert_cmpfloat (check_relative_error (vectors[c], vectors[2 * C + c] * power, scale), <=, VALUE_TOLERANCE);
          g_assert_cmpfloat (vectors[C + c], ==, vectors[3 * C + c]);
        }
      g_assert_cmpfloat (check_relative_error (a, b * power, scale), <=, VALUE_TOLERANCE);
    }
}

static void
test_exp (void)
{
  double worst = 0, sum;
  ns_real odd[4] = { NAN, -INFINITY, -5000, 0 };

  for (double h = -80; h <= 0; h += 0.003)
    {
      ns_real x = (ns_real) h, p;

      ns_exp_shifted (&p, &x, 0, 1);
      worst = fmax (worst, fabs (p / exp ((double) x) - 1));
    }
  g_assert_cmpfloat (worst, <=, sizeof (ns_real) == 8 ? 1e-15 : 1e-6);
  sum = ns_exp_shifted (odd, odd, 0, 4);
  g_assert_true (isnan (odd[0]) && isnan (sum));
  g_assert_cmpfloat (odd[1], ==, 0);
  g_assert_cmpfloat (odd[2], ==, 0);
  g_assert_cmpfloat_with_epsilon (odd[3], 1, 1e-7);
}

/* ---- loss ---- */

/* Logits far apart, at the limits of the type, and not finite. */
static void
test_loss_range (void)
{
  const gint32 one = 1;
  ns_real far[3] = { 1e30f, -1e30f, 0 }, nan[3] = { 0, NAN, 0 }, inf[3] = { INFINITY, 0, 0 };

  g_assert_cmpfloat_with_epsilon (ns_cross_entropy (far, &one, 1, 0, NULL, 1, 3, NULL) / 2e30, 1, 1e-6);
  g_assert_cmpfloat (far[0], ==, 1);
  g_assert_cmpfloat (far[1], ==, -1);
  g_assert_true (isnan (ns_cross_entropy (nan, &one, 1, 0, NULL, 1, 3, NULL)));
  g_assert_false (isfinite (ns_cross_entropy (inf, &one, 1, 0, NULL, 1, 3, NULL)));
}

/* ---- statistics ---- */

static void
test_probe (void)
{
  const gsize B = 3, T = 6, C = 19, n = B * T * C;
  g_autofree ns_real *x = check_draw (n, 21), *y = check_draw (n, 22), *z = g_new (ns_real, n);
  g_autofree double *scratch = g_new (double, C);
  double cosine = 0, columns = 0;

  for (gsize b = 0; b < B; b++)
    for (gsize i = 0; i < T; i++)
      for (gsize j = 0; j < T; j++)
        {
          const ns_real *p = x + (b * T + i) * C, *q = x + (b * T + j) * C;

          if (i != j)
            cosine += check_dot (p, q, C) / sqrt (check_square (p, C) * check_square (q, C));
        }
  g_assert_cmpfloat_with_epsilon (ns_token_cosine (x, scratch, B, T, C), cosine / (double) (B * T * (T - 1)), 1e-12);

  for (gsize c = 0; c < C; c++)
    {
      double sum = 0;

      for (gsize t = 0; t < B * T; t++)
        sum += x[t * C + c];
      columns += sum * sum;
    }
  ns_column_sums (x, scratch, B * T, C);
  g_assert_cmpfloat_with_epsilon (ns_sum_squares_double (scratch, C), columns, 1e-9);
  g_assert_cmpfloat_with_epsilon (ns_sum_squares (x, n), check_square (x, n), 1e-9);

  ns_add (z, 0.5, x, -2, y, n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (z[i], 0.5 * x[i] - 2 * y[i], VALUE_TOLERANCE);

  /* equal tokens have cosine 1 up to rounding; a zero token has no direction */
  for (gsize t = 1; t < B * T; t++)
    memcpy (x + t * C, x, C * sizeof *x);
  g_assert_cmpfloat_with_epsilon (ns_token_cosine (x, scratch, B, T, C), 1, 1e-14);
  memset (x, 0, C * sizeof *x);
  g_assert_true (isnan (ns_token_cosine (x, scratch, B, T, C)));
}

void
add_values_tests (void)
{
  g_test_add_func ("/values/linear-values", test_linear_values);
  g_test_add_func ("/values/activation-values", test_activation_values);
  g_test_add_func ("/values/gelu-tanh", test_gelu_tanh);
  g_test_add_func ("/values/dyt-values", test_dyt_values);
  g_test_add_func ("/values/dyt-scale", test_dyt_scale);
  g_test_add_func ("/values/exp", test_exp);
  g_test_add_func ("/values/loss-range", test_loss_range);
  g_test_add_func ("/values/probe", test_probe);
}
