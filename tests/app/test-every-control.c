/* Use the controls of the real window with pointer and keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <stdio.h>

#include "app-dialogs.h"
#include "app-input.h"
#include "app-walker.h"
#include "app-watchdog.h"
#include "app/dialogs/normscope-import-dialog.h"
#include "app/flow/normscope-flow-view.h"
#include "app/help/normscope-help.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter.h"
#include "app/paths/normscope-paths-view.h"
#include "app/scaling/normscope-scaling-view.h"
#include "app/sidebar/normscope-display-group.h"
#include "app/sidebar/normscope-sidebar.h"
#include "app/training/normscope-training-survey.h"
#include "app/training/normscope-training-view.h"
#include "engine/experiment/ns-experiment.h"

/* Discard the time that the window took to appear. */
static void
watch (const char *name)
{
  g_autofree char *former = NULL;

  app_input_settle ();
  app_watchdog_take_longest (&former);
  app_watchdog_name (name);
}

static void
assert_answers (void)
{
  g_autofree char *name = NULL;
  double ms = app_watchdog_take_longest (&name);

  g_test_message ("longest gap of the main loop: %.0f ms", ms);
  if (ms > APP_WATCHDOG_LIMIT_MS)
    g_error ("%s: the main loop did not answer for %.0f ms, %d are allowed", name, ms, APP_WATCHDOG_LIMIT_MS);
}

/* Keys reach the list only when the focus has moved into it. */
static gboolean
is_open (gpointer chooser)
{
  GtkWidget *popover = app_find_type (chooser, GTK_TYPE_POPOVER);
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (chooser));

  return popover != NULL && gtk_widget_get_mapped (popover) && focus != NULL
         && gtk_widget_is_ancestor (focus, popover);
}

static gboolean
is_closed (gpointer chooser)
{
  GtkWidget *popover = app_find_type (chooser, GTK_TYPE_POPOVER);

  return popover == NULL || !gtk_widget_get_mapped (popover);
}

/* Setting a chooser to another value in its own "notify" handler restarts the emission, so its handlers see the change
 * only after the outer emission has ended. A click shows this, a setter does not. */
static void
test_text_size (Fixture *fixture, gconstpointer data)
{
  static const double scales[] = { 1.0, 1.5, 2.0 };
  static const guint order[] = { 1, 2, 1, 0, 2, 0 };
  GtkWidget *group = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_DISPLAY_GROUP);
  GtkWidget *chooser = app_get_child (group, "text_scale"), *button = app_get_child (fixture->window, "view_button");

  watch ("Text size");
  g_assert_true (app_input_click_until (button, is_open, button));
  app_settle ();
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_assert_true (app_input_click_until (chooser, is_open, chooser));
      app_input_key (GDK_KEY_Home);
      app_input_keys (GDK_KEY_Down, order[i]);
      app_input_key (GDK_KEY_Return);
      g_assert_true (app_wait_for (is_closed, chooser, TIMEOUT_MS));
      g_assert_cmpfloat (normscope_session_get_view (fixture->session)->text_scale, ==, scales[order[i]]);
      g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (chooser)), ==, order[i]);
    }
  assert_answers ();
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_closed, button, TIMEOUT_MS));
}

/* ---- every control ---- */

static void
expand_all (GtkWidget *root)
{
  if (ADW_IS_EXPANDER_ROW (root))
    adw_expander_row_set_expanded (ADW_EXPANDER_ROW (root), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    expand_all (child);
}

typedef struct
{
  Fixture *fixture;
  GType type;
} Part;

/* The menu has items that hide the bars of the window. */
static void
end_presentation (GtkWidget *window)
{
  if (normscope_presenter_get_presenting (app_get_child (window, "presenter")))
    app_input_key (GDK_KEY_Escape);
}

/* Return a part of the window with the flow view in it. */
static GtkWidget *
show_flow (gpointer data)
{
  Part *part = data;
  GtkWidget *window = GTK_WIDGET (part->fixture->window);

  end_presentation (window);
  gtk_widget_activate_action (window, "win.show-view", "s", "flow");
  expand_all (window);
  app_settle ();
  return app_find_type (window, part->type);
}

static void
test_header (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, ADW_TYPE_HEADER_BAR };

  g_test_message ("%u controls", app_walk (show_flow, &part));
}

static void
test_sidebar (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_SIDEBAR };

  g_test_message ("%u controls", app_walk (show_flow, &part));
}

static void
test_flow (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_FLOW_VIEW };

  g_test_message ("%u controls", app_walk (show_flow, &part));
}

