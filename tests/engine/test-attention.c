/* Test attention against its definition, with grouped heads and with uniform weights. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"
#include "tests.h"

#include <string.h>

#define SCALE 0.6

/* Plain multi-head, groups of two and three, multi-query, one token, a single head. */
static const NsAttentionShape shapes[] = {
  { .B = 2, .T = 5, .D = 4, .H = 3, .G = 3 },  { .B = 2, .T = 5, .D = 3, .H = 4, .G = 2 },
  { .B = 1, .T = 19, .D = 5, .H = 6, .G = 2 }, { .B = 3, .T = 4, .D = 2, .H = 5, .G = 1 },
  { .B = 3, .T = 1, .D = 2, .H = 4, .G = 2 },  { .B = 1, .T = 7, .D = 1, .H = 1, .G = 1 },
};

static gsize
n_query (NsAttentionShape s)
{
  return s.B * s.T * s.H * s.D;
}

static gsize
n_key (NsAttentionShape s)
{
  return s.B * s.T * s.G * s.D;
}

static gsize
n_probs (NsAttentionShape s)
{
  return s.B * s.H * s.T * s.T;
}

static ns_real *
poison (gsize n)
{
  ns_real *x = g_new (ns_real, n);

  for (gsize i = 0; i < n; i++)
    x[i] = NAN;
  return x;
}

/* ---- as an operation ---- */

static void
forward (const Operation *op, ns_real *y, const ns_real *x)
{
  NsAttentionShape s = op->shape;
  g_autofree ns_real *probs = poison (n_probs (s));
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];

  if (op->flag)
    ns_attention_forward (y, NULL, NULL, NULL, x, NS_MASKED (op->kind), TRUE, op->scale,
                          s, NULL, NULL);
  else
    ns_attention_forward (y, probs, x, k, v, NS_MASKED (op->kind), FALSE, op->scale, s, NULL, NULL);
}

static void
backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  NsAttentionShape s = op->shape;
  g_autofree ns_real *probs = poison (n_probs (s)), *scratch = poison (s.T * s.T), *y = poison (n_query (s));
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  ns_real *dk = dx + op->parts[0], *dv = dk + op->parts[1];

  for (gsize i = 0; i < adjoint_count_inputs (op); i++)
    dx[i] = NAN; /* the backward pass must overwrite them */
  if (op->flag)
    {
      ns_attention_backward (NULL, NULL, dx, NULL, dy, NULL, NULL, NULL, x, NS_MASKED (op->kind), TRUE,
                             op->scale, s, NULL);
      return;
    }
  ns_attention_forward (y, probs, x, k, v, NS_MASKED (op->kind), FALSE, op->scale, s, NULL, NULL);
  ns_attention_backward (dx, dk, dv, scratch, dy, probs, x, k, v, NS_MASKED (op->kind), FALSE, op->scale, s,
                         NULL);
}

static Operation
operation (NsAttentionShape s, NsAttentionMask mask, gboolean uniform)
{
  gsize key = n_key (s);

  return (Operation){ .name = uniform ? "uniform" : "softmax",
                      .n_out = n_query (s),
                      .parts = { uniform ? key : n_query (s), uniform ? 0 : key, uniform ? 0 : key },
                      .step = 1,
                      .forward = forward,
                      .backward = backward,
                      .kind = (int) mask,
                      .flag = uniform,
                      .scale = SCALE,
                      .shape = s };
}

/* ---- the definition ---- */

/* Errors that can be planted in the definition. */
typedef enum
{
  RIGHT,
  WRONG_GROUP,     /* query head h reads key head h mod G */
  WRONG_MASK,      /* one token too many is visible */
  WRONG_WEIGHT,    /* divides by T under any mask */
  WRONG_TRANSPOSE, /* backward uses P instead of Pᵀ */
  WRONG_SUM,       /* takes only the last query head of a group */
} Wrong;

