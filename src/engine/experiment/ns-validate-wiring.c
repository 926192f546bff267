/* Which settings of wiring and head exclude each other.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-validate-private.h"

#include <glib/gi18n-lib.h>

gboolean
ns_validate_wiring (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error)
{
  const NsShape *shape = &experiment->shape;
  gboolean parallel = variant->topology != NS_TOPOLOGY_SEQUENTIAL;

  if (parallel && shape->stack == NS_STACK_ENCODER_DECODER)
    return ns_validate_refuse (variant, KEYS ("topology", "shape.stack"), where,
                               _ ("when shape.stack = encoder-decoder, whose decoder has three sub-layers; allowed: "
                                  "sequential"),
                               error);
  if (parallel && variant->block_residual)
    return ns_validate_refuse (variant, KEYS ("block_residual", "topology"), where,
                               _ ("when the topology is parallel, with one addition per block; allowed: false"), error);
  if (parallel && variant->dual_residual)
    return ns_validate_refuse (variant, KEYS ("dual_residual", "topology"), where,
                               _ ("when the topology is parallel, with one addition per block; allowed: false"), error);
  if (variant->qk_norm != NS_QK_NORM_NONE && variant->attention == NS_ATTENTION_UNIFORM)
    return ns_validate_refuse (variant, KEYS ("qk_norm", "attention"), where,
                               _ ("when attention = uniform, whose queries and keys are 0; allowed: none"), error);
  if (variant->init.head.rule == NS_INIT_HEAD_TIED && experiment->data.source == NS_SOURCE_GAUSSIAN)
    return ns_validate_refuse (variant, KEYS ("init.head", "data.source"), where,
                               _ ("when data.source = gaussian, which has no embedding; allowed: scheme, lecun or a "
                                  "number"),
                               error);
  if (variant->init.head.rule == NS_INIT_HEAD_TIED && variant->init.mup_base != 0)
    return ns_validate_refuse (variant, KEYS ("init.head", "init.mup_base"), where,
                               _ ("with μP, which starts embedding and head at different sizes; allowed: scheme, lecun "
                                  "or a number"),
                               error);
  if (variant->attention_output)
    return TRUE;
  if (shape->heads * ns_shape_get_d_head (shape) != shape->d_model)
    return ns_validate_refuse (variant, KEYS ("attention_output", "shape.heads", "shape.d_head", "shape.d_model"),
                               where,
                               _ ("when shape.heads times shape.d_head is not shape.d_model; allowed: true"), error);
  if (variant->attn.inner_norm)
    return ns_validate_refuse (variant, KEYS ("attn.inner_norm", "attention_output"), where,
                               _ ("when attention_output = false, since the norm precedes that matrix; allowed: false"),
                               error);
  if (variant->cross.inner_norm == TRUE)
    return ns_validate_refuse (variant, KEYS ("cross.inner_norm", "attention_output"), where,
                               _ ("when attention_output = false, since the norm precedes that matrix; allowed: false "
                                  "or null"),
                               error);
  return TRUE;
}
