/* The list of help pages: all of them by groups, which a click or Enter on the heading unfolds, or those that match
 * what is typed, best first.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "chosen" with the id of a page (const char *).
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_HELP_LIST (normscope_help_list_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeHelpList, normscope_help_list, NORMSCOPE, HELP_LIST, GtkWidget)

GtkWidget *normscope_help_list_new (void);

/* Show the pages that match the words, the best 40; "" shows all, under headings. */
void normscope_help_list_search (NormscopeHelpList *self, const char *words);
/* Return the id of the first page in the list, or NULL; borrowed until the next search. */
const char *normscope_help_list_get_first (NormscopeHelpList *self);

G_END_DECLS
