/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-sensitive.h"

void
normscope_set_sensitive (GtkWidget *widget, gboolean is_sensitive)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (!is_sensitive && focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
    gtk_root_set_focus (root, NULL);
  gtk_widget_set_sensitive (widget, is_sensitive);
}
