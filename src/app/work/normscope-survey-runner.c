/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-survey-runner.h"

#include "engine/experiment/ns-experiment.h"

/* Interval at which a filling survey is checked for more trainings. */
#define POLL_MS 100

struct _NormscopeSurveyRunner
{
  NormscopeBackground parent_instance;
  const NormscopeSurveyKind *kind;
  gpointer survey; /* of the newest request, or NULL before the worker has made it */
  guint n_seen;    /* trainings that had ended at the last "result" */
  guint poll_id;
};

G_DEFINE_FINAL_TYPE (NormscopeSurveyRunner, normscope_survey_runner, NORMSCOPE_TYPE_BACKGROUND)

enum { RESULT, FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Either a survey to go on with, or an experiment. */
typedef struct
{
  const NormscopeSurveyKind *kind;
  gpointer survey;
  NsExperiment *experiment;
  NsViewChoice choice;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->survey, job->kind->unref);
  g_clear_pointer (&job->experiment, ns_experiment_free);
  g_free (job);
}

/* ---- main thread ---- */

typedef struct
{
  const NormscopeSurveyKind *kind;
  gpointer survey; /* or NULL */
  GError *error;   /* or NULL */
} Delivery;

static void
delivery_free (gpointer data)
{
  Delivery *delivery = data;

  g_clear_pointer (&delivery->survey, delivery->kind->unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static guint
count (NormscopeSurveyRunner *self)
{
  guint n_all;

  return self->kind->count (self->survey, &n_all);
}

static gboolean
poll_cb (gpointer data)
{
  NormscopeSurveyRunner *self = data;
  guint n = count (self);

  if (n != self->n_seen)
    {
      self->n_seen = n;
      g_signal_emit (self, signals[RESULT], 0, self->survey);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_poll (NormscopeSurveyRunner *self)
{
  g_clear_handle_id (&self->poll_id, g_source_remove);
}

static void
deliver_started (gpointer owner, gpointer data)
{
  NormscopeSurveyRunner *self = owner;

  g_clear_pointer (&self->survey, self->kind->unref);
  self->survey = self->kind->ref (((Delivery *) data)->survey);
  self->n_seen = count (self);
  end_poll (self);
  self->poll_id = g_timeout_add (POLL_MS, poll_cb, self);
  g_signal_emit (self, signals[RESULT], 0, self->survey);
}

static void
deliver_ended (gpointer owner, gpointer data)
{
  NormscopeSurveyRunner *self = owner;
  Delivery *delivery = data;

  end_poll (self);
  g_clear_pointer (&self->survey, self->kind->unref);
  normscope_background_end (NORMSCOPE_BACKGROUND (self));
  if (delivery->error != NULL)
    g_signal_emit (self, signals[FAILED], 0, delivery->error);
  else
    g_signal_emit (self, signals[RESULT], 0, delivery->survey);
}

/* ---- worker thread ---- */

/* Reference the survey, take the error. */
static void
enqueue (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver, const Job *job, GError *error)
{
  Delivery *delivery = g_new0 (Delivery, 1);

  *delivery = (Delivery) { job->kind, job->survey != NULL ? job->kind->ref (job->survey) : NULL, error };
  normscope_worker_enqueue_delivery (worker, serial, deliver, delivery, delivery_free);
}

static void
run_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (!normscope_worker_start_run (worker, serial, progress))
    return;
  if (job->survey == NULL)
    job->survey = job->kind->make (job->experiment, &job->choice, &error);
  if (job->survey != NULL)
    {
      enqueue (worker, serial, deliver_started, job, NULL);
      job->kind->run (engine, job->survey, progress, &error);
    }
  /* The canceller has already updated the state. */
  if (g_error_matches (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED))
    g_error_free (error);
  else
    enqueue (worker, serial, deliver_ended, job, error);
}

/* ---- the object ---- */

/* Replace the request by another one, which is taken; NULL for none. */
static void
replace (NormscopeSurveyRunner *self, Job *job)
{
  end_poll (self);
  g_clear_pointer (&self->survey, self->kind->unref);
  normscope_background_replace (NORMSCOPE_BACKGROUND (self), job);
}

void
normscope_survey_runner_submit (NormscopeSurveyRunner *self, const NsExperiment *experiment,
                                const NsViewChoice *choice)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_SURVEY_RUNNER (self));
  g_return_if_fail (experiment != NULL && choice != NULL);

  job = g_new0 (Job, 1);
  *job = (Job) { .kind = self->kind, .experiment = ns_experiment_copy (experiment), .choice = *choice };
  replace (self, job);
}

void
normscope_survey_runner_resume (NormscopeSurveyRunner *self, gpointer survey)
{
  Job *job;

  g_return_if_fail (NORMSCOPE_IS_SURVEY_RUNNER (self));
  g_return_if_fail (survey != NULL);

  job = g_new0 (Job, 1);
  *job = (Job) { .kind = self->kind, .survey = self->kind->ref (survey) };
  replace (self, job);
}

void
normscope_survey_runner_stop (NormscopeSurveyRunner *self)
{
  g_return_if_fail (NORMSCOPE_IS_SURVEY_RUNNER (self));
  replace (self, NULL);
}

static void
normscope_survey_runner_dispose (GObject *object)
{
  NormscopeSurveyRunner *self = NORMSCOPE_SURVEY_RUNNER (object);

  end_poll (self);
  if (self->survey != NULL)
    g_clear_pointer (&self->survey, self->kind->unref);
  G_OBJECT_CLASS (normscope_survey_runner_parent_class)->dispose (object);
}

static void
normscope_survey_runner_class_init (NormscopeSurveyRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_survey_runner_dispose;
  signals[RESULT] = g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_survey_runner_init (NormscopeSurveyRunner *self)
{
}

NormscopeSurveyRunner *
normscope_survey_runner_new (NormscopeEngine *engine, const NormscopeSurveyKind *kind)
{
  NormscopeSurveyRunner *self = g_object_new (NORMSCOPE_TYPE_SURVEY_RUNNER, NULL);

  self->kind = kind;
  normscope_background_start (NORMSCOPE_BACKGROUND (self), engine, run_job, job_free);
  return self;
}
