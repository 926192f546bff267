/* The catalog in the real window: search, details, the user's presets, the table of models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include <glib/gstdio.h>
#include <string.h>

#include "app/dialogs/normscope-catalog.h"
#include "app/dialogs/normscope-model-table.h"
#include "document/ns-search.h"
#include "app/shared/normscope-wiring.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

static void
assert_says (GtkWidget *details, const char *text)
{
  if (app_find_text (details, text) == NULL)
    g_error ("the details do not say “%s”", text);
}

static guint
count_matching (const char *words)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  guint n_found = 0;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *haystack = ns_search_dup_haystack (presets[i].title);

      n_found += ns_search_matches (haystack, words) ? 1 : 0;
    }
  return n_found;
}

/* ---- searching ---- */

static void
test_words (void)
{
  g_autofree char *haystack = ns_search_dup_haystack ("Pre-LN: x ← x + F(N(x)), Gemma 2, Schrödinger");
  static const char *const found[] = { "",        "  ",      "preln",      "pre ln",  "Pre-LN", "PRE LN",
                                       "gemma 2", "2 gemma", "gemma\tpre", "f(n(x))", "SCHRÖD", "√" };
  static const char *const missing[] = { "postln", "post ln", "gemma 3", "pre gemma 3", "lnpre" };

  for (gsize i = 0; i < G_N_ELEMENTS (found); i++)
    if (!ns_search_matches (haystack, found[i]))
      g_error ("“%s” is not found", found[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (missing); i++)
    if (ns_search_matches (haystack, missing[i]))
      g_error ("“%s” is found", missing[i]);
  g_assert_true (ns_search_matches (haystack, NULL));
}

static void
test_search (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets");
  GtkListBox *presets = app_get_child (catalog, "preset_list");
  GtkListBox *variants = app_get_child (catalog, "variant_list");
  GtkWidget *details = app_get_child (catalog, "preset_details");
  gsize n, n_variants;
  guint n_found;

  ns_presets (&n);
  ns_builtin_variants (&n_variants);
  g_assert_cmpuint (catalog_count_rows (presets), ==, n);
  g_assert_cmpuint (catalog_count_rows (variants), ==, n_variants);

  catalog_search (catalog, "gemma 2");
  g_assert_cmpuint (catalog_count_rows (presets), ==, 1);
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "Gemma 2 2B");
  catalog_search (catalog, "arxiv:2408.00118"); /* its source */
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "Gemma 2 2B");

  catalog_search (catalog, "preln");
  n_found = catalog_count_rows (variants);
  g_assert_cmpuint (n_found, >=, 1);
  g_assert_cmpuint (n_found, <, n_variants);
  g_assert_true (gtk_widget_get_child_visible (GTK_WIDGET (catalog_find_row (variants, "Pre-LN"))));
  g_assert_false (gtk_widget_get_child_visible (GTK_WIDGET (catalog_find_row (variants, "Post-LN"))));
  catalog_search (catalog, "pre ln");
  g_assert_cmpuint (catalog_count_rows (variants), >=, n_found);
  g_assert_true (gtk_widget_get_child_visible (GTK_WIDGET (catalog_find_row (variants, "Pre-LN"))));

  /* A row that still matches stays selected. */
  catalog_search (catalog, "gpt");
  catalog_select_row (catalog, "preset_list", "GPT-2 medium");
  catalog_search (catalog, "gpt-2");
  g_assert_cmpuint (catalog_count_rows (presets), >=, count_matching ("gpt-2"));
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "GPT-2 medium");

  catalog_search (catalog, "no such thing");
  g_assert_cmpuint (catalog_count_rows (presets), ==, 0);
  g_assert_cmpuint (catalog_count_rows (variants), ==, 0);
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, "Nothing found");
  g_assert_false (gtk_widget_get_visible (app_get_child (details, "actions")));
  g_signal_emit_by_name (app_get_child (catalog, "search"), "activate"); /* has no effect */
  catalog_search (catalog, "");
  g_assert_cmpuint (catalog_count_rows (presets), ==, n);
  g_assert_true (gtk_widget_get_visible (app_get_child (details, "actions")));
  catalog_close (catalog);
}

