/* The gradients of a whole pass against differences of its loss.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/verify/ns-adjoint.h"
#include "engine/verify/ns-verify-private.h"

#include <float.h>

/* In units of a tensor's standard deviation. Past ReLU's kinks a step has to find its way between them. */
#define SMOOTH_STEP 1e-4
#define KINKED_STEP 1e-6
/* A step that moves the loss by more than this fraction meets its curvature. */
#define MOST_MOVED 1e-5
#define N_STEPS 4
static const double factors[N_STEPS] = { 1, 10, 0.1, 100 };

static gboolean
is_good (double error)
{
  return error <= ns_verify_kind_tolerance (NS_VERIFY_GRADIENT);
}

static const ns_real *
move (NsVerifyWorker *worker, NsTensor tensor, gint64 site)
{
  const NsVerifyTarget *target = worker->target;

  if (tensor != target->tensor || site != target->site)
    return NULL;
  if (!worker->is_filled)
    {
      NsMatrix W;

      if (target->is_matrix)
        {
          worker->is_asking = TRUE;
          W = ns_pass_get_matrix (&worker->pass, tensor, site);
          worker->is_asking = FALSE;
          ns_matrix_fill (&W, worker->moved);
        }
      for (gsize i = 0; i < target->n; i++)
        worker->moved[i] = (target->is_matrix ? worker->moved[i] : target->base) + worker->step * worker->direction[i];
      worker->is_filled = TRUE;
    }
  return worker->moved;
}

static const ns_real *
move_matrix (gpointer data, NsTensor tensor, gint64 site)
{
  NsVerifyWorker *worker = data;

  return worker->is_asking ? NULL : move (worker, tensor, site);
}

static const ns_real *
move_vector (gpointer data, NsTensor tensor, gint64 site)
{
  return move (data, tensor, site);
}

/* The loss with the target moved by step·direction; a matrix by step·std·direction, since W = std·u. */
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
  return ns_experiment_variant (experiment, 0)->activation == NS_ACT_RELU;
}

/* A difference of the loss as a derivative, what rounding of the loss makes of it, and how far the differences to the
 * two sides lie apart: with the step for a curve, without it for a kink. */
typedef struct
{
  double value, noise, bend;
} Difference;

static Difference
difference_at (NsVerify *self, NsVerifyWorker *worker, const NsVerifyTarget *target, double h)
{
  double width = 2 * h * target->std, up = loss_at (self, worker, h), down = loss_at (self, worker, -h);

  return (Difference){ (up - down) / width, 8 * DBL_EPSILON * fabs (self->loss) / width,
                       2 * fabs (up - 2 * self->loss + down) / width };
}

/* Differences of two steps that agree to the tolerance are the derivative; others tell nothing. Nor do those that a
 * kink at the very point makes half of one side's and half of the other's, whatever the step: they are off by half of
 * what the sides lie apart. */
static gboolean
is_trusted (const Difference *a, const Difference *b, double norm, double error)
{
  double scale = fmax (norm, fmax (fabs (a->value), fabs (b->value)));

  return fabs (a->value - b->value) + a->noise + b->noise <= ns_verify_kind_tolerance (NS_VERIFY_GRADIENT) * scale
         && fmax (a->bend, b->bend) <= 0.5 * error * scale;
}

/* One direction, step by step until it is good. TRUE: the differences are to be trusted. */
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
  double step = has_kinks (self->experiment) ? KINKED_STEP : SMOOTH_STEP;

  target->error = INFINITY;
  if (!ns_progress_step (self->progress))
    atomic_store (&self->cancelled, TRUE);
  if (!target->has_gradient || atomic_load (&self->cancelled))
    return;
  worker->target = target;
  if (target->norm > 0 && self->loss != 0)
    step = fmin (step, MOST_MOVED * fabs (self->loss) / (target->norm * target->std));
  for (guint id = 0; id < NS_VERIFY_DIRECTIONS && !is_good (target->error); id++)
    trusted |= check_direction (self, worker, target, id, step);
  target->undecided = !is_good (target->error) && !trusted && isfinite (target->norm);
}
