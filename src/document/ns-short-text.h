/* Texts of unknown length in messages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The text (UTF-8), or its first characters and "…" when it has more than `max_characters`. Caller frees. */
char *ns_short_text (const char *text, gsize max_characters);

/* An NS_DOCUMENT_ERROR_INPUT with the formatted message, of which `max_characters` are kept. FALSE, always. */
gboolean ns_short_refuse (GError **error, gsize max_characters, const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
