/* The machine: clock, memory.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"

#ifdef HAVE_MALLOC_TRIM
#include <malloc.h>
#endif
#include <time.h>
#include <unistd.h>

/* Enough that threads, which allocate once per block and not per row, do not wait for each other. */
#define MAX_ARENAS 4
/* Free memory at the end of an arena that goes back to the system. Mapped blocks go back when they are freed. glibc
 * would raise their least size to the largest size freed so far, up to 32 MiB, and then keep twice as much free at the
 * end of each arena, where malloc_trim() leaves it. The surfaces of a frame, 4 MiB for a window of 1280 × 800, are
 * smaller: mapped anew for each frame they cost 3500 page faults and a third of the time of painting. */
#define KEEP_BYTES (16 << 20)

double
ns_now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

void
ns_machine_trim_memory (void)
{
#ifdef HAVE_MALLOC_TRIM
  malloc_trim (0);
#endif
}

void
ns_machine_set_up_allocator (void)
{
#ifdef HAVE_MALLOC_TRIM
  mallopt (M_ARENA_MAX, MAX_ARENAS);
  mallopt (M_MMAP_THRESHOLD, (int) NS_MEMORY_MAPPED_BYTES);
  mallopt (M_TRIM_THRESHOLD, KEEP_BYTES);
#endif
}