/* A preset with several variants shows the wiring of each; a model has one. */
static void
test_wirings (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets");
  GtkWidget *wiring = app_find_type (app_get_child (catalog, "preset_details"), NORMSCOPE_TYPE_WIRING);
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  int height = 0;

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);
      guint n_variants = experiment->variants->len;
      NsDiagram *expected = ns_wiring_diagram_of_experiment (experiment, -1, n_variants > 1);
      double size[2], expected_size[2];

      catalog_select_row (catalog, "preset_list", presets[i].title);
      ns_diagram_get_size (normscope_wiring_get_diagram (NORMSCOPE_WIRING (wiring)), &size[0], &size[1]);
      ns_diagram_get_size (expected, &expected_size[0], &expected_size[1]);
      g_assert_cmpfloat (size[0], ==, expected_size[0]);
      g_assert_cmpfloat (size[1], ==, expected_size[1]);
      gtk_widget_get_size_request (wiring, NULL, &height);
      g_assert_cmpint (height, ==, 190 * MIN (n_variants, 3));
      ns_diagram_free (expected);
    }
  catalog_close (catalog);
}

static guint
count_headings (GtkListBox *list)
{
  guint n = 0;
  const char *before = "";
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    {
      GtkWidget *header = gtk_widget_get_child_visible (GTK_WIDGET (row)) ? gtk_list_box_row_get_header (row) : NULL;

      if (header == NULL)
        continue;
      g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (header)), !=, before);
      before = gtk_label_get_text (GTK_LABEL (header));
      n++;
    }
  return n;
}

static void
test_groups (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "variants");
  GtkListBox *presets = app_get_child (catalog, "preset_list");
  GtkListBox *variants = app_get_child (catalog, "variant_list");
  gsize n;
  const NsPreset *all = ns_presets (&n);
  guint n_groups = 1;

  for (gsize i = 1; i < n; i++)
    n_groups += g_str_equal (all[i].group, all[i - 1].group) ? 0 : 1;
  g_assert_cmpuint (count_headings (presets), ==, n_groups);
  g_assert_cmpuint (count_headings (variants), ==, NS_N_VARIANT_GROUPS);
  catalog_search (catalog, "gemma2");
  g_assert_cmpuint (count_headings (presets), ==, 1);
  g_assert_cmpuint (count_headings (variants), ==, 1);
  catalog_close (catalog);
}

/* ---- details ---- */

static void
test_details (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets"), *details = app_get_child (catalog, "preset_details");
  const NsPreset *bert = ns_preset_find ("bert-large");
  const NsPreset *deepnet = ns_preset_find ("deepnet-1000"); /* an encoder-decoder */
  const NsBuiltinVariant *variant;

  catalog_select_row (catalog, "preset_list", bert->title);
  g_assert_cmpstr (catalog_get_label (details, "title"), ==, bert->title);
  g_assert_cmpstr (catalog_get_label (details, "equation"), ==, bert->variant->equation);
  g_assert_cmpstr (catalog_get_label (details, "description"), ==, bert->description);
  assert_says (details, bert->source);
  assert_says (details, bert->notes);
  assert_says (details, "24 × 1024, 16 heads");
  assert_says (details, "shape.depth, shape.d_model, shape.heads, shape.d_ff, norm_eps, shape.vocab");
  g_assert_true (gtk_widget_get_visible (app_get_child (details, "scaled_box")));

  catalog_select_row (catalog, "preset_list", deepnet->title);
  g_assert_cmpstr (catalog_get_label (details, "equation"), ==, deepnet->variant->pair_equation);

  /* Another preset shows none of these facts. */
  catalog_select_row (catalog, "preset_list", "Tiny");
  g_assert_null (app_find_text (details, bert->source));
  g_assert_false (gtk_widget_get_visible (app_get_child (details, "equation")));
  g_assert_false (gtk_widget_get_visible (app_get_child (details, "scaled_box")));

  normscope_catalog_show_page (NORMSCOPE_CATALOG (catalog), "variants");
  details = app_get_child (catalog, "variant_details");
  variant = ns_builtin_variant_find ("deepnorm");
  app_settle ();
  catalog_select_row (catalog, "variant_list", variant->name);
  g_assert_cmpstr (catalog_get_label (details, "equation"), ==, variant->equation);
  assert_says (details, variant->source);
  assert_says (details, variant->settings);
  g_assert_false (gtk_widget_get_visible (app_get_child (details, "scaled_box")));
  catalog_close (catalog);
}

