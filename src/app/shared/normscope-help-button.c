/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-help-button.h"

#include <glib/gi18n-lib.h>

#define PAGE_KEY "normscope-help-page"
#define KEYS_KEY "normscope-help-keys"

static gboolean
show_page_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  const char *page = g_object_get_data (G_OBJECT (widget), PAGE_KEY);

  return page != NULL && gtk_widget_activate_action (widget, "win.help-page", "s", page);
}

/* The accelerators of the application do not reach the widgets of a popover. */
static void
add_key (GtkWidget *widget)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_F1, 0),
                                                          gtk_callback_action_new (show_page_cb, NULL, NULL)));
  gtk_widget_add_controller (widget, keys);
  g_object_set_data (G_OBJECT (widget), KEYS_KEY, keys);
}

void
normscope_help_set_page (GtkWidget *widget, const char *page)
{
  g_return_if_fail (GTK_IS_WIDGET (widget));
  if (g_object_get_data (G_OBJECT (widget), KEYS_KEY) == NULL)
    add_key (widget);
  g_object_set_data_full (G_OBJECT (widget), PAGE_KEY, g_strdup (page), g_free);
}

const char *
normscope_help_get_page (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    {
      const char *page = g_object_get_data (G_OBJECT (widget), PAGE_KEY);

      if (page != NULL)
        return page;
    }
  return NULL;
}

GtkWidget *
normscope_help_button_new (const char *page, const char *title)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("normscope-info-symbolic");
  /* Translators: %s is the name of a control or quantity */
  g_autofree char *label = g_strdup_printf (_ ("Help on %s"), title);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "help");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.help-page");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", page);
  return button;
}
