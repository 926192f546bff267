/* Run surveys in the background; only the newest request counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A survey is many short trainings of one experiment, of which a figure is made: a sensitivity map, a coordinate check.
 * A request replaces one that waits and cancels one that runs (normscope-worker.h). Its survey is delivered at once,
 * and while it fills; a stopped one can go on later.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include "app/work/normscope-background.h"
#include "engine/experiment/ns-settings.h"
#include "figures/table/ns-view-choice.h"

G_BEGIN_DECLS

/* What a kind of survey can do; its values are counted references that any thread may read while they fill. */
typedef struct
{
  /* Create an empty survey; the caller owns it. NULL with an error if it is impossible. On the worker's thread. */
  gpointer (*make) (const NsExperiment *experiment, const NsViewChoice *choice, GError **error);
  gpointer (*ref) (gpointer survey);
  void (*unref) (gpointer survey);
  /* Do the trainings that are left; blocks. FALSE with an error when it is cancelled or memory is refused. */
  gboolean (*run) (NsEngine *engine, gpointer survey, NsProgress *progress, GError **error);
  /* Return the number of trainings that have ended, and in *n_all that of all. */
  guint (*count) (gconstpointer survey, guint *n_all);
} NormscopeSurveyKind;

#define NORMSCOPE_TYPE_SURVEY_RUNNER (normscope_survey_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSurveyRunner, normscope_survey_runner, NORMSCOPE, SURVEY_RUNNER, NormscopeBackground)

/* Signals:
 *  "result" (gpointer survey): of the newest request; emitted again when it has more trainings, and when it is full.
 *  "failed" (GError *): the newest request cannot run.
 * Property "busy": the newest request has neither reached its end nor failed. The kind is static. */
NormscopeSurveyRunner *normscope_survey_runner_new (NormscopeEngine *engine, const NormscopeSurveyKind *kind);

/* Make the survey of an experiment, which is copied, and a choice, and run it. */
void normscope_survey_runner_submit (NormscopeSurveyRunner *self, const NsExperiment *experiment,
                                     const NsViewChoice *choice);
/* Go on with a survey. */
void normscope_survey_runner_resume (NormscopeSurveyRunner *self, gpointer survey);
/* Pause: cancel what runs or waits; no signal follows until the next request. Trainings that are finished stay. */
void normscope_survey_runner_stop (NormscopeSurveyRunner *self);

G_END_DECLS
