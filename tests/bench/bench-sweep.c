/* Measure a sweep over every depth: w_2 at the last block, the default shape, Pre-LN and Post-LN.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-sweep [LAST-DEPTH [SEEDS [THREADS]]]
 *
 * For comparison it also runs some depths as whole runs, which must give the same numbers.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-sweep.h"

#define ROUNDS 3
#define TOLERANCE 1e-5

static NsExperiment *
make_experiment (gint64 depth, gint64 seeds)
{
  NsExperiment *e = ns_experiment_new ();

  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, ns_variant_from_text ("pre", NULL));
  g_ptr_array_add (e->variants, ns_variant_from_text ("post", NULL));
  e->shape.depth = depth;
  e->sampling.seeds = seeds;
  return e;
}

static NsSweep *
run_sweep (NsEngine *engine, const NsExperiment *e, guint last, GError **error)
{
  g_autofree gint64 *points = g_new (gint64, last);
  NsMetric metric;
  g_autoptr (NsSweep) sweep = NULL;

  for (guint i = 0; i < last; i++)
    points[i] = i + 1;
  if (!ns_metric_from_text ("w_2@last", &metric, error))
    return NULL;
  sweep = ns_sweep_new (e, NS_SWEEP_DEPTH, points, last, metric, error);
  if (sweep == NULL || !ns_engine_run_sweep (engine, sweep, NULL, error))
    return NULL;
  return g_steal_pointer (&sweep);
}

/* Run one depth with every variant and seed, and measure the time. Return FALSE if a number differs. */
static gboolean
run_whole (NsEngine *engine, const NsSweep *sweep, gint64 depth, double *elapsed_ms, GError **error)
{
  const NsExperiment *all = ns_sweep_get_experiment (sweep);
  g_autoptr (NsExperiment) e = make_experiment (depth, all->sampling.seeds);
  g_autoptr (NsResult) result = ns_engine_run (engine, e, 0, (guint) e->sampling.seeds, NULL, error);

  if (result == NULL)
    return FALSE;
  *elapsed_ms = ns_result_get_elapsed_ms (result);
  for (guint v = 0; v < e->variants->len; v++)
    for (guint s = 0; s < (guint) e->sampling.seeds; s++)
      {
        double whole = NAN, shared = NAN;

        if (!ns_result_get_value (result, v, NS_Q_W_2, depth, s, &whole, NULL)
            || !ns_sweep_get_value (sweep, v, (guint) depth - 1, s, &shared, NULL)
            || !(fabs (shared - whole) <= TOLERANCE * whole))
          {
            g_set_error (error, g_quark_from_static_string ("bench-sweep"), 0,
                         "depth %d, variant %u, seed %u: %g in the sweep, %g in a whole run", (int) depth, v, s,
                         shared, whole);
            return FALSE;
          }
      }
  return TRUE;
}

/* Fit ms = a + b·L by least squares. Return the sum over L = 1 .. last. */
static double
fit_sum (const double *depths, const double *ms, guint n, double last)
{
  double mean_l = 0, mean_ms = 0, cross = 0, square = 0;

  for (guint i = 0; i < n; i++)
    {
      mean_l += depths[i] / n;
      mean_ms += ms[i] / n;
    }
  for (guint i = 0; i < n; i++)
    {
      cross += (depths[i] - mean_l) * (ms[i] - mean_ms);
      square += (depths[i] - mean_l) * (depths[i] - mean_l);
    }
  return last * (mean_ms + cross / square * ((last + 1) / 2 - mean_l));
}

/* Time the sweep as a command runs it: by a new engine that keeps no weights. */
static gboolean
time_drawn (guint n_threads, const NsExperiment *e, guint last, double *ms, GError **error)
{
  NsEngine *engine = ns_engine_new (n_threads, 0);
  g_autoptr (NsSweep) sweep = run_sweep (engine, e, last, error);

  if (sweep != NULL)
    *ms = ns_sweep_get_elapsed_ms (sweep);
  ns_engine_free (engine);
  return sweep != NULL;
}

static gboolean
measure (NsEngine *engine, guint last, guint seeds, GError **error)
{
  g_autoptr (NsExperiment) e = make_experiment (last, seeds);
  g_autoptr (NsSweep) sweep = NULL;
  const double depths[] = { 1, MAX (last / 4, 1), last };
  double drawn_ms, kept_ms = INFINITY, whole_ms[G_N_ELEMENTS (depths)];

  if (!time_drawn (ns_engine_get_threads (engine), e, last, &drawn_ms, error))
    return FALSE;
  for (int i = 0; i <= ROUNDS; i++) /* the first one draws the weights */
    {
      g_clear_pointer (&sweep, ns_sweep_unref);
      sweep = run_sweep (engine, e, last, error);
      if (sweep == NULL)
        return FALSE;
      if (i > 0)
        kept_ms = MIN (kept_ms, ns_sweep_get_elapsed_ms (sweep));
    }
  for (guint i = G_N_ELEMENTS (depths); i-- > 0;)
    if (!run_whole (engine, sweep, (gint64) depths[i], &whole_ms[i], error))
      return FALSE;
  g_print ("sweep: w_2@last for every depth 1..%u, %u variants, %u seeds\n", last, e->variants->len, seeds);
  g_print ("  weights drawn: %.1f ms\n  weights kept: %.1f ms\n", drawn_ms, kept_ms);
  g_print ("  each depth run whole, weights kept: %.1f ms (three depths, fitted)\n",
           fit_sum (depths, whole_ms, G_N_ELEMENTS (depths), last));
  bench_print_machine (engine);
  return TRUE;
}

int
main (int argc, char **argv)
{
  guint last = argc > 1 ? (guint) atoi (argv[1]) : 128, seeds = argc > 2 ? (guint) atoi (argv[2]) : 8;
  NsEngine *engine = ns_engine_new (argc > 3 ? (guint) atoi (argv[3]) : 0, 0);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  setlocale (LC_CTYPE, "");
  ns_engine_keep_weights (engine);
  ok = measure (engine, MAX (last, 2), MAX (seeds, 1), &error);
  if (!ok)
    g_printerr ("bench-sweep: %s\n", error->message);
  ns_engine_free (engine);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
