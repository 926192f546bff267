/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-parts.h"

#include "engine/experiment/ns-params.h"

#include <math.h>

gint64
ns_shape_get_decoder_depth (const NsShape *shape)
{
  return shape->decoder_depth > 0 ? shape->decoder_depth : shape->depth;
}

NsParts
ns_shape_get_parts (const NsShape *shape)
{
  if (shape->stack != NS_STACK_ENCODER_DECODER)
    return ns_parts_single (shape->depth);
  return (NsParts){ 2, { shape->depth, ns_shape_get_decoder_depth (shape) } };
}

NsParts
ns_parts_single (gint64 depth)
{
  return (NsParts){ 1, { depth, 0 } };
}

void
ns_shape_set_depth (NsShape *shape, gint64 depth)
{
  if (shape->decoder_depth > 0)
    {
      double wanted = (double) shape->decoder_depth * (double) depth / (double) shape->depth;

      shape->decoder_depth = (gint64) CLAMP (round (wanted), 1, ns_param_find ("shape.decoder_depth")->max);
    }
  shape->depth = depth;
}

gboolean
ns_shape_has_encoder_vocab (const NsShape *shape)
{
  return shape->stack == NS_STACK_ENCODER_DECODER && shape->encoder_vocab > 0;
}

gint64
ns_shape_get_part_vocab (const NsShape *shape, gint64 index)
{
  return index == 0 && ns_shape_has_encoder_vocab (shape) ? shape->encoder_vocab : shape->vocab;
}

void
ns_shape_set_vocab (NsShape *shape, gint64 vocab)
{
  shape->vocab = vocab;
  if (shape->encoder_vocab > 0)
    shape->encoder_vocab = vocab;
}

gint64
ns_parts_count_blocks (const NsParts *parts)
{
  return parts->depth[0] + (parts->n == 2 ? parts->depth[1] : 0);
}

gint64
ns_parts_get_deepest (const NsParts *parts)
{
  return parts->n == 2 ? MAX (parts->depth[0], parts->depth[1]) : parts->depth[0];
}

gint64
ns_parts_get_input (const NsParts *parts, gint64 index)
{
  gint64 site = 0;

  for (gint64 i = 0; i < index; i++)
    site += parts->depth[i] + 1;
  return site;
}

gint64
ns_parts_get_last (const NsParts *parts, gint64 index)
{
  return ns_parts_get_input (parts, index) + parts->depth[index];
}

gint64
ns_parts_get_index (const NsParts *parts, gint64 site)
{
  if (site <= parts->depth[0])
    return 0;
  return parts->n == 2 && site <= parts->depth[0] + 1 + parts->depth[1] ? 1 : parts->n;
}

gint64
ns_parts_get_layer (const NsParts *parts, gint64 site)
{
  return site - ns_parts_get_input (parts, ns_parts_get_index (parts, site));
}

gint64
ns_parts_get_depth (const NsParts *parts, gint64 site)
{
  return parts->depth[MIN (ns_parts_get_index (parts, site), parts->n - 1)];
}

NsPart
ns_parts_get_part (const NsParts *parts, gint64 index)
{
  if (parts->n == 1)
    return NS_PART_STACK;
  return index == 0 ? NS_PART_ENCODER : NS_PART_DECODER;
}

gint64
ns_parts_find (const NsParts *parts, NsPart part)
{
  return part == NS_PART_ENCODER ? 0 : parts->n - 1;
}
