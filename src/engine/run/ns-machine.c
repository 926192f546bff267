/* The machine: clock, memory, OpenBLAS.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "engine/run/ns-engine-private.h"

#include <cblas.h>
#ifdef HAVE_MALLOC_TRIM
#include <malloc.h>
#endif
#include <time.h>
#include <unistd.h>

/* Enough that threads, which allocate once per block and not per row, do not wait for each other. */
#define MAX_ARENAS 4

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
ns_machine_limit_arenas (void)
{
#ifdef HAVE_MALLOC_TRIM
  mallopt (M_ARENA_MAX, MAX_ARENAS);
#endif
}

const char *
ns_blas_get_core (void)
{
  return openblas_get_corename ();
}

const char *
ns_blas_get_config (void)
{
  return openblas_get_config ();
}

const char *
ns_blas_get_forced_core (void)
{
  const char *core = g_getenv ("OPENBLAS_CORETYPE");

  return core != NULL && core[0] != '\0' ? core : NULL;
}
