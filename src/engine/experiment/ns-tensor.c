/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-tensor.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"
#include "engine/ops/ns-kinds.h"

/* ---- descriptors ---- */

#define TENSOR_ROW(name, role_, sub_, slot_) [NS_T_##name] = { NS_ROLE_##role_, NS_SUB_##sub_, NS_SLOT_##slot_ },
#define NORM_ROW(place, sub_, slot_)                                                                                 \
  [NS_NORM_##place] = { NS_SUB_##sub_, NS_SLOT_##slot_, NS_T_GAIN_##place, NS_T_BIAS_##place, NS_T_ALPHA_##place },

static const NsTensorInfo tensor_table[NS_N_TENSORS] = { NS_TENSORS (TENSOR_ROW) };
static const NsNormInfo norm_table[NS_N_NORMS] = { NS_NORM_PLACES (NORM_ROW) };

const NsTensorInfo *
ns_tensor_info (NsTensor tensor)
{
  g_return_val_if_fail ((guint) tensor < NS_N_TENSORS, NULL);
  return &tensor_table[tensor];
}

const NsNormInfo *
ns_norm_info (NsNormPlace norm)
{
  g_return_val_if_fail ((guint) norm < NS_N_NORMS, NULL);
  return &norm_table[norm];
}

gboolean
ns_tensor_is_matrix (NsTensor tensor)
{
  return ns_tensor_info (tensor)->role == NS_ROLE_MATRIX;
}

gboolean
ns_tensor_is_query_or_key (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return ns_tensor_is_matrix (tensor) && (slot == NS_SLOT_Q || slot == NS_SLOT_K);
}

gboolean
ns_tensor_reads_stream (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return ns_tensor_is_matrix (tensor) && slot != NS_SLOT_O && slot != NS_SLOT_2 && slot != NS_SLOT_SHARED_2;
}

NsTensor
ns_matrix_get_bias (NsTensor matrix)
{
  const NsTensorInfo *info = ns_tensor_info (matrix);

  for (int t = 0; t < NS_N_TENSORS; t++)
    if (tensor_table[t].role == NS_ROLE_LINEAR_BIAS && tensor_table[t].sub == info->sub
        && tensor_table[t].slot == info->slot)
      return (NsTensor) t;
  return NS_N_TENSORS;
}

gboolean
ns_tensor_is_of_ffn (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return ns_tensor_is_matrix (tensor) && (slot == NS_SLOT_1 || slot == NS_SLOT_2 || slot == NS_SLOT_3);
}

gboolean
ns_tensor_is_beside_experts (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return slot >= NS_SLOT_ROUTER && slot <= NS_SLOT_SHARED_GATE;
}

gint64
ns_tensor_get_count (NsTensor tensor, const NsVariant *variant)
{
  return ns_tensor_is_of_ffn (tensor) ? MAX (variant->experts.count, 1) : 1;
}

/* ---- shapes ---- */

static void
get_matrix_shape (NsTensorSlot slot, const NsShape *shape, const NsVariant *variant, gint64 *in, gint64 *out)
{
  gint64 queries = shape->heads * ns_shape_get_d_head (shape);
  gint64 keys = ns_shape_get_kv_heads (shape) * ns_shape_get_d_head (shape);

  *in = *out = shape->d_model;
  switch ((int) slot)
    {
    case NS_SLOT_Q:
      *out = queries;
      break;
    case NS_SLOT_K:
    case NS_SLOT_V:
      *out = keys;
      break;
    case NS_SLOT_O:
      *in = queries;
      break;
    case NS_SLOT_1:
    case NS_SLOT_3:
      *out = shape->d_ff;
      break;
    case NS_SLOT_2:
      *in = shape->d_ff;
      break;
    case NS_SLOT_HEAD_DENSE:
      break;
    case NS_SLOT_PATCH:
      *in = MAX (shape->patch_features, 1);
      break;
    case NS_SLOT_HEAD:
      *out = shape->vocab;
      break;
    case NS_SLOT_ROUTER:
      *out = variant != NULL ? MAX (variant->experts.count, 1) : 1;
      break;
    case NS_SLOT_SHARED_1:
    case NS_SLOT_SHARED_3:
      *out = shape->d_ff * (variant != NULL ? MAX (variant->experts.shared, 1) : 1);
      break;
    case NS_SLOT_SHARED_2:
      *in = shape->d_ff * (variant != NULL ? MAX (variant->experts.shared, 1) : 1);
      break;
    case NS_SLOT_SHARED_GATE:
      *out = 1;
      break;
    default:
      g_return_if_reached ();
    }
}

/* Return the number of features that a norm normalizes over. */
static gint64
get_norm_features (const NsTensorInfo *info, const NsShape *shape, const NsVariant *variant)
{
  gint64 d_head = ns_shape_get_d_head (shape);

  switch ((int) info->slot)
    {
    case NS_SLOT_Q:
    case NS_SLOT_K:
    case NS_SLOT_V:
      if (variant != NULL && variant->qk_norm != NS_QK_NORM_FULL)
        return d_head;
      return d_head * (info->slot == NS_SLOT_Q ? shape->heads : ns_shape_get_kv_heads (shape));
    case NS_SLOT_INNER:
      return info->sub == NS_SUB_FFN ? shape->d_ff : shape->heads * d_head;
    default:
      return shape->d_model;
    }
}

gboolean
ns_tensor_is_token_map (NsTensor tensor)
{
  NsTensorSlot slot = ns_tensor_info (tensor)->slot;

  return slot == NS_SLOT_MIX_IN_W || slot == NS_SLOT_MIX_STREAMS_W || slot == NS_SLOT_MIX_OUT_W;
}

gboolean
ns_tensor_is_of_token_mix (NsTensor tensor)
{
  return ns_tensor_is_token_map (tensor) || ns_tensor_info (tensor)->slot == NS_SLOT_MIX_SCALE;
}

/* Get the shape of what mixes n streams. The maps of dynamic weights read one stream and write what that stream gives;
 * those of a manifold read all streams at once. */
static void
get_mix_shape (NsTensorSlot slot, const NsShape *shape, const NsVariant *variant, gint64 *rows, gint64 *columns)
{
  gint64 n = variant != NULL ? MAX (variant->hyper.streams, 1) : NS_MAX_STREAMS;
  gboolean of_one = variant != NULL && variant->hyper.weights == NS_STREAM_WEIGHTS_DYNAMIC;

  *rows = 1;
  *columns = n;
  switch ((int) slot)
    {
    case NS_SLOT_MIX_STREAMS:
      *rows = n;
      break;
    case NS_SLOT_MIX_IN_W:
    case NS_SLOT_MIX_OUT_W:
      *rows = of_one ? shape->d_model : n * shape->d_model;
      *columns = of_one ? 1 : n;
      break;
    case NS_SLOT_MIX_STREAMS_W:
      *rows = of_one ? shape->d_model : n * shape->d_model;
      *columns = of_one ? n : n * n;
      break;
    case NS_SLOT_MIX_SCALE:
      *columns = of_one ? 2 : 3;
      break;
    default:
      break;
    }
}

void
ns_tensor_get_shape (NsTensor tensor, const NsShape *shape, const NsVariant *variant, gint64 *rows, gint64 *columns)
{
  const NsTensorInfo *info;

  g_return_if_fail ((guint) tensor < NS_N_TENSORS);

  info = ns_tensor_info (tensor);
  *rows = 1;
  switch (info->role)
    {
    case NS_ROLE_MATRIX:
      get_matrix_shape (info->slot, shape, variant, rows, columns);
      break;
    case NS_ROLE_LINEAR_BIAS:
    case NS_ROLE_FACTOR:
      get_matrix_shape (info->slot, shape, variant, rows, columns);
      *rows = 1;
      break;
    case NS_ROLE_GAIN:
    case NS_ROLE_NORM_BIAS:
      *columns = get_norm_features (info, shape, variant);
      break;
    case NS_ROLE_ALPHA:
      *columns = 1;
      break;
    case NS_ROLE_TABLE:
      *rows = variant != NULL ? variant->position_buckets : (gint64) ns_param_find ("position_buckets")->max;
      *columns = shape->heads;
      break;
    case NS_ROLE_MIX:
      get_mix_shape (info->slot, shape, variant, rows, columns);
      break;
    case NS_ROLE_SCALE:
    default:
      *columns = variant != NULL && variant->branch_parameter == NS_BRANCH_PARAMETER_SCALAR ? 1 : shape->d_model;
      break;
    }
}
