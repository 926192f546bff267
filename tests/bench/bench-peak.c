/* The peak of one core: fused multiply-adds in registers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench.h"

#include <time.h>

#define CHAINS 12 /* independent of each other: more than a core computes at a time */
#define STEPS  200000

double
bench_now_s (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

typedef float Vector16 __attribute__ ((vector_size (16)));
typedef float Vector32 __attribute__ ((vector_size (32)));
typedef float Vector64 __attribute__ ((vector_size (64)));

static volatile float factor = 1, term = 0, sink; /* the compiler knows nothing of their values */

/* Define a function that computes CHAINS chains of STEPS multiply-adds and returns the number of operations. */
#define DEFINE_RUN(name, Vector)                                                                                       \
  static double name (void)                                                                                            \
  {                                                                                                                    \
    Vector sum[CHAINS], a = (Vector){ 0 } + factor, b = (Vector){ 0 } + term;                                          \
    for (int i = 0; i < CHAINS; i++)                                                                                   \
      sum[i] = a + (float) i;                                                                                          \
    for (int step = 0; step < STEPS; step++)                                                                           \
      for (int i = 0; i < CHAINS; i++)                                                                                 \
        sum[i] = sum[i] * a + b;                                                                                       \
    for (int i = 0; i < CHAINS; i++)                                                                                   \
      for (gsize j = 0; j < sizeof (Vector) / sizeof (float); j++)                                                     \
        sink = sum[i][j];                                                                                              \
    return 2.0 * CHAINS * STEPS * sizeof (Vector) / sizeof (float);                                                    \
  }

#if defined(__x86_64__)
__attribute__ ((target ("avx512f"))) DEFINE_RUN (run_512, Vector64);
__attribute__ ((target ("avx2,fma"))) DEFINE_RUN (run_256, Vector32);
#endif
DEFINE_RUN (run_128, Vector16);

double
bench_measure_peak (double seconds)
{
  double (*run) (void) = run_128, begin = bench_now_s (), flops = 0;

#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx512f"))
    run = run_512;
  else if (__builtin_cpu_supports ("fma"))
    run = run_256;
#endif
  while (bench_now_s () - begin < seconds)
    flops += run ();
  return 1e-9 * flops / (bench_now_s () - begin);
}
