/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/lecture/normscope-step-editor.h"
#include "engine/experiment/ns-text.h"

/* Height of the list, in px: about five steps; it scrolls. */
#define LIST_PX 190
/* A press that moves this far drags, in px. */
#define DRAG_PX 8

struct _NormscopeLecturePanel
{
  GtkBox parent_instance;

  NormscopeLectureSession *lecture;
  GtkEditable *title;
  GtkListBox *list;
  NormscopeStepEditor *step;
  GtkListBoxRow *dragged, *target; /* while a row is dragged; borrowed */
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (NormscopeLecturePanel, normscope_lecture_panel, GTK_TYPE_BOX)

/* ---- the list ---- */

static char *
dup_row_name (const NsLectureStep *step, guint index)
{
  const char *figure = _ (ns_figure_info (step->view.figure)->title);

  /* Translators: for screen readers: number and title of a step of a lecture, and its view, "Flow" */
  return g_strdup_printf (step->question != NULL ? _ ("Step %u: %s, %s, with a question") : _ ("Step %u: %s, %s"),
                          index + 1, step->title, figure);
}

static void
fill_row (GtkListBoxRow *row, const NsLectureStep *step, guint index)
{
  GtkWidget *box = gtk_list_box_row_get_child (row);
  GtkWidget *number = gtk_widget_get_first_child (box), *title = gtk_widget_get_next_sibling (number);
  g_autofree char *digits = g_strdup_printf ("%u", index + 1);
  g_autofree char *name = dup_row_name (step, index);

  gtk_label_set_label (GTK_LABEL (number), digits);
  gtk_label_set_label (GTK_LABEL (title), step->title);
  gtk_widget_set_visible (gtk_widget_get_next_sibling (title), step->question != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (row), step->title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkWidget *
row_new (void)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *number = gtk_label_new (""), *title = gtk_label_new (""), *question = gtk_label_new ("?");

  gtk_label_set_width_chars (GTK_LABEL (number), 3);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_widget_add_css_class (number, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (question, "heading");
  gtk_box_append (GTK_BOX (box), number);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), question);
  gtk_widget_set_margin_end (box, 8);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  return row;
}

static void
refresh_list (NormscopeLecturePanel *self)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (self->lecture);
  guint n = normscope_lecture_session_get_n_steps (self->lecture);
  GtkListBoxRow *row;

  self->dragged = self->target = NULL;
  while ((row = gtk_list_box_get_row_at_index (self->list, (int) n)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = 0; i < n; i++)
    {
      row = gtk_list_box_get_row_at_index (self->list, (int) i);
      if (row == NULL)
        {
          row = GTK_LIST_BOX_ROW (row_new ());
          gtk_list_box_append (self->list, GTK_WIDGET (row));
        }
      fill_row (row, ns_lecture_get_step (lecture, i), i);
    }
  row = gtk_list_box_get_row_at_index (self->list, (int) normscope_lecture_session_get_index (self->lecture));
  if (row != NULL && gtk_list_box_get_selected_row (self->list) != row)
    gtk_list_box_select_row (self->list, row);
}

static void
row_activated_cb (NormscopeLecturePanel *self, GtkListBoxRow *row)
{
  normscope_lecture_session_go_to (self->lecture, (guint) gtk_list_box_row_get_index (row));
}

/* ---- editing the list ---- */

static gboolean
has_step (NormscopeLecturePanel *self)
{
  return normscope_lecture_session_get_step (self->lecture) != NULL;
}

static void
move_step (NormscopeLecturePanel *self, guint from, guint to)
{
  NsLecture *lecture;

  if (from == to || MAX (from, to) >= normscope_lecture_session_get_n_steps (self->lecture))
    return;
  lecture = ns_lecture_copy (normscope_lecture_session_get_lecture (self->lecture));
  ns_lecture_move_step (lecture, from, to);
  normscope_lecture_session_commit (self->lecture, lecture, to, NULL);
}

static void
up_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLecturePanel *self = NORMSCOPE_LECTURE_PANEL (widget);
  guint index = normscope_lecture_session_get_index (self->lecture);

  if (index > 0)
    move_step (self, index, index - 1);
}

static void
down_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLecturePanel *self = NORMSCOPE_LECTURE_PANEL (widget);
  guint index = normscope_lecture_session_get_index (self->lecture);

  move_step (self, index, index + 1);
}

static void
remove_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLecturePanel *self = NORMSCOPE_LECTURE_PANEL (widget);
  guint index = normscope_lecture_session_get_index (self->lecture);
  NsLecture *lecture;

  if (!has_step (self))
    return;
  lecture = ns_lecture_copy (normscope_lecture_session_get_lecture (self->lecture));
  ns_lecture_remove_step (lecture, index);
  normscope_lecture_session_commit (self->lecture, lecture, index, NULL);
}

