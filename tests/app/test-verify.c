/* The self-check in the real window: report, verdicts, cancelling, and the statement of exports.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "app-widgets.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "app/dialogs/normscope-verify-dialog.h"
#include "document/ns-experiment-json.h"

static char *program; /* the real normscope-verify */

/* Run the real normscope-verify again. */
static void
use_program (void)
{
  g_setenv ("NORMSCOPE_VERIFY", program, TRUE);
}

static NormscopeVerifyDialog *
open_dialog (Fixture *fixture)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.verify", NULL));
  return NORMSCOPE_VERIFY_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_VERIFY_DIALOG));
}

static GtkWidget *
find_named (gpointer dialog, GType type, const char *name)
{
  GObject *found = gtk_widget_get_template_child (GTK_WIDGET (dialog), type, name);

  g_assert_nonnull (found);
  return GTK_WIDGET (found);
}

static GtkWidget *
find_part (NormscopeVerifyDialog *dialog, const char *name)
{
  return find_named (dialog, NORMSCOPE_TYPE_VERIFY_DIALOG, name);
}

static gboolean
has_verdict (gpointer data)
{
  return gtk_widget_get_visible (find_part (data, "verdict"));
}

/* Wait for the verdict. Fail unless it contains the words and has the CSS class. */
static void
assert_verdict (NormscopeVerifyDialog *dialog, const char *words, const char *style)
{
  const char *text;

  g_assert_true (app_wait_for (has_verdict, dialog, TIMEOUT_MS));
  text = gtk_label_get_label (GTK_LABEL (find_part (dialog, "verdict_label")));
  if (strstr (text, words) == NULL)
    g_error ("“%s” is not in “%s”", words, text);
  g_assert_true (gtk_widget_has_css_class (find_part (dialog, "verdict"), style));
  g_assert_false (gtk_widget_get_visible (find_part (dialog, "progress_bar")));
  g_assert_nonnull (gtk_image_get_icon_name (GTK_IMAGE (find_part (dialog, "verdict_icon"))));
}

static void
assert_report (NormscopeVerifyDialog *dialog, const char *const *words)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_part (dialog, "report_text")));
  g_autofree char *text = NULL;

  g_assert_true (gtk_widget_get_mapped (find_part (dialog, "report")));
  g_object_get (buffer, "text", &text, NULL);
  for (; *words != NULL; words++)
    if (strstr (text, *words) == NULL)
      g_error ("“%s” is not in\n%s", *words, text);
}

static gboolean
has_ticked (gpointer ticks)
{
  return *(guint *) ticks > 10;
}

static gboolean
is_gone (gpointer data)
{
  return *(gpointer *) data == NULL;
}

/* Close the dialog with the action that Escape is bound to. */
static void
press_escape (NormscopeVerifyDialog *dialog)
{
  gpointer weak = dialog;

  g_object_add_weak_pointer (G_OBJECT (dialog), &weak);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (dialog), "window.close", NULL));
  g_assert_true (app_wait_for (is_gone, &weak, TIMEOUT_MS));
}

/* Run a shell script instead of normscope-verify. */
static void
use_script (const char *script)
{
  g_autofree char *path = app_dup_path ("script");
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\ncat > /dev/null\n%s\n", script);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  g_setenv ("NORMSCOPE_VERIFY", path, TRUE);
}

/* ---- statements of exports ---- */

static void
exported_cb (NormscopeExportDialog *dialog, const GError *error, gpointer data)
{
  g_assert_no_error (error);
  *(gboolean *) data = TRUE;
}

static gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

static GBytes *
export_from_window (Fixture *fixture, const char *name)
{
  NormscopeExportDialog *dialog;
  g_autofree char *path = app_dup_path (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gboolean is_exported = FALSE;
  GError *error = NULL;
  char *contents;
  gsize length;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.export", NULL));
  dialog = NORMSCOPE_EXPORT_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_EXPORT_DIALOG));
  normscope_export_dialog_save_to (dialog, file, exported_cb, &is_exported);
  g_assert_true (app_wait_for (is_set, &is_exported, TIMEOUT_MS));
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_file_get_contents (path, &contents, &length, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (contents, length);
}

