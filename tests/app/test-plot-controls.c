/* Titles that open the list of quantities, and axes that change their scale, with pointer and keys through the X
 * server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <stdio.h>
#include <string.h>

#include "app-input.h"
#include "app/scaling/normscope-scaling-bar.h"
#include "app/shared/normscope-quantity-popover.h"

static const NormscopeView *
get_view (Fixture *fixture)
{
  return normscope_session_get_view (fixture->session);
}

static gboolean
is_chooser (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_MENU_BUTTON (widget) && gtk_widget_has_css_class (widget, "chooser");
}

/* Return the button over the title of a panel. */
static GtkWidget *
get_chooser (GtkWidget *plot, guint panel)
{
  GtkWidget *chooser = app_find (plot, is_chooser, NULL);

  for (guint p = 0; p < panel; p++)
    chooser = gtk_widget_get_next_sibling (chooser);
  return chooser;
}

static gboolean
is_open (gpointer chooser)
{
  return gtk_widget_get_mapped (GTK_WIDGET (gtk_menu_button_get_popover (chooser)));
}

static gboolean
is_closed (gpointer chooser)
{
  return !is_open (chooser);
}

static GtkWidget *
open_list (GtkWidget *chooser)
{
  GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (chooser)));

  g_assert_true (app_input_click_until (chooser, is_open, chooser));
  return app_find_type (popover, GTK_TYPE_LIST_BOX);
}

/* Click on the title and on a row of its list. */
static void
test_title_click (Fixture *fixture, gconstpointer data)
{
  GtkWidget *chooser = get_chooser (GTK_WIDGET (fixture->plot), 0), *list, *row;
  g_autofree char *label = NULL;

  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (chooser), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Gradient of each block's weights, ‖∂L/∂θₗ‖");
  list = open_list (chooser);
  g_assert_nonnull (app_find_text (list, "Gradient at each block's output"));
  row = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 3));
  label = g_strdup (gtk_widget_get_tooltip_text (row));
  g_assert_nonnull (strstr (label, "Key: grad_x"));
  g_assert_true (app_input_click (row));
  g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
  g_assert_cmpint (get_view (fixture)->gradient, ==, NS_Q_GRAD_X);
  fixture->options.gradient = NS_Q_GRAD_X;
  app_assert_shows (fixture);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (chooser), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Gradient at each block's output, ‖∂L/∂xₗ‖");
}

/* Tab from the plot to the title of the lower plot, and use its list with the arrow keys. */
static void
test_title_keys (Fixture *fixture, gconstpointer data)
{
  GtkWidget *chooser = get_chooser (GTK_WIDGET (fixture->plot), 1);

  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  app_input_settle ();
  app_input_keys (GDK_KEY_Tab, 2);
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_open, chooser, TIMEOUT_MS));
  app_input_key (GDK_KEY_Down);
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
  g_assert_cmpint (get_view (fixture)->activation, ==, NS_Q_RMS_ATTN);
}

static void
searched_cb (GtkSearchEntry *entry, GString *text)
{
  g_string_assign (text, gtk_editable_get_text (GTK_EDITABLE (entry)));
}

typedef struct
{
  GString *text;
  const char *wanted;
} Searched;

static gboolean
has_searched (gpointer data)
{
  Searched *searched = data;

  return g_str_equal (searched->text->str, searched->wanted);
}

/* Type into the entry, which waits a moment for the next letter before it searches. */
static void
type_search (GtkWidget *popover, const char *words)
{
  GtkWidget *entry = app_find_type (popover, GTK_TYPE_SEARCH_ENTRY);
  g_autoptr (GString) text = g_string_new (NULL);
  gulong id = g_signal_connect (entry, "search-changed", G_CALLBACK (searched_cb), text);

  app_input_type (words);
  app_wait_until (has_searched, &(Searched){ text, words });
  app_input_settle ();
  g_signal_handler_disconnect (entry, id);
}

/* Search a long list by words, symbol or key; Enter chooses the first row found. */
static void
test_search (Fixture *fixture, gconstpointer data)
{
  GtkWidget *chooser = get_chooser (GTK_WIDGET (fixture->plot), 0);
  GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (chooser)));

  open_list (chooser);
  g_assert_true (app_input_click (app_find_type (popover, GTK_TYPE_SEARCH_ENTRY)));
  type_search (popover, "value projection");
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
  g_assert_cmpint (get_view (fixture)->gradient, ==, NS_Q_W_V);
  /* The letters of the search triggered no shortcuts. */
  g_assert_true (get_view (fixture)->log_gradient);
}

static void
search_and_choose (Fixture *fixture, const char *words)
{
  GtkWidget *chooser = get_chooser (GTK_WIDGET (fixture->plot), 0);
  GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (chooser)));

  open_list (chooser);
  g_assert_true (app_input_click (app_find_type (popover, GTK_TYPE_SEARCH_ENTRY)));
  type_search (popover, words);
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

