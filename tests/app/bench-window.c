/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench-window.h"

#include <stdlib.h>

#include "app/controls/normscope-parameter.h"
#include "engine/experiment/ns-params.h"

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

void
bench_print_times (const char *what, double *ms, guint n)
{
  qsort (ms, n, sizeof *ms, compare_doubles);
  g_test_message ("%s: median %.1f ms, 90 %% %.1f ms, 99 %% %.1f ms, worst %.1f ms (%u times)", what, ms[n / 2],
                  ms[n * 9 / 10], ms[n * 99 / 100], ms[n - 1], n);
}

gboolean
bench_is_idle (gpointer plot)
{
  g_autofree char *differs = gtk_test_accessible_check_state (GTK_ACCESSIBLE (plot), GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

BenchMove
bench_find_move (Fixture *fixture, double depth)
{
  GtkScale *slider = normscope_parameter_row_get_slider (app_find_row (fixture, "shape.depth"));

  return (BenchMove){ gtk_range_get_adjustment (GTK_RANGE (slider)),
                      normscope_parameter_to_slider (ns_param_find ("shape.depth"), depth) };
}

void
bench_move_slider (Fixture *fixture, gpointer data)
{
  const BenchMove *move = data;

  (void) fixture;
  gtk_adjustment_set_value (move->adjustment, move->value);
}
