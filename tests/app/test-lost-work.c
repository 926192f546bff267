/* The real program is killed, or ends by a signal; the next start offers the unsaved experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program is a process of its own on the same X server, used by keys; its windows are known by their titles.
 */
#include "app-fixture.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>
#include <signal.h>
#include <string.h>

#include "app-files.h"
#include "app-input.h"
#include "app/session/normscope-last-session.h"
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"

/* The promise is 5 s; a busy machine takes somewhat longer to deliver keys. */
#define TYPING_S 7
/* A key that comes before the focus has no effect: it is sent again after this time. */
#define KEY_MS 1500
#define MAX_KEYS 20

/* ---- the program ---- */

typedef struct
{
  char *home;
  char *file;
  char *title; /* that is waited for */
  GSubprocess *process;
} Program;

static void
start (Program *program, const char *file)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "..", "src", "app", "normscope", NULL);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GError) error = NULL;

  g_subprocess_launcher_setenv (launcher, "XDG_STATE_HOME", program->home, TRUE);
  program->process = g_subprocess_launcher_spawn (launcher, &error, path, file, NULL);
  g_assert_no_error (error);
}

/* Begin with a file in a home of its own. */
static void
begin (Program *program, const char *name)
{
  g_autofree char *base = g_strconcat (name, ".normscope", NULL);
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);

  program->home = app_dup_path (name);
  program->file = app_dup_path (base);
  g_assert_true (ns_file_write (program->file, bytes, NULL));
  start (program, program->file);
}

static void
wait_for_end (Program *program)
{
  g_assert_true (g_subprocess_wait (program->process, NULL, NULL));
  g_clear_object (&program->process);
}

static void
end (Program *program)
{
  g_subprocess_force_exit (program->process);
  wait_for_end (program);
  g_free (program->home);
  g_free (program->file);
  g_free (program->title);
}

/* ---- its windows ---- */

static unsigned char *
get_property (Display *display, Window window, const char *name, Atom type, unsigned long *n)
{
  unsigned char *value = NULL;
  unsigned long rest;
  Atom found;
  int format;

  *n = 0;
  XGetWindowProperty (display, window, XInternAtom (display, name, False), 0, 1024, False, type, &found, &format, n,
                      &rest, &value);
  return value;
}

/* Return the titles of the program's windows, the newest first; that one gets the focus. Other windows are those of the
 * window manager. */
static GStrv
dup_titles (const Program *program)
{
  Display *display = gdk_x11_display_get_xdisplay (gdk_display_get_default ());
  unsigned long wanted = strtoul (g_subprocess_get_identifier (program->process), NULL, 10), n, length;
  GStrvBuilder *titles = g_strv_builder_new ();
  Window *windows;

  gdk_x11_display_error_trap_push (gdk_display_get_default ());
  windows = (Window *) get_property (display, DefaultRootWindow (display), "_NET_CLIENT_LIST", XA_WINDOW, &n);
  for (gboolean has_focus = FALSE; n-- > 0;)
    {
      unsigned long *pid = (unsigned long *) get_property (display, windows[n], "_NET_WM_PID", XA_CARDINAL, &length);
      char *title = (char *) get_property (display, windows[n], "_NET_WM_NAME",
                                           XInternAtom (display, "UTF8_STRING", False), &length);

      if (pid != NULL && *pid == wanted)
        {
          if (!has_focus)
            XSetInputFocus (display, windows[n], RevertToPointerRoot, CurrentTime);
          has_focus = TRUE;
          g_strv_builder_add (titles, title != NULL ? title : "");
        }
      g_clear_pointer ((void **) &title, XFree);
      g_clear_pointer ((void **) &pid, XFree);
    }
  g_clear_pointer ((void **) &windows, XFree);
  gdk_x11_display_error_trap_pop_ignored (gdk_display_get_default ());
  return g_strv_builder_end (titles);
}

static gboolean
has_title (gpointer data)
{
  const Program *program = data;
  g_auto (GStrv) titles = dup_titles (program);

  return g_strv_contains ((const char *const *) titles, program->title);
}

static gboolean
has_dialog (gpointer program)
{
  g_auto (GStrv) titles = dup_titles (program);

  return g_strv_length (titles) == 2;
}

/* ---- the copy ---- */

static char *
dup_copy (const Program *program)
{
  g_autofree char *folder = g_build_filename (program->home, "normscope", NULL);
  g_autoptr (GPtrArray) names = ns_file_list_names (folder, ".normscope-session");

  g_assert_cmpuint (names->len, <=, 1);
  return names->len == 1 ? g_build_filename (folder, g_ptr_array_index (names, 0), NULL) : NULL;
}

