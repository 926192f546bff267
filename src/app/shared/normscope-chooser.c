/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-chooser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "document/ns-file.h"

GtkFileChooserNative *
normscope_chooser_new (GtkWindow *window, const char *title, GtkFileChooserAction action, const char *filter,
                       const char *const *patterns)
{
  const char *accept = action == GTK_FILE_CHOOSER_ACTION_SAVE ? _ ("_Save") : _ ("_Open");
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (title, window, action, accept, _ ("_Cancel"));
  g_autoptr (GtkFileFilter) ours = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) any = gtk_file_filter_new ();

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  gtk_file_filter_set_name (ours, filter);
  for (gsize i = 0; patterns[i] != NULL; i++)
    gtk_file_filter_add_pattern (ours, patterns[i]);
  gtk_file_filter_set_name (any, _ ("All files"));
  gtk_file_filter_add_pattern (any, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), ours);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (chooser), any);
  return chooser;
}

GFile *
normscope_chooser_complete_name (GFile *file, const char *suffix, GError **error)
{
  g_autofree char *uri = g_file_get_uri (file);
  g_autofree char *lower = g_ascii_strdown (uri, -1);
  g_autofree char *longer = NULL;
  g_autofree char *name = NULL;
  g_autoptr (GFile) complete = NULL;

  if (g_str_has_suffix (lower, suffix))
    return g_object_ref (file);
  longer = g_strconcat (uri, suffix, NULL);
  complete = g_file_new_for_uri (longer);
  if (!g_file_query_exists (complete, NULL))
    return g_steal_pointer (&complete);
  name = g_file_get_basename (complete);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT,
               _ ("“%s” already exists. To replace it, type its full name."), name);
  return NULL;
}

GFile *
normscope_chooser_dup_chosen (GtkFileChooserNative *chooser, int response, const char *suffix, GError **error)
{
  g_autoptr (GFile) chosen = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
  g_autofree char *base = NULL;

  if (response != GTK_RESPONSE_ACCEPT || chosen == NULL)
    return NULL;
  base = g_file_get_basename (chosen);
  if (strchr (base, '.') != NULL)
    return g_steal_pointer (&chosen);
  return normscope_chooser_complete_name (chosen, suffix, error);
}

void
normscope_chooser_confirm_saved (GtkWindow *window, GFile *file)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *display_name = g_filename_display_name (name);
  g_autofree char *uri = folder != NULL ? g_file_get_uri (folder) : NULL;
  /* Translators: %s is a file's name */
  g_autofree char *text = g_strdup_printf (_ ("Saved as “%s”"), display_name);

  if (window != NULL && uri != NULL)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.show-folder-message", "(ss)", text, uri);
}
