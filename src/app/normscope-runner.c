/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-runner.h"

/* What the runner and its worker share, alive as long as either. */
typedef struct
{
  gatomicrefcount refs;
  GMutex lock;
  GCond wake;

  /* All guarded by lock. */
  NsExperiment *pending; /* one slot: a newer one replaces an older one */
  guint64 newest;        /* serial of the last experiment submitted, or of the last stop */
  NsProgress *progress;  /* of the job that runs, or NULL */
  gboolean quit;

  /* Read by the worker's deliveries on the main thread only. */
  GWeakRef runner;

  NsEngine *engine; /* the worker's own, from its start to its end */
} Shared;

struct _NormscopeRunner
{
  GObject parent_instance;
  Shared *shared;
  guint threads;
  guint64 serial;
  gboolean busy;
};

G_DEFINE_FINAL_TYPE (NormscopeRunner, normscope_runner, G_TYPE_OBJECT)

enum { PROP_0, PROP_BUSY, N_PROPS };
enum { RESULT, FAILED, N_SIGNALS };
static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

/* Workers that have not ended yet: a process must not leave while one of them is inside of BLAS. */
static GMutex workers_lock;
static GCond workers_changed;
static guint n_workers; /* guarded by workers_lock */

void
normscope_runner_count_workers (int change)
{
  g_mutex_lock (&workers_lock);
  n_workers = (guint) ((int) n_workers + change);
  g_cond_broadcast (&workers_changed);
  g_mutex_unlock (&workers_lock);
}

gboolean
normscope_runner_wait_for_workers (guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) timeout_ms * G_TIME_SPAN_MILLISECOND;
  gboolean none;

  g_mutex_lock (&workers_lock);
  while (n_workers > 0 && g_cond_wait_until (&workers_changed, &workers_lock, end))
    continue;
  none = n_workers == 0;
  g_mutex_unlock (&workers_lock);
  return none;
}

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

  g_clear_pointer (&shared->pending, ns_experiment_free);
  g_clear_pointer (&shared->engine, ns_engine_free);
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
  NsResult *result; /* or NULL */
  GError *error;    /* or NULL */
  gboolean complete;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->result, ns_result_unref);
  g_clear_error (&delivery->error);
  shared_unref (delivery->shared);
  g_free (delivery);
}

static void
set_busy (NormscopeRunner *self, gboolean busy)
{
  if (self->busy == busy)
    return;
  self->busy = busy;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_BUSY]);
}

static gboolean
deliver (gpointer data)
{
  Delivery *delivery = data;
  g_autoptr (NormscopeRunner) self = g_weak_ref_get (&delivery->shared->runner);

  if (self == NULL || delivery->serial != self->serial)
    return G_SOURCE_REMOVE;

  if (delivery->result != NULL)
    {
      if (delivery->complete)
        set_busy (self, FALSE);
      g_signal_emit (self, signals[RESULT], 0, delivery->result, delivery->complete);
    }
  else
    {
      set_busy (self, FALSE);
      g_signal_emit (self, signals[FAILED], 0, delivery->error);
    }
  return G_SOURCE_REMOVE;
}

/* ---- on the worker's thread ---- */

/* Before redrawing in priority, so that the picture is in the very next frame. */
static void
post (Shared *shared, guint64 serial, NsResult *result, GError *error, gboolean complete)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  delivery->shared = shared_ref (shared);
  delivery->serial = serial;
  delivery->result = result != NULL ? ns_result_ref (result) : NULL;
  delivery->error = error;
  delivery->complete = complete;
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, delivery, delivery_free);
}

/* FALSE when the job is over: cancelled or failed. */
static gboolean
check (Shared *shared, guint64 serial, NsResult *result, GError *error)
{
  if (result != NULL)
    return TRUE;
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    g_error_free (error);
  else
    post (shared, serial, NULL, error, TRUE);
  return FALSE;
}

static void
run (Shared *shared, const NsExperiment *experiment, guint64 serial, NsProgress *progress)
{
  GError *error = NULL;
  guint seeds = (guint) experiment->sampling.seeds;
  g_autoptr (NsResult) first = ns_engine_run (shared->engine, experiment, 0, 1, progress, &error);
  g_autoptr (NsResult) rest = NULL;
  g_autoptr (NsResult) all = NULL;

  if (!check (shared, serial, first, error))
    return;
  post (shared, serial, first, NULL, seeds == 1);
  if (seeds == 1)
    return;

  rest = ns_engine_run (shared->engine, experiment, 1, seeds - 1, progress, &error);
  if (!check (shared, serial, rest, error))
    return;
  all = ns_result_merge (first, rest);
  post (shared, serial, all, NULL, TRUE);
}

