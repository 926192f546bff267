/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-reference-runner.h"

#include "app/work/normscope-task.h"
#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-flow.h"

#include <string.h>

struct _NormscopeReferenceRunner
{
  GObject parent_instance;
  NormscopeSession *session;
  NormscopeWorker *worker;
  NormscopeTask *running; /* the newest job, or NULL */
  GPtrArray *failed;     /* NsExperiment: cannot run, as memory is now */
};

G_DEFINE_FINAL_TYPE (NormscopeReferenceRunner, normscope_reference_runner, G_TYPE_OBJECT)

static void update (NormscopeReferenceRunner *self);

static void
deliver_references (gpointer owner, gpointer data)
{
  NormscopeReferenceRunner *self = owner;
  g_autoptr (NormscopeTask) job = g_steal_pointer (&self->running);

  if (data != NULL)
    normscope_session_set_reference_result (self->session, job->experiment, data, 0);
  else
    g_ptr_array_add (self->failed, ns_experiment_copy (job->experiment));
  update (self);
}

static void
run_references (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  const NormscopeTask *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  NsResult *result;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  result = normscope_store_run (normscope_worker_get_store (worker), engine, job->experiment, &job->quantities, 0,
                                (guint) job->experiment->sampling.seeds, NULL, progress, &error);
  if (result != NULL || !g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    normscope_worker_enqueue_delivery (worker, serial, deliver_references, result,
                                       result != NULL ? (GDestroyNotify) ns_result_unref : NULL);
}

static gboolean
has_failed (NormscopeReferenceRunner *self, const NsExperiment *experiment)
{
  for (guint i = 0; i < self->failed->len; i++)
    if (ns_experiment_has_same_pass (g_ptr_array_index (self->failed, i), experiment))
      return TRUE;
  return FALSE;
}

/* Run the first reference without the numbers that the flow figure draws, unless it runs already. */
static void
update (NormscopeReferenceRunner *self)
{
  const NsMarks *marks = normscope_session_get_marks (self->session);
  const NsExperiment *next = NULL;
  NsQuantitySet quantities;
  NsFlowOptions options;

  normscope_session_get_flow_options (self->session, &options);
  quantities = ns_flow_options_get_quantities (&options);

  for (guint i = 0; i < marks->references->len && next == NULL; i++)
    {
      const NsReference *reference = g_ptr_array_index (marks->references, i);

      if (!reference->is_recorded
          && (reference->result == NULL || !ns_result_has_all (reference->result, &quantities))
          && !has_failed (self, reference->experiment))
        next = reference->experiment;
    }
  if (next != NULL && self->running != NULL && ns_experiment_has_same_pass (next, self->running->experiment)
      && memcmp (&quantities, &self->running->quantities, sizeof quantities) == 0)
    return;
  if (next == NULL && self->running == NULL)
    return;
  g_clear_pointer (&self->running, normscope_task_unref);
  self->running = next != NULL ? normscope_task_new_run (next, &quantities) : NULL;
  normscope_worker_replace (self->worker, next != NULL ? normscope_task_ref (self->running) : NULL);
}

static void
changed_cb (NormscopeReferenceRunner *self, guint change)
{
  if ((change & (NORMSCOPE_CHANGED_MARKS | NORMSCOPE_CHANGED_VIEW)) == 0)
    return;
  if (self->running == NULL)
    g_ptr_array_set_size (self->failed, 0);
  update (self);
}

void
normscope_reference_runner_stop (NormscopeReferenceRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_REFERENCE_RUNNER (self));
  g_clear_pointer (&self->running, normscope_task_unref);
  normscope_worker_replace (self->worker, NULL);
}

static void
normscope_reference_runner_dispose (GObject *object)
{
  NormscopeReferenceRunner *self = NORMSCOPE_REFERENCE_RUNNER (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  g_clear_pointer (&self->running, normscope_task_unref);
  g_clear_pointer (&self->failed, g_ptr_array_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_reference_runner_parent_class)->dispose (object);
}

static void
normscope_reference_runner_class_init (NormscopeReferenceRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_reference_runner_dispose;
}

static void
normscope_reference_runner_init (NormscopeReferenceRunner *self)
{
  self->failed = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_experiment_free);
}

NormscopeReferenceRunner *
normscope_reference_runner_new (NormscopeSession *session, NormscopeEngine *engine)
{
  NormscopeReferenceRunner *self = g_object_new (NORMSCOPE_TYPE_REFERENCE_RUNNER, NULL);

  self->session = g_object_ref (session);
  self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_ref (engine), run_references,
                                       (GDestroyNotify) normscope_task_unref);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  update (self);
  return self;
}
