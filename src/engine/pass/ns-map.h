/* The linear maps of a block on arrays with a power of two; N tokens.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: those of the pass.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* y = x·W, [N, out] */
NsScaled ns_map_forward (NsPass *pass, ns_real *y, NsScaled x, NsTensor tensor, gint64 site);
/* dx = dy·Wᵀ, [copies·N, in] */
NsScaled ns_map_backward (NsPass *pass, ns_real *dx, NsScaled dy, NsTensor tensor, gint64 site);
/* dx += dy·Wᵀ, keeping the exponent of dx. */
void ns_map_backward_add (NsPass *pass, NsScaled dx, NsScaled dy, NsTensor tensor, gint64 site);
/* One projection y = x·W: dx = dy·Wᵀ, or dx += dy·Wᵀ, and ‖dW‖ = ‖xᵀ·dy‖. The caller marks the Gram matrix of x invalid
 * when x is not the x of the projection before. */
void ns_map_projection_backward (NsPass *pass, NsScaled *dx, gboolean add, NsScaled x, NsScaled dy, NsTensor tensor,
                                 gint64 site, NsGradientSum *sum);
