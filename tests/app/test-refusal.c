/* Test that the window says so when the system refuses memory, and stays usable.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each test lowers the limit of address space to a little above what the process uses. How much is just enough depends
 * on the libraries, therefore each tries several amounts: at each, the window shows the result or a refusal.
 */
#include "app-dialogs.h"
#include "app-files.h"
#include "app-scaling.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/dialogs/normscope-data-dialog.h"
#include "app/flow/normscope-flow-view.h"
#include "engine/experiment/ns-experiment.h"

#define MIB     ((guint64) 1 << 20)
#define N_TRIES 3

/* ---- limits ---- */

static guint64
get_used_bytes (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  return g_ascii_strtoull (text, NULL, 10) * (guint64) getpagesize ();
}

static gboolean
can_limit (void)
{
  if (!NS_SANITIZED && get_used_bytes () > 0)
    return TRUE;
  g_test_skip ("the address space cannot be limited");
  return FALSE;
}

static void
set_limit (rlim_t bytes)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_AS, &limit), ==, 0);
  limit.rlim_cur = MIN (bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
}

static void
leave (guint mib)
{
  ns_machine_trim_memory ();
  set_limit (get_used_bytes () + mib * MIB);
}

/* Leave so much that the program, which keeps a reserve, counts on `mib` as well: how much of that it uses already
 * depends on what it has run before. */
static void
leave_beside_reserve (guint mib)
{
  guint more = 0;

  do
    leave (mib + more++);
  while (ns_machine_memory () < mib * MIB);
}

static void
lift (void)
{
  set_limit (RLIM_INFINITY);
}

/* ---- the flow view ---- */

static gboolean
shows_error_page (gpointer flow)
{
  return strcmp (gtk_stack_get_visible_child_name (app_get_child (flow, "stack")), "error") == 0;
}

/* Return TRUE if the view shows an error, which has to be about memory: above a figure, or in place of one that is of
 * another experiment. */
static gboolean
shows_refusal (Fixture *fixture)
{
  GtkWidget *flow = gtk_widget_get_ancestor (GTK_WIDGET (fixture->plot), NORMSCOPE_TYPE_FLOW_VIEW);
  gboolean is_page = shows_error_page (flow);
  const char *text = is_page ? adw_status_page_get_description (app_get_child (flow, "status_page"))
                             : gtk_label_get_label (app_get_child (flow, "error_label"));

  if (!is_page && !gtk_revealer_get_reveal_child (app_get_child (flow, "error_revealer")))
    return FALSE;
  g_assert_nonnull (strstr (text, "memory"));
  g_test_message ("%s", text);
  return TRUE;
}

static gboolean
has_answered (gpointer data)
{
  Fixture *fixture = data;
  GtkWidget *flow = gtk_widget_get_ancestor (GTK_WIDGET (fixture->plot), NORMSCOPE_TYPE_FLOW_VIEW);

  return shows_error_page (flow) || app_has_idle_plot (fixture->window);
}

/* Show the experiment; return TRUE if the window refuses it. */
static gboolean
is_refused (Fixture *fixture, const NsExperiment *experiment)
{
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (experiment));
  app_settle ();
  g_assert_true (app_wait_for (has_answered, fixture, TIMEOUT_MS));
  return shows_refusal (fixture);
}

/* Let the window take what it takes once: OpenBLAS waits for ever for the buffers of its threads. */
static void
warm_up (Fixture *fixture)
{
  g_autoptr (NsExperiment) wide = ns_experiment_copy (fixture->experiment);

  wide->shape.d_model = wide->shape.d_ff = 256;
  g_assert_false (is_refused (fixture, wide));
  g_assert_false (is_refused (fixture, fixture->experiment));
  app_assert_shows (fixture);
}

/* Try the experiment with several amounts of memory, the fixture's small one after each, and fail if none was refused.
 * When the limit is lifted, the small one has its usual result. */
static void
try_amounts (Fixture *fixture, const NsExperiment *large, const guint *amounts)
{
  guint n_refused = 0;

  warm_up (fixture);
  for (guint i = 0; amounts[i] > 0; i++)
    {
      gboolean refused;

      leave_beside_reserve (amounts[i]);
      refused = is_refused (fixture, large);
      g_test_message ("%u MiB: %s", amounts[i], refused ? "refused" : "shown");
      if (refused)
        g_assert_false (is_refused (fixture, fixture->experiment));
      n_refused += refused;
      lift ();
      g_assert_false (is_refused (fixture, fixture->experiment));
    }
  app_assert_shows (fixture);
  g_assert_cmpuint (n_refused, >, 0);
}

/* A wide one, of which the memory of a pass is large. */
static void
test_pass (Fixture *fixture, gconstpointer data)
{
  const guint amounts[] = { 90, 110, 0 };
  g_autoptr (NsExperiment) large = ns_experiment_copy (fixture->experiment);

  if (!can_limit ())
    return;
  large->shape.depth = 1;
  large->shape.batch = 4;
  large->shape.seq_len = 512;
  large->shape.d_model = 512;
  large->sampling.seeds = 1;
  try_amounts (fixture, large, amounts);
}

/* A deep one with small matrices, of which the result and the curves are large. */
static void
test_result (Fixture *fixture, gconstpointer data)
{
  const guint amounts[] = { 90, 110, 0 };
  g_autoptr (NsExperiment) large = ns_experiment_copy (fixture->experiment);

  if (!can_limit ())
    return;
  g_ptr_array_set_size (large->variants, 1);
  large->shape.depth = 8000;
  large->shape.d_model = large->shape.d_ff = 2;
  large->shape.heads = 1;
  large->shape.seq_len = 2;
  large->shape.batch = 1;
  large->shape.vocab = 2;
  large->sampling.seeds = 24;
  try_amounts (fixture, large, amounts);
}

