/* Suggest the name that the user probably meant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Return the element of `names` (NULL-terminated) with the smallest edit distance to `wrong`, or NULL if none is
 * similar. */
const char *ns_suggest (const char *wrong, const char *const *names);

/* Return "Did you mean “depth”? Allowed: depth, d_model, …"; without the question if no name is similar. Caller
 * frees. */
char *ns_suggest_dup_text (const char *wrong, const char *const *names);

G_END_DECLS
