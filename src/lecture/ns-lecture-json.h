/* Lecture files (*.normscope-lecture): JSON, with whole experiments in it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading is as strict as for experiments: an unknown key, a wrong type or an impossible value is an
 * NS_DOCUMENT_ERROR_INPUT with the file, the key's full path ("steps[2].question.choices[0].test.variant"), its value
 * and the allowed values. Files of a newer version are refused. docs/LECTURES.md has the keys.
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "lecture/ns-lecture.h"

G_BEGIN_DECLS

#define NS_LECTURE_FORMAT "normscope-lecture"
#define NS_LECTURE_VERSION 1
#define NS_LECTURE_SUFFIX ".normscope-lecture"

/* Read a lecture; `name` is the source's name in messages. Every step is valid. Caller owns the lecture. */
NsLecture *ns_lecture_from_bytes (GBytes *bytes, const char *name, GError **error);
/* Read a file as ns_file_read() does. Blocks. */
NsLecture *ns_lecture_from_file (GFile *file, GCancellable *cancellable, GError **error);
NsLecture *ns_lecture_from_path (const char *path, GError **error);

/* Read a file whose texts and questions may be half-written, as an editor keeps them: they are not checked. */
NsLecture *ns_lecture_recover_from_path (const char *path, GError **error);

/* Write a lecture; reading it back gives an equal one. Caller owns the bytes. */
GBytes *ns_lecture_to_bytes (const NsLecture *lecture);
/* Write it to a file, completely or not at all. Fail, too, if the file could not be read again. */
gboolean ns_lecture_save (const NsLecture *lecture, const char *path, GError **error);

G_END_DECLS