/* Weights, which are kept while there is room, leave some for everything else. */
static void
test_weights (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) large = ns_experiment_copy (fixture->experiment);

  if (!can_limit ())
    return;
  g_ptr_array_set_size (large->variants, 1);
  large->shape.depth = 40;
  large->shape.d_model = 256;
  large->shape.heads = 4;
  large->shape.d_ff = 1024;
  large->shape.seq_len = 2;
  large->sampling.seeds = 2;
  warm_up (fixture);
  leave_beside_reserve (100);
  g_assert_false (is_refused (fixture, large));
  app_activate (fixture, "win.export");
  gtk_window_destroy (GTK_WINDOW (app_wait_for_dialog (NORMSCOPE_TYPE_EXPORT_DIALOG)));
  lift ();
  g_assert_false (is_refused (fixture, fixture->experiment));
  app_assert_shows (fixture);
}

/* ---- files ---- */

/* A second after their last job, workers give back what their jobs held. */
static void
wait_for_memory (void)
{
  guint64 before;

  do
    {
      before = get_used_bytes ();
      app_iterate (1200);
      ns_machine_trim_memory ();
    }
  while (get_used_bytes () < before);
}

static void
test_picture (Fixture *fixture, gconstpointer data)
{
  const guint amounts[] = { 60, 80, 180, 0 };
  g_autofree char *path = app_dup_path ("refused.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  NormscopeExportDialog *dialog;

  if (!can_limit ())
    return;
  app_assert_shows (fixture);
  dialog = app_open_export_dialog (fixture);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "width")), 6000);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (app_get_child (dialog, "height")), 4000);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (dialog));
  g_assert_true (app_save_to (dialog, file, NULL)); /* Pango starts threads for new fonts, and ends without them */
  for (guint i = 0; amounts[i] > 0; i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean saved;
      guint64 before;

      /* Again where a worker gave memory back after the limit was set, which left more. */
      for (guint n = 0; n < N_TRIES; n++)
        {
          g_clear_error (&error);
          wait_for_memory ();
          leave (amounts[i]);
          before = get_used_bytes ();
          saved = app_save_to (dialog, file, &error);
          lift ();
          if (!saved || get_used_bytes () >= before)
            break;
        }
      g_test_message ("%u MiB: %s", amounts[i], saved ? "written" : error->message);
      g_assert_false (saved && amounts[i] < 90); /* the pixels alone are 92 MiB */
      g_assert_true (saved || strstr (error->message, "memory") != NULL);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
  app_assert_shows (fixture);
}

/* Each row of a table contains the variant's name, but JSON has it once. */
static void
test_tables (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = g_strnfill (4000, 'x');
  const char *const suffixes[] = { "refused.csv", "refused.json", "refused.npy" };
  const guint amounts[] = { 40, 160 };
  NormscopeDataDialog *dialog;

  if (!can_limit ())
    return;
  for (guint v = 0; v < fixture->experiment->variants->len; v++)
    {
      NsVariant *variant = ns_experiment_variant (fixture->experiment, v);

      g_free (variant->name);
      variant->name = g_strdup_printf ("%u%s", v, name);
    }
  fixture->experiment->shape.depth = 60;
  fixture->keeps_names = TRUE;
  g_assert_false (is_refused (fixture, fixture->experiment));
  app_activate (fixture, "win.export-data");
  dialog = NORMSCOPE_DATA_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_DATA_DIALOG));
  adw_combo_row_set_selected (ADW_COMBO_ROW (app_get_child (dialog, "values")), 1);
  for (guint i = 0; i < G_N_ELEMENTS (suffixes) * 2; i++)
    {
      g_autofree char *path = app_dup_path (suffixes[i / 2]);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GError) error = NULL;
      gboolean saved;

      leave (amounts[i % 2]);
      saved = normscope_data_dialog_save_to (dialog, file, &error);
      lift ();
      g_test_message ("%s, %u MiB: %s", suffixes[i / 2], amounts[i % 2], saved ? "written" : error->message);
      g_assert_true (saved || strstr (error->message, "memory") != NULL);
      g_assert_true (saved == (amounts[i % 2] > 40 && g_str_has_suffix (path, ".json")));
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* ---- the scaling view ---- */

static void
test_sweep (Fixture *fixture, gconstpointer data)
{
  Scaling scaling;
  NsExperiment *large;

  if (!can_limit ())
    return;
  scaling = scaling_begin (fixture);
  scaling_wait_until_idle (&scaling);
  large = ns_experiment_copy (fixture->experiment);
  large->shape.batch = 64;
  large->shape.seq_len = 512;
  large->shape.d_model = large->shape.d_ff = 512;
  large->sampling.seeds = 2;
  leave (60);
  normscope_session_take_experiment (fixture->session, large);
  app_settle ();
  scaling_wait_until_idle (&scaling);
  g_assert_nonnull (app_find_text (scaling.view, "memory"));
  lift ();
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  app_settle ();
  scaling_wait_until_idle (&scaling);
  g_assert_null (app_find_text (scaling.view, "memory"));
}

void
add_refusal_tests (void)
{
  /* the first: the others leave free memory within the program's own, which no limit takes away */
  app_test_add ("/refusal/picture", test_picture);
  app_test_add ("/refusal/pass", test_pass);
  app_test_add ("/refusal/result", test_result);
  app_test_add ("/refusal/weights", test_weights);
  app_test_add ("/refusal/tables", test_tables);
  app_test_add ("/refusal/sweep", test_sweep);
}
