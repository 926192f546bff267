/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-tooltips.h"

typedef gboolean (*Query) (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip);

static Query default_query;

static gboolean
has_open_popover (GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child) && gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

gboolean
normscope_tooltips_may_show (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);

  if (root != NULL && gtk_widget_has_css_class (GTK_WIDGET (root), NORMSCOPE_PRESENTED_CLASS))
    return FALSE;
  /* What is in the popover itself has tooltips. */
  for (; widget != NULL && !GTK_IS_NATIVE (widget); widget = gtk_widget_get_parent (widget))
    if (has_open_popover (widget))
      return FALSE;
  return TRUE;
}

static gboolean
query_unless_covering (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  return normscope_tooltips_may_show (widget) && default_query (widget, x, y, keyboard, tooltip);
}

/* Classes that exist already have inherited the default. */
static void
install_tooltips (GType type)
{
  GtkWidgetClass *klass = g_type_class_peek (type);
  g_autofree GType *children = g_type_children (type, NULL);

  if (klass != NULL && klass->query_tooltip == default_query)
    klass->query_tooltip = query_unless_covering;
  for (GType *child = children; *child != 0; child++)
    install_tooltips (*child);
}

void
normscope_tooltips_install (void)
{
  if (default_query != NULL)
    return;
  default_query = GTK_WIDGET_CLASS (g_type_class_ref (GTK_TYPE_WIDGET))->query_tooltip;
  install_tooltips (GTK_TYPE_WIDGET);
}
