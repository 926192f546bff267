/* The place of a presentation: the plots, and a text beside them, or below them if the window is too narrow.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beside the plots the text costs them no height. Below them it takes at most a fifth of the height and scrolls.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_STAGE (normscope_stage_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeStage, normscope_stage, NORMSCOPE, STAGE, GtkWidget)

GtkWidget *normscope_stage_new (void);
/* Set the plots, once. */
void normscope_stage_set_content (NormscopeStage *self, GtkWidget *content);
/* Set the widget of the text, or NULL. */
void normscope_stage_set_aside (NormscopeStage *self, GtkWidget *aside);

G_END_DECLS
