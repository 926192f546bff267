/* Whether bytes are JSON, strictly, before a parser sees them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * json-glib parses by recursion, lets the last of two equal keys win, and wraps integers of more than 64 bits. This
 * walks the bytes once, without recursion, and says where and at which key something is wrong.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Our files nest 4 levels deep, a model's config not much deeper. */
#define NS_JSON_MAX_DEPTH 32
/* More than the keys of 16 variants. */
#define NS_JSON_MAX_KEYS 65536

/* What is allowed at a key ("variants[1].attn.norm"), for the message; NULL when there is nothing to say. Caller
 * frees. */
typedef char *(*NsJsonAllowedFunc) (const char *path);

/* RFC 8259 with one value, at most NS_JSON_MAX_DEPTH deep, no key twice in one object, integers within 64 bits,
 * other numbers finite. `name` is what messages call the file, `expected` what an empty one should hold. FALSE with an
 * NS_DOCUMENT_ERROR_INPUT that names file, line, column and key. */
gboolean ns_json_check (const char *text, gsize length, const char *name, const char *expected,
                        NsJsonAllowedFunc allowed, GError **error);

G_END_DECLS
