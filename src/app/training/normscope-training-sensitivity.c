/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-sensitivity.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-status.h"
#include "engine/experiment/ns-experiment.h"

struct _NormscopeTrainingSensitivity
{
  NormscopeTrainingSurvey parent_instance;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingSensitivity, normscope_training_sensitivity, NORMSCOPE_TYPE_TRAINING_SURVEY)

enum { TRAINING_SENSITIVITY_SIGNAL_OPEN, N_TRAINING_SENSITIVITY_SIGNALS };
static guint training_sensitivity_signals[N_TRAINING_SENSITIVITY_SIGNALS];

/* ---- the survey ---- */

static guint
get_place (const NsViewChoice *choice)
{
  return (guint) choice->options.sensitivity.over;
}

static guint
find_place (gconstpointer survey)
{
  return (guint) ns_sensitivity_get_plan (survey)->axis;
}

static gpointer
make_map (const NsExperiment *experiment, gconstpointer choice, GError **error)
{
  g_auto (NsSensitivityPlan) plan = { 0 };

  ns_sensitivity_plan_init (&plan, experiment, (NsSensitivityAxis) get_place (choice));
  return ns_sensitivity_new (experiment, &plan, (guint) experiment->sampling.seeds, error);
}

static gboolean
fill_map (NsEngine *engine, gpointer survey, gconstpointer choice, NsProgress *progress, GError **error)
{
  return ns_engine_fill_sensitivity (engine, survey, progress, error);
}

static guint64
count_ended_cells (gconstpointer survey, guint64 n_blocks)
{
  return ns_sensitivity_count_finished (survey);
}

static guint
get_n_runs_of_map (gconstpointer survey)
{
  return ns_sensitivity_get_n_runs (survey);
}

static void
set_map_source (gconstpointer survey, NsFigureSource *source)
{
  source->sensitivity = survey;
  source->experiment = ns_sensitivity_get_experiment (survey);
}

/* Return the experiment with all that a map's cells replace set to the same. */
static NsExperiment *
dup_common_of_axis (const NsExperiment *experiment, NsSensitivityAxis axis)
{
  NsExperiment *common = ns_experiment_copy (experiment);

  common->training.learning_rate = 1;
  if (axis != NS_SENSITIVITY_DEPTH)
    common->training.warmup = 0;
  else if (common->shape.decoder_depth == 0) /* otherwise their ratio counts, too */
    common->shape.depth = 1;
  for (guint v = 0; v < common->variants->len; v++)
    {
      NsVariantTraining *own = &ns_experiment_variant (common, v)->training;

      own->learning_rate = NAN;
      if (axis == NS_SENSITIVITY_WARMUP)
        own->warmup = NS_NULL_CHOICE;
    }
  return common;
}

static gboolean
is_map_of (gconstpointer survey, const NsExperiment *experiment, const NsViewChoice *choice)
{
  NsSensitivityAxis axis = ns_sensitivity_get_plan (survey)->axis;
  g_autoptr (NsExperiment) a = dup_common_of_axis (ns_sensitivity_get_experiment (survey), axis);
  g_autoptr (NsExperiment) b = dup_common_of_axis (experiment, axis);

  (void) choice;
  return ns_experiment_equal (a, b);
}

static char *
dup_map_status (gconstpointer survey, double left_s)
{
  guint all = get_n_runs_of_map (survey), done = ns_sensitivity_count_finished (survey);

  if (!isnan (left_s))
    {
      g_autofree char *left = normscope_status_dup_time_left (left_s);

      /* Translators: “3 min left” */
      return g_strdup_printf (_ ("%u of %u trainings, %s"), done, all, left);
    }
  if (done == all)
    return g_strdup_printf (_ ("%u trainings · %.0f s"), all, ns_sensitivity_get_elapsed_ms (survey) / 1e3);
  return g_strdup_printf (_ ("%u of %u trainings"), done, all);
}

/* ---- opening a cell ---- */

