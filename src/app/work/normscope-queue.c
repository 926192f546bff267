/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-queue.h"

#include "app/work/normscope-worker-private.h"
#include "engine/ops/ns-team.h"

/* Interval of trying again to start the thread. */
#define RETRY_MS 200
/* The group in front rests when it has had no job for this time. */
#define REST_MS 1000
/* Of results that are kept: about a hundred of the default experiment. */
#define STORE_BYTES ((guint64) 32 << 20)

typedef struct
{
  gconstpointer group;
  NormscopeWorker *worker; /* a reference */
} Entry;

struct _NormscopeQueue
{
  gatomicrefcount refs; /* of the owner, of the thread and of its next start */
  guint threads;
  NormscopeStore *store;
  NsEngine *engine; /* of the thread; NULL between its jobs and after the idle time */

  GMutex lock; /* guards the rest */
  GCond wake;
  GArray *waiting; /* Entry, the oldest first */
  gconstpointer front;
  gint64 front_us;         /* monotonic time of the end of its last job */
  gconstpointer running;   /* group of the job that runs, or NULL */
  gboolean is_interrupted; /* that job */
  NsProgress *progress;    /* of that job, or NULL */
  guint64 memory_budget;   /* bytes, of the next job */
  guint64 engine_budget;   /* bytes, of the last one */
  gboolean has_thread, is_retrying, quit;
};

/* ---- the thread ---- */

static void
entry_clear (gpointer entry)
{
  g_clear_pointer (&((Entry *) entry)->worker, normscope_worker_unref);
}

static void
queue_unref (NormscopeQueue *queue)
{
  if (!g_atomic_ref_count_dec (&queue->refs))
    return;
  g_array_unref (queue->waiting);
  g_clear_pointer (&queue->engine, ns_engine_free);
  normscope_store_free (queue->store);
  g_mutex_clear (&queue->lock);
  g_cond_clear (&queue->wake);
  g_free (queue);
}

/* Return the entry to work on, or −1 and the time to wait for. Call with the lock held. */
static int
find_next (NormscopeQueue *queue, gint64 idle_us, gint64 *until_us)
{
  int front = -1, next = 0;

  for (guint i = queue->waiting->len; i-- > 0;)
    if (g_array_index (queue->waiting, Entry, i).group == queue->front)
      front = (int) i;
    else if (g_array_index (queue->waiting, Entry, i).group != NORMSCOPE_QUEUE_BEHIND)
      next = (int) i;
  if (front >= 0)
    return front;
  *until_us = queue->waiting->len > 0 ? queue->front_us + REST_MS * G_TIME_SPAN_MILLISECOND : idle_us;
  if (queue->waiting->len > 0 && (queue->front == NULL || g_get_monotonic_time () >= *until_us))
    return next;
  return -1;
}

/* Call with the lock held, which is released meanwhile. */
static void
give_back (NormscopeQueue *queue)
{
  g_mutex_unlock (&queue->lock);
  g_clear_pointer (&queue->engine, ns_engine_free);
  ns_machine_trim_memory ();
  g_mutex_lock (&queue->lock);
}

/* Wait for an entry, which the caller owns. Return FALSE when the thread has to end. Call with the lock held. */
static gboolean
wait_for_entry (NormscopeQueue *queue, Entry *entry)
{
  gint64 idle_us = g_get_monotonic_time () + NORMSCOPE_ENGINE_IDLE_MS * G_TIME_SPAN_MILLISECOND, until_us = 0;

  while (!queue->quit)
    {
      int i = find_next (queue, idle_us, &until_us);

      if (i >= 0)
        {
          *entry = g_array_index (queue->waiting, Entry, i);
          g_array_index (queue->waiting, Entry, i).worker = NULL;
          g_array_remove_index (queue->waiting, (guint) i);
          return TRUE;
        }
      if (queue->waiting->len == 0 && g_get_monotonic_time () >= idle_us)
        {
          give_back (queue);
          if (queue->waiting->len == 0)
            return FALSE;
        }
      else
        g_cond_wait_until (&queue->wake, &queue->lock, until_us);
    }
  return FALSE;
}

