/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-pass.h"

#include "engine/ns-loss.h"
#include "engine/ns-probe.h"
#include "engine/ns-progress-private.h"

#include <string.h>

#define LOG10_2 0.30102999566398120

/* ---- measurements ---- */

void
ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exponent)
{
  const NsSink *sink = &pass->sink;
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
         || (quantity < (NsQuantity) NS_N_TENSORS && sink->wanted >= NS_Q_ATTN && sink->wanted <= NS_Q_BLOCK);
}

static void
record_overflow (NsPass *pass, gint64 site)
{
  if (pass->sink.overflow != NULL)
    pass->sink.overflow (pass->sink.data, site);
}

void
ns_root_add (NsRoot *root, double value, double exponent)
{
  int shift;

  if (value == 0)
    return;
  if (isfinite (value))
    {
      value = frexp (value, &shift);
      exponent += shift;
    }
  if (root->sum2 == 0)
    root->exp2 = exponent;
  else if (exponent > root->exp2)
    {
      root->sum2 *= exp2 (2 * (root->exp2 - exponent));
      root->exp2 = exponent;
    }
  root->sum2 += value * value * exp2 (2 * (exponent - root->exp2));
}

/* ---- scales ---- */

/* Brings x, of mean square rms², to about 1 by a power of two. */
static double
rescale (NsScaled *x, gsize n, double sum2, double most_exp2)
{
  double shift = floor (log2 (sum2 / (double) n) / 2);

  if (x->exp2 + shift > most_exp2)
    shift = most_exp2 - x->exp2;
  ns_scale (x->v, exp2 (-shift), n);
  x->exp2 += shift;
  return ns_sum_squares (x->v, n);
}

double
ns_take_power (double *factor)
{
  double size = fabs (*factor), power;

  if (!(size > 0 && size < 0x1p-20))
    return 0;
  power = floor (log2 (size));
  *factor *= exp2 (-power);
  return power;
}

#define SMALL 0x1p-80 /* of the mean square: 2^-40 of the values */
#define LARGE 0x1p+80

double
ns_settle_forward (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  /* upwards only when it had been scaled down before: overflow is a result */
  if ((mean2 > 0 && mean2 < SMALL) || (mean2 > 1 && x->exp2 < 0 && mean2 < INFINITY))
    return rescale (x, n, sum2, 0);
  return sum2;
}

double
ns_settle_backward (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  if (mean2 > 0 && mean2 < INFINITY && (mean2 < SMALL || mean2 > LARGE))
    return rescale (x, n, sum2, INFINITY);
  return sum2;
}

/* ---- parameters ---- */

NsMatrix
ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsMatrix W = { .distribution = plan->distribution, .std = ns_plan_get_std (plan, tensor, site) };
  gboolean of_head = tensor == NS_T_W_HEAD;
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
  W.in = (gsize) rows;
  W.out = (gsize) columns;
  W.key = (NsRandomKey){ pass->seed, of_head ? 0 : (guint32) ns_plan_get_layer (plan, site),
                         ns_tensor_get_stream (tensor, of_head ? NS_PART_STACK : ns_plan_get_part (plan, site)) };
  if (pass->hooks != NULL && pass->hooks->weights != NULL)
    W.unit = pass->hooks->weights (pass->hooks->data, tensor, site);
  if (W.unit == NULL)
    W.unit = ns_weights_get (pass->weights, W.key, W.distribution, W.in, W.out, pass->work->linear.team);
  return W;
}

/* The bias that goes with a matrix. */
static NsTensor
bias_of (NsTensor matrix)
{
  return matrix == NS_T_W_HEAD ? NS_T_B_HEAD : (NsTensor) (matrix + NS_N_BLOCK_MATRICES);
}

void
ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy, NsRoot *sum)
{
  NsWorkspace *w = pass->work;
  double e = x.exp2 + dy.exp2, norm;
  gint64 in, out;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, pass->plan.variant, &in, &out);
  if (ns_pass_wants (pass, (NsQuantity) tensor))
    {
      norm = ns_linear_gradient_norm (x.v, dy.v, w->N, (gsize) in, (gsize) out, &w->linear);
      ns_pass_record (pass, (NsQuantity) tensor, site, norm, e);
      ns_root_add (sum, norm, e);
    }
  if (pass->hooks != NULL && pass->hooks->matrix_gradient != NULL)
    pass->hooks->matrix_gradient (pass->hooks->data, tensor, site, x.v, dy.v, e);
  if (pass->plan.variant->bias && ns_pass_wants (pass, (NsQuantity) bias_of (tensor)))
    {
      norm = sqrt (ns_column_sum_squares (dy.v, w->features, w->N, (gsize) out));
      ns_pass_record (pass, (NsQuantity) bias_of (tensor), site, norm, dy.exp2);
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
  ns_pass_record (pass, (NsQuantity) tensor, site, norm, e);
  ns_root_add (sum, norm, e);
  if (pass->hooks != NULL && pass->hooks->vector_gradient != NULL)
    pass->hooks->vector_gradient (pass->hooks->data, tensor, site, gradient, e);
}

/* ---- the pass ---- */

/* rms_x and token_cos at x_l. FALSE when x_l is no longer finite. */
static gboolean
measure_stream (NsPass *pass, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsScaled *x = &pass->work->x[site];
  gsize n = plan->N * plan->C;
  double sum2 = ns_settle_forward (x, n);

  if (!isfinite (sum2))
    {
      record_overflow (pass, site);
      return FALSE;
    }
  ns_pass_record (pass, NS_Q_RMS_X, site, sqrt (sum2 / (double) n), x->exp2);
  if (plan->T > 1 && ns_pass_wants (pass, NS_Q_TOKEN_COS))
    ns_pass_record (pass, NS_Q_TOKEN_COS, site, ns_token_cosine (x->v, pass->work->features, plan->B, plan->T, plan->C),
                    0);
  return TRUE;
}

