/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-update.h"

void
normscope_update_label (GtkLabel *label, const char *text)
{
  gtk_label_set_label (label, text); /* compares */
  normscope_update_tooltip (GTK_WIDGET (label), text);
}

void
normscope_update_button (GtkMenuButton *button, const char *label)
{
  if (g_strcmp0 (gtk_menu_button_get_label (button), label) != 0)
    gtk_menu_button_set_label (button, label);
}

void
normscope_update_tooltip (GtkWidget *widget, const char *text)
{
  if (g_strcmp0 (gtk_widget_get_tooltip_text (widget), text) != 0)
    gtk_widget_set_tooltip_text (widget, text);
}
