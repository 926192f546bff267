/* Find a lecture, read it, answer its questions alone, present and edit it, with real pointer and keys.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-input.h"

#include <string.h>

#include "app/lecture/normscope-lecture-gallery.h"
#include "app/lecture/normscope-lecture-panel.h"
#include "app/lecture/normscope-lecture-reader.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/shared/normscope-prose.h"
#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lectures.h"

static NormscopeLectureSession *
get_lecture (Fixture *fixture)
{
  return normscope_window_get_lecture (fixture->window);
}

static gpointer
find (Fixture *fixture, GType type)
{
  return app_find_type (GTK_WIDGET (fixture->window), type);
}

/* ---- two clicks ---- */

static gboolean
has_gallery (gpointer data)
{
  return app_has_dialog (NORMSCOPE_TYPE_LECTURE_GALLERY);
}

static gboolean
has_no_gallery (gpointer data)
{
  return !has_gallery (data);
}

static gboolean
is_reading (gpointer fixture)
{
  return gtk_widget_get_mapped (find (fixture, NORMSCOPE_TYPE_LECTURE_READER));
}

static GtkWidget *
open_gallery (Fixture *fixture)
{
  GtkWidget *header = GTK_WIDGET (app_find_type (GTK_WIDGET (fixture->window), ADW_TYPE_HEADER_BAR));

  g_assert_true (app_input_click_until (app_find_text (header, "Lectures"), has_gallery, NULL));
  app_input_settle ();
  return app_wait_for_dialog (NORMSCOPE_TYPE_LECTURE_GALLERY);
}

/* From the start, a lecture is two clicks away, and F5 presents it; after the presentation it is read on. */
static void
test_two_clicks (Fixture *fixture, gconstpointer data)
{
  const NsLectureInfo *info = &ns_lectures_list (NULL)[0];
  GtkWidget *gallery = open_gallery (fixture), *reader = find (fixture, NORMSCOPE_TYPE_LECTURE_READER);

  g_assert_true (app_input_click (app_find_text (gallery, info->title)));
  app_wait_until (has_no_gallery, fixture);
  app_wait_until (is_reading, fixture);
  g_assert_cmpstr (normscope_lecture_session_get_lecture (get_lecture (fixture))->title, ==, info->title);
  g_assert_nonnull (app_find_text (reader, info->title));
  g_assert_nonnull (app_find_text (reader, normscope_lecture_session_get_step (get_lecture (fixture))->title));
  g_assert_false (normscope_lecture_session_is_unsaved (get_lecture (fixture)));
  app_input_key (GDK_KEY_F5);
  app_wait_until (app_is_presenting, fixture);
  app_input_key (GDK_KEY_Page_Down);
  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, 1);
  app_input_key (GDK_KEY_Escape);
  app_wait_until (app_is_not_presenting, fixture);
  app_wait_until (is_reading, fixture);
  g_assert_nonnull (app_find_text (reader, "Step 2 of"));
}

/* ---- the gallery ---- */

/* Return TRUE if a widget has more than one colour. */
static gboolean
is_drawn (gpointer picture)
{
  g_autoptr (GdkTexture) texture = app_grab (picture);
  gsize stride = 4 * (gsize) gdk_texture_get_width (texture);
  g_autofree guint32 *pixels = g_malloc (stride * (gsize) gdk_texture_get_height (texture));
  gsize n = stride / 4 * (gsize) gdk_texture_get_height (texture);

  gdk_texture_download (texture, (guchar *) pixels, stride);
  for (gsize i = 1; i < n; i++)
    if (pixels[i] != pixels[0])
      return TRUE;
  return FALSE;
}

/* Every lecture has a picture, its title and what it is about; Escape closes the list, and Enter opens one. */
static void
test_gallery (Fixture *fixture, gconstpointer data)
{
  GtkWidget *gallery = open_gallery (fixture), *cards = app_find_type (gallery, GTK_TYPE_FLOW_BOX);

  for (const NsLectureInfo *info = ns_lectures_list (NULL); info->id != NULL; info++)
    {
      g_assert_nonnull (app_find_text (gallery, info->title));
      g_assert_nonnull (app_find_text (gallery, info->about));
    }
  for (GtkWidget *card = gtk_widget_get_first_child (cards); card != NULL; card = gtk_widget_get_next_sibling (card))
    app_wait_until (is_drawn, app_find_type (card, GTK_TYPE_DRAWING_AREA));
  app_input_key (GDK_KEY_Escape);
  app_wait_until (has_no_gallery, fixture);
  g_assert_false (normscope_lecture_session_is_open (get_lecture (fixture)));
  open_gallery (fixture);
  app_input_tab (TRUE);
  app_input_key (GDK_KEY_Return);
  app_wait_until (has_no_gallery, fixture);
  g_assert_true (normscope_lecture_session_is_open (get_lecture (fixture)));
}

