/* JSON from anywhere: from bytes to a checked tree, typed values of its nodes, and messages about them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-json-check.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Parse a JSON document, with or without a byte order mark, after ns_json_check(). `name` is what messages call the
 * source, `expected` what an empty one should hold ("an experiment file"), `allowed` may be NULL. NULL and an
 * NS_DOCUMENT_ERROR_INPUT when it is too large or not strict JSON. Caller frees with json_node_unref(). */
JsonNode *ns_json_node_from_bytes (GBytes *bytes, const char *name, const char *expected, NsJsonAllowedFunc allowed,
                                   GError **error);

/* NULL unless the node holds a string. All of these accept a NULL node. */
const char *ns_json_node_get_text (JsonNode *node);
/* FALSE unless the node holds a value of that type; a number may be written as a whole one, but has to be finite. */
gboolean ns_json_node_get_whole (JsonNode *node, gint64 *value);
gboolean ns_json_node_get_number (JsonNode *node, double *value);
gboolean ns_json_node_get_truth (JsonNode *node, gboolean *value);

/* The node as JSON on one line, without blanks, members in their order, numbers that read back to the same value:
 * json-glib writes 1e-300 as "1e-300.0", which is not JSON, and 0.1 with 17 digits. Caller frees. */
char *ns_json_node_dup_text (JsonNode *node);
/* The same, shortened for a message. Caller frees. */
char *ns_json_node_dup_short (JsonNode *node);

/* Set an NS_DOCUMENT_ERROR_INPUT, "PATH: VALUE is not allowed; allowed: …", and return FALSE. */
gboolean ns_json_node_refuse (const char *path, JsonNode *node, const char *allowed, GError **error);

G_END_DECLS