static void
duplicate_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLecturePanel *self = NORMSCOPE_LECTURE_PANEL (widget);
  guint index = normscope_lecture_session_get_index (self->lecture);
  NsLecture *lecture;

  if (!has_step (self) || normscope_lecture_session_get_n_steps (self->lecture) >= NS_LECTURE_MAX_STEPS)
    return;
  lecture = ns_lecture_copy (normscope_lecture_session_get_lecture (self->lecture));
  ns_lecture_take_step (lecture, index + 1, ns_lecture_step_copy (ns_lecture_get_step (lecture, index)));
  normscope_lecture_session_commit (self->lecture, lecture, index + 1, NULL);
}

static void
rename_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeLecturePanel *self = NORMSCOPE_LECTURE_PANEL (widget);

  if (has_step (self))
    normscope_step_editor_rename (self->step);
}

static void
undo_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_lecture_session_undo (NORMSCOPE_LECTURE_PANEL (widget)->lecture);
}

static void
redo_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_lecture_session_redo (NORMSCOPE_LECTURE_PANEL (widget)->lecture);
}

/* ---- dragging a step ---- */

static void
set_target (NormscopeLecturePanel *self, GtkListBoxRow *row)
{
  if (self->target != NULL)
    gtk_widget_remove_css_class (GTK_WIDGET (self->target), "drop-row");
  self->target = row;
  if (row != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (row), "drop-row");
}

static void
panel_drag_begin_cb (NormscopeLecturePanel *self, double x, double y)
{
  self->dragged = gtk_list_box_get_row_at_y (self->list, (int) y);
  self->target = NULL;
}

static void
panel_drag_update_cb (NormscopeLecturePanel *self, double dx, double dy, GtkGestureDrag *drag)
{
  double x, y;

  if (self->dragged == NULL || (self->target == NULL && ABS (dy) < DRAG_PX))
    return;
  gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_gesture_drag_get_start_point (drag, &x, &y);
  set_target (self, gtk_list_box_get_row_at_y (self->list, (int) MAX (y + dy, 0)));
}

static void
drag_end_cb (NormscopeLecturePanel *self)
{
  GtkListBoxRow *from = self->dragged, *to = self->target;

  set_target (self, NULL);
  self->dragged = NULL;
  if (from != NULL && to != NULL && from != to)
    move_step (self, (guint) gtk_list_box_row_get_index (from), (guint) gtk_list_box_row_get_index (to));
}

/* ---- the lecture's title ---- */

static void
title_cb (NormscopeLecturePanel *self)
{
  const char *title = gtk_editable_get_text (self->title);
  NsLecture *lecture;

  if (self->is_filling || !normscope_lecture_session_is_open (self->lecture))
    return;
  gtk_widget_remove_css_class (GTK_WIDGET (self->title), "error");
  if (!ns_text_is_line (title) || strlen (title) > NS_LECTURE_MAX_TITLE_BYTES)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->title), "error");
      return;
    }
  lecture = ns_lecture_copy (normscope_lecture_session_get_lecture (self->lecture));
  g_free (lecture->title);
  lecture->title = g_strdup (title);
  normscope_lecture_session_commit (self->lecture, lecture, normscope_lecture_session_get_index (self->lecture),
                                    self->title);
}

static void
refresh_title (NormscopeLecturePanel *self, gboolean is_other)
{
  const NsLecture *lecture = normscope_lecture_session_get_lecture (self->lecture);

  if (lecture == NULL || (!is_other && gtk_widget_has_css_class (GTK_WIDGET (self->title), "error"))
      || strcmp (gtk_editable_get_text (self->title), lecture->title) == 0)
    return;
  gtk_editable_set_text (self->title, lecture->title);
}

static void
refresh_panel (NormscopeLecturePanel *self, guint change)
{
  GtkWidget *widget = GTK_WIDGET (self);
  guint n = normscope_lecture_session_get_n_steps (self->lecture);
  guint index = normscope_lecture_session_get_index (self->lecture);

  self->is_filling = TRUE;
  refresh_title (self, (change & NORMSCOPE_LECTURE_CHANGED_OPEN) != 0);
  refresh_list (self);
  self->is_filling = FALSE;
  gtk_widget_action_set_enabled (widget, "lecture.up", index > 0);
  gtk_widget_action_set_enabled (widget, "lecture.down", index + 1 < n);
  gtk_widget_action_set_enabled (widget, "lecture.remove", n > 0);
  gtk_widget_action_set_enabled (widget, "lecture.duplicate", n > 0 && n < NS_LECTURE_MAX_STEPS);
  gtk_widget_action_set_enabled (widget, "lecture.rename", n > 0);
  gtk_widget_action_set_enabled (widget, "lecture.undo", normscope_lecture_session_can_undo (self->lecture));
  gtk_widget_action_set_enabled (widget, "lecture.redo", normscope_lecture_session_can_redo (self->lecture));
}

/* ---- the object ---- */

static void
normscope_lecture_panel_finalize (GObject *object)
{
  g_clear_object (&NORMSCOPE_LECTURE_PANEL (object)->lecture);
  G_OBJECT_CLASS (normscope_lecture_panel_parent_class)->finalize (object);
}

