/* Test rotary positions: their angles, their pairs, and the backward pass. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include "engine/ops/ns-rotary.h"
#include "tests.h"

#include <complex.h>
#include <string.h>

static const NsRotaryRule plain = { .dim = 4, .base = 100 };

/* Heads with and without features that stay, an odd width, several sequences, one token. */
static const struct
{
  NsAttentionShape shape;
  gsize dim;
} cases[] = {
  { { .B = 2, .T = 5, .D = 8, .H = 3 }, 8 }, { { .B = 3, .T = 7, .D = 9, .H = 2 }, 6 },
  { { .B = 1, .T = 3, .D = 2, .H = 1 }, 2 }, { { .B = 4, .T = 1, .D = 6, .H = 2 }, 4 },
};

typedef struct
{
  NsRotary rotary;
  ns_real *cos, *sin;
} Angles;

static Angles
angles_new (const NsRotaryRule *rule, gsize T, gboolean interleaved)
{
  gsize n = T * rule->dim / 2;
  Angles angles = { .cos = g_new (ns_real, n), .sin = g_new (ns_real, n) };

  ns_rotary_fill (rule, T, angles.cos, angles.sin);
  angles.rotary = (NsRotary){ interleaved, T, rule->dim / 2, angles.cos, angles.sin };
  return angles;
}

static void
angles_free (Angles *angles)
{
  g_free (angles->cos);
  g_free (angles->sin);
}

/* ---- as an operation: kind 1 is interleaved, scale is the scaling's factor (0: no scaling), beta the dim ---- */

static NsRotaryRule
get_rule (const Operation *op)
{
  return (NsRotaryRule){ .dim = (gsize) op->beta,
                         .base = 100,
                         .scaling = op->scale > 0 ? NS_ROTARY_SCALING_YARN : NS_ROTARY_SCALING_NONE,
                         .factor = op->scale,
                         .original = 64,
                         .low = 1,
                         .high = 32 };
}

static void
turn (const Operation *op, ns_real *y, const ns_real *x, gboolean back)
{
  NsAttentionShape s = op->shape;
  NsRotaryRule rule = get_rule (op);
  Angles angles = angles_new (&rule, s.T, op->kind == 1);

  memcpy (y, x, op->n_out * sizeof *y);
  (back ? ns_rotary_backward : ns_rotary_forward) (y, &angles.rotary, s.B * s.T, s.H, s.D, NULL);
  angles_free (&angles);
}

static void
forward (const Operation *op, ns_real *y, const ns_real *x)
{
  turn (op, y, x, FALSE);
}

static void
backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  turn (op, dx, dy, TRUE);
}

static Operation
operation (gsize i, gboolean interleaved, double factor)
{
  NsAttentionShape s = cases[i].shape;
  gsize n = s.B * s.T * s.H * s.D;

  return (Operation){ .name = interleaved ? "interleaved" : "half", .n_out = n, .parts = { n }, .step = 10,
                      .forward = forward, .backward = backward, .kind = interleaved, .scale = factor,
                      .beta = (double) cases[i].dim, .shape = s };
}

/* Turn in the same direction once more. */
static void
plant_direction (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  turn (op, dx, dy, FALSE);
}

/* Turn the other kind of pairs. */
static void
plant_pairs (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  Operation other = *op;

  other.kind = !op->kind;
  turn (&other, dx, dy, TRUE);
}

/* Leave out the factor of YaRN. */
static void
plant_factor (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  NsRotaryRule rule = get_rule (op);

  for (gsize i = 0; i < op->n_out; i++)
    if (i % op->shape.D < rule.dim)
      dx[i] = (ns_real) (dx[i] / ns_rotary_get_factor (&rule));
}

static void
test_adjoint (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int interleaved = 0; interleaved < 2; interleaved++)
      for (int scaled = 0; scaled < 2; scaled++)
        {
          Operation op = operation (i, interleaved, scaled ? 4 : 0);

          adjoint_check (&op);
          if (scaled)
            adjoint_check_planted (&op, plant_factor);
          if (op.shape.T == 1) /* the angle 0 */
            continue;
          adjoint_check_planted (&op, plant_direction);
          if (cases[i].dim > 2) /* otherwise both kinds have the same pair */
            adjoint_check_planted (&op, plant_pairs);
        }
}

/* ---- the definition ---- */

