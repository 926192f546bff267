/* The line of numbers for one block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-figures-private.h"

#include <glib/gi18n-lib.h>

/* "Pre-LN 0.123 ± 0.01, rms(x) 1.73 ± 0.02, similarity 0.998", or NULL when the variant has nothing here. */
static char *
dup_variant (const NsResult *result, const NsFlowOptions *options, guint variant, gint64 site)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  const NsVariant *wiring = ns_experiment_variant (ns_result_get_experiment (result), variant);
  g_autofree char *joined = NULL;
  NsStat stat;

  if (ns_result_get_stat (result, variant, options->gradient, site, &stat))
    g_ptr_array_add (parts, ns_format_stat (&stat));
  if (ns_result_get_stat (result, variant, options->activation, site, &stat))
    {
      g_autofree char *number = ns_format_stat (&stat);

      g_ptr_array_add (parts, g_strdup_printf ("%s %s", ns_quantity_info (options->activation)->symbol, number));
    }
  if ((options->token_cos == NS_TOKEN_COS_ALWAYS
       || (options->token_cos == NS_TOKEN_COS_AUTO && ns_variant_lacks_residual (wiring)))
      && ns_result_get_stat (result, variant, NS_Q_TOKEN_COS, site, &stat))
    {
      g_autofree char *number = ns_format_cosine (stat.mean);

      g_ptr_array_add (parts, g_strdup_printf (_("similarity %s"), number));
    }
  if (parts->len == 0)
    return NULL;
  g_ptr_array_add (parts, NULL);
  joined = g_strjoinv (", ", (char **) parts->pdata);
  return g_strdup_printf ("%s %s", wiring->name, joined);
}

char *
ns_flow_readout (const NsResult *result, const NsFlowOptions *options, gint64 block)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  const NsExperiment *experiment;
  gint64 site;

  g_return_val_if_fail (result != NULL && options != NULL, NULL);

  experiment = ns_result_get_experiment (result);
  site = CLAMP (block, 0, experiment->shape.depth);
  g_ptr_array_add (parts, site == 0 ? g_strdup (_("Input")) : g_strdup_printf (_("Block %d"), (int) site));
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      char *part = ns_flow_is_visible (options, v) ? dup_variant (result, options, v, site) : NULL;

      if (part != NULL)
        g_ptr_array_add (parts, part);
    }
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" · ", (char **) parts->pdata);
}
