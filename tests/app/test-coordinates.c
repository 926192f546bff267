/* The coordinate check of the Training view with pointer and keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app-dialogs.h"
#include "app-input.h"
#include "app-training.h"
#include "app/controls/normscope-figure-bar.h"
#include "app/dialogs/normscope-data-dialog.h"
#include "app/shared/normscope-readout.h"
#include "app/training/normscope-training-coordinates.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

static gpointer
get_page (Fixture *fixture)
{
  return training_find_page (fixture, NS_FIGURE_COORDINATE_CHECK);
}

static NsCoordinateCheck *
get_check (Fixture *fixture)
{
  return normscope_training_survey_get (NORMSCOPE_TRAINING_SURVEY (get_page (fixture)));
}

static GtkWidget *
get_plot (Fixture *fixture)
{
  return app_get_child (get_page (fixture), "plot");
}

static const char *
get_status (Fixture *fixture)
{
  return gtk_label_get_label (app_get_child (get_page (fixture), "status_label"));
}

static gboolean
is_widths_entry (GtkWidget *widget, gconstpointer data)
{
  (void) data;
  return GTK_IS_ENTRY (widget) && gtk_widget_get_mapped (widget);
}

static GtkWidget *
get_entry (Fixture *fixture)
{
  GtkWidget *view = app_get_child (fixture->window, "training_view");

  return app_find (app_find_type (view, NORMSCOPE_TYPE_FIGURE_BAR), is_widths_entry, NULL);
}

/* Open the preset as the menu does. */
static void
open_preset (Fixture *fixture)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", "coordinate-check");
  app_answer_question ("_Discard");
  app_input_settle ();
}

/* Show the preset, made small. */
static void
set_up (Fixture *fixture, gint64 d_model)
{
  open_preset (fixture);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_page (fixture))));
  normscope_session_set_int (fixture->session, ns_param_find ("shape.d_model"), d_model, NULL);
  normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 2, NULL);
  normscope_session_set_int (fixture->session, ns_param_find ("sampling.seeds"), 3, NULL);
  app_input_settle ();
}

static gboolean
has_some (gpointer fixture)
{
  return get_check (fixture) != NULL && ns_coordinate_check_count_runs (get_check (fixture), NULL) > 0;
}

static gboolean
is_full (gpointer fixture)
{
  guint n_all;

  return get_check (fixture) != NULL && ns_coordinate_check_count_runs (get_check (fixture), &n_all) == n_all;
}

/* The words of the finished check have reached a screen reader. */
static gboolean
shows_verdict (gpointer fixture)
{
  g_autofree char *description = app_dup_description (get_plot (fixture));

  return description != NULL && strstr (description, "exponent") != NULL
         && strstr (description, "has no exponent yet") == NULL;
}

static gboolean
says_two_widths (gpointer fixture)
{
  return g_str_has_prefix (get_status (fixture), "2 widths · ");
}

static void
fill (Fixture *fixture)
{
  training_fill (fixture, get_page (fixture), is_full, shows_verdict);
}

static void
type (Fixture *fixture, const char *text)
{
  GtkWidget *entry = get_entry (fixture);

  g_assert_true (app_input_click (entry));
  gtk_editable_select_region (GTK_EDITABLE (entry), 0, -1);
  app_input_settle ();
  app_input_key (GDK_KEY_BackSpace);
  app_input_type (text);
  app_input_settle ();
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, text);
  app_input_key (GDK_KEY_Return);
  app_input_settle ();
}

/* ---- tests ---- */

/* The preset leads to the page; the button runs the usual widths, with the numbers of the test's own engine. */
static void
test_fill (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsCoordinateCheck) own = NULL;
  g_autoptr (GError) error = NULL;
  NsCoordinate size = { .quantity = NS_Q_RMS_FFN, .site = 2 };
  NsStat a, b;
  guint n;

  set_up (fixture, 16);
  fill (fixture);
  own = ns_coordinate_check_new_from_text (normscope_session_get_experiment (fixture->session), "4,8,16,32", &error);
  g_assert_no_error (error);
  ns_engine_check_coordinates (fixture->engine, own, NULL, &error);
  g_assert_no_error (error);
  ns_coordinate_check_get_widths (get_check (fixture), &n);
  g_assert_cmpuint (n, ==, 4);
  for (guint v = 0; v < 2; v++)
    for (guint w = 0; w < n; w++)
      {
        g_assert_true (ns_coordinate_check_get_stat (own, v, &size, w, NS_COORDINATE_STEPS, &a));
        g_assert_true (ns_coordinate_check_get_stat (get_check (fixture), v, &size, w, NS_COORDINATE_STEPS, &b));
        g_assert_cmpfloat (a.mean, ==, b.mean);
      }
  g_assert_true (g_str_has_prefix (get_status (fixture), "4 widths · "));
}

/* Undo takes back preset and figure in one step. */
static void
test_undo (Fixture *fixture, gconstpointer data)
{
  NsFigureKind before = normscope_session_get_training (fixture->session)->figure;

  open_preset (fixture);
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, NS_FIGURE_COORDINATE_CHECK);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  app_input_settle ();
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, before);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
}