static GtkWidget *
show_scaling (gpointer data)
{
  Part *part = data;
  GtkWidget *window = GTK_WIDGET (part->fixture->window);

  gtk_widget_activate_action (window, "win.show-view", "s", "scaling");
  app_settle ();
  return app_find_type (window, part->type);
}

static GtkWidget *
show_paths (gpointer data)
{
  Part *part = data;
  GtkWidget *window = GTK_WIDGET (part->fixture->window);

  gtk_widget_activate_action (window, "win.show-view", "s", "paths");
  app_settle ();
  return app_find_type (window, part->type);
}

/* Each figure has controls of its own. */
static void
test_paths (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_PATHS_VIEW };

  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    {
      NsViewChoice choice = *normscope_session_get_paths (fixture->session);

      if (!ns_view_offers (NS_VIEW_PATHS, figure))
        continue;
      choice.figure = figure;
      normscope_session_set_paths (fixture->session, &choice);
      g_test_message ("%s: %u controls", ns_figure_info (figure)->id, app_walk (show_paths, &part));
    }
}

static GtkWidget *
show_training (gpointer data)
{
  Part *part = data;
  GtkWidget *window = GTK_WIDGET (part->fixture->window);

  gtk_widget_activate_action (window, "win.show-view", "s", "training");
  app_settle ();
  return app_find_type (window, part->type);
}

static gboolean
has_trained (gpointer view)
{
  NsTraining *training = normscope_training_page_get_training (normscope_training_view_get_page (view));

  return training != NULL && ns_training_is_finished (training, 0, 0);
}

/* Show an experiment that trains in a moment. */
static void
take_trainable (Fixture *fixture, gint64 seed)
{
  NsExperiment *experiment = ns_experiment_copy (fixture->experiment);

  experiment->data.source = NS_SOURCE_TOKENS;
  experiment->shape.depth = experiment->sampling.seeds = 1;
  experiment->sampling.seed = seed;
  experiment->training.steps = 3;
  normscope_session_take_experiment (fixture->session, experiment);
}

/* Before a training and after it. Using the controls may begin one, pause it, or show another figure. */
static void
test_training (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_TRAINING_VIEW };
  NsViewChoice choice = *normscope_session_get_training (fixture->session);

  take_trainable (fixture, 0);
  g_test_message ("before: %u controls", app_walk (show_training, &part));
  normscope_session_set_training (fixture->session, &choice);
  take_trainable (fixture, 1);
  normscope_training_page_toggle (normscope_training_view_get_page (NORMSCOPE_TRAINING_VIEW (show_training (&part))));
  g_assert_true (app_wait_for (has_trained, show_training (&part), TIMEOUT_MS));
  g_test_message ("after: %u controls", app_walk (show_training, &part));
}

static gboolean
is_surveyed (gpointer page)
{
  GtkWidget *button = app_get_child (page, "train_button");

  return gtk_widget_get_visible (app_get_child (page, "controls"))
         && g_str_equal (gtk_button_get_label (GTK_BUTTON (button)), "Train");
}

/* The figures of many short trainings, before these and after them. */
static void
test_surveys (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_TRAINING_VIEW };
  NormscopeTrainingView *view
      = NORMSCOPE_TRAINING_VIEW (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_TRAINING_VIEW));

  take_trainable (fixture, 0);
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    {
      NormscopeTrainingPage *page = normscope_training_view_find_page (view, figure);
      NsViewChoice choice = *normscope_session_get_training (fixture->session);

      if (!NORMSCOPE_IS_TRAINING_SURVEY (page))
        continue;
      choice.figure = figure;
      normscope_session_set_training (fixture->session, &choice);
      g_test_message ("%s before: %u controls", ns_figure_info (figure)->id, app_walk (show_training, &part));
      choice.figure = figure;
      normscope_session_set_training (fixture->session, &choice);
      show_training (&part);
      if (!is_surveyed (page))
        normscope_training_page_toggle (page);
      g_assert_true (app_wait_for (is_surveyed, page, TIMEOUT_MS));
      g_test_message ("%s after: %u controls", ns_figure_info (figure)->id, app_walk (show_training, &part));
    }
}

/* The controls on the card of a presentation. */
static GtkWidget *
show_palette (gpointer data)
{
  Fixture *fixture = data;
  GtkWidget *palette;

  if (!normscope_presenter_get_presenting (app_get_child (fixture->window, "presenter")))
    app_activate (fixture, "win.fullscreen");
  palette = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_PALETTE);
  gtk_widget_set_visible (palette, TRUE);
  app_settle ();
  return palette;
}

