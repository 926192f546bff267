/* Full screen, text size and the window of shortcuts, with keys that go through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-widgets.h"
#include "app-input.h"

#include "app/dialogs/normscope-preferences.h"
#include "app/shared/normscope-text-size.h"

static gboolean
is_fullscreen (gpointer window)
{
  return gtk_window_is_fullscreen (window);
}

static gboolean
is_no_fullscreen (gpointer window)
{
  return !gtk_window_is_fullscreen (window);
}

static void
test_fullscreen (Fixture *fixture, gconstpointer data)
{
  app_input_key (GDK_KEY_F11);
  g_assert_true (app_wait_for (is_fullscreen, fixture->window, TIMEOUT_MS));
  app_input_settle ();
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_no_fullscreen, fixture->window, TIMEOUT_MS));
}

/* ---- text size ---- */

/* Height of a line of text of some widget that shows a label. */
static int
get_line_height (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, "Text");
  int height;

  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

static double
get_scale (Fixture *fixture)
{
  return normscope_session_get_view (fixture->session)->text_scale;
}

/* Keys reach a window when the window manager has given it the focus. */
static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (GTK_WINDOW (window));
}

static GtkWidget *
open_preferences (void)
{
  GtkWidget *preferences;

  app_input_control_key (GDK_KEY_comma);
  preferences = app_wait_for_dialog (NORMSCOPE_TYPE_PREFERENCES);
  g_assert_true (app_wait_for (is_active, preferences, TIMEOUT_MS));
  return preferences;
}

static void
test_text_size (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row = GTK_WIDGET (app_find_row (fixture, "shape.depth"));
  GtkWidget *view = gtk_widget_get_ancestor (GTK_WIDGET (fixture->plot), GTK_TYPE_BOX);
  GtkWidget *preferences;
  int heights[2] = { get_line_height (row), get_line_height (view) }, in_preferences;
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  guint64 n_drawings = normscope_plot_get_n_drawings (fixture->plot);

  app_input_control_key (GDK_KEY_plus);
  g_assert_cmpfloat (get_scale (fixture), >, 1);
  g_assert_cmpfloat (g_settings_get_double (settings, "type-scale"), ==, get_scale (fixture));
  app_wait_for_frame (fixture);
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), >, n_drawings);
  for (int i = 0; i < 10; i++)
    app_input_control_key (GDK_KEY_plus);
  g_assert_cmpfloat (get_scale (fixture), ==, NORMSCOPE_TEXT_SCALE_MAX);
  app_wait_for_frame (fixture);
  g_assert_cmpint (get_line_height (row), >=, heights[0] * 4 / 3);
  g_assert_cmpint (get_line_height (view), >=, heights[1] * 4 / 3);

  /* A window that opens later has the size, too. */
  preferences = open_preferences ();
  in_preferences = get_line_height (preferences);
  g_assert_cmpint (in_preferences, >=, heights[0] * 4 / 3);
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_active, fixture->window, TIMEOUT_MS));

  app_input_control_key (GDK_KEY_0);
  g_assert_cmpfloat (get_scale (fixture), ==, 1);
  app_wait_for_frame (fixture);
  g_assert_cmpint (get_line_height (row), ==, heights[0]);
  app_input_control_key (GDK_KEY_minus);
  g_assert_cmpfloat (get_scale (fixture), <, 1);
  for (int i = 0; i < 10; i++)
    app_input_control_key (GDK_KEY_minus);
  g_assert_cmpfloat (get_scale (fixture), ==, NORMSCOPE_TEXT_SCALE_MIN);
  app_wait_for_frame (fixture);
  g_assert_cmpint (get_line_height (row), <, heights[0]);
  app_input_control_key (GDK_KEY_0);
  g_assert_cmpfloat (get_scale (fixture), ==, 1);
}

/* ---- shortcuts ---- */

static void
test_shortcuts (Fixture *fixture, gconstpointer data)
{
  /* GTK 4.8 warns of a label's width when it shows its window of shortcuts. */
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  GtkWidget *shortcuts;

  app_input_control_key (GDK_KEY_question);
  shortcuts = app_wait_for_dialog (GTK_TYPE_SHORTCUTS_WINDOW);
  gtk_window_close (GTK_WINDOW (shortcuts));
  app_settle ();
  g_log_set_always_fatal (fatal);
}

void
add_look_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/look/fullscreen", test_fullscreen);
  app_test_add ("/look/text-size", test_text_size);
  app_test_add ("/look/shortcuts", test_shortcuts);
}
