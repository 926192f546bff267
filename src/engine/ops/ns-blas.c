/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-blas.h"

#include <cblas.h>

#define VARIABLE "OPENBLAS_CORETYPE"

const char *
ns_blas_get_core (void)
{
  return openblas_get_corename ();
}

gboolean
ns_blas_has_avx512 (void)
{
  static const char *const cores[] = { "SkylakeX", "Cooperlake", "SapphireRapids", NULL };

  return g_strv_contains (cores, ns_blas_get_core ());
}

const char *
ns_blas_get_config (void)
{
  return openblas_get_config ();
}

const char *
ns_blas_get_forced_core (void)
{
  const char *core = g_getenv (VARIABLE);

  return core != NULL && core[0] != '\0' ? core : NULL;
}

/* OpenBLAS's own end of its threads. It exports it, but no header declares it; a build without threads lacks it. */
int blas_thread_shutdown_ (void) __attribute__ ((weak));

/* The program shares the work among threads of its own. Those of OpenBLAS, one for each processor from its start on,
 * would look for work for a tenth of a second before they sleep. */
__attribute__ ((constructor)) static void
end_threads (void)
{
  openblas_set_num_threads (1);
  if (blas_thread_shutdown_ != NULL)
    blas_thread_shutdown_ ();
}

#ifdef __x86_64__

/* OpenBLAS's own start and end of its choice. It exports them, but no header declares them; a build without them, one
 * for a single processor, has no choice. */
void gotoblas_dynamic_init (void) __attribute__ ((weak));
void gotoblas_dynamic_quit (void) __attribute__ ((weak));

static const char *
get_best_core (void)
{
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512cd") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl"))
    return "SkylakeX";
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") ? "Haswell" : NULL;
}

/* Choose again if OpenBLAS fell back to Prescott. A constructor, since products of any part of the program, before and
 * after an engine exists, have to use the same kernels: others round differently. It runs after OpenBLAS's own, and
 * before the program can start a thread or call OpenBLAS. */
__attribute__ ((constructor)) static void
choose_core (void)
{
  const char *core = get_best_core ();

  if (core == NULL || g_getenv (VARIABLE) != NULL || gotoblas_dynamic_init == NULL || gotoblas_dynamic_quit == NULL
      || g_strcmp0 (openblas_get_corename (), "Prescott") != 0)
    return;
  g_setenv (VARIABLE, core, TRUE);
  gotoblas_dynamic_quit ();
  gotoblas_dynamic_init ();
  g_unsetenv (VARIABLE);
}

#endif