static void
set_watched (NormscopeQueue *queue, NsProgress *progress)
{
  g_clear_pointer (&queue->progress, ns_progress_unref);
  queue->progress = progress != NULL ? ns_progress_ref (progress) : NULL;
}

static gpointer
run_queue (gpointer data)
{
  NormscopeQueue *queue = data;
  Entry entry;

  ns_thread_give_way ();
  g_mutex_lock (&queue->lock);
  while (wait_for_entry (queue, &entry))
    {
      queue->running = entry.group;
      queue->is_interrupted = FALSE;
      g_mutex_unlock (&queue->lock);
      if (normscope_worker_work (entry.worker))
        normscope_queue_add (queue, entry.group, entry.worker);
      g_mutex_lock (&queue->lock);
      set_watched (queue, NULL);
      if (queue->running == queue->front)
        queue->front_us = g_get_monotonic_time ();
      queue->running = NULL;
      g_mutex_unlock (&queue->lock);
      entry_clear (&entry); /* the last reference may stop the queue */
      g_mutex_lock (&queue->lock);
    }
  queue->has_thread = FALSE;
  g_mutex_unlock (&queue->lock);
  queue_unref (queue);
  normscope_workers_count (-1);
  return NULL;
}

/* Return FALSE if the system refuses a thread. Call with the lock held. */
static gboolean
start_thread (NormscopeQueue *queue)
{
  GThread *thread;

  normscope_workers_count (1);
  g_atomic_ref_count_inc (&queue->refs);
  thread = g_thread_try_new ("normscope-worker", run_queue, queue, NULL);
  queue->has_thread = thread != NULL;
  if (queue->has_thread)
    {
      g_thread_unref (thread);
      return TRUE;
    }
  normscope_workers_count (-1);
  queue_unref (queue);
  return FALSE;
}

