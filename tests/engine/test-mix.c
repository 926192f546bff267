/* Test the weighted sums over streams: against sums written out, and each backward function against its forward one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ops/ns-mix.h"
#include "engine/ops/ns-token-mix.h"
#include "tests.h"

#include <string.h>

#define STREAMS ((gsize) 3)
#define TOKENS ((gsize) 4)
#define FEATURES ((gsize) 5)
#define ALL (TOKENS * STREAMS * FEATURES)
#define ONE (TOKENS * FEATURES)
#define WEIGHTS (STREAMS * (STREAMS + 2))
#define ALL_WEIGHTS (TOKENS * WEIGHTS)

#ifdef NS_DOUBLE
#define TOLERANCE 1e-13
#else
#define TOLERANCE 1e-5
#endif

/* The weights of each token, in one array: A_m, B, A_r. */
static NsMix
make_mix (const double *weights, gboolean of_tokens)
{
  return (NsMix){ STREAMS, weights, weights + 2 * STREAMS, weights + STREAMS, of_tokens ? WEIGHTS : 0 };
}

static double *
draw_weights (void)
{
  g_autofree ns_real *drawn = check_draw (ALL_WEIGHTS, 7);
  double *weights = g_new (double, ALL_WEIGHTS);

  for (gsize i = 0; i < ALL_WEIGHTS; i++)
    weights[i] = drawn[i];
  return weights;
}

