/* Help in the window: a search, the list of pages, and the page, with a way back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "closed": Escape or the button at the top; the window then hides the panel. It remembers nothing.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_HELP (normscope_help_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeHelp, normscope_help, NORMSCOPE, HELP, GtkWidget)

GtkWidget *normscope_help_new (void);

/* Start with the list of all pages and an empty search, which gets the focus. */
void normscope_help_show_contents (NormscopeHelp *self);
/* Show a page. An unknown id shows the list. */
void normscope_help_show_page (NormscopeHelp *self, const char *id);
/* Forget which pages were shown. */
void normscope_help_forget (NormscopeHelp *self);

/* Return the id of the page on show, or NULL for the list; borrowed. */
const char *normscope_help_get_shown (NormscopeHelp *self);

G_END_DECLS