typedef struct
{
  const Operation *op;
  Wrong wrong;
  const ns_real *q, *k, *v, *dy;     /* uniform attention does not read q and k */
  double *y, *dq, *dk, *dv, *P, *dS; /* P, dS [T, T] of one head */
} Twin;

static gsize
visible (const Twin *w, gsize t)
{
  gsize T = w->op->shape.T;

  if (w->op->kind == NS_MASK_NONE)
    return T;
  return MIN (t + (w->wrong == WRONG_MASK ? 2 : 1), T);
}

static void
twin_probabilities (Twin *w, gsize q_at, gsize kv_at)
{
  NsAttentionShape s = w->op->shape;

  for (gsize t = 0; t < s.T; t++)
    {
      double sum = 0;

      for (gsize j = 0; j < s.T; j++)
        {
          double score = 0;

          if (!w->op->flag)
            score = SCALE * check_dot (w->q + q_at + t * s.H * s.D, w->k + kv_at + j * s.G * s.D, s.D);
          w->P[t * s.T + j] = j < visible (w, t) ? exp (score) : 0;
          sum += w->P[t * s.T + j];
        }
      for (gsize j = 0; j < s.T; j++)
        w->P[t * s.T + j] /= w->wrong == WRONG_WEIGHT ? (double) s.T : sum;
    }
}

/* Compute the query head at column q_at with the key and value head at column kv_at. */
static void
twin_head (Twin *w, gsize q_at, gsize kv_at, gboolean counts)
{
  NsAttentionShape s = w->op->shape;
  gsize A = s.H * s.D, K = s.G * s.D;

  twin_probabilities (w, q_at, kv_at);
  for (gsize t = 0; t < s.T; t++)
    for (gsize j = 0; j < s.T; j++)
      {
        double p = w->P[t * s.T + j], back = w->wrong == WRONG_TRANSPOSE ? w->P[j * s.T + t] : p;

        for (gsize c = 0; c < s.D; c++)
          {
            w->y[q_at + t * A + c] += p * w->v[kv_at + j * K + c];
            if (counts)
              w->dv[kv_at + j * K + c] += back * w->dy[q_at + t * A + c];
          }
        w->dS[t * s.T + j] = check_dot (w->dy + q_at + t * A, w->v + kv_at + j * K, s.D);
      }
  for (gsize t = 0; t < s.T && !w->op->flag; t++)
    {
      double mean = 0;

      for (gsize j = 0; j < s.T; j++)
        mean += w->P[t * s.T + j] * w->dS[t * s.T + j];
      for (gsize j = 0; j < s.T; j++)
        for (gsize c = 0; c < s.D; c++)
          {
            double d = SCALE * w->P[t * s.T + j] * (w->dS[t * s.T + j] - mean);

            w->dq[q_at + t * A + c] += d * w->k[kv_at + j * K + c];
            if (counts)
              w->dk[kv_at + j * K + c] += d * w->q[q_at + t * A + c];
          }
    }
}

/* Return the largest error of y and of the gradients against the definition. */
static double
twin_error (const Operation *op, Wrong wrong)
{
  NsAttentionShape s = op->shape;
  gsize n = adjoint_count_inputs (op), group = s.H / s.G;
  g_autofree ns_real *x = check_draw (n, 31), *dy = check_draw (op->n_out, 32);
  g_autofree ns_real *y = poison (op->n_out), *dx = poison (n);
  g_autofree double *expected = g_new0 (double, op->n_out + n), *square = g_new0 (double, 2 * s.T * s.T);
  Twin w = { .op = op, .wrong = wrong, .q = x, .k = x + op->parts[0], .v = x + op->parts[0] + op->parts[1], .dy = dy,
             .y = expected, .dq = expected + op->n_out, .P = square, .dS = square + s.T * s.T };
  double worst = 0;

  w.dk = w.dq + op->parts[0];
  w.dv = w.dk + op->parts[1];
  if (op->flag)
    {
      w.v = x;
      w.dv = w.dq;
    }
  for (gsize b = 0; b < s.B; b++)
    for (gsize h = 0; h < s.H; h++)
      twin_head (&w, (b * s.T * s.H + h) * s.D,
                 (b * s.T * s.G + (wrong == WRONG_GROUP ? h % s.G : h / group)) * s.D,
                 wrong != WRONG_SUM || h % group == group - 1);
  forward (op, y, x);
  backward (op, dx, dy, x);
  for (gsize i = 0; i < op->n_out; i++)
    worst = fmax (worst, check_relative_error (expected[i], y[i], 1));
  for (gsize i = 0; i < n; i++)
    worst = fmax (worst, check_relative_error (expected[op->n_out + i], dx[i], 1));
  return worst;
}

