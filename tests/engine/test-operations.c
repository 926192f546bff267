/* Test the backward pass of every operation, with planted errors. Built in float and in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "adjoint.h"

#include "engine/experiment/ns-params.h"
#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-loss.h"
#include "engine/ops/ns-norm.h"
#include "tests.h"

#include <string.h>

/* ---- linear maps ---- */

/* y = beta·y0 + scale·x·W, where y0 is one of the inputs. */
static void
linear_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  gsize N = op->parts[0] / op->W.in;
  NsLinearScratch *scratch = linear_scratch_new (op->W.in, op->W.out, N);

  memcpy (y, x + op->parts[0], op->parts[1] * sizeof *y);
  ns_linear_forward (y, x, &op->W, op->scale, op->beta, N, scratch);
  linear_scratch_free (scratch);
}

static void
linear_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize N = op->parts[0] / op->W.in;
  NsLinearScratch *scratch = linear_scratch_new (op->W.in, op->W.out, N);

  ns_linear_backward (dx, dy, &op->W, op->scale, 0, N, scratch);
  for (gsize i = 0; i < op->parts[1]; i++)
    dx[op->parts[0] + i] = (ns_real) (op->beta * dy[i]);
  linear_scratch_free (scratch);
}

static const gsize linear_sizes[][3] = {
  { 5, 24, 40 }, { 3, 640, 1024 }, { 2, 4096, 200 }, { 2, 130, 5003 }, { 1, 1, 1 },
};

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
      g_autofree ns_real *unit = g_new (ns_real, op.W.in * op.W.out);

      adjoint_check (&op);
      ns_weights_fill (unit, op.W.key, op.W.distribution, op.W.out, 0, op.W.in, 0, op.W.out);
      op.W.unit = unit;
      adjoint_check (&op);
    }
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

  ns_norm_forward (y, mean, rstd, x, gain, bias, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C, NULL);
}

static void
norm_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real mean[NORM_N], rstd[NORM_N];
  const ns_real *gain = op->parts[1] > 0 ? x + op->parts[0] : NULL;
  const ns_real *bias = op->parts[2] > 0 ? x + op->parts[0] + op->parts[1] : NULL;
  double dgain[NORM_C], dbias[NORM_C];
  g_autofree ns_real *y = g_new (ns_real, op->parts[0]);

  ns_norm_forward (y, mean, rstd, x, gain, bias, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C, NULL);
  if (op->flag) /* in place */
    memcpy (dx, dy, op->parts[0] * sizeof *dx);
  ns_norm_backward (dx, gain != NULL ? dgain : NULL, bias != NULL ? dbias : NULL, op->flag ? dx : dy, x, mean, rstd,
                    gain, (NsNormKind) op->kind, op->beta, NORM_N, NORM_C, NULL);
  for (gsize c = 0; gain != NULL && c < NORM_C; c++)
    dx[op->parts[0] + c] = (ns_real) dgain[c];
  for (gsize c = 0; bias != NULL && c < NORM_C; c++)
    dx[op->parts[0] + NORM_C + c] = (ns_real) dbias[c];
}

/* Compute dx by its formula, optionally without one of the means. */
static void
norm_dx (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x, gboolean with_g, gboolean with_gx)
{
  ns_real mean[NORM_N], rstd[NORM_N];
  g_autofree ns_real *hat = g_new (ns_real, op->parts[0]);

  ns_norm_forward (hat, mean, rstd, x, NULL, NULL, (NsNormKind) op->kind, op->scale, op->beta, NORM_N, NORM_C, NULL);
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
  g_autofree ns_real *x = check_draw (adjoint_count_inputs (&op), 1), *dy = check_draw (op.n_out, 2);
  g_autofree ns_real *dx = g_new (ns_real, adjoint_count_inputs (&op)), *formula = g_new (ns_real, op.parts[0]);

  adjoint_check (&op);
  if (op.beta == 1)
    {
      adjoint_check_planted (&op, plant_no_mean_gx);
      norm_backward (&op, dx, dy, x);
      norm_dx (&op, formula, dy, x, TRUE, TRUE);
      for (gsize i = 0; i < op.parts[0]; i++)
        g_assert_cmpfloat_with_epsilon (dx[i], formula[i], VALUE_TOLERANCE);
    }
  if (op.kind == NS_NORM_LAYERNORM)
    adjoint_check_planted (&op, plant_no_mean_g);
  if (op.parts[1] > 0)
    adjoint_check_planted (&op, plant_swapped_gain);
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
          op.beta = 0; /* eps alone: a linear map */
          op.scale = 4;
          check_norm (op);
        }
}

/* ---- DyT ---- */

/* The inputs are x, α and, optionally, γ and β. x is stored at the scale of the operation. */
#define DYT_N 3
#define DYT_C 310 /* two tiles of unequal length */

static void
dyt_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  const ns_real *alpha = x + op->parts[0], *gain = op->parts[2] > 0 ? alpha + 1 : NULL;
  const ns_real *bias = gain != NULL ? gain + DYT_C : NULL;

  ns_dyt_forward (y, x, gain, bias, *alpha, op->scale, DYT_N, DYT_C, NULL);
}

static void
dyt_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const gsize n = op->parts[0];
  const ns_real *alpha = x + n, *gain = op->parts[2] > 0 ? alpha + 1 : NULL;
  double dgain[DYT_C], dbias[DYT_C], dalpha = NAN;

  for (gsize c = 0; c < DYT_C; c++)
    dgain[c] = dbias[c] = NAN; /* the backward pass must overwrite them */
  if (op->flag) /* in place */
    memcpy (dx, dy, n * sizeof *dx);
  ns_dyt_backward (dx, gain != NULL ? dgain : NULL, gain != NULL ? dbias : NULL, &dalpha, op->flag ? dx : dy, x, gain,
                   *alpha, op->scale, DYT_N, DYT_C, NULL);
  for (gsize i = 0; i < n && op->scale != 0; i++)
    dx[i] *= (ns_real) op->scale; /* with respect to the stored x */
  dx[n] = (ns_real) dalpha;
  for (gsize c = 0; gain != NULL && c < DYT_C; c++)
    {
      dx[n + 1 + c] = (ns_real) dgain[c];
      dx[n + 1 + DYT_C + c] = (ns_real) dbias[c];
    }
}

