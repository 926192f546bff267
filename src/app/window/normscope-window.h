/* The window: controls at the left, a view at the right, presets and a menu above.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions: win.show-message ("s": a toast), win.preset ("s": its id), win.new-seed, win.show-sidebar,
 * win.show-help-overlay, win.undo, win.redo, win.verify, and those of normscope-files.h.
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/window/normscope-files.h"
#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WINDOW (normscope_window_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWindow, normscope_window, NORMSCOPE, WINDOW, AdwApplicationWindow)

NormscopeWindow *normscope_window_new (GtkApplication *application);

NormscopeSession *normscope_window_get_session (NormscopeWindow *self);
NormscopeFiles *normscope_window_get_files (NormscopeWindow *self);

/* Shows an experiment file, after a question when something is unsaved. What is wrong with it is told as a toast, and
 * the window stays as it was. */
void normscope_window_open (NormscopeWindow *self, GFile *file);
/* From now on closing the window keeps its experiment for the next start; `restore` brings back what was kept. */
void normscope_window_keep_session (NormscopeWindow *self, gboolean restore);
/* Prints what is on the screen as a PDF, without the dialog of win.print. FALSE with an error when it cannot be
 * written. */
gboolean normscope_window_print_to (NormscopeWindow *self, const char *path, GError **error);
/* A toast. */
void normscope_window_show_message (NormscopeWindow *self, const char *message);

G_END_DECLS
