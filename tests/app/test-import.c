/* Import of a model's config.json in the real window: assumptions, sizes, unsaved changes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-files.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "app-widgets.h"
#include "app/dialogs/normscope-import-dialog.h"
#include "app/training/normscope-training-view.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-scale-down.h"
#include "import/ns-experiment-open.h"

#define SMALL                                                                                                         \
  "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 16, \"n_head\": 2, \"vocab_size\": 20, "                    \
  "\"n_positions\": 4, \"attn_pdrop\": 0.1, \"_name_or_path\": \"me/mine\"}"
#define WIDE                                                                                                          \
  "{\"model_type\": \"gpt2\", \"n_layer\": 2, \"n_embd\": 256, \"n_head\": 4, \"vocab_size\": 20, \"n_positions\": 4}"
#define HUGE                                                                                                          \
  "{\"model_type\": \"gpt2\", \"n_layer\": 60000, \"n_embd\": 65536, \"n_head\": 4096, \"vocab_size\": 1000000, "     \
  "\"n_positions\": 4}"


static const char *
get_title (Fixture *fixture)
{
  return gtk_window_get_title (GTK_WINDOW (fixture->window));
}

static void
open_config (Fixture *fixture, const char *text)
{
  g_autoptr (GFile) file = app_new_file ("config.json");

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
  app_settle ();
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

static void
assert_return_opens (GtkWidget *dialog)
{
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (dialog)) == app_find_text (dialog, "_Open"));
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
  assert_return_opens (dialog);
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

/* ---- weights ---- */

typedef struct
{
  GString *header;
  GByteArray *data;
} Weights;

/* Add a tensor of 16-bit floats of size 1/8 to 1/4 and either sign. rows 0: a vector. */
static void
add_tensor (Weights *weights, const char *name, guint rows, guint columns)
{
  guint begin = weights->data->len;
  g_autofree char *shape = rows > 0 ? g_strdup_printf ("%u, %u", rows, columns) : g_strdup_printf ("%u", columns);

  for (guint i = 0; i < MAX (rows, 1) * columns; i++)
    {
      guint8 half[2] = { (guint8) (i * 37), (guint8) (i * i % 7 < 3 ? 0x30 : 0xb0) };

      g_byte_array_append (weights->data, half, sizeof half);
    }
  g_string_append_printf (weights->header,
                          "%s\"%s\": {\"dtype\": \"F16\", \"shape\": [%s], \"data_offsets\": [%u, %u]}",
                          weights->header->len > 1 ? ", " : "", name, shape, begin, weights->data->len);
}

static void
add_block (Weights *weights, guint block)
{
  static const struct
  {
    const char *name;
    guint rows, columns;
  } tensors[] = {
    { "ln_1.weight", 0, 16 }, { "ln_1.bias", 0, 16 }, { "ln_2.weight", 0, 16 }, { "ln_2.bias", 0, 16 },
    { "attn.c_attn.weight", 16, 48 }, { "attn.c_attn.bias", 0, 48 }, { "attn.c_proj.weight", 16, 16 },
    { "attn.c_proj.bias", 0, 16 }, { "mlp.c_fc.weight", 16, 64 }, { "mlp.c_fc.bias", 0, 64 },
    { "mlp.c_proj.weight", 64, 16 }, { "mlp.c_proj.bias", 0, 16 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      g_autofree char *name = g_strdup_printf ("h.%u.%s", block, tensors[i].name);

      add_tensor (weights, name, tensors[i].rows, tensors[i].columns);
    }
}

/* Write the weights of SMALL beside its config, without the last `missing` bytes. */
static GFile *
write_weights (gsize missing)
{
  Weights weights = { g_string_new ("{"), g_byte_array_new () };
  g_autoptr (GString) header = weights.header;
  g_autoptr (GByteArray) data = weights.data;
  g_autoptr (GByteArray) all = g_byte_array_new ();
  guint64 length;
  GFile *file = app_new_file ("model.safetensors");

  add_tensor (&weights, "wte.weight", 20, 16);
  add_tensor (&weights, "wpe.weight", 4, 16);
  add_block (&weights, 0);
  add_block (&weights, 1);
  add_tensor (&weights, "ln_f.weight", 0, 16);
  add_tensor (&weights, "ln_f.bias", 0, 16);
  g_string_append_c (header, '}');
  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  length = GUINT64_TO_LE (header->len);
  g_byte_array_append (all, (const guint8 *) &length, sizeof length);
  g_byte_array_append (all, (const guint8 *) header->str, (guint) header->len);
  g_byte_array_append (all, data->data, data->len);
  g_assert_true (g_file_set_contents (g_file_peek_path (file), (const char *) all->data, (gssize) (all->len - missing),
                                      NULL));
  return file;
}

static gboolean
is_sensitive (gpointer widget)
{
  return gtk_widget_get_sensitive (widget);
}

/* Open the weights and the experiment with them. */
static void
open_trained (Fixture *fixture)
{
  g_autoptr (GFile) file = write_weights (0), config = app_new_file ("config.json");
  GtkWidget *dialog;

  g_assert_true (g_file_set_contents (g_file_peek_path (config), SMALL, -1, NULL));
  normscope_window_open (fixture->window, file);
  dialog = wait_for_dialog ();
  g_assert_true (wait_until_shown (dialog, "28 tensors"));
  g_assert_true (app_wait_for (is_sensitive, app_find_text (dialog, "_Open"), TIMEOUT_MS));
  assert_return_opens (dialog);
  click (dialog, "_Open");
  app_answer_question ("_Discard");
}

/* The trained model stands beside the model at its initialization, is computed from the file, and is not saved. */
static void
test_weights (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) expected = import (SMALL), saved = NULL;
  g_autoptr (GFile) experiment = app_new_file ("saved.normscope");
  g_autoptr (GError) error = NULL;
  const NsExperiment *opened;

  open_trained (fixture);
  opened = normscope_session_get_experiment (fixture->session);
  g_assert_cmpstr (get_title (fixture), ==, "mine (model.safetensors) — Normscope");
  g_assert_cmpuint (opened->variants->len, ==, 2);
  g_assert_nonnull (ns_experiment_variant (opened, 0)->source);
  g_assert_null (ns_experiment_variant (opened, 1)->source);
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (opened);
  app_assert_shows (fixture);

  g_assert_true (normscope_session_save (fixture->session, experiment, &error));
  g_assert_no_error (error);
  saved = ns_experiment_open_file (experiment, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (saved, expected));
}

