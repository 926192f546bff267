/* The result: storage, reference counts, filling.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-result-storage.h"

#include <math.h>
#include <string.h>

/* A larger result is a mistake, which an allocator that overcommits must not hide. */
#define MAX_BYTES ((guint64) 1 << 40)

/* ---- layout ---- */

guint
ns_result_count_estimates (const NsExperiment *experiment, NsQuantity quantity)
{
  return experiment->sampling.batches > 1 && ns_quantity_is_of_parameters (quantity) ? NS_N_ESTIMATES : 1;
}

static void
lay_out_table (NsResultTable *table, const NsExperiment *experiment, guint variant, const NsQuantitySet *quantities)
{
  gint64 head = ns_experiment_get_head_site (experiment);

  memset (table, 0, sizeof *table);
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    {
      gint64 first = -1, last = -1;

      /* Look only at each part's input, first and last block: a mixed stack has one wiring in its lower blocks and
       * another in its upper ones. */
      for (gint64 site = 0; site <= head && ns_quantity_set_has (quantities, (NsQuantity) q); site++)
        {
          gint64 layer = ns_site_get_layer (experiment, site), depth = ns_site_get_depth (experiment, site);

          if (layer > 1 && layer < depth)
            site += depth - layer;
          if (!ns_quantity_exists ((NsQuantity) q, experiment, variant, site))
            continue;
          first = first < 0 ? site : first;
          last = site;
        }
      if (first < 0)
        continue;
      /* A quantity at one end of a part gets room in all its blocks: where a mixed stack changes is not looked up. */
      if (ns_site_get_layer (experiment, first) == ns_site_get_depth (experiment, first))
        first -= ns_site_get_depth (experiment, first) - 1;
      if (ns_site_get_layer (experiment, last) == 1)
        last += ns_site_get_depth (experiment, last) - 1;
      table->start[q] = table->row_length;
      table->first_site[q] = first;
      table->n_sites[q] = last - first + 1;
      /* cannot overflow: quantities times the largest depth is far below the range of gsize */
      table->row_length += (gsize) table->n_sites[q] * ns_result_count_estimates (experiment, (NsQuantity) q);
    }
}

gsize
ns_result_table_get_index (const NsResultTable *table, NsQuantity quantity, guint estimate, gint64 site, guint seed)
{
  return seed * table->row_length + table->start[quantity] + estimate * (gsize) table->n_sites[quantity]
         + (gsize) (site - table->first_site[quantity]);
}

guint64
ns_result_get_needed_bytes (const NsExperiment *experiment, guint n_seeds, const NsQuantitySet *quantities)
{
  guint64 bytes = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsResultTable table;
      guint64 row;

      lay_out_table (&table, experiment, v, quantities);
      if (!g_uint64_checked_mul (&row, table.row_length, sizeof (NsResultNumber))
          || !g_uint64_checked_add (&row, row, sizeof (gint64)) || !g_uint64_checked_mul (&row, row, n_seeds)
          || !g_uint64_checked_add (&bytes, bytes, row))
        return G_MAXUINT64;
    }
  return bytes;
}

/* ---- construction ---- */

static gboolean
table_allocate (NsResultTable *table, guint n_seeds)
{
  gsize n = table->row_length * n_seeds;

  table->numbers = ns_memory_try_new (NsResultNumber, n);
  table->overflow = g_try_new0 (gint64, n_seeds);
  if (table->numbers == NULL || table->overflow == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    table->numbers[i] = (NsResultNumber) { NAN, NAN };
  return TRUE;
}

static void
result_free (NsResult *result)
{
  for (guint v = 0; v < result->n_tables; v++)
    {
      g_free (result->tables[v].numbers);
      g_free (result->tables[v].is_set);
      g_free (result->tables[v].overflow);
    }
  g_free (result->tables);
  ns_experiment_free (result->experiment);
  g_free (result);
}

NsResult *
ns_result_new_of (const NsExperiment *experiment, guint first_seed, guint n_seeds, const NsQuantitySet *quantities)
{
  NsResult *result;
  guint64 bytes;

  g_return_val_if_fail (experiment != NULL && experiment->variants->len > 0, NULL);
  g_return_val_if_fail (n_seeds > 0, NULL);

  bytes = ns_result_get_needed_bytes (experiment, n_seeds, quantities);
  /* curves and tables are made from the result */
  if (bytes > MAX_BYTES || !ns_memory_has_room (bytes + bytes / 2))
    return NULL;

  result = g_new0 (NsResult, 1);
  atomic_init (&result->ref_count, 1);
  result->experiment = ns_experiment_copy (experiment);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_set_has (quantities, q))
      ns_quantity_set_add (&result->quantities, q);
  result->first_seed = first_seed;
  result->n_seeds = n_seeds;
  result->n_tables = experiment->variants->len;
  result->tables = g_new0 (NsResultTable, result->n_tables);
  for (guint v = 0; v < result->n_tables; v++)
    {
      lay_out_table (&result->tables[v], experiment, v, quantities);
      if (!table_allocate (&result->tables[v], n_seeds))
        {
          result_free (result);
          return NULL;
        }
    }
  return result;
}

