/* Writing a lecture in the window, with real pointer and key events where they matter.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"
#include "app-input.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "app/lecture/normscope-lecture-panel.h"
#include "app/shared/normscope-prose.h"
#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lecture-json.h"

static NormscopeLectureSession *
get_lecture (Fixture *fixture)
{
  return normscope_window_get_lecture (fixture->window);
}

static NormscopeLecturePanel *
get_panel (Fixture *fixture)
{
  return NORMSCOPE_LECTURE_PANEL (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_LECTURE_PANEL));
}

static GtkWidget *
get_row (Fixture *fixture, guint index)
{
  GtkWidget *list = app_find_type (GTK_WIDGET (get_panel (fixture)), GTK_TYPE_LIST_BOX);

  return GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), (int) index));
}

/* Return "a b c", the titles of the steps. */
static char *
dup_titles (Fixture *fixture)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (get_lecture (fixture));
  GString *titles = g_string_new (NULL);

  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    g_string_append_printf (titles, "%s%s", i > 0 ? " " : "", ns_lecture_get_step (lecture, i)->title);
  return g_string_free (titles, FALSE);
}

static void
assert_titles (Fixture *fixture, const char *wanted)
{
  g_autofree char *titles = dup_titles (fixture);

  g_assert_cmpstr (titles, ==, wanted);
}

/* Open a lecture with the steps a, b and c of depth 1, 2 and 3. */
static void
open_three (Fixture *fixture)
{
  NsLecture *lecture = ns_lecture_new ("Three", "en");

  for (guint i = 0; i < 3; i++)
    {
      const char title[] = { (char) ('a' + i), '\0' };
      NsExperiment *experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));

      experiment->shape.depth = i + 1;
      ns_lecture_take_step (lecture, i, ns_lecture_step_new (title, experiment));
    }
  normscope_lecture_session_take_lecture (get_lecture (fixture), lecture, NULL);
  normscope_lecture_session_go_to (get_lecture (fixture), 0);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.lecture-panel", "s", "editor");
  app_input_settle ();
}

static gint64
get_depth (Fixture *fixture)
{
  return normscope_session_get_experiment (fixture->session)->shape.depth;
}

/* ---- the list ---- */

static void
test_add (Fixture *fixture, gconstpointer data)
{
  NormscopeLectureSession *lecture = get_lecture (fixture);
  const NsLectureStep *step;
  NormscopeView view = *normscope_session_get_view (fixture->session);

  app_activate (fixture, "win.add-step");
  g_assert_cmpuint (normscope_lecture_session_get_n_steps (lecture), ==, 1);
  app_input_settle ();
  /* What is on the screen is captured. */
  view.gradient = NS_Q_GRAD_X;
  view.log_gradient = FALSE;
  normscope_session_set_view (fixture->session, &view);
  normscope_session_set_cursor (fixture->session, 1);
  normscope_session_set_hidden (fixture->session, 1, TRUE);
  g_assert_true (app_input_click (app_find_text (GTK_WIDGET (get_panel (fixture)), "Add Step")));
  g_assert_cmpuint (normscope_lecture_session_get_n_steps (lecture), ==, 2);
  g_assert_cmpuint (normscope_lecture_session_get_index (lecture), ==, 1);
  step = normscope_lecture_session_get_step (lecture);
  g_assert_true (ns_experiment_equal (step->experiment, normscope_session_get_experiment (fixture->session)));
  g_assert_cmpint (step->view.options.flow.gradient, ==, NS_Q_GRAD_X);
  g_assert_false (step->view.options.flow.log_gradient);
  g_assert_cmpfloat (step->view.cursor, ==, 1);
  g_assert_true (step->view.hidden == 2);
  /* The first step brings its own view back. */
  g_assert_true (app_input_click (get_row (fixture, 0)));
  g_assert_cmpint (normscope_session_get_view (fixture->session)->gradient, ==, NS_Q_BLOCK);
  g_assert_true (isnan (normscope_session_get_cursor (fixture->session)));
  g_assert_false (normscope_session_get_look (fixture->session, 1)->hidden);
  normscope_lecture_session_take_lecture (lecture, NULL, NULL);
}

static gboolean
is_paths_mapped (gpointer fixture)
{
  return gtk_widget_get_mapped (app_get_child (((Fixture *) fixture)->window, "paths_view"));
}

