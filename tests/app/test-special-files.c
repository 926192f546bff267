/* Pipes, devices and other things that are no files, in the real window. Opening a pipe would block the window for
 * ever; the test's timeout would end it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <gio/gunixsocketaddress.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/session/normscope-last-session.h"
#include "app/controls/normscope-text-row.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

/* Of a file that is being written. */
#define N_PARTS       12
#define MAX_GROWN_MIB 256

/* ---- things that are no files ---- */

static void
plant_pipe (const char *path)
{
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
}

static void
plant_device (const char *path)
{
  g_assert_cmpint (symlink ("/dev/zero", path), ==, 0);
}

static void
plant_nothing (const char *path)
{
  g_assert_cmpint (symlink ("/dev/null", path), ==, 0);
}

static void
plant_socket (const char *path)
{
  g_autoptr (GSocket) endpoint
    = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL);
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);

  g_assert_true (g_socket_bind (endpoint, address, FALSE, NULL));
}

static void
plant_folder (const char *path)
{
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
}

static void
plant_dangling (const char *path)
{
  g_assert_cmpint (symlink ("nowhere", path), ==, 0);
}

static void
plant_loop (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  g_assert_cmpint (symlink (name, path), ==, 0);
}

static const struct
{
  const char *name;
  void (*plant) (const char *path);
  const char *cause;
} kinds[] = {
  { "pipe", plant_pipe, "it is a named pipe" },
  { "device", plant_device, "it is a device" },
  { "nothing", plant_nothing, "it is a device" },
  { "socket", plant_socket, "it is a socket" },
  { "folder", plant_folder, "it is a folder" },
  { "dangling", plant_dangling, "No such file or directory" },
  { "loop", plant_loop, "Too many levels of symbolic links" },
};

/* ---- the ways to open a file ---- */

static void
open_directly (Fixture *fixture, GFile *file)
{
  normscope_window_open (fixture->window, file);
}

/* As the list of recent files does. */
static void
open_uri (Fixture *fixture, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.open-uri", "s", uri);
}

static gboolean
opens_text (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_widget_get_tooltip_text (widget), "Open a text file") == 0;
}

/* Through the chooser of the Text row. The chooser enters a folder instead of returning it. */
static void
open_text (Fixture *fixture, GFile *file)
{
  GtkWidget *row = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_TEXT_ROW);
  g_autofree char *name = g_file_get_basename (file);

  g_signal_emit_by_name (app_find (row, opens_text, NULL), "clicked");
  app_choose_file (app_get_folder (), name);
}

static void
test_opening (Fixture *fixture, const char *way, void (*open) (Fixture *fixture, GFile *file))
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *name = g_strconcat (way, "-", kinds[i].name, NULL);
      g_autoptr (GFile) file = app_new_file (name);

      kinds[i].plant (g_file_peek_path (file));
      open (fixture, file);
      g_assert_true (app_wait_for_toast (fixture, name));
      g_assert_true (app_wait_for_toast (fixture, kinds[i].cause));
      g_assert_cmpint (g_remove (g_file_peek_path (file)), ==, 0);
    }
  app_assert_shows (fixture);
}

static void
test_open (Fixture *fixture, gconstpointer data)
{
  test_opening (fixture, "opened", open_directly);
  test_opening (fixture, "recent", open_uri);
  test_opening (fixture, "dropped", app_drop_file);
}

static void
test_text (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = g_strdup ("text-pipe");
  g_autoptr (GFile) file = app_new_file (name);

  normscope_session_set_int (fixture->session, ns_param_find ("data.source"), NS_SOURCE_TEXT, NULL);
  plant_pipe (g_file_peek_path (file));
  open_text (fixture, file);
  g_assert_true (app_wait_for_toast (fixture, "it is a named pipe"));
  g_assert_true (app_wait_for_toast (fixture, name));
  g_assert_cmpint (g_remove (g_file_peek_path (file)), ==, 0);
}