static gboolean
states_it (Fixture *fixture)
{
  g_autoptr (GBytes) svg = export_from_window (fixture, "window.svg");
  const char *text = g_bytes_get_data (svg, NULL);

  return g_strstr_len (text, (gssize) g_bytes_get_size (svg), "<normscope:verified>") != NULL;
}

/* Export the same experiment by "plot --verify". */
static GBytes *
export_by_command (Fixture *fixture, const char *name)
{
  g_autofree char *cli = g_test_build_filename (G_TEST_BUILT, "..", "src", "cli", "normscope-cli", NULL);
  g_autofree char *experiment = app_dup_path ("window.normscope");
  g_autofree char *path = app_dup_path (name);
  const char *argv[] = { cli,   "plot",     experiment, "-o",      path, "--verify", "--width",
                         "960", "--height", "540",      "--scale", "2",  NULL };
  g_autofree char *complaints = NULL;
  char *contents;
  gsize length;
  int status;

  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  g_assert_true (
      g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &complaints, &status, NULL));
  g_assert_cmpstr (complaints, ==, "");
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  return g_bytes_new_take (contents, length);
}

/* ---- tests ---- */

static void
test_passes (Fixture *fixture, gconstpointer data)
{
  static const char *const words[] = { "Pre-LN: passed", "Post-LN: passed", "its own size", "NOT CHECKED: PyTorch",
                                       NULL };
  static const char *const names[] = { "window.png", "window.svg", "window.pdf" };
  static const char *const others[] = { "command.png", "command.svg", "command.pdf" };
  NormscopeVerifyDialog *dialog;

  use_program ();
  g_assert_false (states_it (fixture));
  dialog = open_dialog (fixture);
  /* The verdict names the check that was skipped. */
  assert_verdict (dialog, "without PyTorch", "warning");
  assert_report (dialog, words);
  press_escape (dialog);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GBytes) bytes = export_from_window (fixture, names[i]);
      g_autoptr (GBytes) other = export_by_command (fixture, others[i]);

      g_assert_true (g_bytes_equal (bytes, other));
    }
  g_assert_true (states_it (fixture));

  /* The statement holds for this experiment only, and still holds after undo. */
  app_move_slider (fixture, "shape.depth", 5);
  fixture->experiment->shape.depth = 5;
  app_assert_shows (fixture);
  g_assert_false (states_it (fixture));
  normscope_session_undo (fixture->session);
  fixture->experiment->shape.depth = normscope_session_get_experiment (fixture->session)->shape.depth;
  app_assert_shows (fixture);
  g_assert_true (states_it (fixture));
}

static void
test_fails (Fixture *fixture, gconstpointer data)
{
  static const char *const words[] = { "Pre-LN: FAILED", "FAILED: gradients", "w_2 in block 1", NULL };
  NormscopeVerifyDialog *dialog;

  use_program ();
  dialog = open_dialog (fixture);
  assert_verdict (dialog, "Verified", "warning");
  press_escape (dialog);
  g_assert_true (states_it (fixture));

  /* A self-check that fails withdraws the statement. */
  use_script ("echo '{\"passed\": false, \"checks\": [{\"kind\": \"gradient\", \"name\": \"w_2\", \"passed\": false,"
            " \"error\": 0.5, \"tolerance\": 1e-5, \"site\": 1, \"places\": 3, \"undecided\": 0}]}'");
  dialog = open_dialog (fixture);
  assert_verdict (dialog, "NOT VERIFIED: 2 of 2", "error");
  assert_report (dialog, words);
  press_escape (dialog);
  g_assert_false (states_it (fixture));
}

static void
test_cannot_check (Fixture *fixture, gconstpointer data)
{
  NormscopeVerifyDialog *dialog;

  use_script ("echo out of luck; exit 1");
  dialog = open_dialog (fixture);
  assert_verdict (dialog, "out of luck", "error");
  g_assert_false (gtk_widget_get_visible (find_part (dialog, "report")));
  press_escape (dialog);
  g_assert_false (states_it (fixture));
}

/* The window says how to get the program. */
static void
test_missing_program (Fixture *fixture, gconstpointer data)
{
  NormscopeVerifyDialog *dialog;

  g_setenv ("NORMSCOPE_VERIFY", "/missing/x", TRUE);
  dialog = open_dialog (fixture);
  assert_verdict (dialog, "not found: /missing/x.", "error");
  assert_verdict (dialog, "meson compile -C build normscope-verify", "error");
  assert_verdict (dialog, "installed", "error");
  press_escape (dialog);
}

