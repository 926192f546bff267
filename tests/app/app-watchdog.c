/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-watchdog.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS         20
#define GLANCE_US       100000
/* Of the time for which the main thread sleeps, as much belongs to the X server, which busy tests starve. */
#define SERVER_GRACE_MS 1500

static GMutex mutex; /* guards the five below */
static gint64 last_tick_us, last_waited_us;
static char *in_use;
static double longest_ms;
static char *longest_name;

static gint64 last_busy_us; /* main thread */
static int is_running;      /* atomic */
static int schedstat = -1;
static guint tick_id;
static GThread *thread;

/* Return how long the main thread has waited for a processor: the second number of schedstat, in ns. */
static gint64
get_waited_us (void)
{
  char text[96];
  gint64 ran_ns, waited_ns;
  ssize_t n = schedstat >= 0 ? pread (schedstat, text, sizeof text - 1, 0) : -1;

  if (n <= 0)
    return 0;
  text[n] = '\0';
  return sscanf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &ran_ns, &waited_ns) == 2 ? waited_ns / 1000 : 0;
}

/* Return how long this thread has run. */
static gint64
get_busy_us (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gboolean
tick_cb (gpointer data)
{
  gint64 now = g_get_monotonic_time (), waited = get_waited_us (), busy = get_busy_us ();
  double busy_ms = (double) (busy - last_busy_us) / 1000, asleep_ms, gap_ms;

  g_mutex_lock (&mutex);
  asleep_ms = (double) (now - last_tick_us - (waited - last_waited_us)) / 1000 - busy_ms;
  gap_ms = busy_ms + MAX (asleep_ms - SERVER_GRACE_MS, 0.0);
  if (gap_ms > longest_ms)
    {
      longest_ms = gap_ms;
      g_free (longest_name);
      longest_name = g_strdup (in_use);
    }
  last_tick_us = now;
  last_waited_us = waited;
  g_mutex_unlock (&mutex);
  last_busy_us = busy;
  return G_SOURCE_CONTINUE;
}

static gpointer
watch (gpointer data)
{
  while (g_atomic_int_get (&is_running))
    {
      g_usleep (GLANCE_US);
      g_mutex_lock (&mutex);
      if (g_get_monotonic_time () - last_tick_us - (get_waited_us () - last_waited_us)
          > APP_WATCHDOG_PATIENCE_MS * G_GINT64_CONSTANT (1000))
        {
          printf ("Bail out! The main loop has blocked for %d s; in use: %s\n", APP_WATCHDOG_PATIENCE_MS / 1000,
                  in_use);
          fflush (stdout);
          abort ();
        }
      g_mutex_unlock (&mutex);
    }
  return NULL;
}

void
app_watchdog_start (void)
{
  if (g_atomic_int_get (&is_running))
    return;
  schedstat = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  last_waited_us = get_waited_us ();
  last_busy_us = get_busy_us ();
  last_tick_us = g_get_monotonic_time ();
  in_use = g_strdup ("nothing yet");
  tick_id = g_timeout_add_full (G_PRIORITY_DEFAULT, TICK_MS, tick_cb, NULL, NULL);
  g_atomic_int_set (&is_running, TRUE);
  thread = g_thread_new ("watchdog", watch, NULL);
}

void
app_watchdog_stop (void)
{
  if (!g_atomic_int_get (&is_running))
    return;
  g_atomic_int_set (&is_running, FALSE);
  g_thread_join (thread);
  g_source_remove (tick_id);
  if (schedstat >= 0)
    close (schedstat);
  g_clear_pointer (&in_use, g_free);
  g_clear_pointer (&longest_name, g_free);
  longest_ms = 0;
}

void
app_watchdog_name (const char *name)
{
  g_mutex_lock (&mutex);
  g_free (in_use);
  in_use = g_strdup (name);
  g_mutex_unlock (&mutex);
}

double
app_watchdog_take_longest (char **name)
{
  double ms;

  g_mutex_lock (&mutex);
  ms = longest_ms;
  *name = g_steal_pointer (&longest_name);
  longest_ms = 0;
  g_mutex_unlock (&mutex);
  return ms;
}