/* ---- reading ---- */

static NsExperiment *
make_small (void)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape.depth = 6;
  experiment->shape.d_model = 16;
  experiment->shape.heads = 2;
  experiment->shape.d_ff = 32;
  experiment->shape.seq_len = 4;
  experiment->shape.batch = 2;
  experiment->sampling.seeds = 2;
  return experiment;
}

/* Open a lecture of three steps; the second one asks how the gradient runs, of which one choice is right. */
static void
open_three (Fixture *fixture)
{
  static const char *const titles[] = { "First", "Second", "Third" };
  NsLecture *lecture = ns_lecture_new ("Three steps", "en");

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      NsLectureStep *step = ns_lecture_step_new (titles[i], make_small ());

      g_free (step->text);
      step->text = g_strdup_printf ("The *text* of $x_%u$.", i);
      if (i == 1)
        {
          NsTest *falls = ns_test_new (NS_TEST_TREND);

          falls->word = NS_RUNS_FALLS;
          step->question = ns_question_new (NS_QUESTION_CHOICE);
          g_ptr_array_set_size (step->question->choices, 0);
          ns_question_take_choice (step->question, "falls", falls);
          ns_question_take_choice (step->question, "something else", ns_test_new (NS_TEST_OTHERWISE));
        }
      ns_lecture_take_step (lecture, i, step);
    }
  normscope_lecture_session_take_lecture (get_lecture (fixture), lecture, NULL);
  normscope_lecture_session_go_to (get_lecture (fixture), 0);
  app_wait_until (is_reading, fixture);
  app_input_settle ();
}

static void
click_text (Fixture *fixture, const char *text)
{
  g_assert_true (app_input_click (app_find_text (find (fixture, NORMSCOPE_TYPE_LECTURE_READER), text)));
}

static void
assert_step (Fixture *fixture, guint index)
{
  GtkWidget *reader = find (fixture, NORMSCOPE_TYPE_LECTURE_READER);
  const NsLectureStep *step = normscope_lecture_session_get_step (get_lecture (fixture));
  NormscopeProse *text = NORMSCOPE_PROSE (app_find_type (reader, NORMSCOPE_TYPE_PROSE));
  g_autofree char *description = app_dup_description (reader);

  g_assert_cmpuint (normscope_lecture_session_get_index (get_lecture (fixture)), ==, index);
  g_assert_nonnull (app_find_text (reader, step->title));
  g_assert_cmpstr (normscope_prose_get_markup (text), ==, step->text);
  g_assert_true (g_str_has_prefix (description, "The text of x"));
}

static void
test_steps (Fixture *fixture, gconstpointer data)
{
  GtkWidget *reader;

  open_three (fixture);
  reader = find (fixture, NORMSCOPE_TYPE_LECTURE_READER);
  assert_step (fixture, 0);
  g_assert_false (gtk_widget_is_sensitive (gtk_widget_get_ancestor (app_find_text (reader, "Back"), GTK_TYPE_BUTTON)));
  click_text (fixture, "Next");
  assert_step (fixture, 1);
  click_text (fixture, "Back");
  assert_step (fixture, 0);
  app_input_key (GDK_KEY_Page_Down);
  app_input_key (GDK_KEY_Page_Down);
  assert_step (fixture, 2);
  g_assert_false (gtk_widget_is_sensitive (gtk_widget_get_ancestor (app_find_text (reader, "Next"), GTK_TYPE_BUTTON)));
  app_input_key (GDK_KEY_Page_Up);
  assert_step (fixture, 1);
  click_text (fixture, "Present");
  app_wait_until (app_is_presenting, fixture);
  app_input_key (GDK_KEY_Escape);
  app_wait_until (app_is_not_presenting, fixture);
  app_wait_until (is_reading, fixture);
  assert_step (fixture, 1);
}

/* ---- the question ---- */

static gboolean
is_revealed (gpointer fixture)
{
  return !normscope_session_get_asking (((Fixture *) fixture)->session);
}

static gboolean
is_asking (gpointer fixture)
{
  return !is_revealed (fixture);
}

static gboolean
is_choice (GtkWidget *widget, gconstpointer number)
{
  return gtk_widget_has_css_class (widget, "choice") && app_find_text (widget, number) != NULL;
}

static void
click_choice (Fixture *fixture, const char *number)
{
  g_assert_true (app_input_click (app_find (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD), is_choice, number)));
}

