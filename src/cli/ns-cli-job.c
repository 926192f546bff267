/* Run long work in a worker thread, with progress; end the program on a signal.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While a job runs, the main thread waits for it and for a signal: it cancels the job, lets it end, or ends the program
 * around it. While none runs, the main thread reads, formats, draws or writes one file, and the signal's handler ends
 * the program. It calls only functions that a handler may call.
 */
#include "cli/ns-cli.h"

#include "cli/ns-cli-ranks.h"
#include "document/ns-sibling.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_US (50 * 1000)
/* Delay before the first display of progress. */
#define SHOW_AFTER_US (500 * 1000)
#define REDRAW_US (200 * 1000)
/* Time that a cancelled job has to end. One that computes needs a tenth of it. */
#define GRACE_US (400 * 1000)

static atomic_int caught;        /* the signal, or 0 */
static atomic_int n_caught;      /* signals while a job runs */
static atomic_bool job_is_running, has_written;
static const char *interrupted_texts[2]; /* [has_written]; made beforehand, since a handler cannot translate */

/* End the program on a signal. Callable from a signal's handler while no job runs. */
static _Noreturn void
interrupt (int number)
{
  const char *text = interrupted_texts[atomic_load (&has_written)];
  gssize ignored;

  ns_sibling_remove_unfinished ();
  if (isatty (STDERR_FILENO))
    ignored = write (STDERR_FILENO, "\r\033[K", 4);
  ignored = write (STDERR_FILENO, text, strlen (text));
  (void) ignored;
  _exit (128 + number);
}

static void
on_signal (int number)
{
  if (!atomic_load (&job_is_running))
    interrupt (number);
  atomic_store (&caught, number);
  atomic_fetch_add (&n_caught, 1);
}

void
ns_cli_catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal };

  interrupted_texts[FALSE] = g_strdup_printf ("normscope-cli: %s\n", _ ("interrupted; nothing was written"));
  interrupted_texts[TRUE] = g_strdup_printf ("normscope-cli: %s\n", _ ("interrupted"));
  if (ns_cli_ranks_get_own () > 0) /* rank 0 tells it */
    interrupted_texts[FALSE] = interrupted_texts[TRUE] = "";
  /* one signal at a time */
  sigemptyset (&action.sa_mask);
  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

void
ns_cli_set_written (void)
{
  atomic_store (&has_written, TRUE);
}

typedef struct
{
  NsCliJobFunc func;
  gpointer user_data;
  const NsCliWatch *watch;
  NsProgress *progress;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  gboolean done;  /* guarded by lock */
  gpointer value; /* written before done */
  GError *error;  /* written before done */
} ThreadJob;

static void *
run_thread (void *user_data)
{
  ThreadJob *job = user_data;

  job->value = job->func (job->user_data, job->progress, &job->error);
  pthread_mutex_lock (&job->lock);
  job->done = TRUE;
  pthread_cond_signal (&job->ended);
  pthread_mutex_unlock (&job->lock);
  return NULL;
}

double
ns_cli_get_seconds_left (NsProgress *progress, double elapsed_s)
{
  guint64 done, total;

  ns_progress_get (progress, &done, &total);
  return done == 0 || total == 0 ? NAN : elapsed_s * (double) (total - MIN (done, total)) / (double) done;
}

/* Return the progress of ordinary runs in words; NULL before it begins. */
static char *
dup_blocks (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  double left_s = ns_cli_get_seconds_left (progress, elapsed_s);
  guint64 done, total;

  (void) user_data;
  ns_progress_get (progress, &done, &total);
  return isnan (left_s) ? NULL : g_strdup_printf (_ ("%llu of %llu blocks, %.0f s left"), (unsigned long long) done,
                                                  (unsigned long long) total, left_s);
}

static void
show_progress (const ThreadJob *job, gint64 elapsed_us)
{
  g_autofree char *text = job->watch->dup_progress (job->user_data, job->progress, (double) elapsed_us / 1e6);

  /* Rewrite the line and clear the rest of it. */
  if (text != NULL)
    fprintf (stderr, "\r%s\033[K", text);
  fflush (stderr);
}

/* Wait until the job ends, at most POLL_US. Call with the lock held. */
static void
wait_a_little (ThreadJob *job)
{
  struct timespec until;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += POLL_US * 1000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&job->ended, &job->lock, &until);
}

static void
wait_for_job (ThreadJob *job)
{
  gboolean terminal = isatty (STDERR_FILENO);
  gint64 start = g_get_monotonic_time (), shown = 0, cancelled = 0;

  pthread_mutex_lock (&job->lock);
  while (!job->done)
    {
      gint64 now = g_get_monotonic_time ();

      if (atomic_load (&caught) != 0 && cancelled == 0)
        {
          ns_progress_cancel (job->progress);
          cancelled = now;
        }
      if (cancelled != 0 && (job->watch->keeps ? atomic_load (&n_caught) > 1 : now - cancelled > GRACE_US))
        interrupt (atomic_load (&caught));
      if (terminal && cancelled == 0 && now - start > SHOW_AFTER_US && now - shown > REDRAW_US)
        {
          show_progress (job, now - start);
          shown = now;
        }
      if (job->watch->tick != NULL && cancelled == 0)
        {
          pthread_mutex_unlock (&job->lock);
          job->watch->tick (job->user_data);
          pthread_mutex_lock (&job->lock);
        }
      if (!job->done)
        wait_a_little (job);
    }
  pthread_mutex_unlock (&job->lock);
  if (shown != 0)
    fprintf (stderr, "\r\033[K");
}

static gboolean
start_job (ThreadJob *job, pthread_t *thread, GError **error)
{
  int cause = pthread_create (thread, NULL, run_thread, job);

  if (cause != 0)
    g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_SYSTEM,
                 _ ("the system refused a thread (ulimit -u, pids.max): %s"), g_strerror (cause));
  return cause == 0;
}

gpointer
ns_cli_run_job (NsCliJobFunc func, gpointer user_data, GError **error)
{
  static const NsCliWatch watch = { .dup_progress = dup_blocks };

  return ns_cli_run_watched_job (func, user_data, &watch, error);
}

int
ns_cli_get_signal (void)
{
  return atomic_load (&caught);
}

int
ns_cli_get_end_status (void)
{
  int number = atomic_load (&caught);

  return number != 0 ? 128 + number : NS_EXIT_DONE;
}

gpointer
ns_cli_run_watched_job (NsCliJobFunc func, gpointer user_data, const NsCliWatch *watch, GError **error)
{
  ThreadJob job = { .func = func, .user_data = user_data, .watch = watch, .progress = ns_progress_new () };
  pthread_condattr_t attributes;
  pthread_t thread;

  pthread_mutex_init (&job.lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&job.ended, &attributes);
  pthread_condattr_destroy (&attributes);
  atomic_store (&job_is_running, TRUE);
  if (start_job (&job, &thread, error))
    {
      wait_for_job (&job);
      pthread_join (thread, NULL);
    }
  atomic_store (&job_is_running, FALSE);
  if (atomic_load (&caught) != 0 && !watch->keeps)
    interrupt (atomic_load (&caught));
  if (job.value == NULL && watch->keeps && ns_progress_is_cancelled (job.progress))
    {
      g_clear_error (&job.error);
      job.value = user_data;
    }
  pthread_mutex_destroy (&job.lock);
  pthread_cond_destroy (&job.ended);
  ns_progress_unref (job.progress);
  if (job.error != NULL)
    g_propagate_error (error, job.error);
  return job.value;
}