static void
normscope_lecture_panel_class_init (NormscopeLecturePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_lecture_panel_finalize;
  gtk_widget_class_install_action (widget_class, "lecture.up", NULL, up_cb);
  gtk_widget_class_install_action (widget_class, "lecture.down", NULL, down_cb);
  gtk_widget_class_install_action (widget_class, "lecture.remove", NULL, remove_cb);
  gtk_widget_class_install_action (widget_class, "lecture.duplicate", NULL, duplicate_cb);
  gtk_widget_class_install_action (widget_class, "lecture.rename", NULL, rename_cb);
  gtk_widget_class_install_action (widget_class, "lecture.undo", NULL, undo_cb);
  gtk_widget_class_install_action (widget_class, "lecture.redo", NULL, redo_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Up, GDK_ALT_MASK, "lecture.up", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Down, GDK_ALT_MASK, "lecture.down", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Delete, 0, "lecture.remove", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_d, GDK_CONTROL_MASK, "lecture.duplicate", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F2, 0, "lecture.rename", NULL);
}

static GtkWidget *
add_panel_button (GtkBox *box, const char *icon, const char *action, const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_add_css_class (button, "flat");
  gtk_box_append (box, button);
  return button;
}

static GtkWidget *
add_text_button (GtkBox *box, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_hexpand (button, TRUE);
  gtk_box_append (box, button);
  return button;
}

static void
add_buttons (NormscopeLecturePanel *self)
{
  GtkBox *tools = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  GtkBox *steps = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));

  add_text_button (steps, _ ("_Add Step"), "win.add-step", _ ("Add what is on the screen as a step (Ctrl+Shift+A)"));
  add_text_button (steps, _ ("_Update Step"), "win.update-step", _ ("Put what is on the screen into this step"));
  add_panel_button (tools, "go-up-symbolic", "lecture.up", _ ("Move up"), _ ("Move the step up (Alt+Up)"));
  add_panel_button (tools, "go-down-symbolic", "lecture.down", _ ("Move down"), _ ("Move the step down (Alt+Down)"));
  add_panel_button (tools, "edit-copy-symbolic", "lecture.duplicate", _ ("Duplicate"),
                    _ ("Duplicate the step (Ctrl+D)"));
  add_panel_button (tools, "edit-delete-symbolic", "lecture.remove", _ ("Remove"), _ ("Remove the step (Delete)"));
  add_panel_button (tools, "edit-undo-symbolic", "lecture.undo", _ ("Undo in the lecture"),
                    _ ("Undo the last change of the lecture (Ctrl+Z in this panel)"));
  add_panel_button (tools, "edit-redo-symbolic", "lecture.redo", _ ("Redo in the lecture"),
                    _ ("Redo the change of the lecture (Ctrl+Shift+Z in this panel)"));
  gtk_actionable_set_detailed_action_name (
      GTK_ACTIONABLE (add_text_button (tools, _ ("_Read"), NULL, _ ("Read the lecture, step by step"))),
      "win.lecture-panel::reader");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (steps));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (tools));
}

static void
add_step_list (NormscopeLecturePanel *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_BROWSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Steps"), -1);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (row_activated_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (panel_drag_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (panel_drag_update_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-end", G_CALLBACK (drag_end_cb), self, G_CONNECT_SWAPPED);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->list), GTK_EVENT_CONTROLLER (drag));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->list));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), LIST_PX);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_box_append (GTK_BOX (self), scrolled);
}

GtkWidget *
normscope_lecture_panel_new (NormscopeLectureSession *lecture)
{
  NormscopeLecturePanel *self = g_object_new (NORMSCOPE_TYPE_LECTURE_PANEL, NULL);
  GtkBox *head = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->lecture = g_object_ref (lecture);
  self->title = GTK_EDITABLE (gtk_entry_new ());
  gtk_widget_set_hexpand (GTK_WIDGET (self->title), TRUE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), _ ("Title of the lecture"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->title), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Title of the lecture"), -1);
  g_signal_connect_object (self->title, "changed", G_CALLBACK (title_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (head, GTK_WIDGET (self->title));
  add_panel_button (head, "document-save-symbolic", "win.save-lecture", _ ("Save the lecture"), _ ("Save the lecture"));
  add_panel_button (head, "window-close-symbolic", "win.close-lecture", _ ("Close the lecture"),
                    _ ("Close the lecture"));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (head));
  add_buttons (self);
  add_step_list (self);
  self->step = NORMSCOPE_STEP_EDITOR (normscope_step_editor_new (lecture));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->step));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (self), scrolled);
  g_signal_connect_object (lecture, "changed", G_CALLBACK (refresh_panel), self, G_CONNECT_SWAPPED);
  refresh_panel (self, NORMSCOPE_LECTURE_CHANGED_OPEN);
  return GTK_WIDGET (self);
}

static void
normscope_lecture_panel_init (NormscopeLecturePanel *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  gtk_widget_set_hexpand (GTK_WIDGET (self), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self), "background");
  gtk_widget_add_css_class (GTK_WIDGET (self), "lecture-panel");
}
