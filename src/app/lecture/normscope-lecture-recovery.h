/* A copy of an unsaved lecture on disk, offered at the next start after a crash.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A second after the last edit, the lecture is written, completely or not at all, into the user's state folder under a
 * name with the process's number; it is removed when the lecture is saved or closed. A file whose process is gone was
 * left by a crash.
 * Threads: main. The file is small and written synchronously.
 */
#pragma once

#include "app/lecture/normscope-lecture-session.h"

G_BEGIN_DECLS

typedef struct _NormscopeLectureRecovery NormscopeLectureRecovery;

/* Follow a lecture. The caller owns the value and frees it before the lecture; that removes the file. */
NormscopeLectureRecovery *normscope_lecture_recovery_new (NormscopeLectureSession *lecture);
void normscope_lecture_recovery_free (NormscopeLectureRecovery *self);

/* Take over a file that a crash has left: return its lecture, which the caller owns, or NULL if there is none. The file
 * becomes this process's own; drop it with normscope_lecture_recovery_discard(), or open the lecture. A file that
 * cannot be read is renamed, and the error names it. */
NsLecture *normscope_lecture_recovery_take (NormscopeLectureRecovery *self, GError **error);
void normscope_lecture_recovery_discard (NormscopeLectureRecovery *self);

G_END_DECLS