static void
test_definition (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int uniform = 0; uniform < 2; uniform++)
      for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
        {
          NsAttentionShape s = shapes[i];
          Operation op = operation (s, (NsAttentionMask) mask, uniform);
          gboolean past = mask == NS_MASK_CAUSAL && s.T > 1;

          g_assert_cmpfloat (twin_error (&op, RIGHT), <=, VALUE_TOLERANCE);
          if (s.G > 1 && s.G < s.H)
            g_assert_cmpfloat (twin_error (&op, WRONG_GROUP), >, 0.1);
          if (s.G < s.H)
            g_assert_cmpfloat (twin_error (&op, WRONG_SUM), >, 0.1);
          if (past)
            g_assert_cmpfloat (twin_error (&op, WRONG_MASK), >, 0.1);
          if (past || (!uniform && s.T > 1))
            g_assert_cmpfloat (twin_error (&op, WRONG_TRANSPOSE), >, 0.02);
          if (past && uniform)
            g_assert_cmpfloat (twin_error (&op, WRONG_WEIGHT), >, 0.1);
        }
}

/* ---- backward against forward ---- */

/* Omit the scale in ∂L/∂k. */
static void
plant_dk_scale (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = op->parts[0]; i < op->parts[0] + op->parts[1]; i++)
    dx[i] = (ns_real) (dx[i] / op->scale);
}

/* Use dq as dk. */
static void
plant_dq_for_dk (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memcpy (dx + op->parts[0], dx, op->parts[1] * sizeof *dx);
}

/* Zero dv, the last part, for the first token in the first head. */
static void
plant_dv (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memset (dx + (op->flag ? 0 : op->parts[0] + op->parts[1]), 0, op->shape.D * sizeof *dx);
}

/* Compute dv with the averaging matrix instead of its transpose. */
static void
plant_no_transpose (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  NsAttentionShape s = op->shape;
  g_autofree ns_real *all = g_new (ns_real, op->n_out);

  if (s.G == s.H)
    {
      ns_attention_forward (dx, NULL, NULL, NULL, dy, NS_MASKED (op->kind), TRUE, 1, s, NULL, NULL);
      return;
    }
  s.G = s.H;
  ns_attention_forward (all, NULL, NULL, NULL, dy, NS_MASKED (op->kind), TRUE, 1, s, NULL, NULL);
  memset (dx, 0, op->parts[0] * sizeof *dx);
  for (gsize i = 0; i < op->n_out; i++)
    {
      gsize head = i / s.D, group = s.H / op->shape.G;

      dx[head / group * s.D + i % s.D] += all[i];
    }
}

static void
test_adjoint (void)
{
  for (gsize i = 0; i < 4; i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation op = operation (shapes[i], (NsAttentionMask) mask, FALSE);

        adjoint_check (&op);
        adjoint_check_planted (&op, plant_dk_scale);
        adjoint_check_planted (&op, plant_dq_for_dk);
        adjoint_check_planted (&op, plant_dv);

        op = operation (shapes[i], (NsAttentionMask) mask, TRUE);
        adjoint_check (&op);
        adjoint_check_planted (&op, plant_dv);
        if (mask == NS_MASK_CAUSAL)
          adjoint_check_planted (&op, plant_no_transpose);
      }
}

