/* The read-out of the flow figure: one line of values for one block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"

#include <glib/gi18n-lib.h>

static gboolean
wants_similarity (const NsExperiment *experiment, const NsFlowOptions *options, guint variant)
{
  return options->token_cos == NS_TOKEN_COS_ALWAYS
         || (options->token_cos == NS_TOKEN_COS_AUTO && ns_variant_lacks_residual (experiment, variant));
}

/* Return "Pre-LN 0.123 ×/÷ 1.09, rms(xₗ) 1.73 ± 0.02, similarity 0.998", or NULL when the variant has no value there.
 */
static char *
dup_variant_values (const NsResult *result, const NsFlowOptions *options, NsMeanKind of_bars, guint variant,
                    gint64 site)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autofree char *joined = NULL;
  NsStat stat;

  if (ns_result_get_stat (result, variant, options->gradient, site, &stat))
    g_ptr_array_add (parts, ns_format_stat (&stat, ns_flow_get_mean (result, options, options->gradient)));
  if (ns_result_get_stat (result, variant, options->activation, site, &stat))
    {
      g_autofree char *number = ns_format_stat (&stat, of_bars);

      g_ptr_array_add (parts, g_strdup_printf ("%s %s", ns_quantity_info (options->activation)->symbol, number));
    }
  if (wants_similarity (experiment, options, variant)
      && ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, site, &stat))
    {
      g_autofree char *number = ns_format_cosine (stat.mean);

      g_ptr_array_add (parts, g_strdup_printf (_("similarity %s"), number));
    }
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add (parts, NULL);
  joined = g_strjoinv (", ", (char **) parts->pdata);
  return g_strdup_printf ("%s %s", ns_experiment_variant (experiment, variant)->name, joined);
}

char *
ns_flow_dup_place (const NsPlace *place)
{
  gint64 layer;

  g_return_val_if_fail (place != NULL, NULL);

  layer = place->block;
  switch (place->part)
    {
    case NS_PART_ENCODER:
      return layer == 0 ? g_strdup (_("Encoder input")) : g_strdup_printf (_("Encoder block %d"), (int) layer);
    case NS_PART_DECODER:
      return layer == 0 ? g_strdup (_("Decoder input")) : g_strdup_printf (_("Decoder block %d"), (int) layer);
    case NS_PART_STACK:
    default:
      return layer == 0 ? g_strdup (_("Input")) : g_strdup_printf (_("Block %d"), (int) layer);
    }
}

char *
ns_flow_readout (const NsResult *result, const NsFlowOptions *options, gint64 x)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  const NsExperiment *experiment;
  NsMeanKind of_bars;
  gint64 layer, site;
  NsPart part;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  experiment = ns_result_get_experiment (result);
  of_bars = ns_flow_get_mean (result, options, options->activation);
  part = ns_flow_find_layer (experiment, x, &layer);
  site = ns_experiment_get_site (experiment, part, layer);
  g_ptr_array_add (texts, ns_flow_dup_place (&(NsPlace){ part, layer }));
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      char *values = ns_flow_is_visible (options, v) ? dup_variant_values (result, options, of_bars, v, site)
                                                    : NULL;

      if (values != NULL)
        g_ptr_array_add (texts, values);
    }
  g_ptr_array_add (texts, NULL);
  return g_strjoinv (" · ", (char **) texts->pdata);
}

/* Fill the two cells of a quantity. */
static void
fill_cells (NsReadoutRow *row, guint column, const NsResult *result, NsMeanKind mean, guint variant,
            NsQuantity quantity, gint64 site)
{
  NsStat stat;

  if (ns_result_get_stat (result, variant, quantity, site, &stat))
    row->cells[column] = ns_format_stat_parts (&stat, mean, &row->cells[column + 1]);
}

NsReadout *
ns_flow_readout_table (const NsResult *result, const NsFlowOptions *options, gint64 x)
{
  const NsExperiment *experiment;
  NsMeanKind of_curves, of_bars;
  NsReadout *readout;
  guint similarity = 0;
  gint64 layer, site;
  NsPart part;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  experiment = ns_result_get_experiment (result);
  part = ns_flow_find_layer (experiment, x, &layer);
  site = ns_experiment_get_site (experiment, part, layer);
  of_curves = ns_flow_get_mean (result, options, options->gradient);
  of_bars = ns_flow_get_mean (result, options, options->activation);
  readout = ns_readout_new (ns_flow_dup_place (&(NsPlace){ part, layer }));
  ns_readout_add_column (readout, ns_quantity_info (options->gradient)->markup);
  ns_readout_add_column (readout, NULL);
  ns_readout_add_column (readout, ns_quantity_info (options->activation)->markup);
  ns_readout_add_column (readout, NULL);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsReadoutRow *row;
      NsStat stat;

      if (!ns_flow_is_visible (options, v))
        continue;
      row = ns_readout_add_row (readout, ns_experiment_variant (experiment, v)->name);
      row->style = ns_variant_get_style (options->styles, v);
      row->has_color = options->colors != NULL && options->has_color != NULL && options->has_color[v];
      if (row->has_color)
        row->color = options->colors[v];
      fill_cells (row, 0, result, of_curves, v, options->gradient, site);
      fill_cells (row, 2, result, of_bars, v, options->activation, site);
      if (!wants_similarity (experiment, options, v)
          || !ns_result_get_stat (result, v, NS_Q_TOKEN_COS, site, &stat))
        continue;
      if (similarity == 0)
        /* Translators: heads a column of token similarities */
        similarity = ns_readout_add_column (readout, _("similarity"));
      row->cells[similarity] = ns_format_cosine (stat.mean);
    }
  return readout;
}
