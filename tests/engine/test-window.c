/* Test attention with a window, forward and backward, its entropy, and which blocks have it. Built in float and in
 * double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-position-bias.h"
#include "tests.h"

#define SCALE 0.6

static const NsAttentionShape shapes[] = {
  { .B = 2, .T = 5, .D = 4, .H = 3, .G = 3 },
  { .B = 1, .T = 9, .D = 3, .H = 4, .G = 2 },
  { .B = 2, .T = 70, .D = 2, .H = 6, .G = 1 },
};
/* Smaller than the sequences, as long as one, and longer. */
static const gsize windows[] = { 2, 3, 5, 9, 64, 100 };

static NsScores
get_scores (const Operation *op, const ns_real *bias)
{
  return (NsScores){ .mask = (NsAttentionMask) op->kind, .bias = bias, .window = (gsize) op->beta };
}

/* ALiBi, if the operation has it. */
static ns_real *
make_bias (const Operation *op)
{
  ns_real *bias = g_new (ns_real, op->shape.H * (2 * op->shape.T - 1));

  ns_alibi_fill (bias, 1, op->shape.H, op->shape.T);
  return bias;
}

static ns_real *
new_probs (const Operation *op)
{
  return check_draw (op->shape.B * op->shape.H * op->shape.T * op->shape.T, 3); /* has to be overwritten */
}

static void
forward_with (const Operation *op, ns_real *y, ns_real *probs, const ns_real *x, NsAttentionStats *stats)
{
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  g_autofree ns_real *bias = make_bias (op);

  ns_attention_forward (y, probs, x, k, v, get_scores (op, op->flag ? bias : NULL), FALSE, op->scale, op->shape, stats,
                        NULL);
}

static void
forward (const Operation *op, ns_real *y, const ns_real *x)
{
  g_autofree ns_real *probs = new_probs (op);

  forward_with (op, y, probs, x, NULL);
}

static void
backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  g_autofree ns_real *probs = new_probs (op), *bias = make_bias (op), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *scratch = g_new (ns_real, op->shape.T * op->shape.T);
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];

  forward_with (op, y, probs, x, NULL);
  ns_attention_backward (dx, dx + op->parts[0], dx + op->parts[0] + op->parts[1], scratch, dy, probs, x, k, v,
                         get_scores (op, op->flag ? bias : NULL), FALSE, op->scale, op->shape, NULL);
}

static Operation
operation (NsAttentionShape s, int mask, gsize window, gboolean has_bias)
{
  gsize q = s.B * s.T * s.H * s.D, k = s.B * s.T * s.G * s.D;

  return (Operation){ .name = "window", .n_out = q, .parts = { q, k, k }, .step = 1, .forward = forward,
                      .backward = backward, .kind = mask, .scale = SCALE, .beta = (double) window, .flag = has_bias,
                      .shape = s };
}

/* Use the probabilities of a window that is one token longer. */
static void
plant_longer (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  Operation other = *op;

  other.beta++;
  backward (&other, dx, dy, x);
}

static void
test_adjoint (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      for (gsize w = 0; w < G_N_ELEMENTS (windows); w++)
        {
          Operation op = operation (shapes[i], mask, windows[w], w % 2 == 1);

          if (windows[w] > 5 && shapes[i].T > 9)
            continue;
          adjoint_check (&op);
          if (windows[w] < shapes[i].T)
            adjoint_check_planted (&op, plant_longer);
        }
}

/* ---- the definition ---- */

typedef struct
{
  double y, entropy, max_logit; /* largest differences */
} Differences;

/* Compare with the definition of a window of another length. */
static Differences
get_differences (const Operation *op, gsize window)
{
  const NsAttentionShape s = op->shape;
  g_autofree ns_real *x = check_draw (op->parts[0] + op->parts[1] + op->parts[2], 5), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *probs = new_probs (op);
  g_autofree double *p = g_new (double, s.T);
  const ns_real *k = x + op->parts[0], *v = k + op->parts[1];
  NsAttentionStats stats;
  double worst = 0, entropies = 0, max_logit = -INFINITY;
  gsize n = 0;

  forward_with (op, y, probs, x, &stats);
  for (gsize row = 0; row < s.B * s.T; row++)
    for (gsize h = 0; h < s.H; h++)
      {
        gsize t = row % s.T, first = row - t, g = h / (s.H / s.G), seen = 0;
        double sum = 0, entropy = 0;

        for (gsize j = 0; j < s.T; j++)
          {
            gsize distance = MAX (t, j) - MIN (t, j);
            double bias = op->flag ? -ns_alibi_get_slope (s.H, h) * (double) distance : 0, score;

            p[j] = 0;
            if (distance >= window || (op->kind == NS_MASK_CAUSAL && j > t))
              continue;
            score = op->scale * check_dot (x + (row * s.H + h) * s.D, k + ((first + j) * s.G + g) * s.D, s.D) + bias;
            max_logit = fmax (max_logit, score);
            p[j] = exp (score);
            sum += p[j];
            seen++;
          }
        for (gsize j = 0; j < s.T; j++)
          if (p[j] > 0)
            entropy -= p[j] / sum * log (p[j] / sum);
        if (seen > 1)
          {
            entropies += entropy / log ((double) seen);
            n++;
          }
        for (gsize c = 0; c < s.D; c++)
          {
            double value = 0;

            for (gsize j = 0; j < s.T; j++)
              value += p[j] / sum * v[((first + j) * s.G + g) * s.D + c];
            worst = fmax (worst, fabs (value - y[(row * s.H + h) * s.D + c]));
          }
      }
  return (Differences){ worst, fabs (stats.entropy - entropies / (double) n), fabs (stats.max_logit - max_logit) };
}

