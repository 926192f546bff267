/* Present a lecture with pointer and keys that go through the X server: steps, questions, answers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-files.h"
#include "app-input.h"
#include "app-widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/lecture/normscope-aside.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter-bar.h"
#include "app/lecture/normscope-presenter-notes.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/lecture/normscope-sketch.h"
#include "app/paths/normscope-paths-view.h"
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "lecture/ns-sketch.h"
#include "plot/ns-hit.h"

#define DEPTH 6
#define OPENED_DEPTH 17
#define SEEDS 2
/* In the strip of the wiring. */
#define VERDICT "identity path"

enum { PLAIN, CHOICE, NUMBER, SKETCH, SWEEP, N_STEPS };

/* ---- a lecture ---- */

static NsExperiment *
make_experiment (gint64 depth)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape.depth = depth;
  experiment->shape.d_model = 16;
  experiment->shape.heads = 2;
  experiment->shape.d_ff = 32;
  experiment->shape.seq_len = 4;
  experiment->shape.batch = 2;
  experiment->sampling.seeds = SEEDS;
  return experiment;
}

static NsTest *
make_trend (guint word)
{
  NsTest *test = ns_test_new (NS_TEST_TREND);

  test->word = word;
  return test;
}

static NsLecture *
make_lecture (void)
{
  static const char *const titles[N_STEPS] = { "The wiring", "Falls or rises?", "How many times?", "Draw it",
                                               "Over depth" };
  NsLecture *lecture = ns_lecture_new ("A test", "en");

  for (guint i = 0; i < N_STEPS; i++)
    {
      NsLectureStep *step = ns_lecture_step_new (titles[i], make_experiment (DEPTH + i));

      g_free (step->text);
      step->text = g_strdup_printf ("The *text* of step %u.", i + 1);
      g_free (step->notes);
      step->notes = g_strdup_printf ("Notes of step %u.", i + 1);
      step->view.options.flow.gradient = i == PLAIN ? NS_Q_GRAD_X : NS_Q_BLOCK;
      if (i == CHOICE || i == SWEEP)
        {
          step->question = ns_question_new (NS_QUESTION_CHOICE);
          g_ptr_array_set_size (step->question->choices, 0);
        }
      if (i == CHOICE)
        {
          ns_question_take_choice (step->question, "falls", make_trend (NS_RUNS_FALLS));
          ns_question_take_choice (step->question, "rises", make_trend (NS_RUNS_RISES));
          ns_question_take_choice (step->question, "something else", ns_test_new (NS_TEST_OTHERWISE));
        }
      else if (i == NUMBER)
        {
          step->question = ns_question_new (NS_QUESTION_NUMBER);
        }
      else if (i == SKETCH)
        step->question = ns_question_new (NS_QUESTION_SKETCH);
      else if (i == SWEEP)
        {
          NsTest *test = ns_test_new (NS_TEST_EXPONENT);

          test->min = -INFINITY;
          test->max = 0;
          step->view.figure = NS_FIGURE_SCALING;
          step->view.scaling.last[NS_SWEEP_DEPTH] = 8;
          ns_question_take_choice (step->question, "falls with depth", test);
          ns_question_take_choice (step->question, "does not", ns_test_new (NS_TEST_OTHERWISE));
        }
      if (step->question != NULL)
        {
          g_free (step->question->text);
          step->question->text = g_strdup ("How does it run?");
        }
      ns_lecture_take_step (lecture, i, step);
    }
  return lecture;
}

/* ---- driving ---- */

static gpointer
find (Fixture *fixture, GType type)
{
  return app_find_type (GTK_WIDGET (fixture->window), type);
}

static NormscopeLectureSession *
get_lecture (Fixture *fixture)
{
  return normscope_window_get_lecture (fixture->window);
}

static gboolean
is_full (gpointer fixture)
{
  return gtk_window_is_fullscreen (GTK_WINDOW (((Fixture *) fixture)->window));
}

static gboolean
is_not_full (gpointer fixture)
{
  return !is_full (fixture);
}

static void
start (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  NsLecture *lecture = make_lecture ();

  for (guint i = 0; i < N_STEPS; i++)
    {
      ns_lecture_step_validate (ns_lecture_get_step (lecture, i), &error);
      g_assert_no_error (error);
    }
  normscope_lecture_session_take_lecture (get_lecture (fixture), lecture, NULL);
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_full, fixture, TIMEOUT_MS));
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
}

