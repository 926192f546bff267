/* The open lecture to be read: a step's text beside the plots, Back and Next, Present, and the question to be answered
 * alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step that is shown while the reader is on the screen asks its question, as in a presentation: the values are
 * hidden until the answer is shown. Another experiment, the editor or a presentation ends the question; a button asks
 * it again.
 *
 * Threads: main.
 */
#pragma once

#include "app/lecture/normscope-presenter.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_LECTURE_READER (normscope_lecture_reader_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeLectureReader, normscope_lecture_reader, NORMSCOPE, LECTURE_READER, GtkBox)

/* The presenter, which is around the reader, asks the questions of the session's steps. */
GtkWidget *normscope_lecture_reader_new (NormscopeLectureSession *lecture, NormscopePresenter *presenter,
                                         NormscopeSession *session);

G_END_DECLS
