/* A result as a tidy CSV file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-csv.h"

#include "document/ns-provenance.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-text.h"

#include <string.h>

const char *
ns_quantity_kind_name (NsQuantityKind kind)
{
  switch (kind)
    {
    case NS_KIND_GRADIENT:
      return "gradient";
    case NS_KIND_ACTIVATION:
      return "activation";
    case NS_KIND_COSINE:
      return "cosine";
    case NS_KIND_SHARE:
    case NS_KIND_CONTRIBUTION:
      return "share";
    case NS_KIND_LENGTH:
    case NS_KIND_NUMBER:
      return "number";
    case NS_KIND_LOSS:
      return "loss";
    default:
      g_return_val_if_reached (NULL);
    }
}

const char *
ns_site_get_place (const NsExperiment *experiment, gint64 site, gint64 *layer)
{
  if (site == ns_experiment_get_head_site (experiment))
    {
      *layer = ns_site_get_depth (experiment, site) + 1;
      return "head";
    }
  *layer = ns_site_get_layer (experiment, site);
  if (*layer == 0)
    return site == 0 ? "input" : "decoder_input";
  return ns_part_get_name (ns_site_get_part (experiment, site));
}

/* Append the columns before the numbers of a row. The estimate is empty if the quantity has only one. */
static void
append_result_place (GString *csv, const char *name, const NsResult *result, gint64 site, NsQuantity quantity,
                     NsGradientEstimate estimate)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  gint64 layer;
  const char *place = ns_site_get_place (experiment, site, &layer);

  g_string_append_printf (csv, "%s,%s,%" G_GINT64_FORMAT ",%s,%s", name, place, layer, info->name,
                          ns_quantity_kind_name (info->kind));
  if (experiment->sampling.batches > 1)
    g_string_append_printf (csv, ",%s", ns_result_has_estimates (result, quantity)
                                            ? ns_gradient_estimate_get_name (estimate) : "");
}

/* Append one row of statistics over the seeds. */
static void
append_result_statistics (GString *csv, const char *place, NsQuantity quantity, const NsStat *stat)
{
  g_string_append (csv, place);
  ns_csv_append_statistics (csv, stat, ns_quantity_has_log10 (quantity));
  g_string_append_printf (csv, ",%u\n", stat->n);
}

/* Append a row for each seed. */
static void
append_result_seeds (GString *csv, const char *place, const NsResult *result, guint variant, NsQuantity quantity,
                     NsGradientEstimate estimate, gint64 site)
{
  gint64 first = ns_result_get_experiment (result)->sampling.seed + ns_result_get_first_seed (result);

  for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
    {
      double value, log10_value;

      if (!ns_result_get_value_of (result, variant, quantity, estimate, site, s, &value, &log10_value))
        continue;
      g_string_append_printf (csv, "%s,%" G_GINT64_FORMAT, place, first + s);
      ns_csv_append_number (csv, value);
      ns_csv_append_optional (csv, ns_quantity_has_log10 (quantity), log10_value);
      g_string_append_c (csv, '\n');
    }
}

/* Append the rows of a quantity at a site, for each estimate. */
static void
append_csv_of_quantity (GString *csv, const char *name, const NsResult *result, guint variant, NsQuantity quantity,
                        gint64 site, gboolean per_seed)
{
  guint n_estimates = ns_result_has_estimates (result, quantity) ? NS_N_ESTIMATES : 1;

  for (guint e = 0; e < n_estimates; e++)
    {
      g_autoptr (GString) place = g_string_new (NULL);
      NsGradientEstimate estimate = (NsGradientEstimate) e;
      NsStat stat;

      if (!ns_result_get_stat_of (result, variant, quantity, estimate, site, &stat))
        return;
      append_result_place (place, name, result, site, quantity, estimate);
      if (per_seed)
        append_result_seeds (csv, place->str, result, variant, quantity, estimate, site);
      else
        append_result_statistics (csv, place->str, quantity, &stat);
    }
}

static void
append_csv_of_variant (GString *csv, const NsResult *result, guint variant, gboolean per_seed)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autofree char *name = ns_csv_dup_field (ns_experiment_variant (experiment, variant)->name);
  gint64 head = ns_experiment_get_head_site (experiment);

  for (gint64 site = 0; site <= head; site++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      append_csv_of_quantity (csv, name, result, variant, (NsQuantity) q, site, per_seed);
}

GBytes *
ns_result_to_csv (const NsResult *result, NsCsvFlags flags, const char *verified)
{
  gboolean per_seed = (flags & NS_CSV_PER_SEED) != 0;
  gsize longest = ns_experiment_get_longest_name (ns_result_get_experiment (result));
  GString *csv;

  if (!ns_result_has_room (result, per_seed, NS_ROW_BYTES + 2 * longest))
    return NULL;
  csv = g_string_new (NULL);
  if ((flags & NS_CSV_PROVENANCE) != 0)
    {
      g_autofree char *comment = ns_provenance_dup_comment (result);

      g_string_append (csv, comment);
      if (verified != NULL)
        g_string_append_printf (csv, "# verified: %s\n", verified);
    }
  g_string_append (csv, "variant,part,layer,quantity,kind,");
  if (ns_result_get_experiment (result)->sampling.batches > 1)
    g_string_append (csv, "estimate,");
  g_string_append (csv, per_seed ? "seed,value,log10_value\n" : NS_CSV_STATISTICS ",seeds\n");
  for (guint v = 0; v < ns_result_get_experiment (result)->variants->len; v++)
    append_csv_of_variant (csv, result, v, per_seed);
  return g_string_free_to_bytes (csv);
}
