/* Steps of a lecture that train, in the window: what they keep, what a question about a training shows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"
#include "app-input.h"

#include <math.h>
#include <string.h>

#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/training/normscope-training-view.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "lecture/ns-lecture-json.h"

#define STEPS 30

static const NsFigureKind figures[] = { NS_FIGURE_TRAINING, NS_FIGURE_TRAINING_PROFILE, NS_FIGURE_TRAINING_MAP };

/* ---- the window ---- */

static NormscopeTrainingPage *
get_page (Fixture *fixture)
{
  return normscope_training_view_get_page (app_get_child (fixture->window, "training_view"));
}

static NormscopePlot *
get_plot (Fixture *fixture, NsFigureKind figure)
{
  return normscope_training_page_get_plot (get_page (fixture), figure);
}

static NormscopeLectureSession *
get_lecture (Fixture *fixture)
{
  return normscope_window_get_lecture (fixture->window);
}

/* ---- experiments and views ---- */

/* Return a small experiment that can be trained; with another seed it is another one. */
static NsExperiment *
make_experiment (guint64 seed)
{
  static const char *const settings[][2] = { { "data.source", "markov" }, { "shape.vocab", "32" },
                                             { "loss", "cross-entropy" }, { "shape.depth", "2" },
                                             { "shape.d_model", "16" },   { "shape.heads", "2" },
                                             { "shape.d_ff", "32" },      { "shape.seq_len", "8" },
                                             { "shape.batch", "2" } };
  NsExperiment *experiment = ns_experiment_new ();
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      ns_param_set_text (ns_param_find (settings[i][0]), experiment, settings[i][1], "", &error);
      g_assert_no_error (error);
    }
  experiment->training.steps = STEPS;
  experiment->sampling.seeds = 2;
  experiment->sampling.seed = seed;
  for (guint v = 0; v < experiment->variants->len; v++)
    ns_experiment_variant (experiment, v)->attention = NS_ATTENTION_CAUSAL;
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  return experiment;
}

static void
show_figure (Fixture *fixture, NsFigureKind figure)
{
  NsViewChoice choice = *normscope_session_get_training (fixture->session);

  choice.figure = figure;
  normscope_session_set_training (fixture->session, &choice);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
  app_input_settle ();
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_page (fixture))));
}

/* ---- how far a training is ---- */

static gboolean
is_trained (gpointer fixture)
{
  const NsTraining *training = normscope_training_page_get_training (get_page (fixture));

  if (training == NULL
      || !ns_experiment_equal (ns_training_get_experiment (training),
                               normscope_session_get_experiment (((Fixture *) fixture)->session)))
    return FALSE;
  for (guint v = 0; v < ns_training_get_experiment (training)->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
      if (!ns_training_is_finished (training, v, s))
        return FALSE;
  return TRUE;
}

static void
train (Fixture *fixture)
{
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_trained, fixture, TIMEOUT_MS));
}

/* ---- what a step keeps ---- */

typedef struct
{
  Fixture *fixture;
  NsFigureKind figure;
  int step;
} Place;

/* Return TRUE if the wiring has the values of the step, and the crosshair is there. */
static gboolean
is_at_step (gpointer data)
{
  const Place *place = data;
  g_autofree char *words = g_strdup_printf ("step %d", place->step);
  double x = normscope_plot_get_cursor (get_plot (place->fixture, place->figure));

  if (app_find_text (GTK_WIDGET (place->fixture->window), words) == NULL)
    return FALSE;
  if (place->figure == NS_FIGURE_TRAINING)
    return x == place->step;
  return place->figure == NS_FIGURE_TRAINING_PROFILE
         || fabs (x - ns_training_map_get_x (place->step)) < 0.05; /* the middle of a column */
}

/* The slider's step is part of a step of a lecture, in each figure that it moves, and in the file; another training
 * begins there. */
static void
test_slider (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsLecture) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      normscope_session_take_experiment (fixture->session, make_experiment (i));
      show_figure (fixture, figures[i]);
      normscope_session_set_step (fixture->session, 3 + i);
      app_activate (fixture, "win.add-step");
      app_input_settle ();
    }
  bytes = ns_lecture_to_bytes (normscope_lecture_session_get_lecture (get_lecture (fixture)));
  again = ns_lecture_from_bytes (bytes, "again", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      Place place = { fixture, figures[i], (int) (3 + i) };

      g_assert_cmpint (ns_lecture_get_step (again, i)->view.options.training.step, ==, place.step);
      app_input_control_key (GDK_KEY_1);
      normscope_lecture_session_go_to (get_lecture (fixture), i);
      app_input_settle ();
      g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, figures[i]);
      g_assert_cmpint (normscope_session_get_step (fixture->session), ==, place.step);
      train (fixture);
      g_assert_cmpint (normscope_session_get_step (fixture->session), ==, place.step);
      if (!app_wait_for (is_at_step, &place, TIMEOUT_MS))
        g_error ("%s is not at step %d, but at %g", ns_figure_info (place.figure)->id, place.step,
                 normscope_plot_get_cursor (get_plot (fixture, place.figure)));
    }
}

