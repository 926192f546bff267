/* The menu of marks, and the editor of their texts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/flow/normscope-flow-marks-private.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-note-editor.h"
#include "app/shared/normscope-popovers.h"

/* ---- the editor ---- */

static void
show_popover (NormscopeFlowMarks *self, GtkWidget *popover)
{
  normscope_popovers_open (GTK_WIDGET (self->plot), popover,
                           &(GdkRectangle){ (int) self->target.x, (int) self->target.y, 1, 1 });
}

static void
set_text (NsMarks *marks, int id, const char *text)
{
  guint index = NS_MARKS_ID_INDEX (id);
  char **field = NS_MARKS_ID_LIST (id) == NS_MARKS_NOTES
                     ? &((NsNote *) g_ptr_array_index (marks->notes, index))->text
                     : &((NsReference *) g_ptr_array_index (marks->references, index))->name;

  g_free (*field);
  *field = g_strdup (text);
}

/* Return a note at the target; its text is borrowed. */
static NsNote
get_note (const NormscopeFlowMarks *self, NsNoteKind kind, const char *text)
{
  NsNote note = { .kind = kind, .text = (char *) text, .place = self->target.place };

  note.quantity = self->target.quantity;
  note.variant = self->target.variant;
  return note;
}

static void
text_cb (NormscopeFlowMarks *self, int id, NsNoteKind kind, const char *text)
{
  NsMarks *marks = normscope_flow_marks_copy (self);

  if (id >= 0)
    set_text (marks, id, text);
  else
    {
      NsNote note = get_note (self, kind, text);

      ns_marks_add_note (marks, &note);
    }
  normscope_flow_marks_take (self, marks);
}

static void
edit_text (NormscopeFlowMarks *self, int id, NsNoteKind kind, const char *text)
{
  GtkWidget *editor = normscope_note_editor_new (id, kind, text);

  g_signal_connect_swapped (editor, "text", G_CALLBACK (text_cb), self);
  show_popover (self, editor);
}

/* Ask for the text of a new note, if the curve has a value there. */
void
normscope_flow_marks_add_note (NormscopeFlowMarks *self, NsNoteKind kind)
{
  g_autoptr (NsMarks) marks = normscope_flow_marks_copy (self);
  NsNote note = get_note (self, kind, "?");

  ns_marks_add_note (marks, &note);
  if (self->target.variant >= 0 && normscope_flow_marks_is_drawn (self, marks, NS_MARKS_NOTES))
    edit_text (self, -1, kind, "");
  else
    normscope_flow_marks_show_message (self, _ ("No visible curve has a value there"));
}

/* ---- the menu ---- */

static void
pin_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeFlowMarks *self = data;

  normscope_flow_marks_toggle_pin (self, &self->target);
}

static void
ratio_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeFlowMarks *self = data;

  normscope_flow_marks_add_ratio (self, &self->target);
}

static void
note_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  normscope_flow_marks_add_note (data, NS_NOTE_TEXT);
}

static void
arrow_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  normscope_flow_marks_add_note (data, NS_NOTE_ARROW);
}

static void
keep_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeFlowMarks *self = data;

  normscope_flow_marks_keep_curve (self, (guint) g_variant_get_int32 (parameter));
}

static void
edit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeFlowMarks *self = data;
  const NsMarks *marks = normscope_session_get_marks (self->session);
  int id = g_variant_get_int32 (parameter);
  guint index = NS_MARKS_ID_INDEX (id);
  const NsNote *note;

  if (index >= ns_marks_get_n (marks, NS_MARKS_ID_LIST (id)))
    return;
  if (NS_MARKS_ID_LIST (id) == NS_MARKS_REFERENCES)
    {
      edit_text (self, id, NS_NOTE_TEXT, ((const NsReference *) g_ptr_array_index (marks->references, index))->name);
      return;
    }
  note = g_ptr_array_index (marks->notes, index);
  edit_text (self, id, note->kind, note->text);
}

static void
remove_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeFlowMarks *self = data;
  NsMarks *marks = normscope_flow_marks_copy (self);
  int id = g_variant_get_int32 (parameter);

  if (NS_MARKS_ID_INDEX (id) < ns_marks_get_n (marks, NS_MARKS_ID_LIST (id)))
    {
      const NsPin *pin = NS_MARKS_ID_LIST (id) == NS_MARKS_PINS
                             ? &g_array_index (marks->pins, NsPin, NS_MARKS_ID_INDEX (id))
                             : NULL;

      if (pin != NULL && !pin->has_other)
        {
          NsPin removed = *pin;

          normscope_flow_marks_remove_pin (marks, removed.panel, &removed.place);
        }
      else
        ns_marks_remove (marks, id);
    }
  normscope_flow_marks_take (self, marks);
}

static void
remove_all_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  normscope_flow_marks_take (data, ns_marks_new ());
}

