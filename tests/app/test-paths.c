/* The Paths view with pointer and keys through the X server: its figures match those of the test's own engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app-input.h"
#include "app-watchdog.h"
#include "app/controls/normscope-figure-bar.h"
#include "app/paths/normscope-paths-view.h"
#include "app/shared/normscope-readout.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

/* ---- the view ---- */

static NormscopePathsView *
get_view (Fixture *fixture)
{
  return app_get_child (fixture->window, "paths_view");
}

static NormscopePlot *
get_plot (Fixture *fixture)
{
  return normscope_paths_view_get_plot (get_view (fixture));
}

static NormscopeFigureBar *
get_bar (Fixture *fixture)
{
  return app_get_child (get_view (fixture), "bar");
}

static const NsViewChoice *
get_choice (Fixture *fixture)
{
  return normscope_session_get_paths (fixture->session);
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

static gboolean
is_unmapped (gpointer widget)
{
  return !gtk_widget_get_mapped (widget);
}

/* Press Ctrl+2. */
static void
show_paths (Fixture *fixture)
{
  app_input_control_key (GDK_KEY_2);
  g_assert_true (app_wait_for (is_mapped, get_view (fixture), TIMEOUT_MS));
}

static void
choose (Fixture *fixture, NsFigureKind figure)
{
  NsViewChoice choice = *get_choice (fixture);

  choice.figure = figure;
  normscope_session_set_paths (fixture->session, &choice);
}

/* ---- what it shows ---- */

/* Return the sentence of the chosen figure and the fixture's experiment, computed by the test's own engine. */
static char *
dup_expected (Fixture *fixture)
{
  const NsViewChoice *choice = get_choice (fixture);
  const NsFigureInfo *info = ns_figure_info (choice->figure);
  guint seeds = (guint) fixture->experiment->sampling.seeds;
  NsFigureSource source = { .experiment = fixture->experiment, .variant = -1 };
  NsFigureOptions options = choice->options;
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsPaths) paths = NULL;
  NsPathsSettings settings;

  if (ns_view_choice_get_settings (choice, &settings))
    paths = ns_engine_run_paths (fixture->engine, fixture->experiment, &settings, 0, seeds, NULL, NULL);
  else
    result = ns_engine_run (fixture->engine, fixture->experiment, 0, seeds, NULL, NULL);
  source.paths = paths;
  source.result = result;
  return info->make_sentence (&source, &options, NULL);
}

static guint
count_figures (Fixture *fixture)
{
  GtkWidget *chooser = app_find_type (GTK_WIDGET (get_bar (fixture)), GTK_TYPE_DROP_DOWN);

  return g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (chooser)));
}

/* The figure of experts is in the list where there are some, and as long as it is shown. */
static void
test_experts_listed (Fixture *fixture, gconstpointer data)
{
  const NsParam *experts = ns_param_find ("experts");
  guint n;

  show_paths (fixture);
  n = count_figures (fixture);
  g_assert_cmpuint (n, >, 1);
  normscope_session_set_int (fixture->session, experts, 4, NULL);
  g_assert_cmpuint (count_figures (fixture), ==, n + 1);
  choose (fixture, NS_FIGURE_EXPERTS);
  normscope_session_set_int (fixture->session, experts, 0, NULL);
  g_assert_cmpuint (count_figures (fixture), ==, n + 1);
  choose (fixture, NS_FIGURE_CONTRIBUTIONS);
  normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), 3, NULL);
  g_assert_cmpuint (count_figures (fixture), ==, n);
}

typedef struct
{
  NormscopePlot *plot;
  const char *text;
} Shown;

static gboolean
is_shown (gpointer data)
{
  Shown *shown = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (shown->plot));

  gsize length = strlen (shown->text);

  /* The marks follow the sentence. */
  return text != NULL && g_str_has_prefix (text, shown->text) && (text[length] == '\0' || text[length] == '\n');
}

