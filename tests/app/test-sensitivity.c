/* The sensitivity map of the Training view with pointer and keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app-input.h"
#include "app-training.h"
#include "app/controls/normscope-figure-bar.h"
#include "app/training/normscope-training-sensitivity.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"

#define STEPS 5
#define MANY  2000 /* steps of trainings that a test interrupts */

static gpointer
get_page (Fixture *fixture)
{
  return training_find_page (fixture, NS_FIGURE_SENSITIVITY);
}

static NsSensitivity *
get_map (Fixture *fixture)
{
  return normscope_training_survey_get (NORMSCOPE_TRAINING_SURVEY (get_page (fixture)));
}

static GtkWidget *
get_plot (Fixture *fixture)
{
  return app_get_child (get_page (fixture), "plot");
}

static const NsExperiment *
get_experiment (Fixture *fixture)
{
  return normscope_session_get_experiment (fixture->session);
}

/* Show an experiment that can be trained, and its map. */
static void
set_up (Fixture *fixture, gint64 steps)
{
  static const char *const settings[][2] = { { "data.source", "markov" }, { "shape.vocab", "32" },
                                             { "loss", "cross-entropy" }, { "shape.depth", "2" },
                                             { "shape.seq_len", "8" },    { "shape.batch", "2" } };
  NsExperiment *experiment = fixture->experiment;
  NsViewChoice choice = *normscope_session_get_training (fixture->session);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      ns_param_set_text (ns_param_find (settings[i][0]), experiment, settings[i][1], "", &error);
      g_assert_no_error (error);
    }
  experiment->training.steps = steps;
  experiment->sampling.seeds = 2;
  for (guint v = 0; v < experiment->variants->len; v++)
    ns_experiment_variant (experiment, v)->attention = NS_ATTENTION_CAUSAL;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (experiment));
  choice.figure = NS_FIGURE_SENSITIVITY;
  normscope_session_set_training (fixture->session, &choice);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
  app_input_settle ();
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_page (fixture))));
}

/* ---- how far it is ---- */

static gboolean
has_some (gpointer fixture)
{
  return get_map (fixture) != NULL && ns_sensitivity_count_finished (get_map (fixture)) >= 2;
}

static gboolean
is_full (gpointer fixture)
{
  const NsSensitivity *map = get_map (fixture);

  return map != NULL && ns_sensitivity_count_finished (map) == ns_sensitivity_get_n_runs (map);
}

static gboolean
is_trained (gpointer fixture)
{
  NormscopeTrainingPage *page = training_find_page (fixture, NS_FIGURE_TRAINING);
  const NsTraining *training = normscope_training_page_get_training (page);

  return training != NULL && ns_training_is_finished (training, 0, 0)
         && ns_experiment_equal (ns_training_get_experiment (training), get_experiment (fixture));
}

static gboolean
shows_sentence (gpointer fixture)
{
  g_autofree char *description = app_dup_description (get_plot (fixture));

  return description != NULL && strstr (description, "worst of 2 seeds") != NULL
         && strstr (description, "is still being trained") == NULL;
}

static void
fill (Fixture *fixture)
{
  training_fill (fixture, get_page (fixture), is_full, shows_sentence);
}

/* ---- tests ---- */

/* The button fills the map of the usual plan; its numbers are those of the test's own engine. */
static void
test_fill (Fixture *fixture, gconstpointer data)
{
  g_auto (NsSensitivityPlan) plan = { 0 };
  g_autoptr (NsSensitivity) own = NULL;
  g_autoptr (GError) error = NULL;
  NsSensitivityRun a, b;

  set_up (fixture, STEPS);
  fill (fixture);
  ns_sensitivity_plan_init (&plan, fixture->experiment, NS_SENSITIVITY_DEPTH);
  own = ns_sensitivity_new (fixture->experiment, &plan, 2, &error);
  g_assert_no_error (error);
  ns_engine_fill_sensitivity (fixture->engine, own, NULL, &error);
  g_assert_no_error (error);
  for (guint p = 0; p < plan.n_points; p++)
    for (guint r = 0; r < plan.n_rates; r++)
      {
        g_assert_true (ns_sensitivity_get_run (own, 1, p, r, 1, &a));
        g_assert_true (ns_sensitivity_get_run (get_map (fixture), 1, p, r, 1, &b));
        g_assert_cmpfloat (a.loss, ==, b.loss);
      }
  g_assert_nonnull (app_find_text (GTK_WIDGET (get_page (fixture)), "trainings · "));
}

