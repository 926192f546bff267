/* Files that the real window writes in a locale with a decimal comma.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <adwaita.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/dialogs/normscope-data-dialog.h"
#include "app/dialogs/normscope-export-dialog.h"
#include "document/ns-experiment-json.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"

#define LOCALE "de_DE.UTF-8"

/* The command runs in the C locale; its words are English, as the window's are. */
static void
run_in_c_locale (const char *const *words)
{
  g_setenv ("LC_ALL", "C.UTF-8", TRUE);
  app_run_command (words);
  g_setenv ("LC_ALL", LOCALE, TRUE);
}

static void
assert_same (const char *name, const char *other_name)
{
  g_autofree char *path = app_dup_path (name);
  g_autofree char *other_path = app_dup_path (other_name);
  g_autoptr (GBytes) bytes = app_read_file (path);
  g_autoptr (GBytes) other = app_read_file (other_path);

  g_assert_cmpuint (g_bytes_get_size (bytes), >, 100);
  if (!g_bytes_equal (bytes, other))
    g_error ("%s and %s differ", name, other_name);
}

static void
assert_comma (void)
{
  g_autofree char *half = g_strdup_printf ("%.1f", 0.5);

  g_assert_cmpstr (localeconv ()->decimal_point, ==, ",");
  g_assert_cmpstr (half, ==, "0,5");
}

/* Settings with decimals, as a user changes them in this locale. */
static char *
save_experiment (Fixture *fixture)
{
  char *path = app_dup_path ("comma.normscope");
  g_autoptr (NsExperiment) read = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  assert_comma ();
  app_type_number (fixture, "norm_eps", "0,0025");
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  app_assert_shows (fixture);
  g_assert_true (ns_experiment_save (normscope_session_get_experiment (fixture->session), path, &error));
  g_assert_no_error (error);
  read = ns_experiment_from_path (path, &error);
  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (read, normscope_session_get_experiment (fixture->session)));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"norm_eps\": 0.0025"));
  return path;
}

static void
test_pictures (Fixture *fixture, gconstpointer data)
{
  static const char *const extensions[] = { ".png", ".svg", ".pdf" };
  g_autofree char *experiment = save_experiment (fixture);
  NormscopeExportDialog *dialog = app_open_export_dialog (fixture);

  for (gsize i = 0; i < G_N_ELEMENTS (extensions); i++)
    {
      g_autofree char *name = g_strconcat ("window", extensions[i], NULL);
      g_autofree char *other_name = g_strconcat ("command", extensions[i], NULL);
      g_autofree char *other_path = app_dup_path (other_name);
      g_autoptr (GFile) file = app_new_file (name);
      g_autoptr (GError) error = NULL;

      app_save_to (dialog, file, &error);
      g_assert_no_error (error);
      run_in_c_locale ((const char *[]){ "plot", experiment, "-o", other_path, "--width", "960", "--height", "540",
                                         "--scale", "2", NULL });
      assert_same (name, other_name);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
  assert_comma ();
}

static void
test_data (Fixture *fixture, gconstpointer data)
{
  static const char *const extensions[] = { ".csv", ".json", ".npy" };
  g_autofree char *experiment = save_experiment (fixture);
  NormscopeDataDialog *dialog;

  app_activate (fixture, "win.export-data");
  dialog = NORMSCOPE_DATA_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_DATA_DIALOG));
  for (gsize i = 0; i < G_N_ELEMENTS (extensions); i++)
    {
      g_autofree char *name = g_strconcat ("window", extensions[i], NULL);
      g_autofree char *other_name = g_strconcat ("command", extensions[i], NULL);
      g_autofree char *other_path = app_dup_path (other_name);
      g_autoptr (GFile) file = app_new_file (name);
      g_autoptr (GError) error = NULL;

      g_assert_true (normscope_data_dialog_save_to (dialog, file, &error));
      g_assert_no_error (error);
      run_in_c_locale ((const char *[]){ "run", experiment, "-o", other_path, NULL });
      assert_same (name, other_name);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Build the locale in the folder of this run. The tests are repeated in a program that begins with it. */
static const char *
prepare (void)
{
  g_autofree char *place = app_dup_path (LOCALE);
  const char *argv[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", place, NULL };
  int status = -1;

  if (g_test_subprocess ())
    return NULL;
  if (!g_spawn_sync (NULL, (char **) argv, NULL,
                     G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                     NULL, &status, NULL)
      || status != 0)
    return "the sources of locales are not installed (Debian: locales)";
  return NULL;
}

static void
repeat (const char *path)
{
  g_autofree char *usual = g_strdup (g_getenv ("LC_ALL"));

  g_setenv ("LOCPATH", app_get_folder (), TRUE);
  g_setenv ("LC_ALL", LOCALE, TRUE);
  g_test_trap_subprocess (path, 0, 0);
  g_unsetenv ("LOCPATH");
  g_setenv ("LC_ALL", usual, TRUE);
  g_test_trap_assert_passed ();
}

static void
repeat_pictures (void)
{
  repeat ("/comma/subprocess/pictures");
}

static void
repeat_data (void)
{
  repeat ("/comma/subprocess/data");
}

void
add_comma_tests (void)
{
  app_test_prepare (prepare);
  app_test_add_func ("/comma/pictures", repeat_pictures);
  app_test_add_func ("/comma/data", repeat_data);
  app_test_add ("/comma/subprocess/pictures", test_pictures);
  app_test_add ("/comma/subprocess/data", test_data);
}
