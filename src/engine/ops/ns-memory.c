/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MIB ((guint64) 1 << 20)
#define LARGE (1 * MIB)
#define LEFT (48 * MIB) /* for the window: widgets, fonts, a few surfaces of its size */
#define ALIGNMENT 64
/* A block of at least two pages of this size is in such pages, if the system has them: those of 4 KiB cost a page fault
 * each. */
#define LARGE_PAGE (2 * MIB)

gboolean
ns_memory_has_room (guint64 bytes)
{
  void *probe;

  if (bytes < LARGE)
    return TRUE;
  if (bytes > G_MAXSSIZE - LEFT)
    return FALSE;
  probe = mmap (NULL, bytes + LEFT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED)
    return FALSE;
  munmap (probe, bytes + LEFT);
  return TRUE;
}

gpointer
ns_memory_try (guint64 n, gsize size)
{
  guint64 bytes;
  gsize alignment;
  gpointer block;

  if (!g_uint64_checked_mul (&bytes, n, size) || bytes > G_MAXSSIZE - LARGE_PAGE || !ns_memory_has_room (bytes))
    return NULL;
  alignment = bytes >= 2 * LARGE_PAGE ? LARGE_PAGE : ALIGNMENT;
  block = aligned_alloc (alignment, (MAX (bytes, 1) + alignment - 1) / alignment * alignment);
  if (block != NULL && alignment == LARGE_PAGE)
    ns_memory_prefer_large_pages (block, bytes / LARGE_PAGE * LARGE_PAGE);
  return block;
}

void
ns_memory_prefer_large_pages (gpointer memory, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  madvise (memory, bytes, MADV_HUGEPAGE);
#endif
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
