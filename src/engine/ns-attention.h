/* Multi-head self-attention between its projections, forward and backward (Vaswani et al. 2017, eq. 1).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   P = softmax (scale·q·kᵀ), y = P·v for each sequence and head; causal: a token sees itself and what is before it.
 *   uniform: P = 1/T everywhere (W_Q = W_K = 0, Xiong et al. 2020 §3.3); q, k, probs are then NULL.
 *
 * Shapes: q, k, v, y and their gradients [B·T, C], head h in columns h·C/H …; probs [B, H, T, T] (cache for backward);
 * scratch [T, T]. Threads: pure functions.
 */
#pragma once

#include "engine/ns-experiment.h"
#include "engine/ns-real.h"

typedef struct
{
  gsize B, T, C, H;
} NsAttentionShape;

void ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                           NsAttention kind, double scale, NsAttentionShape shape);

/* dq and dk are ∂L/∂q, ∂L/∂k over dq_scale: the product with scale's own factor that the caller chooses to carry
 * (see NsScaled): dq = dq_scale·dS·k, dk = dq_scale·dSᵀ·q. */
void ns_attention_backward (ns_real *dq, ns_real *dk, ns_real *dv, ns_real *scratch, const ns_real *dy,
                            const ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                            NsAttention kind, double dq_scale, NsAttentionShape shape);
