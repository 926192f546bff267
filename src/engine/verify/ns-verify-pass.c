/* Run one whole pass for the self-check and collect its gradients and the inputs of its linear maps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/verify/ns-verify-private.h"

#include <string.h>

static NsVerifyTarget *
find_target (NsVerify *self, NsTensor tensor, gint64 site)
{
  for (guint i = 0; i < self->targets->len; i++)
    {
      NsVerifyTarget *target = &g_array_index (self->targets, NsVerifyTarget, i);

      if (target->tensor == tensor && target->site == site)
        return target;
    }
  return NULL;
}

/* Keep the norm that the user sees, as log10. */
static void
record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
  NsVerify *self = data;
  NsTensor tensor;
  NsVerifyTarget *target = ns_quantity_get_tensor (quantity, &tensor) ? find_target (self, tensor, site) : NULL;
  double shift = 0;

  if (target == NULL)
    return;
  if (self->plant != NULL && self->plant->norm != NULL)
    shift = self->plant->norm (self->plant->data, target->tensor, site, estimate);
  target->values[estimate] = value * pow (10, shift);
  /* the derivative of the loss is the mean gradient */
  if (self->experiment->sampling.batches == 1 || estimate == NS_ESTIMATE_MEAN)
    target->recorded = log10_value + shift;
}

static void
note_overflow (gpointer data, gint64 site)
{
  ((NsVerify *) data)->overflow = site;
}

/* Set the ratios of the norms of the minibatches to the norm of the mean gradient. sum2 is the square of the latter,
 * shares2 [M] the squared norms of the terms of the mean. */
static void
take_batches (const NsVerify *self, NsVerifyTarget *target, const double *shares2, double sum2)
{
  gsize M = self->pass->plan.M;

  target->batch_mean = target->batch_mean_square = 0;
  for (gsize m = 0; m < M; m++)
    {
      double ratio = (double) (M * M) * shares2[m] / sum2; /* a term is 1/M of the gradient of its minibatch */

      target->batch_mean += sqrt (ratio) / (double) M;
      target->batch_mean_square += ratio / (double) M;
    }
}

/* Set the norm of gradient·2^exponent and its dot products with the directions. */
static void
take_gradient (NsVerify *self, NsVerifyTarget *target, double *gradient, const double *shares2, double exponent)
{
  ns_real *direction = self->workers[0].direction;
  int power = (int) CLAMP (exponent, -4096, 4096);
  double sum2 = 0;

  if (self->plant != NULL && self->plant->gradient != NULL)
    self->plant->gradient (self->plant->data, target->tensor, target->site, gradient, target->n);
  for (gsize i = 0; i < target->n; i++)
    sum2 += gradient[i] * gradient[i];
  take_batches (self, target, shares2, sum2);
  target->has_gradient = target->has_norm = TRUE;
  target->log2_norm = log2 (sum2) / 2 + exponent;
  target->norm = ldexp (sqrt (sum2), power);
  for (guint id = 0; id < NS_VERIFY_DIRECTIONS; id++)
    {
      double dot = 0;

      ns_verify_draw (direction, target->n, target->tensor, target->site, id);
      for (gsize i = 0; i < target->n; i++)
        dot += gradient[i] * direction[i];
      target->dots[id] = ldexp (dot, power);
    }
}

/* Set the norm of a bias gradient, Σ_n dy [N, out]. Biases are 0 and take no part in the forward pass; dy here is
 * scaled by an unknown power of two, so the norm is checked modulo powers of two. */
static void
take_bias_gradient (const NsVerify *self, NsVerifyTarget *bias, const ns_real *dy, gsize N, gsize out)
{
  gsize M = self->pass->plan.M, rows = N / M;
  g_autofree double *shares2 = g_new0 (double, M);
  double all2 = 0, sum2 = 0;

  for (gsize o = 0; o < out; o++)
    {
      double column = 0;

      for (gsize m = 0; m < M; m++)
        {
          double share = 0;

          for (gsize n = m * rows; n < (m + 1) * rows; n++)
            {
              share += dy[n * out + o];
              all2 += (double) dy[n * out + o] * dy[n * out + o];
            }
          column += share;
          shares2[m] += share * share;
        }
      sum2 += column * column;
    }
  /* where the columns cancel (b_K shifts all scores of a row equally), both norms are rounding */
  bias->has_norm = sum2 > 1e-16 * all2;
  bias->is_modulo = TRUE;
  bias->log2_norm = log2 (sum2) / 2;
  take_batches (self, bias, shares2, sum2);
}

