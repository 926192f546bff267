/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-notes.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-note-editor.h"
#include "app/shared/normscope-popovers.h"
#include "engine/experiment/ns-experiment.h"

typedef struct
{
  NormscopePlot *plot;
  NormscopeSession *session;
  NsNote target; /* where the menu or the editor writes; without a text */
  double x, y;   /* px of the plot */
} Notes;

static NsFigureKind
get_kind_of_notes (Notes *self)
{
  return normscope_session_get_paths (self->session)->figure;
}

static void
show_message (Notes *self, const char *message)
{
  gtk_widget_activate_action (GTK_WIDGET (self->plot), "win.show-message", "s", message);
}

static void
take (Notes *self, NsMarks *marks)
{
  g_autoptr (GError) error = NULL;

  if (!normscope_session_take_marks (self->session, marks, &error))
    show_message (self, error->message);
}

/* ---- what is there ---- */

/* Return the variant of the curve or map under the pointer, or the panel's first. */
static int
find_variant (Notes *self, const NsPanel *panel, int under)
{
  guint n = normscope_session_get_n_variants (self->session);
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);

  for (int s = under >= 0 ? under : 0; s < MAX ((int) panel->series->len, 1); s++)
    for (guint v = 0; v < n; v++)
      {
        const NsSeries *series = panel->heat_map == NULL && s < (int) panel->series->len
                                     ? g_ptr_array_index (panel->series, s)
                                     : NULL;
        const char *name = panel->heat_map != NULL ? panel->heat_map->name : series != NULL ? series->name : NULL;

        if ((series == NULL || series->role == NS_ROLE_DATA)
            && g_strcmp0 (ns_experiment_variant (experiment, v)->name, name) == 0)
          return (int) v;
      }
  return -1;
}

/* Set the target to a point of a panel; FALSE, with a message, where no note can stand. */
static gboolean
set_target (Notes *self, guint p, int series, double x, double y)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plot);
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const NsPanel *panel = g_ptr_array_index (figure->panels, p);
  const NsViewChoice *choice = normscope_session_get_paths (self->session);
  NsNote *note = &self->target;

  *note = (NsNote) { .variant = find_variant (self, panel, series) };
  note->figure = ns_paths_get_note_figure ((int) choice->figure, &choice->options.paths, p, &note->has_column,
                                           &note->quantity);
  note->place = ns_flow_get_place (experiment, note->has_column ? y : x);
  if (note->has_column)
    note->column = ns_flow_get_place (experiment, x);
  return note->variant >= 0 && (!note->has_column || !isnan (y));
}

static gboolean
can_mark (Notes *self)
{
  return normscope_plot_get_figure (self->plot) != NULL && !normscope_session_get_asking (self->session);
}

/* ---- the editor ---- */

static void
show_popover (Notes *self, GtkWidget *popover)
{
  normscope_popovers_open (GTK_WIDGET (self->plot), popover, &(GdkRectangle){ (int) self->x, (int) self->y, 1, 1 });
}

static void
text_cb (Notes *self, int id, NsNoteKind kind, const char *text)
{
  NsMarks *marks = ns_marks_copy (normscope_session_get_marks (self->session));

  if (id >= 0)
    {
      NsNote *note = g_ptr_array_index (marks->notes, NS_MARKS_ID_INDEX (id));

      g_free (note->text);
      note->text = g_strdup (text);
    }
  else
    {
      NsNote note = self->target;

      note.kind = kind;
      note.text = (char *) text;
      ns_marks_add_note (marks, &note);
    }
  take (self, marks);
}

static void
edit (Notes *self, int id, NsNoteKind kind, const char *text)
{
  GtkWidget *editor = normscope_note_editor_new (id, kind, text);

  g_signal_connect_swapped (editor, "text", G_CALLBACK (text_cb), self);
  show_popover (self, editor);
}

static void
add_note (Notes *self, NsNoteKind kind)
{
  if (!ns_figure_takes (get_kind_of_notes (self), NS_FIGURE_OPTION_NOTE))
    show_message (self, _ ("Notes stand at a block of a curve or a map, which this figure does not have"));
  else if (self->target.variant < 0)
    show_message (self, _ ("No visible curve has a value there"));
  else
    edit (self, -1, kind, "");
}

/* ---- the menu ---- */

static void
note_cb (GSimpleAction *action, GVariant *parameter, gpointer self)
{
  add_note (self, NS_NOTE_TEXT);
}

static void
arrow_cb (GSimpleAction *action, GVariant *parameter, gpointer self)
{
  add_note (self, NS_NOTE_ARROW);
}

static void
keep_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Notes *self = data;
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  guint variant = (guint) self->target.variant;
  const NormscopeVariantLook *look = normscope_session_get_look (self->session, variant);
  NsMarks *marks = ns_marks_copy (normscope_session_get_marks (self->session));
  g_autofree char *name = g_strdup_printf (_ ("%s, depth %d"), ns_experiment_variant (experiment, variant)->name,
                                           (int) experiment->shape.depth);
  NsReference *reference = ns_marks_add_reference (marks, name, experiment, variant, NULL);

  reference->style = look->style;
  reference->has_color = look->has_color;
  reference->color = look->color;
  take (self, marks);
}

