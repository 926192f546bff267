/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-worker.h"

#include "engine/ops/ns-team.h"

/* Interval of trying again to start the thread. */
#define RETRY_MS 200

struct _NormscopeWorker
{
  gatomicrefcount refs; /* held by the owner, the thread and each delivery in the main loop's queue */
  GMutex lock;
  GCond wake; /* with lock: a job is pending, or quit */

  /* Guarded by lock. */
  gpointer pending;     /* one slot: a newer job replaces an older one */
  guint64 newest;       /* serial of the last job submitted, or of the last stop */
  NsProgress *progress; /* of the current run, or NULL */
  gboolean quit;

  /* Main thread only. */
  guint64 serial; /* same as `newest`, readable without the lock */
  gboolean has_thread, is_retrying;

  /* Immutable after construction. */
  NormscopeEngine *engine; /* shared with other workers, or NULL */
  NormscopeJobFunc run;
  GDestroyNotify free_job;

  GWeakRef owner; /* synchronizes itself */
};

/* ---- count of running threads ---- */

static GMutex threads_lock;
static GCond threads_changed;
static guint n_worker_threads; /* guarded by threads_lock */

static void
count_threads (int change)
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
  count_threads (-1);
  return NULL;
}

/* The system takes tens of ms to take the memory back: not on the main thread. */
static gboolean
trim_cb (gpointer data)
{
  trim_id = 0;
  count_threads (1);
  g_thread_unref (g_thread_new ("normscope-trim", trim_thread, NULL));
  return G_SOURCE_REMOVE;
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
  g_clear_pointer (&worker->engine, normscope_engine_unref);
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
  worker->run = run;
  worker->free_job = free_job;
  return worker;
}

void
normscope_worker_release (NormscopeWorker *worker)
{
  if (worker->has_thread)
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

/* Call without the lock. */
static void
run_worker_job (NormscopeWorker *worker, gpointer job, guint64 serial)
{
  NsEngine *engine = worker->engine != NULL ? normscope_engine_begin (worker->engine) : NULL;

  worker->run (worker, engine, job, serial);
  worker->free_job (job);
  if (engine != NULL)
    normscope_engine_end (worker->engine);
}

static void
release_memory (NormscopeWorker *worker)
{
  if (worker->engine != NULL)
    normscope_engine_release_idle (worker->engine);
  else
    ns_machine_trim_memory ();
}

/* Wait for a job or the end. Some time after the last job, return its memory to the system, if `*has_run` is set, and
 * clear the flag. Call with the lock held. */
static void
wait_for_job (NormscopeWorker *worker, gboolean *has_run)
{
  gint64 end = g_get_monotonic_time () + NORMSCOPE_ENGINE_IDLE_MS * G_TIME_SPAN_MILLISECOND;

  while (worker->pending == NULL && !worker->quit)
    {
      if (!*has_run)
        g_cond_wait (&worker->wake, &worker->lock);
      else if (!g_cond_wait_until (&worker->wake, &worker->lock, end))
        {
          *has_run = FALSE;
          g_mutex_unlock (&worker->lock);
          release_memory (worker);
          g_mutex_lock (&worker->lock);
        }
    }
}

static gpointer
run_thread (gpointer data)
{
  NormscopeWorker *worker = data;
  gboolean has_run = FALSE;

  ns_thread_give_way ();
  g_mutex_lock (&worker->lock);
  for (wait_for_job (worker, &has_run); !worker->quit; wait_for_job (worker, &has_run))
    {
      gpointer job = g_steal_pointer (&worker->pending);
      guint64 serial = worker->newest;

      g_mutex_unlock (&worker->lock);
      run_worker_job (worker, job, serial);
      g_mutex_lock (&worker->lock);
      set_progress (worker, NULL);
      has_run = TRUE;
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
  worker_unref (delivery->worker);
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

  *delivery = (WorkerDelivery) { worker_ref (worker), serial, deliver, data, free_data };
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver_cb, delivery, worker_delivery_free);
}

/* ---- main thread ---- */

/* Return FALSE if the system refuses a thread. */
static gboolean
start_thread (NormscopeWorker *worker)
{
  GThread *thread;

  count_threads (1);
  thread = g_thread_try_new ("normscope-worker", run_thread, worker_ref (worker), NULL);
  worker->has_thread = thread != NULL;
  if (worker->has_thread)
    {
      g_thread_unref (thread);
      return TRUE;
    }
  count_threads (-1);
  worker_unref (worker);
  return FALSE;
}

/* The job waits until the system has a thread for it. */
static gboolean
retry_cb (gpointer data)
{
  NormscopeWorker *worker = data;
  gboolean has_job;

  g_mutex_lock (&worker->lock);
  has_job = worker->pending != NULL && !worker->quit;
  g_mutex_unlock (&worker->lock);
  worker->is_retrying = has_job && !start_thread (worker);
  return worker->is_retrying ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
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
  if (job != NULL && !worker->has_thread && !worker->is_retrying && !start_thread (worker))
    {
      worker->is_retrying = TRUE;
      g_timeout_add_full (G_PRIORITY_DEFAULT, RETRY_MS, retry_cb, worker_ref (worker), (GDestroyNotify) worker_unref);
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