static void
end (Fixture *fixture)
{
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (app_is_not_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_not_full, fixture, TIMEOUT_MS));
  g_assert_false (normscope_session_get_asking (fixture->session));
  g_assert_null (find (fixture, NORMSCOPE_TYPE_ASIDE));
  g_assert_null (find (fixture, NORMSCOPE_TYPE_SKETCH));
  g_assert_null (find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR));
}

static void
go_to (Fixture *fixture, guint step)
{
  while (normscope_lecture_session_get_index (get_lecture (fixture)) < step)
    app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, step);
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
}

static gint64
get_depth (Fixture *fixture)
{
  return normscope_session_get_experiment (fixture->session)->shape.depth;
}

static gboolean
has_points (const NsFigure *figure)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        if (((const NsSeries *) g_ptr_array_index (panel->series, s))->n > 0)
          return TRUE;
    }
  return FALSE;
}

static gboolean
is_answer (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "answer") && gtk_widget_get_mapped (widget);
}

static const char *
get_answer (Fixture *fixture)
{
  GtkWidget *label = app_find (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), is_answer, NULL);

  return label != NULL ? gtk_label_get_label (GTK_LABEL (label)) : "";
}

static gboolean
is_revealed (gpointer fixture)
{
  return !normscope_session_get_asking (((Fixture *) fixture)->session);
}

static void
reveal (Fixture *fixture)
{
  g_assert_true (normscope_session_get_asking (fixture->session));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_revealed, fixture, TIMEOUT_MS));
  app_input_settle ();
}

/* The bar may be hidden by now. */
static gboolean
is_label_of (GtkWidget *widget, gconstpointer text)
{
  return GTK_IS_LABEL (widget) && strcmp (gtk_label_get_label (GTK_LABEL (widget)), text) == 0;
}

static int
get_resolution (Fixture *fixture)
{
  int dpi;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (fixture->window)), "gtk-xft-dpi", &dpi, NULL);
  return dpi;
}

/* ---- tests ---- */

/* Each step has its accessible text; keys of clickers and of the keyboard step; changes made live are dropped. */
static void
test_steps (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  g_autofree char *quantity = g_settings_get_string (settings, "quantity"), *kept = NULL;
  double scale = normscope_session_get_text_scale (fixture->session), smaller;
  int resolution;

  normscope_session_clear_history (fixture->session);
  start (fixture);
  for (guint i = 0; i < N_STEPS; i++)
    {
      g_autofree char *text = NULL, *position = g_strdup_printf ("%u/%u", i + 1, N_STEPS);

      go_to (fixture, i);
      text = app_dup_description (find (fixture, NORMSCOPE_TYPE_ASIDE));
      g_assert_nonnull (strstr (text, normscope_lecture_session_get_step (get_lecture (fixture))->title));
      g_assert_nonnull (strstr (text, "The text of step"));
      g_assert_nonnull (app_find (find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR), is_label_of, position));
      g_assert_cmpint (get_depth (fixture), ==, DEPTH + i);
      /* The text costs the plots no height. */
      if (gtk_widget_get_mapped (GTK_WIDGET (fixture->plot)))
        g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (fixture->plot)) * 100, >=,
                         gtk_widget_get_height (GTK_WIDGET (fixture->window)) * 55);
      g_assert_false (normscope_session_can_undo (fixture->session));
    }
  app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, N_STEPS - 1);
  app_input_key (GDK_KEY_Home);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH);
  app_input_key (GDK_KEY_Right);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH + 1);
  app_input_key (GDK_KEY_Left);
  app_input_key (GDK_KEY_Page_Up);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH);

  /* A size of text that the lecturer chooses holds for the steps that follow, in the window as in the plots. */
  app_input_control_key (GDK_KEY_minus);
  smaller = normscope_session_get_text_scale (fixture->session);
  resolution = get_resolution (fixture);
  app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpfloat (normscope_session_get_text_scale (fixture->session), ==, smaller);
  app_input_control_key (GDK_KEY_minus);
  g_assert_cmpint (get_resolution (fixture), <, resolution);
  app_input_key (GDK_KEY_Page_Up);

  normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 3, NULL);
  g_assert_true (normscope_session_can_undo (fixture->session));
  app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH + 1);
  app_input_key (GDK_KEY_Page_Up);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH);
  normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 3, NULL);
  end (fixture);
  g_assert_cmpint (get_depth (fixture), ==, DEPTH);
  kept = g_settings_get_string (settings, "quantity");
  g_assert_cmpstr (kept, ==, quantity);
  g_assert_false (normscope_session_can_undo (fixture->session));
  g_assert_cmpfloat (normscope_session_get_text_scale (fixture->session), ==, scale);
}