/* Choose an answer, then another one, and return what is said about the latter; the caller frees it. */
static char *
answer (Fixture *fixture, const char *first, const char *then)
{
  GtkWidget *card;

  open_three (fixture);
  g_assert_false (normscope_session_get_asking (fixture->session));
  click_text (fixture, "Next");
  app_wait_until (is_asking, fixture);
  card = find (fixture, NORMSCOPE_TYPE_QUESTION_CARD);
  click_choice (fixture, first);
  click_choice (fixture, then);
  g_assert_cmpuint (normscope_question_card_get_votes (NORMSCOPE_QUESTION_CARD (card), 0)
                        + normscope_question_card_get_votes (NORMSCOPE_QUESTION_CARD (card), 1),
                    ==, 1);
  g_assert_null (app_find_text (card, "hand"));
  click_text (fixture, "Show the Answer");
  app_wait_until (is_revealed, fixture);
  return g_strdup (gtk_label_get_label (GTK_LABEL (app_wait_for_text (card, "Right is"))));
}

/* The values are hidden until the answer is shown; the last answer that was chosen counts. */
static void
test_question (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = make_small ();
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, experiment, 0, 2, NULL, NULL);
  const NsQuestionSource source = { result, NULL, NULL, 0 };
  g_auto (NsAnswer) measured = { 0 };
  g_autofree char *one = answer (fixture, "1", "2"), *other = NULL;
  const NsQuestion *question = normscope_lecture_session_get_step (get_lecture (fixture))->question;

  g_assert_true (ns_question_evaluate (question, &source, &measured, NULL));
  other = answer (fixture, "2", "1");
  g_assert_nonnull (strstr (one, measured.right == 2 ? "Your answer is right" : "Your answer is not right"));
  g_assert_nonnull (strstr (other, measured.right == 1 ? "Your answer is right" : "Your answer is not right"));
}

/* Another experiment ends the question, since it is not the one that is asked about; the step can be shown again. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  open_three (fixture);
  click_text (fixture, "Next");
  app_wait_until (is_asking, fixture);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", "tiny");
  app_wait_until (is_revealed, fixture);
  g_assert_null (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD));
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.depth, !=, 6);
  gtk_widget_activate_action (find (fixture, NORMSCOPE_TYPE_LECTURE_READER), "reader.again", NULL);
  app_wait_until (is_asking, fixture);
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.depth, ==, 6);
  g_assert_nonnull (find (fixture, NORMSCOPE_TYPE_QUESTION_CARD));
  normscope_lecture_session_take_lecture (get_lecture (fixture), NULL, NULL);
  app_wait_until (is_revealed, fixture);
}

/* ---- the editor ---- */

static gboolean
is_editing (gpointer fixture)
{
  return gtk_widget_get_mapped (find (fixture, NORMSCOPE_TYPE_LECTURE_PANEL));
}

static void
test_edit (Fixture *fixture, gconstpointer data)
{
  open_three (fixture);
  click_text (fixture, "Next");
  app_wait_until (is_asking, fixture);
  click_text (fixture, "Edit");
  app_wait_until (is_editing, fixture);
  /* Whoever writes a lecture sees the values. */
  g_assert_true (is_revealed (fixture));
  g_assert_true (app_input_click (app_find_text (find (fixture, NORMSCOPE_TYPE_LECTURE_PANEL), "Read")));
  app_wait_until (is_reading, fixture);
  g_assert_true (is_revealed (fixture));
  assert_step (fixture, 1);
  click_text (fixture, "Ask the");
  app_wait_until (is_asking, fixture);
  g_assert_null (app_find_text (find (fixture, NORMSCOPE_TYPE_LECTURE_READER), "Ask the"));
  /* A new lecture has nothing to read. */
  app_activate (fixture, "win.close-lecture");
  app_activate (fixture, "win.new-lecture");
  app_wait_until (is_editing, fixture);
}

/* A lecture from the list is opened after the same question about unsaved changes as one from a file. */
static void
test_unsaved (Fixture *fixture, gconstpointer data)
{
  const char *title = ns_lectures_list (NULL)[0].title;

  open_three (fixture);
  g_assert_true (gtk_widget_activate_action (find (fixture, NORMSCOPE_TYPE_LECTURE_PANEL), "lecture.duplicate", NULL));
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (fixture)));
  g_assert_true (app_input_click (app_find_text (open_gallery (fixture), title)));
  app_answer_question ("_Cancel");
  g_assert_cmpstr (normscope_lecture_session_get_lecture (get_lecture (fixture))->title, ==, "Three steps");
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (fixture)));
  g_assert_true (app_input_click (app_find_text (open_gallery (fixture), title)));
  app_answer_question ("_Discard");
  g_assert_cmpstr (normscope_lecture_session_get_lecture (get_lecture (fixture))->title, ==, title);
  app_wait_until (is_reading, fixture);
}

void
add_reader_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/reader/two-clicks", test_two_clicks);
  app_test_add ("/reader/gallery", test_gallery);
  app_test_add ("/reader/steps", test_steps);
  app_test_add ("/reader/question", test_question);
  app_test_add ("/reader/replaced", test_replaced);
  app_test_add ("/reader/edit", test_edit);
  app_test_add ("/reader/unsaved", test_unsaved);
}
