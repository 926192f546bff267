/* The catalog in the real window: time and memory estimates, opening, keyboard.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include <string.h>

#include "app-dialogs.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-variants.h"

/* ---- time and memory ---- */

typedef struct
{
  GtkWidget *details;
  const char *label;
} Measured;

static gboolean
is_measured (gpointer data)
{
  const Measured *measured = data;

  return strstr (catalog_get_label (measured->details, measured->label), "on this machine") != NULL;
}

/* Estimates run in the background for the last selection and end with the catalog. */
static void
test_measuring (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets"), *details = app_get_child (catalog, "preset_details");
  Measured scaled = { details, "scaled_label" }, full = { details, "full_label" };

  catalog_search (catalog, "gpt");
  catalog_select_row (catalog, "preset_list", "GPT-3 175B"); /* does not fit into memory */
  catalog_select_row (catalog, "preset_list", "GPT-2 small");
  g_assert_cmpstr (catalog_get_label (details, "scaled_label"), ==, "Measuring time and memory…");
  g_assert_cmpstr (catalog_get_label (details, "full_label"), ==, "Measuring time and memory…");
  g_assert_true (app_wait_for (is_measured, &scaled, TIMEOUT_MS));
  g_assert_nonnull (strstr (catalog_get_label (details, "scaled_label"), "768 → 128"));
  g_assert_true (app_wait_for (is_measured, &full, TIMEOUT_MS));
  g_assert_null (strstr (catalog_get_label (details, "full_label"), "not fit"));

  /* The estimate of a row that is no longer selected is dropped. */
  catalog_select_row (catalog, "preset_list", "GPT-2 medium");
  catalog_search (catalog, "no such thing");
  app_iterate (2500); /* as long as it would take to arrive */
  g_assert_false (is_measured (&full));
  catalog_search (catalog, "gpt");
  catalog_select_row (catalog, "preset_list", "GPT-2 XL");
  catalog_close (catalog);
  /* app_test_run() asserts that its thread ends. */
}

/* ---- opening ---- */

static void
click (GtkWidget *details, const char *button)
{
  GtkWidget *widget = app_get_child (details, button);

  g_assert_true (gtk_widget_get_mapped (widget) && gtk_widget_get_sensitive (widget));
  g_signal_emit_by_name (widget, "clicked");
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
}

static void
assert_is (Fixture *fixture, const NsExperiment *experiment)
{
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), experiment));
}

static void
assert_title (Fixture *fixture, const char *title)
{
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, title);
}

static void
open_wide (Fixture *fixture, const char *button)
{
  GtkWidget *catalog = catalog_open (fixture, "presets");

  catalog_search (catalog, "my wide");
  click (app_get_child (catalog, "preset_details"), button);
}

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) full = ns_preset_load ("wide", NULL);
  g_autoptr (NsExperiment) scaled = ns_experiment_scale_down (full, NS_SCALED_D_MODEL);
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  g_autoptr (NsExperiment) tiny = ns_preset_load ("tiny", NULL);
  GtkWidget *catalog, *details;

  g_assert_cmpint (scaled->shape.depth, ==, full->shape.depth);
  g_assert_cmpint (scaled->shape.d_model, ==, NS_SCALED_D_MODEL);
  open_wide (fixture, "scaled_button");
  app_answer_question ("_Discard");
  assert_is (fixture, scaled);
  assert_title (fixture, "My wide one, scaled down — Normscope");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  assert_is (fixture, before);
  open_wide (fixture, "full_button");
  app_answer_question ("_Discard");
  assert_is (fixture, full);
  assert_title (fixture, "My wide one — Normscope");

  catalog = catalog_open (fixture, "presets");
  details = app_get_child (catalog, "preset_details");
  catalog_select_row (catalog, "preset_list", "Tiny");
  g_assert_false (gtk_widget_get_mapped (app_get_child (details, "scaled_box")));
  g_assert_cmpstr (gtk_button_get_label (app_get_child (details, "full_button")), ==, "_Open");
  click (details, "full_button");
  assert_is (fixture, tiny);
}

/* Opening asks about unsaved changes to a file. */
static void
test_question (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) scaled = NULL, changed = NULL;
  g_autoptr (NsExperiment) full = ns_preset_load ("wide", NULL);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "mine.normscope", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  scaled = ns_experiment_scale_down (full, NS_SCALED_D_MODEL);
  g_assert_true (normscope_files_save_to (normscope_window_get_files (fixture->window), file, NULL));
  app_move_slider (fixture, "shape.depth", 12);
  changed = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  g_assert_cmpint (changed->shape.depth, ==, 12);
  open_wide (fixture, "scaled_button");
  app_answer_question ("_Cancel");
  assert_is (fixture, changed);
  open_wide (fixture, "scaled_button");
  app_answer_question ("_Discard");
  assert_is (fixture, scaled);
}

