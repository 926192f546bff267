/* Paths that other paths know.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-paths-private.h"

gboolean
ns_paths_settings_match (const NsPathsSettings *a, const NsPathsSettings *b)
{
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case NS_PATHS_CONTRIBUTIONS:
      return a->all_blocks == b->all_blocks;
    case NS_PATHS_GAIN:
      return a->n_probes == b->n_probes;
    case NS_PATHS_UPDATE:
      return a->optimizer == b->optimizer && a->learning_rate == b->learning_rate
             && a->matrices_only == b->matrices_only;
    case NS_PATHS_LENGTHS:
    case NS_PATHS_SIMILARITY:
    case NS_PATHS_ROUTING:
    case NS_N_PATHS:
    default:
      return TRUE;
    }
}

/* Copy the numbers of a variant and seed. */
static void
take_known_seed (NsPaths *paths, guint variant, guint seed, const NsPaths *known, guint from, guint from_seed)
{
  for (NsPathsMap m = 0; m < NS_N_MAPS; m++)
    {
      NsPathsTable *table = &paths->variants[variant].tables[m];
      const NsPathsTable *source = &known->variants[from].tables[m];

      for (gsize i = 0; i < (gsize) (table->rows * table->columns); i++)
        {
          gsize to = i * paths->n_seeds + seed, at = i * known->n_seeds + from_seed;

          if (atomic_load (&table->ready[to])) /* readers may be reading it */
            continue;
          table->values[to] = source->values[at];
          if (table->log10_values != NULL)
            table->log10_values[to] = source->log10_values[at];
          atomic_store (&table->ready[to], atomic_load (&source->ready[at]));
        }
    }
  ns_paths_set_overflow (paths, variant, seed, atomic_load (&known->variants[from].overflow[from_seed]));
  ns_paths_finish (paths, variant, seed);
}

gboolean
ns_paths_take_known (NsPaths *paths, const NsPaths *known)
{
  const NsExperiment *a = paths->experiment, *b = known->experiment;
  gint64 shift = b->sampling.seed + known->first_seed - (a->sampling.seed + paths->first_seed);
  gboolean all = TRUE;

  if (!ns_paths_settings_match (&paths->settings, &known->settings) || !ns_experiment_shares_pass (a, b)
      || a->sampling.estimate != b->sampling.estimate)
    return FALSE;
  for (guint w = 0; w < known->n_variants; w++)
    for (guint from = 0; from < known->n_seeds; from++)
      {
        gint64 seed = from + shift;
        gboolean is_there = !ns_paths_is_finished (known, w, from);

        for (guint v = 0; v < paths->n_variants && seed >= 0 && seed < paths->n_seeds; v++)
          if (ns_variant_has_same_pass (ns_experiment_variant (a, v), ns_experiment_variant (b, w)))
            {
              if (ns_paths_is_finished (known, w, from) && !ns_paths_is_finished (paths, v, (guint) seed))
                take_known_seed (paths, v, (guint) seed, known, w, from);
              is_there = TRUE;
            }
        all = all && is_there;
      }
  return all;
}
