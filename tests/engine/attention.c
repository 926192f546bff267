/* Attention whose scores have a bias and a soft cap, as an operation to check. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attention.h"

#define SCALE 0.6
#define BIAS 1.5

const NsAttentionShape attention_shapes[N_ATTENTION_SHAPES] = {
  { .B = 2, .T = 5, .D = 4, .H = 3, .G = 3 },
  { .B = 1, .T = 9, .D = 3, .H = 4, .G = 2 },
  { .B = 2, .T = 70, .D = 2, .H = 6, .G = 1 },     /* more rows than are computed at a time with wide heads */
  { .B = 1, .T = 150, .D = 1300, .H = 1, .G = 1 }, /* more rows than are computed at a time */
};

/* The bias is a table that is not symmetric. */
NsScores
attention_scores (const Operation *op, ns_real **bias)
{
  gsize n = op->shape.H * (2 * op->shape.T - 1);

  *bias = op->flag ? check_draw (n, 11) : NULL;
  for (gsize i = 0; op->flag && i < n; i++)
    (*bias)[i] *= (ns_real) BIAS;
  return (NsScores){ .mask = (NsAttentionMask) op->kind, .bias = *bias, .cap = op->beta, .scale = op->scale };
}

ns_real *
attention_new_probs (const Operation *op)
{
  return g_new (ns_real, op->shape.B * op->shape.H * op->shape.T * op->shape.T);
}

void
attention_forward (const Operation *op, ns_real *y, ns_real *probs, NsScores scores, const ns_real *x,
                   NsAttentionStats *stats)
{
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];

  ns_attention_forward (y, probs, x, k, v, scores, FALSE, op->scale, op->shape, stats, NULL);
}

void
attention_backward (const Operation *op, NsScores scores, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize n_scratch = (op->beta > 0 ? 2 : 1) * op->shape.T * op->shape.T;
  g_autofree ns_real *probs = attention_new_probs (op), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *scratch = g_new (ns_real, n_scratch), *bias = NULL;
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  NsScores true_scores = attention_scores (op, &bias);

  attention_forward (op, y, probs, true_scores, x, NULL);
  ns_attention_backward (dx, dx + op->parts[0], dx + op->parts[0] + op->parts[1], scratch, dy, probs, x, k, v, scores,
                         FALSE, op->scale, op->shape, NULL);
}

static void
forward (const Operation *op, ns_real *y, const ns_real *x)
{
  g_autofree ns_real *probs = attention_new_probs (op), *bias = NULL;

  attention_forward (op, y, probs, attention_scores (op, &bias), x, NULL);
}

static void
backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  g_autofree ns_real *bias = NULL;

  attention_backward (op, attention_scores (op, &bias), dx, dy, x);
}

Operation
attention_operation (NsAttentionShape s, int mask, double cap, gboolean has_bias)
{
  gsize q = s.B * s.T * s.H * s.D, k = s.B * s.T * s.G * s.D;

  return (Operation){ .name = cap > 0 ? "cap" : "bias", .n_out = q, .parts = { q, k, k }, .step = cap > 0 ? 0.5 : 1,
                      .forward = forward, .backward = backward, .kind = mask,
                      .scale = s.D > 100 ? SCALE / sqrt ((double) s.D) : SCALE, .beta = cap, .flag = has_bias,
                      .shape = s };
}

static double
cap_score (const Operation *op, double score)
{
  return op->beta > 0 ? op->beta * tanh (score / op->beta) : score;
}

double
attention_difference (const Operation *op, int shift, gboolean cap_last, double *max_logit)
{
  const NsAttentionShape s = op->shape;
  g_autofree ns_real *x = check_draw (op->parts[0] + op->parts[1] + op->parts[2], 5), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *probs = attention_new_probs (op), *bias = NULL;
  g_autofree double *p = g_new (double, s.T);
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  NsScores scores = attention_scores (op, &bias);
  NsAttentionStats stats;
  double worst = 0;

  attention_forward (op, y, probs, scores, x, &stats);
  *max_logit = -INFINITY;
  for (gsize row = 0; row < s.B * s.T; row++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize t = row % s.T, first = row - t, g = h / (s.H / s.G), seen = op->kind == NS_MASK_CAUSAL ? t + 1 : s.T;
        double sum = 0;

        for (gsize j = 0; j < seen; j++)
          {
            gsize column = (s.T - 1 + j - t + (gsize) shift) % (2 * s.T - 1);
            double add = bias != NULL ? bias[h * (2 * s.T - 1) + column] : 0;
            double score = op->scale * check_dot (x + (row * s.H + h) * s.D, k + ((first + j) * s.G + g) * s.D, s.D);

            score = cap_last ? cap_score (op, score + add) : cap_score (op, score) + add;
            *max_logit = fmax (*max_logit, score);
            p[j] = exp (score);
            sum += p[j];
          }
        for (gsize c = 0; c < s.D; c++)
          {
            double value = 0;

            for (gsize j = 0; j < seen; j++)
              value += p[j] / sum * v[((first + j) * s.G + g) * s.D + c];
            worst = fmax (worst, fabs (value - y[(row * s.H + h) * s.D + c]));
          }
      }
  *max_logit -= stats.max_logit;
  return worst;
}