/* Every pair as a complex number, times e^(i·t·θ). */
static void
test_definition (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int interleaved = 0; interleaved < 2; interleaved++)
      {
        Operation op = operation (i, interleaved, 0);
        NsAttentionShape s = op.shape;
        gsize r = cases[i].dim;
        g_autofree ns_real *x = check_draw (op.n_out, 3), *y = g_new (ns_real, op.n_out);

        forward (&op, y, x);
        for (gsize row = 0; row < s.B * s.T * s.H; row++)
          {
            const ns_real *from = x + row * s.D, *to = y + row * s.D;
            double t = (double) (row / s.H % s.T);

            g_assert_cmpmem (from + r, (s.D - r) * sizeof *from, to + r, (s.D - r) * sizeof *to);
            for (gsize pair = 0; pair < r / 2; pair++)
              {
                gsize a = interleaved ? 2 * pair : pair, b = interleaved ? a + 1 : a + r / 2;
                double angle = t / pow (100, 2 * (double) pair / (double) r);
                double complex z = (from[a] + I * from[b]) * cexp (I * angle);

                g_assert_cmpfloat_with_epsilon (to[a], creal (z), 10 * VALUE_TOLERANCE);
                g_assert_cmpfloat_with_epsilon (to[b], cimag (z), 10 * VALUE_TOLERANCE);
              }
          }
      }
}

/* The product of two turned vectors depends on the distance of their tokens alone, and lengths stay. */
static void
test_distance (void)
{
  const gsize T = 9, D = 8;
  const NsRotaryRule rule = { .dim = D, .base = 100 };
  g_autofree ns_real *q = g_new (ns_real, T * D), *k = g_new (ns_real, T * D), *one = check_draw (2 * D, 7);
  Angles angles = angles_new (&rule, T, FALSE);

  for (gsize t = 0; t < T; t++)
    {
      memcpy (q + t * D, one, D * sizeof *q);
      memcpy (k + t * D, one + D, D * sizeof *k);
    }
  ns_rotary_forward (q, &angles.rotary, T, 1, D, NULL);
  ns_rotary_forward (k, &angles.rotary, T, 1, D, NULL);
  for (gsize t = 1; t < T; t++)
    {
      g_assert_cmpfloat_with_epsilon (check_dot (q + t * D, k + (t - 1) * D, D), check_dot (q + D, k, D),
                                      100 * VALUE_TOLERANCE);
      g_assert_cmpfloat_with_epsilon (check_dot (q + t * D, q + t * D, D), check_dot (one, one, D),
                                      100 * VALUE_TOLERANCE);
      g_assert_cmpfloat (fabs (check_dot (q + t * D, k, D) - check_dot (q, k, D)), >, 1e-3);
    }
  angles_free (&angles);
}

/* ---- angles ---- */

static void
assert_frequencies (NsRotaryRule rule, double factor, const double *expected)
{
  for (gsize i = 0; i < rule.dim / 2; i++)
    g_assert_cmpfloat_with_epsilon (ns_rotary_get_frequency (&rule, i), expected[i], 1e-6 * expected[i]);
  g_assert_cmpfloat_with_epsilon (ns_rotary_get_factor (&rule), factor, 1e-12);
}

/* Worked out by hand: θ of base 100 and 8 features is 1, 0.316228, 0.1 and 0.0316228, which over 64 tokens turn 10.19,
 * 3.221, 1.019 and 0.322 times. */
static void
test_rules (void)
{
  NsRotaryRule rule = { .dim = 8, .base = 100, .factor = 4, .original = 64, .low = 1, .high = 4 };

  assert_frequencies (plain, 1, (const double[]) { 1, 0.1 });
  assert_frequencies (rule, 1, (const double[]) { 1, 0.31622777, 0.1, 0.031622777 });
  rule.scaling = NS_ROTARY_SCALING_LINEAR;
  assert_frequencies (rule, 1, (const double[]) { 0.25, 0.079056942, 0.025, 0.0079056942 });
  rule.scaling = NS_ROTARY_SCALING_LLAMA3; /* kept: 1, 0.7403537, 0.0061972, 0 */
  assert_frequencies (rule, 1, (const double[]) { 1, 0.25464791, 0.025464791, 0.0079056942 });
  rule.scaling = NS_ROTARY_SCALING_YARN; /* the ramp goes from pair 0 to pair 3 */
  rule.high = 32;
  assert_frequencies (rule, 0.1 * log (4) + 1, (const double[]) { 1, 0.23717082, 0.05, 0.0079056942 });
  rule.original = 3; /* fewer tokens than the first pair needs for one turn: the ramp begins and ends there */
  assert_frequencies (rule, 0.1 * log (4) + 1, (const double[]) { 1, 0.079056942, 0.025, 0.0079056942 });
  rule.scaling = NS_ROTARY_SCALING_LONGROPE;
  rule.original = 64; /* 4³, so that m = √(4/3) */
  assert_frequencies (rule, sqrt (4.0 / 3), (const double[]) { 1, 0.31622777, 0.1, 0.031622777 });
  rule.rescale = (const double[]) { 1, 2, 4, 0.5 };
  rule.attention_factor = 1.5;
  assert_frequencies (rule, 1.5, (const double[]) { 1, 0.15811388, 0.025, 0.063245553 });
}

void
add_rotary_tests (void)
{
  g_test_add_func ("/rotary/adjoint", test_adjoint);
  g_test_add_func ("/rotary/definition", test_definition);
  g_test_add_func ("/rotary/distance", test_distance);
  g_test_add_func ("/rotary/rules", test_rules);
}