static gboolean
is_opened (gpointer fixture)
{
  return get_depth (fixture) == OPENED_DEPTH;
}

/* An experiment that is opened is a live change of the step, which the next step drops and the end does not. */
static void
test_opened (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = make_experiment (OPENED_DEPTH);
  g_autoptr (GFile) file = app_new_file ("opened.normscope");

  g_assert_true (ns_experiment_save (experiment, g_file_peek_path (file), NULL));
  start (fixture);
  for (guint i = 0; i < 2; i++)
    {
      go_to (fixture, i);
      normscope_window_open (fixture->window, file);
      g_assert_true (app_wait_for (is_opened, fixture, TIMEOUT_MS));
      g_assert_true (app_is_presenting (fixture));
      app_wait_for_idle_plot (fixture);
    }
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, 1);
  reveal (fixture);
  end (fixture);
  app_input_settle ();
  g_assert_cmpint (get_depth (fixture), ==, OPENED_DEPTH);
}

/* Nothing is given away before the answer, and the answer is the measured one. */
static void
test_choice (Fixture *fixture, gconstpointer data)
{
  g_auto (NsAnswer) answer = { 0 };
  g_autoptr (NsResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *description = NULL, *shown = NULL;
  const NsLectureStep *step;
  NormscopeQuestionCard *card;

  start (fixture);
  go_to (fixture, CHOICE);
  card = find (fixture, NORMSCOPE_TYPE_QUESTION_CARD);
  step = normscope_lecture_session_get_step (get_lecture (fixture));
  g_assert_false (has_points (normscope_plot_get_figure (fixture->plot)));
  description = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_null (strstr (description, "falls "));
  g_assert_null (strstr (description, "rises "));

  g_assert_null (app_find_text (GTK_WIDGET (fixture->window), VERDICT));

  app_input_keys (GDK_KEY_1, 3);
  app_input_keys (GDK_KEY_2, 2);
  app_input_key (GDK_KEY_exclam); /* Shift+1 */
  app_input_key (GDK_KEY_9);
  g_assert_cmpuint (normscope_question_card_get_votes (card, 0), ==, 2);
  g_assert_cmpuint (normscope_question_card_get_votes (card, 1), ==, 2);
  g_assert_true (app_input_click (app_find_text (GTK_WIDGET (card), "3")));
  g_assert_cmpuint (normscope_question_card_get_votes (card, 2), ==, 1);

  /* The figure's result is known, so the answer takes no time. */
  app_input_key (GDK_KEY_space);
  g_assert_true (is_revealed (fixture));
  g_assert_true (has_points (normscope_plot_get_figure (fixture->plot)));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), VERDICT));
  result = ns_engine_run (fixture->engine, step->experiment, 0, SEEDS, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ns_question_evaluate (step->question, &(NsQuestionSource){ .result = result }, &answer, &error));
  shown = ns_answer_dup_text (&answer, step->question);
  g_assert_nonnull (strstr (get_answer (fixture), shown));
  g_assert_nonnull (strstr (get_answer (fixture), "of 5 hands were right"));

  /* The next step has no veil and no answer. */
  app_input_key (GDK_KEY_Page_Up);
  g_assert_false (normscope_session_get_asking (fixture->session));
  g_assert_null (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD));
  end (fixture);
}

static void
test_number (Fixture *fixture, gconstpointer data)
{
  GtkWidget *guess;

  start (fixture);
  go_to (fixture, NUMBER);
  guess = app_find_type (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), GTK_TYPE_ENTRY);
  g_assert_true (app_input_click (guess));
  app_input_type ("100");
  g_assert_true (normscope_session_get_asking (fixture->session));
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_revealed, fixture, TIMEOUT_MS));
  g_assert_nonnull (strstr (get_answer (fixture), "Measured: "));
  g_assert_nonnull (strstr (get_answer (fixture), "The guess 100 is "));
  end (fixture);
}