static void
assert_shows (Fixture *fixture)
{
  g_autofree char *expected = dup_expected (fixture);
  Shown shown = { get_plot (fixture), expected };

  if (!app_wait_for (is_shown, &shown, TIMEOUT_MS))
    {
      g_autofree char *text = app_dup_description (GTK_WIDGET (shown.plot));

      g_error ("%s: “%s” is shown, “%s” expected", ns_figure_info (get_choice (fixture)->figure)->id, text, expected);
    }
}

static gboolean
is_idle (gpointer plot)
{
  g_autofree char *differs = gtk_test_accessible_check_state (plot, GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

static void
set_depth (Fixture *fixture, gint64 depth)
{
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), depth, NULL));
  fixture->experiment->shape.depth = depth;
}

/* ---- choosing ---- */

static gboolean
is_popover_open (gpointer chooser)
{
  GtkWidget *popover = app_find_type (chooser, GTK_TYPE_POPOVER);

  return popover != NULL && gtk_widget_get_mapped (popover);
}

static gboolean
is_popover_closed (gpointer chooser)
{
  return !is_popover_open (chooser);
}

/* Choose every figure in turn by a click on the chooser and the arrow key. */
static void
test_figures (Fixture *fixture, gconstpointer data)
{
  GtkWidget *chooser = app_find_type (GTK_WIDGET (get_bar (fixture)), GTK_TYPE_DROP_DOWN);
  NsFigureKind last = get_choice (fixture)->figure;
  guint n = g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (chooser)));

  set_depth (fixture, 6);
  show_paths (fixture);
  assert_shows (fixture);
  for (guint i = 1; i < n; i++)
    {
      g_assert_true (app_input_click_until (chooser, is_popover_open, chooser));
      app_input_key (GDK_KEY_Down);
      app_input_key (GDK_KEY_Return);
      g_assert_true (app_wait_for (is_popover_closed, chooser, TIMEOUT_MS));
      g_assert_cmpint (get_choice (fixture)->figure, !=, last);
      last = get_choice (fixture)->figure;
      assert_shows (fixture);
    }
}

/* Every option changes by its control, and the figure follows. */
static void
test_options (Fixture *fixture, gconstpointer data)
{
  set_depth (fixture, 4);
  show_paths (fixture);
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    for (const NsFigureOption *option = ns_figure_info (figure)->options;
         ns_view_offers (NS_VIEW_PATHS, figure) && option != NULL && option->name != NULL; option++)
      {
        NsViewChoice before;
        GtkWidget *control = normscope_figure_bar_get_control (get_bar (fixture), option->name);

        if (control == NULL)
          continue;
        choose (fixture, figure);
        assert_shows (fixture);
        before = *get_choice (fixture);
        gtk_widget_grab_focus (control);
        app_input_settle ();
        if (GTK_IS_DROP_DOWN (control))
          {
            g_assert_true (app_input_click_until (control, is_popover_open, control));
            app_input_key (gtk_drop_down_get_selected (GTK_DROP_DOWN (control)) == 0 ? GDK_KEY_Down : GDK_KEY_Up);
            app_input_key (GDK_KEY_Return);
            g_assert_true (app_wait_for (is_popover_closed, control, TIMEOUT_MS));
          }
        else
          {
            app_input_key (GTK_IS_SPIN_BUTTON (control) ? GDK_KEY_Up : GDK_KEY_space);
          }
        g_assert_cmpuint (ns_view_choice_compare (&before, get_choice (fixture)), ==, NS_VIEW_CHANGED_OPTIONS);
        assert_shows (fixture);
      }
}

