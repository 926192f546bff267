/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-list-entry.h"

#include <glib/gi18n-lib.h>

#include "app/controls/normscope-parameter.h"

struct _NormscopeListEntry
{
  AdwBin parent_instance;

  GtkEditable *entry;
  char *list; /* that was set, "" for none */
};

G_DEFINE_FINAL_TYPE (NormscopeListEntry, normscope_list_entry, ADW_TYPE_BIN)

enum { LIST_ENTRY_SIGNAL_DONE, N_LIST_ENTRY_SIGNALS };
static guint list_entry_signals[N_LIST_ENTRY_SIGNALS];

static void
done_cb (NormscopeListEntry *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (self->entry));

  if (g_strcmp0 (text, self->list) == 0)
    return;
  for (char *c = text; *c != '\0'; c++)
    if (*c == ',' && g_ascii_isdigit (c[1])) /* the decimal sign of some languages */
      *c = '.';
  g_signal_emit (self, list_entry_signals[LIST_ENTRY_SIGNAL_DONE], 0, *text != '\0' ? text : NULL);
}

void
normscope_list_entry_set_list (NormscopeListEntry *self, const char *list, gboolean keep)
{
  g_return_if_fail (NORMSCOPE_IS_LIST_ENTRY (self));

  g_free (self->list);
  self->list = g_strdup (list != NULL ? list : "");
  if (!keep)
    gtk_editable_set_text (self->entry, self->list);
}

GtkWidget *
normscope_list_entry_new (const NsParam *param)
{
  NormscopeListEntry *self = g_object_new (NORMSCOPE_TYPE_LIST_ENTRY, NULL);

  normscope_parameter_name_control (param, GTK_WIDGET (self->entry));
  return GTK_WIDGET (self);
}

static void
normscope_list_entry_finalize (GObject *object)
{
  g_free (NORMSCOPE_LIST_ENTRY (object)->list);
  G_OBJECT_CLASS (normscope_list_entry_parent_class)->finalize (object);
}

static void
normscope_list_entry_class_init (NormscopeListEntryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_list_entry_finalize;
  list_entry_signals[LIST_ENTRY_SIGNAL_DONE] = g_signal_new ("done", NORMSCOPE_TYPE_LIST_ENTRY, G_SIGNAL_RUN_LAST, 0,
                                                             NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
normscope_list_entry_init (NormscopeListEntry *self)
{
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->entry = GTK_EDITABLE (entry);
  gtk_editable_set_width_chars (self->entry, 7);
  gtk_editable_set_max_width_chars (self->entry, 16);
  /* Translators: instead of a list of numbers: each of them is 1 */
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("all 1"));
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (done_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (done_cb), self);
  gtk_widget_add_controller (entry, focus);
  adw_bin_set_child (ADW_BIN (self), entry);
}
