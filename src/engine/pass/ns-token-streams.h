/* Weights of several streams that depend on the token (ops/ns-token-mix.h), in a pass.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   x̄ = norm (x)             without a gain: layernorm of each stream, or with a manifold rmsnorm of all side by side
 *   l = x̄·W                  three maps, of A_m, A_r and B; they start at 0
 *   A_m, A_r, B from l       ns_token_mix_forward()
 *
 *   dW = x̄ᵀ·dl,  dx̄ = Σ dl·Wᵀ,  dx = norm' (dx̄)
 */
#pragma once

#include "engine/ops/ns-mix.h"
#include "engine/pass/ns-pass-data.h"
#include "engine/pass/ns-sub-layer.h"

/* Return the weights of each token, in work->mix. Their sources stay in work->token_mix for the next function. */
NsMix ns_token_streams_get_mix (NsPass *pass, NsScaled x, const NsSubLayer *layer, gint64 site);
/* From the gradients of the weights, work->token_mix.gradient with its exponents: record those of the parameters, and
 * return ∂L/∂x through the weights [N, n, C]; its v is NULL where all maps are 0. */
NsScaled ns_token_streams_backward (NsPass *pass, NsScaled x, const NsSubLayer *layer, gint64 site);