NsResult *
ns_result_ref (NsResult *result)
{
  atomic_fetch_add_explicit (&result->ref_count, 1, memory_order_relaxed);
  return result;
}

void
ns_result_unref (NsResult *result)
{
  /* Release orders the reads of this thread before the free; acquire orders the free after the reads of the others. */
  if (atomic_fetch_sub_explicit (&result->ref_count, 1, memory_order_acq_rel) == 1)
    result_free (result);
}

/* ---- filling ---- */

void
ns_result_set_estimate (NsResult *result, guint variant, NsQuantity quantity, NsGradientEstimate estimate, gint64 site,
                        guint seed, double value, double log10_value)
{
  NsResultTable *table;
  gsize i;

  g_return_if_fail (variant < result->n_tables && seed < result->n_seeds);
  g_return_if_fail (ns_quantity_exists (quantity, result->experiment, variant, site));
  g_return_if_fail ((guint) estimate < ns_result_count_estimates (result->experiment, quantity));

  if (!ns_result_has (result, quantity))
    return;
  table = &result->tables[variant];
  i = ns_result_table_get_index (table, quantity, estimate, site, seed);
  table->numbers[i] = (NsResultNumber) { value, log10_value };
  if (table->is_set != NULL)
    table->is_set[i] = TRUE;
}

void
ns_result_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed, double value,
               double log10_value)
{
  ns_result_set_estimate (result, variant, quantity, NS_ESTIMATE_NORM, site, seed, value, log10_value);
}

void
ns_result_set_overflow (NsResult *result, guint variant, guint seed, gint64 site)
{
  g_return_if_fail (variant < result->n_tables && seed < result->n_seeds);
  g_return_if_fail (site >= 0 && site <= ns_experiment_get_head_site (result->experiment));

  result->tables[variant].overflow[seed] = site;
}

void
ns_result_set_missing (NsResult *result, guint variant, guint seed)
{
  g_return_if_fail (variant < result->n_tables && seed < result->n_seeds);

  result->tables[variant].overflow[seed] = NS_RESULT_MISSING;
}

void
ns_result_copy_row (NsResult *result, guint variant, guint seed, const NsResult *from, guint from_seed)
{
  const NsResultTable *source = &from->tables[variant];
  NsResultTable *table = &result->tables[variant];

  g_return_if_fail (table->row_length == source->row_length);
  memcpy (table->numbers + seed * table->row_length, source->numbers + from_seed * source->row_length,
          table->row_length * sizeof (NsResultNumber));
  if (table->is_set != NULL && source->is_set != NULL)
    memcpy (table->is_set + seed * table->row_length, source->is_set + from_seed * source->row_length,
            table->row_length);
  table->overflow[seed] = source->overflow[from_seed];
}

gboolean
ns_result_begin_partial (NsResult *result)
{
  for (guint v = 0; v < result->n_tables; v++)
    {
      NsResultTable *table = &result->tables[v];

      table->is_set = g_try_malloc0 (MAX (table->row_length * result->n_seeds, 1));
      if (table->is_set == NULL)
        {
          ns_result_end_partial (result);
          return FALSE;
        }
    }
  return TRUE;
}

void
ns_result_end_partial (NsResult *result)
{
  for (guint v = 0; v < result->n_tables; v++)
    g_clear_pointer (&result->tables[v].is_set, g_free);
}

NsResult *
ns_result_new_partial (const NsResult *like)
{
  NsResult *result = ns_result_new_of (like->experiment, like->first_seed, like->n_seeds, &like->quantities);

  if (result != NULL && !ns_result_begin_partial (result))
    g_clear_pointer (&result, ns_result_unref);
  return result;
}

NsResult *
ns_result_dup_partial (const NsResult *from)
{
  NsResult *result = ns_result_new_partial (from);

  if (result == NULL)
    return NULL;
  for (guint v = 0; v < result->n_tables; v++)
    for (guint s = 0; s < result->n_seeds; s++)
      ns_result_copy_row (result, v, s, from, s);
  ns_result_set_elapsed (result, from->elapsed_ms, from->threads);
  return result;
}

void
ns_result_get_row (const NsResult *result, guint variant, guint seed, double **numbers, gsize *n, gint64 **overflow)
{
  const NsResultTable *table = &result->tables[variant];

  *numbers = &table->numbers[seed * table->row_length].value;
  *n = table->row_length * (sizeof (NsResultNumber) / sizeof (double));
  *overflow = &table->overflow[seed];
}

void
ns_result_set_elapsed (NsResult *result, double elapsed_ms, guint threads)
{
  result->elapsed_ms = elapsed_ms;
  result->threads = threads;
}

gsize
ns_result_get_n_numbers (const NsResult *result)
{
  gsize n = 0;

  for (guint v = 0; v < result->n_tables; v++)
    n += result->tables[v].row_length * result->n_seeds;
  return n;
}