static double
dot (const ns_real *a, const ns_real *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

static void
assert_near (double a, double b)
{
  if (!(fabs (a - b) <= TOLERANCE * (1 + fabs (a))))
    g_error ("%.17g and %.17g differ", a, b);
}

/* The element of stream i of token t. */
static double
at (const ns_real *x, gsize t, gsize i, gsize c)
{
  return x[(t * STREAMS + i) * FEATURES + c];
}

static void
test_sums (gconstpointer of_tokens)
{
  g_autofree double *weights = draw_weights ();
  g_autofree ns_real *x = check_draw (ALL, 1), *s = check_draw (ONE, 2), *y = g_new (ns_real, ALL);
  g_autofree ns_real *m = g_new (ns_real, ONE);
  NsMix mix = make_mix (weights, GPOINTER_TO_INT (of_tokens));

  ns_mix_in (m, x, &mix, TOKENS, FEATURES);
  ns_mix_out (y, 0.5, x, 0.25, s, &mix, TOKENS, FEATURES);
  for (gsize t = 0; t < TOKENS; t++)
    for (gsize c = 0; c < FEATURES; c++)
      {
        const double *in = mix.in + t * mix.stride, *out = mix.out + t * mix.stride;
        const double *streams = mix.streams + t * mix.stride;

        assert_near (in[0] * at (x, t, 0, c) + in[1] * at (x, t, 1, c) + in[2] * at (x, t, 2, c), m[t * FEATURES + c]);
        for (gsize j = 0; j < STREAMS; j++)
          assert_near (0.5 * (streams[j] * at (x, t, 0, c) + streams[3 + j] * at (x, t, 1, c)
                              + streams[6 + j] * at (x, t, 2, c))
                           + 0.25 * out[j] * s[t * FEATURES + c],
                       at (y, t, j, c));
      }
}

/* ⟨dm, m⟩ + ⟨dy, y⟩ = ⟨dx, x⟩ + ⟨ds, s⟩, also with dx in place of dy, and = Σ of the weights times their gradients. */
static void
test_adjoint (gconstpointer of_tokens)
{
  g_autofree double *weights = draw_weights (), *gradient = g_new0 (double, ALL_WEIGHTS);
  g_autofree ns_real *x = check_draw (ALL, 1), *s = check_draw (ONE, 2), *dy = check_draw (ALL, 3);
  g_autofree ns_real *dm = check_draw (ONE, 4), *y = g_new (ns_real, ALL), *m = g_new (ns_real, ONE);
  g_autofree ns_real *dx = g_new (ns_real, ALL), *ds = g_new (ns_real, ONE);
  NsMix mix = make_mix (weights, GPOINTER_TO_INT (of_tokens));
  double forward, from_weights = 0;

  ns_mix_in (m, x, &mix, TOKENS, FEATURES);
  ns_mix_out (y, 1, x, 1, s, &mix, TOKENS, FEATURES);
  ns_mix_out_backward (ds, dy, &mix, TOKENS, FEATURES);
  ns_mix_backward (dx, 1, dy, 1, dm, &mix, TOKENS, FEATURES);
  forward = dot (dm, m, ONE) + dot (dy, y, ALL);
  assert_near (forward, dot (dx, x, ALL) + dot (ds, s, ONE));

  ns_mix_add_products (gradient, mix.stride, x, STREAMS, dm, 1, TOKENS, FEATURES);
  ns_mix_add_products (gradient + STREAMS, mix.stride, dy, STREAMS, s, 1, TOKENS, FEATURES);
  ns_mix_add_products (gradient + 2 * STREAMS, mix.stride, x, STREAMS, dy, STREAMS, TOKENS, FEATURES);
  for (gsize i = 0; i < (mix.stride == 0 ? 1 : TOKENS) * WEIGHTS; i++)
    from_weights += weights[i] * gradient[i];
  assert_near (forward, from_weights);

  ns_mix_backward (dy, 1, dy, 1, dm, &mix, TOKENS, FEATURES);
  g_assert_cmpmem (dy, ALL * sizeof *dy, dx, ALL * sizeof *dx);
}

/* Copies in place, and their sum. */
static void
test_copies (void)
{
  g_autofree ns_real *x = check_draw (ONE, 1), *all = g_new (ns_real, ALL);

  memcpy (all, x, ONE * sizeof *x);
  ns_mix_copy (all, STREAMS, TOKENS, FEATURES);
  for (gsize t = 0; t < TOKENS; t++)
    for (gsize i = 0; i < STREAMS; i++)
      for (gsize c = 0; c < FEATURES; c++)
        g_assert_cmpfloat (at (all, t, i, c), ==, x[t * FEATURES + c]);
  ns_mix_sum (all, all, STREAMS, TOKENS, FEATURES);
  for (gsize i = 0; i < ONE; i++)
    assert_near (all[i], (double) STREAMS * x[i]);
}

/* ---- weights of each token ---- */

/* What the weights of tokens come from, in one array that can be moved: b, the scales, and l of all parts. */
#define SOURCES (WEIGHTS + NS_N_MIX_PARTS + ALL_WEIGHTS)

typedef struct
{
  double values[SOURCES];
  ns_real l[NS_N_MIX_PARTS][TOKENS * STREAMS * STREAMS];
} Sources;

static gsize
get_part_elements (NsMixPart part)
{
  return TOKENS * ns_mix_part_get_size (part, STREAMS);
}

static NsTokenMix
make_token_mix (Sources *sources, gboolean is_manifold)
{
  NsTokenMix mix = { .is_manifold = is_manifold, .n = STREAMS, .base = sources->values };
  const double *next = sources->values + WEIGHTS + NS_N_MIX_PARTS;

  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    {
      mix.scale[part] = sources->values[WEIGHTS + part];
      for (gsize i = 0; i < get_part_elements (part); i++)
        sources->l[part][i] = (ns_real) *next++;
      mix.l[part] = sources->l[part];
    }
  return mix;
}

/* The weights of a manifold are positive, and the rows and columns of A_r have the sum 1; those of tanh are b where
 * l = 0. Without l each token has the same. */
static void
test_token_weights (void)
{
  g_autofree ns_real *drawn = check_draw (SOURCES, 11);
  double weights[ALL_WEIGHTS], same[ALL_WEIGHTS];
  Sources sources;
  NsTokenMix mix;

  for (gsize i = 0; i < SOURCES; i++)
    sources.values[i] = drawn[i];
  mix = make_token_mix (&sources, TRUE);
  ns_token_mix_forward (weights, &mix, TOKENS);
  for (gsize t = 0; t < TOKENS; t++)
    for (gsize i = 0; i < STREAMS; i++)
      {
        const double *a_r = weights + t * WEIGHTS + ns_mix_part_get_offset (NS_MIX_STREAMS, STREAMS);
        const double *b = weights + t * WEIGHTS + ns_mix_part_get_offset (NS_MIX_OUT, STREAMS);

        g_assert_cmpfloat_with_epsilon (a_r[i] + a_r[3 + i] + a_r[6 + i], 1, 1e-14);
        g_assert_cmpfloat_with_epsilon (a_r[3 * i] + a_r[3 * i + 1] + a_r[3 * i + 2], 1, 1e-6);
        g_assert_cmpfloat (weights[t * WEIGHTS + i], >, 0);
        g_assert_cmpfloat (weights[t * WEIGHTS + i], <, 1);
        g_assert_cmpfloat (b[i], >, 0);
        g_assert_cmpfloat (b[i], <, 2);
      }
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    mix.l[part] = NULL;
  mix.is_manifold = FALSE;
  ns_token_mix_forward (same, &mix, TOKENS);
  for (gsize i = 0; i < ALL_WEIGHTS; i++)
    g_assert_cmpfloat (same[i], ==, sources.values[i % WEIGHTS]);
}

/* A large h makes P (h) a permutation, and takes no number out of its range. */
static void
test_sinkhorn_limits (void)
{
  double base[WEIGHTS] = { 0 }, weights[WEIGHTS], gradient[WEIGHTS], dbase[WEIGHTS] = { 0 };
  double dscale[NS_N_MIX_PARTS] = { 0 }, *h = base + ns_mix_part_get_offset (NS_MIX_STREAMS, STREAMS);
  NsTokenMix mix = { .is_manifold = TRUE, .n = STREAMS, .base = base };

  h[1] = h[3] = h[8] = 1000;
  ns_token_mix_forward (weights, &mix, 1);
  for (gsize e = 0; e < STREAMS * STREAMS; e++)
    g_assert_cmpfloat_with_epsilon (weights[2 * STREAMS + e], e == 1 || e == 3 || e == 8 ? 1 : 0, 1e-14);
  for (gsize i = 0; i < WEIGHTS; i++)
    gradient[i] = 1 + (double) i;
  ns_token_mix_backward (gradient, dbase, dscale, weights, &mix, 0, 1);
  for (gsize e = 0; e < STREAMS * STREAMS; e++)
    g_assert_cmpfloat_with_epsilon (dbase[2 * STREAMS + e], 0, 1e-12);
}

/* The gradients of b, of the scales and of l against differences of Σ c·weights. */
static void
test_token_gradients (gconstpointer data)
{
  gboolean is_manifold = GPOINTER_TO_INT (data);
  g_autofree ns_real *drawn = check_draw (SOURCES, 11), *c = check_draw (ALL_WEIGHTS, 12);
  double weights[ALL_WEIGHTS], gradient[ALL_WEIGHTS], all[SOURCES] = { 0 };
  double h = sizeof (ns_real) == sizeof (double) ? 1e-5 : 0x1p-8, tolerance = h * h * 50 + 1e-9;
  double *next = all + WEIGHTS + NS_N_MIX_PARTS;
  Sources sources;
  NsTokenMix mix;

  for (gsize i = 0; i < SOURCES; i++)
    sources.values[i] = ldexp (round (ldexp (drawn[i], 6)), -6); /* a step of 2^-8 is exact in single precision */
  mix = make_token_mix (&sources, is_manifold);
  ns_token_mix_forward (weights, &mix, TOKENS);
  for (gsize i = 0; i < ALL_WEIGHTS; i++)
    gradient[i] = c[i];
  ns_token_mix_backward (gradient, all, all + WEIGHTS, weights, &mix, 0, 2);
  ns_token_mix_backward (gradient, all, all + WEIGHTS, weights, &mix, 2, TOKENS);
  for (NsMixPart part = 0; part < NS_N_MIX_PARTS; part++)
    for (gsize i = 0; i < get_part_elements (part); i++)
      {
        gsize size = ns_mix_part_get_size (part, STREAMS);

        *next++ = gradient[i / size * WEIGHTS + ns_mix_part_get_offset (part, STREAMS) + i % size];
      }
  for (gsize i = 0; i < SOURCES; i++)
    {
      double sums[2] = { 0, 0 }, value = sources.values[i];

      for (int side = 0; side < 2; side++)
        {
          sources.values[i] = value + (side == 0 ? -h : h);
          mix = make_token_mix (&sources, is_manifold);
          ns_token_mix_forward (weights, &mix, TOKENS);
          for (gsize w = 0; w < ALL_WEIGHTS; w++)
            sums[side] += (double) c[w] * weights[w];
        }
      sources.values[i] = value;
      if (!(fabs ((sums[1] - sums[0]) / (2 * h) - all[i]) <= tolerance * (1 + fabs (all[i]))))
        g_error ("source %" G_GSIZE_FORMAT ": %.12g, differences give %.12g", i, all[i], (sums[1] - sums[0]) / (2 * h));
    }
}

void
add_mix_tests (void)
{
  g_test_add_data_func ("/mix/sums/static", GINT_TO_POINTER (FALSE), test_sums);
  g_test_add_data_func ("/mix/sums/of-tokens", GINT_TO_POINTER (TRUE), test_sums);
  g_test_add_data_func ("/mix/adjoint/static", GINT_TO_POINTER (FALSE), test_adjoint);
  g_test_add_data_func ("/mix/adjoint/of-tokens", GINT_TO_POINTER (TRUE), test_adjoint);
  g_test_add_func ("/mix/copies", test_copies);
  g_test_add_func ("/mix/token/weights", test_token_weights);
  g_test_add_func ("/mix/token/limits", test_sinkhorn_limits);
  g_test_add_data_func ("/mix/token/gradients/tanh", GINT_TO_POINTER (FALSE), test_token_gradients);
  g_test_add_data_func ("/mix/token/gradients/manifold", GINT_TO_POINTER (TRUE), test_token_gradients);
}
