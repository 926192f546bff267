/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-scaling-runner.h"

#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"

struct _NormscopeScalingRunner
{
  GObject parent_instance;
  NormscopeWorker *worker;
  GPtrArray *tasks; /* the newest list */
};

G_DEFINE_FINAL_TYPE (NormscopeScalingRunner, normscope_scaling_runner, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- tasks ---- */

static NormscopeTask *
task_new (void)
{
  NormscopeTask *task = g_new0 (NormscopeTask, 1);

  g_atomic_ref_count_init (&task->refs);
  task->progress = ns_progress_new ();
  return task;
}

NormscopeTask *
normscope_task_new_sweep (NsSweep *sweep)
{
  NormscopeTask *task = task_new ();

  task->sweep = sweep;
  return task;
}

NormscopeTask *
normscope_task_new_run (const NsExperiment *experiment)
{
  NormscopeTask *task = task_new ();

  task->experiment = ns_experiment_copy (experiment);
  return task;
}

NormscopeTask *
normscope_task_ref (NormscopeTask *task)
{
  g_atomic_ref_count_inc (&task->refs);
  return task;
}

void
normscope_task_unref (NormscopeTask *task)
{
  if (!g_atomic_ref_count_dec (&task->refs))
    return;

  g_clear_pointer (&task->sweep, ns_sweep_unref);
  g_clear_pointer (&task->experiment, ns_experiment_free);
  g_clear_pointer (&task->progress, ns_progress_unref);
  g_clear_pointer (&task->result, ns_result_unref);
  g_clear_error (&task->error);
  g_free (task);
}

guint
normscope_task_count_numbers (NormscopeTask *task)
{
  guint n_points, n = 0;
  NsStat stat;

  g_return_val_if_fail (task->sweep != NULL, 0);
  ns_sweep_get_points (task->sweep, &n_points);
  for (guint v = 0; v < ns_sweep_get_experiment (task->sweep)->variants->len; v++)
    for (guint p = 0; p < n_points; p++)
      if (ns_sweep_get_stat (task->sweep, v, p, &stat))
        n += stat.n;
  return n;
}

static GPtrArray *
task_list_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);
}

/* ---- on the main thread ---- */

typedef struct
{
  NormscopeTask *task;
  NsResult *result; /* or NULL */
  GError *error;    /* or NULL */
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->result, ns_result_unref);
  g_clear_error (&delivery->error);
  normscope_task_unref (delivery->task);
  g_free (delivery);
}

static void
deliver (gpointer owner, gpointer data)
{
  Delivery *delivery = data;
  NormscopeTask *task = delivery->task;

  task->state = delivery->error != NULL ? NORMSCOPE_TASK_FAILED : NORMSCOPE_TASK_DONE;
  task->result = g_steal_pointer (&delivery->result);
  task->error = g_steal_pointer (&delivery->error);
  g_signal_emit (owner, signals[CHANGED], 0);
}

/* ---- on the worker's thread ---- */

static void
run_task (NormscopeWorker *worker, NsEngine *engine, NormscopeTask *task, guint64 serial)
{
  Delivery *delivery;
  GError *error = NULL;
  NsResult *result = NULL;

  if (task->sweep != NULL)
    ns_engine_run_sweep (engine, task->sweep, task->progress, &error);
  else
    result = ns_engine_run (engine, task->experiment, 0, (guint) task->experiment->sampling.seeds, task->progress,
                            &error);
  /* Who cancelled knows. */
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    {
      g_error_free (error);
      return;
    }
  delivery = g_new0 (Delivery, 1);
  *delivery = (Delivery) { normscope_task_ref (task), result, error };
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
}

static void
run (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial)
{
  GPtrArray *tasks = job;

  for (guint i = 0; i < tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (tasks, i);

      if (!normscope_worker_start_run (worker, serial, task->progress))
        return;
      run_task (worker, engine, task, serial);
    }
}

/* ---- the object ---- */

/* Puts the list (taken; NULL: nothing) where the worker finds it and ends what it does now. */
static void
replace (NormscopeScalingRunner *self, GPtrArray *pending)
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

      if (task->state == NORMSCOPE_TASK_WAITING)
        g_ptr_array_add (pending, normscope_task_ref (task));
    }
  replace (self, pending);
  g_ptr_array_unref (self->tasks);
  self->tasks = tasks;
}

void
normscope_scaling_runner_stop (NormscopeScalingRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self));
  replace (self, NULL);
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

void
normscope_scaling_runner_set_memory_budget (NormscopeScalingRunner *self, guint64 memory_budget)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (self));
  normscope_worker_set_memory_budget (self->worker, memory_budget);
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
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
}

static void
normscope_scaling_runner_init (NormscopeScalingRunner *self)
{
  self->tasks = task_list_new ();
}

NormscopeScalingRunner *
normscope_scaling_runner_new (guint threads, guint64 memory_budget)
{
  NormscopeScalingRunner *self = g_object_new (NORMSCOPE_TYPE_SCALING_RUNNER, NULL);

  self->worker = normscope_worker_new (G_OBJECT (self), threads, memory_budget, run,
                                       (GDestroyNotify) g_ptr_array_unref);
  return self;
}
