/* Test soft caps: attention whose scores have one, and the loss of capped logits, forward and backward. Built in float
 * and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attention.h"

#include "engine/ops/ns-loss.h"
#include "tests.h"

#include <string.h>

/* ---- attention ---- */

/* Leave the derivative of the cap out. */
static void
plant_no_slope (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  g_autofree ns_real *bias = NULL;
  NsScores scores = attention_scores (op, &bias);

  scores.cap = 0;
  attention_backward (op, scores, dx, dy, x);
}

/* Take the derivative at scores that lack a factor. */
static void
plant_wrong_scale (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  g_autofree ns_real *bias = NULL;
  NsScores scores = attention_scores (op, &bias);

  scores.scale *= 2;
  attention_backward (op, scores, dx, dy, x);
}

/* Each pair of shape, mask and bias. */
static void
test_adjoint (void)
{
  static const Planted planted[] = { plant_no_slope, plant_wrong_scale };

  for (gsize i = 0; i < N_ATTENTION_SHAPES; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation op = attention_operation (attention_shapes[i], mask, 1, (i + (gsize) mask) % 2 == 0);

        adjoint_check_all (&op, planted, G_N_ELEMENTS (planted));
      }
}

/* The cap comes before the bias, and the largest score is one after both: each pair of shape, mask, cap and bias. */
static void
test_definition (void)
{
  static const double caps[] = { 0.1, 0.5, 50 };

  for (gsize i = 0; i < N_ATTENTION_SHAPES; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      for (gsize c = 0; c < G_N_ELEMENTS (caps); c++)
        {
          gboolean has_bias = (i + (gsize) mask + c) % 2 == 0;
          Operation op = attention_operation (attention_shapes[i], mask, caps[c], has_bias);
          double max_logit;

          g_assert_cmpfloat (attention_difference (&op, 0, FALSE, &max_logit), <, 10 * VALUE_TOLERANCE);
          g_assert_cmpfloat (fabs (max_logit), <, 10 * VALUE_TOLERANCE);
          if (has_bias && caps[c] < 1)
            g_assert_cmpfloat (attention_difference (&op, 0, TRUE, &max_logit), >, 1e-3);
        }
}

/* Scores that overflow are at the cap, and have no gradient. */
static void
test_saturation (void)
{
  const NsAttentionShape s = { .B = 1, .T = 2, .D = 1, .H = 1, .G = 1 };
  const ns_real q[] = { 1e30f, 1 }, k[] = { 1e30f, -1e30f }, v[] = { 0, 1 }, dy[] = { 1, 0 };
  const NsScores scores = { .mask = NS_MASK_NONE, .cap = 1, .scale = 1 };
  ns_real y[2], probs[4], dq[2], dk[2], dv[2], scratch[8];
  NsAttentionStats stats;

  ns_attention_forward (y, probs, q, k, v, scores, FALSE, 1, s, &stats, NULL);
  g_assert_cmpfloat_with_epsilon (stats.max_logit, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (y[0], 1 / (1 + exp (2)), 1e-6);
  ns_attention_backward (dq, dk, dv, scratch, dy, probs, q, k, v, scores, FALSE, 1, s, NULL);
  g_assert_cmpfloat (dq[0], ==, 0);
  g_assert_cmpfloat (dk[0], ==, 0);
}

/* ---- loss ---- */

#define N 5
#define V 41

static const gint32 targets[N] = { 0, 40, 7, 7, 22 };

static void
loss_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  g_autofree ns_real *logits = g_memdup2 (x, op->parts[0] * sizeof *x);
  ns_real slopes[V];

  *y = (ns_real) ns_cross_entropy (logits, targets, op->scale, op->beta, slopes, N, V, NULL);
}

static void
loss_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real slopes[V];

  memcpy (dx, x, op->parts[0] * sizeof *x);
  ns_cross_entropy (dx, targets, op->scale, op->beta, slopes, N, V, NULL);
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] *= (ns_real) op->scale * *dy;
}

/* Return the gradient with respect to the capped logits. */
static void
plant_loss_no_slope (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = 0; i < op->parts[0]; i++)
    {
      double t = tanh (op->scale * x[i] / op->beta);

      dx[i] = (ns_real) (dx[i] / (1 - t * t));
    }
}

static void
test_loss (void)
{
  const double scales[] = { 1, 0.5, 4 }, caps[] = { 2, 6, 30 };

  for (gsize i = 0; i < G_N_ELEMENTS (scales) * G_N_ELEMENTS (caps); i++)
    {
      double scale = scales[i / 3], cap = caps[i % 3];
      Operation op = { .name = "capped cross-entropy", .n_out = 1, .parts = { N * V }, .step = 0.5,
                       .forward = loss_forward, .backward = loss_backward, .scale = scale, .beta = cap };
      g_autofree ns_real *x = check_draw (N * V, 8);
      ns_real loss;
      double expected = 0;

      adjoint_check (&op);
      if (cap < 3)
        adjoint_check_planted (&op, plant_loss_no_slope);
      loss_forward (&op, &loss, x);
      for (gsize n = 0; n < N; n++)
        {
          double sum = 0;

          for (gsize v = 0; v < V; v++)
            sum += exp (cap * tanh (scale * x[n * V + v] / cap));
          expected += (log (sum) - cap * tanh (scale * x[n * V + (gsize) targets[n]] / cap)) / N;
        }
      g_assert_cmpfloat_with_epsilon (loss, expected, 10 * VALUE_TOLERANCE);
    }
}

void
add_soft_cap_tests (void)
{
  g_test_add_func ("/soft-cap/adjoint", test_adjoint);
  g_test_add_func ("/soft-cap/definition", test_definition);
  g_test_add_func ("/soft-cap/saturation", test_saturation);
  g_test_add_func ("/soft-cap/loss", test_loss);
}