/* The folder of the model goes: the window says so, and another experiment opens. */
static void
test_weights_gone (Fixture *fixture, gconstpointer data)
{
  g_autofree char *aside = g_strconcat (app_get_folder (), "-aside", NULL);
  g_autoptr (GFile) file = app_new_file ("model.safetensors");

  open_trained (fixture);
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  app_assert_shows (fixture);
  g_assert_cmpint (g_rename (app_get_folder (), aside), ==, 0);

  app_type_number (fixture, "sampling.seed", "1");
  g_assert_true (wait_until_shown (GTK_WIDGET (fixture->window), "model.safetensors has changed since it was opened"));
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "config.json"));
  g_assert_true (app_wait_for_toast (fixture, "No such file or directory"));

  g_assert_cmpint (g_rename (aside, app_get_folder ()), ==, 0);
  open_trained (fixture);
  app_wait_for_idle_plot (fixture);
}

static const char *
get_problem (Fixture *fixture)
{
  const GError *error = normscope_session_get_error (fixture->session);

  g_assert_nonnull (error);
  return error->message;
}

/* The file has weights for one shape and its own matrices only. */
static void
test_weights_fit (Fixture *fixture, gconstpointer data)
{
  open_trained (fixture);
  app_move_slider (fixture, "shape.depth", 3);
  g_assert_nonnull (strstr (get_problem (fixture), "allowed: 2, as in model.safetensors"));
  app_move_slider (fixture, "shape.depth", 2);
  g_assert_null (normscope_session_get_error (fixture->session));
  g_assert_true (normscope_session_set_text (fixture->session, ns_param_find ("activation"), "swiglu", NULL));
  g_assert_nonnull (strstr (get_problem (fixture), "model.safetensors has no matrix w_3"));
}

/* A training loop writes its checkpoint again while it is open here: the window says so, and lives on. */
static void
test_weights_changed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("model.safetensors"), again = NULL;

  open_trained (fixture);
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  app_assert_shows (fixture);
  g_assert_cmpint (truncate (g_file_peek_path (file), 1000), ==, 0);
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.seq_len"), 3, NULL));
  g_assert_true (wait_until_shown (GTK_WIDGET (fixture->window), "model.safetensors has changed since it was opened"));
  g_assert_true (wait_until_shown (GTK_WIDGET (fixture->window), "and has 1000"));
  again = write_weights (0);
  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.seq_len"), 2, NULL));
  g_assert_true (wait_until_shown (GTK_WIDGET (fixture->window), "model.safetensors has changed since it was opened"));

  open_trained (fixture); /* opened again, it is read again */
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  app_assert_shows (fixture);
}

/* A damaged file is named, and the model can be opened without it. */
static void
test_weights_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) expected = import (SMALL);
  g_autoptr (GFile) file = write_weights (2), config = app_new_file ("config.json");
  GtkWidget *dialog, *row;

  g_assert_true (g_file_set_contents (g_file_peek_path (config), SMALL, -1, NULL));
  normscope_window_open (fixture->window, file);
  dialog = wait_for_dialog ();
  row = app_find (dialog, row_is, "Full size, trained weights");
  g_assert_true (wait_until_shown (dialog, "model.safetensors: "));
  g_assert_false (gtk_widget_get_sensitive (row));
  click (dialog, "_Open");
  app_answer_question ("_Discard");
  assert_opened (fixture, expected, "mine — Normscope");

  g_assert_cmpint (g_remove (g_file_peek_path (config)), ==, 0);
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "config.json"));
}

