/* A result as one NumPy array of records.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-npy.h"

#include "document/ns-npy-rows-private.h"
#include "document/ns-result-csv.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-settings.h"

#include <math.h>

/* Characters of the text fields: the longest quantity and estimate. */
#define RESULT_QUANTITY_CHARS 21
#define ESTIMATE_CHARS 8
/* of four bytes, including the numbers */
#define OTHER_CHARS (NS_NPY_PART_CHARS + RESULT_QUANTITY_CHARS + NS_NPY_KIND_CHARS + ESTIMATE_CHARS + 16)

typedef struct
{
  GString *rows;
  const NsResult *result;
  guint name_chars;
  gboolean per_seed;
  gint64 n;
} ResultRecords;

/* Append the fields before the numbers of a record. The estimate is empty if the quantity has only one. */
static void
begin_result_record (ResultRecords *table, guint variant, gint64 site, NsQuantity quantity, NsGradientEstimate estimate)
{
  const NsExperiment *experiment = ns_result_get_experiment (table->result);
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  gint64 layer;
  const char *part = ns_site_get_place (experiment, site, &layer);

  ns_npy_append_text (table->rows, ns_experiment_variant (experiment, variant)->name, table->name_chars);
  ns_npy_append_text (table->rows, part, NS_NPY_PART_CHARS);
  ns_npy_append_int32 (table->rows, layer);
  ns_npy_append_text (table->rows, info->name, RESULT_QUANTITY_CHARS);
  ns_npy_append_text (table->rows, ns_quantity_kind_name (info->kind), NS_NPY_KIND_CHARS);
  if (experiment->sampling.batches > 1)
    ns_npy_append_text (table->rows,
                        ns_result_has_estimates (table->result, quantity) ? ns_gradient_estimate_get_name (estimate)
                                                                          : "",
                        ESTIMATE_CHARS);
  table->n++;
}

static void
append_seed_records (ResultRecords *table, guint variant, gint64 site, NsQuantity quantity, NsGradientEstimate estimate)
{
  const NsExperiment *experiment = ns_result_get_experiment (table->result);
  gint64 first = experiment->sampling.seed + ns_result_get_first_seed (table->result);

  for (guint s = 0; s < ns_result_get_n_seeds (table->result); s++)
    {
      double value, log10_value;

      if (!ns_result_get_value_of (table->result, variant, quantity, estimate, site, s, &value, &log10_value))
        continue;
      begin_result_record (table, variant, site, quantity, estimate);
      ns_npy_append_int64 (table->rows, first + s);
      ns_npy_append_double (table->rows, value);
      ns_npy_append_double (table->rows, ns_quantity_has_log10 (quantity) ? log10_value : NAN);
    }
}

static void
append_statistics_record (ResultRecords *table, guint variant, gint64 site, NsQuantity quantity,
                          NsGradientEstimate estimate, const NsStat *stat)
{
  double mean, sd_factor;

  ns_stat_get_geometric (stat, &mean, &sd_factor);
  begin_result_record (table, variant, site, quantity, estimate);
  ns_npy_append_double (table->rows, stat->mean);
  ns_npy_append_double (table->rows, stat->std);
  ns_npy_append_double (table->rows, mean);
  ns_npy_append_double (table->rows, sd_factor);
  ns_npy_append_double (table->rows, stat->log10_mean);
  ns_npy_append_int32 (table->rows, stat->n);
}

/* Append the records of a quantity at a site, for each estimate. */
static void
append_records_of_quantity (ResultRecords *table, guint variant, gint64 site, NsQuantity quantity)
{
  guint n_estimates = ns_result_has_estimates (table->result, quantity) ? NS_N_ESTIMATES : 1;

  for (guint e = 0; e < n_estimates; e++)
    {
      NsGradientEstimate estimate = (NsGradientEstimate) e;
      NsStat stat;

      if (!ns_result_get_stat_of (table->result, variant, quantity, estimate, site, &stat))
        return;
      if (table->per_seed)
        append_seed_records (table, variant, site, quantity, estimate);
      else
        append_statistics_record (table, variant, site, quantity, estimate, &stat);
    }
}

static void
append_records_of_variant (ResultRecords *table, guint variant)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (table->result));

  for (gint64 site = 0; site <= head; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      append_records_of_quantity (table, variant, site, (NsQuantity) q);
}

GBytes *
ns_result_to_npy (const NsResult *result, gboolean per_seed)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  ResultRecords table = { NULL, result, 1, per_seed, 0 };
  g_autofree char *descr = NULL, *estimates = NULL;

  for (guint v = 0; v < experiment->variants->len; v++)
    table.name_chars = MAX (table.name_chars, (guint) g_utf8_strlen (ns_experiment_variant (experiment, v)->name, -1));
  if (!ns_result_has_room (result, per_seed, 4 * (gsize) (table.name_chars + OTHER_CHARS)))
    return NULL;
  table.rows = g_string_new (NULL);
  for (guint v = 0; v < experiment->variants->len; v++)
    append_records_of_variant (&table, v);
  if (experiment->sampling.batches > 1)
    estimates = g_strdup_printf ("('estimate', '<U%d'), ", ESTIMATE_CHARS);
  descr = g_strdup_printf ("[('variant', '<U%u'), ('part', '<U%d'), ('layer', '<i4'), ('quantity', '<U%d'), "
                           "('kind', '<U%d'), %s%s]",
                           table.name_chars, NS_NPY_PART_CHARS, RESULT_QUANTITY_CHARS, NS_NPY_KIND_CHARS,
                           estimates != NULL ? estimates : "",
                           per_seed ? NS_NPY_FIELDS_OF_A_SEED : NS_NPY_FIELDS_OF_STATISTICS);
  return ns_npy_finish (table.rows, descr, table.n);
}
