/* The window: controls at the left, a view at the right, presets and a menu above.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions for other widgets: win.show-message ("s": a text), win.offer-undo ("s": what has just changed),
 * win.show-folder-message ("(ss)": a text, the URI of a folder), win.preset ("s": its id), win.shipped-lecture ("s":
 * its id), win.catalog ("s": a page), win.new-seed, win.verify, win.help-page ("s": the id of a page, see ns-help.h),
 * win.show-tour.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/lecture/normscope-lecture-session.h"
#include "app/session/normscope-session.h"
#include "app/window/normscope-files.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WINDOW (normscope_window_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWindow, normscope_window, NORMSCOPE, WINDOW, AdwApplicationWindow)

NormscopeWindow *normscope_window_new (GtkApplication *application);

NormscopeSession *normscope_window_get_session (NormscopeWindow *self);
NormscopeFiles *normscope_window_get_files (NormscopeWindow *self);
/* Return the lecture of the window, borrowed; perhaps none is open. */
NormscopeLectureSession *normscope_window_get_lecture (NormscopeWindow *self);

/* Open an experiment file, after asking about unsaved changes. An error is shown in a toast and changes nothing. */
void normscope_window_open (NormscopeWindow *self, GFile *file);
/* Save the session when the window closes as the last one, for the next start, and copies of unsaved changes. With
 * `restore`, restore the last session now, and offer what was left. */
void normscope_window_keep_session (NormscopeWindow *self, gboolean restore);
/* Offer copies of unsaved changes that were left. */
void normscope_window_offer (NormscopeWindow *self);
/* Return TRUE if any were left. */
gboolean normscope_window_can_offer (void);
/* The program ends without asking: leave unsaved changes for the next start, and save the session as when the window
 * closes. */
void normscope_window_leave (NormscopeWindow *self, gboolean saves_session);
/* Print the visible view to a PDF without the dialog of win.print. Fail if it cannot be written. */
gboolean normscope_window_print_to (NormscopeWindow *self, const char *path, GError **error);
/* Show the bubbles of the first start, once in the user's life. */
void normscope_window_show_first_steps (NormscopeWindow *self);
/* Show a message in a toast. */
void normscope_window_show_message (NormscopeWindow *self, const char *message);

G_END_DECLS