/* A step of a sensitivity map keeps its rows and its choice of seeds. */
static void
test_sensitivity (Fixture *fixture, gconstpointer data)
{
  NsViewChoice choice;
  const NsLectureStep *step;

  normscope_session_take_experiment (fixture->session, make_experiment (1));
  show_figure (fixture, NS_FIGURE_SENSITIVITY);
  choice = *normscope_session_get_training (fixture->session);
  choice.options.sensitivity.over = NS_SENSITIVITY_WARMUP;
  choice.options.sensitivity.seeds = NS_SEEDS_BEST;
  normscope_session_set_training (fixture->session, &choice);
  app_activate (fixture, "win.add-step");
  app_input_settle ();
  step = normscope_lecture_session_get_step (get_lecture (fixture));
  g_assert_nonnull (step);
  g_assert_cmpint (step->view.figure, ==, NS_FIGURE_SENSITIVITY);
  choice.options.sensitivity.over = NS_SENSITIVITY_DEPTH;
  choice.options.sensitivity.seeds = NS_SEEDS_WORST;
  normscope_session_set_training (fixture->session, &choice);
  app_input_control_key (GDK_KEY_1);
  normscope_lecture_session_go_to (get_lecture (fixture), 0);
  app_input_settle ();
  choice = *normscope_session_get_training (fixture->session);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_page (fixture))));
  g_assert_cmpint (choice.figure, ==, NS_FIGURE_SENSITIVITY);
  g_assert_cmpint (choice.options.sensitivity.over, ==, NS_SENSITIVITY_WARMUP);
  g_assert_cmpint (choice.options.sensitivity.seeds, ==, NS_SEEDS_BEST);
}

/* ---- a question about the training on the screen ---- */

static gboolean
is_answer (GtkWidget *widget, gconstpointer text)
{
  return gtk_widget_has_css_class (widget, "answer") && gtk_widget_get_mapped (widget)
         && strstr (gtk_label_get_label (GTK_LABEL (widget)), text) != NULL;
}

static gboolean
is_answered (gpointer fixture)
{
  GtkWidget *card = app_find_type (GTK_WIDGET (((Fixture *) fixture)->window), NORMSCOPE_TYPE_QUESTION_CARD);

  return card != NULL && app_find (card, is_answer, "Measured:") != NULL;
}

/* Add a step that asks for the loss after the last step, and return it. */
static const NsLectureStep *
add_question (Fixture *fixture, guint64 seed)
{
  NsLectureStep *step;
  NsTest *test = ns_test_new (NS_TEST_VALUE);

  normscope_session_take_experiment (fixture->session, make_experiment (seed));
  show_figure (fixture, NS_FIGURE_TRAINING);
  app_activate (fixture, "win.add-step");
  step = ns_lecture_step_copy (normscope_lecture_session_get_step (get_lecture (fixture)));
  step->question = ns_question_new (NS_QUESTION_NUMBER);
  ns_test_free (step->question->number);
  step->question->number = test;
  test->of.quantity = NS_Q_LOSS;
  test->of.in_training = TRUE;
  test->of.step = NS_STEP_LAST;
  normscope_lecture_session_commit_step (get_lecture (fixture), step, NULL);
  app_input_settle ();
  return normscope_lecture_session_get_step (get_lecture (fixture));
}

/* Fail unless the answer on the screen is that of a training of the test's own. */
static void
assert_answer (Fixture *fixture, const NsLectureStep *step)
{
  GtkWidget *card = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_QUESTION_CARD);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) own = ns_lecture_step_new_training (step, &error);
  g_auto (NsAnswer) answer = { 0 };
  g_autofree char *expected = NULL;

  g_assert_no_error (error);
  g_assert_true (ns_engine_train (fixture->engine, own, NULL, &error));
  g_assert_true (ns_question_evaluate (step->question, &(NsQuestionSource){ .training = own }, &answer, &error));
  g_assert_no_error (error);
  expected = ns_answer_dup_text (&answer, step->question);
  if (app_find (card, is_answer, expected) == NULL)
    g_error ("“%s” is not the answer on the screen", expected);
}

static gboolean
is_asking (gpointer fixture)
{
  return normscope_session_get_asking (((Fixture *) fixture)->session);
}

static gboolean
is_untrained (gpointer fixture)
{
  return normscope_training_page_get_training (get_page (fixture)) == NULL;
}

/* Space trains on the screen, and its end is the answer; back at the step, the training is still there. */
static void
test_question (Fixture *fixture, gconstpointer data)
{
  const NsLectureStep *first, *second;

  add_question (fixture, 11);
  second = add_question (fixture, 12);
  normscope_lecture_session_go_to (get_lecture (fixture), 0);
  first = normscope_lecture_session_get_step (get_lecture (fixture));
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_asking, fixture, TIMEOUT_MS));
  app_draw_frames (36); /* nothing trains before it is asked for */
  g_assert_true (is_untrained (fixture));
  app_input_key (GDK_KEY_space);
  g_assert_false (is_asking (fixture)); /* the curves are seen to grow */
  g_assert_true (app_wait_for (is_answered, fixture, TIMEOUT_MS));
  g_assert_true (is_trained (fixture));
  assert_answer (fixture, first);

  app_input_key (GDK_KEY_Page_Down);
  g_assert_true (app_wait_for (is_untrained, fixture, TIMEOUT_MS));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_answered, fixture, TIMEOUT_MS));
  assert_answer (fixture, second);

  app_input_key (GDK_KEY_Page_Up);
  g_assert_true (app_wait_for (is_asking, fixture, TIMEOUT_MS));
  g_assert_true (is_trained (fixture));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_answered, fixture, TIMEOUT_MS));
  assert_answer (fixture, first);
  app_input_key (GDK_KEY_Escape);
}

void
add_lecture_training_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/lecture-training/slider", test_slider);
  app_test_add ("/lecture-training/sensitivity", test_sensitivity);
  app_test_add ("/lecture-training/question", test_question);
}
