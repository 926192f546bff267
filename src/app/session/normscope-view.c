/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-view.h"

/* Same as the default of "memory-budget" in the settings schema. */
#define DEFAULT_MEMORY_MIB 1024

void
normscope_view_init (NormscopeView *view)
{
  NsFlowOptions options;

  ns_flow_options_init (&options);
  *view = (NormscopeView){
    .gradient = options.gradient,
    .activation = options.activation,
    .log_gradient = options.log_gradient,
    .bars_axis = options.bars_axis,
    .band = options.band,
    .ghost = TRUE,
    .predictions = options.predictions,
    .factor = options.factor,
    .token_cos = options.token_cos,
    .text_scale = 1.0,
    .memory_mib = DEFAULT_MEMORY_MIB,
  };
}

gboolean
normscope_view_equal (const NormscopeView *a, const NormscopeView *b)
{
  return a->gradient == b->gradient && a->activation == b->activation && a->log_gradient == b->log_gradient
         && a->bars_axis == b->bars_axis && a->band == b->band && a->ghost == b->ghost
         && a->predictions == b->predictions && a->factor == b->factor && a->token_cos == b->token_cos
         && a->text_scale == b->text_scale && a->memory_mib == b->memory_mib;
}

gboolean
normscope_variant_look_equal (const NormscopeVariantLook *a, const NormscopeVariantLook *b)
{
  if (a->hidden != b->hidden || a->style != b->style || a->has_color != b->has_color)
    return FALSE;
  return !a->has_color
         || (a->color.red == b->color.red && a->color.green == b->color.green && a->color.blue == b->color.blue);
}
