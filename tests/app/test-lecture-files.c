/* Lecture files in the real window: opening, dropping, questions about unsaved changes, recovery after a crash.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-files.h"
#include "app-widgets.h"

#include <string.h>
#include <unistd.h>

#include "app/lecture/normscope-lecture-panel.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lecture-json.h"

#define CRASH "/lecture-files/subprocess/crash"

static NormscopeLectureSession *
get_lecture (NormscopeWindow *window)
{
  return normscope_window_get_lecture (window);
}

/* Return a lecture of steps with these titles, a letter each. */
static NsLecture *
make_lecture (const char *titles)
{
  NsLecture *lecture = ns_lecture_new ("Letters", "en");

  for (guint i = 0; titles[i] != '\0'; i++)
    {
      const char title[] = { titles[i], '\0' };

      ns_lecture_take_step (lecture, i, ns_lecture_step_new (title, ns_experiment_new ()));
    }
  return lecture;
}

static void
open_lecture (NormscopeWindow *window, const char *titles, GFile *file)
{
  normscope_lecture_session_take_lecture (get_lecture (window), make_lecture (titles), file);
  normscope_lecture_session_go_to (get_lecture (window), 0);
}

static void
assert_titles (NormscopeWindow *window, const char *wanted)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (get_lecture (window));
  g_autoptr (GString) titles = g_string_new (NULL);

  for (guint i = 0; lecture != NULL && i < ns_lecture_get_n_steps (lecture); i++)
    g_string_append (titles, ns_lecture_get_step (lecture, i)->title);
  g_assert_cmpstr (titles->str, ==, wanted);
}

/* Move the step shown down by one place: a change that is not saved. */
static void
edit (NormscopeWindow *window)
{
  GtkWidget *panel = app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_LECTURE_PANEL);

  g_assert_true (gtk_widget_activate_action (panel, "lecture.down", NULL));
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (window)));
}

/* ---- files ---- */

static void
test_save (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("a" NS_LECTURE_SUFFIX);
  g_autoptr (GError) error = NULL;
  NormscopeLectureSession *lecture = get_lecture (fixture->window);
  GtkWidget *flap = gtk_widget_get_ancestor (
      app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_LECTURE_PANEL), ADW_TYPE_FLAP);

  open_lecture (fixture->window, "abc", NULL);
  edit (fixture->window);
  g_assert_true (normscope_lecture_session_save (lecture, file, &error));
  g_assert_false (normscope_lecture_session_is_unsaved (lecture));
  normscope_lecture_session_undo (lecture);
  g_assert_true (normscope_lecture_session_is_unsaved (lecture));
  normscope_lecture_session_redo (lecture);
  g_assert_false (normscope_lecture_session_is_unsaved (lecture));
  normscope_lecture_session_take_lecture (lecture, NULL, NULL);
  g_assert_false (adw_flap_get_reveal_flap (ADW_FLAP (flap)));
  /* The same way as for a recent file, or the command line. */
  normscope_window_open (fixture->window, file);
  assert_titles (fixture->window, "bac");
  /* A broken file is refused, and the lecture stays. */
  g_assert_true (g_file_set_contents (g_file_peek_path (file), "{\"format\": \"normscope-lecture\"}", -1, NULL));
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "title: the key is missing"));
  assert_titles (fixture->window, "bac");
}

/* A lecture dropped on the window is opened, after a question if another one has changed. */
static void
test_drop (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("dropped" NS_LECTURE_SUFFIX);
  NormscopeLectureSession *lecture = get_lecture (fixture->window);

  open_lecture (fixture->window, "xy", NULL);
  g_assert_true (normscope_lecture_session_save (lecture, file, NULL));
  open_lecture (fixture->window, "abc", NULL);
  app_drop_file (fixture, file);
  assert_titles (fixture->window, "xy");
  open_lecture (fixture->window, "abc", NULL);
  edit (fixture->window);
  app_drop_file (fixture, file);
  app_answer_question ("_Cancel");
  assert_titles (fixture->window, "bac");
  g_assert_true (normscope_lecture_session_is_unsaved (lecture));
  app_drop_file (fixture, file);
  app_answer_question ("_Discard");
  assert_titles (fixture->window, "xy");
  g_assert_true (g_file_equal (normscope_lecture_session_get_file (lecture), file));
}

/* ---- unsaved changes ---- */

/* Closing the window asks. "Cancel" keeps window and changes, "Save" writes them first, with a name where there is none
 * yet, "Discard" loses them. */
static void
test_close (void)
{
  g_autoptr (GFile) file = app_new_file ("closed" NS_LECTURE_SUFFIX);
  g_autoptr (NsLecture) saved = NULL;
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());

  gtk_window_present (GTK_WINDOW (window));
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  open_lecture (window, "abc", NULL);
  edit (window);
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Cancel");
  g_assert_nonnull (window);
  assert_titles (window, "bac");
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Save");
  app_choose_file (app_get_folder (), "closed" NS_LECTURE_SUFFIX);
  app_wait_until (app_is_null, &window);
  saved = ns_lecture_from_file (file, NULL, NULL);
  g_assert_nonnull (saved);
  g_assert_cmpstr (ns_lecture_get_step (saved, 0)->title, ==, "b");

  window = normscope_window_new (app_test_get_application ());
  gtk_window_present (GTK_WINDOW (window));
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  normscope_window_open (window, file);
  edit (window);
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Discard");
  app_wait_until (app_is_null, &window);
  g_clear_pointer (&saved, ns_lecture_unref);
  saved = ns_lecture_from_file (file, NULL, NULL);
  g_assert_cmpstr (ns_lecture_get_step (saved, 0)->title, ==, "b");
}

/* ---- recovery ---- */