/* Any learning rate can be typed, with a comma, too; a text that is none stays out. */
static void
test_learning_rate (Fixture *fixture, gconstpointer data)
{
  GtkWidget *entry = normscope_figure_bar_get_entry (get_bar (fixture), "learning-rate");
  const double *rate;

  set_depth (fixture, 4);
  show_paths (fixture);
  choose (fixture, NS_FIGURE_UPDATE);
  assert_shows (fixture);
  app_input_click (entry);
  app_input_type ("0,00035");
  app_input_key (GDK_KEY_Return);
  rate = &get_choice (fixture)->options.paths.learning_rate;
  g_assert_cmpfloat (*rate, ==, 3.5e-4);
  assert_shows (fixture);
  app_input_click (entry);
  app_input_control_key (GDK_KEY_a);
  app_input_type ("1e9");
  app_input_key (GDK_KEY_Return);
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  g_assert_cmpfloat (get_choice (fixture)->options.paths.learning_rate, ==, 3.5e-4);
  gtk_widget_grab_focus (GTK_WIDGET (get_plot (fixture)));
  app_input_settle ();
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "0.00035");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpfloat (get_choice (fixture)->options.paths.learning_rate, ==, 0);
  assert_shows (fixture);
}

static NsAxisScale
get_scale (Fixture *fixture, guint panel)
{
  const NsFigure *figure = normscope_plot_get_figure (get_plot (fixture));

  return ((const NsPanel *) g_ptr_array_index (figure->panels, panel))->scale;
}

/* L and K change the axes of the first and the second panel, where they show norms. */
static void
test_axes (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));

  set_depth (fixture, 4);
  show_paths (fixture);
  choose (fixture, NS_FIGURE_SKIP_BRANCH);
  assert_shows (fixture);
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_l);
  assert_shows (fixture);
  g_assert_cmpint (get_scale (fixture, 0), ==, NS_AXIS_LINEAR);
  g_assert_cmpint (get_scale (fixture, 1), ==, NS_AXIS_LINEAR);
  app_input_key (GDK_KEY_k);
  assert_shows (fixture);
  g_assert_cmpint (get_scale (fixture, 1), ==, NS_AXIS_LOG10);
  /* Shares stay linear. */
  choose (fixture, NS_FIGURE_LENGTHS);
  assert_shows (fixture);
  app_input_key (GDK_KEY_l);
  g_assert_cmpint (get_scale (fixture, 0), ==, NS_AXIS_LINEAR);
  g_assert_cmpint (get_scale (fixture, 1), ==, NS_AXIS_LOG10);
  app_input_key (GDK_KEY_k);
  assert_shows (fixture);
  g_assert_cmpint (get_scale (fixture, 1), ==, NS_AXIS_LINEAR);
  /* A click on the axis. */
  app_input_click_at (plot, 12, 0.75 * gtk_widget_get_height (plot));
  g_assert_cmpint (get_scale (fixture, 1), ==, NS_AXIS_LOG10);
}

static void
test_undo (Fixture *fixture, gconstpointer data)
{
  NsViewChoice first, second;

  set_depth (fixture, 4);
  show_paths (fixture);
  first = *get_choice (fixture);
  choose (fixture, NS_FIGURE_LENGTHS);
  second = *get_choice (fixture);
  assert_shows (fixture);
  app_input_control_key (GDK_KEY_z);
  g_assert_cmpuint (ns_view_choice_compare (get_choice (fixture), &first), ==, 0);
  assert_shows (fixture);
  app_input_control_key (GDK_KEY_y);
  g_assert_cmpuint (ns_view_choice_compare (get_choice (fixture), &second), ==, 0);
  assert_shows (fixture);
}

/* ---- the crosshair ---- */

static NormscopeReadout *
get_readout (Fixture *fixture)
{
  return app_get_child (get_view (fixture), "readout");
}

static void
assert_block (Fixture *fixture, int block, int depth)
{
  g_autofree char *text = g_strdup_printf ("block %d of %d", block, depth);

  g_assert_nonnull (app_find_text (app_get_child (fixture->window, "wiring_strip"), text));
}

static gboolean
has_three_annotations (gpointer plot)
{
  return ((NsPanel *) g_ptr_array_index (normscope_plot_get_figure (plot)->panels, 0))->annotations->len == 3;
}

