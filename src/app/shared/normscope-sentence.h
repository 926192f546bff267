/* The sentence under a plot: two lines, and all of it behind a button "More".
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * So the plot keeps its height however many variants the sentence describes.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SENTENCE (normscope_sentence_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSentence, normscope_sentence, NORMSCOPE, SENTENCE, GtkWidget)

/* Show a text of any number of lines. They follow each other in a paragraph; "More" shows each on its own, and can be
 * clicked when the paragraph is longer than two lines. */
void normscope_sentence_set_text (NormscopeSentence *self, const char *text);

G_END_DECLS