/* gradient [in, out] += share = xᵀ·dy of N tokens; return ‖share‖². share [in, out] is scratch. */
static double
add_product (double *gradient, double *share, const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out)
{
  double sum2 = 0;

  memset (share, 0, in * out * sizeof *share);
  for (gsize n = 0; n < N; n++)
    for (gsize i = 0; i < in; i++)
      for (gsize o = 0; o < out; o++)
        share[i * out + o] += (double) x[n * in + i] * dy[n * out + o];
  for (gsize i = 0; i < in * out; i++)
    {
      gradient[i] += share[i];
      sum2 += share[i] * share[i];
    }
  return sum2;
}

/* Return the end of the rows of matrix `group` from `first` on whose tokens are below `token`. */
static gsize
find_end (const NsRowGroups *groups, gsize group, gsize first, gsize token)
{
  while (first < groups->start[group + 1] && (groups->token != NULL ? groups->token[first] : first) < token)
    first++;
  return first;
}

/* Compute ∂L/∂W [in, out] = Σ_n x_n ⊗ dy_n as the plain sum, of each expert over its rows, and keep a copy of x
 * [N, in]. */
static void
take_matrix (gpointer data, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy)
{
  NsVerify *self = data;
  NsVerifyTarget *target = find_target (self, tensor, site);
  const gsize N = self->pass->plan.N, M = self->pass->plan.M, rows_of_one = N / M;
  const NsRowGroups groups = ns_pass_get_row_groups (self->pass, tensor, site);
  const gsize all = groups.start[groups.n];
  g_autofree double *shares2 = g_new (double, M);
  NsVerifyInput input = { tensor, site, NULL };
  gint64 rows, columns;
  gsize in, out;

  if (target == NULL)
    return;
  ns_tensor_get_shape (tensor, &self->experiment->shape, self->pass->plan.variant, &rows, &columns);
  in = (gsize) rows;
  out = (gsize) columns;
  memset (self->gradient, 0, target->n * sizeof *self->gradient);
  for (gsize m = 0; m < M; m++)
    shares2[m] = 0;
  for (gsize i = 0; i < groups.n; i++)
    for (gsize m = 0, first = groups.start[i], end; m < M; m++, first = end)
      {
        end = find_end (&groups, i, first, (m + 1) * rows_of_one);
        shares2[m] += add_product (self->gradient + i * in * out, self->share, x.v + first * in, dy.v + first * out,
                                   end - first, in, out);
      }
  take_gradient (self, target, self->gradient, shares2, x.exp2 + dy.exp2);
  target->is_matrix = TRUE;
  input.x = ns_memory_try_new (ns_real, all * in);
  if (input.x == NULL)
    {
      self->refused = TRUE;
      return;
    }
  memcpy (input.x, x.v, all * in * sizeof *x.v);
  g_array_append_val (self->inputs, input);
  for (guint i = 0; i < self->targets->len; i++)
    {
      NsVerifyTarget *bias = &g_array_index (self->targets, NsVerifyTarget, i);

      if (bias->site == site && bias->tensor == ns_matrix_get_bias (tensor))
        take_bias_gradient (self, bias, dy.v, N, out);
    }
}

static void
take_vector (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exponent)
{
  NsVerify *self = data;
  NsVerifyTarget *target = find_target (self, tensor, site);
  gsize M = self->pass->plan.M;
  g_autofree double *shares2 = g_new0 (double, M);

  if (target == NULL)
    return;
  memset (self->gradient, 0, target->n * sizeof *gradient);
  for (gsize m = 0; m < M; m++)
    for (gsize i = 0; i < target->n; i++)
      {
        double share = gradient[m * target->n + i];

        self->gradient[i] += share;
        shares2[m] += share * share;
      }
  take_gradient (self, target, self->gradient, shares2, exponent);
}

NsPassState
ns_verify_analyse (NsVerify *self, NsVerifyReport *report)
{
  const NsPassHooks hooks = { .matrix_gradient = take_matrix, .vector_gradient = take_vector, .data = self };
  NsPass pass;
  NsPassState state;

  ns_pass_init (&pass, self->experiment, 0, (guint64) self->experiment->sampling.seed, &self->workers[0].work,
                self->weights);
  pass.hooks = &hooks;
  pass.sink = (NsSink){ .record = record, .overflow = note_overflow, .data = self };
  self->pass = &pass;
  state = ns_pass_run (&pass, NULL, &self->loss);
  report->overflow = self->overflow;
  if (state != NS_PASS_DONE || self->refused)
    return state;
  pass.hooks = NULL;
  for (guint i = 0; i < self->targets->len; i++)
    {
      NsVerifyTarget *target = &g_array_index (self->targets, NsVerifyTarget, i);

      if (target->is_matrix)
        target->std = ns_pass_get_matrix (&pass, target->tensor, target->site).std;
    }
  ns_verify_operations (&pass, self->inputs, self->plant, report);
  return state;
}
