/* A text of a lecture in prose markup, as a widget.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Return a new widget that shows a text. A text that is no valid markup is shown as it is. */
GtkWidget *normscope_lecture_text_new (const char *markup);
/* Return the text without markup; the caller frees it. */
char *normscope_lecture_text_dup_plain (const char *markup);

G_END_DECLS