static void
assert_describes (GtkWidget *plot, const char *mark)
{
  g_autofree char *description = app_dup_description (plot);

  g_assert_cmpuint (strlen (description), >, strlen (mark));
  if (strstr (description, mark) == NULL)
    g_error ("“%s” lacks “%s”", description, mark);
}

/* A click and P pin a block for Flow and Paths alike, and take the pin away. */
static void
test_pins (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));
  NsPlace place;

  show_paths (fixture);
  choose (fixture, NS_FIGURE_IDENTITY_PATH);
  assert_shows (fixture);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  app_input_settle ();
  app_input_click_at (plot, 0.5 * gtk_widget_get_width (plot), 0.2 * gtk_widget_get_height (plot));
  place = ns_flow_get_place (normscope_session_get_experiment (fixture->session),
                             normscope_session_get_cursor (fixture->session));
  g_assert_cmpint (ns_marks_find_pin (normscope_session_get_marks (fixture->session), NS_KIND_GRADIENT, &place), ==, 0);
  g_assert_true (app_wait_for (has_three_annotations, plot, TIMEOUT_MS));
  assert_describes (plot, "\nPin at Block ");
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_p);
  g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
  app_input_key (GDK_KEY_Home);
  app_input_key (GDK_KEY_p);
  g_assert_cmpuint (ns_marks_get_n (normscope_session_get_marks (fixture->session), NS_MARKS_PINS), ==, 1);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
  /* The axes of a map have no curves. */
  choose (fixture, NS_FIGURE_SIMILARITY);
  assert_shows (fixture);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  app_input_settle ();
  app_input_click_at (plot, 0.3 * gtk_widget_get_width (plot), 0.5 * gtk_widget_get_height (plot));
  g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
}

/* Pointer and keys move the crosshair of a figure by block, and with it the session's and the wiring's block. */
static guint
count_annotations (Fixture *fixture)
{
  const NsFigure *figure = normscope_plot_get_figure (get_plot (fixture));
  guint n = 0;

  for (guint p = 0; p < figure->panels->len; p++)
    n += ((const NsPanel *) g_ptr_array_index (figure->panels, p))->annotations->len;
  return n;
}

/* N writes at the crosshair: at a block of a curve, and in a cell of a map; undo takes it back. */
static void
test_notes (Fixture *fixture, gconstpointer data)
{
  static const NsFigureKind kinds[] = { NS_FIGURE_IDENTITY_PATH, NS_FIGURE_SIMILARITY, NS_FIGURE_UPDATE };
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));

  set_depth (fixture, 6);
  show_paths (fixture);
  app_input_point_at (GTK_WIDGET (get_bar (fixture)), 2, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const NsNote *note;

      choose (fixture, kinds[i]);
      assert_shows (fixture);
      app_wait_for (is_idle, plot, TIMEOUT_MS);
      gtk_widget_grab_focus (plot);
      app_input_settle ();
      app_input_key (GDK_KEY_End);
      app_input_key (GDK_KEY_Left);
      app_input_key (GDK_KEY_n);
      app_input_settle ();
      app_input_type ("here");
      app_input_key (GDK_KEY_Return);
      app_input_settle ();
      g_assert_cmpuint (ns_marks_get_n (normscope_session_get_marks (fixture->session), NS_MARKS_NOTES), ==, 1);
      note = g_ptr_array_index (normscope_session_get_marks (fixture->session)->notes, 0);
      g_assert_cmpstr (note->text, ==, "here");
      g_assert_cmpint ((note->has_column ? note->column : note->place).block, ==, 5);
      assert_shows (fixture);
      app_wait_for (is_idle, plot, TIMEOUT_MS);
      g_assert_cmpuint (count_annotations (fixture), ==, 1);
      assert_describes (plot, note->has_column ? "\nNote “here” at Block 5, Block 5." : "\nNote “here” at Block 5.");
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
      g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
    }
}

static gboolean
is_menu (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_POPOVER_MENU (widget) && gtk_widget_get_parent (widget) == data;
}