static gboolean
has_started (gpointer data)
{
  return g_file_test (data, G_FILE_TEST_EXISTS);
}

static gboolean
shows_progress (gpointer data)
{
  return gtk_progress_bar_get_fraction (GTK_PROGRESS_BAR (find_part (data, "progress_bar"))) > 0.1;
}

static gboolean
has_ended (gpointer data)
{
  return kill (*(pid_t *) data, 0) != 0 && errno == ESRCH;
}

static gboolean
tick_cb (gpointer data)
{
  *(guint *) data += 1;
  return G_SOURCE_CONTINUE;
}

/* The main loop keeps running during the self-check, and Cancel ends its program. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  NormscopeVerifyDialog *dialog;
  g_autofree char *path = app_dup_path ("pid");
  g_autofree char *script =
      g_strdup_printf ("echo progress 1 4; echo $$ > %s.new; mv %s.new %s; exec sleep 600", path, path, path);
  g_autofree char *text = NULL;
  guint ticks = 0, id;
  pid_t pid;

  use_script (script);
  dialog = open_dialog (fixture);
  g_assert_true (app_wait_for (has_started, path, TIMEOUT_MS));
  g_assert_true (app_wait_for (shows_progress, dialog, TIMEOUT_MS));
  id = g_timeout_add (10, tick_cb, &ticks);
  app_wait_until (has_ticked, &ticks);
  g_source_remove (id);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (find_part (dialog, "close_button"))), ==, "_Cancel");
  g_assert_cmpstr (gtk_progress_bar_get_text (GTK_PROGRESS_BAR (find_part (dialog, "progress_bar"))), ==, "Pre-LN");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  pid = (pid_t) g_ascii_strtoll (text, NULL, 10);
  g_assert_false (has_ended (&pid));
  press_escape (dialog);
  g_assert_true (app_wait_for (has_ended, &pid, TIMEOUT_MS));
  g_assert_false (states_it (fixture));
}

/* An invalid experiment is not verified. */
static void
test_impossible (Fixture *fixture, gconstpointer data)
{
  app_type_number (fixture, "shape.heads", "3");
  g_assert_nonnull (normscope_session_get_error (fixture->session));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.verify", NULL));
  g_assert_true (app_wait_for_toast (fixture, "shape.heads"));
}

static gboolean
is_row_of (GtkWidget *widget, gconstpointer title)
{
  return ADW_IS_ACTION_ROW (widget)
         && g_strcmp0 (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title) == 0;
}

/* The link in the About window opens the same dialog. */
static void
test_about (Fixture *fixture, gconstpointer data)
{
  GtkWidget *about;
  gboolean taken = FALSE;
  NormscopeVerifyDialog *dialog;

  g_action_group_activate_action (G_ACTION_GROUP (app_test_get_application ()), "about", NULL);
  about = app_wait_for_dialog (ADW_TYPE_ABOUT_WINDOW);
  g_assert_nonnull (app_find (about, is_row_of, "_Verify This Experiment"));
  g_signal_emit_by_name (about, "activate-link", "normscope:verify", &taken);
  g_assert_true (taken);
  dialog = NORMSCOPE_VERIFY_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_VERIFY_DIALOG));
  gtk_window_destroy (GTK_WINDOW (dialog));
  app_settle ();
}

static const char *
prepare (void)
{
  /* Skip PyTorch, which takes seconds and may not be installed. */
  g_setenv ("NORMSCOPE_PYTHON", "/nowhere/python3", TRUE);
  program = g_strdup (g_getenv ("NORMSCOPE_VERIFY"));
  return NULL;
}

void
add_verify_tests (void)
{
  app_test_prepare (prepare);
  app_test_add ("/verify/passes", test_passes);
  app_test_add ("/verify/fails", test_fails);
  app_test_add ("/verify/cannot-check", test_cannot_check);
  app_test_add ("/verify/missing-program", test_missing_program);
  app_test_add ("/verify/cancel", test_cancel);
  app_test_add ("/verify/impossible", test_impossible);
  app_test_add ("/verify/about", test_about);
}
