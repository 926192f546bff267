/* Every operation's backward pass against its forward pass: for y = f (x) with Jacobian J, any direction d and any
 * upstream gradient g, <g, J·d> = <Jᵀ·g, d>. J·d is taken from the forward pass alone, by central differences of fourth
 * order; Jᵀ·g is what the backward pass gives. Built in double, where the two agree to 1e-6, and in float.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ns-activation.h"
#include "engine/ns-attention.h"
#include "engine/ns-linear.h"
#include "engine/ns-loss.h"
#include "engine/ns-norm.h"
#include "engine/ns-probe.h"

#include <string.h>

#ifdef NS_DOUBLE
#define STEP 1e-3
#define TOLERANCE 1e-6
#define VALUE_TOLERANCE 1e-12
#else
#define STEP 0.04
#define TOLERANCE 1e-3
#define VALUE_TOLERANCE 1e-5
#endif

typedef struct _Operation Operation;
struct _Operation
{
  const char *name;
  gsize n_out;
  gsize parts[3]; /* elements of the inputs, which stand one after the other; 0: none */
  double step;    /* as a multiple of STEP */
  void (*forward) (const Operation *op, ns_real *y, const ns_real *x);
  void (*backward) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);
  /* what it takes, by operation */
  int kind;
  double scale, beta;
  gboolean flag;
  NsAttentionShape shape;
  NsMatrix W;
};

static gsize
count_inputs (const Operation *op)
{
  return op->parts[0] + op->parts[1] + op->parts[2];
}

/* f (x + h·d) − f (x − h·d). */
static double
difference (const Operation *op, const ns_real *x, const ns_real *d, const ns_real *dy, double h)
{
  gsize n = count_inputs (op);
  g_autofree ns_real *y = g_new0 (ns_real, op->n_out), *at = g_new (ns_real, n);
  double up, down;

  for (gsize i = 0; i < n; i++)
    at[i] = (ns_real) (x[i] + h * d[i]);
  op->forward (op, y, at);
  up = check_dot (dy, y, op->n_out);
  memset (y, 0, op->n_out * sizeof *y);
  for (gsize i = 0; i < n; i++)
    at[i] = (ns_real) (x[i] - h * d[i]);
  op->forward (op, y, at);
  down = check_dot (dy, y, op->n_out);
  return up - down;
}

/* What one direction within inputs first .. first + n − 1 is off by, relative to what such a direction gives. */
static double
direction_error (const Operation *op, const ns_real *x, const ns_real *dy, const ns_real *dx, gsize first, gsize n,
                 guint id)
{
  g_autofree ns_real *drawn = check_draw (n, 900 + id), *d = g_new0 (ns_real, count_inputs (op));
  double h = STEP * op->step, expected, typical = sqrt (check_square (dx + first, n));

  memcpy (d + first, drawn, n * sizeof *d);
  expected = (8 * difference (op, x, d, dy, h) - difference (op, x, d, dy, 2 * h)) / (12 * h);
  return check_relative_error (expected, check_dot (dx + first, drawn, n), typical);
}

typedef void (*Planted) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);

/* The largest error over the inputs and some directions each; Inf where a number is not finite. `planted`, or NULL,
 * spoils what the backward pass gave. */
static double
adjoint_error (const Operation *op, Planted planted)
{
  gsize n = count_inputs (op), first = 0;
  g_autofree ns_real *x = check_draw (n, 1), *dy = check_draw (op->n_out, 2), *dx = g_new0 (ns_real, n);
  double worst = 0;

  /* a kink lies between two points of the difference only when an input is that close to it */
  for (gsize i = 0; i < n; i++)
    if (fabs (x[i]) < 0.5)
      x[i] += x[i] < 0 ? -0.5f : 0.5f;
  op->backward (op, dx, dy, x);
  if (planted != NULL)
    planted (op, dx, dy, x);
  for (int part = 0; part < 3 && op->parts[part] > 0; part++)
    {
      if (!isfinite (check_square (dx + first, op->parts[part])))
        return INFINITY;
      for (guint id = 0; id < 3; id++)
        worst = fmax (worst, direction_error (op, x, dy, dx, first, op->parts[part], id));
      first += op->parts[part];
    }
  return worst;
}

