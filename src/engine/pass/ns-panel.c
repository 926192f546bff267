/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-panel.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-tensor.h"
#include "engine/pass/ns-linear.h"

/* Include a matrix of a variant (nullable) in the elements of the largest panel, and in the tokens of the largest Gram
 * matrices: of all minibatches or of one, of an expert any number for which they pay (ns_linear_uses_gram()). */
static void
include_matrix (NsTensor tensor, const NsShape *shape, const NsVariant *variant, gsize N, gsize M, gsize *panel,
                gsize *gram)
{
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, shape, variant, &rows, &columns);
  *panel = MAX (*panel, ns_linear_panel_elements ((gsize) rows, (gsize) columns));
  if (ns_linear_uses_gram (N, (gsize) rows, (gsize) columns, FALSE))
    *gram = N;
  else if (variant != NULL && ns_tensor_is_of_ffn (tensor))
    *gram = MAX (*gram, MIN (N, (gsize) (2 * rows * columns / (rows + columns + 2) + 1)));
  else if (ns_linear_uses_gram (N / M, (gsize) rows, (gsize) columns, FALSE))
    *gram = MAX (*gram, N / M);
}

/* Return TRUE when the variant has the matrix's sub-layer, head transform or patches. */
static gboolean
has_place_of (const NsExperiment *e, guint variant, NsTensor tensor)
{
  NsSub sub = ns_tensor_info (tensor)->sub;

  if (tensor == NS_T_W_PATCH)
    return ns_experiment_has_patches (e);
  if (tensor == NS_T_W_HEAD_DENSE)
    return ns_experiment_has_head_transform (e, variant);
  return sub == NS_SUB_NONE || sub == NS_SUB_CROSS
         || ns_variant_has_sub (ns_experiment_variant (e, variant), sub, NS_PART_STACK);
}

static gboolean
is_anywhere (const NsExperiment *e, NsTensor tensor)
{
  for (guint v = 0; v < e->variants->len; v++)
    if (has_place_of (e, v, tensor))
      return TRUE;
  return FALSE;
}

gsize
ns_panel_get_elements (const NsExperiment *e, gsize N, gsize M, gsize *gram)
{
  gsize panel = 0;

  *gram = 0;
  for (int t = 0; t < NS_N_TENSORS; t++)
    {
      gboolean is_beside = ns_tensor_is_beside_experts ((NsTensor) t);

      if (!ns_tensor_is_matrix ((NsTensor) t) || !is_anywhere (e, (NsTensor) t))
        continue;
      if (!is_beside)
        include_matrix ((NsTensor) t, &e->shape, NULL, N, M, &panel, gram);
      for (guint v = 0; v < e->variants->len; v++)
        if (ns_experiment_variant (e, v)->experts.count > 0 && (is_beside || ns_tensor_is_of_ffn ((NsTensor) t)))
          include_matrix ((NsTensor) t, &e->shape, ns_experiment_variant (e, v), N, M, &panel, gram);
    }
  return panel;
}
