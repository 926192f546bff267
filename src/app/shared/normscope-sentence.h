/* The sentence under a plot: two lines, and a button "More" for the whole text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plot keeps its height for any number of variants.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SENTENCE (normscope_sentence_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSentence, normscope_sentence, NORMSCOPE, SENTENCE, GtkWidget)

/* Show a text, its lines joined to a paragraph. "More" shows the separate lines; it is sensitive if the paragraph takes
 * more than two lines. */
void normscope_sentence_set_text (NormscopeSentence *self, const char *text);

G_END_DECLS
