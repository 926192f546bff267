/* The lectures that come with the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are compiled in from data/lectures: NAME.LANGUAGE.normscope-lecture, listed by lectures.ini in the order of a
 * course. The files are installed, too, as examples.
 * Threads: any.
 */
#pragma once

#include "lecture/ns-lecture.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;    /* "what-a-norm-does", as on the command line */
  const char *title; /* in the user's language, as the next */
  const char *about; /* one sentence: what it is about */
} NsLectureInfo;

/* Return all lectures in the order of a course; *n (may be NULL) is their number. Static. */
const NsLectureInfo *ns_lectures_list (gsize *n);

/* Return a lecture in a language ("de"); NULL means the user's. Without a translation it is English. An unknown id is
 * an NS_DOCUMENT_ERROR_INPUT that suggests the most similar one and lists all. Caller owns the lecture. */
NsLecture *ns_lectures_load (const char *id, const char *language, GError **error);

G_END_DECLS
