/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-unsaved.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

void
normscope_unsaved_ask (GtkApplicationWindow *window, const char *heading, GCallback answered, gpointer owner)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (window), heading, _ ("Changes that are not saved are lost."));

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "discard", _ ("_Discard"),
                                    "save", _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "save");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", answered, owner, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

void
normscope_unsaved_offer (GtkApplicationWindow *window, const char *heading, GCallback answered, gpointer owner)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (window), heading,
                                              _ ("There were changes that were not saved when Normscope ended."));

  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "discard", _ ("_Discard"), "recover", _ ("_Recover"),
                                    NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "recover", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "recover");
  /* Closing the dialog loses nothing. */
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "recover");
  g_signal_connect_object (dialog, "response", answered, owner, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static gboolean
close_window_cb (gpointer window)
{
  gtk_window_close (GTK_WINDOW (window));
  return G_SOURCE_REMOVE;
}

void
normscope_unsaved_close_window (GtkApplicationWindow *window)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, close_window_cb, g_object_ref (window), g_object_unref);
}

void
normscope_unsaved_add_action (GtkApplicationWindow *window, const char *name, const GVariantType *type,
                              GCallback callback, gpointer owner)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new (name, type);

  g_signal_connect_object (action, "activate", callback, owner, G_CONNECT_SWAPPED);
  g_action_map_add_action (G_ACTION_MAP (window), G_ACTION (action));
}