/* Append an item whose label is plain text. */
static void
append (GMenu *menu, char *label, const char *action, int value)
{
  g_auto (GStrv) parts = g_strsplit (label, "_", -1);
  g_autofree char *escaped = g_strjoinv ("__", parts);
  g_autoptr (GMenuItem) item = g_menu_item_new (escaped, NULL);

  if (value >= 0)
    g_menu_item_set_action_and_target (item, action, "i", value);
  else
    g_menu_item_set_detailed_action (item, action);
  g_menu_append_item (menu, item);
  g_free (label);
}

static GMenu *
make_marks_section (NormscopeFlowMarks *self, int id)
{
  GMenu *section = g_menu_new ();
  NsFlowOptions options = normscope_flow_marks_get_options (self);

  if (NS_MARKS_ID_LIST (id) != NS_MARKS_PINS)
    append (section, g_strdup (_ ("Edit Text…")), "marks.edit", id);
  append (section, g_strdup_printf (_ ("Remove %s"), ns_flow_dup_mark_name (self->result, &options, id)),
          "marks.remove", id);
  return section;
}

/* List every mark, also those that are not drawn. */
static GMenu *
make_list (NormscopeFlowMarks *self, gboolean only_texts, const char *action)
{
  NsFlowOptions options = normscope_flow_marks_get_options (self);
  GMenu *menu = g_menu_new ();

  for (int list = only_texts ? NS_MARKS_NOTES : 0; list < NS_N_MARKS_LISTS; list++)
    for (guint i = 0; i < ns_marks_get_n (options.marks, list); i++)
      append (menu, ns_flow_dup_mark_name (self->result, &options, NS_MARKS_ID (list, i)), action,
              NS_MARKS_ID (list, i));
  return menu;
}

static void
append_section (GMenu *menu, GMenu *section)
{
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
  g_object_unref (section);
}

static void
append_submenu (GMenu *menu, const char *label, GMenu *submenu)
{
  if (g_menu_model_get_n_items (G_MENU_MODEL (submenu)) > 0)
    g_menu_append_submenu (menu, label, G_MENU_MODEL (submenu));
  g_object_unref (submenu);
}

static GMenu *
make_menu (NormscopeFlowMarks *self, int id)
{
  const NsMarks *marks = normscope_session_get_marks (self->session);
  const NsExperiment *experiment = ns_result_get_experiment (self->result);
  g_autofree char *place = ns_flow_dup_place (&self->target.place);
  int last = normscope_flow_marks_find_last_pin (marks, self->target.panel, &self->target.place);
  GMenu *menu = g_menu_new (), *section = g_menu_new ();

  if (id >= 0)
    append_section (menu, make_marks_section (self, id));
  if (ns_marks_find_pin (marks, self->target.panel, &self->target.place) < 0)
    append (section, g_strdup_printf (_ ("Pin %s"), place), "marks.pin", -1);
  else
    append (section, g_strdup_printf (_ ("Unpin %s"), place), "marks.pin", -1);
  if (last >= 0)
    {
      g_autofree char *other = ns_flow_dup_place (&g_array_index (marks->pins, NsPin, last).place);

      append (section, g_strdup_printf (_ ("Ratio of %s to %s"), place, other), "marks.ratio", -1);
    }
  append (section, g_strdup (_ ("Add Note…")), "marks.note", -1);
  append (section, g_strdup (_ ("Add Arrow…")), "marks.arrow", -1);
  append_section (menu, section);
  if (self->target.variant >= 0)
    {
      section = g_menu_new ();
      append (section,
              g_strdup_printf (_ ("Keep Curve of %s"),
                               ns_experiment_variant (experiment, (guint) self->target.variant)->name),
              "marks.keep", self->target.variant);
      append_section (menu, section);
    }
  if (!ns_marks_are_empty (marks))
    {
      section = g_menu_new ();
      append_submenu (section, _ ("Edit"), make_list (self, TRUE, "marks.edit"));
      append_submenu (section, _ ("Remove"), make_list (self, FALSE, "marks.remove"));
      append (section, g_strdup (_ ("Remove All Marks")), "marks.remove-all", -1);
      append_section (menu, section);
    }
  return menu;
}

void
normscope_flow_marks_open_menu (NormscopeFlowMarks *self, int id)
{
  g_autoptr (GMenu) menu = make_menu (self, id);
  GtkWidget *popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));

  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  show_popover (self, popover);
}

/* ---- actions ---- */

void
normscope_flow_marks_add_actions (NormscopeFlowMarks *self)
{
  const GActionEntry entries[] = {
    { .name = "pin", .activate = pin_cb },
    { .name = "ratio", .activate = ratio_cb },
    { .name = "note", .activate = note_cb },
    { .name = "arrow", .activate = arrow_cb },
    { .name = "keep", .activate = keep_cb, .parameter_type = "i" },
    { .name = "edit", .activate = edit_cb, .parameter_type = "i" },
    { .name = "remove", .activate = remove_cb, .parameter_type = "i" },
    { .name = "remove-all", .activate = remove_all_cb },
  };

  self->actions = G_ACTION_GROUP (g_simple_action_group_new ());
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self->plot), "marks", self->actions);
}