static gboolean
has_open_menu (gpointer plot)
{
  GtkWidget *menu = app_find (plot, is_menu, plot);

  return menu != NULL && gtk_widget_get_mapped (menu);
}

static gboolean
has_no_menu (gpointer plot)
{
  return app_find (plot, is_menu, plot) == NULL;
}

/* Open the menu of a plot, which belongs to the plot and goes with it. */
static void
open_menu (GtkWidget *plot)
{
  g_assert_true (app_wait_for (is_mapped, plot, TIMEOUT_MS));
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  app_input_settle ();
  /* Fast: GTK 4.8 warns of a release that comes after the menu has opened. */
  app_input_point_at (plot, 0.5 * gtk_widget_get_width (plot), 0.2 * gtk_widget_get_height (plot));
  app_input_right_click_fast (plot, 0.5 * gtk_widget_get_width (plot), 0.2 * gtk_widget_get_height (plot));
  g_assert_true (app_wait_for (has_open_menu, plot, TIMEOUT_MS));
  app_input_settle ();
}

static const guint keys[] = { GDK_KEY_1, GDK_KEY_2 };

/* Each of several menus in each of two views: assistive technology asks for the place of each in the window. */
static void
test_menus (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plots[] = { GTK_WIDGET (fixture->plot), GTK_WIDGET (get_plot (fixture)) };

  for (guint i = 0; i < 6; i++)
    {
      GtkWidget *plot = plots[i % 2];

      app_input_control_key (keys[i % 2]);
      open_menu (plot);
      app_input_key (GDK_KEY_Escape);
      g_assert_true (app_wait_for (has_no_menu, plot, TIMEOUT_MS));
      g_assert_true (gtk_window_get_focus (GTK_WINDOW (fixture->window)) == plot);
    }
}

/* A view that is left closes its menu. */
static void
test_menus_left (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plots[] = { GTK_WIDGET (fixture->plot), GTK_WIDGET (get_plot (fixture)) };

  for (guint i = 0; i < G_N_ELEMENTS (plots); i++)
    {
      app_input_control_key (keys[i]);
      open_menu (plots[i]);
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
      g_assert_true (app_wait_for (has_no_menu, plots[i], TIMEOUT_MS));
      app_input_settle ();
    }
}

static void
test_crosshair (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));
  int width, height;
  double first;

  show_paths (fixture);
  choose (fixture, NS_FIGURE_IDENTITY_PATH);
  assert_shows (fixture);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  app_input_settle ();
  width = gtk_widget_get_width (plot);
  height = gtk_widget_get_height (plot);
  app_input_point_at (plot, 0.3 * width, 0.3 * height);
  first = normscope_session_get_cursor (fixture->session);
  g_assert_false (isnan (first));
  app_input_point_at (plot, 0.6 * width, 0.3 * height);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), >, first);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_readout (fixture))));
  /* The keys. */
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_Home);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), <=, 1);
  app_input_keys (GDK_KEY_Right, 3);
  first = normscope_session_get_cursor (fixture->session);
  g_assert_cmpfloat (first, ==, normscope_plot_get_cursor (NORMSCOPE_PLOT (plot)));
  assert_block (fixture, (int) first, 24);
  app_input_key (GDK_KEY_End);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, 24);
  app_input_key (GDK_KEY_Escape);
  g_assert_true (isnan (normscope_session_get_cursor (fixture->session)));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (get_readout (fixture))));
}

/* A figure that is not by block leaves the session's crosshair alone. */
static void
test_other_axis (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));

  set_depth (fixture, 4);
  show_paths (fixture);
  /* Away from the plot, whose crosshair follows the pointer. */
  app_input_point_at (GTK_WIDGET (get_bar (fixture)), 2, 2);
  normscope_session_set_cursor (fixture->session, 2);
  choose (fixture, NS_FIGURE_LENGTHS);
  assert_shows (fixture);
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_Home);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_readout (fixture))));
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, 2);
}

