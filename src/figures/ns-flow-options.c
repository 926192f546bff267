/* The defaults of the flow figure, and conditions that its parts share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"

void
ns_flow_options_init (NsFlowOptions *options)
{
  *options = (NsFlowOptions) {
    .gradient = NS_Q_BLOCK,
    .activation = NS_Q_RMS_X,
    .log_gradient = TRUE,
    .band = TRUE,
    .token_cos = NS_TOKEN_COS_AUTO,
  };
}

gboolean
ns_flow_is_visible (const NsFlowOptions *options, guint variant)
{
  return ns_variant_is_visible (options->hidden, variant);
}

NsMeanKind
ns_flow_get_mean (const NsFlowOptions *options, NsQuantity quantity)
{
  switch (ns_quantity_info (quantity)->kind)
    {
    case NS_KIND_GRADIENT:
      return ns_axis_get_mean (options->log_gradient ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
    case NS_KIND_ACTIVATION:
      return ns_axis_get_mean (options->log_activation ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
    default:
      return NS_MEAN_ARITHMETIC;
    }
}

gboolean
ns_variant_lacks_residual (const NsExperiment *experiment, guint variant)
{
  const NsVariant *wiring = ns_experiment_variant (experiment, variant);
  gboolean has_cross = experiment->shape.stack == NS_STACK_ENCODER_DECODER;

  return !wiring->attn.residual || !wiring->ffn.residual
         || (has_cross && !ns_variant_get_wiring (wiring, NS_SUB_CROSS).residual);
}

gboolean
ns_flow_shows_token_cos (const NsExperiment *experiment, const NsFlowOptions *options)
{
  if (options->token_cos != NS_TOKEN_COS_AUTO)
    return options->token_cos == NS_TOKEN_COS_ALWAYS;
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_flow_is_visible (options, v) && ns_variant_lacks_residual (experiment, v))
      return TRUE;
  return FALSE;
}
