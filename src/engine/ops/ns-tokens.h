/* How the tokens of a sequence differ.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With X [T, C] the tokens of a sequence, x̄ their mean and Y = X − 1x̄ᵀ:
 *
 *   residual = ‖Y‖_F/‖X‖_F                (Dong et al. 2021); 0 when all tokens are the same vector
 *   participation = (tr G)²/‖G‖_F²        G = Y·Yᵀ; with λ the eigenvalues of G it is (Σ λ)²/Σ λ²: n when n of them are
 *                                         equal and the others 0. At most min (T − 1, C)
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* Compute the means over the sequences of x [B, T, C], T > 1; either result may be NULL. The residual of tokens of 0
 * and the participation of equal tokens are NaN. mean [C], centred [T, C], gram [min (T, C)²]: scratch; the last two
 * are for the participation. Once progress, the job's or NULL, is cancelled, the results are undefined. */
void ns_token_spread (const ns_real *x, gsize B, gsize T, gsize C, double *mean, ns_real *centred, ns_real *gram,
                      double *residual, double *participation, NsProgress *progress);
