/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-scaling-runner.h"

#include "app/work/normscope-kept-sweep.h"
#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"

struct _NormscopeScalingRunner
{
  GObject parent_instance;
  NormscopeWorker *worker;
  GPtrArray *tasks; /* the newest list */
};

G_DEFINE_FINAL_TYPE (NormscopeScalingRunner, normscope_scaling_runner, G_TYPE_OBJECT)

enum { SCALING_RUNNER_SIGNAL_CHANGED, N_SCALING_RUNNER_SIGNALS };
static guint scaling_runner_signals[N_SCALING_RUNNER_SIGNALS];

static GPtrArray *
task_list_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);
}

/* ---- main thread ---- */

typedef struct
{
  NormscopeTask *task;
  NsResult *result; /* or NULL */
  GError *error;    /* or NULL */
} SweepDelivery;

static void
sweep_delivery_free (gpointer data)
{
  SweepDelivery *delivery = data;

  g_clear_pointer (&delivery->result, ns_result_unref);
  g_clear_error (&delivery->error);
  normscope_task_unref (delivery->task);
  g_free (delivery);
}

static void
deliver_sweep (gpointer owner, gpointer data)
{
  SweepDelivery *delivery = data;
  NormscopeTask *task = delivery->task;

  task->state = delivery->error != NULL ? NORMSCOPE_TASK_FAILED : NORMSCOPE_TASK_DONE;
  task->result = g_steal_pointer (&delivery->result);
  task->error = g_steal_pointer (&delivery->error);
  g_signal_emit (owner, scaling_runner_signals[SCALING_RUNNER_SIGNAL_CHANGED], 0);
}

/* ---- worker thread ---- */

/* Return FALSE if the task was cancelled. */
static gboolean
run_task (NormscopeWorker *worker, NsEngine *engine, NormscopeTask *task, guint64 serial)
{
  NormscopeStore *store = normscope_worker_get_store (worker);
  SweepDelivery *delivery;
  GError *error = NULL;
  NsResult *result = NULL;

  if (task->sweep != NULL)
    normscope_store_join_sweep (store, task->sweep);
  if (task->paths != NULL)
    normscope_store_join_paths (store, task->paths);
  if (task->sweep != NULL)
    normscope_kept_sweep_run (engine, task->sweep, task->progress, &error);
  else if (task->paths != NULL)
    ns_engine_fill_paths (engine, task->paths, task->progress, &error);
  else if (task->training != NULL)
    ns_engine_train (engine, task->training, task->progress, &error);
  else if (task->map != NULL)
    ns_engine_fill_sensitivity (engine, task->map, task->progress, &error);
  else
    result = normscope_store_run (store, engine, task->experiment, normscope_task_get_quantities (task), 0,
                                  (guint) task->experiment->sampling.seeds, NULL, task->progress, &error);
  /* The canceller has already updated the state; nothing to enqueue. */
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    {
      g_error_free (error);
      return FALSE;
    }
  delivery = g_new0 (SweepDelivery, 1);
  *delivery = (SweepDelivery) { normscope_task_ref (task), result, error };
  normscope_worker_enqueue_delivery (worker, serial, deliver_sweep, delivery, sweep_delivery_free);
  return TRUE;
}

static void
run_tasks (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial)
{
  GPtrArray *tasks = job;

  while (tasks->len > 0)
    {
      NormscopeTask *task = g_ptr_array_index (tasks, 0);

      ns_progress_restart (task->progress);
      if (!normscope_worker_start_run (worker, serial, task->progress) || !run_task (worker, engine, task, serial))
        return;
      g_ptr_array_remove_index (tasks, 0);
    }
}

/* ---- the object ---- */

/* Take the result of a run that is known. Return TRUE if the task is done. */
static gboolean
complete_known (NormscopeScalingRunner *self, NormscopeTask *task)
{
  if (task->experiment != NULL)
    task->result = normscope_store_find (normscope_worker_get_store (self->worker), task->experiment,
                                         normscope_task_get_quantities (task));
  if (task->result != NULL)
    task->state = NORMSCOPE_TASK_DONE;
  return task->result != NULL;
}

/* Cancel the unfinished tasks and give the worker another list, which is taken; NULL for none. */
static void
replace_pending (NormscopeScalingRunner *self, GPtrArray *pending)
{
  for (guint i = 0; i < self->tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (self->tasks, i);

      if (task->state == NORMSCOPE_TASK_WAITING)
        task->state = NORMSCOPE_TASK_CANCELLED;
    }
  normscope_worker_replace (self->worker, pending);
}

void
normscope_scaling_runner_take_tasks (NormscopeScalingRunner *self, GPtrArray *tasks)
{
  GPtrArray *pending = task_list_new ();

  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self));
  g_return_if_fail (tasks != NULL);

  for (guint i = 0; i < tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (tasks, i);

      if (task->state == NORMSCOPE_TASK_WAITING && !complete_known (self, task))
        g_ptr_array_add (pending, normscope_task_ref (task));
    }
  replace_pending (self, pending);
  g_ptr_array_unref (self->tasks);
  self->tasks = tasks;
}

void
normscope_scaling_runner_stop (NormscopeScalingRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self));
  replace_pending (self, NULL);
}

GPtrArray *
normscope_scaling_runner_get_tasks (NormscopeScalingRunner *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self), NULL);
  return self->tasks;
}

NormscopeTask *
normscope_scaling_runner_get_current (NormscopeScalingRunner *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self), NULL);

  for (guint i = 0; i < self->tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (self->tasks, i);

      if (task->state == NORMSCOPE_TASK_WAITING)
        return task;
    }
  return NULL;
}

static void
normscope_scaling_runner_finalize (GObject *object)
{
  NormscopeScalingRunner *self = NORMSCOPE_SCALING_RUNNER (object);

  normscope_worker_release (self->worker);
  g_ptr_array_unref (self->tasks);
  G_OBJECT_CLASS (normscope_scaling_runner_parent_class)->finalize (object);
}

static void
normscope_scaling_runner_class_init (NormscopeScalingRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_scaling_runner_finalize;
  scaling_runner_signals[SCALING_RUNNER_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_scaling_runner_init (NormscopeScalingRunner *self)
{
  self->tasks = task_list_new ();
}

NormscopeScalingRunner *
normscope_scaling_runner_new (NormscopeEngine *engine)
{
  NormscopeScalingRunner *self = g_object_new (NORMSCOPE_TYPE_SCALING_RUNNER, NULL);

  self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_ref (engine), run_tasks,
                                       (GDestroyNotify) g_ptr_array_unref);
  return self;
}
