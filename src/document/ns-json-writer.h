/* A streaming writer of JSON text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * json-glib's generator needs a tree and prints 17 digits of every number. This writer needs no tree and prints the
 * shortest number that reads back to the same value. `key` is NULL inside an array.
 * Threads: a writer belongs to one thread.
 */
#pragma once

#include "engine/ops/ns-statistics.h"

G_BEGIN_DECLS

typedef struct
{
  GString *out; /* owned */
  guint level;
  guint compact_level; /* objects opened at this level or deeper are written on one line */
  gboolean first;
  gboolean tight; /* write no blanks; FALSE after ns_json_writer_init() */
} NsJsonWriter;

void ns_json_writer_init (NsJsonWriter *writer);
/* Return the text with a final newline and leave the writer empty. Caller owns the bytes. */
GBytes *ns_json_writer_finish (NsJsonWriter *writer);
/* Return the text without a final newline and leave the writer empty. Caller frees. */
char *ns_json_writer_finish_text (NsJsonWriter *writer);

/* Open an object or array with '{' or '['; close it with '}' or ']'. */
void ns_json_open (NsJsonWriter *writer, const char *key, char bracket);
void ns_json_close (NsJsonWriter *writer, char bracket);
/* Open an object or array that is written on one line. */
void ns_json_open_compact (NsJsonWriter *writer, const char *key, char bracket);

/* Write NULL as null. */
void ns_json_string (NsJsonWriter *writer, const char *key, const char *value);
void ns_json_integer (NsJsonWriter *writer, const char *key, gint64 value);
/* Write 1 as "1.0", NaN and infinities as null. */
void ns_json_number (NsJsonWriter *writer, const char *key, double value);
/* Write mean and std, and for a quantity with logarithms geometric_mean, sd_factor and log10_mean. */
void ns_json_statistics (NsJsonWriter *writer, const NsStat *stat, gboolean has_log10);
void ns_json_boolean (NsJsonWriter *writer, const char *key, gboolean value);
/* Insert `json`, the text of one value, unchanged. */
void ns_json_raw (NsJsonWriter *writer, const char *key, const char *json);

G_END_DECLS
