/* The gradient norms of parameters and other numbers that a pass records.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass-parameters.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-probe.h"

#include <string.h>

/* ---- measurements ---- */

static void
record (NsPass *pass, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double exponent)
{
  const NsSink *sink = &pass->sink;
  /* ldexp() takes an int; beyond ±4096 the value is 0 or Inf anyway */
  double clamped = exponent > 4096 ? 4096 : exponent < -4096 ? -4096 : exponent;

  if (!ns_pass_wants (pass, quantity))
    return;
  sink->record (sink->data, quantity, estimate, site, ldexp (value, (int) clamped),
                log10 (value) + exponent * NS_LOG10_2);
  if (sink->stop && quantity == sink->last)
    pass->satisfied = TRUE;
}

void
ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exponent)
{
  record (pass, quantity, NS_ESTIMATE_NORM, site, value, exponent);
}

/* Return the root of the unbiased ‖E g‖² = (M·‖ḡ‖² − mean ‖g‖²)/(M − 1), negative when that is negative. */
static double
get_expected (double whole, double mean_square, double M)
{
  double square = (M * whole * whole - mean_square) / (M - 1);

  return copysign (sqrt (fabs (square)), square);
}

void
ns_pass_record_gradient (NsPass *pass, NsQuantity quantity, gint64 site, double whole, const double *batches,
                         double exponent)
{
  gsize M = pass->plan.M;
  double mean = 0, mean_square = 0;

  if (M == 1)
    {
      ns_pass_record (pass, quantity, site, whole, exponent);
      return;
    }
  for (gsize m = 0; m < M; m++)
    {
      double norm = batches != NULL ? batches[m] : whole;

      mean += norm / (double) M;
      mean_square += norm * norm / (double) M;
    }
  record (pass, quantity, NS_ESTIMATE_NORM, site, mean, exponent);
  record (pass, quantity, NS_ESTIMATE_MEAN, site, whole, exponent);
  record (pass, quantity, NS_ESTIMATE_EXPECTED, site, get_expected (whole, mean_square, (double) M), exponent);
}

/* ---- sums over parameters ---- */

void
ns_pass_clear_sums (NsPass *pass)
{
  gsize M = pass->plan.M;

  for (int sub = 0; sub < NS_N_SUBS; sub++)
    {
      pass->sum[sub] = (NsGradientSum){ { 0, 0 }, M > 1 ? pass->work->batch_sums + (gsize) sub * M : NULL };
      for (gsize m = 0; M > 1 && m < M; m++)
        pass->sum[sub].batches[m] = (NsRoot){ 0, 0 };
    }
}

static void
add_to_sum (const NsPass *pass, NsGradientSum *sum, double whole, const double *batches, double exponent)
{
  if (sum == NULL)
    return;
  ns_root_add (&sum->whole, whole, exponent);
  for (gsize m = 0; sum->batches != NULL && m < pass->plan.M; m++)
    ns_root_add (&sum->batches[m], batches[m], exponent);
}

/* Return the root of the sum over the sub-layers for minibatch m, or for the mean over the minibatches. */
static NsRoot
add_subs (const NsPass *pass, const NsSub *subs, int n, gboolean whole, gsize m)
{
  NsRoot all = { 0, 0 };

  for (int i = 0; i < n; i++)
    {
      const NsGradientSum *sum = &pass->sum[subs[i]];
      const NsRoot *root = whole ? &sum->whole : &sum->batches[m];

      if (n == 1)
        return *root;
      ns_root_add (&all, sqrt (root->sum2), root->exp2);
    }
  return all;
}

