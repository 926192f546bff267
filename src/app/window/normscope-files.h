/* The window's experiment as a document: opening, saving, questions about unsaved changes, the last session.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds to the window: win.open, win.open-uri ("s"), win.save, win.save-as, win.copy-link, win.paste-link,
 * win.offer-experiment, which offers a copy that was left and then activates app.recover. Failures are shown by
 * win.show-message and leave the experiment, its file and the file's contents unchanged. Files are written completely
 * or not at all.
 *
 * Threads: main. Local files are small and are read and written synchronously.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_FILES (normscope_files_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFiles, normscope_files, NORMSCOPE, FILES, GObject)

/* Property: "title", the document's name, with a dot in front while it has unsaved changes. The window owns the files,
 * which hold only a weak reference to it. */
NormscopeFiles *normscope_files_new (GtkApplicationWindow *window, NormscopeSession *session);

const char *normscope_files_get_title (NormscopeFiles *self);
/* Return the folder to suggest for exports: the document's, or the user's documents. The caller owns it. */
GFile *normscope_files_dup_folder (NormscopeFiles *self);
gboolean normscope_files_is_unsaved (NormscopeFiles *self);

/* Open a file, after asking about unsaved changes. */
void normscope_files_open (NormscopeFiles *self, GFile *file);
/* Open an experiment from a link (ns-experiment-link.h), after asking about unsaved changes. */
void normscope_files_open_link (NormscopeFiles *self, const char *link);
/* Show a preset, which is taken and has no file, after asking about unsaved changes, and the figure with that id if the
 * window has it (nullable). It can be undone. */
void normscope_files_show_preset (NormscopeFiles *self, NsExperiment *experiment, const char *name,
                                  const char *figure);
/* Show a step of a lecture under its title, as one step of undo; the scene is taken. It has no unsaved changes. */
void normscope_files_show_scene (NormscopeFiles *self, NormscopeScene *scene, const char *title);
/* Save to a file. Fail without any change if it cannot be written. */
gboolean normscope_files_save_to (NormscopeFiles *self, GFile *file, GError **error);

/* Return TRUE if the window may close. Otherwise ask about unsaved changes and close the window after the answer. */
gboolean normscope_files_confirm_close (NormscopeFiles *self);

/* Save and restore the last session (normscope-last-session.h). */
void normscope_files_save_session (NormscopeFiles *self);
void normscope_files_restore_session (NormscopeFiles *self);

/* From now on keep copies of unsaved changes (normscope-recovery.h). */
void normscope_files_keep (NormscopeFiles *self);
/* Return TRUE if a copy was left. */
gboolean normscope_files_can_offer (void);
/* The program ends without asking: leave unsaved changes for the next start; the session is saved without them. */
void normscope_files_leave (NormscopeFiles *self);

G_END_DECLS
