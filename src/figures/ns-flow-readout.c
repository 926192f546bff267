/* The read-out of the flow figure: one line of values for one block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-format.h"

#include <glib/gi18n-lib.h>

/* Return "Pre-LN 0.123 ×/÷ 1.09, rms(xₗ) 1.73 ± 0.02, similarity 0.998", or NULL when the variant has no value there.
 */
static char *
dup_variant_values (const NsResult *result, const NsFlowOptions *options, guint variant, gint64 site)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  const NsExperiment *experiment = ns_result_get_experiment (result);
  g_autofree char *joined = NULL;
  NsStat stat;

  if (ns_result_get_stat (result, variant, options->gradient, site, &stat))
    g_ptr_array_add (parts, ns_format_stat (&stat, ns_flow_get_mean (options, options->gradient)));
  if (ns_result_get_stat (result, variant, options->activation, site, &stat))
    {
      g_autofree char *number = ns_format_stat (&stat, ns_flow_get_mean (options, options->activation));

      g_ptr_array_add (parts, g_strdup_printf ("%s %s", ns_quantity_info (options->activation)->symbol, number));
    }
  if ((options->token_cos == NS_TOKEN_COS_ALWAYS
       || (options->token_cos == NS_TOKEN_COS_AUTO && ns_variant_lacks_residual (experiment, variant)))
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

static char *
dup_layer_name (NsPart part, gint64 layer)
{
  switch (part)
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
  gint64 layer, site;
  NsPart part;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  experiment = ns_result_get_experiment (result);
  part = ns_flow_find_layer (experiment, x, &layer);
  site = ns_experiment_get_site (experiment, part, layer);
  g_ptr_array_add (texts, dup_layer_name (part, layer));
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      char *values = ns_flow_is_visible (options, v) ? dup_variant_values (result, options, v, site) : NULL;

      if (values != NULL)
        g_ptr_array_add (texts, values);
    }
  g_ptr_array_add (texts, NULL);
  return g_strjoinv (" · ", (char **) texts->pdata);
}
