/* Import of a model's config.json in the real window: assumptions, sizes, unsaved changes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <string.h>

#include "app-fixture.h"
#include "app/dialogs/normscope-import-dialog.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"

#define SMALL                                                                                                         \
  "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 16, \"n_head\": 2, \"vocab_size\": 20, "                    \
  "\"n_positions\": 4, \"attn_pdrop\": 0.1, \"_name_or_path\": \"me/mine\"}"
#define WIDE                                                                                                          \
  "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 256, \"n_head\": 4, \"vocab_size\": 20, \"n_positions\": 4}"
#define HUGE                                                                                                          \
  "{\"model_type\": \"gpt2\", \"n_layer\": 60000, \"n_embd\": 65536, \"n_head\": 4096, \"vocab_size\": 1000000, "     \
  "\"n_positions\": 4}"

static char *folder;

static const char *
get_title (Fixture *fixture)
{
  return gtk_window_get_title (GTK_WINDOW (fixture->window));
}

static void
open_config (Fixture *fixture, const char *text)
{
  g_autoptr (GFile) file = g_file_new_build_filename (folder, "config.json", NULL);

  g_assert_true (g_file_set_contents (g_file_peek_path (file), text, -1, NULL));
  normscope_window_open (fixture->window, file);
}

static GtkWidget *
wait_for_dialog (void)
{
  return app_wait_for_dialog (NORMSCOPE_TYPE_IMPORT_DIALOG);
}

static gboolean
is_away (gpointer data)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (NORMSCOPE_IS_IMPORT_DIALOG (window))
        return FALSE;
    }
  return TRUE;
}

static void
click (GtkWidget *dialog, const char *button)
{
  GtkWidget *found = app_find_text (dialog, button);

  g_assert_true (GTK_IS_BUTTON (found));
  g_signal_emit_by_name (found, "clicked");
  g_assert_true (app_wait_for (is_away, NULL, TIMEOUT_MS));
  app_iterate (100);
}

static gboolean
label_has (GtkWidget *widget, gconstpointer text)
{
  return GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL;
}

typedef struct
{
  GtkWidget *dialog;
  const char *text;
} Search;

static gboolean
is_shown (gpointer data)
{
  Search *search = data;

  return app_find (search->dialog, label_has, search->text) != NULL;
}

static gboolean
wait_until_shown (GtkWidget *dialog, const char *text)
{
  Search search = { dialog, text };

  return app_wait_for (is_shown, &search, TIMEOUT_MS);
}

static gboolean
row_is (GtkWidget *widget, gconstpointer title)
{
  return ADW_IS_ACTION_ROW (widget)
         && strcmp (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title) == 0;
}

static NsExperiment *
import (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, "config.json", NULL);

  return g_steal_pointer (&import->experiment);
}

/* Fail unless the window shows the experiment and the title. */
static void
assert_opened (Fixture *fixture, const NsExperiment *experiment, const char *title)
{
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), experiment));
  g_assert_cmpstr (get_title (fixture), ==, title);
}

static void
test_small (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) expected = import (SMALL);
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  GtkWidget *dialog;

  /* Cancelling changes nothing. */
  open_config (fixture, SMALL);
  click (wait_for_dialog (), "_Cancel");
  assert_opened (fixture, before, "• New experiment — Normscope");

  open_config (fixture, SMALL);
  dialog = wait_for_dialog ();
  g_assert_nonnull (app_find (dialog, label_has, "config.json describes a model of the GPT-2 family"));
  g_assert_nonnull (app_find (dialog, label_has, "attn_pdrop"));
  g_assert_nonnull (app_find (dialog, label_has, "initializer_range = 0.02"));
  g_assert_false (gtk_widget_get_visible (app_find (dialog, row_is, "Scaled down")));
  g_assert_true (wait_until_shown (dialog, "on this machine"));
  click (dialog, "_Open");
  app_answer_question ("_Discard");
  assert_opened (fixture, expected, "mine — Normscope");
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (expected);
  app_assert_shows (fixture);
}

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) full = import (WIDE);
  g_autoptr (NsExperiment) scaled = ns_experiment_scale_down (full, NS_SCALED_D_MODEL);
  GtkWidget *dialog;

  g_assert_false (ns_experiment_equal (full, scaled));
  open_config (fixture, WIDE);
  dialog = wait_for_dialog ();
  g_assert_true (wait_until_shown (dialog, "model width 256"));
  click (dialog, "_Open");
  app_answer_question ("_Discard");
  assert_opened (fixture, scaled, "GPT-2, scaled down — Normscope");

  open_config (fixture, WIDE);
  dialog = wait_for_dialog ();
  adw_action_row_activate (ADW_ACTION_ROW (app_find (dialog, row_is, "Full size")));
  click (dialog, "_Open");
  assert_opened (fixture, full, "GPT-2 — Normscope");
}

/* A size that does not fit into memory cannot be chosen. */
static void
test_huge (Fixture *fixture, gconstpointer data)
{
  GtkWidget *dialog, *row;

  open_config (fixture, HUGE);
  dialog = wait_for_dialog ();
  row = app_find (dialog, row_is, "Full size");
  adw_action_row_activate (ADW_ACTION_ROW (row));
  g_assert_true (wait_until_shown (dialog, "does not fit"));
  g_assert_false (gtk_widget_get_sensitive (row));
  click (dialog, "_Open");
  app_answer_question ("_Discard");
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.d_model, <=, NS_SCALED_D_MODEL);
}

/* Importing asks about unsaved changes, and a refused config changes nothing. */
static void
test_nothing_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) expected = import (SMALL);

  app_move_slider (fixture, "shape.depth", 12);
  fixture->experiment->shape.depth = 12;
  open_config (fixture, "{\"model_type\": \"palm\"}");
  g_assert_true (app_wait_for_toast (fixture, "“palm”"));
  open_config (fixture,
               "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 16, \"n_head\": 3, \"vocab_size\": 20}");
  g_assert_true (app_wait_for_toast (fixture, "n_head: 3"));
  g_assert_true (is_away (NULL));
  assert_opened (fixture, fixture->experiment, "• New experiment — Normscope");

  open_config (fixture, SMALL);
  click (wait_for_dialog (), "_Open");
  app_answer_question ("_Cancel");
  assert_opened (fixture, fixture->experiment, "• New experiment — Normscope");
  open_config (fixture, SMALL);
  click (wait_for_dialog (), "_Open");
  app_answer_question ("_Discard");
  assert_opened (fixture, expected, "mine — Normscope");
}

int
main (int argc, char **argv)
{
  int status;

  if (!app_test_init (&argc, &argv))
    return 0;
  folder = g_dir_make_tmp ("normscope-import-XXXXXX", NULL);
  g_assert_nonnull (folder);
  app_test_add ("/import/small", test_small);
  app_test_add ("/import/sizes", test_sizes);
  app_test_add ("/import/huge", test_huge);
  app_test_add ("/import/nothing-lost", test_nothing_lost);
  status = app_test_run ();
  ns_file_remove_tree (folder);
  g_free (folder);
  return status;
}
