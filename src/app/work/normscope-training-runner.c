/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-training-runner.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training-estimate.h"

/* Interval at which a growing training is checked for new steps. */
#define POLL_MS 40

struct _NormscopeTrainingRunner
{
  NormscopeBackground parent_instance;
  NsTraining *training; /* of the newest request, or NULL before the worker has made it */
  guint64 n_seen;       /* losses at the last "result" */
  guint poll_id;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingRunner, normscope_training_runner, NORMSCOPE_TYPE_BACKGROUND)

enum { RESULT, FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Either a training to go on with, or an experiment. */
typedef struct
{
  NsTraining *training;
  NsExperiment *experiment;
  gint64 n_steps;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->training, ns_training_unref);
  g_clear_pointer (&job->experiment, ns_experiment_free);
  g_free (job);
}

/* ---- main thread ---- */

typedef struct
{
  NsTraining *training; /* or NULL */
  GError *error;        /* or NULL */
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->training, ns_training_unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static guint64
count_steps (const NsTraining *training)
{
  guint64 n = 0;

  for (guint v = 0; v < ns_training_get_experiment (training)->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
      n += (guint64) ns_training_count_steps (training, v, s);
  return n;
}

static gboolean
poll_cb (gpointer data)
{
  NormscopeTrainingRunner *self = data;
  guint64 n = count_steps (self->training);

  if (n != self->n_seen)
    {
      self->n_seen = n;
      g_signal_emit (self, signals[RESULT], 0, self->training);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_poll (NormscopeTrainingRunner *self)
{
  g_clear_handle_id (&self->poll_id, g_source_remove);
}

static void
deliver_started (gpointer owner, gpointer data)
{
  NormscopeTrainingRunner *self = owner;

  g_clear_pointer (&self->training, ns_training_unref);
  self->training = ns_training_ref (((Delivery *) data)->training);
  self->n_seen = count_steps (self->training);
  end_poll (self);
  self->poll_id = g_timeout_add (POLL_MS, poll_cb, self);
  g_signal_emit (self, signals[RESULT], 0, self->training);
}

static void
deliver_ended (gpointer owner, gpointer data)
{
  NormscopeTrainingRunner *self = owner;
  Delivery *delivery = data;

  end_poll (self);
  g_clear_pointer (&self->training, ns_training_unref);
  normscope_background_end (NORMSCOPE_BACKGROUND (self));
  if (delivery->error != NULL)
    g_signal_emit (self, signals[FAILED], 0, delivery->error);
  else
    g_signal_emit (self, signals[RESULT], 0, delivery->training);
}

/* ---- worker thread ---- */

/* Reference the training, take the error. */
static void
enqueue (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, NsTraining *training, GError *error)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  *delivery = (Delivery) { training != NULL ? ns_training_ref (training) : NULL, error };
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
}

/* Return FALSE for a training that the engine refuses, which is not to replace one on the screen. */
static gboolean
fits (const NsEngine *engine, const NsTraining *training)
{
  const NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;
  NsTrainingMemory memory;
  NsEstimate estimate;

  ns_estimate_count_training (engine, ns_training_get_experiment (training), &plan, &estimate, &memory);
  return estimate.fits;
}

static void
run_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  if (job->training == NULL)
    job->training = ns_training_new (job->experiment, &NS_TRAINING_PLAN_DEFAULT, 0,
                                     (guint) job->experiment->sampling.seeds, &error);
  if (job->training != NULL)
    {
      gint64 n_steps = job->n_steps >= 0 ? job->n_steps : ns_training_get_n_steps (job->training);

      if (fits (engine, job->training))
        enqueue (worker, serial, deliver_started, job->training, NULL);
      ns_engine_train_until (engine, job->training, n_steps, progress, &error);
    }
  /* The canceller has already updated the state. */
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    g_error_free (error);
  else
    enqueue (worker, serial, deliver_ended, job->training, error);
}

/* ---- the object ---- */

/* Replace the request by another one, which is taken; NULL for none. */
static void
replace (NormscopeTrainingRunner *self, Job *job)
{
  end_poll (self);
  g_clear_pointer (&self->training, ns_training_unref);
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), job);
}

void
normscope_training_runner_submit (NormscopeTrainingRunner *self, const NsExperiment *experiment, gint64 n_steps)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUNNER (self));
  g_return_if_fail (experiment != NULL);

  job = g_new0 (Job, 1);
  *job = (Job) { .experiment = ns_experiment_copy (experiment), .n_steps = n_steps };
  replace (self, job);
}

void
normscope_training_runner_resume (NormscopeTrainingRunner *self, NsTraining *training, gint64 n_steps)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUNNER (self));
  g_return_if_fail (training != NULL);

  job = g_new0 (Job, 1);
  *job = (Job) { .training = ns_training_ref (training), .n_steps = n_steps };
  replace (self, job);
}

void
normscope_training_runner_stop (NormscopeTrainingRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUNNER (self));
  replace (self, NULL);
}

static void
normscope_training_runner_dispose (GObject *object)
{
  NormscopeTrainingRunner *self = NORMSCOPE_TRAINING_RUNNER (object);

  end_poll (self);
  g_clear_pointer (&self->training, ns_training_unref);
  G_OBJECT_CLASS (normscope_training_runner_parent_class)->dispose (object);
}

static void
normscope_training_runner_class_init (NormscopeTrainingRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_training_runner_dispose;
  signals[RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_training_runner_init (NormscopeTrainingRunner *self)
{
}

NormscopeTrainingRunner *
normscope_training_runner_new (NormscopeEngine *engine)
{
  NormscopeTrainingRunner *self = g_object_new (NORMSCOPE_TYPE_TRAINING_RUNNER, NULL);

  normscope_background_start (NORMSCOPE_BACKGROUND (self), engine, run_job, job_free);
  return self;
}
