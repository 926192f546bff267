/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-text.h"

#include "app/shared/normscope-prose.h"
#include "prose/ns-prose.h"

char *
normscope_lecture_text_dup_plain (const char *markup)
{
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);

  return prose != NULL ? ns_prose_dup_plain_text (prose) : g_strdup (markup);
}

/* Links open pages of Help in the window around the text. */
static void
link_cb (NormscopeProse *prose, const char *page)
{
  gtk_widget_activate_action (GTK_WIDGET (prose), "win.help-page", "s", page);
}

GtkWidget *
normscope_lecture_text_new (const char *markup)
{
  GtkWidget *prose = normscope_prose_new ();

  normscope_prose_set_markup (NORMSCOPE_PROSE (prose), markup, NULL);
  g_signal_connect (prose, "link", G_CALLBACK (link_cb), NULL);
  return prose;
}
