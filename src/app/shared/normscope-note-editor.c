/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-note-editor.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/experiment/ns-text.h"

struct _NormscopeNoteEditor
{
  GtkPopover parent_instance;
  GtkEntry *entry;
  GtkWidget *button;
  int id;
  NsNoteKind kind;
};

G_DEFINE_FINAL_TYPE (NormscopeNoteEditor, normscope_note_editor, GTK_TYPE_POPOVER)

enum { NOTE_EDITOR_SIGNAL_TEXT, N_NOTE_EDITOR_SIGNALS };
static guint note_editor_signals[N_NOTE_EDITOR_SIGNALS];

/* Return the text without what a name cannot have; an arrow needs none. */
static char *
dup_text (NormscopeNoteEditor *self)
{
  return ns_text_dup_name (gtk_editable_get_text (GTK_EDITABLE (self->entry)));
}

static void
changed_cb (NormscopeNoteEditor *self)
{
  g_autofree char *text = dup_text (self);

  gtk_widget_set_sensitive (self->button, self->kind == NS_NOTE_ARROW || text[0] != '\0');
}

static void
done_cb (NormscopeNoteEditor *self)
{
  g_autofree char *text = dup_text (self);

  if (!gtk_widget_get_sensitive (self->button))
    return;
  g_signal_emit (self, note_editor_signals[NOTE_EDITOR_SIGNAL_TEXT], 0, self->id, (int) self->kind, text);
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
normscope_note_editor_class_init (NormscopeNoteEditorClass *klass)
{
  note_editor_signals[NOTE_EDITOR_SIGNAL_TEXT] =
      g_signal_new ("text", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                    G_TYPE_INT, G_TYPE_INT, G_TYPE_STRING);
}

static void
normscope_note_editor_init (NormscopeNoteEditor *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->entry = GTK_ENTRY (gtk_entry_new ());
  self->button = gtk_button_new_with_label (_ ("Done"));
  gtk_entry_set_max_length (self->entry, (int) NS_MARKS_MAX_CHARACTERS);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->entry), 28);
  gtk_widget_add_css_class (self->button, "suggested-action");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->entry));
  gtk_box_append (GTK_BOX (box), self->button);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  g_signal_connect_swapped (self->entry, "changed", G_CALLBACK (changed_cb), self);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (done_cb), self);
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (done_cb), self);
}

GtkWidget *
normscope_note_editor_new (int id, NsNoteKind kind, const char *text)
{
  NormscopeNoteEditor *self = g_object_new (NORMSCOPE_TYPE_NOTE_EDITOR, NULL);
  const char *label = _ ("Text of the note");

  g_return_val_if_fail (text != NULL, NULL);

  if (id >= 0 && NS_MARKS_ID_LIST (id) == NS_MARKS_REFERENCES)
    label = _ ("Name of the curve");
  else if (kind == NS_NOTE_ARROW)
    label = _ ("Text of the arrow, or none");
  self->id = id;
  self->kind = kind;
  gtk_entry_set_placeholder_text (self->entry, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  changed_cb (self);
  return GTK_WIDGET (self);
}
