/* What the variants of an experiment need of a workspace, which all of them share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

/* Whether any variant needs it. */
typedef struct
{
  gboolean pre, branch, post, inner, qk_norm, v_norm, probs, rotary, rotary_local, position_bias, gated;
  gboolean score_cap, logit_cap, ngpt;
  gboolean attention, ffn;
  gboolean branch_gain, block_residual, dual_residual, input_norm, head_transform;
  gint64 buckets; /* of relative position biases */
  gsize streams; /* the most; 0: none has several */
  gsize token_streams; /* the most with weights that depend on the token */
  gboolean manifold;   /* the maps of such weights read all streams at once */
  gsize experts, per_token, shared; /* the largest numbers; 0: none */
} NsWorkspaceNeeds;

NsWorkspaceNeeds ns_workspace_get_needs (const NsExperiment *experiment);