/* ---- planted errors that suit any operation ---- */

static void
plant_entry (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize largest = 0;

  for (gsize i = 0; i < op->parts[0]; i++)
    largest = fabs (dx[i]) > fabs (dx[largest]) ? i : largest;
  dx[largest] *= 1.5f;
}

static void
plant_sign (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] = -dx[i];
}

static void
plant_nan (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  dx[count_inputs (op) - 1] = NAN;
}

static void
plant_zero (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memset (dx, 0, count_inputs (op) * sizeof *dx);
}

static void
check_operation (const Operation *op)
{
  double error = adjoint_error (op, NULL);

  g_test_message ("%s: %.2g", op->name, error);
  g_assert_cmpfloat (error, <=, TOLERANCE);
  g_assert_cmpfloat (adjoint_error (op, plant_entry), >, 5 * TOLERANCE);
  g_assert_cmpfloat (adjoint_error (op, plant_sign), >, 0.1);
  g_assert_cmpfloat (adjoint_error (op, plant_zero), >, 0.1);
  g_assert_true (isinf (adjoint_error (op, plant_nan)));
}

static void
check_planted (const Operation *op, Planted planted)
{
  double error = adjoint_error (op, planted);

  g_test_message ("%s, planted: %.2g", op->name, error);
  g_assert_cmpfloat (error, >, 5 * TOLERANCE);
}

/* ---- linear maps ---- */

static NsLinearScratch *
scratch_new (gsize in, gsize out, gsize N)
{
  NsLinearScratch *s = g_new0 (NsLinearScratch, 1);

  s->panel = g_new (ns_real *, 1);
  s->panel[0] = g_new (ns_real, ns_linear_panel_elements (in, out));
  s->partial = g_new (double, NS_LINEAR_MAX_PANELS);
  s->gram_x = g_new (ns_real, N *N);
  s->gram_y = g_new (ns_real, N *N);
  return s;
}

static void
scratch_free (NsLinearScratch *s)
{
  g_free (s->panel[0]);
  g_free (s->panel);
  g_free (s->partial);
  g_free (s->gram_x);
  g_free (s->gram_y);
  g_free (s);
}

/* y = beta·y0 + scale·x·W with a y0 that is part of the inputs. */
static void
linear_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  gsize N = op->parts[0] / op->W.in;
  NsLinearScratch *scratch = scratch_new (op->W.in, op->W.out, N);

  memcpy (y, x + op->parts[0], op->parts[1] * sizeof *y);
  ns_linear_forward (y, x, &op->W, op->scale, op->beta, N, scratch);
  scratch_free (scratch);
}

static void
linear_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize N = op->parts[0] / op->W.in;
  NsLinearScratch *scratch = scratch_new (op->W.in, op->W.out, N);

  ns_linear_backward (dx, dy, &op->W, op->scale, 0, N, scratch);
  for (gsize i = 0; i < op->parts[1]; i++)
    dx[op->parts[0] + i] = (ns_real) (op->beta * dy[i]);
  scratch_free (scratch);
}

static const gsize linear_sizes[][3]
    = { { 5, 24, 40 }, { 3, 640, 1024 }, { 2, 4096, 200 }, { 2, 130, 5003 }, { 1, 1, 1 } };

static Operation
linear_operation (gsize i)
{
  gsize N = linear_sizes[i][0], in = linear_sizes[i][1], out = linear_sizes[i][2];

  return (Operation){ .name = "linear",
                      .n_out = N * out,
                      .parts = { N * in, N * out },
                      .step = 10,
                      .forward = linear_forward,
                      .backward = linear_backward,
                      .scale = 0.75,
                      .beta = 0.5,
                      .W = { .key = { 1, 2, (guint32) i }, .in = in, .out = out, .std = sqrt (1.0 / (double) in) } };
}