static void
test_add (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsVariant) deepnorm = ns_variant_from_text ("deepnorm", NULL);
  GtkWidget *catalog = catalog_open (fixture, "variants");
  const NsExperiment *experiment;

  catalog_select_row (catalog, "variant_list", "DeepNorm");
  click (app_get_child (catalog, "variant_details"), "full_button");
  experiment = normscope_session_get_experiment (fixture->session);
  g_assert_cmpuint (experiment->variants->len, ==, 3);
  g_assert_true (g_str_equal (ns_experiment_variant (experiment, 2)->name, deepnorm->name));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpuint (normscope_session_get_n_variants (fixture->session), ==, 2);

  while (normscope_session_get_n_variants (fixture->session) < NS_MAX_VARIANTS)
    g_assert_true (normscope_session_duplicate_variant (fixture->session, 0, NULL));
  catalog = catalog_open (fixture, "variants");
  catalog_select_row (catalog, "variant_list", "DeepNorm");
  click (app_get_child (catalog, "variant_details"), "full_button");
  g_assert_true (app_wait_for_toast (fixture, "16 variants"));
  g_assert_cmpuint (normscope_session_get_n_variants (fixture->session), ==, NS_MAX_VARIANTS);
}

/* ---- keyboard ---- */

/* Press Tab until `wanted` has the focus. Return FALSE if it is never reached. */
static gboolean
tab_to (GtkWidget *catalog, GtkWidget *wanted)
{
  for (int i = 0; i < 40; i++)
    {
      GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (catalog));

      if (focus != NULL && (focus == wanted || gtk_widget_is_ancestor (focus, wanted)))
        return TRUE;
      if (!gtk_widget_child_focus (catalog, GTK_DIR_TAB_FORWARD))
        return FALSE;
    }
  return FALSE;
}

/* Activate a shortcut of the widget's class. */
static gboolean
press_shortcut (GtkWidget *widget, guint key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  g_autoptr (GtkShortcutTrigger) wanted = gtk_keyval_trigger_new (key, 0);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint j = 0; j < g_list_model_get_n_items (G_LIST_MODEL (controller)); j++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), j);

          if (gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), wanted))
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                 gtk_shortcut_get_arguments (shortcut));
        }
    }
  return FALSE;
}

static void
test_keyboard (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) accels = gtk_application_get_accels_for_action (app_test_get_application (), "win.catalog::presets");
  g_autoptr (NsExperiment) full = ns_preset_load ("wide", NULL);
  g_autoptr (NsExperiment) scaled = ns_experiment_scale_down (full, NS_SCALED_D_MODEL);
  GtkWidget *catalog = catalog_open (fixture, "presets"), *details = app_get_child (catalog, "preset_details");
  GtkWidget *entry = app_get_child (catalog, "search");
  GtkListBox *list = app_get_child (catalog, "preset_list");

  g_assert_cmpstr (accels[0], ==, "<Shift><Control>o");
  /* The search has the focus; Enter opens the first result, scaled down if it can be. */
  g_assert_true (tab_to (catalog, entry));
  gtk_editable_set_text (GTK_EDITABLE (entry), "my wide");
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
  app_answer_question ("_Discard");
  assert_is (fixture, scaled);

  /* Tab goes from the search to the list and the buttons. */
  catalog = catalog_open (fixture, "presets");
  details = app_get_child (catalog, "preset_details");
  list = app_get_child (catalog, "preset_list");
  entry = app_get_child (catalog, "search");
  catalog_search (catalog, "wide");
  gtk_widget_grab_focus (entry);
  g_assert_true (tab_to (catalog, GTK_WIDGET (list)));
  g_assert_true (tab_to (catalog, app_get_child (details, "scaled_button")));
  g_assert_true (tab_to (catalog, app_get_child (details, "full_button")));

  /* Escape clears the search, then closes. */
  g_signal_emit_by_name (entry, "stop-search");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  g_assert_false (catalog_is_closed (NULL));
  g_signal_emit_by_name (entry, "stop-search");
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));

  catalog = catalog_open (fixture, "models");
  g_assert_true (press_shortcut (catalog, GDK_KEY_Escape));
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
}

void
add_catalog_open_tests (void)
{
  app_test_prepare (catalog_prepare);
  app_test_add ("/catalog-open/measuring", test_measuring);
  app_test_add ("/catalog-open/sizes", test_sizes);
  app_test_add ("/catalog-open/question", test_question);
  app_test_add ("/catalog-open/add", test_add);
  app_test_add ("/catalog-open/keyboard", test_keyboard);
}
