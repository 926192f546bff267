/* The text of a step beside the plots: its title, its text, and its question.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text and question scroll, each for itself, when they are longer than their place. Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_ASIDE (normscope_aside_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeAside, normscope_aside, NORMSCOPE, ASIDE, GtkWidget)

GtkWidget *normscope_aside_new (void);
/* Show a step; `question` is taken and may be NULL. */
void normscope_aside_set_step (NormscopeAside *self, const char *title, const char *text, GtkWidget *question);

G_END_DECLS
