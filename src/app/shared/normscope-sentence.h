/* The sentence under a plot: two lines, and a button "More" for the whole text. Nothing is cut in the middle: of a text
 * that does not fit, whole clauses are shown. Some of its words are links to their page of help.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plot keeps its height for any number of variants. A click on a link, or Enter where Tab has reached it, emits the
 * signal "link" with the id of the page (const char *), then activates win.help-page with it.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SENTENCE (normscope_sentence_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSentence, normscope_sentence, NORMSCOPE, SENTENCE, GtkWidget)

/* Show a text with links (NsLink; NULL: none), each in one clause: its first line, and the others joined. If that takes
 * more than two lines, the first clauses of its lines come first, then others for which there is room. "More" shows the
 * separate lines; it is sensitive if something is left out. */
void normscope_sentence_set_text (NormscopeSentence *self, const char *text, const GArray *links);

/* Replace a sentence and its links by one that gives nothing away, for the time of a question. */
void normscope_sentence_hide (char **sentence, GArray **links);

G_END_DECLS