/* Widths are typed; a bad list is refused, and another list makes the check one of former settings. */
static void
test_widths (Fixture *fixture, gconstpointer data)
{
  const gint64 *widths;
  guint n;

  set_up (fixture, 16);
  fill (fixture);
  type (fixture, "8, 24");
  g_assert_cmpstr (normscope_session_get_training (fixture->session)->options.widths, ==, "8, 24");
  g_assert_cmpstr (get_status (fixture), ==, "Of the former settings");
  type (fixture, "24,8");
  g_assert_true (gtk_widget_has_css_class (get_entry (fixture), "error"));
  g_assert_cmpstr (normscope_session_get_training (fixture->session)->options.widths, ==, "8, 24");
  g_assert_true (app_input_click (app_get_child (get_page (fixture), "train_button")));
  g_assert_true (app_wait_for (says_two_widths, fixture, TIMEOUT_MS));
  widths = ns_coordinate_check_get_widths (get_check (fixture), &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (widths[1], ==, 24);
  /* an empty entry means the usual widths; undo brings back the others */
  normscope_session_end_step (fixture->session);
  type (fixture, "");
  g_assert_cmpstr (get_status (fixture), ==, "Of the former settings");
  gtk_widget_grab_focus (get_plot (fixture)); /* a focused entry undoes its own text */
  app_input_settle ();
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  app_input_settle ();
  g_assert_true (says_two_widths (fixture));
}

/* A setting makes the check stale, the number of steps of a training does not. */
static void
test_stale (Fixture *fixture, gconstpointer data)
{
  set_up (fixture, 16);
  fill (fixture);
  normscope_session_set_int (fixture->session, ns_param_find ("training.steps"), 77, NULL);
  app_input_settle ();
  g_assert_true (g_str_has_prefix (get_status (fixture), "4 widths · "));
  normscope_session_set_number (fixture->session, ns_param_find ("training.learning_rate"), 0.02, NULL);
  app_input_settle ();
  g_assert_cmpstr (get_status (fixture), ==, "Of the former settings");
}

/* Space pauses a long check and goes on; what has ended stays. */
static void
test_pause (Fixture *fixture, gconstpointer data)
{
  guint n;

  set_up (fixture, 16);
  type (fixture, "8,16,1024");
  training_begin_and_pause (fixture, get_page (fixture), has_some);
  app_draw_frames (18);
  n = ns_coordinate_check_count_runs (get_check (fixture), NULL);
  app_draw_frames (18);
  g_assert_cmpuint (ns_coordinate_check_count_runs (get_check (fixture), NULL), ==, n);
  app_input_key (GDK_KEY_space);
  app_input_settle ();
  g_assert_cmpstr (gtk_button_get_label (app_get_child (get_page (fixture), "train_button")), ==, "Pause");
  app_input_key (GDK_KEY_space);
  app_input_settle ();
}

static gboolean
shows_width_4 (gpointer fixture)
{
  GtkWidget *table = app_find_type (GTK_WIDGET (get_page (fixture)), NORMSCOPE_TYPE_READOUT);
  g_autofree char *label
      = gtk_test_accessible_check_property (GTK_ACCESSIBLE (table), GTK_ACCESSIBLE_PROPERTY_LABEL, "never used");

  return label != NULL && strstr (label, "Width 4") != NULL && strstr (label, "4 steps") != NULL;
}

/* The crosshair by keys shows the numbers of a width; the picture is that of the command line. */
static void
test_readout (Fixture *fixture, gconstpointer data)
{
  NormscopePictureStyle style = { .width = 800, .height = 400, .scale = 1 };
  g_autoptr (NormscopePicture) picture = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *svg = NULL;

  set_up (fixture, 16);
  fill (fixture);
  app_input_point_at (GTK_WIDGET (fixture->window), 2, 2);
  gtk_widget_grab_focus (get_plot (fixture));
  app_input_settle ();
  app_input_key (GDK_KEY_Home);
  app_input_settle ();
  g_assert_cmpfloat_with_epsilon (normscope_plot_get_cursor (NORMSCOPE_PLOT (get_plot (fixture))), log10 (4), 1e-9);
  g_assert_true (app_wait_for (shows_width_4, fixture, TIMEOUT_MS));
  picture = normscope_training_page_dup_picture (NORMSCOPE_TRAINING_PAGE (get_page (fixture)), TRUE);
  ns_theme_init (&style.theme, NS_THEME_LIGHT);
  bytes = normscope_picture_export (picture, &style, NS_EXPORT_SVG, NULL);
  svg = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_assert_nonnull (strstr (svg, "Coordinate check: depth 2"));
}

/* Its numbers are exported; while there are none, a message says so. */
static void
test_data (Fixture *fixture, gconstpointer data)
{
  GtkWidget *dialog;

  set_up (fixture, 16);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.export-data", NULL);
  g_assert_true (app_wait_for_toast (fixture, "There are no numbers yet."));
  fill (fixture);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.export-data", NULL);
  dialog = app_wait_for_dialog (NORMSCOPE_TYPE_DATA_DIALOG);
  app_wait_for_text (dialog, "One row per variant, size, width and step.");
  g_assert_false (gtk_widget_get_visible (app_get_child (dialog, "values")));
  gtk_window_destroy (GTK_WINDOW (dialog));
}

void
add_coordinates_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/coordinates/fill", test_fill);
  app_test_add ("/coordinates/undo", test_undo);
  app_test_add ("/coordinates/widths", test_widths);
  app_test_add ("/coordinates/stale", test_stale);
  app_test_add ("/coordinates/pause", test_pause);
  app_test_add ("/coordinates/readout", test_readout);
  app_test_add ("/coordinates/data", test_data);
}
