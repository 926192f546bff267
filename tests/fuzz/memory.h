/* Count the memory that reading one input takes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A hostile file must not cost much more memory than its size. The sanitizers' allocator reports each allocation;
 * without sanitizers the functions of the C library are replaced. With another C library nothing is counted.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Begin to count. */
void fuzz_memory_begin (void);
/* Return the most bytes that were allocated at the same time since then. */
gsize fuzz_memory_get_peak (void);

G_END_DECLS
