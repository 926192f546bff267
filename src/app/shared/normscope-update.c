/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-update.h"

#include <glib/gi18n-lib.h>
#include <string.h>

void
normscope_update_label (GtkLabel *label, const char *text)
{
  gtk_label_set_label (label, text); /* compares */
  normscope_update_tooltip (GTK_WIDGET (label), text);
}

void
normscope_update_clauses (GtkLabel *label, const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (label), NULL);
  g_autofree char *shown = g_strdup (text);
  int width = gtk_widget_get_width (GTK_WIDGET (label));
  char *last;

  pango_layout_set_wrap (layout, gtk_label_get_wrap_mode (label));
  pango_layout_set_width (layout, width * PANGO_SCALE);
  pango_layout_set_text (layout, shown, -1);
  /* the words between clauses, as the sentences of src/figures have them */
  while (width > 0 && pango_layout_get_line_count (layout) > gtk_label_get_lines (label)
         && (last = g_strrstr (shown, _ ("; "))) != NULL)
    {
      strcpy (last, ".");
      pango_layout_set_text (layout, shown, -1);
    }
  gtk_label_set_label (label, shown); /* compares */
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
