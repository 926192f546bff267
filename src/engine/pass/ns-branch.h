/* The branches of a block, u → s: attention with its projections, and the feed-forward network.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/ops/ns-attention.h"
#include "engine/pass/ns-pass-data.h"
#include "engine/pass/ns-sub-layer.h"

/* Forward reads sub->u (attention also sub->source) and sets sub->s. Backward turns ds into du, in work->du, and
 * records the gradient norms of the branch's parameters. Cross-attention also adds to pass->dsource. The first time,
 * attention records its entropy and its largest logit, and experts how they were chosen. */
void ns_attention_branch_forward (NsPass *pass, NsSubCache *sub, const NsSubLayer *layer, gint64 site, gboolean first);
NsScaled ns_attention_branch_backward (NsPass *pass, const NsSubCache *sub, const NsSubLayer *layer, gint64 site,
                                       NsScaled ds);
/* Return the rotary positions of an attention; no pairs: none. The pass must outlive it. */
NsRotary ns_attention_branch_get_rotary (const NsPass *pass, NsSub sub, gint64 site);
/* Return how the scores of an attention come about. The pass must outlive it. */
NsScores ns_attention_branch_get_scores (const NsPass *pass, NsSub sub, gint64 site);
void ns_ffn_branch_forward (NsPass *pass, NsSubCache *sub, gint64 site, gboolean first);
NsScaled ns_ffn_branch_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds);
