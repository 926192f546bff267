/* The frame of a benchmark of the engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/run/ns-engine.h"

/* Measure with an engine of argv[1] threads, by default one for each processor, and print what it measured and the
 * machine; return the exit status. `measure` prints its lines, or returns FALSE with an error. */
int bench_main (int argc, char **argv, const char *name, gboolean (*measure) (NsEngine *engine, GError **error));
/* Print the threads of the engine and the core of its BLAS. */
void bench_print_machine (NsEngine *engine);

/* Return the processor time of this thread, in seconds, so that other work on the machine counts less. */
double bench_now_s (void);
/* Return the single-precision operations of this core in some seconds of fused multiply-adds alone, in GFLOP/s. */
double bench_measure_peak (double seconds);
