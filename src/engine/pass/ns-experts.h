/* The FFN with experts, u → s (docs/MODEL.md, "A block"): a router, the experts of each token, a shared expert.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jiang et al. 2024 (Mixtral), arXiv:2401.04088; the shared expert is that of Qwen2-MoE. Tokens are gathered by expert,
 * so that the work is that of the experts that they have chosen. Sums over a token's experts have the order of its
 * slots (ns-routing.h), so the bits do not depend on the threads.
 *
 * Threads: those of the pass.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Read sub->u and set sub->s. The first time, record the router's entropy and the experts' loads. */
void ns_experts_forward (NsPass *pass, NsSubCache *sub, gint64 site, gboolean first);
/* Turn ds into du, in work->du, and record the gradient norms of the router and of the experts. */
NsScaled ns_experts_backward (NsPass *pass, const NsSubCache *sub, gint64 site, NsScaled ds);
