/* Shorten text from untrusted files for error messages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Maximum characters of a value in a message, and of a message; a file can have longer ones. */
#define NS_SHORT_MAX_QUOTED 60
#define NS_SHORT_MAX_MESSAGE 1000

/* Return the UTF-8 text, truncated to `max_characters` and "…" if it is longer. Caller frees. */
char *ns_short_text (const char *text, gsize max_characters);

/* Set an NS_DOCUMENT_ERROR_INPUT with the formatted message, truncated as above. Return FALSE. */
gboolean ns_short_refuse (GError **error, gsize max_characters, const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
