/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-options.h"

void
normscope_scaling_get_options (NormscopeSession *session, const NsSweep *sweep, gboolean stopped,
                               NsScalingOptions *options)
{
  const NormscopeScalingSettings *settings = normscope_session_get_scaling (session);
  NsQuantity quantity = ns_sweep_get_metric (sweep).quantity;
  guint n = ns_sweep_get_experiment (sweep)->variants->len;
  NsFlowOptions flow;

  normscope_session_get_flow_options (session, &flow);
  ns_scaling_options_init (options);
  options->band = flow.band;
  options->styles = flow.styles;
  options->colors = flow.colors;
  options->has_color = flow.has_color;
  options->hidden = flow.hidden;
  options->log_x = settings->log_x;
  /* A cosine has no logarithm where it is negative. */
  options->log_y = settings->log_y && ns_quantity_info (quantity)->kind != NS_KIND_COSINE;
  options->best_law = settings->best_law;
  options->laws = settings->laws;
  options->residuals = settings->residuals;
  options->numerator = MIN (settings->numerator, n - 1);
  options->denominator = MIN (settings->denominator, n - 1);
  if (settings->ratio && n > 1)
    options->view = NS_SCALING_RATIO;
  options->stopped = stopped;
}