/* In a heat map the row is the session's block; the column is the map's own. */
static void
test_cells (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));
  double row, column;

  set_depth (fixture, 6);
  show_paths (fixture);
  app_input_point_at (GTK_WIDGET (get_bar (fixture)), 2, 2);
  choose (fixture, NS_FIGURE_GAIN);
  assert_shows (fixture);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  gtk_widget_grab_focus (plot);
  app_input_settle ();
  app_input_key (GDK_KEY_End);
  app_input_keys (GDK_KEY_Up, 2);
  row = normscope_session_get_cursor (fixture->session);
  column = normscope_plot_get_cursor (NORMSCOPE_PLOT (plot));
  g_assert_cmpfloat (row, ==, normscope_plot_get_cursor_y (NORMSCOPE_PLOT (plot)));
  g_assert_cmpfloat (column, ==, 6);
  app_input_key (GDK_KEY_Up);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, row + 1);
  assert_block (fixture, (int) row + 1, 6);
  app_input_key (GDK_KEY_Left);
  g_assert_cmpfloat (normscope_plot_get_cursor (NORMSCOPE_PLOT (plot)), ==, column - 1);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, row + 1);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (get_readout (fixture))));
  /* The session's crosshair, as the flow view moves it, moves the row alone. */
  normscope_session_set_cursor (fixture->session, 1);
  g_assert_cmpfloat (normscope_plot_get_cursor_y (NORMSCOPE_PLOT (plot)), ==, 1);
  g_assert_cmpfloat (normscope_plot_get_cursor (NORMSCOPE_PLOT (plot)), ==, column - 1);
  app_input_key (GDK_KEY_Escape);
  g_assert_true (isnan (normscope_session_get_cursor (fixture->session)));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (get_readout (fixture))));
}

/* ---- running ---- */

static void
test_sidebar (Fixture *fixture, gconstpointer data)
{
  set_depth (fixture, 6);
  show_paths (fixture);
  choose (fixture, NS_FIGURE_LENGTHS);
  assert_shows (fixture);
  app_type_number (fixture, "shape.depth", "9");
  fixture->experiment->shape.depth = 9;
  assert_shows (fixture);
  choose (fixture, NS_FIGURE_IDENTITY_PATH);
  assert_shows (fixture);
  app_type_number (fixture, "shape.depth", "3");
  fixture->experiment->shape.depth = 3;
  assert_shows (fixture);
}

/* A hidden view computes nothing; what was missed comes when it is shown again. */
static void
test_hidden (Fixture *fixture, gconstpointer data)
{
  const NsPaths *before;

  set_depth (fixture, 4);
  show_paths (fixture);
  choose (fixture, NS_FIGURE_LENGTHS);
  assert_shows (fixture);
  before = normscope_paths_view_get_paths (get_view (fixture));
  g_assert_nonnull (before);
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_unmapped, get_view (fixture), TIMEOUT_MS));
  set_depth (fixture, 5);
  app_assert_shows (fixture);
  app_draw_frames (18);
  g_assert_true (normscope_paths_view_get_paths (get_view (fixture)) == before);
  g_assert_true (is_idle (get_plot (fixture)));
  show_paths (fixture);
  assert_shows (fixture);
  /* And the flow has the result that this view asked for. */
  set_depth (fixture, 6);
  assert_shows (fixture);
  app_input_control_key (GDK_KEY_1);
  app_assert_shows (fixture);
}

/* A run that takes hours can be cancelled, and the main loop goes on meanwhile. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  GtkWidget *cancel = app_get_child (get_view (fixture), "cancel_button");
  g_autofree char *name = NULL;

  show_paths (fixture);
  choose (fixture, NS_FIGURE_LENGTHS);
  app_watchdog_start ();
  app_watchdog_name ("a deep stack");
  set_depth (fixture, 2000);
  g_assert_true (app_wait_for (is_mapped, cancel, TIMEOUT_MS));
  g_assert_true (app_input_click_until (cancel, is_idle, get_plot (fixture)));
  g_assert_true (app_wait_for (is_unmapped, cancel, TIMEOUT_MS));
  g_assert_cmpfloat (app_watchdog_take_longest (&name), <, APP_WATCHDOG_LIMIT_MS);
  app_watchdog_stop ();
  /* Another change runs again. */
  set_depth (fixture, 3);
  assert_shows (fixture);
}