static void
test_linear (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (linear_sizes); i++)
    {
      Operation op = linear_operation (i);
      g_autofree ns_real *unit = g_new (ns_real, op.W.in *op.W.out);

      check_operation (&op);
      ns_weights_fill (unit, op.W.key, op.W.distribution, op.W.out, 0, op.W.in, 0, op.W.out);
      op.W.unit = unit;
      check_operation (&op);
    }
}

/* The product itself, term by term, with kept weights and with weights made again panel by panel. */
static void
test_linear_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (linear_sizes); i++)
    {
      Operation op = linear_operation (i);
      gsize N = linear_sizes[i][0], in = op.W.in, out = op.W.out;
      g_autofree ns_real *unit = g_new (ns_real, in *out), *x = check_draw (N * in, 3), *y0 = check_draw (N * out, 4);
      g_autofree ns_real *y = g_memdup2 (y0, N * out * sizeof *y0), *kept = g_memdup2 (y0, N * out * sizeof *y0);
      NsLinearScratch *scratch = scratch_new (in, out, N);
      double worst = 0;

      ns_linear_forward (y, x, &op.W, op.scale, op.beta, N, scratch);
      ns_weights_fill (unit, op.W.key, op.W.distribution, out, 0, in, 0, out);
      op.W.unit = unit;
      ns_linear_forward (kept, x, &op.W, op.scale, op.beta, N, scratch);
      g_assert_cmpmem (y, N * out * sizeof *y, kept, N * out * sizeof *y);
      for (gsize n = 0; n < N; n++)
        for (gsize o = 0; o < out; o++)
          {
            double sum = 0;

            for (gsize j = 0; j < in; j++)
              sum += (double) x[n * in + j] * unit[j * out + o];
            sum = op.beta * y0[n * out + o] + op.scale * op.W.std * sum;
            worst = fmax (worst, check_relative_error (sum, y[n * out + o], 1));
          }
      g_assert_cmpfloat (worst, <=, VALUE_TOLERANCE);
      scratch_free (scratch);
    }
}

/* ---- attention ---- */

#define ATTENTION_SCALE 0.6

static NsAttentionShape
attention_shape (void)
{
  return (NsAttentionShape){ .B = 2, .T = 5, .C = 12, .H = 3 };
}

static void
attention_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  NsAttentionShape s = op->shape;
  gsize n = s.B * s.T * s.C;
  g_autofree ns_real *probs = g_new (ns_real, s.B *s.H *s.T *s.T);

  if (op->kind == NS_ATTENTION_UNIFORM)
    ns_attention_forward (y, NULL, NULL, NULL, x, NS_ATTENTION_UNIFORM, op->scale, s);
  else
    ns_attention_forward (y, probs, x, x + n, x + 2 * n, (NsAttention) op->kind, op->scale, s);
}

static void
attention_backward_scaled (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x, double dq_scale)
{
  NsAttentionShape s = op->shape;
  gsize n = s.B * s.T * s.C;
  g_autofree ns_real *probs = g_new (ns_real, s.B *s.H *s.T *s.T), *scratch = g_new (ns_real, s.T *s.T);
  g_autofree ns_real *y = g_new (ns_real, n);

  if (op->kind == NS_ATTENTION_UNIFORM)
    {
      ns_attention_backward (NULL, NULL, dx, NULL, dy, NULL, NULL, NULL, x, NS_ATTENTION_UNIFORM, dq_scale, s);
      return;
    }
  ns_attention_forward (y, probs, x, x + n, x + 2 * n, (NsAttention) op->kind, op->scale, s);
  ns_attention_backward (dx, dx + n, dx + 2 * n, scratch, dy, probs, x, x + n, x + 2 * n, (NsAttention) op->kind,
                         dq_scale, s);
}

static void
attention_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  attention_backward_scaled (op, dx, dy, x, op->scale);
}