/* A drag draws; arrow keys set points; the measured curve comes over the guess with the factor of error. */
static NormscopePlot *
get_paths_plot (Fixture *fixture)
{
  return normscope_paths_view_get_plot (app_get_child (fixture->window, "paths_view"));
}

static gboolean
has_figure (gpointer plot)
{
  return normscope_plot_get_figure (plot) != NULL && gtk_widget_get_mapped (plot);
}

static gboolean
has_guess (NormscopePlot *plot)
{
  const NsFigure *figure = normscope_plot_get_figure (plot);

  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        if (strcmp (((const NsSeries *) g_ptr_array_index (panel->series, s))->name, "Guess") == 0)
          return TRUE;
    }
  return FALSE;
}

static void
test_sketch (Fixture *fixture, gconstpointer data)
{
  NormscopeSketch *sketch;
  const NsLayout *layout;
  NsRect area;
  double y;

  start (fixture);
  go_to (fixture, SKETCH);
  sketch = find (fixture, NORMSCOPE_TYPE_SKETCH);
  g_assert_nonnull (sketch);
  g_assert_false (has_points (normscope_plot_get_figure (fixture->plot)));
  layout = normscope_plot_get_layout (fixture->plot);
  area = ns_layout_get_panel (layout, 0)->plot;
  y = area.y + area.height / 4;
  app_input_point_at (GTK_WIDGET (fixture->plot), ns_hit_x_to_px (layout, 1), y);
  app_input_press ();
  app_input_point_at (GTK_WIDGET (fixture->plot), ns_hit_x_to_px (layout, 4), y + area.height / 2);
  app_input_release ();
  for (gint64 x = 1; x <= 4; x++)
    g_assert_false (isnan (normscope_sketch_get_value (sketch, x)));
  g_assert_cmpfloat (normscope_sketch_get_value (sketch, 1), >, normscope_sketch_get_value (sketch, 4));
  g_assert_true (isnan (normscope_sketch_get_value (sketch, 7)));

  /* The focus is on the sheet now. */
  app_input_keys (GDK_KEY_Right, 30);
  app_input_keys (GDK_KEY_Up, 2);
  g_assert_false (isnan (normscope_sketch_get_value (sketch, DEPTH + SKETCH)));
  app_input_key (GDK_KEY_Delete);
  g_assert_true (isnan (normscope_sketch_get_value (sketch, DEPTH + SKETCH)));

  reveal (fixture);
  g_assert_null (gtk_window_get_focus (GTK_WINDOW (fixture->window)));
  g_assert_nonnull (strstr (get_answer (fixture), "Factor of error: "));
  g_assert_true (has_guess (fixture->plot));
  /* The guess is one of a curve of the flow figure: no other view draws it. */
  app_input_control_key (GDK_KEY_2);
  g_assert_true (app_wait_for (has_figure, get_paths_plot (fixture), TIMEOUT_MS));
  g_assert_false (has_guess (get_paths_plot (fixture)));
  app_input_control_key (GDK_KEY_1);
  app_wait_for_idle_plot (fixture);
  g_assert_true (has_guess (fixture->plot));
  end (fixture);
  g_assert_false (has_guess (fixture->plot));
}

static gboolean
has_notes (gpointer data)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  *(gpointer *) data = NULL;
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (NORMSCOPE_IS_PRESENTER_NOTES (window) && gtk_window_is_active (GTK_WINDOW (window)))
        *(gpointer *) data = window;
    }
  return *(gpointer *) data != NULL;
}

static gboolean
has_picture (gpointer notes)
{
  GtkWidget *picture = app_find_type (notes, GTK_TYPE_DRAWING_AREA);

  return picture != NULL && gtk_widget_get_mapped (picture);
}

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

/* The speaker's window follows the steps, and the keys work in it; closing it does not end the presentation. */
static void
test_notes (Fixture *fixture, gconstpointer data)
{
  gpointer notes;

  start (fixture);
  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (has_notes, &notes, TIMEOUT_MS));
  g_assert_nonnull (app_find_text (notes, "Notes of step 1."));
  g_assert_nonnull (app_find_text (notes, "Falls or rises?"));
  g_assert_true (app_wait_for (has_picture, notes, TIMEOUT_MS));
  app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, 1);
  g_assert_nonnull (app_find_text (notes, "Notes of step 2."));
  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));
  g_assert_false (has_notes (&notes));
  g_assert_true (app_is_presenting (fixture));

  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (has_notes, &notes, TIMEOUT_MS));
  gtk_window_close (notes);
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));
  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (has_notes, &notes, TIMEOUT_MS));
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));
  g_assert_false (has_notes (&notes));
  g_assert_true (app_is_presenting (fixture));
  end (fixture);
}