static gpointer
work (gpointer data)
{
  Shared *shared = data;

  g_mutex_lock (&shared->lock);
  while (!shared->quit)
    {
      g_autoptr (NsExperiment) experiment = g_steal_pointer (&shared->pending);
      g_autoptr (NsProgress) progress = NULL;
      guint64 serial = shared->newest;

      if (experiment == NULL)
        {
          g_cond_wait (&shared->wake, &shared->lock);
          continue;
        }
      progress = ns_progress_new ();
      shared->progress = ns_progress_ref (progress);
      g_mutex_unlock (&shared->lock);

      run (shared, experiment, serial, progress);

      g_mutex_lock (&shared->lock);
      g_clear_pointer (&shared->progress, ns_progress_unref);
    }
  g_mutex_unlock (&shared->lock);
  shared_unref (shared);
  normscope_runner_count_workers (-1);
  return NULL;
}

/* ---- the object ---- */

/* Puts `experiment` (taken; NULL: nothing) where the worker finds it and ends what it does now. */
static void
replace (NormscopeRunner *self, NsExperiment *experiment)
{
  Shared *shared = self->shared;

  g_mutex_lock (&shared->lock);
  g_clear_pointer (&shared->pending, ns_experiment_free);
  shared->pending = experiment;
  shared->newest = ++self->serial;
  if (shared->progress != NULL)
    ns_progress_cancel (shared->progress);
  g_cond_signal (&shared->wake);
  g_mutex_unlock (&shared->lock);
  set_busy (self, experiment != NULL);
}

void
normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  g_return_if_fail (experiment != NULL);
  replace (self, ns_experiment_copy (experiment));
}

void
normscope_runner_stop (NormscopeRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  replace (self, NULL);
}

gboolean
normscope_runner_get_busy (NormscopeRunner *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_RUNNER (self), FALSE);
  return self->busy;
}

double
normscope_runner_get_fraction (NormscopeRunner *self)
{
  guint64 done = 0, total = 0;

  g_return_val_if_fail (NORMSCOPE_IS_RUNNER (self), 0);
  g_mutex_lock (&self->shared->lock);
  if (self->shared->progress != NULL)
    ns_progress_get (self->shared->progress, &done, &total);
  g_mutex_unlock (&self->shared->lock);
  return total > 0 ? (double) done / (double) total : 0.0;
}

guint
normscope_runner_get_threads (NormscopeRunner *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_RUNNER (self), 0);
  return self->threads;
}

static void
normscope_runner_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  NormscopeRunner *self = NORMSCOPE_RUNNER (object);

  switch (id)
    {
    case PROP_BUSY:
      g_value_set_boolean (value, self->busy);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_runner_dispose (GObject *object)
{
  NormscopeRunner *self = NORMSCOPE_RUNNER (object);

  if (self->shared != NULL)
    {
      Shared *shared = g_steal_pointer (&self->shared);

      g_weak_ref_set (&shared->runner, NULL);
      g_mutex_lock (&shared->lock);
      shared->quit = TRUE;
      if (shared->progress != NULL)
        ns_progress_cancel (shared->progress);
      g_cond_signal (&shared->wake);
      g_mutex_unlock (&shared->lock);
      shared_unref (shared);
    }
  G_OBJECT_CLASS (normscope_runner_parent_class)->dispose (object);
}

static void
normscope_runner_class_init (NormscopeRunnerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = normscope_runner_get_property;
  object_class->dispose = normscope_runner_dispose;

  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_BOOLEAN);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_runner_init (NormscopeRunner *self)
{
}

NormscopeRunner *
normscope_runner_new (guint threads, guint64 memory_budget)
{
  NormscopeRunner *self = g_object_new (NORMSCOPE_TYPE_RUNNER, NULL);
  Shared *shared = g_new0 (Shared, 1);

  g_atomic_ref_count_init (&shared->refs);
  g_mutex_init (&shared->lock);
  g_cond_init (&shared->wake);
  g_weak_ref_init (&shared->runner, self);
  shared->engine = ns_engine_new (threads, memory_budget);
  self->threads = ns_engine_get_threads (shared->engine);
  self->shared = shared;
  normscope_runner_count_workers (1);
  /* The thread ends by itself once it sees `quit`; nobody waits for it, so closing a window never blocks. */
  g_thread_unref (g_thread_new ("normscope-runner", work, shared_ref (shared)));
  return self;
}