static void
record_grad_x (NsPass *pass, gint64 site)
{
  double sum2 = ns_settle_backward (&pass->dx, pass->plan.N * pass->plan.C);

  ns_pass_record (pass, NS_Q_GRAD_X, site, sqrt (sum2), pass->dx.exp2);
}

NsPassState
ns_pass_forward (NsPass *pass, gint64 first, gint64 last, NsProgress *progress)
{
  for (gint64 site = first; site <= last; site++)
    {
      gint64 layer = ns_plan_get_layer (&pass->plan, site), part = site / (pass->plan.depth + 1);

      if (layer > 0 && !ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      if (site == 0)
        ns_pass_load_input (pass);
      if (layer == 0 && part > 0)
        ns_part_close (pass, part - 1);
      if (layer == 0)
        ns_part_enter (pass, part);
      else
        {
          ns_block_forward (pass, site, TRUE);
          pass->cached_site = site;
        }
      if (!measure_stream (pass, site))
        return NS_PASS_OVERFLOWED;
    }
  return NS_PASS_DONE;
}

/* The loss and ∂L/∂h in pass->dx: cross-entropy behind the head's matrix. */
static double
cross_entropy_head (NsPass *pass, NsScaled h)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gint64 site = ns_plan_get_head_site (plan);
  NsMatrix W = ns_pass_get_matrix (pass, NS_T_W_HEAD, site);
  NsScaled dlogits = { w->logits, 0 };
  NsRoot unused = { 0, 0 };
  double power = ns_take_power (&W.std), loss;

  ns_linear_forward (w->logits, h.v, &W, 1, 0, plan->N, &w->linear);
  loss = ns_cross_entropy (w->logits, w->targets, exp2 (h.exp2 + power), plan->N, plan->V);
  if (isfinite (loss))
    {
      ns_pass_record (pass, NS_Q_LOSS, site, loss, 0);
      w->linear.gram_x_valid = FALSE;
      ns_pass_matrix_gradient (pass, NS_T_W_HEAD, site, h, dlogits, &unused);
      ns_linear_backward (pass->dx.v, dlogits.v, &W, 1, 0, plan->N, &w->linear);
      pass->dx.exp2 = power;
    }
  return loss;
}

/* The linear functional <upstream, h>, whose gradient is the upstream. */
static double
unit_gradient_head (NsPass *pass, NsScaled h)
{
  NsWorkspace *w = pass->work;
  double value = 0;

  for (gsize i = 0; i < w->N * w->C; i++)
    {
      w->dx[i] = w->input[i];
      value += (double) w->input[i] * h.v[i];
    }
  return value * exp2 (h.exp2);
}

NsPassState
ns_pass_head (NsPass *pass, double *loss)
{
  NsWorkspace *w = pass->work;
  gint64 part = pass->plan.n_parts - 1, head = ns_plan_get_head_site (&pass->plan);
  NsScaled h = ns_part_close (pass, part);
  double value;

  pass->dx = (NsScaled){ w->dx, 0 };
  pass->has_dsource = FALSE;
  value = w->logits != NULL ? cross_entropy_head (pass, h) : unit_gradient_head (pass, h);
  if (loss != NULL)
    *loss = value;
  if (!isfinite (value))
    {
      record_overflow (pass, head);
      return NS_PASS_OVERFLOWED;
    }
  ns_part_close_backward (pass, part);
  record_grad_x (pass, head - 1);
  return NS_PASS_DONE;
}

/* From a part's x_0 down to the x_L of the part before, when there is one. */
static void
step_below_part (NsPass *pass, gint64 site)
{
  gint64 part = site / (pass->plan.depth + 1);

  ns_part_leave_backward (pass, part);
  if (part == 0)
    return;
  pass->dx = ns_pass_add (pass, pass->work->dx, 0, pass->dsource, 1, pass->dsource);
  ns_part_close_backward (pass, part - 1);
  record_grad_x (pass, site - 1);
}

NsPassState
ns_pass_backward (NsPass *pass, gint64 lowest, NsProgress *progress)
{
  for (gint64 site = ns_plan_get_head_site (&pass->plan) - 1; site >= lowest && !pass->satisfied; site--)
    {
      if (ns_plan_get_layer (&pass->plan, site) == 0)
        {
          step_below_part (pass, site);
          continue;
        }
      if (!ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      if (!pass->work->keep_activations && pass->cached_site != site)
        ns_block_forward (pass, site, FALSE);
      pass->cached_site = 0;
      ns_block_backward (pass, site);
      if (pass->satisfied)
        break;
      if (ns_plan_get_layer (&pass->plan, site) == 1)
        ns_part_reach_input (pass);
      record_grad_x (pass, site - 1);
    }
  return NS_PASS_DONE;
}

NsPassState
ns_pass_run (NsPass *pass, NsProgress *progress, double *loss)
{
  NsPassState state = ns_pass_forward (pass, 0, ns_plan_get_head_site (&pass->plan) - 1, progress);

  if (state == NS_PASS_DONE)
    state = ns_pass_head (pass, loss);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (pass, 0, progress);
  return state;
}

void
ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
              NsWeights *weights)
{
  *pass = (NsPass){ .seed = seed, .work = work, .weights = weights };
  ns_plan_init (&pass->plan, experiment, variant);
  if (work->branch_gain != NULL)
    for (gsize c = 0; c < work->C; c++)
      work->branch_gain[c] = (ns_real) pass->plan.variant->branch_norm_gain;
}