/* ---- what the audience has done stays ---- */

static guint
get_votes (Fixture *fixture, guint choice)
{
  return normscope_question_card_get_votes (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), choice);
}

static gboolean
shows_controls (Fixture *fixture)
{
  return gtk_widget_get_mapped (find (fixture, NORMSCOPE_TYPE_PALETTE));
}

static void
present_again (Fixture *fixture)
{
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_full, fixture, TIMEOUT_MS));
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
}

/* Escape takes one layer away: the controls, the notes, the presentation. F11 takes none. No hand is lost. */
static void
test_escape (Fixture *fixture, gconstpointer data)
{
  gpointer notes;

  start (fixture);
  go_to (fixture, CHOICE);
  app_input_keys (GDK_KEY_1, 3);
  app_input_key (GDK_KEY_2);
  app_input_key (GDK_KEY_c);
  g_assert_true (shows_controls (fixture));
  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (has_notes, &notes, TIMEOUT_MS));
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));
  g_assert_true (shows_controls (fixture));
  app_input_key (GDK_KEY_s);
  g_assert_true (app_wait_for (has_notes, &notes, TIMEOUT_MS));
  gtk_window_present (GTK_WINDOW (fixture->window));
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));
  app_input_key (GDK_KEY_Escape);
  g_assert_false (shows_controls (fixture));
  g_assert_nonnull (notes);
  app_input_key (GDK_KEY_F11);
  g_assert_true (app_is_presenting (fixture) && is_full (fixture));
  app_input_key (GDK_KEY_Escape);
  g_assert_false (has_notes (&notes));
  g_assert_true (app_is_presenting (fixture) && is_full (fixture));
  g_assert_cmpuint (get_votes (fixture, 0), ==, 3);
  end (fixture);

  present_again (fixture);
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, CHOICE);
  g_assert_cmpuint (get_votes (fixture, 0), ==, 3);
  g_assert_cmpuint (get_votes (fixture, 1), ==, 1);
  reveal (fixture);
  g_assert_nonnull (strstr (get_answer (fixture), "of 4 hands were right"));
  app_input_key (GDK_KEY_Page_Down);
  app_input_key (GDK_KEY_Page_Up);
  g_assert_cmpuint (get_votes (fixture, 0), ==, 3);
  end (fixture);
}

/* A number and a sketch, too; another lecture begins without any. */
static void
test_kept (Fixture *fixture, gconstpointer data)
{
  NormscopeSketch *sketch;
  double value;

  start (fixture);
  go_to (fixture, NUMBER);
  g_assert_true (app_input_click (app_find_type (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), GTK_TYPE_ENTRY)));
  app_input_type ("100");
  end (fixture);
  present_again (fixture);
  go_to (fixture, SKETCH);
  sketch = find (fixture, NORMSCOPE_TYPE_SKETCH);
  gtk_widget_grab_focus (GTK_WIDGET (sketch));
  app_input_keys (GDK_KEY_Right, 2);
  app_input_key (GDK_KEY_Up);
  g_assert_true (normscope_sketch_is_drawn (sketch));
  value = normscope_sketch_get_value (sketch, 2);
  end (fixture);

  present_again (fixture);
  sketch = find (fixture, NORMSCOPE_TYPE_SKETCH);
  g_assert_true (normscope_sketch_is_drawn (sketch));
  g_assert_true (isnan (value) ? isnan (normscope_sketch_get_value (sketch, 2))
                               : normscope_sketch_get_value (sketch, 2) == value);
  reveal (fixture);
  g_assert_true (has_guess (fixture->plot));
  app_input_key (GDK_KEY_Page_Up);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (
                       app_find_type (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), GTK_TYPE_ENTRY))),
                   ==, "100");
  end (fixture);

  start (fixture);
  go_to (fixture, SKETCH);
  g_assert_false (normscope_sketch_is_drawn (find (fixture, NORMSCOPE_TYPE_SKETCH)));
  end (fixture);
}

/* ---- menus ---- */