static gboolean
is_paths_unmapped (gpointer fixture)
{
  return !is_paths_mapped (fixture);
}

/* A step that is captured in the Paths view brings its figure, options, pins and notes back. */
static void
test_add_paths (Fixture *fixture, gconstpointer data)
{
  NormscopeLectureSession *lecture = get_lecture (fixture);
  NsViewChoice choice = *normscope_session_get_paths (fixture->session);
  NsMarks *marks = ns_marks_new ();
  const NsPin pin = { .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 2 } };
  const NsNote note = { .text = (char *) "here", .place = { NS_PART_STACK, 2 }, .figure = NS_FIGURE_UPDATE };
  const NsViewChoice *shown;

  app_activate (fixture, "win.add-step");
  app_input_settle ();
  app_input_control_key (GDK_KEY_2);
  g_assert_true (app_wait_for (is_paths_mapped, fixture, TIMEOUT_MS));
  choice.figure = NS_FIGURE_UPDATE;
  choice.options.paths.learning_rate = 3.5e-4;
  choice.options.paths.matrices_only = TRUE;
  choice.options.paths.log_axis = FALSE;
  normscope_session_set_paths (fixture->session, &choice);
  ns_marks_add_pin (marks, &pin);
  ns_marks_add_note (marks, &note);
  g_assert_true (normscope_session_take_marks (fixture->session, marks, NULL));
  g_assert_true (app_input_click (app_find_text (GTK_WIDGET (get_panel (fixture)), "Add Step")));
  g_assert_cmpint (normscope_lecture_session_get_step (lecture)->view.figure, ==, NS_FIGURE_UPDATE);
  /* The first step is one of the flow view, without marks. */
  g_assert_true (app_input_click (get_row (fixture, 0)));
  g_assert_true (app_wait_for (is_paths_unmapped, fixture, TIMEOUT_MS));
  g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
  g_assert_true (app_input_click (get_row (fixture, 1)));
  g_assert_true (app_wait_for (is_paths_mapped, fixture, TIMEOUT_MS));
  shown = normscope_session_get_paths (fixture->session);
  g_assert_cmpint (shown->figure, ==, NS_FIGURE_UPDATE);
  g_assert_cmpfloat (shown->options.paths.learning_rate, ==, 3.5e-4);
  g_assert_true (shown->options.paths.matrices_only && !shown->options.paths.log_axis);
  g_assert_cmpuint (ns_marks_get_n (normscope_session_get_marks (fixture->session), NS_MARKS_PINS), ==, 1);
  g_assert_cmpuint (ns_marks_get_n (normscope_session_get_marks (fixture->session), NS_MARKS_NOTES), ==, 1);
  normscope_lecture_session_take_lecture (lecture, NULL, NULL);
}

static void
test_select (Fixture *fixture, gconstpointer data)
{
  open_three (fixture);
  g_assert_cmpint (get_depth (fixture), ==, 1);
  g_assert_true (app_input_click (get_row (fixture, 2)));
  g_assert_cmpint (get_depth (fixture), ==, 3);
  /* One step of undo of the session; the experiment of a step is no unsaved change. */
  g_assert_false (normscope_files_is_unsaved (normscope_window_get_files (fixture->window)));
  normscope_session_undo (fixture->session);
  g_assert_cmpint (get_depth (fixture), ==, 1);
  g_assert_false (normscope_lecture_session_is_unsaved (get_lecture (fixture)));
}

static void
test_drag (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row;

  open_three (fixture);
  row = get_row (fixture, 0);
  app_input_point_at (row, 60, gtk_widget_get_height (row) / 2.0);
  app_input_press ();
  app_input_point_at (row, 60, gtk_widget_get_height (row) * 1.5);
  app_input_point_at (row, 60, gtk_widget_get_height (row) * 2.5);
  g_assert_true (gtk_widget_has_css_class (get_row (fixture, 2), "drop-row"));
  app_input_release ();
  assert_titles (fixture, "b c a");
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, 2);
  g_assert_false (gtk_widget_has_css_class (get_row (fixture, 2), "drop-row"));
  normscope_lecture_session_undo (get_lecture (fixture));
  assert_titles (fixture, "a b c");
}

