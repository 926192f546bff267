/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-scaling-runner.h"

#include "app/normscope-runner.h"

/* What the runner and its worker share, alive as long as either. */
typedef struct
{
  gatomicrefcount refs;
  GMutex lock;
  GCond wake;

  /* All guarded by lock. */
  GPtrArray *pending;   /* tasks that are not done; one slot: a newer list replaces an older one */
  guint64 newest;       /* serial of the last list submitted, or of the last stop */
  NsProgress *progress; /* of the task that runs, or NULL */
  gboolean quit;

  guint threads; /* set once */
  guint64 memory_budget;

  /* Read by the worker's deliveries on the main thread only. */
  GWeakRef runner;
} Shared;

struct _NormscopeScalingRunner
{
  GObject parent_instance;
  Shared *shared;
  GPtrArray *tasks; /* the newest list */
  guint64 serial;
  gboolean has_worker;
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

/* ---- what is shared ---- */

static Shared *
shared_ref (Shared *shared)
{
  g_atomic_ref_count_inc (&shared->refs);
  return shared;
}

static void
shared_unref (Shared *shared)
{
  if (!g_atomic_ref_count_dec (&shared->refs))
    return;

  g_clear_pointer (&shared->pending, g_ptr_array_unref);
  g_weak_ref_clear (&shared->runner);
  g_cond_clear (&shared->wake);
  g_mutex_clear (&shared->lock);
  g_free (shared);
}

/* ---- on the main thread ---- */

typedef struct
{
  Shared *shared;
  guint64 serial;
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
  shared_unref (delivery->shared);
  g_free (delivery);
}

static gboolean
deliver (gpointer data)
{
  Delivery *delivery = data;
  NormscopeTask *task = delivery->task;
  g_autoptr (NormscopeScalingRunner) self = g_weak_ref_get (&delivery->shared->runner);

  if (self == NULL || delivery->serial != self->serial)
    return G_SOURCE_REMOVE;

  task->state = delivery->error != NULL ? NORMSCOPE_TASK_FAILED : NORMSCOPE_TASK_DONE;
  task->result = g_steal_pointer (&delivery->result);
  task->error = g_steal_pointer (&delivery->error);
  g_signal_emit (self, signals[CHANGED], 0);
  return G_SOURCE_REMOVE;
}

/* ---- on the worker's thread ---- */

static void
run (Shared *shared, NsEngine *engine, NormscopeTask *task, guint64 serial)
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
  *delivery = (Delivery) { shared_ref (shared), serial, normscope_task_ref (task), result, error };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, delivery, delivery_free);
}

/* Called and left with the lock held. */
static void
run_list (Shared *shared, NsEngine *engine, GPtrArray *tasks)
{
  guint64 serial = shared->newest;

  for (guint i = 0; i < tasks->len && serial == shared->newest && !shared->quit; i++)
    {
      NormscopeTask *task = g_ptr_array_index (tasks, i);

      shared->progress = task->progress;
      g_mutex_unlock (&shared->lock);
      run (shared, engine, task, serial);
      g_mutex_lock (&shared->lock);
      shared->progress = NULL;
    }
}

static gpointer
work (gpointer data)
{
  Shared *shared = data;
  NsEngine *engine = ns_engine_new (shared->threads, shared->memory_budget);

  g_mutex_lock (&shared->lock);
  while (!shared->quit)
    {
      g_autoptr (GPtrArray) tasks = g_steal_pointer (&shared->pending);

      if (tasks == NULL)
        g_cond_wait (&shared->wake, &shared->lock);
      else
        run_list (shared, engine, tasks);
    }
  g_mutex_unlock (&shared->lock);
  ns_engine_free (engine);
  shared_unref (shared);
  normscope_runner_count_workers (-1);
  return NULL;
}

/* ---- the object ---- */

/* Puts the list (taken; NULL: nothing) where the worker finds it and ends what it does now. */
static void
replace (NormscopeScalingRunner *self, GPtrArray *pending)
{
  Shared *shared = self->shared;

  for (guint i = 0; i < self->tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (self->tasks, i);

      if (task->state == NORMSCOPE_TASK_WAITING)
        task->state = NORMSCOPE_TASK_CANCELLED;
    }
  g_mutex_lock (&shared->lock);
  g_clear_pointer (&shared->pending, g_ptr_array_unref);
  shared->pending = pending;
  shared->newest = ++self->serial;
  if (shared->progress != NULL)
    ns_progress_cancel (shared->progress);
  g_cond_signal (&shared->wake);
  g_mutex_unlock (&shared->lock);
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
  if (!self->has_worker)
    {
      self->has_worker = TRUE;
      normscope_runner_count_workers (1);
      g_thread_unref (g_thread_new ("scaling", work, shared_ref (self->shared)));
    }
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

static void
normscope_scaling_runner_finalize (GObject *object)
{
  NormscopeScalingRunner *self = NORMSCOPE_SCALING_RUNNER (object);
  Shared *shared = self->shared;

  g_mutex_lock (&shared->lock);
  shared->quit = TRUE;
  if (shared->progress != NULL)
    ns_progress_cancel (shared->progress);
  g_cond_signal (&shared->wake);
  g_mutex_unlock (&shared->lock);
  shared_unref (shared);
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
  self->shared = g_new0 (Shared, 1);
  g_atomic_ref_count_init (&self->shared->refs);
  g_mutex_init (&self->shared->lock);
  g_cond_init (&self->shared->wake);
  g_weak_ref_init (&self->shared->runner, self);
}

NormscopeScalingRunner *
normscope_scaling_runner_new (guint threads, guint64 memory_budget)
{
  NormscopeScalingRunner *self = g_object_new (NORMSCOPE_TYPE_SCALING_RUNNER, NULL);

  self->shared->threads = threads;
  self->shared->memory_budget = memory_budget;
  return self;
}
