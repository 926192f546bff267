/* Measure the paths of one seed against an ordinary run of it: the default shape, Pre-LN and Post-LN.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-paths [THREADS]
 *
 * The rounds take turns, so that other work on the machine slows all of them alike.
 */
#include <math.h>

#include "bench.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-paths.h"

#define ROUNDS 8
#define N_PROBES 4

static NsExperiment *
make_experiment (void)
{
  NsExperiment *e = ns_experiment_new ();

  g_ptr_array_set_size (e->variants, 0);
  g_ptr_array_add (e->variants, ns_variant_from_text ("pre", NULL));
  g_ptr_array_add (e->variants, ns_variant_from_text ("post", NULL));
  return e;
}

/* Return the milliseconds of one kind; 0 with an error. */
static double
time_kind (NsEngine *engine, const NsExperiment *e, NsPathsKind kind, GError **error)
{
  const NsPathsSettings settings = { .kind = kind, .n_probes = N_PROBES, .optimizer = NS_OPTIMIZER_SGD,
                                     .learning_rate = ns_optimizer_get_learning_rate (NS_OPTIMIZER_SGD) };
  g_autoptr (NsPaths) paths = ns_engine_run_paths (engine, e, &settings, 0, 1, NULL, error);

  return paths != NULL ? ns_paths_get_elapsed_ms (paths) : 0;
}

static gboolean
measure (NsEngine *engine, GError **error)
{
  g_autoptr (NsExperiment) e = make_experiment ();
  double run_ms = INFINITY, kind_ms[NS_N_PATHS];

  for (int k = 0; k < NS_N_PATHS; k++)
    kind_ms[k] = INFINITY;
  /* the first round draws the weights */
  for (int i = 0; i <= ROUNDS; i++)
    {
      g_autoptr (NsResult) result = ns_engine_run (engine, e, 0, 1, NULL, error);

      if (result == NULL)
        return FALSE;
      run_ms = i > 0 ? MIN (run_ms, ns_result_get_elapsed_ms (result)) : INFINITY;
      for (int k = 0; k < NS_N_PATHS; k++)
        {
          double ms = time_kind (engine, e, (NsPathsKind) k, error);

          if (ms == 0)
            return FALSE;
          kind_ms[k] = i > 0 ? MIN (kind_ms[k], ms) : INFINITY;
        }
    }
  g_print ("paths: default shape, %u variants, 1 seed, %d probes; best of %d rounds\n", e->variants->len, N_PROBES,
           ROUNDS);
  g_print ("  ordinary run: %.1f ms\n", run_ms);
  for (int k = 0; k < NS_N_PATHS; k++)
    g_print ("  %s: %.1f ms, %.2f ordinary runs\n", ns_paths_kind_get_name ((NsPathsKind) k), kind_ms[k],
             kind_ms[k] / run_ms);
  return TRUE;
}

int
main (int argc, char **argv)
{
  return bench_main (argc, argv, "bench-paths", measure);
}