/* A click opens the training of its cell; the map stays, and one undo leads back. */
static void
test_click (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = get_plot (fixture);
  guint point, rate;
  double x, y;

  set_up (fixture, STEPS);
  fill (fixture);
  app_input_point_at (plot, 0.25 * gtk_widget_get_width (plot), 0.5 * gtk_widget_get_height (plot));
  x = normscope_plot_get_cursor (NORMSCOPE_PLOT (plot));
  y = normscope_plot_get_cursor_y (NORMSCOPE_PLOT (plot));
  g_assert_true (ns_sensitivity_find_cell (ns_sensitivity_get_plan (get_map (fixture)), x, y, &point, &rate));
  app_input_press ();
  app_input_release ();
  app_input_settle ();
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, NS_FIGURE_TRAINING);
  g_assert_cmpfloat (get_experiment (fixture)->training.learning_rate, ==,
                     ns_sensitivity_get_plan (get_map (fixture))->rates[rate]);
  g_assert_cmpint (get_experiment (fixture)->shape.depth, ==,
                   ns_sensitivity_get_plan (get_map (fixture))->points[point]);
  g_assert_true (app_wait_for (is_trained, fixture, TIMEOUT_MS));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  app_input_settle ();
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_page (fixture))));
  g_assert_true (is_full (fixture));
  g_assert_true (ns_experiment_equal (get_experiment (fixture), fixture->experiment));
}

/* The keys do the same: the crosshair, then Enter. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = get_plot (fixture);

  set_up (fixture, STEPS);
  fill (fixture);
  app_input_point_at (GTK_WIDGET (fixture->window), 2, 2);
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_Home);
  app_input_key (GDK_KEY_Right);
  app_input_key (GDK_KEY_Up);
  app_input_key (GDK_KEY_Return);
  app_input_settle ();
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, NS_FIGURE_TRAINING);
  g_assert_cmpfloat (get_experiment (fixture)->training.learning_rate, ==,
                     ns_sensitivity_get_plan (get_map (fixture))->rates[1]);
}

/* Space pauses, and what is finished stays; the other rows are a map of their own. */
static void
test_pause (Fixture *fixture, gconstpointer data)
{
  NsViewChoice choice;
  guint n;

  set_up (fixture, MANY);
  training_begin_and_pause (fixture, get_page (fixture), has_some);
  n = ns_sensitivity_count_finished (get_map (fixture));
  app_draw_frames (18);
  g_assert_cmpuint (ns_sensitivity_count_finished (get_map (fixture)), ==, n);
  choice = *normscope_session_get_training (fixture->session);
  choice.options.sensitivity.over = NS_SENSITIVITY_WARMUP;
  normscope_session_set_training (fixture->session, &choice);
  app_input_settle ();
  g_assert_null (get_map (fixture));
  choice.options.sensitivity.over = NS_SENSITIVITY_DEPTH;
  normscope_session_set_training (fixture->session, &choice);
  g_assert_cmpuint (ns_sensitivity_count_finished (get_map (fixture)), ==, n);
}

void
add_sensitivity_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/sensitivity/fill", test_fill);
  app_test_add ("/sensitivity/click", test_click);
  app_test_add ("/sensitivity/keys", test_keys);
  app_test_add ("/sensitivity/pause", test_pause);
}
