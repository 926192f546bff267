/* The text of a step beside the plots: its title, its text, and its question.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of it is in view if a wider panel or smaller type can do that; else the text scrolls, beside a bar that says so.
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_ASIDE (normscope_aside_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeAside, normscope_aside, NORMSCOPE, ASIDE, GtkWidget)

GtkWidget *normscope_aside_new (void);
/* Show a step; `question` is taken and may be NULL. */
void normscope_aside_set_step (NormscopeAside *self, const char *title, const char *text, GtkWidget *question);
/* Return the least width from `least` to `most`, px, at which the whole step is in view in `height` px, or `most`, with
 * the size of the type that this takes. The width of a step stays while its question is answered. */
int normscope_aside_fit (NormscopeAside *self, int least, int most, int height);

G_END_DECLS
