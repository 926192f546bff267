/* The lecture of a window and its current step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The editor, the presenter and the window share this object. A lecture is an immutable value: an edit puts a changed
 * copy in its place, so undo only needs a list of former lectures. The undo of the lecture is not that of the session.
 *
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "lecture/ns-lecture.h"

G_BEGIN_DECLS

/* Flags of the signal "changed". */
typedef enum
{
  NORMSCOPE_LECTURE_CHANGED_OPEN = 1 << 0,  /* another lecture, or none */
  NORMSCOPE_LECTURE_CHANGED_STEPS = 1 << 1, /* title, texts, list: the value was edited */
  NORMSCOPE_LECTURE_CHANGED_INDEX = 1 << 2, /* another step is the current one */
  NORMSCOPE_LECTURE_CHANGED_FILE = 1 << 3,  /* another file, or saved and unsaved */
} NormscopeLectureChange;

#define NORMSCOPE_TYPE_LECTURE_SESSION (normscope_lecture_session_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLectureSession, normscope_lecture_session, NORMSCOPE, LECTURE_SESSION, GObject)

/* Signals: "changed" (guint of NormscopeLectureChange flags) after each change; "show" when the current step is to be
 * put on the screen, because somebody has gone to it. */
NormscopeLectureSession *normscope_lecture_session_new (void);

/* Return the lecture, borrowed until the next "changed"; NULL: none is open. */
const NsLecture *normscope_lecture_session_get_lecture (NormscopeLectureSession *self);
/* Open a lecture, which is taken; NULL closes it. `file` may be NULL for one that was never saved. A new history begins
 * and no step is shown yet: the first one is current. */
void normscope_lecture_session_take_lecture (NormscopeLectureSession *self, NsLecture *lecture, GFile *file);
gboolean normscope_lecture_session_is_open (NormscopeLectureSession *self);

/* ---- the current step ---- */

/* Return the number of steps, 0 without a lecture; the index of the current one; and the step, borrowed, NULL if there
 * is none. */
guint normscope_lecture_session_get_n_steps (NormscopeLectureSession *self);
guint normscope_lecture_session_get_index (NormscopeLectureSession *self);
const NsLectureStep *normscope_lecture_session_get_step (NormscopeLectureSession *self);
/* Make a step the current one and show it, even if it is the current one already. Return FALSE if there is no such
 * step. */
gboolean normscope_lecture_session_go_to (NormscopeLectureSession *self, guint index);
gboolean normscope_lecture_session_go_next (NormscopeLectureSession *self);
gboolean normscope_lecture_session_go_previous (NormscopeLectureSession *self);

/* ---- editing ---- */

/* Put an edited copy, which is taken, in the place of the lecture, as one step of undo, with a current step. Changes by
 * one control within a second are one step; NULL is a step of its own. Shows nothing. */
void normscope_lecture_session_commit (NormscopeLectureSession *self, NsLecture *lecture, guint index,
                                       gconstpointer control);
/* The same with the current step replaced by an edited copy, which is taken. */
void normscope_lecture_session_commit_step (NormscopeLectureSession *self, NsLectureStep *step, gconstpointer control);
gboolean normscope_lecture_session_can_undo (NormscopeLectureSession *self);
gboolean normscope_lecture_session_can_redo (NormscopeLectureSession *self);
void normscope_lecture_session_undo (NormscopeLectureSession *self);
void normscope_lecture_session_redo (NormscopeLectureSession *self);

/* ---- the file ---- */

/* Return the file, borrowed, or NULL. */
GFile *normscope_lecture_session_get_file (NormscopeLectureSession *self);
gboolean normscope_lecture_session_is_unsaved (NormscopeLectureSession *self);
/* Write to a file, completely or not at all. */
gboolean normscope_lecture_session_save (NormscopeLectureSession *self, GFile *file, GError **error);
/* Call the lecture unsaved although it has not been edited: it was recovered. */
void normscope_lecture_session_set_unsaved (NormscopeLectureSession *self);

G_END_DECLS