/* ∂L/∂k without 1/√d_h. */
static void
plant_dk_scale (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize n = op->parts[0];

  for (gsize i = n; i < 2 * n; i++)
    dx[i] = (ns_real) (dx[i] / op->scale);
}

/* dq taken for dk. */
static void
plant_dq_for_dk (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memcpy (dx + op->parts[0], dx, op->parts[0] * sizeof *dx);
}

/* dv without the last token in the last head. */
static void
plant_dv (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize d = op->shape.C / op->shape.H;

  memset (dx + 3 * op->parts[0] - d, 0, d * sizeof *dx);
}

static void
test_attention (void)
{
  gsize n = 2 * 5 * 12;
  Operation op = { .name = "attention", .n_out = n, .parts = { n, n, n }, .step = 1, .forward = attention_forward,
                   .backward = attention_backward, .scale = ATTENTION_SCALE, .shape = attention_shape () };

  for (int kind = NS_ATTENTION_FULL; kind <= NS_ATTENTION_CAUSAL; kind++)
    {
      op.kind = kind;
      check_operation (&op);
      check_planted (&op, plant_dk_scale);
      check_planted (&op, plant_dq_for_dk);
      check_planted (&op, plant_dv);
    }
  op.kind = NS_ATTENTION_UNIFORM; /* the mean over the tokens */
  op.parts[1] = op.parts[2] = 0;
  check_operation (&op);
}

/* Causal attention does not look ahead; a single token is passed on as it is. */
static void
test_attention_visibility (void)
{
  NsAttentionShape s = attention_shape ();
  gsize n = s.B * s.T * s.C, per_sequence = s.T * s.C;
  Operation op = { .parts = { n, n, n }, .scale = ATTENTION_SCALE, .shape = s, .kind = NS_ATTENTION_CAUSAL };
  g_autofree ns_real *x = check_draw (3 * n, 5), *y = g_new (ns_real, n), *changed = g_new (ns_real, n);

  attention_forward (&op, y, x);
  for (int part = 0; part < 3; part++)
    for (gsize c = 0; c < s.C; c++)
      x[(gsize) part * n + 3 * s.C + c] += 1; /* token 3 of the first sequence */
  attention_forward (&op, changed, x);
  g_assert_cmpmem (y, 3 * s.C * sizeof *y, changed, 3 * s.C * sizeof *y);
  g_assert_cmpmem (y + per_sequence, per_sequence * sizeof *y, changed + per_sequence, per_sequence * sizeof *y);
  for (gsize t = 3; t < 5; t++)
    for (gsize c = 0; c < s.C; c++)
      g_assert_cmpfloat (fabs (y[t * s.C + c] - changed[t * s.C + c]), >, 1e-4);
  /* the first token sees itself alone: y = v */
  for (gsize c = 0; c < s.C; c++)
    g_assert_cmpfloat_with_epsilon (y[c], x[2 * n + c], 1e-6);
}

/* ---- norms ---- */

#define NORM_N 4
#define NORM_C 37

static void
norm_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  ns_real mean[NORM_N], rstd[NORM_N];
  const ns_real *gain = op->parts[1] > 0 ? x + op->parts[0] : NULL;
  const ns_real *bias = op->parts[2] > 0 ? x + op->parts[0] + op->parts[1] : NULL;

  ns_norm_forward (y, mean, rstd, x, gain, bias, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C);
}

static void
norm_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real mean[NORM_N], rstd[NORM_N];
  const ns_real *gain = op->parts[1] > 0 ? x + op->parts[0] : NULL;
  const ns_real *bias = op->parts[2] > 0 ? x + op->parts[0] + op->parts[1] : NULL;
  double dgain[NORM_C], dbias[NORM_C];
  g_autofree ns_real *y = g_new (ns_real, op->parts[0]);

  ns_norm_forward (y, mean, rstd, x, gain, bias, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C);
  if (op->flag) /* in place */
    memcpy (dx, dy, op->parts[0] * sizeof *dx);
  ns_norm_backward (dx, gain != NULL ? dgain : NULL, bias != NULL ? dbias : NULL, op->flag ? dx : dy, x, mean, rstd,
                    gain, (NsNormKind) op->kind, op->beta, NORM_N, NORM_C);
  for (gsize c = 0; gain != NULL && c < NORM_C; c++)
    dx[op->parts[0] + c] = (ns_real) dgain[c];
  for (gsize c = 0; bias != NULL && c < NORM_C; c++)
    dx[op->parts[0] + NORM_C + c] = (ns_real) dbias[c];
}

