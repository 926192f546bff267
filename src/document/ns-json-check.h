/* A strict check that text is JSON, to run before the parser.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * json-glib parses recursively, accepts duplicate keys and wraps integers beyond 64 bits. This check scans the bytes
 * once, without recursion, and reports line, column and key of an error.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Maximum nesting. Normscope's files have 4 levels, model configs hardly more. */
#define NS_JSON_MAX_DEPTH 32
/* Maximum number of keys in a document, more than 16 variants need. */
#define NS_JSON_MAX_KEYS 65536

/* Return the allowed values of a key ("variants[1].attn.norm") for a message, or NULL. Caller frees. */
typedef char *(*NsJsonAllowedFunc) (const char *path);

/* Check for one JSON value (RFC 8259) that is nested at most NS_JSON_MAX_DEPTH levels deep, has no duplicate keys,
 * integers within 64 bits and otherwise finite numbers. `name` is the file's name in messages, `expected` describes the
 * content that an empty file lacks, `allowed` may be NULL. Return FALSE and an NS_DOCUMENT_ERROR_INPUT with file, line,
 * column and key. */
gboolean ns_json_check (const char *text, gsize length, const char *name, const char *expected,
                        NsJsonAllowedFunc allowed, GError **error);

G_END_DECLS
