/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-recent.h"

/* The program's name in the list; not translated. */
#define PROGRAM "Normscope"
#define MAX_ITEMS 10

void
normscope_recent_add (GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  char mime_type[] = "application/x-normscope+json", name[] = PROGRAM, command[] = "normscope %u";
  GtkRecentData data = { .mime_type = mime_type, .app_name = name, .app_exec = command };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

/* Escape underscores, which would mark mnemonics. The caller frees the label. */
static char *
dup_label (GtkRecentInfo *info)
{
  GString *label = g_string_new (gtk_recent_info_get_display_name (info));

  g_string_replace (label, "_", "__", 0);
  return g_string_free (label, FALSE);
}

static void
fill (GMenu *menu)
{
  GList *items = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()), compare_newest_first);

  g_menu_remove_all (menu);
  for (GList *l = items; l != NULL && g_menu_model_get_n_items (G_MENU_MODEL (menu)) < MAX_ITEMS; l = l->next)
    {
      g_autoptr (GMenuItem) item = NULL;
      g_autofree char *label = NULL;

      if (!gtk_recent_info_has_application (l->data, PROGRAM) || !gtk_recent_info_exists (l->data))
        continue;
      label = dup_label (l->data);
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "win.open-uri", "s", gtk_recent_info_get_uri (l->data));
      g_menu_append_item (menu, item);
    }
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
}

GMenuModel *
normscope_recent_menu_new (void)
{
  GMenu *menu = g_menu_new ();

  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill), menu, G_CONNECT_SWAPPED);
  fill (menu);
  return G_MENU_MODEL (menu);
}
