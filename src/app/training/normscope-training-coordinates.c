/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-coordinates.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/experiment/ns-experiment.h"

struct _NormscopeTrainingCoordinates
{
  NormscopeTrainingSurvey parent_instance;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingCoordinates, normscope_training_coordinates, NORMSCOPE_TYPE_TRAINING_SURVEY)

/* ---- the survey ---- */

static gpointer
make_check (const NsExperiment *experiment, gconstpointer choice, GError **error)
{
  return ns_coordinate_check_new_from_text (experiment, ((const NsViewChoice *) choice)->options.widths, error);
}

static gboolean
fill_check (NsEngine *engine, gpointer survey, gconstpointer choice, NsProgress *progress, GError **error)
{
  return ns_engine_check_coordinates (engine, survey, progress, error);
}

static guint64
count_ended_widths (gconstpointer survey, guint64 n_blocks)
{
  return ns_coordinate_check_count_runs (survey, NULL);
}

static guint
get_n_runs_of_check (gconstpointer survey)
{
  guint n;

  ns_coordinate_check_count_runs (survey, &n);
  return n;
}

static void
set_check_source (gconstpointer survey, NsFigureSource *source)
{
  source->coordinates = survey;
  source->experiment = ns_coordinate_check_get_experiment (survey);
}

/* The number of steps is that of the check, whatever the experiment's. */
static NsExperiment *
dup_common_of_widths (const NsExperiment *experiment)
{
  NsExperiment *common = ns_experiment_copy (experiment);

  common->training.steps = NS_COORDINATE_STEPS;
  return common;
}

/* Return TRUE if the check is over the widths that are chosen. */
static gboolean
has_widths (gconstpointer survey, const NsExperiment *experiment, const NsViewChoice *choice)
{
  guint n, n_wanted;
  const gint64 *widths = ns_coordinate_check_get_widths (survey, &n);
  g_autofree gint64 *wanted = ns_coordinate_read_widths (experiment, choice->options.widths, &n_wanted, NULL);

  return wanted != NULL && n == n_wanted && memcmp (widths, wanted, n * sizeof *widths) == 0;
}

static gboolean
is_check_of (gconstpointer survey, const NsExperiment *experiment, const NsViewChoice *choice)
{
  g_autoptr (NsExperiment) a = dup_common_of_widths (ns_coordinate_check_get_experiment (survey));
  g_autoptr (NsExperiment) b = dup_common_of_widths (experiment);

  return ns_experiment_equal (a, b) && has_widths (survey, experiment, choice);
}

/* The wide models take most of the time, so that the time that is left is not known before. */
static char *
dup_check_status (gconstpointer survey, double left_s)
{
  guint all, done = ns_coordinate_check_count_widths (survey);

  (void) left_s;
  ns_coordinate_check_get_widths (survey, &all);
  if (done == all)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u width · %.1f s", "%u widths · %.1f s", all), all,
                            ns_coordinate_check_get_elapsed_ms (survey) / 1e3);
  return g_strdup_printf (_ ("%u of %u widths"), done, all);
}

/* ---- the object ---- */

static void
normscope_training_coordinates_class_init (NormscopeTrainingCoordinatesClass *klass)
{
  NormscopeTrainingSurveyClass *survey_class = NORMSCOPE_TRAINING_SURVEY_CLASS (klass);

  survey_class->kind.ref = (GBoxedCopyFunc) ns_coordinate_check_ref;
  survey_class->kind.unref = (GDestroyNotify) ns_coordinate_check_unref;
  survey_class->kind.make = make_check;
  survey_class->kind.fill = fill_check;
  survey_class->kind.count = count_ended_widths;
  survey_class->figure = NS_FIGURE_COORDINATE_CHECK;
  survey_class->empty_title = N_ ("No Coordinate Check Yet");
  survey_class->empty_text = N_ ("Train every variant and seed for four steps at several widths");
  survey_class->run_tip = N_ ("Run the coordinate check (Space)");
  survey_class->bar_label = N_ ("Progress of the coordinate check");
  survey_class->get_n_runs = get_n_runs_of_check;
  survey_class->set_source = set_check_source;
  survey_class->is_of = is_check_of;
  survey_class->dup_status = dup_check_status;
}

static void
normscope_training_coordinates_init (NormscopeTrainingCoordinates *self)
{
}

NormscopeTrainingPage *
normscope_training_coordinates_new (NormscopeSession *session, NormscopeEngine *engine)
{
  return normscope_training_survey_new (NORMSCOPE_TYPE_TRAINING_COORDINATES, session, engine);
}
