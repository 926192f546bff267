/* Where a text from src/figures can be cut: between its clauses and its sentences.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return the end of the first clause of the text from `at` to `end`, and set *next to the clause after it, or to `end`.
 * Both are borrowed from the text. */
const char *normscope_find_clause (const char *at, const char *end, const char **next);

/* Show as many clauses as the label's lines hold at its width, at least the first one; the tooltip has all of them. */
void normscope_show_clauses (GtkLabel *label, const char *text);

G_END_DECLS