/* A variant that is a wiring can keep the other settings of the selected variant. */
static void
test_keep (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog, *details, *keep;
  const NsVariant *added;

  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "input_norm", GTK_TYPE_SWITCH)), TRUE);
  catalog = catalog_open (fixture, "variants");
  details = app_get_child (catalog, "variant_details");
  keep = app_get_child (details, "keep_button");
  catalog_select_row (catalog, "variant_list", "Pre-RMSNorm");
  g_assert_false (gtk_widget_get_visible (keep));
  catalog_select_row (catalog, "variant_list", "DeepNorm");
  g_assert_true (gtk_widget_get_visible (keep));
  g_signal_emit_by_name (app_get_child (details, "full_button"), "clicked");
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
  added = ns_experiment_variant (normscope_session_get_experiment (fixture->session), 2);
  g_assert_true (added->input_norm);
  g_assert_cmpint (added->residual_scale.rule, ==, NS_RESIDUAL_SCALE_DEEPNORM);
  g_assert_true (ns_variant_has_automatic_name (added));

  catalog = catalog_open (fixture, "variants");
  details = app_get_child (catalog, "variant_details");
  catalog_select_row (catalog, "variant_list", "LayerScale");
  gtk_check_button_set_active (GTK_CHECK_BUTTON (app_get_child (details, "keep_button")), FALSE);
  g_signal_emit_by_name (app_get_child (details, "full_button"), "clicked");
  g_assert_true (app_wait_for (catalog_is_closed, NULL, TIMEOUT_MS));
  added = ns_experiment_variant (normscope_session_get_experiment (fixture->session), 3);
  g_assert_false (added->input_norm);
  g_assert_cmpstr (added->name, ==, "LayerScale");
}

/* ---- the user's presets ---- */

static void
test_user (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets"), *details = app_get_child (catalog, "preset_details");
  g_autofree char *folder = ns_presets_dup_folder ();
  g_autofree char *path = g_build_filename (folder, "wide.normscope", NULL);
  g_autofree char *newest = g_build_filename (folder, "newest.normscope", NULL);
  g_autofree char *text = NULL;
  const char *problems = gtk_label_get_text (app_get_child (catalog, "problems_label"));

  g_assert_true (gtk_revealer_get_reveal_child (app_get_child (catalog, "problems_revealer")));
  g_assert_nonnull (strstr (problems, "broken.normscope"));
  g_assert_nonnull (strstr (problems, "newer.normscope"));
  g_assert_null (strstr (problems, "wide.normscope"));
  catalog_select_row (catalog, "preset_list", "My wide one");
  assert_says (details, path);
  assert_says (details, "nowhere at all");
  assert_says (details, "norm_eps, shape.vocab");
  catalog_close (catalog);

  /* The catalog follows files that are added and removed while the program runs. */
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (newest, text, -1, NULL));
  catalog = catalog_open (fixture, "presets");
  catalog_select_row (catalog, "preset_list", "newest");
  catalog_close (catalog);
  g_unlink (newest);
  catalog = catalog_open (fixture, "presets");
  catalog_search (catalog, "newest");
  g_assert_cmpuint (catalog_count_rows (app_get_child (catalog, "preset_list")), ==, 0);
  catalog_close (catalog);
}

/* ---- the table ---- */

static gboolean
is_column_view (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_COLUMN_VIEW (widget);
}

static guint
count_models (GtkColumnView *view)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (view)));
}

