/* Run long work in a worker thread, with progress and interruption.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define POLL_US (50 * 1000)
/* Delay before the first display of progress. */
#define SHOW_AFTER_US (500 * 1000)
#define REDRAW_US (200 * 1000)

static volatile sig_atomic_t caught;

static void
on_signal (int number)
{
  caught = number;
}

void
ns_cli_catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int) SA_RESETHAND };

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

int
ns_cli_get_signal (void)
{
  return caught;
}

typedef struct
{
  NsCliJobFunc func;
  gpointer user_data;
  NsProgress *progress;
  GMutex mutex;
  GCond done_cond;
  gboolean done;  /* guarded by mutex */
  gpointer value; /* written before done */
  GError *error;  /* written before done */
} Job;

static gpointer
run_job (gpointer user_data)
{
  Job *job = user_data;

  job->value = job->func (job->user_data, job->progress, &job->error);
  g_mutex_lock (&job->mutex);
  job->done = TRUE;
  g_cond_signal (&job->done_cond);
  g_mutex_unlock (&job->mutex);
  return NULL;
}

static void
show_progress (NsProgress *progress, gint64 elapsed_us)
{
  guint64 done, total;
  double left_s;

  ns_progress_get (progress, &done, &total);
  if (done == 0 || total == 0)
    return;
  left_s = (double) elapsed_us / 1e6 * (double) (total - MIN (done, total)) / (double) done;
  /* Rewrite the line and clear the rest of it. */
  fprintf (stderr, "\r");
  fprintf (stderr, _ ("%llu of %llu blocks, %.0f s left"), (unsigned long long) done, (unsigned long long) total,
           left_s);
  fprintf (stderr, "\033[K");
  fflush (stderr);
}

static void
wait_for_job (Job *job)
{
  gboolean terminal = isatty (STDERR_FILENO);
  gint64 start = g_get_monotonic_time ();
  gint64 shown = 0;

  g_mutex_lock (&job->mutex);
  while (!job->done)
    {
      gint64 now = g_get_monotonic_time ();

      if (caught != 0)
        ns_progress_cancel (job->progress);
      if (terminal && now - start > SHOW_AFTER_US && now - shown > REDRAW_US)
        {
          show_progress (job->progress, now - start);
          shown = now;
        }
      g_cond_wait_until (&job->done_cond, &job->mutex, now + POLL_US);
    }
  g_mutex_unlock (&job->mutex);
  if (shown != 0)
    fprintf (stderr, "\r\033[K");
}

gpointer
ns_cli_run_job (NsCliJobFunc func, gpointer user_data, GError **error)
{
  Job job = { .func = func, .user_data = user_data, .progress = ns_progress_new () };
  GThread *thread;

  g_mutex_init (&job.mutex);
  g_cond_init (&job.done_cond);
  thread = g_thread_new ("job", run_job, &job);
  wait_for_job (&job);
  g_thread_join (thread);
  g_mutex_clear (&job.mutex);
  g_cond_clear (&job.done_cond);
  ns_progress_unref (job.progress);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  return job.value;
}
