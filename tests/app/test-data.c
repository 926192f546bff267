/* Export of data and PyTorch scripts from the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/dialogs/normscope-data-dialog.h"
#include "app/dialogs/normscope-script-dialog.h"
#include "app/work/normscope-worker.h"
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"

/* ---- data ---- */

static NormscopeDataDialog *
open_data_dialog (Fixture *fixture)
{
  app_activate (fixture, "win.export-data");
  return NORMSCOPE_DATA_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_DATA_DIALOG));
}

static AdwComboRow *
get_row (NormscopeDataDialog *dialog, const char *name)
{
  return ADW_COMBO_ROW (app_get_child (dialog, name));
}

static void
assert_same (NormscopeDataDialog *dialog, const char *window_name, const char *command_name)
{
  g_autofree char *path = app_dup_path (window_name);
  g_autofree char *other_path = app_dup_path (command_name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) other = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (normscope_data_dialog_save_to (dialog, file, &error));
  g_assert_no_error (error);
  bytes = app_read_file (path);
  other = app_read_file (other_path);
  g_assert_cmpuint (g_bytes_get_size (bytes), >, 1000);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), g_bytes_get_data (other, NULL),
                   g_bytes_get_size (other));
}

static void
test_result (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "command.csv", "command.json", "command.npy" };
  static const char *const own_names[] = { "window.csv", "window.json", "window.npy" };
  g_autofree char *experiment = app_dup_path ("data.normscope");
  NormscopeDataDialog *dialog = open_data_dialog (fixture);

  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = app_dup_path (names[i]);

      adw_combo_row_set_selected (get_row (dialog, "values"), 0);
      app_run_command ((const char *[]){ "run", experiment, "-o", path, NULL });
      assert_same (dialog, own_names[i], names[i]);
      adw_combo_row_set_selected (get_row (dialog, "values"), 1);
      app_run_command ((const char *[]){ "run", experiment, "--per-seed", "-o", path, NULL });
      assert_same (dialog, own_names[i], names[i]);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Through the chooser: the file gets the extension of the format, and the dialog closes. */
static void
test_choose (Fixture *fixture, gconstpointer data)
{
  NormscopeDataDialog *dialog = open_data_dialog (fixture);
  g_autofree char *path = app_dup_path ("chosen.json");
  g_autofree char *text = NULL;

  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  adw_combo_row_set_selected (get_row (dialog, "format"), NORMSCOPE_DATA_JSON);
  g_signal_emit_by_name (app_find_text (GTK_WIDGET (dialog), "_Export…"), "clicked");
  app_choose_file (app_get_folder (), "chosen");
  app_wait_until (app_is_null, &dialog);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "normscope-result"));
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  NormscopeDataDialog *dialog = open_data_dialog (fixture);
  static const char *const names[] = { "data.xlsx", "no such folder/data.csv" };
  static const char *const words[] = { ".csv, .json or .npy", "no such folder" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = app_dup_path (names[i]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GError) error = NULL;

      g_assert_false (normscope_data_dialog_save_to (dialog, file, &error));
      g_assert_nonnull (strstr (error->message, words[i]));
      g_assert_false (g_file_query_exists (file, NULL));
    }
  /* Through the chooser, the dialog stays open and shows the error. */
  g_signal_emit_by_name (app_find_text (GTK_WIDGET (dialog), "_Export…"), "clicked");
  app_choose_file (app_get_folder (), "data.xlsx");
  g_assert_nonnull (app_find_text (GTK_WIDGET (dialog), ".csv, .json or .npy"));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
