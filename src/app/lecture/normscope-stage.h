/* The places of a presentation: the plots, a text beside them, or below them if the window is too narrow, controls on
 * the other side, and a line below all of them. None covers another.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Beside the plots the text costs them no height. Below them it takes at most a fifth of the height and scrolls.
 *
 * Threads: main.
 */
#pragma once

#include "app/lecture/normscope-aside.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_STAGE (normscope_stage_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeStage, normscope_stage, NORMSCOPE, STAGE, GtkWidget)

GtkWidget *normscope_stage_new (void);
/* Set the plots, once. */
void normscope_stage_set_content (NormscopeStage *self, GtkWidget *content);
/* Set the widget of the text, or NULL. */
void normscope_stage_set_aside (NormscopeStage *self, NormscopeAside *aside);
/* Set the controls and the line below, or NULL. */
void normscope_stage_set_side (NormscopeStage *self, GtkWidget *side);
void normscope_stage_set_foot (NormscopeStage *self, GtkWidget *foot);

G_END_DECLS
