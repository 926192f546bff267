/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-partial-run.h"

#include "engine/run/ns-result-private.h"

#include <pthread.h>

typedef struct
{
  guint variant, seed;
} Row;

struct _NsPartialRun
{
  const NsResultWatch *watch;
  NsResult *result;   /* that the passes fill */
  guint n_threads;
  _Atomic gint64 due; /* monotonic time of the next partial result, µs; changed with the lock held */
  pthread_mutex_t lock;
  /* guarded by lock: */
  NsResult *copied;   /* rows of the result as they were last copied; NULL before the first one is due */
  GArray *ended;      /* Row, of the passes that have ended by then */
  guint n_running;    /* passes */
  guint n_fresh;      /* running passes that have copied their row for the next partial result */
  guint next;         /* its number, from 1 */
};

NsPartialRun *
ns_partial_run_begin (const NsResultWatch *watch, NsResult *result, guint n_threads)
{
  NsPartialRun *self;

  if (watch == NULL || !ns_result_begin_partial (result))
    return NULL;
  self = g_new0 (NsPartialRun, 1);
  self->watch = watch;
  self->result = result;
  self->n_threads = n_threads;
  self->ended = g_array_new (FALSE, FALSE, sizeof (Row));
  self->next = 1;
  self->due = g_get_monotonic_time () + watch->first_ms * G_TIME_SPAN_MILLISECOND;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
ns_partial_run_end (NsPartialRun *self)
{
  if (self == NULL)
    return;
  ns_result_end_partial (self->result);
  g_clear_pointer (&self->copied, ns_result_unref);
  g_array_unref (self->ended);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* ---- a pass ---- */

static void
copy_row (NsPartialRun *run, Row row)
{
  ns_result_copy_row (run->copied, row.variant, row.seed, run->result, row.seed);
}

/* Make room for the copies, when the first is due: short runs have none. Return FALSE without memory. Call with the
 * lock held. */
static gboolean
prepare (NsPartialRun *run)
{
  if (run->copied != NULL)
    return TRUE;
  run->copied = ns_result_new_partial (run->result);
  if (run->copied == NULL)
    {
      run->due = G_MAXINT64;
      return FALSE;
    }
  ns_result_set_elapsed (run->copied, 0, run->n_threads);
  for (guint i = 0; i < run->ended->len; i++)
    copy_row (run, g_array_index (run->ended, Row, i));
  return TRUE;
}

/* Hand a copy of all numbers to the watch if it is due and those of each pass that runs are new. Call with the lock
 * held. */
static void
show_if_due (NsPartialRun *run)
{
  gint64 begin = g_get_monotonic_time (), end;
  NsResult *partial;

  if (begin < run->due || run->n_running == 0 || run->n_fresh < run->n_running)
    return;
  run->n_fresh = 0;
  run->next++;
  partial = ns_result_dup_partial (run->copied);
  if (partial != NULL)
    run->watch->show (run->watch->user_data, partial);
  end = g_get_monotonic_time ();
  run->due = end + MAX (run->watch->every_ms * G_TIME_SPAN_MILLISECOND, run->watch->patience * (end - begin));
}

static void
copy_if_due (NsPartialPass *self)
{
  NsPartialRun *run = self->run;

  if (g_get_monotonic_time () < run->due)
    return;
  pthread_mutex_lock (&run->lock);
  if (self->copied_for != run->next && prepare (run))
    {
      copy_row (run, (Row){ self->variant, self->seed });
      self->copied_for = run->next;
      run->n_fresh++;
    }
  show_if_due (run);
  pthread_mutex_unlock (&run->lock);
}

static void
record_and_copy (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
                 double log10_value)
{
  NsPartialPass *self = data;

  if (site != self->site)
    copy_if_due (self);
  self->site = site;
  self->next.record (self->next.data, quantity, estimate, site, value, log10_value);
}

static void
overflow (gpointer data, gint64 site)
{
  NsPartialPass *self = data;

  self->next.overflow (self->next.data, site);
}

void
ns_partial_pass_begin (NsPartialPass *self, NsPartialRun *run, NsSink *sink, const NsResultSlot *slot)
{
  *self = (NsPartialPass){ .run = run, .next = *sink, .variant = slot->variant, .seed = slot->seed, .site = -1 };
  if (run == NULL)
    return;
  sink->record = record_and_copy;
  sink->overflow = overflow;
  sink->data = self;
  pthread_mutex_lock (&run->lock);
  run->n_running++;
  pthread_mutex_unlock (&run->lock);
}

void
ns_partial_pass_end (NsPartialPass *self)
{
  NsPartialRun *run = self->run;
  const Row row = { self->variant, self->seed };

  if (run == NULL)
    return;
  pthread_mutex_lock (&run->lock);
  if (run->copied != NULL)
    copy_row (run, row);
  else
    g_array_append_val (run->ended, row);
  if (self->copied_for == run->next)
    run->n_fresh--;
  run->n_running--;
  show_if_due (run);
  pthread_mutex_unlock (&run->lock);
}
