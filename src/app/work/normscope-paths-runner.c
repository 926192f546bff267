/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-paths-runner.h"

#include "engine/experiment/ns-experiment.h"

/* Interval at which filling paths are checked for new numbers. */
#define POLL_MS 60

struct _NormscopePathsRunner
{
  NormscopeBackground parent_instance;
  NsPaths *paths; /* of the newest request, or NULL before the worker has made them */
  guint64 n_seen; /* progress at the last "result" */
  guint poll_id;
};

G_DEFINE_FINAL_TYPE (NormscopePathsRunner, normscope_paths_runner, NORMSCOPE_TYPE_BACKGROUND)

enum { RESULT, FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Either paths to go on with, or what to compute. */
typedef struct
{
  NsPaths *paths;
  NsExperiment *experiment;
  NsPathsSettings settings;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->paths, ns_paths_unref);
  g_clear_pointer (&job->experiment, ns_experiment_free);
  g_free (job);
}

/* ---- main thread ---- */

typedef struct
{
  NsPaths *paths; /* or NULL */
  GError *error;  /* or NULL */
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->paths, ns_paths_unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

/* Count what a figure can show of paths that fill: the columns of a gain map appear one by one, other numbers seed by
 * seed. Return 0 while a variant has nothing. */
static guint64
count_numbers (NormscopePathsRunner *self)
{
  guint n_variants = ns_paths_get_experiment (self->paths)->variants->len, least = G_MAXUINT;
  guint64 done, total, n = 0;

  if (ns_paths_get_settings (self->paths)->kind == NS_PATHS_GAIN)
    {
      normscope_background_get_progress (NORMSCOPE_BACKGROUND (self), &done, &total);
      return done;
    }
  for (guint v = 0; v < n_variants; v++)
    {
      guint finished = ns_paths_count_finished (self->paths, v);

      least = MIN (least, finished);
      n += finished;
    }
  return least > 0 ? n : 0;
}

static gboolean
poll_cb (gpointer data)
{
  NormscopePathsRunner *self = data;
  guint64 n = count_numbers (self);

  if (n > 0 && n != self->n_seen)
    {
      self->n_seen = n;
      g_signal_emit (self, signals[RESULT], 0, self->paths);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_poll (NormscopePathsRunner *self)
{
  g_clear_handle_id (&self->poll_id, g_source_remove);
}

static void
deliver_started (gpointer owner, gpointer data)
{
  NormscopePathsRunner *self = owner;

  g_clear_pointer (&self->paths, ns_paths_unref);
  self->paths = ns_paths_ref (((Delivery *) data)->paths);
  self->n_seen = 0;
  end_poll (self);
  self->poll_id = g_timeout_add (POLL_MS, poll_cb, self);
}

static void
deliver_ended (gpointer owner, gpointer data)
{
  NormscopePathsRunner *self = owner;
  Delivery *delivery = data;

  end_poll (self);
  g_clear_pointer (&self->paths, ns_paths_unref);
  normscope_background_end (NORMSCOPE_BACKGROUND (self));
  if (delivery->error != NULL)
    g_signal_emit (self, signals[FAILED], 0, delivery->error);
  else
    g_signal_emit (self, signals[RESULT], 0, delivery->paths);
}

/* ---- worker thread ---- */

/* Reference the paths, take the error. */
static void
enqueue (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, NsPaths *paths, GError *error)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  *delivery = (Delivery) { paths != NULL ? ns_paths_ref (paths) : NULL, error };
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
}

static void
run_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  if (job->paths == NULL)
    job->paths = ns_paths_new (job->experiment, &job->settings, 0, (guint) job->experiment->sampling.seeds, &error);
  if (job->paths != NULL)
    {
      enqueue (worker, serial, deliver_started, job->paths, NULL);
      ns_engine_fill_paths (engine, job->paths, progress, &error);
    }
  /* The canceller has already updated the state. */
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    g_error_free (error);
  else
    enqueue (worker, serial, deliver_ended, job->paths, error);
}

/* ---- the object ---- */

/* Replace the request by another one, which is taken; NULL for none. */
static void
replace (NormscopePathsRunner *self, Job *job)
{
  end_poll (self);
  g_clear_pointer (&self->paths, ns_paths_unref);
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), job);
}

void
normscope_paths_runner_submit (NormscopePathsRunner *self, const NsExperiment *experiment,
                               const NsPathsSettings *settings)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_PATHS_RUNNER (self));
  g_return_if_fail (experiment != NULL && settings != NULL);

  job = g_new0 (Job, 1);
  job->experiment = ns_experiment_copy (experiment);
  job->settings = *settings;
  replace (self, job);
}

void
normscope_paths_runner_resume (NormscopePathsRunner *self, NsPaths *paths)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_PATHS_RUNNER (self));
  g_return_if_fail (paths != NULL);

  job = g_new0 (Job, 1);
  job->paths = ns_paths_ref (paths);
  replace (self, job);
}

void
normscope_paths_runner_stop (NormscopePathsRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_PATHS_RUNNER (self));
  replace (self, NULL);
}

static void
normscope_paths_runner_dispose (GObject *object)
{
  NormscopePathsRunner *self = NORMSCOPE_PATHS_RUNNER (object);

  end_poll (self);
  g_clear_pointer (&self->paths, ns_paths_unref);
  G_OBJECT_CLASS (normscope_paths_runner_parent_class)->dispose (object);
}

static void
normscope_paths_runner_class_init (NormscopePathsRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_paths_runner_dispose;
  signals[RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_paths_runner_init (NormscopePathsRunner *self)
{
}

NormscopePathsRunner *
normscope_paths_runner_new (NormscopeEngine *engine)
{
  NormscopePathsRunner *self = g_object_new (NORMSCOPE_TYPE_PATHS_RUNNER, NULL);

  normscope_background_start (NORMSCOPE_BACKGROUND (self), engine, run_job, job_free);
  return self;
}
