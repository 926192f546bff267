/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-model-table.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "document/ns-search.h"
#include "document/ns-model-table.h"
#include "engine/experiment/ns-experiment.h"

/* ---- a row ---- */

#define MODEL_TYPE_ROW (model_row_get_type ())
G_DECLARE_FINAL_TYPE (ModelRow, model_row, MODEL, ROW, GObject)

struct _ModelRow
{
  GObject parent_instance;

  char *id;
  char *cells[NS_N_MODEL_COLUMNS];
  char *haystack;
};

G_DEFINE_FINAL_TYPE (ModelRow, model_row, G_TYPE_OBJECT)

static void
model_row_finalize (GObject *object)
{
  ModelRow *self = MODEL_ROW (object);

  g_free (self->id);
  g_free (self->haystack);
  for (int c = 0; c < NS_N_MODEL_COLUMNS; c++)
    g_free (self->cells[c]);
  G_OBJECT_CLASS (model_row_parent_class)->finalize (object);
}

static void
model_row_class_init (ModelRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = model_row_finalize;
}

static void
model_row_init (ModelRow *self)
{
}

/* Return NULL for a preset that is not a model or whose file is unreadable. */
static ModelRow *
model_row_new (const NsPreset *preset)
{
  g_autoptr (NsExperiment) experiment = preset->variant != NULL ? ns_preset_load (preset->id, NULL) : NULL;
  g_autoptr (GString) all = g_string_new (preset->id);
  ModelRow *self;

  if (experiment == NULL)
    return NULL;
  self = g_object_new (MODEL_TYPE_ROW, NULL);
  self->id = g_strdup (preset->id);
  for (NsModelColumn c = 0; c < NS_N_MODEL_COLUMNS; c++)
    {
      self->cells[c] = ns_model_dup_cell (preset, experiment, c);
      g_string_append_printf (all, " %s", self->cells[c]);
    }
  self->haystack = ns_search_dup_haystack (all->str);
  return self;
}

/* ---- the table ---- */

struct _NormscopeModelTable
{
  GtkWidget parent_instance;

  GtkWidget *scrolled;
  GtkColumnView *view;
  GtkCustomFilter *filter;
  char *words;
};

G_DEFINE_FINAL_TYPE (NormscopeModelTable, normscope_model_table, GTK_TYPE_WIDGET)

enum
{
  MODEL_TABLE_SIGNAL_CHOSEN,
  N_MODEL_TABLE_SIGNALS
};
static guint model_table_signals[N_MODEL_TABLE_SIGNALS];

static gboolean
matches (gpointer item, gpointer data)
{
  NormscopeModelTable *self = data;

  return ns_search_matches (MODEL_ROW (item)->haystack, self->words);
}

void
normscope_model_table_search (NormscopeModelTable *self, const char *words)
{
  g_return_if_fail (NORMSCOPE_IS_MODEL_TABLE (self));

  g_free (self->words);
  self->words = g_strdup (words);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

/* Sort numbers in the texts by value, 6 blocks before 12, and small letters with large ones. */
static int
compare_cells (gconstpointer a, gconstpointer b, gpointer column)
{
  int c = GPOINTER_TO_INT (column);
  g_autofree char *folded = g_utf8_casefold (MODEL_ROW ((gpointer) a)->cells[c], -1);
  g_autofree char *other_folded = g_utf8_casefold (MODEL_ROW ((gpointer) b)->cells[c], -1);
  g_autofree char *key = g_utf8_collate_key_for_filename (folded, -1);
  g_autofree char *other = g_utf8_collate_key_for_filename (other_folded, -1);

  return strcmp (key, other);
}

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_list_item_set_child (item, label);
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  ModelRow *row = MODEL_ROW (gtk_list_item_get_item (item));

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), row->cells[GPOINTER_TO_INT (column)]);
}

/* Widths in px that fit the contents. Columns with long texts share extra width; a narrow window scrolls the table. */
static const struct
{
  int width;
  gboolean expand;
} column_rows[NS_N_MODEL_COLUMNS] = {
  [NS_MODEL_NAME] = { 170, FALSE },   [NS_MODEL_PLACEMENT] = { 110, FALSE },     [NS_MODEL_NORM] = { 165, FALSE },
  [NS_MODEL_SHAPE] = { 150, TRUE },   [NS_MODEL_INIT] = { 115, TRUE },
  [NS_MODEL_SOURCE] = { 210, TRUE },  [NS_MODEL_NOT_CONFIRMED] = { 185, TRUE },
};

static void
add_column (NormscopeModelTable *self, NsModelColumn c)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column = gtk_column_view_column_new (_ (ns_model_column_get_title (c)), factory);
  g_autoptr (GtkCustomSorter) sorter = gtk_custom_sorter_new (compare_cells, GINT_TO_POINTER (c), NULL);

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), GINT_TO_POINTER (c));
  gtk_column_view_column_set_sorter (column, GTK_SORTER (sorter));
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_fixed_width (column, column_rows[c].width);
  gtk_column_view_column_set_expand (column, column_rows[c].expand);
  gtk_column_view_append_column (self->view, column);
  g_object_unref (column);
}

static GListModel *
list_models (void)
{
  GListStore *store = g_list_store_new (MODEL_TYPE_ROW);
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ModelRow) row = model_row_new (&presets[i]);

      if (row != NULL)
        g_list_store_append (store, row);
    }
  return G_LIST_MODEL (store);
}

static void
activate_cb (NormscopeModelTable *self, guint position)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (self->view));
  g_autoptr (ModelRow) row = g_list_model_get_item (model, position);

  if (row != NULL)
    g_signal_emit (self, model_table_signals[MODEL_TABLE_SIGNAL_CHOSEN], 0, row->id);
}

void
normscope_model_table_activate_selected (NormscopeModelTable *self)
{
  guint position;

  g_return_if_fail (NORMSCOPE_IS_MODEL_TABLE (self));

  position = gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_column_view_get_model (self->view)));
  if (position != GTK_INVALID_LIST_POSITION)
    activate_cb (self, position);
}

static void
normscope_model_table_dispose (GObject *object)
{
  NormscopeModelTable *self = NORMSCOPE_MODEL_TABLE (object);

  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  g_clear_pointer (&self->words, g_free);
  G_OBJECT_CLASS (normscope_model_table_parent_class)->dispose (object);
}

static void
normscope_model_table_class_init (NormscopeModelTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_model_table_dispose;
  model_table_signals[MODEL_TABLE_SIGNAL_CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                                                 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
normscope_model_table_init (NormscopeModelTable *self)
{
  GtkSortListModel *sorted;
  GtkFilterListModel *filtered;
  g_autoptr (GtkSingleSelection) selection = NULL;

  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_column_view_set_show_row_separators (self->view, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "models");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Models and their norm placement"), -1);
  for (NsModelColumn c = 0; c < NS_N_MODEL_COLUMNS; c++)
    if (c != NS_MODEL_EQUATION)
      add_column (self, c);

  self->filter = gtk_custom_filter_new (matches, self, NULL);
  filtered = gtk_filter_list_model_new (list_models (), GTK_FILTER (self->filter));
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered), g_object_ref (gtk_column_view_get_sorter (self->view)));
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  g_signal_connect_object (self->view, "activate", G_CALLBACK (activate_cb), self, G_CONNECT_SWAPPED);

  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), GTK_WIDGET (self->view));
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
}
