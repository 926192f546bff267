/* The action win.play of the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

/* Play in the flow view; show it first. */
static void
play_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  if (adw_view_stack_get_visible_child (self->views) != GTK_WIDGET (self->flow_view))
    adw_view_stack_set_visible_child (self->views, GTK_WIDGET (self->flow_view));
  normscope_flow_view_play (self->flow_view);
}

void
normscope_window_install_play (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.play", NULL, play_cb);
}
