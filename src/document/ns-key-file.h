/* Key files (groups of KEY=VALUE lines) that come from anywhere.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib lets the last of two equal keys win, takes a value with a broken escape as it is, and loses errors where several
 * escapes are broken. This refuses such files, so that whatever is asked of the key file afterwards is a plain text.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* With all translations kept. `allowed` is what a message calls the content that is expected: "a claim with the groups
 * …". NULL and an NS_DOCUMENT_ERROR_INPUT that names line, group or key, not the file. Caller owns it. */
GKeyFile *ns_key_file_from_bytes (GBytes *bytes, const char *allowed, GError **error);

G_END_DECLS
