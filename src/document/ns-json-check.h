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
/* Maximum number of values in a document, members and items alike: each costs the parser a hundred bytes. A config
 * with the names of 22,000 classes has 44,000; a recorded training of 1000 steps and 24 blocks 600,000. */
#define NS_JSON_MAX_VALUES 65536u
#define NS_JSON_MAX_VALUES_OF_TRAINING 1048576u
/* Maximum bytes of a key. The longest are the names of classes in a model's config. */
#define NS_JSON_MAX_KEY_BYTES 1024
/* Maximum characters of a key's path in a message; a hostile file can have longer ones. */
#define NS_JSON_MAX_PATH 100

/* Return the allowed values of a key ("variants[1].attn.norm") for a message, or NULL. Caller frees. */
typedef char *(*NsJsonAllowedFunc) (const char *path);

/* Check for one JSON value (RFC 8259) that is nested at most NS_JSON_MAX_DEPTH levels deep and has at most
 * max_values values, keys of at most NS_JSON_MAX_KEY_BYTES, no key twice in an object, integers within 64 bits
 * and otherwise finite numbers. Needs memory for the keys of the open objects only. `name` is the file's name in
 * messages, `expected` describes the content that an empty file lacks, `allowed` may be NULL. Return FALSE and an
 * NS_DOCUMENT_ERROR_INPUT with file, line, column and key. */
gboolean ns_json_check (const char *text, gsize length, guint max_values, const char *name, const char *expected,
                        NsJsonAllowedFunc allowed, GError **error);

G_END_DECLS