void
ns_pass_record_sums (NsPass *pass, NsQuantity quantity, gint64 site, const NsSub *subs, int n)
{
  gsize M = pass->plan.M;
  NsRoot whole = add_subs (pass, subs, n, TRUE, 0), root = whole;
  double *batches = pass->work->batch_norms, exponent = whole.exp2;

  if (!ns_pass_wants (pass, quantity))
    return;
  /* all in one power of two, the largest */
  for (gsize m = 0; M > 1 && m < M; m++)
    {
      root = add_subs (pass, subs, n, FALSE, m);
      if (root.sum2 > 0)
        exponent = whole.sum2 > 0 || m > 0 ? MAX (exponent, root.exp2) : root.exp2;
    }
  for (gsize m = 0; M > 1 && m < M; m++)
    {
      root = add_subs (pass, subs, n, FALSE, m);
      batches[m] = sqrt (root.sum2) * exp2 (root.exp2 - exponent);
    }
  ns_pass_record_gradient (pass, quantity, site, sqrt (whole.sum2) * exp2 (whole.exp2 - exponent), batches, exponent);
}

double
ns_pass_get_row_norm (const NsPass *pass, const ns_real *rows, gsize width, double sum2)
{
  gsize M = pass->plan.M, n = pass->plan.N / M * width;
  double sum = 0;

  if (M == 1)
    return sqrt (sum2);
  for (gsize m = 0; m < M; m++)
    sum += sqrt (ns_sum_squares (rows + m * n, n)); /* times M for its own loss, over M for the mean */
  return sum;
}

gboolean
ns_pass_wants (const NsPass *pass, NsQuantity quantity)
{
  const NsSink *sink = &pass->sink;

  return sink->record != NULL && ns_quantity_set_has (sink->wanted, quantity)
         && (pass->plan.n == 0 || !ns_quantity_needs_one_stream (quantity));
}

/* ---- parameters ---- */

/* Record the norm of dW = xᵀ·dy, [in, out], by each estimate. */
static void
record_matrix (NsPass *pass, NsQuantity quantity, gint64 site, NsScaled x, NsScaled dy, gsize in, gsize out,
               NsGradientSum *sum)
{
  NsWorkspace *w = pass->work;
  gsize M = pass->plan.M;
  double e = x.exp2 + dy.exp2, whole;

  if (M == 1)
    whole = ns_linear_gradient_norm (x.v, dy.v, w->N, in, out, &w->linear);
  else
    whole = ns_linear_gradient_norms (w->batch_norms, M, x.v, dy.v, w->N, in, out, &w->linear);
  /* the loss is the mean of the minibatches' losses: the share of each is 1/M of its own gradient */
  for (gsize m = 0; M > 1 && m < M; m++)
    w->batch_norms[m] *= (double) M;
  ns_pass_record_gradient (pass, quantity, site, whole, w->batch_norms, e);
  add_to_sum (pass, sum, whole, w->batch_norms, e);
}

/* Record the norm of the gradient of a vector or a table, [M, columns] shares of the minibatches, by each estimate. The
 * first row becomes the sum of all. */
static void
record_vector (NsPass *pass, NsQuantity quantity, gint64 site, double *gradient, gsize columns, double e,
               NsGradientSum *sum)
{
  double *batches = pass->work->batch_norms, whole;
  gsize M = pass->plan.M;

  for (gsize m = 0; M > 1 && m < M; m++)
    batches[m] = (double) M * sqrt (ns_sum_squares_double (gradient + m * columns, columns));
  for (gsize m = 1; m < M; m++)
    for (gsize c = 0; c < columns; c++)
      gradient[c] += gradient[m * columns + c];
  whole = sqrt (ns_sum_squares_double (gradient, columns));
  ns_pass_record_gradient (pass, quantity, site, whole, batches, e);
  add_to_sum (pass, sum, whole, batches, e);
}

