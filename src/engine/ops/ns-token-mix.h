/* Weights of streams that depend on the token: the dynamic Hyper-Connections of Zhu et al. 2024 (arXiv:2409.19606,
 * equations 10 to 13) and the manifold-constrained ones of Xie et al. 2025 (mHC, arXiv:2512.24880, equations 7 to 9).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A linear map of the token's normalized streams gives a number l for each weight. With what the token does not change,
 * b, and a learned scale s,
 *
 *   tanh      weight = b + s·tanh (l)
 *   manifold  h = b + s·l;  A_m = σ (h),  B = 2·σ (h),  A_r = P (h)
 *
 * P takes exp (h) and divides, NS_SINKHORN_STEPS times in turn, each row by its sum and each column by its sum
 * (Sinkhorn, Knopp 1967), so that both are 1. mHC writes the transpose of A_r, of which it divides the columns first.
 *
 * The weights of a token are side by side: A_m [n], B [n], A_r [n, n], row i, column j from stream i to the new stream
 * j. NsMixPart numbers these three parts; s has one number for each.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-real.h"

#define NS_SINKHORN_STEPS 20

typedef enum
{
  NS_MIX_IN,
  NS_MIX_OUT,
  NS_MIX_STREAMS,
  NS_N_MIX_PARTS
} NsMixPart;

typedef struct
{
  gboolean is_manifold; /* else tanh */
  gsize n;              /* streams */
  const double *base;   /* [n·(n + 2)] b, side by side as the weights */
  double scale[NS_N_MIX_PARTS];
  const ns_real *l[NS_N_MIX_PARTS]; /* [N, n], [N, n], [N, n·n]; NULL: all are 0 */
} NsTokenMix;

/* Return how many weights of a token are before a part, and how many the part has. */
gsize ns_mix_part_get_offset (NsMixPart part, gsize n);
gsize ns_mix_part_get_size (NsMixPart part, gsize n);

/* Set the weights of N tokens, [N, n·(n + 2)]. */
void ns_token_mix_forward (double *weights, const NsTokenMix *mix, gsize N);
/* Turn the gradients of the weights of the tokens from `first` to `end` into those of l, in place, [N, n·(n + 2)]; add
 * those of b to dbase [n·(n + 2)] and those of s to dscale. `weights` are those of the forward function. */
void ns_token_mix_backward (double *gradient, double *dbase, double dscale[NS_N_MIX_PARTS], const double *weights,
                            const NsTokenMix *mix, gsize first, gsize end);
