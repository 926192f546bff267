/* Compare the gradients of a whole pass with finite differences of its loss.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-relative-bias.h"
#include "engine/verify/ns-adjoint.h"
#include "engine/verify/ns-verify-private.h"

#include <float.h>

/* Step sizes in units of a tensor's standard deviation. With ReLU a step is so short that it rarely crosses a kink. */
#define SMOOTH_LOSS_STEP 1e-4
#define KINKED_LOSS_STEP 1e-6
/* A step changes the loss by no more than this fraction, so that curvature stays small. */
#define MAX_LOSS_CHANGE 1e-5
/* Factors of the step, tried in turn. */
#define N_STEPS 4
static const double factors[N_STEPS] = { 1, 10, 0.1, 100 };

static gboolean
is_good (double error)
{
  return error <= ns_verify_kind_tolerance (NS_VERIFY_GRADIENT);
}

/* Return element i of a vector before the move. */
static double
get_element_base (const NsVerifyWorker *worker, gsize i)
{
  const NsVerifyTarget *target = worker->target;
  const NsPlan *plan = &worker->pass.plan;
  const NsTensorInfo *info = ns_tensor_info (target->tensor);
  gsize k = 2 * (gsize) (ns_plan_get_layer (plan, target->site) - 1) + (info->sub == NS_SUB_FFN ? 1 : 0);

  gboolean is_manifold = plan->variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;

  if (info->slot == NS_SLOT_MIX_IN)
    return i == k % plan->n ? 1 : is_manifold ? -1 : 0;
  if (info->slot == NS_SLOT_MIX_STREAMS)
    return (i / plan->n == i % plan->n ? 1 : 0) * (is_manifold ? 8 : 1) - (is_manifold ? 8 : 0);
  return target->base;
}

/* Return the moved target, or NULL for any other tensor: base + step·direction for a vector or a table; for a matrix
 * W = std·u the standard normal u + step·direction, since the pass multiplies by std. */
static const ns_real *
get_moved (NsVerifyWorker *worker, NsTensor tensor, gint64 site)
{
  const NsVerifyTarget *target = worker->target;
  gboolean has_values = target->is_matrix || tensor == NS_T_RELATIVE_BIAS;

  if (tensor != target->tensor || site != target->site)
    return NULL;
  if (!worker->is_filled)
    {
      NsMatrix W;

      if (target->is_matrix)
        {
          worker->is_filling = TRUE;
          W = ns_pass_get_matrix (&worker->pass, tensor, site);
          for (gsize i = 0; i < target->n / (W.in * W.out); i++) /* one, or those of the experts */
            {
              NsMatrix one = ns_pass_get_expert (&worker->pass, tensor, site, i);

              ns_matrix_fill (&one, worker->moved + i * W.in * W.out);
            }
          worker->is_filling = FALSE;
        }
      else if (tensor == NS_T_RELATIVE_BIAS)
        ns_relative_bias_draw (&worker->pass, ns_plan_get_index (&worker->pass.plan, site), worker->moved);
      for (gsize i = 0; i < target->n; i++)
        worker->moved[i] =
            (has_values ? worker->moved[i] : get_element_base (worker, i)) + worker->step * worker->direction[i];
      worker->is_filled = TRUE;
    }
  return worker->moved;
}

static const ns_real *
move_matrix (gpointer data, NsTensor tensor, gint64 site)
{
  NsVerifyWorker *worker = data;

  return worker->is_filling ? NULL : get_moved (worker, tensor, site);
}

static const ns_real *
move_vector (gpointer data, NsTensor tensor, gint64 site)
{
  return get_moved (data, tensor, site);
}

