/* The page of help on a widget, and the button ⓘ that opens it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both ask the window to open the page by the action win.help-page.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Note the id of the page about a widget and what is in it: F1 opens it while the focus is there. `page` is copied. */
void normscope_help_set_page (GtkWidget *widget, const char *page);
/* Return the page of the widget or of its nearest ancestor with one, or NULL; owned by that widget. */
const char *normscope_help_get_page (GtkWidget *widget);

/* Return the button that opens the page about `title`, a translated name; floating. In a row it shows while the pointer
 * or the focus is there, and keeps its place otherwise. */
GtkWidget *normscope_help_button_new (const char *page, const char *title);

G_END_DECLS
