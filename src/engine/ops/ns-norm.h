/* LayerNorm and RMSNorm over the C features of each of N tokens, and DyT, which stands in their place; forward and
 * backward.
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

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-real.h"

/* var_weight is 1, or 0 where x is so small that eps outweighs its variance beyond any digit of the type. */
void ns_norm_forward (ns_real *y, ns_real *mean, ns_real *rstd, const ns_real *x, const ns_real *gain,
                      const ns_real *bias, NsNormKind kind, double eps, double var_weight, gsize N, gsize C);

/* dx may be dy. dgain and dbias are set, in double, or NULL. */
void ns_norm_backward (ns_real *dx, double *dgain, double *dbias, const ns_real *dy, const ns_real *x,
                       const ns_real *mean, const ns_real *rstd, const ns_real *gain, NsNormKind kind,
                       double var_weight, gsize N, gsize C);

/* Dynamic tanh (Zhu et al. 2025): y = γ·tanh (α·x) + β, for each element alone. γ, β and NULL as above.
 *
 * x stands for the true x·scale, scale = 2^exp2 (see NsScaled), and y for itself: t = tanh (α·x·scale) keeps its
 * relative accuracy down to the smallest numbers of the type. Below, from about 2^-60 on, tanh is its argument to every
 * digit: scale = 0 then takes the linear map t = α·x of the stored values, slope 1, and t, y, β, dγ and dα stand at
 * x's power of two, for v·2^exp2. */
void ns_dyt_forward (ns_real *y, const ns_real *x, const ns_real *gain, const ns_real *bias, double alpha, double scale,
                     gsize N, gsize C);

/* All at the power of two of dy, dγ and dα with scale = 0 times that of x besides:
 *   dx = dy·γ·α·(1 − t²)            ∂L over the true x, whatever the scale; may be dy
 *   dγ = Σ_n dy·t,  dβ = Σ_n dy     set, [C], or NULL
 *   dα = Σ dy·γ·(1 − t²)·x·scale    set, one number, or NULL; without the scale where it is 0 */
void ns_dyt_backward (ns_real *dx, double *dgain, double *dbias, double *dalpha, const ns_real *dy, const ns_real *x,
                      const ns_real *gain, double alpha, double scale, gsize N, gsize C);