/* Open the training of a cell, axis units. FALSE if there is no cell. */
static gboolean
open_cell (NormscopeTrainingSensitivity *self, double x, double y)
{
  NormscopeTrainingSurvey *page = NORMSCOPE_TRAINING_SURVEY (self);
  NormscopeSession *session = normscope_training_survey_get_session (page);
  const NsSensitivity *map = normscope_training_survey_get (page);
  NsViewChoice choice = *normscope_session_get_training (session);
  guint point, rate;

  if (isnan (x) || isnan (y) || !normscope_training_survey_is_valid (page)
      || !ns_sensitivity_find_cell (ns_sensitivity_get_plan (map), x, y, &point, &rate))
    return FALSE;
  choice.figure = NS_FIGURE_TRAINING;
  normscope_session_take_document_in (session, ns_sensitivity_make_experiment (map, point, rate),
                                      normscope_session_get_document (session), &choice);
  g_signal_emit (self, training_sensitivity_signals[TRAINING_SENSITIVITY_SIGNAL_OPEN], 0);
  return TRUE;
}

static void
released_cb (NormscopeTrainingSensitivity *self, int n_press, double x, double y)
{
  NormscopePlot *plot = normscope_training_survey_get_plot (NORMSCOPE_TRAINING_SURVEY (self));
  NsHit hit;

  (void) n_press;
  if (normscope_plot_hit (plot, x, y, &hit))
    open_cell (self, hit.x, hit.y);
}

static gboolean
sensitivity_key_cb (NormscopeTrainingSensitivity *self, guint key, guint code, GdkModifierType state)
{
  NormscopePlot *plot = normscope_training_survey_get_plot (NORMSCOPE_TRAINING_SURVEY (self));

  (void) code;
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter))
    return GDK_EVENT_PROPAGATE;
  return open_cell (self, normscope_plot_get_cursor (plot), normscope_plot_get_cursor_y (plot));
}

/* ---- the object ---- */

static void
normscope_training_sensitivity_class_init (NormscopeTrainingSensitivityClass *klass)
{
  NormscopeTrainingSurveyClass *survey_class = NORMSCOPE_TRAINING_SURVEY_CLASS (klass);

  survey_class->kind.ref = (GBoxedCopyFunc) ns_sensitivity_ref;
  survey_class->kind.unref = (GDestroyNotify) ns_sensitivity_unref;
  survey_class->kind.make = make_map;
  survey_class->kind.fill = fill_map;
  survey_class->kind.count = count_ended_cells;
  survey_class->figure = NS_FIGURE_SENSITIVITY;
  survey_class->empty_title = N_ ("No Map Yet");
  survey_class->empty_text
      = N_ ("Train every variant and seed with ten learning rates at several depths or warm-ups");
  survey_class->run_tip = N_ ("Fill the map (Space)");
  survey_class->bar_label = N_ ("Progress of the map");
  survey_class->get_place = get_place;
  survey_class->find_place = find_place;
  survey_class->get_n_runs = get_n_runs_of_map;
  survey_class->set_source = set_map_source;
  survey_class->is_of = is_map_of;
  survey_class->dup_status = dup_map_status;
  training_sensitivity_signals[TRAINING_SENSITIVITY_SIGNAL_OPEN] =
      g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_training_sensitivity_init (NormscopeTrainingSensitivity *self)
{
  GtkWidget *plot = GTK_WIDGET (normscope_training_survey_get_plot (NORMSCOPE_TRAINING_SURVEY (self)));
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect_object (click, "released", G_CALLBACK (released_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (plot, GTK_EVENT_CONTROLLER (click));
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (sensitivity_key_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (plot, keys);
}

NormscopeTrainingPage *
normscope_training_sensitivity_new (NormscopeSession *session, NormscopeEngine *engine)
{
  return normscope_training_survey_new (NORMSCOPE_TYPE_TRAINING_SENSITIVITY, session, engine);
}
