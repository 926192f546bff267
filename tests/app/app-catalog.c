/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include <glib/gstdio.h>

#include "app-dialogs.h"
#include "app/dialogs/normscope-catalog.h"
#include "document/ns-presets.h"

/* The user's own presets: one that can be scaled down and also runs in full, and two files that are refused. */
#define WIDE                                                                                                          \
  "{\"format\": \"normscope-experiment\", \"version\": 1, \"shape\": {\"depth\": 3, "                                 \
  "\"d_model\": 256, \"heads\": 4, \"d_ff\": 256, \"vocab\": 20, \"seq_len\": 4, \"batch\": 1}, "                     \
  "\"sampling\": {\"seeds\": 1}, \"variants\": [{\"name\": \"Post-LN\", \"attn\": {\"norm\": \"post\"}, "             \
  "\"ffn\": {\"norm\": \"post\"}}]}"
#define INI                                                                                                           \
  "[wide]\nTitle=My wide one\nVariant=post\nSource=nowhere at all\nNotConfirmed=norm_eps;shape.vocab\n"               \
  "Notes=Nothing is left out.\n"

const char *
catalog_prepare (void)
{
  static const char *const files[][2] = {
    { "wide.normscope", WIDE },
    { "presets.ini", INI },
    { "broken.normscope", "{\"format\": " },
    { "newer.normscope", "{\"format\": \"normscope-experiment\", \"version\": 9, \"shape\": {\"experts\": 8}}" },
  };
  g_autofree char *folder = ns_presets_dup_folder ();

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i][0], NULL);

      g_assert_true (g_file_set_contents (path, files[i][1], -1, NULL));
    }
  /* The application has read the folder for its menu. */
  ns_presets_reload ();
  return NULL;
}

/* ---- driving ---- */

GtkWidget *
catalog_open (Fixture *fixture, const char *page)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.catalog", "s", page);
  return app_wait_for_dialog (NORMSCOPE_TYPE_CATALOG);
}

static gboolean
is_gone (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

void
catalog_close (GtkWidget *catalog)
{
  GtkWidget *details = app_get_child (catalog, "preset_details");

  g_object_add_weak_pointer (G_OBJECT (catalog), (gpointer *) &catalog);
  g_object_add_weak_pointer (G_OBJECT (details), (gpointer *) &details);
  gtk_window_close (GTK_WINDOW (catalog));
  g_assert_true (app_wait_for (is_gone, &catalog, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_gone, &details, TIMEOUT_MS));
}

gboolean
catalog_is_closed (gpointer data)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (NORMSCOPE_IS_CATALOG (window))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

static void
set_cb (gboolean *flag)
{
  *flag = TRUE;
}

void
catalog_search (GtkWidget *catalog, const char *words)
{
  GtkWidget *entry = app_get_child (catalog, "search");
  gboolean changed = FALSE;
  gulong id = g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (set_cb), &changed);

  gtk_editable_set_text (GTK_EDITABLE (entry), words);
  if (*words != '\0')
    changed = FALSE; /* that was the removal of the old text */
  g_assert_true (app_wait_for (is_set, &changed, TIMEOUT_MS));
  g_signal_handler_disconnect (entry, id);
}

guint
catalog_count_rows (GtkListBox *list)
{
  guint n = 0;
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    n += gtk_widget_get_child_visible (GTK_WIDGET (row)) ? 1 : 0;
  return n;
}

GtkListBoxRow *
catalog_find_row (GtkListBox *list, const char *title)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    {
      g_autofree char *differs
          = gtk_test_accessible_check_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title);

      if (differs == NULL)
        return row;
    }
  g_error ("no row has the title %s", title);
}

void
catalog_select_row (GtkWidget *catalog, const char *list, const char *title)
{
  GtkListBox *box = app_get_child (catalog, list);

  gtk_list_box_select_row (box, catalog_find_row (box, title));
}

const char *
catalog_get_label (GtkWidget *details, const char *name)
{
  return gtk_label_get_text (app_get_child (details, name));
}
