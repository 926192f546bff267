/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-options.h"

void
normscope_scaling_get_options (NormscopeSession *session, const NsSweep *sweep, gboolean stopped,
                               NsScalingOptions *options)
{
  NsFlowOptions flow;

  normscope_session_get_flow_options (session, &flow);
  ns_scaling_settings_get_options (normscope_session_get_scaling (session), sweep, options);
  options->band = flow.band;
  options->styles = flow.styles;
  options->colors = flow.colors;
  options->has_color = flow.has_color;
  options->hidden = flow.hidden;
  options->stopped = stopped;
}
