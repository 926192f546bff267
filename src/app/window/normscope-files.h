/* The experiment of a window as a document: opened, saved, asked about, brought back at the next start.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds to the window: win.open, win.open-uri ("s"), win.save, win.save-as, win.copy-link, win.paste-link. What goes
 * wrong is shown by win.show-message, and experiment, file and former contents stay as they were. Files are written
 * whole or not at all. A file of a newer version opens with a warning, and is saved with the keys that are unknown
 * here.
 * Threads: main; local files are small and are read and written at once.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_FILES (normscope_files_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFiles, normscope_files, NORMSCOPE, FILES, GObject)

/* Properties, notified: "title", the document's name, with a dot before it while there is something to save; "warning",
 * what a file of a newer version has that is unknown here, or NULL. The window, which holds the files, is not held by
 * them. */
NormscopeFiles *normscope_files_new (GtkApplicationWindow *window, NormscopeSession *session);

const char *normscope_files_get_title (NormscopeFiles *self);
/* A folder to begin in for what is made of the document: its own, else the user's documents. Caller owns it. */
GFile *normscope_files_dup_folder (NormscopeFiles *self);
const char *normscope_files_get_warning (NormscopeFiles *self);
gboolean normscope_files_is_unsaved (NormscopeFiles *self);

/* Opens a file, after the question when something is unsaved. */
void normscope_files_open (NormscopeFiles *self, GFile *file);
/* The same with an experiment as one word, see ns-experiment-link.h. */
void normscope_files_open_link (NormscopeFiles *self, const char *link);
/* Shows a preset, which belongs to no file; it can be undone. Asks first when there are changes to a file. Takes it. */
void normscope_files_show_preset (NormscopeFiles *self, NsExperiment *experiment, const char *name);
/* FALSE with an error when it cannot be written: nothing has changed then. */
gboolean normscope_files_save_to (NormscopeFiles *self, GFile *file, GError **error);

/* TRUE: nothing would be lost. FALSE: the user is being asked, and the window is closed again by the answer. */
gboolean normscope_files_may_close (NormscopeFiles *self);

/* The last session, in the user's state folder: the experiment, its file, and what was swept. */
void normscope_files_save_session (NormscopeFiles *self);
void normscope_files_restore_session (NormscopeFiles *self);

G_END_DECLS