static gboolean
is_complete (gpointer view)
{
  const NsPaths *paths = normscope_paths_view_get_paths (view);

  return paths != NULL && ns_paths_is_complete (paths);
}

/* No figure is made on the main thread, on which this test runs. */
static void
test_background (Fixture *fixture, gconstpointer data)
{
  set_depth (fixture, 4);
  show_paths (fixture);
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    if (ns_view_offers (NS_VIEW_PATHS, figure))
      {
        const NormscopePicture *shown;

        choose (fixture, figure);
        assert_shows (fixture);
        shown = normscope_paths_view_get_shown (get_view (fixture));
        g_assert_cmpint (shown->kind, ==, figure);
        g_assert_true (shown->made_by != NULL && shown->made_by != g_thread_self ());
      }
}

/* While a figure is made, the former one is on the screen: the view is busy, and says so if that is given up. The
 * newest of several figures is shown. */
static void
test_former_figure (Fixture *fixture, gconstpointer data)
{
  NormscopePlot *plot = get_plot (fixture);
  GtkLabel *status = app_get_child (get_view (fixture), "status_label");
  const NsFigure *former;
  NsViewChoice choice;

  set_depth (fixture, 4);
  show_paths (fixture);
  choose (fixture, NS_FIGURE_SIMILARITY);
  assert_shows (fixture);
  g_assert_true (app_wait_for (is_idle, plot, TIMEOUT_MS));
  g_assert_null (strstr (gtk_label_get_label (status), "⚠"));
  former = normscope_plot_get_figure (plot);
  choice = *get_choice (fixture);
  choice.options.paths.similarity = NS_SIMILARITY_GRAD;
  normscope_session_set_paths (fixture->session, &choice);
  g_assert_true (normscope_plot_get_figure (plot) == former);
  g_assert_false (is_idle (plot));
  g_signal_emit_by_name (app_get_child (get_view (fixture), "cancel_button"), "clicked");
  g_assert_true (is_idle (plot));
  app_settle ();
  g_assert_true (normscope_plot_get_figure (plot) == former);
  g_assert_nonnull (strstr (gtk_label_get_label (status), "⚠"));
  choice.options.paths.similarity = NS_SIMILARITY_X;
  normscope_session_set_paths (fixture->session, &choice);
  choice.options.paths.similarity = NS_SIMILARITY_GRAD;
  normscope_session_set_paths (fixture->session, &choice);
  assert_shows (fixture);
  g_assert_true (app_wait_for (is_idle, plot, TIMEOUT_MS));
  g_assert_null (strstr (gtk_label_get_label (status), "⚠"));
}

/* The main loop goes on while a large map is made, drawn and read. */
static void
test_deep (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (get_plot (fixture));
  g_autofree char *name = NULL;
  double longest;

  normscope_session_set_int (fixture->session, ns_param_find ("sampling.seeds"), 2, NULL);
  set_depth (fixture, 400);
  choose (fixture, NS_FIGURE_SIMILARITY);
  app_watchdog_start ();
  app_watchdog_name ("a map of 401 × 401 blocks");
  show_paths (fixture);
  g_assert_true (app_wait_for (is_complete, get_view (fixture), TIMEOUT_MS));
  for (int i = 1; i < 6; i++)
    app_input_point_at (plot, i * 0.08 * gtk_widget_get_width (plot), 0.5 * gtk_widget_get_height (plot));
  longest = app_watchdog_take_longest (&name);
  g_test_message ("%.0f ms", longest);
  g_assert_cmpfloat (longest, <, APP_WATCHDOG_LIMIT_MS);
  app_watchdog_stop ();
}

