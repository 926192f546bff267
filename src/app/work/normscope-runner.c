/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-runner.h"

#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"

struct _NormscopeRunner
{
  GObject parent_instance;
  NormscopeWorker *worker;
  gboolean busy;
};

G_DEFINE_FINAL_TYPE (NormscopeRunner, normscope_runner, G_TYPE_OBJECT)

enum { PROP_0, PROP_BUSY, N_PROPS };
enum { RESULT, FAILED, N_SIGNALS };
static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

/* ---- main thread ---- */

typedef struct
{
  NsResult *result; /* or NULL */
  GError *error;    /* or NULL */
  gboolean complete;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->result, ns_result_unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static void
set_busy (NormscopeRunner *self, gboolean busy)
{
  if (self->busy == busy)
    return;
  self->busy = busy;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_BUSY]);
}

static void
deliver (gpointer owner, gpointer data)
{
  NormscopeRunner *self = owner;
  Delivery *delivery = data;

  if (delivery->result != NULL)
    {
      if (delivery->complete)
        set_busy (self, FALSE);
      g_signal_emit (self, signals[RESULT], 0, delivery->result, delivery->complete);
    }
  else
    {
      set_busy (self, FALSE);
      g_signal_emit (self, signals[FAILED], 0, delivery->error);
    }
}

/* ---- worker thread ---- */

/* Take the error, reference the result. */
static void
enqueue (NormscopeWorker *worker, guint64 serial, NsResult *result, GError *error, gboolean complete)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  delivery->result = result != NULL ? ns_result_ref (result) : NULL;
  delivery->error = error;
  delivery->complete = complete;
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
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

static void
run_experiment (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial)
{
  const NsExperiment *experiment = job;
  guint seeds = (guint) experiment->sampling.seeds;
  GError *error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (NsResult) first = NULL;
  g_autoptr (NsResult) rest = NULL;
  g_autoptr (NsResult) all = NULL;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  first = ns_engine_run (engine, experiment, 0, 1, progress, &error);
  if (!check_result (worker, serial, first, error))
    return;
  enqueue (worker, serial, first, NULL, seeds == 1);
  if (seeds == 1)
    return;

  rest = ns_engine_run (engine, experiment, 1, seeds - 1, progress, &error);
  if (!check_result (worker, serial, rest, error))
    return;
  all = ns_result_merge (first, rest, &error);
  enqueue (worker, serial, all, error, TRUE);
}

/* ---- the object ---- */

void
normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  g_return_if_fail (experiment != NULL);
  normscope_worker_replace (self->worker, ns_experiment_copy (experiment));
  set_busy (self, TRUE);
}

void
normscope_runner_stop (NormscopeRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  normscope_worker_replace (self->worker, NULL);
  set_busy (self, FALSE);
}

gboolean
normscope_runner_get_busy (NormscopeRunner *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_RUNNER (self), FALSE);
  return self->busy;
}

void
normscope_runner_get_progress (NormscopeRunner *self, guint64 *done, guint64 *total)
{
  g_return_if_fail (NORMSCOPE_IS_RUNNER (self));
  normscope_worker_get_progress (self->worker, done, total);
}

static void
normscope_runner_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  NormscopeRunner *self = NORMSCOPE_RUNNER (object);

  switch (id)
    {
    case PROP_BUSY:
      g_value_set_boolean (value, self->busy);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_runner_dispose (GObject *object)
{
  NormscopeRunner *self = NORMSCOPE_RUNNER (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  G_OBJECT_CLASS (normscope_runner_parent_class)->dispose (object);
}

static void
normscope_runner_class_init (NormscopeRunnerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = normscope_runner_get_property;
  object_class->dispose = normscope_runner_dispose;

  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_BOOLEAN);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_runner_init (NormscopeRunner *self)
{
}

NormscopeRunner *
normscope_runner_new (NormscopeEngine *engine)
{
  NormscopeRunner *self = g_object_new (NORMSCOPE_TYPE_RUNNER, NULL);

  self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_ref (engine), run_experiment,
                                       (GDestroyNotify) ns_experiment_free);
  return self;
}