static void
edit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Notes *self = data;
  int id = g_variant_get_int32 (parameter);
  const NsNote *note;

  if (NS_MARKS_ID_INDEX (id) >= ns_marks_get_n (normscope_session_get_marks (self->session), NS_MARKS_ID_LIST (id)))
    return;
  note = g_ptr_array_index (normscope_session_get_marks (self->session)->notes, NS_MARKS_ID_INDEX (id));
  edit (self, id, note->kind, note->text);
}

static void
remove_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  Notes *self = data;
  int id = g_variant_get_int32 (parameter);
  NsMarks *marks = ns_marks_copy (normscope_session_get_marks (self->session));

  if (NS_MARKS_ID_INDEX (id) < ns_marks_get_n (marks, NS_MARKS_ID_LIST (id)))
    ns_marks_remove (marks, id);
  take (self, marks);
}

static void
remove_all_cb (GSimpleAction *action, GVariant *parameter, gpointer self)
{
  take (self, ns_marks_new ());
}

static void
append (GMenu *menu, const char *label, const char *action, int id)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, action);

  if (id >= 0)
    g_menu_item_set_action_and_target (item, action, "i", id);
  g_menu_append_item (menu, item);
}

static void
open_menu (Notes *self, int id)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *popover;

  if (id >= 0 && NS_MARKS_ID_LIST (id) == NS_MARKS_NOTES)
    append (menu, _ ("Edit Text…"), "marks.edit", id);
  if (id >= 0)
    append (menu, _ ("Remove"), "marks.remove", id);
  append (menu, _ ("Add Note…"), "marks.note", -1);
  append (menu, _ ("Add Arrow…"), "marks.arrow", -1);
  if (!ns_figure_takes (get_kind_of_notes (self), NS_FIGURE_OPTION_REFERENCE))
    /* Without an action it is grey: it says why nothing is offered. */
    append (menu, _ ("Kept curves are not drawn in this figure"), "marks.none", -1);
  else if (self->target.variant >= 0)
    append (menu, _ ("Keep Curve"), "marks.keep", -1);
  if (!ns_marks_are_empty (normscope_session_get_marks (self->session)))
    append (menu, _ ("Remove All Marks"), "marks.remove-all", -1);
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  show_popover (self, popover);
}

/* ---- pointer and keys ---- */

static void
menu_cb (Notes *self, int n_press, double x, double y, GtkGesture *gesture)
{
  NsHit hit;

  if (!can_mark (self) || !normscope_plot_hit (self->plot, x, y, &hit) || hit.panel < 0)
    return;
  set_target (self, (guint) hit.panel, hit.series, hit.x, hit.y);
  self->x = x;
  self->y = y;
  gtk_widget_grab_focus (GTK_WIDGET (self->plot));
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  open_menu (self, normscope_plot_find_annotation (self->plot, x, y));
}

static gboolean
notes_key_cb (Notes *self, guint key, guint code, GdkModifierType state)
{
  NsRect plot;
  double x;

  key = gdk_keyval_to_lower (key);
  if ((key != GDK_KEY_n && key != GDK_KEY_Menu) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0
      || !gtk_widget_is_focus (GTK_WIDGET (self->plot)))
    return GDK_EVENT_PROPAGATE;
  if (!can_mark (self) || !normscope_plot_get_crosshair (self->plot, &x, &plot))
    {
      gtk_widget_error_bell (GTK_WIDGET (self->plot));
      return GDK_EVENT_STOP;
    }
  set_target (self, 0, -1, normscope_plot_get_cursor (self->plot), normscope_plot_get_cursor_y (self->plot));
  self->x = x;
  self->y = plot.y + 0.5 * plot.height;
  if (key == GDK_KEY_Menu)
    open_menu (self, -1);
  else
    add_note (self, (state & GDK_SHIFT_MASK) != 0 ? NS_NOTE_ARROW : NS_NOTE_TEXT);
  return GDK_EVENT_STOP;
}

void
normscope_paths_notes_install (NormscopePlot *plot, NormscopeSession *session)
{
  const GActionEntry entries[] = {
    { .name = "note", .activate = note_cb },
    { .name = "arrow", .activate = arrow_cb },
    { .name = "keep", .activate = keep_cb },
    { .name = "edit", .activate = edit_cb, .parameter_type = "i" },
    { .name = "remove", .activate = remove_cb, .parameter_type = "i" },
    { .name = "remove-all", .activate = remove_all_cb },
  };
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  Notes *self = g_new0 (Notes, 1);

  self->plot = plot;
  self->session = session;
  g_object_set_data_full (G_OBJECT (plot), "normscope-paths-notes", self, g_free);
  g_action_map_add_action_entries (G_ACTION_MAP (actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (plot), "marks", G_ACTION_GROUP (actions));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (menu_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (notes_key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (plot), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (plot), key);
}
