/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-message.h"

#include <glib/gi18n-lib.h>

#define MESSAGE_CHARS 80

struct _NormscopeMessage
{
  GtkBox parent_instance;

  GtkLabel *label;
  GtkButton *button; /* hidden without an action */
  char *action;
  GVariant *target;
  guint number;
  guint timeout_id;
};

G_DEFINE_FINAL_TYPE (NormscopeMessage, normscope_message, GTK_TYPE_BOX)

static void
hide_message (NormscopeMessage *self)
{
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/* Wait as long as the pointer or the focus is on it. */
static gboolean
message_timeout_cb (gpointer data)
{
  NormscopeMessage *self = data;
  GtkStateFlags used = GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN;

  if ((gtk_widget_get_state_flags (GTK_WIDGET (self)) & used) != 0)
    return G_SOURCE_CONTINUE;
  self->timeout_id = 0;
  hide_message (self);
  return G_SOURCE_REMOVE;
}

/* Hide first: the action may show a message, too. */
static void
button_clicked_cb (NormscopeMessage *self)
{
  g_autofree char *action = g_steal_pointer (&self->action);
  g_autoptr (GVariant) target = g_steal_pointer (&self->target);

  hide_message (self);
  if (action != NULL)
    gtk_widget_activate_action_variant (GTK_WIDGET (self), action, target);
}

static gboolean
escape_message_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  hide_message (NORMSCOPE_MESSAGE (widget));
  return GDK_EVENT_STOP;
}

guint
normscope_message_show (NormscopeMessage *self, const char *text, guint seconds)
{
  return normscope_message_offer (self, text, seconds, NULL, NULL, NULL);
}

guint
normscope_message_offer (NormscopeMessage *self, const char *text, guint seconds, const char *label,
                         const char *action, GVariant *target)
{
  g_return_val_if_fail (NORMSCOPE_IS_MESSAGE (self), 0);
  g_return_val_if_fail (text != NULL, 0);

  g_clear_handle_id (&self->timeout_id, g_source_remove);
  g_clear_pointer (&self->target, g_variant_unref);
  g_free (self->action);
  self->action = g_strdup (action);
  self->target = target != NULL ? g_variant_ref_sink (target) : NULL;
  gtk_label_set_label (self->label, text);
  gtk_button_set_label (self->button, label != NULL ? label : "");
  gtk_widget_set_visible (GTK_WIDGET (self->button), action != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  self->timeout_id = g_timeout_add_seconds (seconds, message_timeout_cb, self);
  return ++self->number;
}

void
normscope_message_dismiss (NormscopeMessage *self, guint number)
{
  g_return_if_fail (NORMSCOPE_IS_MESSAGE (self));
  if (number == self->number)
    hide_message (self);
}

static void
normscope_message_dispose (GObject *object)
{
  NormscopeMessage *self = NORMSCOPE_MESSAGE (object);

  g_clear_handle_id (&self->timeout_id, g_source_remove);
  g_clear_pointer (&self->target, g_variant_unref);
  g_clear_pointer (&self->action, g_free);
  G_OBJECT_CLASS (normscope_message_parent_class)->dispose (object);
}

static void
normscope_message_class_init (NormscopeMessageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_message_dispose;
  gtk_widget_class_set_css_name (widget_class, "toast");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, escape_message_cb, NULL);
}

static void
normscope_message_init (NormscopeMessage *self)
{
  GtkWidget *widget = GTK_WIDGET (self), *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->label, TRUE);
  gtk_label_set_wrap_mode (self->label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (self->label, MESSAGE_CHARS);
  gtk_label_set_xalign (self->label, 0);
  gtk_widget_set_hexpand (GTK_WIDGET (self->label), TRUE);
  self->button = GTK_BUTTON (gtk_button_new ());
  gtk_button_set_use_underline (self->button, TRUE);
  gtk_widget_set_valign (GTK_WIDGET (self->button), GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (close, "circular");
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_valign (close, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (close, _ ("Dismiss"));
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (button_clicked_cb), self);
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (hide_message), self);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->label));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->button));
  gtk_box_append (GTK_BOX (self), close);
  gtk_widget_add_css_class (widget, "osd");
  gtk_widget_set_halign (widget, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (widget, GTK_ALIGN_END);
  gtk_widget_set_visible (widget, FALSE);
}
