/* Measure the next steps of a lecture while the speaker talks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The results go to the store (normscope-store.h), where the views find them. The jobs come after those of all windows
 * and wait while one of them works.
 *
 * Threads: main.
 */
#pragma once

#include "app/lecture/normscope-lecture-session.h"
#include "app/work/normscope-scaling-runner.h"

G_BEGIN_DECLS

typedef struct _NormscopeLectureAhead NormscopeLectureAhead;

/* `engine` is the window's. */
NormscopeLectureAhead *normscope_lecture_ahead_new (NormscopeLectureSession *lecture, NormscopeEngine *engine);
void normscope_lecture_ahead_free (NormscopeLectureAhead *self);

/* Return the run, sweep or paths that the figure of a step needs; NULL if it needs none of them, or if it is
 * impossible. Caller owns it. */
NormscopeTask *normscope_lecture_new_task (const NsLectureStep *step);

G_END_DECLS
