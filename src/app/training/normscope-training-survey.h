/* A page of the Training view whose figure is made of many short trainings. Base class.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A button runs the survey (normscope-fill-runner.h) and pauses it, and so does the space bar; the figure fills while
 * the page is on the screen. A change of settings while it runs starts the survey anew; one that does not run stays,
 * with a note that it is of the former settings.
 *
 * Threads: main.
 */
#pragma once

#include "app/training/normscope-training-page.h"
#include "app/work/normscope-fill-runner.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_SURVEY (normscope_training_survey_get_type ())
G_DECLARE_DERIVABLE_TYPE (NormscopeTrainingSurvey, normscope_training_survey, NORMSCOPE, TRAINING_SURVEY,
                          NormscopeTrainingPage)

/* Surveys that a page keeps, one at each place. */
#define NORMSCOPE_TRAINING_SURVEY_PLACES 2

struct _NormscopeTrainingSurveyClass
{
  NormscopeTrainingPageClass parent_class;

  /* Its settings are an NsViewChoice. A subclass sets ref, unref, make, fill, and count, which returns the number of
   * trainings that have ended. */
  NormscopeFillKind kind;
  NsFigureKind figure;
  /* While there is no survey; and the tool tip of what runs it, and the name of its bar. All N_() marked. */
  const char *empty_title, *empty_text, *run_tip, *bar_label;

  /* Return the number of trainings of a survey that is full. */
  guint (*get_n_runs) (gconstpointer survey);
  /* Return the place of the survey that is chosen, or of one. NULL: 0. */
  guint (*get_place) (const NsViewChoice *choice);
  guint (*find_place) (gconstpointer survey);
  /* Set the survey and its experiment. */
  void (*set_source) (gconstpointer survey, NsFigureSource *source);
  /* Return TRUE if the survey is of the same settings, but for those that it replaces. */
  gboolean (*is_of) (gconstpointer survey, const NsExperiment *experiment, const NsViewChoice *choice);
  /* Return how far it is; left_s: the seconds that are left, or NAN. Caller frees. */
  char *(*dup_status) (gconstpointer survey, double left_s);
};

/* ---- for subclasses ---- */

/* Create a page of a subclass, bound to the session; the engine is referenced. */
NormscopeTrainingPage *normscope_training_survey_new (GType type, NormscopeSession *session, NormscopeEngine *engine);
NormscopeSession *normscope_training_survey_get_session (NormscopeTrainingSurvey *self);
/* Return the survey on the screen, borrowed, or NULL. */
gpointer normscope_training_survey_get (NormscopeTrainingSurvey *self);
/* Return TRUE if there is one, and it is of the session's settings. */
gboolean normscope_training_survey_is_valid (NormscopeTrainingSurvey *self);
NormscopePlot *normscope_training_survey_get_plot (NormscopeTrainingSurvey *self);

G_END_DECLS
