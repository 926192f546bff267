/* The nearest of some names to a mistyped one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The name that is most like `wrong`, or NULL when none is like it at all; `names` is NULL-terminated, what comes back
 * is one of its strings. */
const char *ns_suggest (const char *wrong, const char *const *names);

/* "did you mean “depth”? Allowed: depth, d_model, …"; the question only when there is something near. Caller frees. */
char *ns_suggest_dup_text (const char *wrong, const char *const *names);

G_END_DECLS