/* dx by its formula, with either of the means left out. */
static void
norm_dx (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x, gboolean with_g, gboolean with_gx)
{
  ns_real mean[NORM_N], rstd[NORM_N];
  g_autofree ns_real *hat = g_new (ns_real, op->parts[0]);

  ns_norm_forward (hat, mean, rstd, x, NULL, NULL, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C);
  for (gsize n = 0; n < NORM_N; n++)
    {
      double g_mean = 0, gx_mean = 0, g[NORM_C];

      for (gsize c = 0; c < NORM_C; c++)
        {
          g[c] = dy[n * NORM_C + c] * (op->parts[1] > 0 ? x[op->parts[0] + c] : 1);
          g_mean += g[c] / NORM_C;
          gx_mean += g[c] * hat[n * NORM_C + c] / NORM_C;
        }
      for (gsize c = 0; c < NORM_C; c++)
        dx[n * NORM_C + c] = (ns_real) (rstd[n]
                                        * (g[c] - (with_g && op->kind == NS_NORM_LAYERNORM ? g_mean : 0)
                                           - (with_gx ? hat[n * NORM_C + c] * gx_mean : 0)));
    }
}

static void
plant_no_mean_gx (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  norm_dx (op, dx, dy, x, TRUE, FALSE);
}

static void
plant_no_mean_g (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  norm_dx (op, dx, dy, x, FALSE, TRUE);
}

static void
plant_swapped_gain (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real *dgain = dx + op->parts[0], first = dgain[0];

  dgain[0] = dgain[1];
  dgain[1] = first;
}

static void
check_norm (Operation op)
{
  g_autofree ns_real *x = check_draw (count_inputs (&op), 1), *dy = check_draw (op.n_out, 2);
  g_autofree ns_real *dx = g_new (ns_real, count_inputs (&op)), *formula = g_new (ns_real, op.parts[0]);

  check_operation (&op);
  if (op.beta == 1)
    {
      check_planted (&op, plant_no_mean_gx);
      norm_backward (&op, dx, dy, x);
      norm_dx (&op, formula, dy, x, TRUE, TRUE);
      for (gsize i = 0; i < op.parts[0]; i++)
        g_assert_cmpfloat_with_epsilon (dx[i], formula[i], VALUE_TOLERANCE);
    }
  if (op.kind == NS_NORM_LAYERNORM)
    check_planted (&op, plant_no_mean_g);
  if (op.parts[1] > 0)
    check_planted (&op, plant_swapped_gain);
}

static void
test_norm (void)
{
  for (int kind = NS_NORM_LAYERNORM; kind <= NS_NORM_RMSNORM; kind++)
    for (int vectors = 0; vectors < 3; vectors++)
      for (int in_place = 0; in_place < 2; in_place++)
        {
          Operation op = { .name = kind == NS_NORM_LAYERNORM ? "layernorm" : "rmsnorm", .n_out = NORM_N * NORM_C,
                           .parts = { NORM_N * NORM_C, vectors > 0 ? NORM_C : 0, vectors > 1 ? NORM_C : 0 },
                           .step = 1, .forward = norm_forward, .backward = norm_backward, .kind = kind,
                           .scale = 0.3 /* eps */, .beta = 1 /* weight of the variance */, .flag = in_place };

          check_norm (op);
          op.scale = 1e-5;
          check_norm (op);
          op.beta = 0; /* eps alone decides: a linear map */
          op.scale = 4;
          check_norm (op);
        }
}

