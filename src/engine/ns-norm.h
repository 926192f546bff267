/* LayerNorm and RMSNorm over the C features of each of N tokens, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   layernorm (Ba et al. 2016):       y = (x − mean)·rstd·γ + β,  rstd = 1/sqrt (var + eps), biased variance
 *   rmsnorm   (Zhang, Sennrich 2019): y = x·rstd·γ,               rstd = 1/sqrt (mean (x²) + eps)
 *
 * Shapes: x, y, dx, dy [N, C]; mean, rstd [N] (caches for backward); γ, β, dγ, dβ [C]. γ NULL is all ones and β NULL
 * all zeros, their values at initialization. Threads: pure functions.
 */
#pragma once

#include "engine/ns-experiment.h"
#include "engine/ns-real.h"

/* var_weight is 1, or 0 where x is so small that eps outweighs its variance beyond any digit of the type. */
void ns_norm_forward (ns_real *y, ns_real *mean, ns_real *rstd, const ns_real *x, const ns_real *gain,
                      const ns_real *bias, NsNormKind kind, double eps, double var_weight, gsize N, gsize C);

/* dx may be dy. dgain and dbias are set, in double, or NULL. */
void ns_norm_backward (ns_real *dx, double *dgain, double *dbias, const ns_real *dy, const ns_real *x,
                       const ns_real *mean, const ns_real *rstd, const ns_real *gain, NsNormKind kind,
                       double var_weight, gsize N, gsize C);