static gboolean
has_copy (gpointer program)
{
  g_autofree char *copy = dup_copy (program);

  return copy != NULL;
}

/* Return the experiment of the copy. */
static NsExperiment *
read_copy (const Program *program)
{
  g_autofree char *copy = dup_copy (program);
  g_autoptr (GError) error = NULL;
  NormscopeLastSession session = { 0 };

  g_assert_true (normscope_last_session_read (&session, copy, &error));
  g_assert_no_error (error);
  g_object_unref (session.file);
  g_free (session.name);
  return session.experiment;
}

/* ---- the tests ---- */

/* Wait for the title of the file, with a dot if it has changed. */
static void
expect_title (Program *program, gboolean is_changed)
{
  g_autofree char *base = g_path_get_basename (program->file);

  g_free (program->title);
  program->title = g_strdup_printf ("%s%s — Normscope", is_changed ? "• " : "", base);
}

/* Send a key, with Control for a letter, until the title is there. */
static void
press_until_title (Program *program, guint keyval)
{
  guint n = 0;

  for (; n < MAX_KEYS && !app_wait_for (has_title, program, n == 0 ? 0 : KEY_MS); n++)
    if (keyval == GDK_KEY_Return)
      app_input_key (keyval);
    else
      app_input_control_key (keyval);
  g_assert_cmpuint (n, <, MAX_KEYS);
}

/* Choose another seed. */
static void
change (Program *program)
{
  expect_title (program, FALSE);
  app_wait_until (has_title, program);
  expect_title (program, TRUE);
  press_until_title (program, GDK_KEY_r);
}

/* Start again without a file, accept the offer, and save: the file has the experiment of the copy, which is no longer
 * offered. */
static void
recover (Program *program)
{
  g_autoptr (NsExperiment) former = ns_experiment_from_path (program->file, NULL);
  g_autoptr (NsExperiment) wanted = read_copy (program);
  g_autoptr (NsExperiment) saved = NULL;

  g_assert_false (ns_experiment_equal (former, wanted));
  start (program, NULL);
  app_wait_until (has_dialog, program);
  expect_title (program, TRUE);
  press_until_title (program, GDK_KEY_Return);
  expect_title (program, FALSE);
  press_until_title (program, GDK_KEY_s);
  saved = ns_experiment_from_path (program->file, NULL);
  g_assert_true (ns_experiment_equal (saved, wanted));
  g_assert_false (has_copy (program));
}

static void
test_killed (void)
{
  Program program = { 0 };

  begin (&program, "killed");
  change (&program);
  app_wait_until (has_copy, &program);
  g_subprocess_force_exit (program.process);
  wait_for_end (&program);
  recover (&program);
  end (&program);
}

/* A signal comes before the copy. The program ends by itself, and the changes are there. */
static void
end_by (int number, const char *name)
{
  Program program = { 0 };

  begin (&program, name);
  change (&program);
  g_subprocess_send_signal (program.process, number);
  g_assert_true (g_subprocess_wait (program.process, NULL, NULL));
  g_assert_true (g_subprocess_get_if_exited (program.process));
  g_assert_cmpint (g_subprocess_get_exit_status (program.process), ==, 0);
  g_clear_object (&program.process);
  recover (&program);
  end (&program);
}

static void
test_terminated (void)
{
  end_by (SIGTERM, "terminated");
}

static void
test_hung_up (void)
{
  end_by (SIGHUP, "hung-up");
}

/* Changes without a pause are stored, too. */
static void
test_typing (void)
{
  Program program = { 0 };
  gint64 begin_us;

  begin (&program, "typing");
  change (&program);
  begin_us = g_get_monotonic_time ();
  while (!has_copy (&program))
    {
      app_input_control_key (GDK_KEY_r);
      app_iterate (100);
      g_assert_cmpint (g_get_monotonic_time () - begin_us, <, TYPING_S * G_USEC_PER_SEC);
    }
  g_test_message ("stored after %.1f s", (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC);
  end (&program);
}

void
add_lost_work_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add_func ("/lost-work/killed", test_killed);
  app_test_add_func ("/lost-work/terminated", test_terminated);
  app_test_add_func ("/lost-work/hung-up", test_hung_up);
  app_test_add_func ("/lost-work/typing", test_typing);
}