test_sweep (Fixture *fixture, gconstpointer data)
{
  NsScalingSettings settings = *normscope_session_get_scaling (fixture->session);
  g_autofree char *experiment = app_dup_path ("sweep.normscope");
  g_autofree char *csv = app_dup_path ("command-sweep.csv");
  g_autofree char *json = app_dup_path ("command-sweep.json");
  g_autofree char *npy = app_dup_path ("window-sweep.npy");
  g_autoptr (GFile) none = g_file_new_for_path (npy);
  g_autoptr (GError) error = NULL;
  NormscopeDataDialog *dialog;

  settings.last[NS_SWEEP_DEPTH] = 8;
  settings.last[NS_SWEEP_D_MODEL] = 48; /* the claims need widths; keep them cheap */
  normscope_session_set_scaling (fixture->session, &settings);
  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  /* There is nothing to export before the first number. */
  app_activate (fixture, "win.export-data");
  g_assert_true (app_wait_for_toast (fixture, "There are no numbers yet."));
  app_activate (fixture, "win.copy-data");
  app_settle ();
  app_wait_for_idle_plot (fixture);

  dialog = open_data_dialog (fixture);
  app_run_command ((const char *[]){ "scaling", experiment, "--depths", "1..8", "-o", csv, NULL });
  assert_same (dialog, "window-sweep.csv", "command-sweep.csv");
  app_run_command ((const char *[]){ "scaling", experiment, "--depths", "1..8", "-o", json, NULL });
  assert_same (dialog, "window-sweep.json", "command-sweep.json");
  g_assert_false (normscope_data_dialog_save_to (dialog, none, &error));
  g_assert_nonnull (strstr (error->message, ".csv or .json"));
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (get_row (dialog, "format"))), ==, 2);
  gtk_window_destroy (GTK_WINDOW (dialog));

  settings.ratio = TRUE;
  settings.numerator = 1;
  settings.denominator = 0;
  normscope_session_set_scaling (fixture->session, &settings);
  dialog = open_data_dialog (fixture);
  app_run_command (
      (const char *[]){ "scaling", experiment, "--depths", "1..8", "--ratio", "post/pre", "-o", json, NULL });
  assert_same (dialog, "window-sweep.json", "command-sweep.json");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
test_paths (Fixture *fixture, gconstpointer data)
{
  NsViewChoice choice = *normscope_session_get_paths (fixture->session);
  g_autofree char *experiment = app_dup_path ("paths.normscope");
  g_autofree char *csv = app_dup_path ("command-paths.csv");
  g_autofree char *json = app_dup_path ("command-paths.json");
  NormscopeDataDialog *dialog;

  choice.figure = NS_FIGURE_LENGTHS;
  normscope_session_set_paths (fixture->session, &choice);
  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "paths");
  /* There is nothing to export before the first number. */
  app_activate (fixture, "win.export-data");
  g_assert_true (app_wait_for_toast (fixture, "There are no numbers yet."));
  app_settle ();
  app_wait_for_idle_plot (fixture);

  dialog = open_data_dialog (fixture);
  app_run_command ((const char *[]){ "paths", experiment, "--of", "lengths", "-o", csv, NULL });
  assert_same (dialog, "window-paths.csv", "command-paths.csv");
  app_run_command ((const char *[]){ "paths", experiment, "--of", "lengths", "-o", json, NULL });
  assert_same (dialog, "window-paths.json", "command-paths.json");
  adw_combo_row_set_selected (get_row (dialog, "values"), 1);
  app_run_command ((const char *[]){ "paths", experiment, "--of", "lengths", "--per-seed", "-o", csv, NULL });
  assert_same (dialog, "window-paths.csv", "command-paths.csv");
  app_run_command ((const char *[]){ "paths", experiment, "--of", "lengths", "--per-seed", "-o", json, NULL });
  assert_same (dialog, "window-paths.json", "command-paths.json");
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (get_row (dialog, "format"))), ==, 2);
  gtk_window_destroy (GTK_WINDOW (dialog));

  /* A figure of the ordinary result exports that. */
  choice.figure = NS_FIGURE_IDENTITY_PATH;
  normscope_session_set_paths (fixture->session, &choice);
  app_settle ();
  app_wait_for_idle_plot (fixture);
  dialog = open_data_dialog (fixture);
  app_run_command ((const char *[]){ "run", experiment, "-o", csv, NULL });
  assert_same (dialog, "window-paths.csv", "command-paths.csv");
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* ---- PyTorch ---- */

static NormscopeScriptDialog *
open_script_dialog (Fixture *fixture)
{
  NormscopeScriptDialog *dialog;
  g_autoptr (GFile) where = g_file_new_for_path (app_get_folder ());

  app_activate (fixture, "win.export-script");
  dialog = NORMSCOPE_SCRIPT_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_SCRIPT_DIALOG));
  normscope_script_dialog_set_folder (dialog, where);
  return dialog;
}

static gboolean
is_null (gpointer data)
{
  return *(gpointer *) data == NULL;
}

