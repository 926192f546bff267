/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-prose-link.h"

struct _NormscopeProseLink
{
  GtkWidget parent_instance;

  char *page;
};

G_DEFINE_FINAL_TYPE (NormscopeProseLink, normscope_prose_link, GTK_TYPE_WIDGET)

enum
{
  PROSE_LINK_SIGNAL_ACTIVATED,
  N_PROSE_LINK_SIGNALS
};
static guint prose_link_signals[N_PROSE_LINK_SIGNALS];

const char *
normscope_prose_link_get_page (NormscopeProseLink *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PROSE_LINK (self), NULL);
  return self->page;
}

static void
normscope_prose_link_finalize (GObject *object)
{
  g_free (NORMSCOPE_PROSE_LINK (object)->page);
  G_OBJECT_CLASS (normscope_prose_link_parent_class)->finalize (object);
}

static void
normscope_prose_link_class_init (NormscopeProseLinkClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_prose_link_finalize;
  prose_link_signals[PROSE_LINK_SIGNAL_ACTIVATED] = g_signal_new (
      "activated", NORMSCOPE_TYPE_PROSE_LINK, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_activate_signal (widget_class, prose_link_signals[PROSE_LINK_SIGNAL_ACTIVATED]);
  gtk_widget_class_add_binding_signal (widget_class, GDK_KEY_Return, 0, "activated", NULL);
  gtk_widget_class_add_binding_signal (widget_class, GDK_KEY_KP_Enter, 0, "activated", NULL);
  gtk_widget_class_add_binding_signal (widget_class, GDK_KEY_space, 0, "activated", NULL);
  /* The theme's focus ring of links. */
  gtk_widget_class_set_css_name (widget_class, "link");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LINK);
}

static void
normscope_prose_link_init (NormscopeProseLink *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

GtkWidget *
normscope_prose_link_new (const char *page, const char *text)
{
  NormscopeProseLink *self = g_object_new (NORMSCOPE_TYPE_PROSE_LINK, NULL);

  self->page = g_strdup (page);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  return GTK_WIDGET (self);
}