/* Sort by a column, activate the first row, and return the title of the preset that it shows. */
static char *
dup_first (GtkWidget *catalog, GtkColumnView *view, guint column, GtkSortType order)
{
  GListModel *columns = gtk_column_view_get_columns (view);
  g_autoptr (GtkColumnViewColumn) by = g_list_model_get_item (columns, column);
  char *title;

  gtk_column_view_sort_by_column (view, by, order);
  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (gtk_column_view_get_model (view)), 0);
  normscope_model_table_activate_selected (app_get_child (catalog, "model_table"));
  title = g_strdup (catalog_get_label (app_get_child (catalog, "preset_details"), "title"));
  g_assert_cmpstr (adw_view_stack_get_visible_child_name (app_get_child (catalog, "pages")), ==, "presets");
  normscope_catalog_show_page (NORMSCOPE_CATALOG (catalog), "models");
  return title;
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

/* The table of models: its rows, their order, and that nothing of it stays when the catalog closes. */
static void
test_models (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "models");
  GtkColumnView *view = GTK_COLUMN_VIEW (app_find (catalog, is_column_view, NULL));
  g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (gtk_column_view_get_columns (view), 0);
  GObject *rows, *sorter;
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  guint n_models = 0;
  g_autofree char *first = NULL, *last = NULL, *shallow = NULL, *deep = NULL;

  for (gsize i = 0; i < n; i++)
    n_models += presets[i].variant != NULL ? 1 : 0;
  g_assert_cmpuint (count_models (view), ==, n_models);
  catalog_search (catalog, "gemma");
  g_assert_cmpuint (count_models (view), ==, 1);
  catalog_search (catalog, "post-ln vaswani");
  g_assert_cmpuint (count_models (view), ==, 2);
  catalog_search (catalog, "");
  g_assert_cmpuint (count_models (view), ==, n_models);

  first = dup_first (catalog, view, 0, GTK_SORT_ASCENDING);
  last = dup_first (catalog, view, 0, GTK_SORT_DESCENDING);
  g_assert_cmpstr (first, ==, "BERT base");
  g_assert_cmpstr (last, ==, "ViT-B/16");
  /* The number of blocks sorts as a number: 3 before 12, and 500 last. */
  shallow = dup_first (catalog, view, 3, GTK_SORT_ASCENDING);
  deep = dup_first (catalog, view, 3, GTK_SORT_DESCENDING);
  g_assert_cmpstr (shallow, ==, "My wide one");
  g_assert_cmpstr (deep, ==, "DeepNet, 1000 layers");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Models and their norm placement");
  rows = G_OBJECT (gtk_column_view_get_model (view));
  g_object_add_weak_pointer (rows, (gpointer *) &rows);
  sorter = G_OBJECT (gtk_column_view_column_get_sorter (column));
  g_object_add_weak_pointer (sorter, (gpointer *) &sorter);
  g_clear_object (&column);
  catalog_close (catalog);
  g_assert_true (app_wait_for (is_gone, &rows, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_gone, &sorter, TIMEOUT_MS));
}

static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  GtkWidget *catalog = catalog_open (fixture, "presets");
  GtkListBox *lists[]
      = { app_get_child (catalog, "preset_list"), app_get_child (catalog, "variant_list") };
  static const char *const names[] = { "Presets", "Variants" };

  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (app_get_child (catalog, "search")),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Search");
  for (int i = 0; i < 2; i++)
    {
      GtkListBoxRow *row;

      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (lists[i]), GTK_ACCESSIBLE_PROPERTY_LABEL, names[i]);
      for (int r = 0; (row = gtk_list_box_get_row_at_index (lists[i], r)) != NULL; r++)
        g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL));
    }
  catalog_close (catalog);
}

void
add_catalog_tests (void)
{
  app_test_prepare (catalog_prepare);
  app_test_add_func ("/catalog/words", test_words);
  app_test_add ("/catalog/search", test_search);
  app_test_add ("/catalog/wirings", test_wirings);
  app_test_add ("/catalog/groups", test_groups);
  app_test_add ("/catalog/details", test_details);
  app_test_add ("/catalog/user", test_user);
  app_test_add ("/catalog/keep-settings", test_keep);
  app_test_add ("/catalog/models", test_models);
  app_test_add ("/catalog/accessible", test_accessible);
}