/* Omit the slope of tanh in dx. */
static void
plant_no_slope (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const ns_real *alpha = x + op->parts[0];

  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] = (ns_real) (dy[i] * *alpha * op->scale * (op->parts[2] > 0 ? alpha[1 + i % DYT_C] : 1));
}

/* Use the derivative with respect to the argument of tanh as ∂L/∂α. */
static void
plant_dalpha (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real sum = 0;

  for (gsize i = 0; i < op->parts[0]; i++)
    sum += dx[i];
  dx[op->parts[0]] = sum / x[op->parts[0]];
}

/* Swap the first and the last entry of dγ, which lie in different tiles. */
static void
plant_swapped_tiles (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_real *dgain = dx + op->parts[0] + 1, first = dgain[0];

  dgain[0] = dgain[DYT_C - 1];
  dgain[DYT_C - 1] = first;
}

static void
test_dyt (void)
{
  const double scales[] = { 1, 0.25, 0x1p-20, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    for (int variant = 0; variant < 4; variant++)
      {
        /* a β of about 1 would swallow the differences of tiny values */
        gboolean vectors = variant % 2 && (scales[i] == 0 || scales[i] > 0.1);
        Operation op = { .name = "dyt", .n_out = DYT_N * DYT_C, .parts = { DYT_N * DYT_C, 1, vectors ? 2 * DYT_C : 0 },
                         .step = 0.3, .forward = dyt_forward, .backward = dyt_backward, .scale = scales[i],
                         .flag = variant / 2 };

        adjoint_check (&op);
        if (scales[i] == 1)
          adjoint_check_planted (&op, plant_no_slope);
        adjoint_check_planted (&op, plant_dalpha);
        if (vectors)
          adjoint_check_planted (&op, plant_swapped_tiles);
      }
}

/* ---- activations ---- */

static void
activation_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  /* input x·scale, output y·scale */
  ns_activation_forward (y, x, op->parts[1] > 0 ? x + op->parts[0] : NULL, (NsActivation) op->kind, op->scale,
                         op->n_out, NULL);
}

static void
activation_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize n = op->n_out;

  if (op->flag)
    memcpy (dx, dy, n * sizeof *dx);
  ns_activation_backward (dx, op->parts[1] > 0 ? dx + n : NULL, op->flag ? dx : dy, x, op->parts[1] > 0 ? x + n : NULL,
                          (NsActivation) op->kind, op->scale, n, NULL);
}

/* Use act(h)/h as act'(h). */
static void
plant_value_for_slope (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  activation_forward (op, dx, x);
  for (gsize i = 0; i < op->n_out; i++)
    dx[i] = dx[i] / x[i] * dy[i];
}

/* Compute dg as for a linear gate: dy ⊙ h. */
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

  for (int kind = NS_ACT_RELU; kind <= NS_ACT_GEGLU_TANH; kind++)
    for (gsize i = 0; i < G_N_ELEMENTS (scales) * 2; i++)
      {
        gboolean gated = ns_activation_is_gated ((NsActivation) kind);
        Operation op = { .name = ns_param_find ("activation")->choices[kind], .n_out = n, .parts = { n, gated ? n : 0 },
                         .step = 1, .forward = activation_forward, .backward = activation_backward, .kind = kind,
                         .scale = scales[i / 2], .flag = i % 2 };

        adjoint_check (&op);
        if (kind != NS_ACT_RELU && scales[i / 2] > 0.1)
          adjoint_check_planted (&op, plant_value_for_slope);
        if (gated)
          adjoint_check_planted (&op, plant_linear_gate);
      }
}

/* ---- loss ---- */

#define LOSS_N 5
#define LOSS_V 41

static const gint32 targets[LOSS_N] = { 0, 40, 7, 7, 22 };

static void
loss_forward (const Operation *op, ns_real *y, const ns_real *x)
{
  g_autofree ns_real *logits = g_memdup2 (x, op->parts[0] * sizeof *x);

  *y = (ns_real) ns_cross_entropy (logits, targets, op->scale, 0, NULL, LOSS_N, LOSS_V, NULL);
}

static void
loss_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  memcpy (dx, x, op->parts[0] * sizeof *x);
  ns_cross_entropy (dx, targets, op->scale, 0, NULL, LOSS_N, LOSS_V, NULL);
  for (gsize i = 0; i < op->parts[0]; i++)
    dx[i] *= (ns_real) op->scale * *dy;
}

/* Omit the one-hot target. */
static void
plant_no_onehot (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  for (gsize n = 0; n < LOSS_N; n++)
    dx[n * LOSS_V + (gsize) targets[n]] += (ns_real) op->scale * *dy / LOSS_N;
}

/* Omit the division by the number of tokens. */
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

      adjoint_check (&op);
      adjoint_check_planted (&op, plant_no_onehot);
      adjoint_check_planted (&op, plant_no_mean);

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

void
add_operations_tests (void)
{
  g_test_add_func ("/operations/linear", test_linear);
  g_test_add_func ("/operations/norm", test_norm);
  g_test_add_func ("/operations/dyt", test_dyt);
  g_test_add_func ("/operations/activation", test_activation);
  g_test_add_func ("/operations/loss", test_loss);
}
