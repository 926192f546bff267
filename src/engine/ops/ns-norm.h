/* LayerNorm, RMSNorm and DyT over the C features of each of N tokens, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   layernorm (Ba et al. 2016):       y = (x − mean)·rstd·γ + β,  rstd = 1/√(var + eps), var = mean ((x − mean)²)
 *   rmsnorm   (Zhang, Sennrich 2019): y = x·rstd·γ,               rstd = 1/√(mean (x²) + eps)
 *   dyt       (Zhu et al. 2025):      y = γ·tanh (α·x) + β
 *
 * Shapes: x, y, dx, dy [N, C]; mean, rstd [N], the cache for backward; γ, β, dγ, dβ [C]; α, dα one number. γ NULL is
 * all ones and β NULL all zeros, their values at initialization.
 *
 * Once progress, the job's or NULL, is cancelled, the rest is skipped and outputs are undefined.
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* var_weight is 1, or 0 where x is so small that its variance changes no digit of var + eps: rstd is then 1/√eps. */
void ns_norm_forward (ns_real *y, ns_real *mean, ns_real *rstd, const ns_real *x, const ns_real *gain,
                      const ns_real *bias, NsNormKind kind, double eps, double var_weight, gsize N, gsize C,
                      NsProgress *progress);

/* From dy = ∂L/∂y, with x̂ = (x − mean)·rstd and g = dy·γ, means over the C features:
 *
 *   layernorm: dx = rstd·(g − mean (g) − x̂·mean (g·x̂))
 *   rmsnorm:   dx = rstd·(g − x̂·mean (g·x̂))
 *   dγ = Σ_n dy·x̂,  dβ = Σ_n dy
 *
 * dx may be dy. dgain and dbias are set, in double; either may be NULL. */
void ns_norm_backward (ns_real *dx, double *dgain, double *dbias, const ns_real *dy, const ns_real *x,
                       const ns_real *mean, const ns_real *rstd, const ns_real *gain, NsNormKind kind,
                       double var_weight, gsize N, gsize C, NsProgress *progress);

/* DyT, for each element on its own: t = tanh (α·x·scale), y = γ·t + β.
 *
 * The array x holds the true values divided by scale = 2^exp2 (see NsScaled); y holds true values. Below about 2^-60
 * tanh equals its argument in every digit; scale = 0 then selects the linear map t = α·x on the stored values, and t,
 * y, β, dγ and dα are all in units of x's power of two. */
void ns_dyt_forward (ns_real *y, const ns_real *x, const ns_real *gain, const ns_real *bias, double alpha, double scale,
                     gsize N, gsize C, NsProgress *progress);

/* From dy = ∂L/∂y, with the slope 1 − t²:
 *
 *   dx = dy·γ·α·(1 − t²)            the gradient of the true x, whatever the scale; dx may be dy
 *   dγ = Σ_n dy·t,  dβ = Σ_n dy     [C], set; either may be NULL
 *   dα = Σ dy·γ·(1 − t²)·x·scale    one number, set, or NULL; without the factor scale when scale is 0
 *
 * All are in units of dy's power of two; with scale = 0, dγ and dα in units of the product of dy's and x's. */
void ns_dyt_backward (ns_real *dx, double *dgain, double *dbias, double *dalpha, const ns_real *dy, const ns_real *x,
                      const ns_real *gain, double alpha, double scale, gsize N, gsize C,
                      NsProgress *progress);

/* dx = dy·γ·t/x for each element, [N, C]: the transpose of DyT as a linear map y = (γ·t/x)·x with its factor held at
 * the values of the forward pass; α·scale is t/x at x = 0. In units of the power of two of dy over that of x. */
void ns_dyt_held (ns_real *dx, const ns_real *dy, const ns_real *x, const ns_real *gain, double alpha, double scale,
                  gsize N, gsize C, NsProgress *progress);