/* ---- groups ---- */

/* Repeat each head of [B·T, G·D] for the query heads of its group: [B·T, H·D]. */
static ns_real *
repeat_heads (const ns_real *x, NsAttentionShape s)
{
  ns_real *all = g_new (ns_real, n_query (s));

  for (gsize i = 0; i < n_query (s); i++)
    all[i] = x[i / s.D / (s.H / s.G) * s.D + i % s.D];
  return all;
}

/* Grouped heads equal H heads with repeated keys and values; the gradient of a group is the sum over its heads. */
static void
test_groups (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int uniform = 0; uniform < 2; uniform++)
      for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
        {
          NsAttentionShape s = shapes[i], whole = s;
          gsize q = n_query (s), kv = n_key (s);
          g_autofree ns_real *x = check_draw (q + 2 * kv, 41), *dy = check_draw (q, 42);
          g_autofree ns_real *k = repeat_heads (x + q, s), *v = repeat_heads (x + q + kv, s);
          g_autofree ns_real *y = poison (2 * q), *d = poison (4 * q), *all = poison (3 * q);
          g_autofree ns_real *probs = poison (n_probs (s)), *scratch = poison (s.T * s.T);
          g_autofree double *sum = g_new0 (double, 2 * q);

          whole.G = s.H;
          ns_attention_forward (y + q, probs, x, k, v, NS_MASKED (mask), uniform, SCALE, whole, NULL, NULL);
          ns_attention_backward (all, all + q, all + 2 * q, scratch, dy, probs, x, k, v, NS_MASKED (mask),
                                 uniform, SCALE, whole, NULL);
          ns_attention_forward (y, probs, x, x + q, x + q + kv, NS_MASKED (mask), uniform, SCALE, s, NULL, NULL);
          ns_attention_backward (d, d + q, d + 2 * q, scratch, dy, probs, x, x + q, x + q + kv, NS_MASKED (mask),
                                 uniform, SCALE, s, NULL);
          for (gsize j = 0; j < q; j++)
            {
              gsize at = j / s.D / (s.H / s.G) * s.D + j % s.D;

              g_assert_cmpfloat_with_epsilon (y[j], y[q + j], VALUE_TOLERANCE);
              if (!uniform)
                g_assert_cmpfloat_with_epsilon (d[j], all[j], VALUE_TOLERANCE);
              sum[at] += all[q + j];
              sum[q + at] += all[2 * q + j];
            }
          for (gsize j = 0; j < kv; j++)
            {
              if (!uniform)
                g_assert_cmpfloat_with_epsilon (d[q + j], sum[j], VALUE_TOLERANCE);
              g_assert_cmpfloat_with_epsilon (d[2 * q + j], sum[q + j], VALUE_TOLERANCE);
            }
        }
}

/* ---- the mask ---- */