static void
assert_same_file (const char *a_folder, const char *b_folder, const char *name)
{
  g_autofree char *a_path = g_build_filename (app_get_folder (), a_folder, name, NULL);
  g_autofree char *b_path = g_build_filename (app_get_folder (), b_folder, name, NULL);
  g_autoptr (GBytes) a = app_read_file (a_path);
  g_autoptr (GBytes) b = app_read_file (b_path);

  g_assert_true (g_bytes_equal (a, b));
}

static void
test_script (Fixture *fixture, gconstpointer data)
{
  NormscopeScriptDialog *dialog;
  g_autofree char *experiment = app_dup_path ("script.normscope");
  g_autofree char *by_command = app_dup_path ("by-command");

  normscope_session_select (fixture->session, 1);
  dialog = open_script_dialog (fixture);
  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  /* The selected variant is preset. The folder is named after the chosen variant until the user types a name. */
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (app_get_child (dialog, "variant"))), ==, 1);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (app_get_child (dialog, "name"))), ==, "Post-LN-pytorch");
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "variant")), 0);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (app_get_child (dialog, "name"))), ==, "Pre-LN-pytorch");
  gtk_editable_set_text (GTK_EDITABLE (app_get_child (dialog, "name")), "mine");
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "variant")), 1);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (app_get_child (dialog, "name"))), ==, "mine");

  gtk_widget_grab_focus (app_get_child (dialog, "name"));
  g_assert_nonnull (gtk_window_get_focus (GTK_WINDOW (dialog)));
  g_signal_emit_by_name (app_get_child (dialog, "export_button"), "clicked");
  /* The button and the name are disabled while the export runs; the focus does not stay in the name. */
  g_assert_false (gtk_widget_get_sensitive (app_get_child (dialog, "export_button")));
  g_assert_null (gtk_window_get_focus (GTK_WINDOW (dialog)));
  g_assert_true (app_wait_for (is_null, &dialog, TIMEOUT_MS));
  g_assert_true (app_wait_for_toast (fixture, "experiment.py and its arrays are in “mine”"));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "_Open Folder"));

  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  app_run_command ((const char *[]){ "script", experiment, "--variant", "Post-LN", "--out", by_command, NULL });
  assert_same_file ("mine", "by-command", "experiment.py");
  assert_same_file ("mine", "by-command", "experiment.json");
  assert_same_file ("mine", "by-command", "x0.npy");
  assert_same_file ("mine", "by-command", "block024/w_2.npy");
}

/* In the Paths view the script computes the map that is on the screen, with its settings; elsewhere it does not. */
static void
test_script_of_map (Fixture *fixture, gconstpointer data)
{
  NsViewChoice choice = *normscope_session_get_paths (fixture->session);
  g_autofree char *experiment = app_dup_path ("map.normscope");
  g_autofree char *by_command = app_dup_path ("map-by-command");
  NormscopeScriptDialog *dialog;

  choice.figure = NS_FIGURE_UPDATE;
  choice.options.paths.optimizer = NS_OPTIMIZER_ADAM;
  normscope_session_set_paths (fixture->session, &choice);
  dialog = open_script_dialog (fixture);
  g_assert_null (app_find_text (GTK_WIDGET (dialog), "also computes the map"));
  gtk_window_destroy (GTK_WINDOW (dialog));

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "paths");
  dialog = open_script_dialog (fixture);
  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  g_assert_nonnull (app_find_text (GTK_WIDGET (dialog), "also computes the map"));
  gtk_editable_set_text (GTK_EDITABLE (app_get_child (dialog, "name")), "map");
  g_signal_emit_by_name (app_get_child (dialog, "export_button"), "clicked");
  g_assert_true (app_wait_for (is_null, &dialog, TIMEOUT_MS));

  g_assert_true (ns_experiment_save (fixture->experiment, experiment, NULL));
  app_run_command ((const char *[]){ "script", experiment, "--variant", "Pre-LN", "--of", "update", "--optimizer",
                                     "adam", "--out", by_command, NULL });
  assert_same_file ("map", "map-by-command", "experiment.py");
}

