/* Reading a result: numbers, statistics over the seeds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-storage.h"

#include <math.h>

const NsExperiment *
ns_result_get_experiment (const NsResult *result)
{
  return result->experiment;
}

guint
ns_result_get_n_seeds (const NsResult *result)
{
  return result->n_seeds;
}

guint
ns_result_get_first_seed (const NsResult *result)
{
  return result->first_seed;
}

double
ns_result_get_elapsed_ms (const NsResult *result)
{
  return result->elapsed_ms;
}

guint
ns_result_get_threads (const NsResult *result)
{
  return result->threads;
}

gboolean
ns_result_has (const NsResult *result, NsQuantity quantity)
{
  return ns_quantity_set_has (&result->quantities, quantity);
}

gboolean
ns_result_has_all (const NsResult *result, const NsQuantitySet *quantities)
{
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_set_has (quantities, q) && !ns_result_has (result, q))
      return FALSE;
  return TRUE;
}

const NsQuantitySet *
ns_result_get_quantities (const NsResult *result)
{
  return &result->quantities;
}

gboolean
ns_result_has_estimates (const NsResult *result, NsQuantity quantity)
{
  return ns_result_count_estimates (result->experiment, quantity) > 1;
}

/* Return the index of an estimate in the numbers of a quantity; 0 if it has only one. */
static guint
get_estimate_index (const NsResult *result, NsQuantity quantity, NsGradientEstimate estimate)
{
  return ns_result_has_estimates (result, quantity) ? estimate : NS_ESTIMATE_NORM;
}

gboolean
ns_result_get_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed,
                     double *value, double *log10_value)
{
  return ns_result_get_value_of (result, variant, quantity,
                                 (NsGradientEstimate) result->experiment->sampling.estimate, site, seed, value,
                                 log10_value);
}

gboolean
ns_result_get_value_of (const NsResult *result, guint variant, NsQuantity quantity, NsGradientEstimate estimate,
                        gint64 site, guint seed, double *value, double *log10_value)
{
  const NsResultTable *table;
  const NsResultNumber *number;
  gsize i;

  g_return_val_if_fail (variant < result->n_tables && seed < result->n_seeds, FALSE);

  if (!ns_result_has (result, quantity) || !ns_quantity_exists (quantity, result->experiment, variant, site))
    return FALSE;
  table = &result->tables[variant];
  i = ns_result_table_get_index (table, quantity, get_estimate_index (result, quantity, estimate), site, seed);
  if (table->is_set != NULL && !table->is_set[i])
    return FALSE;
  number = &table->numbers[i];
  if (value != NULL)
    *value = number->value;
  if (log10_value != NULL)
    *log10_value = ns_quantity_has_log10 (quantity) ? number->log10_value : NAN;
  return TRUE;
}

static gboolean
get_stat (const NsResult *result, guint variant, NsQuantity quantity, NsGradientEstimate estimate, gint64 site,
          guint n_seeds, NsStat *stat)
{
  gboolean has_log10 = ns_quantity_has_log10 (quantity);
  g_autofree double *values = NULL;
  const NsResultTable *table;
  gsize first;
  guint n = 0;

  g_return_val_if_fail (variant < result->n_tables && n_seeds >= 1 && n_seeds <= result->n_seeds, FALSE);

  if (!ns_result_has (result, quantity) || !ns_quantity_exists (quantity, result->experiment, variant, site))
    return FALSE;

  table = &result->tables[variant];
  first = ns_result_table_get_index (table, quantity, get_estimate_index (result, quantity, estimate), site, 0);
  values = g_new (double, 2 * n_seeds);
  for (guint s = 0; s < n_seeds; s++)
    {
      gsize i = first + s * table->row_length;

      if (table->overflow[s] == NS_RESULT_MISSING || (table->is_set != NULL && !table->is_set[i]))
        continue;
      values[n] = table->numbers[i].value;
      values[n_seeds + n++] = has_log10 ? table->numbers[i].log10_value : NAN;
    }
  if (n > 0)
    ns_stat_init (stat, values, values + n_seeds, n);
  return n > 0;
}

static NsGradientEstimate
get_chosen_estimate (const NsResult *result)
{
  return (NsGradientEstimate) result->experiment->sampling.estimate;
}

gboolean
ns_result_get_stat_of_first (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint n_seeds,
                             NsStat *stat)
{
  return get_stat (result, variant, quantity, get_chosen_estimate (result), site, n_seeds, stat);
}

gboolean
ns_result_get_stat (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, NsStat *stat)
{
  return get_stat (result, variant, quantity, get_chosen_estimate (result), site, result->n_seeds, stat);
}

gboolean
ns_result_get_stat_of (const NsResult *result, guint variant, NsQuantity quantity, NsGradientEstimate estimate,
                       gint64 site, NsStat *stat)
{
  return get_stat (result, variant, quantity, estimate, site, result->n_seeds, stat);
}

gint64
ns_result_get_overflow (const NsResult *result, guint variant, guint seed)
{
  g_return_val_if_fail (variant < result->n_tables && seed < result->n_seeds, 0);
  return MAX (result->tables[variant].overflow[seed], 0);
}

gboolean
ns_result_is_partial (const NsResult *result)
{
  return result->tables[0].is_set != NULL;
}

gboolean
ns_result_is_missing (const NsResult *result, guint variant, guint seed)
{
  g_return_val_if_fail (variant < result->n_tables && seed < result->n_seeds, FALSE);
  return result->tables[variant].overflow[seed] == NS_RESULT_MISSING;
}

gint64
ns_result_get_first_overflow (const NsResult *result, guint variant, guint *seed)
{
  gint64 lowest = 0;

  for (guint s = 0; s < result->n_seeds; s++)
    {
      gint64 site = ns_result_get_overflow (result, variant, s);

      if (site == 0 || (lowest != 0 && site >= lowest))
        continue;
      lowest = site;
      if (seed != NULL)
        *seed = s;
    }
  return lowest;
}
