/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-presenter-bar.h"

#include <glib/gi18n-lib.h>

#define AWAKE_MS 3000
#define BAR_FADE_MS 120

struct _NormscopePresenterBar
{
  AdwBin parent_instance;

  GtkRevealer *revealer;
  GtkWidget *previous, *next, *notes;
  GtkLabel *position, *title;
  GtkEventController *motion, *focus;
  guint sleep_id;
};

G_DEFINE_FINAL_TYPE (NormscopePresenterBar, normscope_presenter_bar, ADW_TYPE_BIN)

static gboolean
is_in_use (NormscopePresenterBar *self)
{
  return gtk_event_controller_motion_contains_pointer (GTK_EVENT_CONTROLLER_MOTION (self->motion))
         || gtk_event_controller_focus_contains_focus (GTK_EVENT_CONTROLLER_FOCUS (self->focus));
}

static gboolean
sleep_cb (gpointer data)
{
  NormscopePresenterBar *self = data;

  if (is_in_use (self))
    return G_SOURCE_CONTINUE;
  self->sleep_id = 0;
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
  return G_SOURCE_REMOVE;
}

void
normscope_presenter_bar_wake (NormscopePresenterBar *self)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER_BAR (self));
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
  g_clear_handle_id (&self->sleep_id, g_source_remove);
  self->sleep_id = g_timeout_add (AWAKE_MS, sleep_cb, self);
}

gboolean
normscope_presenter_bar_is_awake (NormscopePresenterBar *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PRESENTER_BAR (self), FALSE);
  return gtk_revealer_get_reveal_child (self->revealer);
}

void
normscope_presenter_bar_set_step (NormscopePresenterBar *self, const char *title, guint step, guint n_steps)
{
  g_autofree char *position = NULL, *spoken = NULL;

  g_return_if_fail (NORMSCOPE_IS_PRESENTER_BAR (self));
  position = g_strdup_printf ("%u/%u", step + 1, n_steps);
  /* Translators: the position in a lecture, as a screen reader says it */
  spoken = g_strdup_printf (_ ("Step %u of %u"), step + 1, n_steps);
  gtk_label_set_label (self->position, position);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->position), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken, -1);
  gtk_label_set_label (self->title, title);
  gtk_widget_set_visible (GTK_WIDGET (self->title), n_steps == 0); /* else the text beside the plots has it */
  gtk_widget_set_visible (self->previous, n_steps > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->position), n_steps > 0);
  gtk_widget_set_visible (self->next, n_steps > 0);
  gtk_widget_set_visible (self->notes, n_steps > 0);
}

static GtkWidget *
add_bar_button (GtkWidget *box, const char *icon, const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = icon != NULL ? gtk_button_new_from_icon_name (icon) : gtk_button_new_with_label (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_add_css_class (button, "flat");
  /* A click leaves the focus where it is: the keys keep their meaning. */
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
normscope_presenter_bar_dispose (GObject *object)
{
  g_clear_handle_id (&NORMSCOPE_PRESENTER_BAR (object)->sleep_id, g_source_remove);
  G_OBJECT_CLASS (normscope_presenter_bar_parent_class)->dispose (object);
}

static void
normscope_presenter_bar_class_init (NormscopePresenterBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_presenter_bar_dispose;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "presenterbar");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_TOOLBAR);
}

static void
normscope_presenter_bar_init (NormscopePresenterBar *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *revealer = gtk_revealer_new ();

  self->previous = add_bar_button (box, "go-previous-symbolic", _ ("Previous step"), _ ("Previous step (Page Up)"),
                                   "present.previous");
  self->position = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->position), "numeric");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->position));
  self->next = add_bar_button (box, "go-next-symbolic", _ ("Next step"), _ ("Next step (Page Down)"), "present.next");
  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (self->title, 48);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "title");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->title));
  add_bar_button (box, NULL, _ ("Controls"), _ ("Show or hide the controls of the experiment (C)"), "present.controls");
  self->notes = add_bar_button (box, NULL, _ ("Notes"), _ ("Notes, next step and clock in a window of their own (S)"),
                                "present.notes");
  add_bar_button (box, NULL, _ ("Blank"), _ ("Blank the screen (B)"), "present.blank");
  add_bar_button (box, NULL, _ ("End"), _ ("End the presentation (Esc)"), "present.end");

  gtk_widget_add_css_class (box, "bar");
  self->revealer = GTK_REVEALER (revealer);
  gtk_revealer_set_transition_type (self->revealer, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
  gtk_revealer_set_transition_duration (self->revealer, BAR_FADE_MS);
  gtk_revealer_set_child (self->revealer, box);
  adw_bin_set_child (ADW_BIN (self), revealer);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Presentation"), -1);

  self->motion = gtk_event_controller_motion_new ();
  gtk_widget_add_controller (GTK_WIDGET (self), self->motion);
  self->focus = gtk_event_controller_focus_new ();
  gtk_widget_add_controller (GTK_WIDGET (self), self->focus);
}

GtkWidget *
normscope_presenter_bar_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_PRESENTER_BAR, NULL);
}
