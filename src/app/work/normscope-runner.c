/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-runner.h"

#include "app/work/normscope-task.h"

/* Time to paint the picture of the first seed, in which the other seeds do not take the processors. While a slider is
 * dragged, its next change comes before these have begun. */
#define PAINT_MS 20
/* A longer run of the first seed shows what it has so far, and again at this interval. */
#define PARTIAL_MS 300
#define PARTIAL_INTERVAL_MS 250
/* So large a result that copying it takes long is shown less often: a tenth of the time goes to copies. */
#define PARTIAL_PATIENCE 10

struct _NormscopeRunner
{
  NormscopeBackground parent_instance;
  NsQuantitySet quantities;
};

G_DEFINE_FINAL_TYPE (NormscopeRunner, normscope_runner, NORMSCOPE_TYPE_BACKGROUND)

enum { RUNNER_SIGNAL_RESULT, RUNNER_SIGNAL_PARTIAL, RUNNER_SIGNAL_FAILED, N_RUNNER_SIGNALS };
static guint runner_signals[N_RUNNER_SIGNALS];

/* ---- main thread ---- */

typedef struct
{
  NsResult *result; /* or NULL */
  GError *error;    /* or NULL */
  gboolean complete;
} RunDelivery;

static void
run_delivery_free (gpointer data)
{
  RunDelivery *delivery = data;

  g_clear_pointer (&delivery->result, ns_result_unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static void
deliver_run (gpointer owner, gpointer data)
{
  NormscopeRunner *self = owner;
  RunDelivery *delivery = data;

  if (delivery->result != NULL)
    {
      if (delivery->complete)
        normscope_background_end (NORMSCOPE_BACKGROUND (self));
      g_signal_emit (self, runner_signals[RUNNER_SIGNAL_RESULT], 0, delivery->result, delivery->complete);
    }
  else
    {
      normscope_background_end (NORMSCOPE_BACKGROUND (self));
      g_signal_emit (self, runner_signals[RUNNER_SIGNAL_FAILED], 0, delivery->error);
    }
}

/* Partial results of a job. The next one is not delivered before the main loop had some time for other things. */
typedef struct
{
  NormscopeWorker *worker;
  guint64 serial;
  int waits; /* atomic: TRUE from a delivery on until the next one may come */
} Partials;

/* The main loop has this many times the time of a partial result for other things. */
#define REST 4

typedef struct
{
  NsResult *result;
  Partials *partials; /* a reference */
} PartialDelivery;

static gboolean
ready_cb (gpointer partials)
{
  g_atomic_int_set (&((Partials *) partials)->waits, FALSE);
  return G_SOURCE_REMOVE;
}

static void
deliver_partial (gpointer owner, gpointer data)
{
  PartialDelivery *delivery = data;
  gint64 begin = g_get_monotonic_time ();

  g_signal_emit (owner, runner_signals[RUNNER_SIGNAL_PARTIAL], 0, delivery->result);
  g_timeout_add_full (G_PRIORITY_DEFAULT, (guint) (REST * (g_get_monotonic_time () - begin) / 1000), ready_cb,
                      g_atomic_rc_box_acquire (delivery->partials), g_atomic_rc_box_release);
}

static void
partial_delivery_free (gpointer data)
{
  PartialDelivery *delivery = data;

  ns_result_unref (delivery->result);
  g_atomic_rc_box_release (delivery->partials);
  g_free (delivery);
}

/* ---- worker thread ---- */

/* Called on threads of the engine, one at a time. */
static void
show_partial (gpointer data, NsResult *partial)
{
  Partials *partials = data;
  PartialDelivery *delivery;

  if (g_atomic_int_get (&partials->waits))
    {
      ns_result_unref (partial);
      return;
    }
  g_atomic_int_set (&partials->waits, TRUE);
  delivery = g_new (PartialDelivery, 1);
  *delivery = (PartialDelivery){ partial, g_atomic_rc_box_acquire (partials) };
  normscope_worker_enqueue_delivery (partials->worker, partials->serial, deliver_partial, delivery,
                                     partial_delivery_free);
}

/* Take the error, reference the result. */
static void
enqueue (NormscopeWorker *worker, guint64 serial, NsResult *result, GError *error, gboolean complete)
{
  RunDelivery *delivery = g_new0 (RunDelivery, 1);

  delivery->result = result != NULL ? ns_result_ref (result) : NULL;
  delivery->error = error;
  delivery->complete = complete;
  normscope_worker_enqueue_delivery (worker, serial, deliver_run, delivery, run_delivery_free);
}

/* Return FALSE if the run was cancelled or failed, which ends the job. */
static gboolean
check_result (NormscopeWorker *worker, guint64 serial, NsResult *result, GError *error)
{
  if (result != NULL)
    return TRUE;
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    g_error_free (error);
  else
    enqueue (worker, serial, NULL, error, TRUE);
  return FALSE;
}

/* Run the first seed, and show what it has so far. */
static NsResult *
run_first (NormscopeWorker *worker, NsEngine *engine, const NormscopeTask *job, guint64 serial, NsProgress *progress,
           GError **error)
{
  Partials *partials = g_atomic_rc_box_new0 (Partials);
  const NsResultWatch watch = { PARTIAL_MS, PARTIAL_INTERVAL_MS, PARTIAL_PATIENCE, show_partial, partials };
  NsResult *result;

  partials->worker = worker;
  partials->serial = serial;
  result = normscope_store_run (normscope_worker_get_store (worker), engine, job->experiment, &job->quantities, 0, 1,
                                &watch, progress, error);
  g_atomic_rc_box_release (partials);
  return result;
}

static void
run_experiment (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  const NormscopeTask *job = data;
  const NsExperiment *experiment = job->experiment;
  guint seeds = (guint) experiment->sampling.seeds;
  GError *error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (NsResult) first = NULL;
  g_autoptr (NsResult) all = NULL;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  first = run_first (worker, engine, job, serial, progress, &error);
  if (!check_result (worker, serial, first, error))
    return;
  enqueue (worker, serial, first, NULL, seeds == 1);
  if (seeds == 1 || !normscope_worker_pause (worker, serial, PAINT_MS))
    return;

  all = normscope_store_run (normscope_worker_get_store (worker), engine, experiment, &job->quantities, 0, seeds, NULL,
                             progress, &error);
  if (check_result (worker, serial, all, error))
    enqueue (worker, serial, all, NULL, TRUE);
}

/* ---- the object ---- */

void
normscope_runner_set_quantities (NormscopeRunner *self, const NsQuantitySet *quantities)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  self->quantities = ns_quantity_set_with_terms (quantities);
}

void
normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment)
{
  NormscopeBackground *background = NORMSCOPE_BACKGROUND (self);
  g_autoptr (NsResult) known = NULL;

  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  g_return_if_fail (experiment != NULL);
  known = normscope_store_find (normscope_background_get_store (background), experiment, &self->quantities);
  normscope_background_replace (background,
                                known == NULL ? normscope_task_new_run (experiment, &self->quantities) : NULL);
  if (known != NULL)
    g_signal_emit (self, runner_signals[RUNNER_SIGNAL_RESULT], 0, known, TRUE);
}

void
normscope_runner_stop (NormscopeRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), NULL);
}

static void
normscope_runner_class_init (NormscopeRunnerClass *klass)
{
  runner_signals[RUNNER_SIGNAL_RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                                       NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_BOOLEAN);
  runner_signals[RUNNER_SIGNAL_PARTIAL] = g_signal_new ("partial", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                                        NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  runner_signals[RUNNER_SIGNAL_FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                                       NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_runner_init (NormscopeRunner *self)
{
  normscope_runner_set_quantities (self, NULL);
}

NormscopeRunner *
normscope_runner_new (NormscopeEngine *engine)
{
  NormscopeRunner *self = g_object_new (NORMSCOPE_TYPE_RUNNER, NULL);

  normscope_background_start (NORMSCOPE_BACKGROUND (self), engine, run_experiment,
                              (GDestroyNotify) normscope_task_unref);
  return self;
}
