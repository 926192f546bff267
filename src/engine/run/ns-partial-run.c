/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-partial-run.h"

#include "engine/run/ns-result-private.h"

#include <pthread.h>

struct _NsPartialRun
{
  const NsResultWatch *watch;
  NsResult *result; /* that the passes fill */
  _Atomic gint64 due; /* monotonic time of the next partial result, µs; changed with the lock held */
  pthread_mutex_t lock;
  /* guarded by lock: */
  NsResult *copied;
  guint n_running;
  guint n_fresh;    /* of those that run, whose numbers were copied for the next partial result */
  guint next;       /* its number, from 1 */
};

NsPartialRun *
ns_partial_run_begin (const NsResultWatch *watch, NsResult *result, guint n_threads)
{
  NsPartialRun *self;
  NsResult *copied;

  if (watch == NULL || !ns_result_begin_partial (result))
    return NULL;
  copied = ns_result_dup_partial (result);
  if (copied == NULL)
    {
      ns_result_end_partial (result);
      return NULL;
    }
  ns_result_set_elapsed (copied, 0, n_threads);
  self = g_new0 (NsPartialRun, 1);
  self->watch = watch;
  self->result = result;
  self->next = 1;
  self->due = g_get_monotonic_time () + watch->first_ms * G_TIME_SPAN_MILLISECOND;
  self->copied = copied;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
ns_partial_run_end (NsPartialRun *self)
{
  if (self == NULL)
    return;
  ns_result_end_partial (self->result);
  ns_result_unref (self->copied);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* ---- a pass ---- */

/* Copy the pass's numbers for the next partial result, once. Call with the lock held. */
static void
copy_row (NsPartialPass *self)
{
  NsPartialRun *run = self->run;

  if (self->copied_for == run->next)
    return;
  ns_result_copy_row (run->copied, self->variant, self->seed, run->result, self->seed);
  self->copied_for = run->next;
  run->n_fresh++;
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
  copy_row (self);
  show_if_due (run);
  pthread_mutex_unlock (&run->lock);
}

static void
record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
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
  sink->record = record;
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

  if (run == NULL)
    return;
  pthread_mutex_lock (&run->lock);
  if (self->copied_for == run->next)
    run->n_fresh--; /* it was counted before its last numbers */
  self->copied_for = 0;
  copy_row (self);
  run->n_fresh--; /* which are of those that run */
  run->n_running--;
  show_if_due (run);
  pthread_mutex_unlock (&run->lock);
}