static void
test_keys (Fixture *fixture, gconstpointer data)
{
  open_three (fixture);
  g_assert_true (app_input_click (get_row (fixture, 0)));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  gtk_widget_activate_action (GTK_WIDGET (get_panel (fixture)), "lecture.down", NULL);
  assert_titles (fixture, "b a c");
  gtk_widget_grab_focus (get_row (fixture, 1));
  app_input_control_key (GDK_KEY_d);
  assert_titles (fixture, "b a a c");
  app_input_control_key (GDK_KEY_z);
  assert_titles (fixture, "b a c");
  app_input_key (GDK_KEY_Delete);
  assert_titles (fixture, "b c");
  gtk_widget_grab_focus (get_row (fixture, 1));
  app_input_control_key (GDK_KEY_z);
  app_input_control_key (GDK_KEY_z);
  assert_titles (fixture, "a b c");
  app_input_control_key (GDK_KEY_y);
  assert_titles (fixture, "b a c");
}

/* ---- the step ---- */

static void
test_rename (Fixture *fixture, gconstpointer data)
{
  open_three (fixture);
  g_assert_true (app_input_click (get_row (fixture, 1)));
  app_input_key (GDK_KEY_F2);
  app_input_type ("residuals off");
  assert_titles (fixture, "a residuals off c");
  /* Typing is one step. */
  normscope_lecture_session_undo (get_lecture (fixture));
  assert_titles (fixture, "a b c");
}

static void
test_text (Fixture *fixture, gconstpointer data)
{
  GtkWidget *panel = GTK_WIDGET (get_panel (fixture)), *prose;

  open_three (fixture);
  g_assert_true (app_input_click (app_find_type (panel, GTK_TYPE_TEXT_VIEW)));
  app_input_type ("the $x^2$ norm");
  g_assert_cmpstr (normscope_lecture_session_get_step (get_lecture (fixture))->text, ==, "the $x^2$ norm");
  prose = app_find_type (panel, NORMSCOPE_TYPE_PROSE);
  g_assert_cmpstr (normscope_prose_get_markup (NORMSCOPE_PROSE (prose)), ==, "the $x^2$ norm");
  g_assert_true (gtk_widget_get_mapped (prose));
  /* Half of a formula is an error beside the text, and nothing is lost. */
  app_input_type (" $y");
  g_assert_cmpstr (normscope_lecture_session_get_step (get_lecture (fixture))->text, ==, "the $x^2$ norm $y");
  g_assert_false (gtk_widget_get_mapped (prose));
}

static gboolean
is_question_kind (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_DROP_DOWN (widget) && g_strcmp0 (gtk_widget_get_tooltip_text (widget), "Kind of question") == 0;
}

static gboolean
is_test_kind (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_DROP_DOWN (widget)
         && g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (widget))) == NS_N_TESTS - 3;
}

static void
test_question (Fixture *fixture, gconstpointer data)
{
  NormscopeLectureSession *lecture = get_lecture (fixture);
  GtkWidget *panel = GTK_WIDGET (get_panel (fixture)), *kind;
  const NsQuestion *question;
  const NsChoice *choice;

  open_three (fixture);
  kind = app_find (panel, is_question_kind, NULL);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (kind), NS_QUESTION_CHOICE);
  question = normscope_lecture_session_get_step (lecture)->question;
  g_assert_cmpuint (question->choices->len, ==, 3);
  /* Another test for the first choice: its fields are those of the kind. */
  kind = app_find (panel, is_test_kind, NULL);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (kind), NS_TEST_EXTREME);
  app_settle ();
  question = normscope_lecture_session_get_step (lecture)->question;
  choice = g_ptr_array_index (question->choices, 0);
  g_assert_cmpint (choice->test->kind, ==, NS_TEST_EXTREME);
  g_assert_cmpint (choice->test->of.block, ==, NS_BLOCK_LAST);
  normscope_lecture_session_undo (lecture);
  normscope_lecture_session_undo (lecture);
  g_assert_null (normscope_lecture_session_get_step (lecture)->question);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (app_find (panel, is_question_kind, NULL))), ==,
                    NS_QUESTION_NONE);
}

void
add_lecture_editor_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/lecture-editor/add", test_add);
  app_test_add ("/lecture-editor/add-paths", test_add_paths);
  app_test_add ("/lecture-editor/select", test_select);
  app_test_add ("/lecture-editor/drag", test_drag);
  app_test_add ("/lecture-editor/keys", test_keys);
  app_test_add ("/lecture-editor/rename", test_rename);
  app_test_add ("/lecture-editor/text", test_text);
  app_test_add ("/lecture-editor/question", test_question);
}
