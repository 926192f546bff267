/* Test that the window returns memory when it is idle.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each test makes the window use far more than the limit and then waits until it is idle with the default experiment.
 * First it releases the weights of the test's own engine, which is in the same process.
 */
#include "app-dialogs.h"
#include "app-files.h"
#include "app-scaling.h"

#include <math.h>
#include <string.h>

#include "app/dialogs/normscope-export-dialog.h"
#include "app/work/normscope-engine.h"
#include "engine/experiment/ns-experiment.h"

#define LIMIT_MB 300.0

/* Return the value of a line of /proc/self/status in MB, or NAN. */
static double
get_status_mb (const char *name)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL) || (line = strstr (status, name)) == NULL)
    return NAN;
  return g_ascii_strtod (line + strlen (name), NULL) * 1024.0 / 1e6;
}

static double
get_resident_mb (void)
{
  return get_status_mb ("VmRSS:");
}

typedef struct
{
  double from_mb, to_mb;
} Range;

static gboolean
is_within (gpointer data)
{
  const Range *range = data;
  double mb = get_resident_mb ();

  return mb >= range->from_mb && mb <= range->to_mb;
}

static gboolean
wait_for_resident (double from_mb, double to_mb)
{
  return app_wait_for (is_within, &(Range){ from_mb, to_mb }, TIMEOUT_MS);
}

static void
wait_until_large (void)
{
  g_assert_true (wait_for_resident (2 * LIMIT_MB, INFINITY));
}

static gboolean
can_measure (void)
{
  /* A sanitizer needs memory itself and keeps freed blocks to detect later use. */
  if (NS_SANITIZED)
    g_test_skip ("a sanitizer keeps memory of its own");
  else if (isnan (get_resident_mb ()))
    g_test_skip ("/proc/self/status has no VmRSS");
  else
    return TRUE;
  return FALSE;
}

static void
begin (Fixture *fixture)
{
  ns_engine_release_memory (fixture->engine);
  ns_machine_trim_memory ();
  g_test_message ("at the start: %.0f MB resident", get_resident_mb ());
}

/* Show the default experiment again and wait until its last run is over. */
static void
show_defaults (Fixture *fixture)
{
  normscope_session_take_experiment (fixture->session, ns_experiment_new ());
  app_assert_shows (fixture);
  app_wait_for_idle_plot (fixture);
  ns_engine_release_memory (fixture->engine);
  g_test_message ("after the last run: %.0f MB", get_resident_mb ());
}

static void
assert_small (void)
{
  if (!wait_for_resident (0, LIMIT_MB))
    g_error ("%.0f MB stay resident, %.0f are allowed", get_resident_mb (), LIMIT_MB);
  g_test_message ("idle: %.0f MB, largest so far %.0f MB", get_resident_mb (), get_status_mb ("VmHWM:"));
}

/* Weights fill the budget, and a large picture is drawn. */
static void
test_deep (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = app_dup_path ("memory.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  NormscopeExportDialog *dialog;
  NsExperiment *experiment;

  if (!can_measure ())
    return;
  begin (fixture);
  experiment = ns_experiment_new ();
  experiment->shape.depth = 400;
  experiment->sampling.seeds = 2;
  normscope_session_take_experiment (fixture->session, experiment);
  wait_until_large ();

  /* While a run shows what it has measured so far, there is no picture to export. */
  app_wait_for_idle_plot (fixture);
  dialog = app_open_export_dialog (fixture);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 6000);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 4000);
  g_assert_true (app_save_to (dialog, file, &error));
  g_assert_no_error (error);
  gtk_window_destroy (GTK_WINDOW (dialog));

  show_defaults (fixture);
  assert_small ();
}

/* Both views have run. */
static void
test_scaling (Fixture *fixture, gconstpointer data)
{
  Scaling scaling;

  if (!can_measure ())
    return;
  begin (fixture);
  scaling = scaling_find (fixture);
  scaling_show_view (&scaling, "scaling");
  wait_until_large ();
  scaling_show_view (&scaling, "flow");
  assert_small ();
}

/* ---- windows ---- */

static gboolean
is_next_menu_button (GtkWidget *widget, gconstpointer data)
{
  guint *n_to_skip = (guint *) data;

  return GTK_IS_MENU_BUTTON (widget) && gtk_widget_get_mapped (widget) && (*n_to_skip)-- == 0;
}

static gboolean
is_null (gpointer data)
{
  return *(gpointer *) data == NULL;
}

/* GTK 4.8 keeps the sections of a menu that a menu button has shown, 40 KiB for each window with menus of its own. */
static gboolean
is_shared (GMenuModel *menu)
{
  static const char *const ids[] = { "main", "presets", "variant" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    if (menu == G_MENU_MODEL (gtk_application_get_menu_by_id (app_test_get_application (), ids[i])))
      return TRUE;
  return FALSE;
}

/* A window and its popovers are freed also if one of them is open when the window closes. */
static void
test_popovers (Fixture *fixture, gconstpointer data)
{
  guint n_popovers = 0, n_menus = 0;

  for (gboolean has_button = TRUE; has_button; n_popovers++)
    {
      NormscopeWindow *window = normscope_window_new (app_test_get_application ());
      gpointer alive = window, popover = NULL;
      guint n_to_skip = n_popovers;
      GtkWidget *button, *chooser;
      GMenuModel *menu;

      g_object_add_weak_pointer (G_OBJECT (window), &alive);
      gtk_window_present (GTK_WINDOW (window));
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      button = app_find (GTK_WIDGET (window), is_next_menu_button, &n_to_skip);
      has_button = button != NULL;
      if (has_button)
        {
          gtk_menu_button_popup (GTK_MENU_BUTTON (button));
          menu = gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (button));
          g_assert_true (menu == NULL || is_shared (menu));
          n_menus += menu != NULL;
          popover = gtk_menu_button_get_popover (GTK_MENU_BUTTON (button));
          g_object_add_weak_pointer (popover, &popover);
          app_settle ();
          chooser = app_find_type (button, GTK_TYPE_DROP_DOWN);
          if (chooser != NULL)
            g_signal_emit_by_name (chooser, "activate");
          app_settle ();
        }
      gtk_window_destroy (GTK_WINDOW (window));
      if (!app_wait_for (is_null, &alive, TIMEOUT_MS))
        g_error ("the window stays in memory: popover %u was open", n_popovers + 1);
      if (!app_wait_for (is_null, &popover, TIMEOUT_MS))
        g_error ("popover %u stays in memory: it was open when the window closed", n_popovers + 1);
    }
  g_test_message ("%u popovers", n_popovers - 1);
  g_assert_cmpuint (n_popovers, >, 5);
  g_assert_cmpuint (n_menus, >=, 3);
}

void
add_memory_tests (void)
{
  app_test_add_with_defaults ("/memory/deep", test_deep);
  app_test_add_with_defaults ("/memory/scaling", test_scaling);
  app_test_add ("/memory/popovers", test_popovers);
}
