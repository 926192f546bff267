/* Search by words: each of them somewhere, whatever its case or accents.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a text is searched in; caller frees. */
char *normscope_search_dup_haystack (const char *text);
/* words NULL or empty: everything matches. */
gboolean normscope_search_matches (const char *haystack, const char *words);

G_END_DECLS
