/* Mean softmax cross-entropy over N tokens, forward and backward in one call.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   z = scale·logits                       [N, V]; with a soft cap c·tanh (scale·logits/c) (Gemma 2 2024, §2)
 *   p = softmax (z)                        row by row
 *   L = −1/n Σ_n ln p_n[target_n]
 *   ∂L/∂z = (p − onehot (target))/n        [N, V]; with a cap times 1 − tanh² for ∂L/∂(scale·logits)
 *
 * logits are replaced by ∂L/∂(scale·logits); ∂L/∂logits is scale times that. targets [N] are in 0..V−1, or NS_NO_TARGET
 * of a token that predicts nothing; n counts the others, at least one. cap is c, or 0 without a cap; slopes [V] is
 * scratch for a cap, otherwise NULL. Returns L in double.
 * Once progress, the job's or NULL, is cancelled, the rest is skipped and outputs are undefined.
 * Threads: pure function.
 */
#pragma once

#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* No target of a token, as ignore_index in PyTorch. */
#define NS_NO_TARGET (-1)

double ns_cross_entropy (ns_real *logits, const gint32 *targets, double scale, double cap, ns_real *slopes, gsize N,
                         gsize V, NsProgress *progress);
