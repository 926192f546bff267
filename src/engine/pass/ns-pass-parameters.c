/* Parameters that a pass reads, and the gradient norms and other numbers that it records.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-pass-parameters.h"

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-probe.h"

#define LOG10_2 0.30102999566398120

/* ---- measurements ---- */

void
ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exponent)
{
  const NsSink *sink = &pass->sink;
  /* ldexp() takes an int; beyond ±4096 the value is 0 or Inf anyway */
  double clamped = exponent > 4096 ? 4096 : exponent < -4096 ? -4096 : exponent;

  if (!ns_pass_wants (pass, quantity))
    return;
  sink->record (sink->data, quantity, site, ldexp (value, (int) clamped), log10 (value) + exponent * LOG10_2);
  if (sink->only && sink->stop && quantity == sink->wanted)
    pass->satisfied = TRUE;
}

gboolean
ns_pass_wants (const NsPass *pass, NsQuantity quantity)
{
  const NsSink *sink = &pass->sink;

  if (sink->record == NULL)
    return FALSE;
  return !sink->only || quantity == sink->wanted
         || (ns_quantity_info (quantity)->group == NS_GROUP_TENSOR
             && ns_quantity_info (sink->wanted)->group == NS_GROUP_SUM);
}

/* ---- parameters ---- */

NsMatrix
ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsMatrix W = { .distribution = ns_plan_get_distribution (plan, tensor), .std = ns_plan_get_std (plan, tensor, site) };
  gboolean is_head = tensor == NS_T_W_HEAD;
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
  W.in = (gsize) rows;
  W.out = (gsize) columns;
  W.key = (NsRandomKey){ pass->seed, is_head ? 0 : (guint32) ns_plan_get_layer (plan, site),
                         ns_tensor_get_stream (tensor, is_head ? NS_PART_STACK : ns_plan_get_part (plan, site)) };
  if (pass->hooks != NULL && pass->hooks->weights != NULL)
    W.unit = pass->hooks->weights (pass->hooks->data, tensor, site);
  if (W.unit != NULL)
    return W;
  if (is_head && ns_plan_has_tied_head (plan))
    {
      W.key.stream = NS_STREAM_EMBEDDING;
      W.transposed = TRUE;
    }
  W.unit = ns_weights_get (pass->weights, W.key, W.distribution, W.transposed ? W.out : W.in,
                           W.transposed ? W.in : W.out, pass->work->linear.team, pass->work->linear.progress);
  return W;
}

void
ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsRoot *sum)
{
  NsWorkspace *w = pass->work;
  NsQuantity quantity = ns_tensor_get_quantity (tensor);
  NsQuantity bias = ns_tensor_get_quantity (ns_matrix_get_bias (tensor));
  double e = x.exp2 + dy.exp2, norm;
  gint64 in, out;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &in, &out);
  if (ns_pass_wants (pass, quantity))
    {
      /* ‖dW‖, dW = xᵀ·dy [in, out] */
      norm = ns_linear_gradient_norm (x.v, dy.v, w->N, (gsize) in, (gsize) out, &w->linear);
      ns_pass_record (pass, quantity, site, norm, e);
      ns_root_add (sum, norm, e);
    }
  if (pass->hooks != NULL && pass->hooks->matrix_gradient != NULL)
    pass->hooks->matrix_gradient (pass->hooks->data, tensor, site, x.v, dy.v, e);
  if (pass->plan.variant->bias && ns_pass_wants (pass, bias))
    {
      /* ‖db‖, db = Σ_n dy_n [out] */
      norm = sqrt (ns_column_sum_squares (dy.v, w->features, w->N, (gsize) out));
      ns_pass_record (pass, bias, site, norm, dy.exp2);
      ns_root_add (sum, norm, dy.exp2);
    }
}

const ns_real *
ns_pass_get_vector (const NsPass *pass, NsTensor tensor, gint64 site)
{
  if (pass->hooks == NULL || pass->hooks->vector == NULL)
    return NULL;
  return pass->hooks->vector (pass->hooks->data, tensor, site);
}

void
ns_pass_vector_gradient (NsPass *pass, NsTensor tensor, gint64 site, const double *gradient, double e, NsRoot *sum)
{
  gint64 rows, columns;
  double norm;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &rows, &columns);
  norm = sqrt (ns_sum_squares_double (gradient, (gsize) columns));
  ns_pass_record (pass, ns_tensor_get_quantity (tensor), site, norm, e);
  ns_root_add (sum, norm, e);
  if (pass->hooks != NULL && pass->hooks->vector_gradient != NULL)
    pass->hooks->vector_gradient (pass->hooks->data, tensor, site, gradient, e);
}