/* ---- activations ---- */

static void
activation_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  /* an input of x·scale, an output of y·scale */
  ns_activation_forward (y, x, op->parts[1] > 0 ? x + op->parts[0] : NULL, (NsActivation) op->kind, op->scale,
                         op->n_out);
}

static void
activation_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize n = op->n_out;

  if (op->flag)
    memcpy (dx, dy, n * sizeof *dx);
  ns_activation_backward (dx, op->parts[1] > 0 ? dx + n : NULL, op->flag ? dx : dy, x, op->parts[1] > 0 ? x + n : NULL,
                          (NsActivation) op->kind, op->scale, n);
}

/* act (h)/h taken for act' (h). */
static void
plant_value_for_slope (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  activation_forward (op, dx, x);
  for (gsize i = 0; i < op->n_out; i++)
    dx[i] = dx[i] / x[i] * dy[i];
}

/* dg as if the gate were linear: dy ⊙ h. */
static void
plant_linear_gate (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = 0; i < op->n_out; i++)
    dx[op->n_out + i] = dy[i] * x[i];
}

static void
test_activation (void)
{
  const double scales[] = { 1, 0.25, 0x1p-30 };
  const gsize n = 333;

  for (int kind = NS_ACT_RELU; kind <= NS_ACT_GEGLU; kind++)
    for (gsize i = 0; i < G_N_ELEMENTS (scales) * 2; i++)
      {
        gboolean gated = ns_activation_is_gated ((NsActivation) kind);
        Operation op = { .name = ns_param_find ("activation")->choices[kind], .n_out = n, .parts = { n, gated ? n : 0 },
                         .step = 1, .forward = activation_forward, .backward = activation_backward, .kind = kind,
                         .scale = scales[i / 2], .flag = i % 2 };

        check_operation (&op);
        if (kind != NS_ACT_RELU && scales[i / 2] > 0.1)
          check_planted (&op, plant_value_for_slope);
        if (gated)
          check_planted (&op, plant_linear_gate);
      }
}

/* The values against erf and exp of the C library, far out too, and what NaN and Inf become. */
static void
test_activation_values (void)
{
  const ns_real odd[] = { NAN, INFINITY, -INFINITY };
  double worst = 0;

  for (double h = -30; h <= 30; h += 0.01)
    {
      ns_real x = (ns_real) h, y;
      double v = x;

      ns_activation_forward (&y, &x, NULL, NS_ACT_RELU, 1, 1);
      g_assert_cmpfloat (y, ==, v > 0 ? v : 0);
      ns_activation_forward (&y, &x, NULL, NS_ACT_GELU, 1, 1);
      worst = fmax (worst, check_relative_error (y, 0.5 * v * erfc (-v / sqrt (2)), 1));
      ns_activation_forward (&y, &x, NULL, NS_ACT_SILU, 1, 1);
      worst = fmax (worst, check_relative_error (y, v / (1 + exp (-v)), 1));
    }
  g_test_message ("%.2g", worst);
  g_assert_cmpfloat (worst, <=, fmax (VALUE_TOLERANCE, 1e-12));
  for (int kind = NS_ACT_RELU; kind <= NS_ACT_SILU; kind++)
    {
      ns_real y[3];

      ns_activation_forward (y, odd, NULL, (NsActivation) kind, 1, 3);
      g_assert_true (isnan (y[0]));
      g_assert_true (isinf (y[1]));
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

#define LOSS_N 5
#define LOSS_V 41

static const gint32 targets[LOSS_N] = { 0, 40, 7, 7, 22 };

static void
loss_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  g_autofree ns_real *logits = g_memdup2 (x, op->parts[0] * sizeof *x);

  *y = (ns_real) ns_cross_entropy (logits, targets, op->scale, LOSS_N, LOSS_V);
}

static void
loss_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memcpy (dx, x, op->parts[0] * sizeof *x);
  ns_cross_entropy (dx, targets, op->scale, LOSS_N, LOSS_V);
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] *= (ns_real) op->scale * *dy;
}

