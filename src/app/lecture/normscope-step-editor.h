/* Edits the current step of a lecture: title, text with a live preview, notes for the speaker, question.
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

#define NORMSCOPE_TYPE_STEP_EDITOR (normscope_step_editor_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeStepEditor, normscope_step_editor, NORMSCOPE, STEP_EDITOR, GtkBox)

GtkWidget *normscope_step_editor_new (NormscopeLectureSession *lecture);
/* Give the title the focus, to rename the step. */
void normscope_step_editor_rename (NormscopeStepEditor *self);

G_END_DECLS