/* A quantity that an ordinary run leaves out is measured once it is chosen, and with every later change. */
static void
test_own_passes (Fixture *fixture, gconstpointer data)
{
  search_and_choose (fixture, "path length");
  fixture->options.gradient = NS_Q_PATH_LENGTH;
  g_assert_cmpint (get_view (fixture)->gradient, ==, NS_Q_PATH_LENGTH);
  app_assert_shows (fixture);
  app_move_slider (fixture, "shape.depth", 3);
  fixture->experiment->shape.depth = 3;
  app_assert_shows (fixture);
  /* the Paths view runs for the flow view, too */
  app_input_control_key (GDK_KEY_2);
  g_assert_true (app_wait_for (is_mapped, app_get_child (fixture->window, "paths_view"), TIMEOUT_MS));
  app_move_slider (fixture, "shape.depth", 5);
  fixture->experiment->shape.depth = 5;
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_mapped, fixture->plot, TIMEOUT_MS));
  app_assert_shows (fixture);
  search_and_choose (fixture, "random gradient");
  fixture->options.gradient = NS_Q_GAIN;
  app_assert_shows (fixture);
  search_and_choose (fixture, "grad_x");
  fixture->options.gradient = NS_Q_GRAD_X;
  app_assert_shows (fixture);
}

static void
test_axes (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (fixture->plot);
  double height = gtk_widget_get_height (plot);

  g_assert_true (get_view (fixture)->log_gradient);
  app_input_click_at (plot, 12, 0.3 * height);
  g_assert_false (get_view (fixture)->log_gradient);
  app_input_click_at (plot, 12, 0.3 * height);
  g_assert_true (get_view (fixture)->log_gradient);
  app_input_click_at (plot, 12, 0.8 * height);
  g_assert_true (get_view (fixture)->bars_axis == NS_BARS_AXIS_LOG);
  /* Within a plot, a click changes nothing. */
  app_input_click_at (plot, 200, 0.3 * height);
  app_input_click_at (plot, 200, 0.8 * height);
  g_assert_true (get_view (fixture)->log_gradient && get_view (fixture)->bars_axis == NS_BARS_AXIS_LOG);
}

static gboolean
has_tooltip (gpointer text)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (app_find_text (window, text) != NULL)
        return TRUE;
    }
  return FALSE;
}

static void
test_keys (Fixture *fixture, gconstpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  app_input_settle ();
  app_input_key (GDK_KEY_l);
  g_assert_false (get_view (fixture)->log_gradient);
  app_input_key (GDK_KEY_k);
  g_assert_true (get_view (fixture)->bars_axis == NS_BARS_AXIS_LOG);
  /* The keys work anywhere in the window except in a text field. */
  gtk_widget_grab_focus (app_find_in_row (fixture, "shape.depth", GTK_TYPE_SCALE));
  app_input_settle ();
  app_input_key (GDK_KEY_l);
  g_assert_true (get_view (fixture)->log_gradient);
  gtk_widget_grab_focus (app_find_in_row (fixture, "shape.depth", GTK_TYPE_TEXT));
  app_input_settle ();
  app_input_type ("lk");
  g_assert_true (get_view (fixture)->log_gradient);
  g_assert_true (get_view (fixture)->bars_axis == NS_BARS_AXIS_LOG);
}

/* The same in the scaling view. */
static void
test_scaling (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot, *chooser, *list;
  const NsScalingSettings *settings;
  NsScalingSettings small = *normscope_session_get_scaling (fixture->session);

  /* A short sweep, and no claims: what is computed does not matter here. */
  small.last[NS_SWEEP_DEPTH] = 6;
  normscope_session_set_scaling (fixture->session, &small);
  g_object_set (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SCALING_BAR), "show-claims", FALSE, NULL);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  plot = app_wait_for_idle_plot (fixture);
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_true (settings->log_x && settings->log_y);
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_k);
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_true (!settings->log_x && settings->log_y);
  app_input_key (GDK_KEY_l);
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_true (!settings->log_x && !settings->log_y);
  /* The height of the plot follows the sentence. */
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
  app_input_click_at (plot, 12, 0.5 * gtk_widget_get_height (plot));
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_true (!settings->log_x && settings->log_y);
  app_wait_for_idle_plot (fixture);
  app_input_settle ();
  app_input_click_at (plot, 0.5 * gtk_widget_get_width (plot), gtk_widget_get_height (plot) - 16);
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_true (settings->log_x && settings->log_y);

  chooser = get_chooser (plot, 0);
  list = open_list (chooser);
  g_assert_true (app_input_click (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 1))));
  g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
  settings = normscope_session_get_scaling (fixture->session);
  g_assert_cmpint (settings->metric.quantity, ==, NS_Q_BLOCK);
  app_wait_for_idle_plot (fixture);
}

static void
test_tooltip (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (fixture->plot);

  app_input_point_at (plot, 12, 0.3 * gtk_widget_get_height (plot));
  g_assert_true (app_wait_for (has_tooltip, (gpointer) "Click for a linear axis, or press L", TIMEOUT_MS));
}

void
add_plot_controls_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/plot-controls/title-click", test_title_click);
  app_test_add ("/plot-controls/title-keys", test_title_keys);
  app_test_add ("/plot-controls/search", test_search);
  app_test_add ("/plot-controls/own-passes", test_own_passes);
  app_test_add ("/plot-controls/axes", test_axes);
  app_test_add ("/plot-controls/keys", test_keys);
  app_test_add ("/plot-controls/tooltip", test_tooltip);
  app_test_add ("/plot-controls/scaling", test_scaling);
}
