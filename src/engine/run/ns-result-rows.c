/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-result-rows.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-result-storage.h"

#include <string.h>

guint
ns_result_find_rows (const NsResult *result, const NsExperiment *experiment, const NsQuantitySet *quantities,
                     guint first_seed, guint n_seeds, NsResultRow *rows)
{
  const NsExperiment *from = result->experiment;
  guint n_variants = experiment->variants->len, n_known = 0;
  gint64 shift = experiment->sampling.seed + first_seed - (from->sampling.seed + result->first_seed);
  gboolean is_source = ns_result_has_all (result, quantities) && ns_experiment_shares_pass (from, experiment);

  for (guint v = 0; v < n_variants; v++)
    {
      guint w = is_source ? 0 : result->n_tables;

      while (w < result->n_tables
             && !ns_variant_has_same_pass (ns_experiment_variant (from, w), ns_experiment_variant (experiment, v)))
        w++;
      for (guint s = 0; s < n_seeds; s++)
        {
          NsResultRow *row = &rows[s * n_variants + v];
          gint64 seed = s + shift;

          if (row->result == NULL && w < result->n_tables && seed >= 0 && seed < result->n_seeds)
            *row = (NsResultRow){ result, w, (guint) seed };
          n_known += row->result != NULL;
        }
    }
  return n_known;
}

/* Copy the numbers of the quantities of `to`; the sites of both are the same. */
static void
copy_from_row (NsResult *to, guint variant, guint seed, const NsResultRow *row)
{
  NsResultTable *table = &to->tables[variant];
  const NsResultTable *source = &row->result->tables[row->variant];

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      gsize n = (gsize) table->n_sites[q] * ns_result_count_estimates (to->experiment, q);
      gsize i = seed * table->row_length + table->start[q], j = row->seed * source->row_length + source->start[q];

      if (n == 0)
        continue;
      memcpy (&table->numbers[i], &source->numbers[j], n * sizeof *table->numbers);
      if (table->is_set != NULL && source->is_set != NULL)
        memcpy (&table->is_set[i], &source->is_set[j], n);
      else if (table->is_set != NULL)
        memset (&table->is_set[i], TRUE, n);
    }
  table->overflow[seed] = source->overflow[row->seed];
}

NsResult *
ns_result_new_from_rows (const NsExperiment *experiment, const NsQuantitySet *quantities, guint first_seed,
                         guint n_seeds, const NsResultRow *rows)
{
  guint n_variants = experiment->variants->len, n = n_variants * n_seeds, threads = 0;
  NsResult *result = ns_result_new_of (experiment, first_seed, n_seeds, quantities);
  gboolean is_partial = FALSE;
  double elapsed_ms = 0;

  for (guint i = 0; i < n; i++)
    {
      const NsResult *part = rows[i].result;

      is_partial = is_partial || ns_result_is_partial (part);
      elapsed_ms += part->elapsed_ms / (part->n_tables * part->n_seeds); /* a part may be made of rows, too */
      threads = MAX (threads, part->threads);
    }
  if (result != NULL && is_partial && !ns_result_begin_partial (result))
    g_clear_pointer (&result, ns_result_unref);
  if (result == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    copy_from_row (result, i % n_variants, i / n_variants, &rows[i]);
  ns_result_set_elapsed (result, elapsed_ms, threads);
  return result;
}
