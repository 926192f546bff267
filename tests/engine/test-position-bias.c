/* Test biases of the attention scores: the slopes of ALiBi, and attention with a bias, forward and backward. Built in
 * float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attention.h"

#include "engine/ops/ns-position-bias.h"
#include "tests.h"

#define N_SHAPES (N_ATTENTION_SHAPES - 1) /* but for the wide one, whose scores the cap alone treats differently */

/* ---- slopes ---- */

/* The values of the paper, section 3, and of its code for 6, 12 and 112 heads (BLOOM has 112). */
static void
test_slopes (void)
{
  static const struct
  {
    gsize H, h;
    double log2_slope;
  } cases[] = {
    { 8, 0, -1 },   { 8, 7, -8 },     { 16, 0, -0.5 },  { 16, 1, -1 },    { 16, 15, -8 },    { 1, 0, -8 },
    { 2, 0, -4 },   { 6, 3, -8 },     { 6, 4, -1 },     { 6, 5, -3 },     { 12, 7, -8 },     { 12, 8, -0.5 },
    { 12, 11, -3.5 }, { 112, 0, -0.125 }, { 112, 63, -8 }, { 112, 64, -0.0625 }, { 112, 111, -5.9375 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat_with_epsilon (log2 (ns_alibi_get_slope (cases[i].H, cases[i].h)), cases[i].log2_slope, 1e-12);
}

static void
check_table (double factor)
{
  const gsize H = 2, T = 3;
  ns_real bias[10];

  ns_alibi_fill (bias, factor, H, T);
  for (gsize t = 0; t < T; t++)
    for (gsize s = 0; s < T; s++)
      {
        double distance = factor * fabs ((double) t - (double) s);

        g_assert_cmpfloat_with_epsilon (bias[T - 1 - t + s], -distance / 16, 1e-9);
        g_assert_cmpfloat_with_epsilon (bias[2 * T - 1 + T - 1 - t + s], -distance / 256, 1e-9);
      }
}

static void
test_table (void)
{
  check_table (1);
  check_table (0.25);
}

/* ---- relative biases ---- */

/* Buckets as the published code of T5 computes them with PyTorch (_relative_position_bucket in transformers). */
static void
test_buckets (void)
{
  static const struct
  {
    NsRelativeRule rule;
    gint64 offset;
    gsize bucket;
  } cases[] = {
    { { FALSE, 32, 128 }, 0, 0 },      { { FALSE, 32, 128 }, -1, 1 },     { { FALSE, 32, 128 }, -7, 7 },
    { { FALSE, 32, 128 }, -8, 8 },     { { FALSE, 32, 128 }, -11, 8 },    { { FALSE, 32, 128 }, -12, 9 },
    { { FALSE, 32, 128 }, -15, 9 },    { { FALSE, 32, 128 }, -16, 10 },   { { FALSE, 32, 128 }, -22, 10 },
    { { FALSE, 32, 128 }, -23, 11 },   { { FALSE, 32, 128 }, -32, 12 },   { { FALSE, 32, 128 }, -64, 14 },
    { { FALSE, 32, 128 }, -91, 15 },   { { FALSE, 32, 128 }, -128, 15 },  { { FALSE, 32, 128 }, -500, 15 },
    { { FALSE, 32, 128 }, 1, 17 },     { { FALSE, 32, 128 }, 8, 24 },     { { FALSE, 32, 128 }, 16, 26 },
    { { FALSE, 32, 128 }, 128, 31 },   { { TRUE, 32, 128 }, 5, 0 },       { { TRUE, 32, 128 }, -15, 15 },
    { { TRUE, 32, 128 }, -18, 16 },    { { TRUE, 32, 128 }, -19, 17 },    { { TRUE, 32, 128 }, -32, 21 },
    { { TRUE, 32, 128 }, -64, 26 },    { { TRUE, 32, 128 }, -112, 30 },   { { TRUE, 32, 128 }, -113, 31 },
    { { TRUE, 8, 20 }, -4, 4 },        { { TRUE, 8, 20 }, -6, 5 },        { { TRUE, 8, 20 }, -13, 6 },
    { { TRUE, 8, 20 }, -14, 7 },       { { TRUE, 8, 20 }, -24, 7 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (ns_relative_get_bucket (&cases[i].rule, cases[i].offset), ==, cases[i].bucket);
}

/* ⟨fill (u), w⟩ = ⟨u, backward (w)⟩ */
static void
test_relative_adjoint (void)
{
  const gsize H = 3, T = 9, n = H * (2 * T - 1);

  for (int causal = 0; causal <= 1; causal++)
    for (gsize buckets = 4; buckets <= 9; buckets++)
      {
        const NsRelativeRule rule = { causal, buckets, 7 };
        g_autofree ns_real *table = check_draw (buckets * H, 3), *bias = g_new (ns_real, n), *w = check_draw (n, 4);
        gsize size = buckets * H;
        g_autofree double *dbias = g_new (double, n), *dtable = g_new0 (double, size);
        double left = 0, right = 0;

        for (gsize i = 0; i < n; i++)
          dbias[i] = w[i];
        ns_relative_fill (bias, table, &rule, H, T);
        ns_relative_backward (dtable, dbias, 1, &rule, H, T);
        for (gsize i = 0; i < n; i++)
          left += (double) bias[i] * w[i];
        for (gsize i = 0; i < buckets * H; i++)
          right += table[i] * dtable[i];
        g_assert_cmpfloat_with_epsilon (left, right, 1e-9);
      }
}

/* ---- attention ---- */

/* Use the probabilities of scores without the bias. */
static void
plant_no_bias (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  Operation other = *op;

  other.flag = FALSE;
  other.backward (&other, dx, dy, x);
}

static void
test_adjoint (void)
{
  for (gsize i = 0; i < N_SHAPES; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation op = attention_operation (attention_shapes[i], mask, 0, TRUE);

        adjoint_check (&op);
        adjoint_check_planted (&op, plant_no_bias);
      }
}

static void
test_definition (void)
{
  for (gsize i = 0; i < N_SHAPES; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation op = attention_operation (attention_shapes[i], mask, 0, TRUE);
        double max_logit;

        g_assert_cmpfloat (attention_difference (&op, 0, FALSE, &max_logit), <, 10 * VALUE_TOLERANCE);
        g_assert_cmpfloat (fabs (max_logit), <, 10 * VALUE_TOLERANCE);
        g_assert_cmpfloat (attention_difference (&op, 1, FALSE, &max_logit), >, 1e-2);
      }
}

/* Return the relative difference of ⟨dbias, δ⟩ and the derivative of ⟨dy, y⟩ along δ, a change of the biases; `shift`
 * moves dbias to other distances. */
static double
get_bias_error (const Operation *op, gsize shift)
{
  const NsAttentionShape s = op->shape;
  gsize n = s.H * (2 * s.T - 1), size = op->parts[0] + op->parts[1] + op->parts[2];
  g_autofree ns_real *x = check_draw (size, 5), *dy = check_draw (op->n_out, 6), *delta = check_draw (n, 7);
  g_autofree ns_real *bias = NULL, *moved = g_new (ns_real, n), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *dx = g_new (ns_real, size), *probs = attention_new_probs (op);
  g_autofree ns_real *scratch = g_new (ns_real, s.T * s.T);
  g_autofree double *dbias = g_new0 (double, n);
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  NsScores scores = attention_scores (op, &bias), moved_scores = scores;
  double found = 0, wanted = 0, size2 = 0, h = sizeof (ns_real) == 8 ? 1e-5 : 1e-2;

  scores.dbias = dbias;
  moved_scores.bias = moved;
  attention_forward (op, y, probs, scores, x, NULL);
  ns_attention_backward (dx, dx + op->parts[0], dx + op->parts[0] + op->parts[1], scratch, dy, probs, x, k, v, scores,
                         FALSE, op->scale, s, NULL);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (gsize i = 0; i < n; i++)
        moved[i] = (ns_real) (bias[i] + sign * h * delta[i]);
      attention_forward (op, y, probs, moved_scores, x, NULL);
      for (gsize i = 0; i < op->n_out; i++)
        wanted += sign * (double) dy[i] * y[i] / (2 * h);
    }
  for (gsize i = 0; i < n; i++)
    {
      found += dbias[(i + shift) % n] * delta[i];
      size2 += dbias[i] * dbias[i];
    }
  return fabs (found - wanted) / sqrt (size2);
}

static void
test_bias_gradient (void)
{
  for (gsize i = 0; i < N_SHAPES; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation op = attention_operation (attention_shapes[i], mask, 0, TRUE);

        g_assert_cmpfloat (get_bias_error (&op, 0), <, sizeof (ns_real) == 8 ? 1e-7 : 2e-2);
        g_assert_cmpfloat (get_bias_error (&op, 1), >, 0.1);
      }
}

void
add_position_bias_tests (void)
{
  g_test_add_func ("/position-bias/slopes", test_slopes);
  g_test_add_func ("/position-bias/table", test_table);
  g_test_add_func ("/position-bias/buckets", test_buckets);
  g_test_add_func ("/position-bias/relative-adjoint", test_relative_adjoint);
  g_test_add_func ("/position-bias/gradient", test_bias_gradient);
  g_test_add_func ("/position-bias/adjoint", test_adjoint);
  g_test_add_func ("/position-bias/definition", test_definition);
}