/* In the Training view it takes the first steps of the training. */
static void
test_script_of_training (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) small = ns_experiment_copy (fixture->experiment);
  g_autofree char *experiment = app_dup_path ("training.normscope");
  g_autofree char *by_command = app_dup_path ("training-by-command");
  NormscopeScriptDialog *dialog;

  small->shape.depth = 2;
  small->data.source = NS_SOURCE_TOKENS;
  small->training.steps = 3;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (small));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
  dialog = open_script_dialog (fixture);
  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  g_assert_nonnull (app_find_text (GTK_WIDGET (dialog), "steps of the training"));
  gtk_editable_set_text (GTK_EDITABLE (app_get_child (dialog, "name")), "training");
  g_signal_emit_by_name (app_get_child (dialog, "export_button"), "clicked");
  g_assert_true (app_wait_for (is_null, &dialog, TIMEOUT_MS));

  g_assert_true (ns_experiment_save (small, experiment, NULL));
  app_run_command ((const char *[]){ "script", experiment, "--variant", "Pre-LN", "--of", "training", "--out",
                                     by_command, NULL });
  assert_same_file ("training", "training-by-command", "experiment.py");
  assert_same_file ("training", "training-by-command", "trained/block001/w_q.npy");
}

static void
test_script_refusals (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "", "a/b", "..", "full" };
  static const char *const words[] = { "not a valid folder name", "not a valid folder name", "not a valid folder name",
                                       "files that are not part of a dump" };
  g_autofree char *full = app_dup_path ("full");
  g_autofree char *note = g_build_filename (full, "thesis.txt", NULL);
  NormscopeScriptDialog *dialog = open_script_dialog (fixture);

  g_assert_cmpint (g_mkdir (full, 0700), ==, 0);
  g_assert_true (g_file_set_contents (note, "mine", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gtk_editable_set_text (GTK_EDITABLE (app_get_child (dialog, "name")), names[i]);
      g_signal_emit_by_name (app_get_child (dialog, "export_button"), "clicked");
      g_assert_nonnull (app_find_text (GTK_WIDGET (dialog), words[i]));
      g_assert_true (gtk_widget_get_sensitive (app_get_child (dialog, "export_button")));
    }
  g_assert_true (g_file_test (note, G_FILE_TEST_EXISTS));
  gtk_window_destroy (GTK_WINDOW (dialog));

  app_type_number (fixture, "shape.heads", "5");
  app_activate (fixture, "win.export-script");
  g_assert_true (app_wait_for_toast (fixture, "heads"));
}

static gboolean
is_empty (gpointer folder)
{
  return app_count_files (folder) == 0;
}

/* Closing the dialog cancels the export and removes its files. */
static void
test_script_cancel (Fixture *fixture, gconstpointer data)
{
  g_autofree char *empty = app_dup_path ("cancelled");
  g_autoptr (GFile) where = g_file_new_for_path (empty);
  NormscopeScriptDialog *dialog;

  g_assert_cmpint (g_mkdir (empty, 0700), ==, 0);
  /* An export that takes minutes. */
  app_type_number (fixture, "shape.d_model", "1024");
  app_type_number (fixture, "shape.d_ff", "4096");
  app_type_number (fixture, "shape.depth", "400");
  dialog = open_script_dialog (fixture);
  g_object_add_weak_pointer (G_OBJECT (dialog), (gpointer *) &dialog);
  normscope_script_dialog_set_folder (dialog, where);
  g_signal_emit_by_name (app_get_child (dialog, "export_button"), "clicked");
  app_wait_until (app_is_visible, app_get_child (dialog, "progress_bar"));
  gtk_window_close (GTK_WINDOW (dialog));
  g_assert_true (app_wait_for (is_null, &dialog, TIMEOUT_MS));
  app_type_number (fixture, "shape.depth", "2");
  app_type_number (fixture, "shape.d_model", "32");
  app_wait_until (is_empty, empty);
}

void
add_data_tests (void)
{
  app_test_add ("/data/result", test_result);
  app_test_add ("/data/choose", test_choose);
  app_test_add ("/data/refusals", test_refusals);
  app_test_add ("/data/sweep", test_sweep);
  app_test_add ("/data/paths", test_paths);
  app_test_add ("/data/script", test_script);
  app_test_add ("/data/script-of-map", test_script_of_map);
  app_test_add ("/data/script-of-training", test_script_of_training);
  app_test_add ("/data/script-refusals", test_script_refusals);
  app_test_add ("/data/script-cancel", test_script_cancel);
}
