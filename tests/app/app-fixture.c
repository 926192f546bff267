/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-fixture.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "app-widgets.h"
#include "app/work/normscope-worker.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

/* The tests of one source file, and one of them. */
typedef struct
{
  char *prefix;
  AppPrepare prepare;
  gboolean is_prepared;
  const char *why_not; /* tests are skipped */
} File;

typedef struct
{
  const char *path;
  File *file;
  AppTest test;          /* or NULL */
  void (*func) (void);   /* or NULL */
  gboolean with_defaults;
} Case;

static NormscopeApplication *application;
static char *home;
static GPtrArray *wanted_paths; /* -p */
static GPtrArray *files, *cases;

static void
file_free (gpointer data)
{
  File *file = data;

  g_free (file->prefix);
  g_free (file);
}

/* Write recent files and the last session to a temporary folder, not to the user's. */
static void
use_temporary_home (void)
{
  const char *shared = g_getenv (APP_SHARED_HOME);

  home = shared != NULL ? g_strdup (shared) : g_dir_make_tmp ("normscope-home-XXXXXX", NULL);
  g_assert_nonnull (home);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_STATE_HOME", home, TRUE);
}

gboolean
app_test_init (int *argc, char ***argv)
{
  wanted_paths = g_ptr_array_new_with_free_func (g_free);
  for (int i = 1; i + 1 < *argc; i++)
    if (g_str_equal ((*argv)[i], "-p"))
      g_ptr_array_add (wanted_paths, g_strdup ((*argv)[i + 1]));
  files = g_ptr_array_new_with_free_func (file_free);
  cases = g_ptr_array_new_with_free_func (g_free);
  use_temporary_home ();
  normscope_init_locale ();
  g_test_init (argc, argv, NULL);
  if (!gtk_init_check ())
    {
      printf ("1..0 # SKIP there is no display\n");
      return FALSE;
    }
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-font-name", "DejaVu Sans 10",
                "gtk-xft-dpi", 96 * 1024, "gtk-xft-antialias", 1, "gtk-xft-hinting", 0, "gtk-xft-hintstyle",
                "hintnone", "gtk-xft-rgba", "none", NULL);
  /* Without a bus name, parallel runs stay separate. */
  application = normscope_application_new (G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  return TRUE;
}

static gboolean
is_path_of_test (const char *path)
{
  gsize length = strlen (path);

  for (guint i = 0; i < cases->len; i++)
    {
      const char *other = ((Case *) g_ptr_array_index (cases, i))->path;

      if (strncmp (other, path, length) == 0 && (other[length] == '\0' || other[length] == '/'))
        return TRUE;
    }
  return FALSE;
}

int
app_test_run (void)
{
  int status;
  gboolean idle;

  /* GLib calls it a success. */
  for (guint i = 0; i < wanted_paths->len; i++)
    if (!is_path_of_test (g_ptr_array_index (wanted_paths, i)))
      g_error ("-p %s selects no test", (char *) g_ptr_array_index (wanted_paths, i));
  status = g_test_run ();
  g_object_unref (application);
  idle = normscope_workers_wait (TIMEOUT_MS);
  ns_file_remove_tree (home);
  g_free (home);
  g_ptr_array_unref (wanted_paths);
  g_ptr_array_unref (cases);
  g_ptr_array_unref (files);
  /* All windows are closed, so a worker that still runs was leaked. */
  g_assert_true (idle);
  return status;
}

GtkApplication *
app_test_get_application (void)
{
  return GTK_APPLICATION (application);
}

/* ---- the sanitizer ---- */

#if NS_WATCHED_MEMORY
/* GLib leaks its array of quarks on purpose when it replaces it by a larger one, as this program's many names make it
 * do. Its first one comes before main(); a pointer to it says that it is not lost. */
#define FIRST_QUARKS_BYTES (2048 * sizeof (char *))
const volatile void *app_first_quarks[4];

void __sanitizer_malloc_hook (const volatile void *block, gsize size);

void
__sanitizer_malloc_hook (const volatile void *block, gsize size)
{
  static guint n;

  if (size == FIRST_QUARKS_BYTES && application == NULL && n < G_N_ELEMENTS (app_first_quarks))
    app_first_quarks[n++] = block;
}
#endif

/* ---- the fixture ---- */

static void
reset_settings (void)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys (schema);
  for (char **key = keys; *key != NULL; key++)
    g_settings_reset (settings, *key);
  /* The bubbles of the first start would cover what the tests click. */
  g_settings_set_boolean (settings, "show-first-steps", FALSE);
}

/* Tests begin with one of two experiments; the engine runs each once for the whole program. */
static const char *
get_first_sentence (Fixture *fixture, gboolean with_defaults)
{
  static char *sentences[2];
  char **sentence = &sentences[with_defaults];

  if (*sentence == NULL)
    *sentence = app_dup_expected (fixture);
  return *sentence;
}