static void
test_definition (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      for (gsize w = 0; w < G_N_ELEMENTS (windows); w++)
        {
          Operation op = operation (shapes[i], mask, windows[w], w % 2 == 1);
          Differences right = get_differences (&op, windows[w]), wrong = get_differences (&op, windows[w] + 1);

          g_assert_cmpfloat (right.y, <, 10 * VALUE_TOLERANCE);
          g_assert_cmpfloat (right.entropy, <, 10 * VALUE_TOLERANCE);
          g_assert_cmpfloat (right.max_logit, <, 10 * VALUE_TOLERANCE);
          if (windows[w] < shapes[i].T)
            {
              g_assert_cmpfloat (wrong.y, >, 1e-3);
              g_assert_cmpfloat (wrong.entropy, >, 1e-6);
            }
        }
}

/* A window that no token reaches changes nothing. */
static void
test_long_window (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int mask = NS_MASK_NONE; mask <= NS_MASK_CAUSAL; mask++)
      {
        Operation with = operation (shapes[i], mask, shapes[i].T, TRUE), without = operation (shapes[i], mask, 0, TRUE);
        g_autofree ns_real *x = check_draw (with.parts[0] + with.parts[1] + with.parts[2], 5);
        g_autofree ns_real *a = g_new (ns_real, with.n_out), *b = g_new (ns_real, with.n_out);

        forward (&with, a, x);
        forward (&without, b, x);
        g_assert_cmpmem (a, with.n_out * sizeof *a, b, with.n_out * sizeof *b);
      }
}

/* ---- blocks ---- */

/* The windows of blocks 1 .. 7, "." for full attention. */
static void
test_blocks (void)
{
  static const struct
  {
    NsWindowSettings window;
    const char *blocks;
  } cases[] = {
    { { 0, 0, 0 }, "......." }, { { 8, 0, 0 }, "wwwwwww" }, { { 8, 2, 0 }, "w.w.w.w" }, /* Gemma 2 */
    { { 8, 6, 0 }, "wwwww.w" }, /* Gemma 3 */
    { { 8, 0, 3 }, "...wwww" }, /* Qwen2 */
    { { 8, 2, 3 }, "....w.w" }, { { 8, 1, 0 }, "......." }, { { 8, 0, 9 }, "......." }, { { 0, 2, 1 }, "......." },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsVariant) variant = ns_variant_new ("Window");

      variant->window = cases[i].window;
      for (gint64 layer = 1; layer <= 7; layer++)
        g_assert_cmpint (ns_variant_get_window (variant, layer), ==,
                         cases[i].blocks[layer - 1] == 'w' ? cases[i].window.size : 0);
    }
}

static void
test_rotary_rule (void)
{
  g_autoptr (NsVariant) variant = ns_variant_new ("Window");
  NsShape shape = { .d_model = 16, .heads = 2 };
  NsRotaryRule rule;

  variant->rotary.pairs = NS_ROTARY_HALF;
  variant->rotary.scaling = NS_ROTARY_SCALING_LINEAR;
  variant->rotary.base_local = 500;
  g_assert_false (ns_variant_has_local_rotary (variant));
  variant->window.size = 4;
  g_assert_true (ns_variant_has_local_rotary (variant));
  rule = ns_variant_get_local_rotary_rule (variant, &shape);
  g_assert_cmpfloat (rule.base, ==, 500);
  g_assert_cmpint (rule.scaling, ==, NS_ROTARY_SCALING_NONE);
  g_assert_cmpuint (rule.dim, ==, 8);
  g_assert_cmpint (ns_variant_get_rotary_rule (variant, &shape).scaling, ==, NS_ROTARY_SCALING_LINEAR);
  variant->rotary.base_local = NAN;
  g_assert_false (ns_variant_has_local_rotary (variant));
}

void
add_window_tests (void)
{
  g_test_add_func ("/window/adjoint", test_adjoint);
  g_test_add_func ("/window/definition", test_definition);
  g_test_add_func ("/window/long", test_long_window);
  g_test_add_func ("/window/blocks", test_blocks);
  g_test_add_func ("/window/rotary-rule", test_rotary_rule);
}
