/* Measure a step of the depth slider: the default experiment at depths 24 and 25 in turn, by an engine that keeps the
 * activations, as the window's, and by one that does not.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-depth-step [THREADS]
 */
#include <math.h>

#include "bench.h"
#include "engine/experiment/ns-experiment.h"

#define ROUNDS 12

static const gint64 depths[] = { 24, 25 };

/* Run seeds first .. first + n − 1 of the experiment. Return the milliseconds, NAN on an error. */
static double
run (NsEngine *engine, const NsExperiment *e, guint first, guint n, GError **error)
{
  g_autoptr (NsResult) result = ns_engine_run (engine, e, first, n, NULL, error);

  return result != NULL ? ns_result_get_elapsed_ms (result) : NAN;
}

/* Return the least times of the first seed and of all, after a round that fills the stores. */
static gboolean
time_steps (NsEngine *engine, double *first_ms, double *all_ms, GError **error)
{
  g_autoptr (NsExperiment) e = ns_experiment_new ();
  guint seeds = (guint) e->sampling.seeds;

  *first_ms = *all_ms = INFINITY;
  for (int round = 0; round < ROUNDS + 2; round++)
    {
      double first, rest;

      e->shape.depth = depths[round % 2];
      first = run (engine, e, 0, 1, error);
      rest = isnan (first) ? NAN : run (engine, e, 1, seeds - 1, error);
      if (isnan (rest))
        return FALSE;
      if (round >= 2)
        {
          *first_ms = MIN (*first_ms, first);
          *all_ms = MIN (*all_ms, first + rest);
        }
    }
  return TRUE;
}

static gboolean
measure (NsEngine *engine, GError **error)
{
  NsEngine *keeping = ns_engine_new (ns_engine_get_threads (engine), 0);
  double whole[2], kept[2];
  gboolean ok;

  ns_engine_keep_activations (keeping);
  ok = time_steps (engine, &whole[0], &whole[1], error) && time_steps (keeping, &kept[0], &kept[1], error);
  ns_engine_free (keeping);
  if (!ok)
    return FALSE;
  g_print ("a step of the depth: default shape, 2 variants, depths 24 and 25 in turn; best of %d\n", ROUNDS);
  g_print ("  first seed: %.1f ms, without kept activations %.1f ms\n", kept[0], whole[0]);
  g_print ("  all seeds: %.1f ms, without kept activations %.1f ms\n", kept[1], whole[1]);
  return TRUE;
}

int
main (int argc, char **argv)
{
  return bench_main (argc, argv, "bench-depth-step", measure);
}
