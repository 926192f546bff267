/* Edits the question of a lecture's step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/lecture/normscope-lecture-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_QUESTION_EDITOR (normscope_question_editor_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeQuestionEditor, normscope_question_editor, NORMSCOPE, QUESTION_EDITOR, GtkBox)

GtkWidget *normscope_question_editor_new (NormscopeLectureSession *lecture);
/* Show the question of the current step, unless it is shown already. */
void normscope_question_editor_refresh (NormscopeQuestionEditor *self);

G_END_DECLS
