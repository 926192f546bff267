/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MIB ((guint64) 1 << 20)
#define LARGE_BYTES (1 * MIB)
#define LEFT (48 * MIB) /* for the window: widgets, fonts, a few surfaces of its size */
#define BLOCK_ALIGNMENT 64
/* Those of 4 KiB cost a page fault each. */
#define LARGE_PAGE ((gsize) 2 << 20)

gboolean
ns_memory_has_room (guint64 bytes)
{
  void *probe;

  if (bytes < LARGE_BYTES)
    return TRUE;
  if (bytes > G_MAXSSIZE - LEFT)
    return FALSE;
  probe = mmap (NULL, bytes + LEFT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED)
    return FALSE;
  munmap (probe, bytes + LEFT);
  return TRUE;
}

void
ns_memory_prefer_large_pages (gpointer block, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  gsize before = (LARGE_PAGE - (guintptr) block % LARGE_PAGE) % LARGE_PAGE;

  if (bytes >= before + LARGE_PAGE)
    madvise ((guint8 *) block + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
}

gpointer
ns_memory_try (guint64 n, gsize size)
{
  guint64 bytes;
  gpointer block;

  if (!g_uint64_checked_mul (&bytes, n, size) || bytes > G_MAXSSIZE - BLOCK_ALIGNMENT || !ns_memory_has_room (bytes))
    return NULL;
  block = aligned_alloc (BLOCK_ALIGNMENT, (MAX (bytes, 1) + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT);
  /* a smaller one may be part of the heap, where the preference would outlast it: a few bytes would take 2 MiB */
  if (block != NULL && bytes >= NS_MEMORY_MAPPED_BYTES)
    ns_memory_prefer_large_pages (block, bytes);
  return block;
}

gboolean
ns_memory_resize (gpointer *block, guint64 n, gsize size)
{
  guint64 bytes;
  gpointer resized;

  if (!g_uint64_checked_mul (&bytes, n, size) || bytes > G_MAXSSIZE || !ns_memory_has_room (bytes))
    return FALSE;
  resized = g_try_realloc (*block, MAX (bytes, 1));
  if (resized == NULL)
    return FALSE;
  *block = resized;
  return TRUE;
}
