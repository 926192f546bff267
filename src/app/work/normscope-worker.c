/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-worker.h"

struct _NormscopeWorker
{
  gatomicrefcount refs; /* held by the owner, the thread and each delivery in the main loop's queue */
  GMutex lock;
  GCond wake; /* with lock: a job is pending, or quit */

  /* Guarded by lock. */
  gpointer pending;      /* one slot: a newer job replaces an older one */
  guint64 newest;        /* serial of the last job submitted, or of the last stop */
  NsProgress *progress;  /* of the current run, or NULL */
  guint64 memory_budget; /* bytes, of the next job */
  guint64 engine_budget; /* bytes, of `engine` */
  gboolean quit;

  /* Main thread only. */
  guint64 serial; /* same as `newest`, readable without the lock */
  gboolean has_thread;

  /* Worker thread only, once it has started. */
  NsEngine *engine;

  /* Immutable after construction. */
  guint threads;
  NormscopeJobFunc run;
  GDestroyNotify free_job;

  GWeakRef owner; /* synchronizes itself */
};

/* ---- count of running threads ---- */

static GMutex threads_lock;
static GCond threads_changed;
static guint n_threads; /* guarded by threads_lock */

static void
count_threads (int change)
{
  g_mutex_lock (&threads_lock);
  n_threads = (guint) ((int) n_threads + change);
  g_cond_broadcast (&threads_changed);
  g_mutex_unlock (&threads_lock);
}

gboolean
normscope_workers_wait (guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) timeout_ms * G_TIME_SPAN_MILLISECOND;
  gboolean none;

  g_mutex_lock (&threads_lock);
  while (n_threads > 0 && g_cond_wait_until (&threads_changed, &threads_lock, end))
    continue;
  none = n_threads == 0;
  g_mutex_unlock (&threads_lock);
  return none;
}

/* ---- construction and release ---- */

static NormscopeWorker *
worker_ref (NormscopeWorker *worker)
{
  g_atomic_ref_count_inc (&worker->refs);
  return worker;
}

static void
worker_unref (NormscopeWorker *worker)
{
  if (!g_atomic_ref_count_dec (&worker->refs))
    return;

  if (worker->pending != NULL)
    worker->free_job (worker->pending);
  g_clear_pointer (&worker->progress, ns_progress_unref);
  ns_engine_free (worker->engine);
  g_weak_ref_clear (&worker->owner);
  g_cond_clear (&worker->wake);
  g_mutex_clear (&worker->lock);
  g_free (worker);
}

NormscopeWorker *
normscope_worker_new (GObject *owner, guint threads, guint64 memory_budget, NormscopeJobFunc run,
                      GDestroyNotify free_job)
{
  NormscopeWorker *worker = g_new0 (NormscopeWorker, 1);

  g_atomic_ref_count_init (&worker->refs);
  g_mutex_init (&worker->lock);
  g_cond_init (&worker->wake);
  g_weak_ref_init (&worker->owner, owner);
  worker->engine = ns_engine_new (threads, memory_budget);
  worker->memory_budget = worker->engine_budget = memory_budget;
  worker->threads = ns_engine_get_threads (worker->engine);
  worker->run = run;
  worker->free_job = free_job;
  return worker;
}

void
normscope_worker_release (NormscopeWorker *worker)
{
  g_weak_ref_set (&worker->owner, NULL);
  g_mutex_lock (&worker->lock);
  worker->quit = TRUE;
  if (worker->progress != NULL)
    ns_progress_cancel (worker->progress);
  g_cond_signal (&worker->wake);
  g_mutex_unlock (&worker->lock);
  worker_unref (worker);
}

/* ---- worker thread ---- */

/* Call with the lock held. */
static void
set_progress (NormscopeWorker *worker, NsProgress *progress)
{
  g_clear_pointer (&worker->progress, ns_progress_unref);
  worker->progress = progress != NULL ? ns_progress_ref (progress) : NULL;
}