/* Return the loss with the target moved by step·direction; a matrix W = std·u moves by step·std·direction. */
static double
loss_at (NsVerify *self, NsVerifyWorker *worker, double step)
{
  const NsPassHooks hooks = { .weights = move_matrix, .vector = move_vector, .data = worker };
  double loss = NAN;

  worker->step = step;
  worker->is_filled = FALSE;
  ns_pass_init (&worker->pass, self->experiment, 0, (guint64) self->experiment->sampling.seed, &worker->work,
                self->weights);
  worker->pass.hooks = &hooks;
  worker->pass.satisfied = TRUE; /* no backward pass */
  ns_pass_run (&worker->pass, NULL, &loss);
  worker->pass.hooks = NULL;
  return loss;
}

static gboolean
has_kinks (const NsExperiment *experiment)
{
  const NsVariant *variant = ns_experiment_variant (experiment, 0);

  return variant->activation == NS_ACT_RELU || variant->experts.count > 0; /* a token may take another expert */
}

/* A finite difference of the loss along a direction. */
typedef struct
{
  double value; /* the central difference */
  double noise; /* its error from rounding of the loss */
  double bend;  /* distance of the two one-sided differences: falls with the step for a curve, not for a kink */
} Difference;

static Difference
difference_at (NsVerify *self, NsVerifyWorker *worker, const NsVerifyTarget *target, double h)
{
  double width = 2 * h * target->std, up = loss_at (self, worker, h), down = loss_at (self, worker, -h);

  return (Difference){ (up - down) / width, 8 * DBL_EPSILON * fabs (self->loss) / width,
                       2 * fabs (up - 2 * self->loss + down) / width };
}

/* Return TRUE when two differences show the derivative: they agree within the tolerance, and no kink at the point
 * itself explains the error. At such a kink the central difference averages the two sides for every step, which is off
 * by half of `bend`. */
static gboolean
is_trusted (const Difference *a, const Difference *b, double norm, double error)
{
  double scale = fmax (norm, fmax (fabs (a->value), fabs (b->value)));

  return fabs (a->value - b->value) + a->noise + b->noise <= ns_verify_kind_tolerance (NS_VERIFY_GRADIENT) * scale
         && fmax (a->bend, b->bend) <= 0.5 * error * scale;
}

/* Check one direction with one step after the other until the error is within the tolerance. Return TRUE when the
 * differences are trustworthy. */
static gboolean
check_direction (NsVerify *self, NsVerifyWorker *worker, NsVerifyTarget *target, guint id, double step)
{
  Difference found[N_STEPS];
  double error = INFINITY;
  gboolean trusted = FALSE;
  guint n;

  ns_verify_draw (worker->direction, target->n, target->tensor, target->site, id);
  for (n = 0; n < N_STEPS && !is_good (error); n++)
    {
      found[n] = difference_at (self, worker, target, step * factors[n]);
      error = fmin (error, ns_relative_error (found[n].value, target->dots[id], target->norm));
    }
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < i; j++)
      trusted |= is_trusted (&found[i], &found[j], target->norm, error);
  target->error = fmin (target->error, error);
  return trusted;
}

void
ns_verify_target (gpointer data, guint item, guint thread)
{
  NsVerify *self = data;
  NsVerifyWorker *worker = &self->workers[thread];
  NsVerifyTarget *target = &g_array_index (self->targets, NsVerifyTarget, item);
  gboolean trusted = FALSE;
  double step = has_kinks (self->experiment) ? KINKED_LOSS_STEP : SMOOTH_LOSS_STEP;

  target->error = INFINITY;
  if (!ns_progress_step (self->progress))
    atomic_store (&self->cancelled, TRUE);
  if (!target->has_gradient || atomic_load (&self->cancelled))
    return;
  worker->target = target;
  if (target->norm > 0 && self->loss != 0)
    step = fmin (step, MAX_LOSS_CHANGE * fabs (self->loss) / (target->norm * target->std));
  for (guint id = 0; id < NS_VERIFY_DIRECTIONS && !is_good (target->error); id++)
    trusted |= check_direction (self, worker, target, id, step);
  target->undecided = !is_good (target->error) && !trusted && isfinite (target->norm);
}
