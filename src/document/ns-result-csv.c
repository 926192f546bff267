/* A result as a tidy CSV file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-csv.h"

#include "document/ns-decimal.h"

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
    case NS_KIND_LOSS:
      return "loss";
    default:
      g_return_val_if_reached (NULL);
    }
}

static char *
dup_field (const char *text)
{
  g_auto (GStrv) pieces = NULL;
  g_autofree char *doubled = NULL;

  if (strpbrk (text, ",\"\r\n") == NULL && *text != ' ')
    return g_strdup (text);
  pieces = g_strsplit (text, "\"", -1);
  doubled = g_strjoinv ("\"\"", pieces);
  return g_strconcat ("\"", doubled, "\"", NULL);
}

static void
append_number (GString *csv, double value)
{
  char buffer[NS_DECIMAL_SIZE];

  g_string_append_c (csv, ',');
  g_string_append (csv, ns_decimal_format (buffer, value));
}

static void
append_row (GString *csv, const char *name, const char *part, gint64 site, NsQuantity quantity, const NsStat *stat)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);

  g_string_append_printf (csv, "%s,%s,%" G_GINT64_FORMAT ",%s,%s", name, part, site, info->name,
                          ns_quantity_kind_name (info->kind));
  append_number (csv, stat->mean);
  append_number (csv, stat->std);
  if (info->kind == NS_KIND_GRADIENT || info->kind == NS_KIND_ACTIVATION)
    append_number (csv, stat->log10_mean);
  else
    g_string_append_c (csv, ',');
  g_string_append_printf (csv, ",%u\n", stat->n);
}

GBytes *
ns_result_to_csv (const NsResult *result)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 depth = experiment->shape.depth;
  GString *csv = g_string_new ("variant,part,layer,quantity,kind,mean,std,log10_mean,seeds\n");

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree char *name = dup_field (ns_experiment_variant (experiment, v)->name);

      for (gint64 site = 0; site <= depth + 1; site++)
        for (guint q = 0; q < NS_N_QUANTITIES; q++)
          {
            const char *part = site == 0 ? "input" : site <= depth ? "stack" : "head";
            NsStat stat;

            if (ns_result_get_stat (result, v, (NsQuantity) q, site, &stat))
              append_row (csv, name, part, site, (NsQuantity) q, &stat);
          }
    }
  return g_string_free_to_bytes (csv);
}