/* ---- recordings ---- */

#define LAYERS                                                                                                         \
  "\"layers\": [{\"layer\": 1, \"part\": \"stack\", \"rms_x\": 3}, "                                                 \
  "{\"layer\": 2, \"part\": \"stack\", \"rms_x\": 2}]"
#define RECORDING                                                                                                     \
  "{\"format\": \"normscope-recording\", \"version\": 1, \"name\": \"mine\", \"shape\": {\"depth\": 2}, "              \
  "\"blocks\": [\"h.0\", \"h.1\"], \"experiment\": {\"shape\": {\"depth\": 2, \"d_model\": 16, \"heads\": 1}}, "       \
  "\"steps\": [{\"step\": 0, \"loss\": 3.5, \"input\": {\"rms_x\": 1.5}, " LAYERS "}"
#define MORE_STEPS                                                                                                     \
  ", {\"step\": 1, \"loss\": 2.5, \"input\": {\"rms_x\": 1.5}, " LAYERS "}"                                         \
  ", {\"step\": 2, \"loss\": 1.25, \"input\": {\"rms_x\": 1.5}, " LAYERS "}"

static const NsReference *
get_recorded (Fixture *fixture)
{
  const NsMarks *marks = normscope_session_get_marks (fixture->session);

  g_assert_cmpuint (marks->references->len, ==, 1);
  return g_ptr_array_index (marks->references, 0);
}

/* A recording is a curve over the model that simulates it. Its numbers stay when the model changes. */
static void
test_recording (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("mine.json");
  const NsReference *recorded;
  double value;

  g_assert_true (g_file_set_contents (g_file_peek_path (file), RECORDING "]}", -1, NULL));
  normscope_window_open (fixture->window, file);
  app_answer_question ("_Discard");
  g_assert_cmpstr (get_title (fixture), ==, "mine.json — Normscope");
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.depth, ==, 2);
  app_move_slider (fixture, "shape.depth", 4);
  app_draw_frames (30); /* nothing computes the recording */
  recorded = get_recorded (fixture);
  g_assert_cmpstr (recorded->name, ==, "mine");
  g_assert_true (recorded->is_recorded);
  g_assert_true (ns_result_get_value (recorded->result, 0, NS_Q_RMS_X, 1, 0, &value, NULL));
  g_assert_cmpfloat (value, ==, 3);
  g_assert_false (ns_result_get_value (recorded->result, 0, NS_Q_BLOCK, 1, 0, &value, NULL));

  g_assert_true (g_file_set_contents (g_file_peek_path (file), "{\"format\": \"normscope-recording\"}", -1,
                                      NULL));
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "mine.json"));
  g_assert_true (get_recorded (fixture) == recorded);
}

static NormscopeTrainingPage *
get_page (Fixture *fixture)
{
  return normscope_training_view_get_page (app_get_child (fixture->window, "training_view"));
}

static gboolean
is_drawn (gpointer fixture)
{
  return app_find_text (GTK_WIDGET (((Fixture *) fixture)->window), "mine falls from 3.50 to 1.25") != NULL;
}

static gboolean
has_no_training (gpointer fixture)
{
  return normscope_training_page_get_training (get_page (fixture)) == NULL;
}

/* Several steps are a training, which the Training view shows; another document has none. */
static void
test_recorded_training (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("mine.json");
  const NsTraining *training;

  g_assert_true (g_file_set_contents (g_file_peek_path (file), RECORDING MORE_STEPS "]}", -1, NULL));
  normscope_window_open (fixture->window, file);
  app_answer_question ("_Discard");
  g_assert_cmpstr (get_recorded (fixture)->name, ==, "mine");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
  g_assert_true (app_wait_for (is_drawn, fixture, TIMEOUT_MS));
  training = normscope_training_page_get_training (get_page (fixture));
  g_assert_true (training != NULL && ns_training_is_recorded (training));
  g_assert_cmpint (ns_training_get_n_steps (training), ==, 3);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Recording “mine” · 3 steps"));

  /* one step is no training */
  g_assert_true (g_file_set_contents (g_file_peek_path (file), RECORDING "]}", -1, NULL));
  normscope_window_open (fixture->window, file);
  app_wait_until (has_no_training, fixture);
}

void
add_import_tests (void)
{
  app_test_add ("/import/small", test_small);
  app_test_add ("/import/sizes", test_sizes);
  app_test_add ("/import/huge", test_huge);
  app_test_add ("/import/nothing-lost", test_nothing_lost);
  app_test_add ("/import/weights", test_weights);
  app_test_add ("/import/weights-fit", test_weights_fit);
  app_test_add ("/import/weights-changed", test_weights_changed);
  app_test_add ("/import/weights-refused", test_weights_refused);
  app_test_add ("/import/weights-gone", test_weights_gone);
  app_test_add ("/import/recording", test_recording);
  app_test_add ("/import/recorded-training", test_recorded_training);
}