static gboolean
has_paths (gpointer view)
{
  return normscope_paths_view_get_paths (view) != NULL;
}

/* A map is on the screen while it fills; what is computed stays when the run is cancelled or hidden, and it goes on
 * from there. */
static void
test_fills (Fixture *fixture, gconstpointer data)
{
  GtkWidget *cancel = app_get_child (get_view (fixture), "cancel_button");
  NsViewChoice choice = *get_choice (fixture);
  const NsPaths *paths;

  set_depth (fixture, 64);
  choice.figure = NS_FIGURE_GAIN;
  choice.options.paths.n_probes = NS_PATHS_MAX_PROBES;
  normscope_session_set_paths (fixture->session, &choice);
  show_paths (fixture);
  g_assert_true (app_wait_for (has_paths, get_view (fixture), TIMEOUT_MS));
  paths = normscope_paths_view_get_paths (get_view (fixture));
  g_assert_false (ns_paths_is_complete (paths));
  g_assert_nonnull (normscope_plot_get_figure (get_plot (fixture))->colors);
  g_assert_true (app_wait_for (is_mapped, cancel, TIMEOUT_MS));
  g_assert_true (app_input_click_until (cancel, is_idle, get_plot (fixture)));
  app_draw_frames (12);
  g_assert_true (normscope_paths_view_get_paths (get_view (fixture)) == paths);
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_unmapped, get_view (fixture), TIMEOUT_MS));
  show_paths (fixture);
  g_assert_true (app_wait_for (is_mapped, cancel, TIMEOUT_MS));
  g_assert_true (normscope_paths_view_get_paths (get_view (fixture)) == paths);
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_idle, get_plot (fixture), TIMEOUT_MS));
}

/* ---- errors ---- */

/* An experiment that cannot run is explained over the figure; the button restores the one of the figure. */
static void
test_invalid (Fixture *fixture, gconstpointer data)
{
  GtkWidget *button;

  set_depth (fixture, 4);
  show_paths (fixture);
  assert_shows (fixture);
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.heads"), 5, NULL));
  button = app_wait_for_text (GTK_WIDGET (get_view (fixture)), "Restore Settings");
  g_assert_true (app_input_click_until (button, is_unmapped, button));
  assert_shows (fixture);
}

/* Without any figure yet, the page says why. */
static void
test_invalid_at_first (Fixture *fixture, gconstpointer data)
{
  choose (fixture, NS_FIGURE_LENGTHS);
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.heads"), 5, NULL));
  show_paths (fixture);
  app_wait_for_text (GTK_WIDGET (get_view (fixture)), "This Figure Cannot Be Computed");
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.heads"),
                                            fixture->experiment->shape.heads, NULL));
  assert_shows (fixture);
}

void
add_paths_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/paths/experts-listed", test_experts_listed);
  app_test_add ("/paths/figures", test_figures);
  app_test_add ("/paths/options", test_options);
  app_test_add ("/paths/learning-rate", test_learning_rate);
  app_test_add ("/paths/axes", test_axes);
  app_test_add ("/paths/undo", test_undo);
  app_test_add ("/paths/crosshair", test_crosshair);
  app_test_add ("/paths/pins", test_pins);
  app_test_add ("/paths/notes", test_notes);
  app_test_add ("/paths/menus", test_menus);
  app_test_add ("/paths/menus-left", test_menus_left);
  app_test_add ("/paths/other-axis", test_other_axis);
  app_test_add ("/paths/cells", test_cells);
  app_test_add ("/paths/sidebar", test_sidebar);
  app_test_add ("/paths/hidden", test_hidden);
  app_test_add ("/paths/cancel", test_cancel);
  app_test_add ("/paths/background", test_background);
  app_test_add ("/paths/former-figure", test_former_figure);
  app_test_add ("/paths/deep", test_deep);
  app_test_add ("/paths/fills", test_fills);
  app_test_add ("/paths/invalid", test_invalid);
  app_test_add ("/paths/invalid-at-first", test_invalid_at_first);
}