/* The session's file is moved aside, whatever it is; a pipe in place of its details is ignored. */
static void
test_last_session (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "normscope", NULL);
  g_autofree char *path = g_build_filename (folder, "last-session.normscope", NULL);
  g_autofree char *aside = g_build_filename (folder, "unreadable-session.normscope", NULL);
  g_autofree char *details_path = g_build_filename (folder, "last-session.ini", NULL);
  NormscopeLastSession session = { .experiment = fixture->experiment };
  g_autoptr (NsExperiment) kept = NULL;

  normscope_last_session_save (&session);
  g_assert_cmpint (g_remove (details_path), ==, 0);
  plant_pipe (details_path);
  g_assert_true (normscope_last_session_load (&session, NULL));
  kept = session.experiment;
  g_assert_true (ns_experiment_equal (kept, fixture->experiment));
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (g_remove (path), ==, 0);
      kinds[i].plant (path);
      g_assert_false (normscope_last_session_load (&session, &error));
      g_assert_nonnull (strstr (error->message, kinds[i].cause));
      g_assert_nonnull (strstr (error->message, "unreadable-session.normscope"));
      g_assert_cmpint (g_remove (aside), ==, 0);
      plant_pipe (path);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_remove (details_path), ==, 0);
}

static gboolean
names_problem (const char *name, const char *cause)
{
  for (const char *const *problem = ns_presets_get_problems (); *problem != NULL; problem++)
    if (strstr (*problem, name) != NULL && strstr (*problem, cause) != NULL)
      return TRUE;
  return FALSE;
}

static void
test_presets (void)
{
  g_autofree char *folder = ns_presets_dup_folder ();

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_build_filename (folder, "planted.normscope", NULL);
      g_autofree char *index = g_build_filename (folder, "presets.ini", NULL);

      kinds[i].plant (path);
      kinds[i].plant (index);
      ns_presets_reload ();
      g_assert_true (names_problem ("planted.normscope", kinds[i].cause));
      g_assert_true (names_problem ("presets.ini", kinds[i].cause));
      g_assert_cmpint (g_remove (path), ==, 0);
      g_assert_cmpint (g_remove (index), ==, 0);
    }
  ns_presets_reload ();
}

/* ---- a file that is being written ---- */

/* Each part of a file that is not whole yet is refused, and the whole opens. */
static void
test_unfinished (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("unfinished.normscope");
  const char *path = g_file_peek_path (file);
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (normscope_files_save_to (normscope_window_get_files (fixture->window), file, NULL));
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize i = 0; i < N_PARTS; i++)
    {
      g_autofree char *start = g_strdup_printf ("%zu of %d", i, N_PARTS);

      g_assert_true (g_file_set_contents (path, text, (gssize) (i * (length - 2) / N_PARTS), NULL));
      normscope_window_show_message (fixture->window, start);
      normscope_window_open (fixture->window, file);
      g_assert_true (app_wait_for_toast (fixture, "unfinished.normscope"));
    }
  app_assert_shows (fixture);
  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  normscope_window_open (fixture->window, file);
  app_assert_shows (fixture);
  g_assert_null (normscope_session_get_error (fixture->session));
  g_assert_cmpint (g_remove (path), ==, 0);
}

static gpointer
grow (gpointer data)
{
  g_autofree char *blanks = g_strnfill (1 << 20, ' ');
  int *fd = data;

  for (int n = 0; n < MAX_GROWN_MIB && g_atomic_int_get (&fd[1]) == 0; n++)
    g_assert_cmpint (write (fd[0], blanks, 1 << 20), ==, 1 << 20);
  return NULL;
}

/* A file that grows while it is read, for as long as it is read, is read up to the limit. */
static void
test_growing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("growing.normscope");
  int state[2] = { g_open (g_file_peek_path (file), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 0 };
  GThread *thread;

  g_assert_cmpint (state[0], >=, 0);
  thread = g_thread_new ("grow", grow, state);
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "growing.normscope"));
  g_atomic_int_set (&state[1], 1);
  g_thread_join (thread);
  close (state[0]);
  app_assert_shows (fixture);
  g_assert_cmpint (g_remove (g_file_peek_path (file)), ==, 0);
}

/* The window does not save into a pipe, since it would wait for a reader. */
static void
test_save (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("saved.normscope");
  g_autoptr (GError) error = NULL;

  plant_pipe (g_file_peek_path (file));
  g_assert_false (normscope_files_save_to (normscope_window_get_files (fixture->window), file, &error));
  g_assert_nonnull (strstr (error->message, "saved.normscope cannot be written: it is a named pipe"));
  g_assert_cmpint (g_remove (g_file_peek_path (file)), ==, 0);
}

void
add_special_files_tests (void)
{
  app_test_add ("/special-files/open", test_open);
  app_test_add ("/special-files/text", test_text);
  app_test_add ("/special-files/last-session", test_last_session);
  app_test_add_func ("/special-files/presets", test_presets);
  app_test_add ("/special-files/save", test_save);
  app_test_add ("/special-files/unfinished", test_unfinished);
  app_test_add ("/special-files/growing", test_growing);
}