/* An engine cannot change its memory budget, so replace it if the budget has changed. */
static void
update_engine (NormscopeWorker *worker)
{
  guint64 memory_budget;
  gboolean differs;

  g_mutex_lock (&worker->lock);
  memory_budget = worker->memory_budget;
  differs = memory_budget != worker->engine_budget;
  worker->engine_budget = memory_budget;
  g_mutex_unlock (&worker->lock);
  if (!differs)
    return;
  ns_engine_free (worker->engine);
  worker->engine = ns_engine_new (worker->threads, memory_budget);
}

static gpointer
run_thread (gpointer data)
{
  NormscopeWorker *worker = data;

  g_mutex_lock (&worker->lock);
  while (!worker->quit)
    {
      gpointer job = g_steal_pointer (&worker->pending);
      guint64 serial = worker->newest;

      if (job == NULL)
        {
          g_cond_wait (&worker->wake, &worker->lock);
          continue;
        }
      g_mutex_unlock (&worker->lock);

      update_engine (worker);
      worker->run (worker, worker->engine, job, serial);
      worker->free_job (job);

      g_mutex_lock (&worker->lock);
      set_progress (worker, NULL);
    }
  g_mutex_unlock (&worker->lock);
  worker_unref (worker);
  count_threads (-1);
  return NULL;
}

gboolean
normscope_worker_start_run (NormscopeWorker *worker, guint64 serial, NsProgress *progress)
{
  gboolean is_newest;

  g_mutex_lock (&worker->lock);
  is_newest = serial == worker->newest && !worker->quit;
  if (is_newest)
    set_progress (worker, progress);
  g_mutex_unlock (&worker->lock);
  return is_newest;
}

typedef struct
{
  NormscopeWorker *worker;
  guint64 serial;
  NormscopeDeliverFunc deliver;
  gpointer data;
  GDestroyNotify free_data;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  delivery->free_data (delivery->data);
  worker_unref (delivery->worker);
  g_free (delivery);
}

static gboolean
deliver_cb (gpointer data)
{
  Delivery *delivery = data;
  g_autoptr (GObject) owner = g_weak_ref_get (&delivery->worker->owner);

  if (owner != NULL && delivery->serial == delivery->worker->serial)
    delivery->deliver (owner, delivery->data);
  return G_SOURCE_REMOVE;
}

void
normscope_worker_enqueue_delivery (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, gpointer data,
                                   GDestroyNotify free_data)
{
  Delivery *delivery = g_new (Delivery, 1);

  *delivery = (Delivery) { worker_ref (worker), serial, deliver, data, free_data };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver_cb, delivery, delivery_free);
}

/* ---- main thread ---- */

void
normscope_worker_set_memory_budget (NormscopeWorker *worker, guint64 memory_budget)
{
  g_mutex_lock (&worker->lock);
  worker->memory_budget = memory_budget;
  g_mutex_unlock (&worker->lock);
}

guint64
normscope_worker_get_memory_budget (NormscopeWorker *worker)
{
  guint64 memory_budget;

  g_mutex_lock (&worker->lock);
  memory_budget = worker->engine_budget;
  g_mutex_unlock (&worker->lock);
  return memory_budget;
}

void
normscope_worker_replace (NormscopeWorker *worker, gpointer job)
{
  gpointer old;

  g_mutex_lock (&worker->lock);
  old = worker->pending;
  worker->pending = job;
  worker->newest = ++worker->serial;
  if (worker->progress != NULL)
    ns_progress_cancel (worker->progress);
  /* Stop reporting the cancelled run now, even if it takes a while to end. */
  set_progress (worker, NULL);
  g_cond_signal (&worker->wake);
  g_mutex_unlock (&worker->lock);

  if (old != NULL)
    worker->free_job (old);
  if (job != NULL && !worker->has_thread)
    {
      worker->has_thread = TRUE;
      count_threads (1);
      g_thread_unref (g_thread_new ("normscope-worker", run_thread, worker_ref (worker)));
    }
}

void
normscope_worker_get_progress (NormscopeWorker *worker, guint64 *done, guint64 *total)
{
  *done = *total = 0;
  g_mutex_lock (&worker->lock);
  if (worker->progress != NULL)
    ns_progress_get (worker->progress, done, total);
  g_mutex_unlock (&worker->lock);
}
