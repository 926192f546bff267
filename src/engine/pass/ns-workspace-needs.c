/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-workspace-needs.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-parts.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/ops/ns-activation.h"

#include <math.h>

static void
add_needs (NsWorkspaceNeeds *needs, const NsVariant *v, gint64 depth)
{
  /* Mix-LN: the first and the last block show both placements, or the second one if the first is an exception */
  gint64 layers[3] = { 1, MIN (2, depth), depth };

  for (int sub = 0; sub < NS_N_SUBS; sub++)
    {
      needs->inner |= ns_variant_get_wiring (v, (NsSub) sub).inner_norm;
      for (int i = 0; i < 3; i++)
        {
          NsPlacement p = ns_variant_get_placement (v, (NsSub) sub, layers[i], depth);

          needs->pre |= ns_placement_has_pre (p);
          needs->branch |= ns_placement_has_branch (p);
          needs->post |= ns_placement_has_post (p);
        }
    }
  needs->attention |= ns_variant_has_sub (v, NS_SUB_ATTN, NS_PART_STACK);
  needs->ffn |= ns_variant_has_sub (v, NS_SUB_FFN, NS_PART_STACK);
  needs->ngpt |= v->ngpt;
  needs->qk_norm |= v->qk_norm != NS_QK_NORM_NONE || v->ngpt;
  needs->v_norm |= v->qk_norm == NS_QK_NORM_QKV_HEAD;
  needs->probs |= v->attention != NS_ATTENTION_UNIFORM && ns_variant_has_sub (v, NS_SUB_ATTN, NS_PART_STACK);
  needs->rotary |= v->rotary.pairs != NS_ROTARY_NONE;
  needs->rotary_local |= ns_variant_has_local_rotary (v);
  needs->position_bias |= v->position_bias != NS_POSITION_BIAS_NONE;
  needs->score_cap |= !isnan (v->score_cap);
  needs->logit_cap |= !isnan (v->logit_cap);
  if (v->position_bias == NS_POSITION_BIAS_T5)
    needs->buckets = MAX (needs->buckets, v->position_buckets);
  needs->gated |= ns_activation_is_gated ((NsActivation) v->activation);
  needs->branch_gain |= v->branch_norm_gain != 1;
  needs->block_residual |= v->block_residual;
  needs->dual_residual |= v->dual_residual;
  needs->input_norm |= v->input_norm;
  needs->head_transform |= v->head_transform;
  needs->streams = MAX (needs->streams, (gsize) v->hyper.streams);
  if (v->hyper.weights != NS_STREAM_WEIGHTS_STATIC)
    needs->token_streams = MAX (needs->token_streams, (gsize) v->hyper.streams);
  needs->manifold |= v->hyper.streams > 0 && v->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;
  if (v->experts.count > 0)
    {
      needs->experts = MAX (needs->experts, (gsize) v->experts.count);
      needs->per_token = MAX (needs->per_token, (gsize) v->experts.per_token);
      needs->shared = MAX (needs->shared, (gsize) v->experts.shared);
    }
}

NsWorkspaceNeeds
ns_workspace_get_needs (const NsExperiment *e)
{
  NsParts parts = ns_shape_get_parts (&e->shape);
  NsWorkspaceNeeds needs = { 0 };

  for (guint i = 0; i < e->variants->len; i++)
    for (gint64 part = 0; part < parts.n; part++)
      add_needs (&needs, ns_experiment_variant (e, i), parts.depth[part]);
  return needs;
}