/* Open a window as the program does when it starts. */
static NormscopeWindow *
start_window (gboolean restore)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());

  gtk_window_present (GTK_WINDOW (window));
  normscope_window_keep_session (window, restore);
  return window;
}

static void
close_window (NormscopeWindow *window)
{
  gtk_window_close (GTK_WINDOW (window));
  app_settle ();
}

/* Return the number of copies of unsaved lectures. */
static guint
count_copies (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "normscope", NULL);
  g_autoptr (GPtrArray) names = ns_file_list_names (folder, NS_LECTURE_SUFFIX);

  return names->len;
}

static gboolean
has_copies (gpointer n)
{
  return count_copies () == GPOINTER_TO_UINT (n);
}

/* Edit a lecture, and go on until the test kills the process. */
static void
test_crash (void)
{
  NormscopeWindow *window = start_window (FALSE);
  NsLecture *value = ns_lecture_new ("Crashed", "en");
  NsLectureStep *step = ns_lecture_step_new ("half", ns_experiment_new ());

  normscope_lecture_session_take_lecture (get_lecture (window), ns_lecture_new ("Crashed", "en"), NULL);
  g_free (step->text);
  step->text = g_strdup ("half of a $formula");
  ns_lecture_take_step (value, 0, step);
  normscope_lecture_session_commit (get_lecture (window), value, 0, NULL);
  for (;;)
    g_main_context_iteration (NULL, TRUE);
}

/* Start a program that edits a lecture. */
static GSubprocess *
start_other (void)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GError) error = NULL;
  guint n = count_copies ();
  GSubprocess *process;

  g_subprocess_launcher_setenv (launcher, APP_SHARED_HOME, g_getenv ("XDG_STATE_HOME"), TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, "/proc/self/exe", "-p", CRASH, "--GTestSubprocess", NULL);
  g_assert_no_error (error);
  app_wait_until (has_copies, GUINT_TO_POINTER (n + 1));
  return process;
}

static void
be_killed (GSubprocess *process)
{
  g_subprocess_force_exit (process);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  g_object_unref (process);
}

static void
assert_no_offer (void)
{
  app_draw_frames (30);
  g_assert_false (app_has_dialog (ADW_TYPE_MESSAGE_DIALOG));
}

/* The next start offers what a crash has left, unless its process lives, whatever the name says about it. "Recover"
 * opens it as a lecture that is not saved, "Discard" drops it, and it is offered once. */
static void
test_offer (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "normscope", NULL);
  /* as earlier versions named them: of a number that a process has, as it can be in a container */
  g_autofree char *numbered = g_strdup_printf ("%s/unsaved-%d-0" NS_LECTURE_SUFFIX, folder, (int) getppid ());
  g_autoptr (NsLecture) lecture = make_lecture ("n");
  GSubprocess *process = start_other ();
  NormscopeWindow *window;

  window = start_window (TRUE);
  assert_no_offer ();
  close_window (window);
  be_killed (process);
  window = start_window (TRUE);
  app_answer_question ("_Recover");
  g_assert_true (normscope_lecture_session_is_open (get_lecture (window)));
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (window)));
  g_assert_cmpstr (normscope_lecture_session_get_step (get_lecture (window))->text, ==, "half of a $formula");
  g_assert_cmpuint (count_copies (), ==, 1);
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Discard");
  g_assert_cmpuint (count_copies (), ==, 0);

  g_assert_true (ns_lecture_save (lecture, numbered, NULL));
  window = start_window (TRUE);
  app_answer_question ("_Discard");
  g_assert_false (normscope_lecture_session_is_open (get_lecture (window)));
  close_window (window);
  g_assert_cmpuint (count_copies (), ==, 0);

  window = start_window (TRUE);
  assert_no_offer ();
  close_window (window);
}

static NormscopeWindow *
get_other_window (NormscopeWindow *window)
{
  for (GList *l = gtk_application_get_windows (app_test_get_application ()); l != NULL; l = l->next)
    if (NORMSCOPE_IS_WINDOW (l->data) && l->data != (gpointer) window)
      return l->data;
  return NULL;
}

/* Two programs were killed: the second lecture is offered in a window of its own. */
static void
test_two_offers (void)
{
  GSubprocess *first = start_other (), *second = start_other ();
  NormscopeWindow *window, *other;

  be_killed (first);
  be_killed (second);
  window = start_window (TRUE);
  app_answer_question ("_Recover");
  app_wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG);
  other = get_other_window (window);
  g_assert_nonnull (other);
  app_answer_question ("_Recover");
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (window)));
  g_assert_true (normscope_lecture_session_is_unsaved (get_lecture (other)));
  gtk_window_close (GTK_WINDOW (other));
  app_answer_question ("_Discard");
  gtk_window_close (GTK_WINDOW (window));
  app_answer_question ("_Discard");
  g_assert_cmpuint (count_copies (), ==, 0);
}

/* A copy that cannot be read is kept under another name. */
static void
test_unreadable (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "normscope", NULL);
  g_autofree char *path = g_build_filename (folder, "unsaved-x" NS_LECTURE_SUFFIX, NULL);
  g_autofree char *kept = g_strconcat (path, ".unreadable", NULL);
  NormscopeWindow *window;

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (path, "{", -1, NULL));
  window = start_window (TRUE);
  assert_no_offer ();
  close_window (window);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
}

void
add_lecture_files_tests (void)
{
  app_test_add ("/lecture-files/save", test_save);
  app_test_add ("/lecture-files/drop", test_drop);
  app_test_add_func ("/lecture-files/close", test_close);
  app_test_add_func (CRASH, test_crash);
  app_test_add_func ("/lecture-files/offer", test_offer);
  app_test_add_func ("/lecture-files/two-offers", test_two_offers);
  app_test_add_func ("/lecture-files/unreadable", test_unreadable);
}
