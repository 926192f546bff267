/* Multi-head attention between its projections, forward and backward (Vaswani et al. 2017, eq. 1).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   P = softmax (scale·q·kᵀ), y = P·v for each sequence and query head, the softmax over the positions that are seen.
 *   uniform: all of them weigh the same (W_Q = W_K = 0, Xiong et al. 2020 §3.3); q, k, their gradients, probs and
 *   scratch are then NULL.
 * Query head h reads head h/(H/G) of keys and values: grouped-query attention (Ainslie et al. 2023), with G = H
 * ordinary heads and with G = 1 multi-query attention. q may come from another sequence of T tokens than k and v
 * (cross-attention).
 *
 * Shapes: q, y and their gradients [B·T, H·D], head h in columns h·D …; k, v and their gradients [B·T, G·D] likewise;
 * probs [B, H, T, T] (cache for backward); scratch [T, T]. No output may be an input. Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

typedef struct
{
  gsize B, T, D, H, G; /* D features of a head, H heads of queries, G of keys and values; G divides H */
} NsAttentionShape;

typedef enum
{
  NS_MASK_NONE,
  NS_MASK_CAUSAL, /* token t sees tokens 0..t */
} NsAttentionMask;

void ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                           NsAttentionMask mask, gboolean uniform, double scale, NsAttentionShape shape);

/* Sets all three gradients; dk and dv are sums over the query heads of a group. dq and dk are ∂L/∂q, ∂L/∂k over
 * dq_scale: the product with scale's own factor that the caller chooses to carry (see NsScaled): dq = dq_scale·dS·k,
 * dk = dq_scale·dSᵀ·q. */
void ns_attention_backward (ns_real *dq, ns_real *dk, ns_real *dv, ns_real *scratch, const ns_real *dy,
                            const ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                            NsAttentionMask mask, gboolean uniform, double dq_scale, NsAttentionShape shape);
