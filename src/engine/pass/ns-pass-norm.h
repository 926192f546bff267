/* The norms of a pass, at any place and on arrays with a power of two.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Compute y = norm (x) into the array out [N, C]; fill the cache for the backward pass. */
NsScaled ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsNormPlace norm,
                               gint64 site);
/* Compute Jᵀ·dy, J the Jacobian of the norm at the values of the forward pass, into the array dx, which may be that of
 * dy. Record nothing. */
NsScaled ns_pass_norm_transposed (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                                  gint64 site);
/* Compute Rᵀ·dy likewise, where the norm is y = R·x + β with its statistics held at the values of the forward pass:
 * R = γ·P/σ, with P = I for an rmsnorm and the centring of the features for a layernorm; for DyT R = γ·tanh (α·x)/x. */
NsScaled ns_pass_norm_held (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                            gint64 site);
/* Compute ∂L/∂x into the array dx, which may be that of dy. Record the gradient norms of gain, bias and alpha; add them
 * to *sum. */
NsScaled ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                                gint64 site, NsGradientSum *sum);
