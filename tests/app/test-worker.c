/* The progress of a worker while one job replaces another, and the order of the jobs of several windows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include "app/work/normscope-worker.h"

#include "engine/ops/ns-progress.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static gint refusals; /* threads that the system refuses from now on */

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *), void *data)
{
  __typeof__ (&pthread_create) real = (__typeof__ (&pthread_create)) dlsym (RTLD_NEXT, "pthread_create");

  if (refusals > 0)
    {
      refusals--;
      return EAGAIN;
    }
  return real (thread, attributes, start, data);
}

/* A job that reports `done` of `total` blocks and then waits for `may_end`, even if it is cancelled. */
typedef struct
{
  guint64 done, total;
  gint may_end; /* atomic: set by the main thread, read by the worker */
} Job;

static void
run_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  Job *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  for (guint64 i = 0; i < job->done; i++)
    ns_progress_step (progress);
  ns_progress_begin (progress, job->total);
  while (!g_atomic_int_get (&job->may_end))
    g_usleep (1000);
}

static void
keep_job (gpointer job)
{
}

static void
assert_progress (NormscopeWorker *worker, guint64 wanted_done, guint64 wanted_total)
{
  guint64 done = 99, total = 99;

  normscope_worker_get_progress (worker, &done, &total);
  g_assert_cmpuint (done, ==, wanted_done);
  g_assert_cmpuint (total, ==, wanted_total);
}

static void
wait_for_total (NormscopeWorker *worker, guint64 wanted)
{
  guint64 done, total;

  for (guint i = 0; i < TIMEOUT_MS; i++)
    {
      normscope_worker_get_progress (worker, &done, &total);
      if (total == wanted)
        return;
      g_usleep (1000);
    }
  g_assert_cmpuint (total, ==, wanted);
}

/* The progress of a cancelled job is not reported as that of the newest job. */
static void
test_progress (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  NormscopeWorker *worker = normscope_worker_new (owner, NULL, run_job, keep_job);
  Job first = { 3, 40, FALSE }, second = { 2, 50, FALSE };

  assert_progress (worker, 0, 0);
  normscope_worker_replace (worker, &first);
  wait_for_total (worker, 40);
  assert_progress (worker, 3, 40);

  normscope_worker_replace (worker, &second);
  assert_progress (worker, 0, 0);
  g_atomic_int_set (&first.may_end, TRUE);
  wait_for_total (worker, 50);
  assert_progress (worker, 2, 50);

  normscope_worker_replace (worker, NULL);
  assert_progress (worker, 0, 0);
  g_atomic_int_set (&second.may_end, TRUE);
  normscope_worker_release (worker);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
}

/* A job waits while the system has no thread for it, and the newest one runs. */
static void
test_refused_thread (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  NormscopeWorker *worker = normscope_worker_new (owner, NULL, run_job, keep_job);
  Job first = { 1, 10, TRUE }, second = { 2, 20, FALSE };
  guint64 done, total = 0;

  refusals = 3;
  normscope_worker_replace (worker, &first);
  normscope_worker_replace (worker, &second);
  while (total == 0)
    {
      g_main_context_iteration (NULL, FALSE);
      normscope_worker_get_progress (worker, &done, &total);
      g_usleep (1000);
    }
  g_assert_cmpint (refusals, ==, 0);
  wait_for_total (worker, 20);
  g_atomic_int_set (&second.may_end, TRUE);
  normscope_worker_release (worker);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));

  /* A worker may end before it has a thread. */
  worker = normscope_worker_new (owner, NULL, run_job, keep_job);
  refusals = 1;
  normscope_worker_replace (worker, &first);
  normscope_worker_release (worker);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
}

/* ---- windows ---- */

#define N_WINDOWS 13
/* What the window in front rests before others may compute, less the error of a clock. */
#define REST_US 900000

typedef struct
{
  char name;
  int may_end; /* atomic */
} WindowJob;

static GMutex record_lock;
static GString *record; /* name and + for a job that has ended, − for one that was interrupted */
static int n_running, most_running;
static gint64 last_us;

static void
note (char c)
{
  g_mutex_lock (&record_lock);
  g_string_append_c (record, c);
  last_us = g_get_monotonic_time ();
  g_mutex_unlock (&record_lock);
}

static void
run_window_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  WindowJob *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  int running;

  g_assert_nonnull (engine);
  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  note (job->name);
  running = g_atomic_int_add (&n_running, 1) + 1;
  most_running = MAX (most_running, running);
  while (!g_atomic_int_get (&job->may_end) && !ns_progress_is_cancelled (progress))
    g_usleep (1000);
  g_atomic_int_add (&n_running, -1);
  note (ns_progress_is_cancelled (progress) ? '-' : '+');
}

