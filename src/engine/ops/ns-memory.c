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

  if (!g_uint64_checked_mul (&bytes, n, size) || bytes > G_MAXSSIZE - ALIGNMENT || !ns_memory_has_room (bytes))
    return NULL;
  return aligned_alloc (ALIGNMENT, (MAX (bytes, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
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
