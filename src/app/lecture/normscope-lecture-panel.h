/* The panel in which a lecture is written: the list of its steps, and the current step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps are dragged in the list to reorder them. Alt+Up and Alt+Down move the current one, Delete removes it, Ctrl+D
 * duplicates it, F2 renames it; Ctrl+Z and Ctrl+Shift+Z within the panel undo and redo changes of the lecture.
 *
 * The window has the actions that need the screen: win.add-step, win.update-step, win.save-lecture, win.save-lecture-as
 * and win.close-lecture.
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/lecture/normscope-lecture-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LECTURE_PANEL (normscope_lecture_panel_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLecturePanel, normscope_lecture_panel, NORMSCOPE, LECTURE_PANEL, GtkBox)

GtkWidget *normscope_lecture_panel_new (NormscopeLectureSession *lecture);

G_END_DECLS