void
ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsGradientSum *sum)
{
  NsWorkspace *w = pass->work;
  NsQuantity quantity = ns_tensor_get_quantity (tensor);
  NsTensor b = ns_matrix_get_bias (tensor);
  gsize M = pass->plan.M, n = w->N / M;
  gint64 in, out;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &in, &out);
  if (ns_pass_wants (pass, quantity))
    record_matrix (pass, quantity, site, x, dy, (gsize) in, (gsize) out, sum);
  if (pass->hooks != NULL && pass->hooks->matrix_gradient != NULL)
    pass->hooks->matrix_gradient (pass->hooks->data, tensor, site, x, dy);
  if (ns_variant_has_bias (pass->plan.variant, b) && ns_pass_wants (pass, ns_tensor_get_quantity (b)))
    {
      /* db = Σ_n dy_n [out] */
      for (gsize m = 0; m < M; m++)
        ns_column_sums (dy.v + m * n * (gsize) out, w->features + m * (gsize) out, n, (gsize) out);
      record_vector (pass, ns_tensor_get_quantity (b), site, w->features, (gsize) out, dy.exp2, sum);
    }
}

/* ---- experts ---- */

NsRowGroups
ns_pass_get_row_groups (const NsPass *pass, NsTensor tensor, gint64 site)
{
  const NsRouting *routing;

  if (pass->plan.E == 0 || !ns_tensor_is_of_ffn (tensor))
    return (NsRowGroups){ 1, pass->tokens, NULL };
  routing = &ns_workspace_get_block (pass->work, site)->sub[NS_SUB_FFN].routing;
  return (NsRowGroups){ pass->plan.E, routing->start, routing->token };
}

void
ns_pass_clear_expert_sums (NsPass *pass)
{
  memset (pass->work->expert_sums, 0, pass->plan.E * (1 + pass->plan.M) * sizeof *pass->work->expert_sums);
}

/* Return ‖x_eᵀ·dy_e‖ of the rows from `first` up to `end`. */
static double
get_rows_norm (NsPass *pass, NsScaled x, NsScaled dy, gsize first, gsize end, gsize in, gsize out)
{
  NsLinearScratch *linear = &pass->work->linear;

  if (first == end)
    return 0;
  linear->gram_x_valid = FALSE;
  return ns_linear_gradient_norm (x.v + first * in, dy.v + first * out, end - first, in, out, linear);
}

/* Return the first of the rows from `first` to `end` whose token is not below `token`. */
static gsize
find_token (const NsRowGroups *groups, gsize first, gsize end, gsize token)
{
  while (first < end && groups->token[first] < token)
    first++;
  return first;
}

/* Record the norms of dW_e = x_eᵀ·dy_e, [in, out] each, all together by each estimate. */
static void
record_experts (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, gsize in, gsize out,
                NsGradientSum *sum)
{
  NsWorkspace *w = pass->work;
  NsRowGroups groups = ns_pass_get_row_groups (pass, tensor, site);
  gsize M = pass->plan.M, n = pass->plan.N / M;
  double exponent = x.exp2 + dy.exp2, whole2 = 0;

  for (gsize m = 0; M > 1 && m < M; m++)
    w->batch_norms[m] = 0;
  for (gsize e = 0; e < groups.n; e++)
    {
      gsize first = groups.start[e], end = groups.start[e + 1];
      NsRoot *sums = w->expert_sums + e * (1 + M);
      double norm = get_rows_norm (pass, x, dy, first, end, in, out);

      whole2 += norm * norm;
      ns_root_add (&sums[0], norm, exponent);
      for (gsize m = 0; M > 1 && m < M; m++)
        {
          gsize next = find_token (&groups, first, end, (m + 1) * n);

          /* the share of each minibatch is 1/M of its own gradient */
          norm = (double) M * get_rows_norm (pass, x, dy, first, next, in, out);
          w->batch_norms[m] += norm * norm;
          ns_root_add (&sums[1 + m], norm, exponent);
          first = next;
        }
    }
  w->linear.gram_x_valid = FALSE;
  for (gsize m = 0; M > 1 && m < M; m++)
    w->batch_norms[m] = sqrt (w->batch_norms[m]);
  ns_pass_record_gradient (pass, ns_tensor_get_quantity (tensor), site, sqrt (whole2), w->batch_norms, exponent);
  add_to_sum (pass, sum, sqrt (whole2), w->batch_norms, exponent);
}

