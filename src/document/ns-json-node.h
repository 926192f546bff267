/* Parse untrusted JSON; typed access to its nodes; error messages about them.
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

/* Parse a JSON document, with or without a byte order mark, after ns_json_check(). `name` is the source's name in
 * messages, `expected` describes the content that an empty file lacks ("an experiment file"), `allowed` may be NULL.
 * Return NULL and an NS_DOCUMENT_ERROR_INPUT if the document is too large or not strict JSON. Caller frees with
 * json_node_unref(). */
JsonNode *ns_json_node_from_bytes (GBytes *bytes, const char *name, const char *expected, NsJsonAllowedFunc allowed,
                                   GError **error);
/* The same of a document with as many values as a recorded training has. */
JsonNode *ns_json_node_from_recording (GBytes *bytes, const char *name, const char *expected, GError **error);

/* Return the string, or NULL if the node has another type. The getters accept a NULL node. */
const char *ns_json_node_get_string (JsonNode *node);
/* Return FALSE if the node has another type. get_number() accepts an integer, too, and only finite numbers. */
gboolean ns_json_node_get_integer (JsonNode *node, gint64 *value);
gboolean ns_json_node_get_number (JsonNode *node, double *value);
gboolean ns_json_node_get_boolean (JsonNode *node, gboolean *value);
/* Return an array of finite numbers as the text of a list (ns-params.h), or NULL if the node is something else. Caller
 * frees. */
char *ns_json_node_dup_list (JsonNode *node);

/* Return the node as JSON on one line, without blanks, members in their order. Numbers read back to the same value;
 * json-glib writes 1e-300 as "1e-300.0", which is not JSON, and 0.1 with 17 digits. Caller frees. */
char *ns_json_node_dup_text (JsonNode *node);
/* The same, shortened for a message. Caller frees. */
char *ns_json_node_dup_short (JsonNode *node);

/* Set an NS_DOCUMENT_ERROR_INPUT, "PATH: VALUE is not allowed; allowed: …", and return FALSE. */
gboolean ns_json_node_refuse (const char *path, JsonNode *node, const char *allowed, GError **error);

G_END_DECLS