static gboolean
is_open_popover (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget);
}

static gboolean
has_popover (gpointer window)
{
  return app_find (window, is_open_popover, NULL) != NULL;
}

static gboolean
is_item_of (GtkWidget *widget, gconstpointer text)
{
  g_autofree char *name = NULL;

  if (!g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton"))
    return FALSE;
  g_object_get (widget, "text", &name, NULL);
  return g_str_equal (name, text);
}

static gboolean
is_title (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "chooser") && gtk_widget_get_mapped (widget);
}

/* The presentation has the keys after the menu that began it, and after a list that was opened in it. */
static void
test_menu (Fixture *fixture, gconstpointer data)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);

  normscope_lecture_session_take_lecture (get_lecture (fixture), make_lecture (), NULL);
  normscope_lecture_session_go_to (get_lecture (fixture), CHOICE);
  app_wait_for_idle_plot (fixture);
  g_assert_true (app_input_click_until (app_get_child (window, "main_button"), has_popover, window));
  gtk_widget_grab_focus (app_find (window, is_item_of, "Present"));
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_full, fixture, TIMEOUT_MS));
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
  app_input_keys (GDK_KEY_1, 2);
  app_input_key (GDK_KEY_2);
  reveal (fixture);
  g_assert_false (has_popover (window));
  g_assert_nonnull (strstr (get_answer (fixture), "of 3 hands were right"));

  /* The title of a plot opens a list; Space does not open it again. */
  go_to (fixture, NUMBER);
  g_assert_true (app_input_click_until (app_find (window, is_title, NULL), has_popover, window));
  app_input_key (GDK_KEY_Escape);
  g_assert_false (has_popover (window));
  g_assert_true (app_is_presenting (fixture));
  reveal (fixture);
  g_assert_false (has_popover (window));
  end (fixture);
  present_again (fixture);
  end (fixture);
}

/* The sweep is measured while the window answers. */
static void
test_sweep (Fixture *fixture, gconstpointer data)
{
  start (fixture);
  go_to (fixture, SWEEP);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (fixture->plot)));
  app_input_key (GDK_KEY_1);
  reveal (fixture);
  g_assert_cmpuint (strlen (get_answer (fixture)), >, 0);
  end (fixture);
}

/* ---- the error of a sketch ---- */

static void
test_error (void)
{
  double values[] = { 1, 10, 100 }, logs[] = { 0, 1, 2 }, twice[] = { 2, 20, NAN }, log_twice[3];
  gint64 blocks[] = { 1, 2, 3 };
  NsAnswer answer = { .kind = NS_QUESTION_SKETCH, .is_log = TRUE, .n = 3, .blocks = blocks, .values = values,
                      .log10_values = logs };
  NsSketchError error;
  g_autofree char *text = NULL;

  error = ns_sketch_compare (&answer, twice, FALSE);
  g_assert_cmpuint (error.n_blocks, ==, 2);
  g_assert_true (error.is_factor);
  g_assert_cmpfloat_with_epsilon (error.error, 2, 1e-12);
  text = ns_sketch_error_dup_text (&error);
  g_assert_cmpstr (text, ==, "Factor of error: 2");
  /* Too large here and too small there do not cancel. */
  log_twice[0] = log10 (2);
  log_twice[1] = 1 - log10 (2);
  log_twice[2] = NAN;
  error = ns_sketch_compare (&answer, log_twice, TRUE);
  g_assert_cmpfloat_with_epsilon (error.error, 2, 1e-12);
  answer.is_log = FALSE;
  error = ns_sketch_compare (&answer, twice, FALSE);
  g_assert_false (error.is_factor);
  g_assert_cmpfloat_with_epsilon (error.error, 5.5, 1e-12);
}

void
add_lecture_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add_func ("/lecture/error", test_error);
  app_test_add ("/lecture/steps", test_steps);
  app_test_add ("/lecture/opened", test_opened);
  app_test_add ("/lecture/choice", test_choice);
  app_test_add ("/lecture/number", test_number);
  app_test_add ("/lecture/sketch", test_sketch);
  app_test_add ("/lecture/sweep", test_sweep);
  app_test_add ("/lecture/notes", test_notes);
  app_test_add ("/lecture/escape", test_escape);
  app_test_add ("/lecture/kept", test_kept);
  app_test_add ("/lecture/menu", test_menu);
}