void
ns_pass_experts_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsGradientSum *sum)
{
  gint64 in, out;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &in, &out);
  if (ns_pass_wants (pass, ns_tensor_get_quantity (tensor)))
    record_experts (pass, tensor, site, x, dy, (gsize) in, (gsize) out, sum);
  if (pass->hooks != NULL && pass->hooks->matrix_gradient != NULL)
    pass->hooks->matrix_gradient (pass->hooks->data, tensor, site, x, dy);
}

/* Return the estimate of the gradient norm of an expert over 2^exponent. */
static double
get_expert_estimate (const NsPass *pass, gsize expert, NsGradientEstimate estimate, double exponent)
{
  gsize M = pass->plan.M;
  const NsRoot *sums = pass->work->expert_sums + expert * (1 + M);
  double whole = sqrt (sums[0].sum2) * exp2 (sums[0].exp2 - exponent), mean = 0, mean_square = 0;

  if (M == 1 || estimate == NS_ESTIMATE_MEAN)
    return whole;
  for (gsize m = 0; m < M; m++)
    {
      double norm = sqrt (sums[1 + m].sum2) * exp2 (sums[1 + m].exp2 - exponent);

      mean += norm / (double) M;
      mean_square += norm * norm / (double) M;
    }
  return estimate == NS_ESTIMATE_NORM ? mean : get_expected (whole, mean_square, (double) M);
}

double
ns_pass_get_expert_gradient (const NsPass *pass, gsize expert, NsGradientEstimate estimate, double *log10_value)
{
  const NsRoot *sums = pass->work->expert_sums + expert * (1 + pass->plan.M);
  double exponent = 0, value;

  for (gsize m = 0; m < 1 + pass->plan.M; m++)
    exponent = sums[m].sum2 > 0 ? sums[m].exp2 : exponent;
  value = get_expert_estimate (pass, expert, pass->plan.M == 1 ? NS_ESTIMATE_NORM : estimate, exponent);
  *log10_value = log10 (value) + exponent * NS_LOG10_2;
  return ldexp (value, (int) CLAMP (exponent, -4096, 4096));
}

void
ns_pass_record_expert_sums (NsPass *pass, gint64 site)
{
  gsize E = pass->plan.E, M = pass->plan.M;
  const NsRoot *sums = pass->work->expert_sums;
  double exponent = -INFINITY;

  if (!ns_pass_wants (pass, NS_Q_EXPERT_GRAD_MAX) && !ns_pass_wants (pass, NS_Q_EXPERT_GRAD_MIN))
    return;
  /* all in one power of two, the largest */
  for (gsize i = 0; i < E * (1 + M); i++)
    if (sums[i].sum2 > 0)
      exponent = MAX (exponent, sums[i].exp2);
  exponent = isinf (exponent) ? 0 : exponent;
  for (NsGradientEstimate estimate = NS_ESTIMATE_NORM; estimate < (M == 1 ? 1 : NS_N_ESTIMATES); estimate++)
    {
      double max = -INFINITY, min = INFINITY;

      for (gsize e = 0; e < E; e++)
        {
          double value = get_expert_estimate (pass, e, estimate, exponent);

          max = isnan (value) || value > max ? value : max;
          min = isnan (value) || value < min ? value : min;
        }
      record (pass, NS_Q_EXPERT_GRAD_MAX, estimate, site, max, exponent);
      record (pass, NS_Q_EXPERT_GRAD_MIN, estimate, site, min, exponent);
    }
}

void
ns_pass_vector_gradient (NsPass *pass, NsTensor tensor, gint64 site, double *gradient, double e, NsGradientSum *sum)
{
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &rows, &columns);
  if (pass->hooks != NULL && pass->hooks->vector_gradient != NULL)
    pass->hooks->vector_gradient (pass->hooks->data, tensor, site, gradient, e);
  record_vector (pass, ns_tensor_get_quantity (tensor), site, gradient, (gsize) (rows * columns), e, sum);
}
