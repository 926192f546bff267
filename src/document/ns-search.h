/* Search by words: each word has to occur somewhere; case, accents and punctuation do not count.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Return `text` in the form that ns_search_matches() searches. The caller frees it. */
char *ns_search_dup_haystack (const char *text);
/* Return TRUE if every word occurs in the haystack; NULL or "" match everything. */
gboolean ns_search_matches (const char *haystack, const char *words);

G_END_DECLS
