/* Between a step of a lecture and the screen: capture what a session shows, and show a step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "lecture/ns-lecture.h"

G_BEGIN_DECLS

/* Return a step with experiment, view and marks of the session, with the view of a figure; NULL and an error if the
 * experiment is invalid. Caller owns it. */
NsLectureStep *normscope_lecture_capture (NormscopeSession *session, NsFigureKind figure, const char *title,
                                          GError **error);

/* Get the scene of a step for normscope_session_take_scene(). Settings that a step does not have are the session's. */
void normscope_lecture_get_scene (const NsLectureStep *step, NormscopeSession *session, NormscopeScene *scene);

G_END_DECLS