static gboolean
has_record (gpointer wanted)
{
  gboolean is_there;

  g_mutex_lock (&record_lock);
  is_there = g_str_equal (record->str, wanted);
  g_mutex_unlock (&record_lock);
  return is_there;
}

static void
wait_for_record (const char *wanted)
{
  if (!app_wait_for (has_record, (gpointer) wanted, TIMEOUT_MS))
    g_error ("“%s” instead of “%s”", record->str, wanted);
}

/* Windows share one thread and one engine. A job of the window in front interrupts that of another one, which runs
 * again when the former rests. */
static void
test_windows (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  NormscopeEngine *engines[N_WINDOWS];
  NormscopeWorker *workers[N_WINDOWS];
  WindowJob jobs[N_WINDOWS];
  gint64 rest_us;

  record = g_string_new (NULL);
  for (guint i = 0; i < N_WINDOWS; i++)
    {
      engines[i] = normscope_engine_new_for_window ((guint64) 1 << 26);
      workers[i] = normscope_worker_new (owner, normscope_engine_ref (engines[i]), run_window_job, keep_job);
      jobs[i] = (WindowJob){ (char) ('a' + i), FALSE };
    }
  normscope_engine_set_front (engines[0]);
  normscope_worker_replace (workers[1], &jobs[1]);
  wait_for_record ("b");
  normscope_worker_replace (workers[2], &jobs[2]);
  normscope_worker_replace (workers[0], &jobs[0]);
  wait_for_record ("b-a");
  g_atomic_int_set (&jobs[0].may_end, TRUE);
  wait_for_record ("b-a+");
  rest_us = last_us;
  wait_for_record ("b-a+c");
  g_assert_cmpint (last_us - rest_us, >=, REST_US);
  /* Another window comes to the front: its job is next. */
  normscope_engine_set_front (engines[1]);
  wait_for_record ("b-a+c-b");
  for (guint i = 1; i < N_WINDOWS; i++)
    g_atomic_int_set (&jobs[i].may_end, TRUE);
  wait_for_record ("b-a+c-b+c+");
  g_string_truncate (record, 0);
  normscope_worker_replace (workers[1], &jobs[1]);
  for (guint i = 0; i < N_WINDOWS; i++)
    if (i != 1)
      normscope_worker_replace (workers[i], &jobs[i]);
  wait_for_record ("b+a+c+d+e+f+g+h+i+j+k+l+m+");
  g_assert_cmpint (most_running, ==, 1);
  for (guint i = 0; i < N_WINDOWS; i++)
    {
      normscope_worker_release (workers[i]);
      normscope_engine_unref (engines[i]);
    }
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
  g_string_free (record, TRUE);
}

/* What nobody waits for yet comes after the jobs of all windows, in front or not, and gives way to them. */
static void
test_behind (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  NormscopeEngine *window = normscope_engine_new (1, (guint64) 1 << 26);
  NormscopeEngine *engines[] = { window, window, normscope_engine_new_behind (window) };
  WindowJob jobs[] = { { 'a', FALSE }, { 'b', FALSE }, { 'z', FALSE } };
  NormscopeWorker *workers[G_N_ELEMENTS (jobs)];

  record = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    workers[i] = normscope_worker_new (owner, normscope_engine_ref (engines[i]), run_window_job, keep_job);
  normscope_worker_replace (workers[2], &jobs[2]);
  wait_for_record ("z");
  normscope_worker_replace (workers[0], &jobs[0]);
  wait_for_record ("z-a");
  normscope_worker_replace (workers[1], &jobs[1]);
  g_atomic_int_set (&jobs[0].may_end, TRUE);
  wait_for_record ("z-a+b");
  g_atomic_int_set (&jobs[1].may_end, TRUE);
  wait_for_record ("z-a+b+z");
  normscope_engine_set_front (window);
  normscope_worker_replace (workers[0], &jobs[0]);
  wait_for_record ("z-a+b+z-a+");
  g_atomic_int_set (&jobs[2].may_end, TRUE);
  wait_for_record ("z-a+b+z-a+z+");
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    normscope_worker_release (workers[i]);
  normscope_engine_unref (engines[2]);
  normscope_engine_unref (window);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
  g_string_free (record, TRUE);
}

void
add_worker_tests (void)
{
  app_test_add_func ("/worker/progress", test_progress);
  app_test_add_func ("/worker/refused-thread", test_refused_thread);
  app_test_add_func ("/worker/windows", test_windows);
  app_test_add_func ("/worker/behind", test_behind);
}
