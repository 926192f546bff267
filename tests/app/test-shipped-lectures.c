/* The lectures that come with the program, presented from the first step to the last with the keys of a clicker: each
 * step says its text to screen readers, and each answer is the measured one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-covering.h"
#include "app-widgets.h"
#include "app-input.h"

#include <string.h>

#include "app/flow/normscope-flow-view.h"
#include "app/lecture/normscope-aside.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/training/normscope-training-view.h"
#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lectures.h"
#include "prose/ns-prose.h"

#define TRAINING "why-warm-up"

static gpointer
find (Fixture *fixture, GType type)
{
  return app_find_type (GTK_WIDGET (fixture->window), type);
}

static gboolean
is_answer (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "answer") && gtk_widget_get_mapped (widget);
}

static gboolean
is_answered (gpointer fixture)
{
  GtkWidget *card = find (fixture, NORMSCOPE_TYPE_QUESTION_CARD);

  return card != NULL && app_find (card, is_answer, NULL) != NULL;
}

/* Return TRUE if the answer is there and not only announced. */
static gboolean
has_answer (gpointer fixture)
{
  GtkWidget *card = find (fixture, NORMSCOPE_TYPE_QUESTION_CARD);

  return is_answered (fixture) && app_find_text (card, "Training…") == NULL;
}

static gboolean
is_revealed (gpointer fixture)
{
  return !normscope_session_get_asking (((Fixture *) fixture)->session);
}

static void
assert_text (Fixture *fixture, const NsLectureStep *step)
{
  g_autofree char *text = app_dup_description (find (fixture, NORMSCOPE_TYPE_ASIDE)), *plain = NULL;
  g_autoptr (NsProse) prose = ns_prose_parse (step->text, NULL);
  g_auto (GStrv) lines = NULL;

  plain = ns_prose_dup_plain_text (prose);
  lines = g_strsplit (plain, "\n", -1);
  g_assert_nonnull (strstr (text, step->title));
  for (char **line = lines; *line != NULL; line++)
    if (strstr (text, *line) == NULL)
      g_error ("“%s” is not in “%s”", *line, text);
}

/* The audience sees every answer without scrolling, however long the text is. */
static void
assert_question_in_view (Fixture *fixture)
{
  GtkWidget *aside = find (fixture, NORMSCOPE_TYPE_ASIDE), *card = find (fixture, NORMSCOPE_TYPE_QUESTION_CARD);
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (card, aside, &bounds));
  g_assert_cmpfloat (bounds.origin.y, >, 0);
  g_assert_cmpfloat (bounds.origin.y + bounds.size.height, <=, gtk_widget_get_height (aside));
}

/* Return what the window has measured for the step, which other tests compare with the engine; NULL: another view is
 * shown. */
static NsResult *
ref_shown_result (Fixture *fixture, const NsLectureStep *step)
{
  const NsResult *shown = normscope_flow_view_get_result (app_get_child (fixture->window, "flow_view"));

  if (shown == NULL || !ns_experiment_has_same_pass (ns_result_get_experiment (shown), step->experiment)
      || ns_result_get_n_seeds (shown) != (guint) step->experiment->sampling.seeds)
    return NULL;
  return ns_result_ref ((NsResult *) shown);
}

/* Press Space and compare the answer on the screen with that of what the window shows, or of the test's own engine if
 * it shows something else. */
static void
assert_answer (Fixture *fixture, const NsLectureStep *step)
{
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsSweep) sweep = NULL;
  NsTraining *training = NULL;
  g_autoptr (GError) error = NULL;
  NsQuestionSource source;
  g_auto (NsAnswer) answer = { 0 };
  g_autofree char *expected = NULL;
  const char *shown;

  g_assert_true (normscope_session_get_asking (fixture->session));
  g_assert_false (is_answered (fixture));
  assert_question_in_view (fixture);
  app_input_key (GDK_KEY_space);
  /* a training shows its curves before it gives the answer */
  g_assert_true (app_wait_for (is_revealed, fixture, TIMEOUT_MS));
  if (ns_question_needs_training (step->question))
    g_assert_true (app_wait_for (has_answer, fixture, 4 * TIMEOUT_MS));
  g_assert_true (is_answered (fixture));
  if (ns_question_needs_result (step->question))
    result = ref_shown_result (fixture, step);
  if (ns_question_needs_result (step->question) && result == NULL)
    result =
        ns_engine_run (fixture->engine, step->experiment, 0, (guint) step->experiment->sampling.seeds, NULL, &error);
  if (error == NULL && ns_question_needs_sweep (step->question))
    {
      sweep = ns_lecture_step_new_sweep (step, &error);
      ns_engine_run_sweep (fixture->engine, sweep, NULL, &error);
    }
  if (error == NULL && ns_question_needs_training (step->question))
    training = normscope_training_page_get_training (
        normscope_training_view_get_page (app_get_child (fixture->window, "training_view")));
  g_assert_no_error (error);
  source = (NsQuestionSource) { result, sweep, training, step->view.hidden };
  g_assert_true (ns_question_evaluate (step->question, &source, &answer, &error));
  if (step->question->kind == NS_QUESTION_CHOICE)
    g_assert_cmpuint (answer.n_right, ==, 1);
  expected = ns_answer_dup_text (&answer, step->question);
  shown = gtk_label_get_label (GTK_LABEL (app_find (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), is_answer, NULL)));
  if (step->question->kind != NS_QUESTION_SKETCH && strstr (shown, expected) == NULL)
    g_error ("“%s”: “%s” instead of “%s”", step->title, shown, expected);
}

static gboolean
is_training_view_mapped (gpointer data)
{
  Fixture *fixture = data;
  GtkWidget *view = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_TRAINING_VIEW);

  return view != NULL && gtk_widget_get_mapped (view);
}

static void
test_lecture (Fixture *fixture, const char *id)
{
  NormscopeLectureSession *lecture = normscope_window_get_lecture (fixture->window);
  guint n;

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.shipped-lecture", "s", id);
  n = normscope_lecture_session_get_n_steps (lecture);
  g_assert_cmpuint (n, >, 0);
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (app_is_presenting, fixture, TIMEOUT_MS));
  for (guint i = 0; i < n; i++)
    {
      const NsLectureStep *step = normscope_lecture_session_get_step (lecture);

      g_assert_cmpuint (normscope_lecture_session_get_index (lecture), ==, i);
      /* a training begins when the speaker begins it */
      if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_TRAINING))
        g_assert_true (app_wait_for (is_training_view_mapped, fixture, TIMEOUT_MS));
      else
        app_wait_for_idle_plot (fixture);
      assert_text (fixture, step);
      app_assert_nothing_covers (fixture);
      if (step->question != NULL)
        assert_answer (fixture, step);
      app_input_key (GDK_KEY_Page_Down);
    }
  g_assert_cmpuint (normscope_lecture_session_get_index (lecture), ==, n - 1);
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (app_is_not_presenting, fixture, TIMEOUT_MS));
}

static void
test_lectures (Fixture *fixture, gconstpointer data)
{
  for (const NsLectureInfo *info = ns_lectures_list (NULL); info->id != NULL; info++)
    if (strcmp (info->id, TRAINING) != 0)
      {
        g_test_message ("%s", info->title);
        test_lecture (fixture, info->id);
      }
}

/* It takes as long as the others together. */
static void
test_training (Fixture *fixture, gconstpointer data)
{
  test_lecture (fixture, TRAINING);
}

void
add_shipped_lectures_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/shipped-lectures/plain", test_lectures);
  app_test_add ("/shipped-lectures/training", test_training);
}
