/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-fill-runner.h"

#include "engine/experiment/ns-experiment.h"

struct _NormscopeFillRunner
{
  NormscopeBackground parent_instance;
  const NormscopeFillKind *kind;
  gpointer result; /* of the newest request, or NULL before the worker has made it and after its end */
  guint64 n_seen;  /* count at the last "result" */
  guint poll_id;
};

G_DEFINE_FINAL_TYPE (NormscopeFillRunner, normscope_fill_runner, NORMSCOPE_TYPE_BACKGROUND)

enum { FILL_RUNNER_SIGNAL_RESULT, FILL_RUNNER_SIGNAL_FAILED, N_FILL_RUNNER_SIGNALS };
static guint fill_runner_signals[N_FILL_RUNNER_SIGNALS];

/* Either a result to go on with, or an experiment. */
typedef struct
{
  const NormscopeFillKind *kind;
  gpointer result;
  NsExperiment *experiment;
  gpointer settings; /* or NULL */
} FillJob;

static void
fill_job_free (gpointer data)
{
  FillJob *job = data;

  g_clear_pointer (&job->result, job->kind->unref);
  g_clear_pointer (&job->experiment, ns_experiment_free);
  g_free (job->settings);
  g_free (job);
}

/* ---- main thread ---- */

/* Look no longer at the result that fills. */
static void
drop_result (NormscopeFillRunner *self)
{
  g_clear_handle_id (&self->poll_id, g_source_remove);
  g_clear_pointer (&self->result, self->kind->unref);
}

static guint64
count (NormscopeFillRunner *self)
{
  guint64 done, total;

  normscope_background_get_progress (NORMSCOPE_BACKGROUND (self), &done, &total);
  return self->kind->count (self->result, done);
}

static gboolean
poll_cb (gpointer data)
{
  NormscopeFillRunner *self = data;
  guint64 n = count (self);

  if (n > 0 && n != self->n_seen)
    {
      self->n_seen = n;
      g_signal_emit (self, fill_runner_signals[FILL_RUNNER_SIGNAL_RESULT], 0, self->result);
    }
  return G_SOURCE_CONTINUE;
}

static void
deliver_started (gpointer owner, gpointer result)
{
  NormscopeFillRunner *self = owner;

  drop_result (self);
  self->result = self->kind->ref (result);
  self->n_seen = self->kind->shows_empty ? count (self) : 0;
  self->poll_id = g_timeout_add (self->kind->poll_ms, poll_cb, self);
  if (self->kind->shows_empty)
    g_signal_emit (self, fill_runner_signals[FILL_RUNNER_SIGNAL_RESULT], 0, self->result);
}

static void
deliver_filled (gpointer owner, gpointer result)
{
  drop_result (owner);
  normscope_background_end (owner);
  g_signal_emit (owner, fill_runner_signals[FILL_RUNNER_SIGNAL_RESULT], 0, result);
}

static void
deliver_failed (gpointer owner, gpointer error)
{
  drop_result (owner);
  normscope_background_end (owner);
  g_signal_emit (owner, fill_runner_signals[FILL_RUNNER_SIGNAL_FAILED], 0, error);
}

/* ---- worker thread ---- */

static void
enqueue_result (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, const FillJob *job)
{
  normscope_worker_enqueue_delivery (worker, serial, deliver, job->kind->ref (job->result), job->kind->unref);
}

static void
run_fill_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  FillJob *job = data;
  const NormscopeFillKind *kind = job->kind;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  if (job->result == NULL)
    {
      job->result = kind->make (job->experiment, job->settings, &error);
      if (job->result != NULL && kind->join != NULL)
        kind->join (normscope_worker_get_store (worker), job->result);
    }
  if (job->result != NULL)
    {
      if (kind->fits == NULL || kind->fits (engine, job->result))
        enqueue_result (worker, serial, deliver_started, job);
      kind->fill (engine, job->result, job->settings, progress, &error);
    }
  if (error == NULL)
    enqueue_result (worker, serial, deliver_filled, job);
  else if (!g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    normscope_worker_enqueue_delivery (worker, serial, deliver_failed, g_steal_pointer (&error),
                                       (GDestroyNotify) g_error_free);
  /* else the canceller has already updated the state */
}

/* ---- the object ---- */

/* Replace the request; takes the result or the experiment of the next one. */
static void
replace (NormscopeFillRunner *self, gpointer result, NsExperiment *experiment, gconstpointer settings)
{
  FillJob *job = g_new (FillJob, 1);

  *job = (FillJob) { self->kind, result, experiment, g_memdup2 (settings, self->kind->settings_size) };
  drop_result (self);
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), job);
}

void
normscope_fill_runner_submit (NormscopeFillRunner *self, const NsExperiment *experiment, gconstpointer settings)
{
  g_return_if_fail (NORMSCOPE_IS_FILL_RUNNER (self));
  g_return_if_fail (experiment != NULL && settings != NULL);
  replace (self, NULL, ns_experiment_copy (experiment), settings);
}

void
normscope_fill_runner_resume (NormscopeFillRunner *self, gpointer result, gconstpointer settings)
{
  g_return_if_fail (NORMSCOPE_IS_FILL_RUNNER (self));
  g_return_if_fail (result != NULL);
  replace (self, self->kind->ref (result), NULL, settings);
}

void
normscope_fill_runner_stop (NormscopeFillRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_FILL_RUNNER (self));
  drop_result (self);
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), NULL);
}

static void
normscope_fill_runner_dispose (GObject *object)
{
  drop_result (NORMSCOPE_FILL_RUNNER (object));
  G_OBJECT_CLASS (normscope_fill_runner_parent_class)->dispose (object);
}

static void
normscope_fill_runner_class_init (NormscopeFillRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_fill_runner_dispose;
  fill_runner_signals[FILL_RUNNER_SIGNAL_RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                                                 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  fill_runner_signals[FILL_RUNNER_SIGNAL_FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                                                 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_fill_runner_init (NormscopeFillRunner *self)
{
}

NormscopeFillRunner *
normscope_fill_runner_new (NormscopeEngine *engine, const NormscopeFillKind *kind)
{
  NormscopeFillRunner *self = g_object_new (NORMSCOPE_TYPE_FILL_RUNNER, NULL);

  self->kind = kind;
  normscope_background_start (NORMSCOPE_BACKGROUND (self), engine, run_fill_job, fill_job_free);
  return self;
}
