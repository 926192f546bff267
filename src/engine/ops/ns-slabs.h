/* Many blocks of few sizes, in large pages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A slab is a piece of memory of NS_SLAB_BYTES that holds blocks of one size, for which the system is asked for pages
 * of 2 MiB: in pages of 4 KiB each page costs a fault, which under some virtual machines takes longer than drawing the
 * numbers in it. A slab without blocks stays for the next ones, until ns_slabs_trim().
 *
 * Threads: one at a time; blocks may be used by any.
 */
#pragma once

#include <glib.h>

/* Blocks of more than an eighth of this have memory of their own; when a sanitizer watches memory, all have. */
#define NS_SLAB_BYTES ((gsize) 8 << 20)

typedef struct _NsSlabs NsSlabs;

NsSlabs *ns_slabs_new (void);
/* Free the slabs, in which there are no blocks any more. */
void ns_slabs_free (NsSlabs *self);
/* Return an uninitialized block of that many bytes, more than 0, aligned to 64; NULL if the system refuses it, see
 * ns_memory_try(). */
gpointer ns_slabs_take (NsSlabs *self, gsize bytes);
/* Give back a block of that many bytes, or NULL. */
void ns_slabs_give (NsSlabs *self, gpointer block, gsize bytes);
/* Give the slabs without blocks back to the system. */
void ns_slabs_trim (NsSlabs *self);
