/* Values of a sweep that another one knows.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-sweep-private.h"

#include <string.h>

/* Return TRUE if the sweeps differ in variants and seeds at most. */
static gboolean
have_same_points (const NsSweep *a, const NsSweep *b)
{
  NsExperiment same = *a->experiment;

  /* the points say the depth; a decoder_depth that is set keeps its ratio to it */
  if (a->axis == NS_SWEEP_DEPTH && a->experiment->shape.decoder_depth == 0)
    same.shape.depth = b->experiment->shape.depth;
  return a->axis == b->axis && a->metric.quantity == b->metric.quantity && a->metric.where == b->metric.where
         && a->metric.part == b->metric.part && a->n_points == b->n_points
         && memcmp (a->points, b->points, a->n_points * sizeof *a->points) == 0
         && same.sampling.estimate == b->experiment->sampling.estimate
         && ns_experiment_shares_pass (&same, b->experiment);
}

/* Copy the values of a seed at all points. */
static void
take_known_values (NsSweep *sweep, guint variant, guint seed, const NsSweep *known, guint from, guint from_seed)
{
  for (guint p = 0; p < sweep->n_points; p++)
    {
      SweepValue *value = ns_sweep_at (sweep, variant, p, seed);

      if (!atomic_load (&value->ready)
          && ns_sweep_get_value (known, from, p, from_seed, &value->value, &value->log10_value))
        atomic_store_explicit (&value->ready, TRUE, memory_order_release);
    }
}

gboolean
ns_sweep_take_known (NsSweep *sweep, const NsSweep *known)
{
  const NsExperiment *a = sweep->experiment, *b = known->experiment;
  gint64 shift = b->sampling.seed - a->sampling.seed, n_seeds = ns_sweep_get_n_seeds (sweep);
  gboolean all = TRUE;

  if (!have_same_points (sweep, known))
    return FALSE;
  for (guint w = 0; w < b->variants->len; w++)
    for (guint from = 0; from < ns_sweep_get_n_seeds (known) && ns_sweep_measures (known, w); from++)
      {
        gint64 seed = from + shift;
        gboolean is_there = FALSE;

        for (guint v = 0; v < a->variants->len && seed >= 0 && seed < n_seeds; v++)
          if (ns_sweep_measures (sweep, v)
              && ns_variant_has_same_pass (ns_experiment_variant (a, v), ns_experiment_variant (b, w)))
            {
              take_known_values (sweep, v, (guint) seed, known, w, from);
              is_there = TRUE;
            }
        all = all && is_there;
      }
  return all;
}
