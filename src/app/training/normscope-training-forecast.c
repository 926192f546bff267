/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-forecast.h"

#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-estimate.h"

/* Settings that a dragged slider changes are measured only when it rests. */
#define DELAY_MS 250

struct _NormscopeTrainingForecast
{
  GObject parent_instance;
  NormscopeSession *session;
  NormscopeEngine *engine; /* its own, so that it never keeps a training waiting */
  NormscopeWorker *worker;
  NsExperiment *experiment; /* that the texts are about, or NULL */
  guint64 budget;           /* likewise, bytes */
  char *text, *parts;
  gboolean fits;
  gboolean wanted;
  guint timeout_id;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingForecast, normscope_training_forecast, G_TYPE_OBJECT)

enum { TRAINING_FORECAST_SIGNAL_CHANGED, N_TRAINING_FORECAST_SIGNALS };
static guint training_forecast_signals[N_TRAINING_FORECAST_SIGNALS];

/* ---- main thread ---- */

typedef struct
{
  char *text, *parts;
  gboolean fits;
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_free (delivery->text);
  g_free (delivery->parts);
  g_free (delivery);
}

static void
deliver (gpointer owner, gpointer data)
{
  NormscopeTrainingForecast *self = owner;
  Delivery *delivery = data;

  g_free (self->text);
  g_free (self->parts);
  self->text = g_steal_pointer (&delivery->text);
  self->parts = g_steal_pointer (&delivery->parts);
  self->fits = delivery->fits;
  g_signal_emit (self, training_forecast_signals[TRAINING_FORECAST_SIGNAL_CHANGED], 0);
}

/* ---- worker thread ---- */

static void
enqueue (NormscopeWorker *worker, guint64 serial, const NsEstimate *estimate, const NsTrainingMemory *memory)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  *delivery = (Delivery) { ns_estimate_dup_text (estimate), ns_training_memory_dup_text (memory), estimate->fits };
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
}

/* Deliver the memory at once, and later the time. */
static void
measure (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial)
{
  const NsExperiment *experiment = job;
  const NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;
  g_autoptr (NsProgress) progress = ns_progress_new ();
  NsTrainingMemory memory;
  NsEstimate estimate;

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  ns_estimate_count_training (engine, experiment, &plan, &estimate, &memory);
  enqueue (worker, serial, &estimate, &memory);
  if (ns_estimate_training (engine, experiment, &plan, progress, &estimate, &memory, NULL))
    enqueue (worker, serial, &estimate, &memory);
}

/* ---- from the session ---- */

static void
clear (NormscopeTrainingForecast *self)
{
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  g_clear_pointer (&self->experiment, ns_experiment_free);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->parts, g_free);
  self->fits = TRUE;
  normscope_worker_replace (self->worker, NULL);
}

static gboolean
start_cb (gpointer data)
{
  NormscopeTrainingForecast *self = data;

  self->timeout_id = 0;
  normscope_engine_set_memory_budget (self->engine, self->budget);
  normscope_worker_replace (self->worker, ns_experiment_copy (self->experiment));
  return G_SOURCE_REMOVE;
}

static gboolean
is_of_session (NormscopeTrainingForecast *self)
{
  return self->experiment != NULL && self->budget == normscope_session_get_memory_budget (self->session)
         && ns_experiment_equal (self->experiment, normscope_session_get_experiment (self->session));
}

static void
update (NormscopeTrainingForecast *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  gboolean was_known = self->experiment != NULL;

  if (self->wanted && is_of_session (self))
    return;
  clear (self);
  if (self->wanted && normscope_session_get_error (self->session) == NULL
      && ns_experiment_validate_training (experiment, NULL))
    {
      self->experiment = ns_experiment_copy (experiment);
      self->budget = normscope_session_get_memory_budget (self->session);
      self->timeout_id = g_timeout_add (DELAY_MS, start_cb, self);
    }
  if (was_known || self->experiment != NULL)
    g_signal_emit (self, training_forecast_signals[TRAINING_FORECAST_SIGNAL_CHANGED], 0);
}

void
normscope_training_forecast_set_wanted (NormscopeTrainingForecast *self, gboolean wanted)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_FORECAST (self));
  if (wanted == self->wanted)
    return;
  self->wanted = wanted;
  update (self);
}

gboolean
normscope_training_forecast_is_measuring (NormscopeTrainingForecast *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_FORECAST (self), FALSE);
  return self->experiment != NULL && self->text == NULL;
}

const char *
normscope_training_forecast_get_text (NormscopeTrainingForecast *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_FORECAST (self), NULL);
  return self->text;
}

const char *
normscope_training_forecast_get_parts (NormscopeTrainingForecast *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_FORECAST (self), NULL);
  return self->parts;
}

gboolean
normscope_training_forecast_get_fits (NormscopeTrainingForecast *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_FORECAST (self), TRUE);
  return self->fits;
}

/* ---- the object ---- */

static void
normscope_training_forecast_dispose (GObject *object)
{
  NormscopeTrainingForecast *self = NORMSCOPE_TRAINING_FORECAST (object);

  if (self->worker != NULL)
    clear (self);
  g_clear_pointer (&self->worker, normscope_worker_release);
  g_clear_pointer (&self->engine, normscope_engine_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_forecast_parent_class)->dispose (object);
}

static void
normscope_training_forecast_class_init (NormscopeTrainingForecastClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_training_forecast_dispose;
  training_forecast_signals[TRAINING_FORECAST_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_training_forecast_init (NormscopeTrainingForecast *self)
{
  self->fits = TRUE;
}

NormscopeTrainingForecast *
normscope_training_forecast_new (NormscopeSession *session)
{
  NormscopeTrainingForecast *self = g_object_new (NORMSCOPE_TYPE_TRAINING_FORECAST, NULL);

  self->session = g_object_ref (session);
  self->engine = normscope_engine_new (0, normscope_session_get_memory_budget (session));
  self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_ref (self->engine), measure,
                                       (GDestroyNotify) ns_experiment_free);
  g_signal_connect_object (session, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return self;
}
