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

G_END_DECLS
