/* Parsed JSON as text again.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * json-glib writes 1e-300 as "1e-300.0", which is no JSON, and 0.1 with 17 digits.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* On one line without blanks, members in their order, numbers that read back to the same value. The node is no deeper
 * than NS_JSON_MAX_DEPTH and has no number that is not finite, as ns_json_check() sees to. Caller frees. */
char *ns_json_dup_node (JsonNode *node);

G_END_DECLS