/* What the engine computes is not what these tests are about, so it has little to compute. */
static void
make_small (Fixture *fixture)
{
  static const char *const settings[][2] = {
    { "shape.d_model", "32" }, { "shape.d_ff", "64" }, { "shape.seq_len", "8" }, { "sampling.seeds", "3" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      const NsParam *param = ns_param_find (settings[i][0]);

      app_type_number (fixture, settings[i][0], settings[i][1]);
      g_assert_true (ns_param_set_text (param, fixture->experiment, settings[i][1], "", NULL));
    }
}

static void
open_window (Fixture *fixture, gboolean with_defaults)
{
  fixture->engine = ns_engine_new (1, 0);
  fixture->experiment = ns_experiment_new ();
  ns_flow_options_init (&fixture->options);
  fixture->window = normscope_window_new (GTK_APPLICATION (application));
  g_object_add_weak_pointer (G_OBJECT (fixture->window), (gpointer *) &fixture->window);
  fixture->plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_PLOT));
  g_object_add_weak_pointer (G_OBJECT (fixture->plot), (gpointer *) &fixture->plot);
  fixture->session = normscope_window_get_session (fixture->window);
  g_object_add_weak_pointer (G_OBJECT (fixture->session), (gpointer *) &fixture->session);
  gtk_window_present (GTK_WINDOW (fixture->window));
  if (!with_defaults)
    make_small (fixture);
  app_assert_shows_sentence (fixture, get_first_sentence (fixture, with_defaults));
  app_wait_for_frame (fixture);
}

static gboolean
is_gone (gpointer data)
{
  Fixture *fixture = data;

  return fixture->window == NULL && fixture->plot == NULL && fixture->session == NULL;
}

/* Print what is left of an object, for a failure that is seldom. */
static void
print_left (const char *name, gpointer object)
{
  if (object != NULL)
    g_test_message ("%s is left, with %u references", name, G_OBJECT (object)->ref_count);
}

static void
close_window (Fixture *fixture)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  /* LeakSanitizer and valgrind miss a leaked window, because GTK still points to it; check that it is finalized. */
  if (!app_wait_for (is_gone, fixture, TIMEOUT_MS))
    {
      print_left ("the window", fixture->window);
      print_left ("the plot", fixture->plot);
      print_left ("the session", fixture->session);
      g_assert_not_reached ();
    }
  ns_engine_free (fixture->engine);
  ns_experiment_free (fixture->experiment);
}

/* ---- adding tests ---- */

void
app_test_add_file (const char *name, void (*add) (void))
{
  File *file = g_new0 (File, 1);

  file->prefix = g_strdelimit (g_strconcat ("/", name, "/", NULL), "_", '-');
  g_ptr_array_add (files, file);
  add ();
}

static File *
get_file (void)
{
  return files->len > 0 ? g_ptr_array_index (files, files->len - 1) : NULL;
}

void
app_test_prepare (AppPrepare prepare)
{
  get_file ()->prepare = prepare;
}

/* Return FALSE, and skip the test, if its file's tests cannot run here. */
static gboolean
prepare (File *file)
{
  if (file == NULL || file->prepare == NULL)
    return TRUE;
  if (!file->is_prepared)
    file->why_not = file->prepare ();
  file->is_prepared = TRUE;
  if (file->why_not != NULL)
    g_test_skip (file->why_not);
  return file->why_not == NULL;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  fixture->can_run = prepare (this->file);
  reset_settings ();
  if (fixture->can_run && this->test != NULL)
    open_window (fixture, this->with_defaults);
}

static void
run (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  if (!fixture->can_run)
    return;
  if (this->test != NULL)
    this->test (fixture, NULL);
  else
    this->func ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  if (fixture->can_run && this->test != NULL)
    close_window (fixture);
}

static void
add (Case values)
{
  Case *this = g_memdup2 (&values, sizeof values);

  this->file = get_file ();
  g_assert_true (this->file == NULL || g_str_has_prefix (this->path, this->file->prefix));
  /* GLib does not run what is deeper when -p names the file */
  g_assert_true (this->file == NULL || strstr (this->path, "/subprocess/") != NULL
                 || strchr (this->path + strlen (this->file->prefix), '/') == NULL);
  g_ptr_array_add (cases, this);
  g_test_add (this->path, Fixture, this, set_up, run, tear_down);
}

void
app_test_add (const char *path, AppTest test)
{
  add ((Case){ .path = path, .test = test });
}

void
app_test_add_with_defaults (const char *path, AppTest test)
{
  add ((Case){ .path = path, .test = test, .with_defaults = TRUE });
}

void
app_test_add_func (const char *path, void (*func) (void))
{
  add ((Case){ .path = path, .func = func });
}
