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

/* ---- the focus of a window ---- */

static gboolean
is_in (GtkWidget *widget, GtkWidget *popover)
{
  return widget != NULL && (widget == popover || gtk_widget_is_ancestor (widget, popover));
}

static GtkWidget *
find_popover (GtkWidget *widget)
{
  return widget != NULL ? gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) : NULL;
}

/* GTK 4.8 moves the focus out of a closed popover with the next frame: to the button that has opened it, even if that
 * is hidden by then, or back into a closed menu, where no key works. Move it now. GTK drops its own move only when a
 * visible widget gets the focus, so the window's content gets it first: a window that has it keeps itself alive. */
static void
return_focus_cb (GtkWidget *popover, GWeakRef *former)
{
  g_autoptr (GtkWidget) widget = g_weak_ref_get (former);
  GtkRoot *root = gtk_widget_get_root (popover);

  if (root == NULL || !is_in (gtk_root_get_focus (root), popover))
    return;
  gtk_root_set_focus (root, gtk_window_get_child (GTK_WINDOW (root)));
  gtk_root_set_focus (root, widget != NULL && gtk_widget_get_mapped (widget) ? widget : NULL);
}

static GWeakRef *
weak_ref_new (gpointer object)
{
  GWeakRef *ref = g_new0 (GWeakRef, 1);

  g_weak_ref_init (ref, object);
  return ref;
}

static void
weak_ref_free (gpointer data, GClosure *closure)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* A popover that the focus comes into gives it back. */
static void
focus_cb (GtkWindow *window, GParamSpec *pspec, GWeakRef *last)
{
  GtkWidget *focus = gtk_window_get_focus (window), *popover = find_popover (focus);
  g_autoptr (GtkWidget) former = g_weak_ref_get (last);

  g_weak_ref_set (last, focus);
  if (popover == NULL || is_in (former, popover))
    return;
  g_signal_handlers_disconnect_matched (popover, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, return_focus_cb, NULL);
  g_signal_connect_data (popover, "closed", G_CALLBACK (return_focus_cb), weak_ref_new (former), weak_ref_free, 0);
}

void
normscope_popovers_guard_focus (GtkWindow *window)
{
  g_return_if_fail (GTK_IS_WINDOW (window));
  g_signal_connect_data (window, "notify::focus-widget", G_CALLBACK (focus_cb), weak_ref_new (NULL), weak_ref_free, 0);
}

void
normscope_popovers_close (GtkWindow *window)
{
  GtkWidget *popover;

  g_return_if_fail (GTK_IS_WINDOW (window));
  popover = find_popover (gtk_window_get_focus (window));
  if (popover != NULL)
    gtk_popover_popdown (GTK_POPOVER (popover));
}

/* ---- popovers at a place ---- */

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
