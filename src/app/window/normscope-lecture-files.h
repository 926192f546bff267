/* The window's lecture as a document: new, open, save, close, questions about unsaved changes, recovery.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds to the window: win.open-lecture ("s", a URI), win.new-lecture, win.save-lecture, win.save-lecture-as,
 * win.close-lecture. Failures are shown by win.show-message and leave the lecture, its file and the file's contents
 * unchanged.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/lecture/normscope-lecture-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LECTURE_FILES (normscope_lecture_files_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLectureFiles, normscope_lecture_files, NORMSCOPE, LECTURE_FILES, GObject)

NormscopeLectureFiles *normscope_lecture_files_new (GtkApplicationWindow *window, NormscopeLectureSession *lecture);

/* Return TRUE if the file's name is that of a lecture. */
gboolean normscope_lecture_files_is_lecture (GFile *file);
/* Open a lecture and show its first step, after asking about unsaved changes. */
void normscope_lecture_files_open (NormscopeLectureFiles *self, GFile *file);
/* The same with a lecture, which is taken and has no file. */
void normscope_lecture_files_take (NormscopeLectureFiles *self, NsLecture *lecture);
/* Return TRUE if the window may close. Otherwise ask, and close it after the answer. */
gboolean normscope_lecture_files_confirm_close (NormscopeLectureFiles *self);

/* From now on keep copies of unsaved changes (normscope-recovery.h). */
void normscope_lecture_files_keep (NormscopeLectureFiles *self);
/* Offer a copy that was left, if there is one; then activate "win.offer-experiment". */
void normscope_lecture_files_offer (NormscopeLectureFiles *self);
gboolean normscope_lecture_files_can_offer (void);
/* The program ends without asking: leave unsaved changes for the next start. */
void normscope_lecture_files_leave (NormscopeLectureFiles *self);

G_END_DECLS
