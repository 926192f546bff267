/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-clauses.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-update.h"

const char *
normscope_find_clause (const char *at, const char *end, const char **next)
{
  /* the words between clauses and between sentences, as src/figures has them */
  const char *const separators[] = { _ ("; "), ". " };
  const char *first = end;

  *next = end;
  for (guint i = 0; i < G_N_ELEMENTS (separators); i++)
    {
      const char *found = g_strstr_len (at, end - at, separators[i]);

      if (found != NULL && found < first)
        {
          first = found;
          *next = found + strlen (separators[i]);
        }
    }
  return first;
}

void
normscope_show_clauses (GtkLabel *label, const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (label), NULL);
  const char *end = text + strlen (text), *at = text;
  int width = gtk_widget_get_width (GTK_WIDGET (label));
  g_autofree char *shown = NULL;

  pango_layout_set_wrap (layout, gtk_label_get_wrap_mode (label));
  pango_layout_set_width (layout, width * PANGO_SCALE);
  while (shown == NULL || at < end)
    {
      const char *cut = normscope_find_clause (at, end, &at);
      g_autofree char *more = cut < end ? g_strdup_printf ("%.*s.", (int) (cut - text), text) : g_strdup (text);

      pango_layout_set_text (layout, more, -1);
      if (shown != NULL && width > 0 && pango_layout_get_line_count (layout) > gtk_label_get_lines (label))
        break;
      g_free (shown);
      shown = g_steal_pointer (&more);
    }
  gtk_label_set_label (label, shown); /* compares */
  normscope_update_tooltip (GTK_WIDGET (label), text);
}
