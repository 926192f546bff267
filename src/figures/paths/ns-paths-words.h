/* Paths in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

/* Return the result in words, a line for each variant and part, without a final line feed. In the user's language;
 * caller frees. */
char *ns_paths_dup_text (const NsPaths *paths);

G_END_DECLS
