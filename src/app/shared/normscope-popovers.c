/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-popovers.h"

static void
return_focus (GtkWidget *opener)
{
  if (gtk_widget_get_mapped (opener))
    gtk_widget_grab_focus (opener);
}

static gboolean
remove_cb (gpointer popover)
{
  gtk_widget_unparent (popover);
  return G_SOURCE_REMOVE;
}

/* GTK takes the focus out of the popover with the next frame, and GTK 4.8 keeps a popover for ever that is removed
 * before that. Remove it later, since its own signal handlers still run. */
static void
remove_later (GtkWidget *popover)
{
  GtkRoot *root = gtk_widget_get_root (popover);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && (focus == popover || gtk_widget_is_ancestor (focus, popover)))
    gtk_root_set_focus (root, NULL);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, remove_cb, g_object_ref (popover), g_object_unref);
}

void
normscope_popovers_open (GtkWidget *parent, GtkWidget *popover, const GdkRectangle *place)
{
  GtkWidget *opener;

  g_return_if_fail (GTK_IS_WIDGET (parent) && !GTK_IS_STACK (parent));
  g_return_if_fail (GTK_IS_POPOVER (popover));

  for (GtkWidget *child = gtk_widget_get_first_child (parent); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child))
      gtk_popover_popdown (GTK_POPOVER (child));
  opener = gtk_root_get_focus (gtk_widget_get_root (parent));
  gtk_widget_set_parent (popover, parent);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), place);
  if (opener != NULL)
    g_signal_connect_object (popover, "closed", G_CALLBACK (return_focus), opener, G_CONNECT_SWAPPED);
  g_signal_connect (popover, "closed", G_CALLBACK (remove_later), NULL);
  g_signal_connect_object (parent, "unrealize", G_CALLBACK (gtk_widget_unparent), popover, G_CONNECT_SWAPPED);
  gtk_popover_popup (GTK_POPOVER (popover));
}

void
normscope_popovers_allocate (GtkWidget *parent)
{
  for (GtkWidget *child = gtk_widget_get_first_child (parent); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child))
      gtk_popover_present (GTK_POPOVER (child));
}