/* Jobs wait until the system has a thread for them. */
static gboolean
retry_cb (gpointer data)
{
  NormscopeQueue *queue = data;

  g_mutex_lock (&queue->lock);
  queue->is_retrying = queue->waiting->len > 0 && !queue->quit && !start_thread (queue);
  g_mutex_unlock (&queue->lock);
  return queue->is_retrying ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* ---- any thread ---- */

NormscopeQueue *
normscope_queue_new (guint threads, guint64 memory_budget)
{
  NormscopeQueue *queue = g_new0 (NormscopeQueue, 1);

  g_atomic_ref_count_init (&queue->refs);
  g_mutex_init (&queue->lock);
  g_cond_init (&queue->wake);
  queue->waiting = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (queue->waiting, entry_clear);
  queue->threads = threads;
  queue->store = normscope_store_new (STORE_BYTES);
  queue->memory_budget = queue->engine_budget = memory_budget;
  return queue;
}

void
normscope_queue_stop (NormscopeQueue *queue)
{
  g_mutex_lock (&queue->lock);
  queue->quit = TRUE;
  g_cond_signal (&queue->wake);
  g_mutex_unlock (&queue->lock);
  queue_unref (queue);
}

/* Return the place of a worker, or −1. Call with the lock held. */
static int
find_worker (NormscopeQueue *queue, NormscopeWorker *worker)
{
  for (guint i = 0; i < queue->waiting->len; i++)
    if (g_array_index (queue->waiting, Entry, i).worker == worker)
      return (int) i;
  return -1;
}

/* Return TRUE if a job waits that the running one has to give way to. Call with the lock held. */
static gboolean
has_urgent (NormscopeQueue *queue)
{
  for (guint i = 0; i < queue->waiting->len; i++)
    {
      gconstpointer group = g_array_index (queue->waiting, Entry, i).group;

      if (group == queue->front || (queue->running == NORMSCOPE_QUEUE_BEHIND && group != NORMSCOPE_QUEUE_BEHIND))
        return TRUE;
    }
  return FALSE;
}

/* Interrupt the job of another group if that in front has one. Call with the lock held. */
static void
give_way_to_front (NormscopeQueue *queue)
{
  if (queue->running == NULL || queue->running == queue->front || !has_urgent (queue))
    return;
  queue->is_interrupted = TRUE;
  if (queue->progress != NULL)
    ns_progress_cancel (queue->progress);
}

void
normscope_queue_add (NormscopeQueue *queue, gconstpointer group, NormscopeWorker *worker)
{
  Entry entry = { group, worker };

  g_mutex_lock (&queue->lock);
  if (find_worker (queue, worker) < 0)
    {
      normscope_worker_ref (worker);
      g_array_append_val (queue->waiting, entry);
    }
  give_way_to_front (queue);
  if (!queue->has_thread && !queue->is_retrying && !start_thread (queue))
    {
      queue->is_retrying = TRUE;
      g_atomic_ref_count_inc (&queue->refs);
      g_timeout_add_full (G_PRIORITY_DEFAULT, RETRY_MS, retry_cb, queue, (GDestroyNotify) queue_unref);
    }
  g_cond_signal (&queue->wake);
  g_mutex_unlock (&queue->lock);
}

void
normscope_queue_remove (NormscopeQueue *queue, NormscopeWorker *worker)
{
  Entry entry = { 0 };
  int i;

  g_mutex_lock (&queue->lock);
  i = find_worker (queue, worker);
  if (i >= 0)
    {
      entry = g_array_index (queue->waiting, Entry, i);
      g_array_index (queue->waiting, Entry, i).worker = NULL;
      g_array_remove_index (queue->waiting, (guint) i);
    }
  g_mutex_unlock (&queue->lock);
  entry_clear (&entry);
}

void
normscope_queue_set_front (NormscopeQueue *queue, gconstpointer group)
{
  g_mutex_lock (&queue->lock);
  queue->front = group;
  give_way_to_front (queue);
  g_cond_signal (&queue->wake);
  g_mutex_unlock (&queue->lock);
}

void
normscope_queue_forget (NormscopeQueue *queue, gconstpointer group)
{
  g_mutex_lock (&queue->lock);
  if (queue->front == group)
    queue->front = NULL;
  g_cond_signal (&queue->wake);
  g_mutex_unlock (&queue->lock);
}

void
normscope_queue_set_memory_budget (NormscopeQueue *queue, guint64 memory_budget)
{
  g_mutex_lock (&queue->lock);
  queue->memory_budget = memory_budget;
  g_mutex_unlock (&queue->lock);
}

guint64
normscope_queue_get_memory_budget (NormscopeQueue *queue)
{
  guint64 memory_budget;

  g_mutex_lock (&queue->lock);
  memory_budget = queue->engine_budget;
  g_mutex_unlock (&queue->lock);
  return memory_budget;
}

NormscopeStore *
normscope_queue_get_store (NormscopeQueue *queue)
{
  return queue->store;
}

/* ---- the running job ---- */

/* A control changes little from one run to the next, and pictures are painted while the next ones are computed. An
 * engine cannot change its memory budget, so it is replaced if the budget has changed. */
NsEngine *
normscope_queue_get_engine (NormscopeQueue *queue)
{
  guint64 memory_budget;
  gboolean differs;

  g_mutex_lock (&queue->lock);
  memory_budget = queue->memory_budget;
  differs = memory_budget != queue->engine_budget;
  queue->engine_budget = memory_budget;
  g_mutex_unlock (&queue->lock);
  if (differs)
    g_clear_pointer (&queue->engine, ns_engine_free);
  if (queue->engine == NULL)
    {
      queue->engine = ns_engine_new (queue->threads, memory_budget);
      ns_engine_keep_activations (queue->engine);
      ns_engine_give_way (queue->engine);
    }
  return queue->engine;
}

gboolean
normscope_queue_watch (NormscopeQueue *queue, NsProgress *progress)
{
  gboolean goes_on;

  g_mutex_lock (&queue->lock);
  goes_on = !queue->is_interrupted;
  set_watched (queue, progress);
  g_mutex_unlock (&queue->lock);
  return goes_on;
}

gboolean
normscope_queue_is_interrupted (NormscopeQueue *queue)
{
  gboolean is_interrupted;

  g_mutex_lock (&queue->lock);
  is_interrupted = queue->is_interrupted;
  g_mutex_unlock (&queue->lock);
  return is_interrupted;
}