/* With NS_MASK_CAUSAL no output depends on later tokens, and the first token returns its own value. */
static void
test_visibility (void)
{
  for (int uniform = 0; uniform < 2; uniform++)
    for (gsize i = 0; i < 4; i++)
      {
        NsAttentionShape s = shapes[i];
        gsize A = s.H * s.D, K = s.G * s.D, q = n_query (s), kv = n_key (s), sequence = s.T * A;
        g_autofree ns_real *x = check_draw (q + 2 * kv, 5), *probs = poison (n_probs (s));
        g_autofree ns_real *y = poison (q), *changed = poison (q), *first = repeat_heads (x + q + kv, s);
        double most = 0;

        ns_attention_forward (y, probs, x, x + q, x + q + kv, NS_MASKED (NS_MASK_CAUSAL), uniform, SCALE, s, NULL,
                              NULL);
        for (gsize c = 0; c < A; c++)
          {
            g_assert_cmpfloat_with_epsilon (y[c], first[c], 1e-6);
            x[3 * A + c] += 1; /* token 3 of the first sequence */
          }
        for (gsize c = 0; c < K; c++)
          {
            x[q + 3 * K + c] += 1;
            x[q + kv + 3 * K + c] += 1;
          }
        ns_attention_forward (changed, probs, x, x + q, x + q + kv, NS_MASKED (NS_MASK_CAUSAL), uniform, SCALE, s,
                              NULL, NULL);
        g_assert_cmpmem (y, 3 * A * sizeof *y, changed, 3 * A * sizeof *y);
        g_assert_cmpmem (y + sequence, (q - sequence) * sizeof *y, changed + sequence, (q - sequence) * sizeof *y);
        for (gsize t = 3; t < s.T; t++)
          for (gsize c = 0; c < A; c++)
            most = fmax (most, fabs (y[t * A + c] - changed[t * A + c]));
        g_assert_cmpfloat (most, >, 0.05);
        /* with NS_MASK_NONE the change reaches the earlier tokens */
        ns_attention_forward (changed, probs, x, x + q, x + q + kv, NS_MASKED (NS_MASK_NONE), uniform, SCALE, s, NULL,
                              NULL);
        g_assert_cmpfloat (fabs (y[0] - changed[0]), >, 1e-4);
      }
}

/* Scores beyond the range of exp select one token. A NaN reaches only the tokens that see it. Equal scores give the
 * mean. */
static void
test_extremes (void)
{
  const NsAttentionShape s = { .B = 1, .T = 3, .D = 1, .H = 2, .G = 1 };
  const ns_real q[] = { 1e9f, -1e9f, 1e9f, -1e9f, 1e9f, -1e9f }, k[] = { 1e9f, 2e9f, -3e9f }, v[] = { 5, 6, 7 };
  const ns_real zero[6] = { 0 }, dy[] = { 1, 2, 3, 4, 5, 6 }, nan_q[] = { 0, 0, NAN, 0, 0, 0 };
  ns_real y[6], uniform[6], probs[18], scratch[9], dq[6], dk[3], dv[3];

  ns_attention_forward (y, probs, q, k, v, NS_MASKED (NS_MASK_NONE), FALSE, 1, s, NULL, NULL);
  for (gsize t = 0; t < 3; t++)
    {
      g_assert_cmpfloat (y[2 * t], ==, 6);
      g_assert_cmpfloat (y[2 * t + 1], ==, 7);
    }
  ns_attention_backward (dq, dk, dv, scratch, dy, probs, q, k, v, NS_MASKED (NS_MASK_NONE), FALSE, 1, s, NULL);
  g_assert_cmpfloat (dv[0], ==, 0);
  g_assert_cmpfloat (dv[1], ==, 9);
  g_assert_cmpfloat (dv[2], ==, 12);
  for (gsize i = 0; i < 6; i++)
    g_assert_cmpfloat (dq[i], ==, 0);
  for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
    {
      ns_attention_forward (y, probs, zero, k, v, NS_MASKED (mask), FALSE, 1, s, NULL, NULL);
      ns_attention_forward (uniform, NULL, NULL, NULL, v, NS_MASKED (mask), TRUE, 1, s, NULL, NULL);
      for (gsize i = 0; i < 6; i++)
        g_assert_cmpfloat_with_epsilon (y[i], uniform[i], 1e-6);
    }
  ns_attention_forward (y, probs, nan_q, k, v, NS_MASKED (NS_MASK_CAUSAL), FALSE, 1, s, NULL, NULL);
  for (gsize i = 0; i < 6; i++)
    g_assert_true (isnan (y[i]) == (i == 2));
}

void
add_attention_tests (void)
{
  g_test_add_func ("/attention/definition", test_definition);
  g_test_add_func ("/attention/adjoint", test_adjoint);
  g_test_add_func ("/attention/groups", test_groups);
  g_test_add_func ("/attention/visibility", test_visibility);
  g_test_add_func ("/attention/extremes", test_extremes);
}