static void
test_present (Fixture *fixture, gconstpointer data)
{
  guint n = app_walk (show_palette, fixture);

  g_test_message ("%u controls", n);
  g_assert_cmpuint (n, >=, 6);
  end_presentation (GTK_WIDGET (fixture->window));
}

/* The claims' cards are on this page, too. */
static void
test_scaling (Fixture *fixture, gconstpointer data)
{
  Part part = { fixture, NORMSCOPE_TYPE_SCALING_VIEW };

  g_test_message ("%u controls", app_walk (show_scaling, &part));
}

typedef struct
{
  Fixture *fixture;
  const char *action, *target;
} Opening;

static GtkWidget *
open_dialog (gpointer data)
{
  Opening *opening = data;
  GtkWindow *parent = GTK_WINDOW (opening->fixture->window);
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  GtkWidget *dialog = NULL;

  app_wait_for_idle_plot (opening->fixture);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (parent), opening->action, opening->target != NULL ? "s" : NULL,
                                             opening->target));
  app_iterate (300);
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (gtk_window_get_transient_for (GTK_WINDOW (window)) == parent && gtk_widget_get_mapped (window))
        dialog = window;
    }
  g_assert_nonnull (dialog);
  return dialog;
}

/* Each window that an action opens. */
static void
test_dialogs (Fixture *fixture, gconstpointer data)
{
  static const char *const dialogs[][2] = {
    { "win.export", NULL },  { "win.export-data", NULL },       { "win.export-script", NULL },
    { "win.verify", NULL },  { "win.catalog", "presets" },      { "win.catalog", "variants" },
    { "app.about", NULL },   { "win.preferences", NULL },       { "win.show-help-overlay", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (dialogs); i++)
    {
      Opening opening = { fixture, dialogs[i][0], dialogs[i][1] };
      guint n = app_walk (open_dialog, &opening);

      g_test_message ("%s: %u controls", opening.action, n);
      g_assert_cmpuint (n, >, 0);
      for (int tries = 0; tries < 10 && !gtk_window_is_active (GTK_WINDOW (fixture->window)); tries++)
        app_input_key (GDK_KEY_Escape);
    }
}

static GtkWidget *
show_help (gpointer data)
{
  Fixture *fixture = data;
  GtkWidget *window = GTK_WIDGET (fixture->window), *help;

  gtk_widget_activate_action (window, "win.help-page", "s", "first-steps");
  app_settle ();
  help = app_find_type (window, NORMSCOPE_TYPE_HELP);
  g_assert_true (help != NULL && gtk_widget_get_mapped (help));
  return help;
}

static void
test_help (Fixture *fixture, gconstpointer data)
{
  guint n = app_walk (show_help, fixture);

  g_test_message ("%u controls", n);
  g_assert_cmpuint (n, >, 2);
}

static GtkWidget *
open_import (gpointer data)
{
  static const char config[] = "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 256, \"n_head\": 4, "
                               "\"vocab_size\": 20, \"n_positions\": 4}";
  Fixture *fixture = data;
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "every-control-config.json", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GtkWidget *dialog;

  app_wait_for_idle_plot (fixture);
  g_assert_true (g_file_set_contents (path, config, -1, NULL));
  normscope_window_open (fixture->window, file);
  dialog = app_wait_for_dialog (NORMSCOPE_TYPE_IMPORT_DIALOG);
  app_settle ();
  return dialog;
}

static void
test_import (Fixture *fixture, gconstpointer data)
{
  guint n = app_walk (open_import, fixture);

  g_test_message ("%u controls", n);
  g_assert_cmpuint (n, >, 0);
}

static const char *
prepare (void)
{
  const char *why_not = app_input_prepare ();

  app_watchdog_start ();
  atexit (app_watchdog_stop);
  return why_not;
}

void
add_every_control_tests (void)
{
  app_test_prepare (prepare);
  app_test_add ("/every-control/text-size", test_text_size);
  app_test_add ("/every-control/header", test_header);
  app_test_add ("/every-control/sidebar", test_sidebar);
  app_test_add ("/every-control/flow", test_flow);
  app_test_add ("/every-control/paths", test_paths);
  app_test_add ("/every-control/scaling", test_scaling);
  app_test_add ("/every-control/training", test_training);
  app_test_add ("/every-control/surveys", test_surveys);
  app_test_add ("/every-control/present", test_present);
  app_test_add ("/every-control/help", test_help);
  app_test_add ("/every-control/dialogs", test_dialogs);
  app_test_add ("/every-control/import", test_import);
}
