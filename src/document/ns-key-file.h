/* Parse untrusted key files (groups of KEY=VALUE lines).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib accepts duplicate keys and invalid escapes, and loses errors if a value has several invalid escapes. This parser
 * refuses such files, so later reads of the key file cannot fail on them.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Parse a key file and keep all translations. `allowed` describes the expected content in a message: "a claim with the
 * groups …". Return NULL and an NS_DOCUMENT_ERROR_INPUT with line, group or key, but without the file's name. Caller
 * owns the result. */
GKeyFile *ns_key_file_from_bytes (GBytes *bytes, const char *allowed, GError **error);

G_END_DECLS
