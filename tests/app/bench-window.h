/* What the benchmarks of the window share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-widgets.h"

/* Print the median, high percentiles and the worst of n times, which are sorted. */
void bench_print_times (const char *what, double *ms, guint n);
/* Return TRUE when nothing runs for a plot. An AppCondition. */
gboolean bench_is_idle (gpointer plot);

/* A move of the slider of depth, which is found before the time begins. */
typedef struct
{
  GtkAdjustment *adjustment;
  double value;
} BenchMove;

BenchMove bench_find_move (Fixture *fixture, double depth);
/* Do a BenchMove. */
void bench_move_slider (Fixture *fixture, gpointer move);
