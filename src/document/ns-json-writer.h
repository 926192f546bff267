/* JSON text, written in order.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * json-glib's generator prints 17 digits of every number and builds a tree first; here numbers are the shortest that
 * read back, and a result of a thousand blocks is one pass. `key` is NULL inside an array.
 * Threads: any; a writer belongs to one.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GString *out; /* owned */
  guint level;
  guint compact_level; /* objects opened at this level or deeper stand on one line */
  gboolean first;
  gboolean tight; /* no blank anywhere; FALSE after ns_json_writer_init() */
} NsJsonWriter;

void ns_json_writer_init (NsJsonWriter *writer);
/* The text so far with a closing newline; the writer is empty then. Caller owns the bytes. */
GBytes *ns_json_writer_finish (NsJsonWriter *writer);
/* The text so far as it is; the writer is empty then. Caller frees. */
char *ns_json_writer_finish_text (NsJsonWriter *writer);

/* bracket: '{' or '['. */
void ns_json_open (NsJsonWriter *writer, const char *key, char bracket);
void ns_json_close (NsJsonWriter *writer, char bracket);
/* What follows until the bracket opened next closes stands on one line. */
void ns_json_open_compact (NsJsonWriter *writer, const char *key, char bracket);

/* NULL is null. */
void ns_json_string (NsJsonWriter *writer, const char *key, const char *value);
void ns_json_integer (NsJsonWriter *writer, const char *key, gint64 value);
/* "1.0" for 1; NaN and infinities are null. */
void ns_json_number (NsJsonWriter *writer, const char *key, double value);
void ns_json_boolean (NsJsonWriter *writer, const char *key, gboolean value);
/* `json` is the text of one value. */
void ns_json_raw (NsJsonWriter *writer, const char *key, const char *json);

G_END_DECLS