/* The softmax without the one of the target. */
static void
plant_no_onehot (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize n = 0; n < LOSS_N; n++)
    dx[n * LOSS_V + (gsize) targets[n]] += (ns_real) op->scale * *dy / LOSS_N;
}

/* A mean over the sequence for the sum of its terms, or the other way about. */
static void
plant_no_mean (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] *= LOSS_N;
}

static void
test_loss (void)
{
  const double scales[] = { 1, 0.5, 4 };

  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      Operation op = { .name = "cross-entropy", .n_out = 1, .parts = { LOSS_N * LOSS_V }, .step = 0.5,
                       .forward = loss_forward, .backward = loss_backward, .scale = scales[i] };
      g_autofree ns_real *x = check_draw (LOSS_N * LOSS_V, 8);
      ns_real loss;
      double expected = 0;

      check_operation (&op);
      check_planted (&op, plant_no_onehot);
      check_planted (&op, plant_no_mean);

      loss_forward (&op, &loss, x);
      for (gsize n = 0; n < LOSS_N; n++)
        {
          double sum = 0;

          for (gsize v = 0; v < LOSS_V; v++)
            sum += exp (scales[i] * x[n * LOSS_V + v]);
          expected += (log (sum) - scales[i] * x[n * LOSS_V + (gsize) targets[n]]) / LOSS_N;
        }
      g_assert_cmpfloat_with_epsilon (loss, expected, 10 * VALUE_TOLERANCE);
    }
}

/* Logits far apart, at the type's end, and not finite at all. */
static void
test_loss_range (void)
{
  const gint32 one = 1;
  ns_real far[3] = { 1e30f, -1e30f, 0 }, nan[3] = { 0, NAN, 0 }, inf[3] = { INFINITY, 0, 0 };

  g_assert_cmpfloat_with_epsilon (ns_cross_entropy (far, &one, 1, 1, 3) / 2e30, 1, 1e-6);
  g_assert_cmpfloat (far[0], ==, 1);
  g_assert_cmpfloat (far[1], ==, -1);
  g_assert_true (isnan (ns_cross_entropy (nan, &one, 1, 1, 3)));
  g_assert_false (isfinite (ns_cross_entropy (inf, &one, 1, 1, 3)));
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
  g_assert_cmpfloat_with_epsilon (ns_column_sum_squares (x, scratch, B * T, C), columns, 1e-9);
  g_assert_cmpfloat_with_epsilon (ns_sum_squares (x, n), check_square (x, n), 1e-9);

  ns_add (z, 0.5, x, -2, y, n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (z[i], 0.5 * x[i] - 2 * y[i], VALUE_TOLERANCE);

  /* equal tokens have cosine 1 to the last digits, a zero token no direction */
  for (gsize t = 1; t < B * T; t++)
    memcpy (x + t * C, x, C * sizeof *x);
  g_assert_cmpfloat_with_epsilon (ns_token_cosine (x, scratch, B, T, C), 1, 1e-14);
  memset (x, 0, C * sizeof *x);
  g_assert_true (isnan (ns_token_cosine (x, scratch, B, T, C)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  openblas_set_num_threads (1);

  g_test_add_func ("/operations/linear", test_linear);
  g_test_add_func ("/operations/linear-values", test_linear_values);
  g_test_add_func ("/operations/attention", test_attention);
  g_test_add_func ("/operations/attention-visibility", test_attention_visibility);
  g_test_add_func ("/operations/norm", test_norm);
  g_test_add_func ("/operations/activation", test_activation);
  g_test_add_func ("/operations/activation-values", test_activation_values);
  g_test_add_func ("/operations/exp", test_exp);
  g_test_add_func ("/operations/loss", test_loss);
  g_test_add_func ("/operations/loss-range", test_loss_range);
  g_test_add_func ("/operations/probe", test_probe);

  return g_test_run ();
}
