/* Lay out the cache of a block in memory: what its backward pass reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: pure, apart from the memory.
 */
#pragma once

#include "engine/pass/ns-workspace-needs.h"
#include "engine/pass/ns-workspace.h"

/* Hands out 64-byte aligned pieces of one allocation; with base NULL it only counts. */
typedef struct
{
  char *base;
  guint64 used; /* G_MAXUINT64: more than can be counted */
} NsArena;

/* Take n elements; NULL while counting. */
void *ns_arena_take (NsArena *arena, guint64 n, gsize element);
ns_real *ns_arena_take_reals (NsArena *arena, guint64 rows, guint64 columns);

/* Take the mean and the deviation of each row of a norm's input. */
void ns_block_cache_take_norm (NsArena *arena, NsNormCache *norm, gsize rows);
/* Take the arrays of a block; the sizes are those of w, which is laid out for the shape. */
void ns_block_cache_take (NsArena *arena, NsBlockCache *block, const NsWorkspace *w, const NsShape *shape,
                          const NsWorkspaceNeeds *needs, gboolean is_decoder);
