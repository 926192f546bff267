/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-worker-private.h"

struct _NormscopeWorker
{
  gatomicrefcount refs; /* held by the owner, the queue and each delivery in the main loop's queue */
  GMutex lock;
  GCond wake; /* with lock: a newer job is pending, or quit */

  /* Guarded by lock. */
  gpointer pending;     /* one slot: a newer job replaces an older one */
  guint64 newest;       /* serial of the last job submitted, or of the last stop */
  NsProgress *progress; /* of the current run, or NULL */
  gboolean quit;

  /* Main thread only. */
  guint64 serial; /* same as `newest`, readable without the lock */
  gboolean has_worked;

  /* Immutable after construction. */
  NormscopeEngine *engine; /* shared with other workers, or NULL */
  NormscopeQueue *queue;   /* of the engine, or its own */
  NormscopeJobFunc run;
  GDestroyNotify free_job;

  GWeakRef owner; /* synchronizes itself */
};

/* ---- count of running threads ---- */

static GMutex threads_lock;
static GCond threads_changed;
static guint n_worker_threads; /* guarded by threads_lock */

void
normscope_workers_count (int change)
{
  g_mutex_lock (&threads_lock);
  n_worker_threads = (guint) ((int) n_worker_threads + change);
  g_cond_broadcast (&threads_changed);
  g_mutex_unlock (&threads_lock);
}

gboolean
normscope_workers_wait (guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) timeout_ms * G_TIME_SPAN_MILLISECOND;
  gboolean none;

  g_mutex_lock (&threads_lock);
  while (n_worker_threads > 0 && g_cond_wait_until (&threads_changed, &threads_lock, end))
    continue;
  none = n_worker_threads == 0;
  g_mutex_unlock (&threads_lock);
  return none;
}

/* ---- memory ---- */

/* Long enough for the main thread to free what a window, a dialog or a clipboard has held. */
#define TRIM_MS 1000

static guint trim_id; /* main thread only */

static gpointer
trim_thread (gpointer data)
{
  ns_machine_trim_memory ();
  normscope_workers_count (-1);
  return NULL;
}

/* The system takes tens of ms to take the memory back: not on the main thread. */
static gboolean
trim_cb (gpointer data)
{
  trim_id = 0;
  normscope_workers_count (1);
  g_thread_unref (g_thread_new ("normscope-trim", trim_thread, NULL));
  return G_SOURCE_REMOVE;
}

/* ---- construction and release ---- */

NormscopeWorker *
normscope_worker_ref (NormscopeWorker *worker)
{
  g_atomic_ref_count_inc (&worker->refs);
  return worker;
}

void
normscope_worker_unref (NormscopeWorker *worker)
{
  if (!g_atomic_ref_count_dec (&worker->refs))
    return;

  if (worker->pending != NULL)
    worker->free_job (worker->pending);
  g_clear_pointer (&worker->progress, ns_progress_unref);
  if (worker->engine != NULL)
    normscope_engine_unref (worker->engine);
  else
    normscope_queue_stop (worker->queue);
  g_weak_ref_clear (&worker->owner);
  g_cond_clear (&worker->wake);
  g_mutex_clear (&worker->lock);
  g_free (worker);
}

NormscopeWorker *
normscope_worker_new (GObject *owner, NormscopeEngine *engine, NormscopeJobFunc run, GDestroyNotify free_job)
{
  NormscopeWorker *worker = g_new0 (NormscopeWorker, 1);

  g_atomic_ref_count_init (&worker->refs);
  g_mutex_init (&worker->lock);
  g_cond_init (&worker->wake);
  g_weak_ref_init (&worker->owner, owner);
  worker->engine = engine;
  worker->queue = engine != NULL ? normscope_engine_get_queue (engine) : normscope_queue_new (1, 0);
  worker->run = run;
  worker->free_job = free_job;
  return worker;
}

void
normscope_worker_release (NormscopeWorker *worker)
{
  if (worker->has_worked)
    {
      g_clear_handle_id (&trim_id, g_source_remove);
      trim_id = g_timeout_add (TRIM_MS, trim_cb, NULL);
    }
  g_weak_ref_set (&worker->owner, NULL);
  g_mutex_lock (&worker->lock);
  worker->quit = TRUE;
  if (worker->progress != NULL)
    ns_progress_cancel (worker->progress);
  g_cond_signal (&worker->wake);
  g_mutex_unlock (&worker->lock);
  normscope_queue_remove (worker->queue, worker);
  normscope_worker_unref (worker);
}

NormscopeStore *
normscope_worker_get_store (NormscopeWorker *worker)
{
  return normscope_queue_get_store (worker->queue);
}

/* ---- worker thread ---- */

/* Call with the lock held. */
static void
set_progress (NormscopeWorker *worker, NsProgress *progress)
{
  g_clear_pointer (&worker->progress, ns_progress_unref);
  worker->progress = progress != NULL ? ns_progress_ref (progress) : NULL;
}

gboolean
normscope_worker_work (NormscopeWorker *worker)
{
  NsEngine *engine = worker->engine != NULL ? normscope_queue_get_engine (worker->queue) : NULL;
  gboolean pends_again;
  gpointer job = NULL;
  guint64 serial;

  g_mutex_lock (&worker->lock);
  if (!worker->quit)
    job = g_steal_pointer (&worker->pending);
  serial = worker->newest;
  g_mutex_unlock (&worker->lock);
  if (job == NULL)
    return FALSE;
  worker->run (worker, engine, job, serial);
  g_mutex_lock (&worker->lock);
  set_progress (worker, NULL);
  pends_again = normscope_queue_is_interrupted (worker->queue) && serial == worker->newest && !worker->quit;
  if (pends_again)
    worker->pending = g_steal_pointer (&job);
  g_mutex_unlock (&worker->lock);
  if (job != NULL)
    worker->free_job (job);
  return pends_again;
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
  return is_newest && normscope_queue_watch (worker->queue, progress);
}

gboolean
normscope_worker_pause (NormscopeWorker *worker, guint64 serial, guint ms)
{
  gint64 end = g_get_monotonic_time () + (gint64) ms * G_TIME_SPAN_MILLISECOND;
  gboolean is_newest, is_over = FALSE;

  g_mutex_lock (&worker->lock);
  while ((is_newest = serial == worker->newest && !worker->quit) && !is_over)
    is_over = !g_cond_wait_until (&worker->wake, &worker->lock, end);
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
} WorkerDelivery;

static void
worker_delivery_free (gpointer data)
{
  WorkerDelivery *delivery = data;

  delivery->free_data (delivery->data);
  normscope_worker_unref (delivery->worker);
  g_free (delivery);
}

static gboolean
deliver_cb (gpointer data)
{
  WorkerDelivery *delivery = data;
  g_autoptr (GObject) owner = g_weak_ref_get (&delivery->worker->owner);

  if (owner != NULL && delivery->serial == delivery->worker->serial)
    delivery->deliver (owner, delivery->data);
  return G_SOURCE_REMOVE;
}

void
normscope_worker_enqueue_delivery (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, gpointer data,
                                   GDestroyNotify free_data)
{
  WorkerDelivery *delivery = g_new (WorkerDelivery, 1);

  *delivery = (WorkerDelivery) { normscope_worker_ref (worker), serial, deliver, data, free_data };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver_cb, delivery, worker_delivery_free);
}

/* ---- main thread ---- */

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
  if (job == NULL)
    return;
  worker->has_worked = TRUE;
  normscope_queue_add (worker->queue, worker->engine != NULL ? normscope_engine_get_group (worker->engine) : NULL,
                       worker);
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
