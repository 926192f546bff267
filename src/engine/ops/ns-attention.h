/* Multi-head attention without its projections, forward and backward (Vaswani et al. 2017, eq. 1).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For each sequence and each head, with q, k, v, y [T, D] and P [T, T]:
 *
 *   S = cap (scale·q·kᵀ) + bias   scores: how well each query fits each key, and how far they are apart
 *   P = softmax (S)               row by row, over the positions that the mask leaves visible
 *   y = P·v                       a weighted mean of the values
 *
 * The bias depends on the distance alone, so its gradient is the sum of that of S along the diagonals. A window of w
 * tokens leaves the positions visible whose distance is below w, among those of the mask. cap (s) is s, or with a soft
 * cap c·tanh (s/c) (Gemma 2 2024, arXiv:2408.00118, §2).
 *
 * uniform: every visible position has the same weight (W_Q = W_K = 0, Xiong et al. 2020 §3.3); q, k, their gradients,
 * probs and scratch are then NULL, and there is no bias.
 *
 * Query head h reads head h/(H/G) of keys and values: grouped-query attention (Ainslie et al. 2023). G = H is ordinary,
 * G = 1 multi-query attention. In cross-attention q comes from another sequence of T tokens than k and v.
 *
 * In memory: q, y and their gradients [B·T, H·D], head h in columns h·D …; k, v and their gradients [B·T, G·D]
 * likewise; probs [B, H, T, T], the cache for backward; scratch [T, T], with a soft cap [2T, T]. No output may be an
 * input.
 *
 * progress is the job's, or NULL: once it is cancelled, the rest is skipped and outputs are undefined.
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

typedef struct
{
  gsize B, T; /* sequences, tokens in each */
  gsize D;    /* features of a head */
  gsize H, G; /* heads of queries; heads of keys and values, which divide H */
} NsAttentionShape;

typedef enum
{
  NS_MASK_NONE,   /* every token sees all tokens */
  NS_MASK_CAUSAL, /* token t sees tokens 0..t */
} NsAttentionMask;

/* How scores come about. */
typedef struct
{
  NsAttentionMask mask;
  const ns_real *bias; /* [H, 2T − 1], or NULL: query t and key s add column T − 1 − t + s of their head, so a bias
                        * depends on the distance of the two tokens */
  gsize window;        /* query t sees only keys s with |t − s| < window; 0: all. Not with uniform attention */
  double cap;          /* the soft cap c of the scores, before the bias; 0: none */
  double scale;        /* backward with a cap: the scale of the forward pass, not read otherwise */
  double *dbias;       /* [H, 2T − 1], or NULL: backward adds the bias's gradient of all sequences */
} NsScores;

/* The scores of a mask alone. */
#define NS_MASKED(mask_) ((NsScores){ .mask = (NsAttentionMask) (mask_) })

/* Numbers about P and S of all sequences and heads. A uniform attention has the scores 0. */
typedef struct
{
  double entropy;   /* −Σ_j P_j·ln P_j of a row over ln n, n the row's visible positions: the mean over the rows with
                     * n > 1, between 0 and 1. NaN without such a row */
  double max_logit; /* the largest visible score; NaN if one is */
  double rms;       /* root mean square of the visible scores */
} NsAttentionStats;

/* stats may be NULL. */
void ns_attention_forward (ns_real *y, ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                           NsScores scores, gboolean uniform, double scale, NsAttentionShape shape,
                           NsAttentionStats *stats, NsProgress *progress);

/* From dy = ∂L/∂y:
 *
 *   dv = Pᵀ·dy
 *   dP = dy·vᵀ
 *   dS = P ⊙ (dP − rowsum (P ⊙ dP))     with a cap also ⊙ (1 − tanh² (scale·q·kᵀ/c)), from q and k again
 *   dq = dq_scale·dS·k
 *   dk = dq_scale·dSᵀ·q
 *
 * All three gradients are set, not added to; dk and dv are sums over the query heads of a group. With dq_scale = scale
 * they are ∂L/∂q and ∂L/∂k; a caller with powers of two next to its arrays (NsScaled) leaves those out of dq_scale. */
void ns_attention_backward (ns_real *dq, ns_real *dk, ns_real *dv, ns_real *scratch, const ns_real *dy,
                            const ns_real *probs, const ns_real *q, const ns_real *k, const ns_real *v,
                            NsScores scores, gboolean uniform, double dq_scale, NsAttentionShape shape,
                            NsProgress *progress);
