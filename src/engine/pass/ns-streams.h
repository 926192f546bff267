/* Several residual streams and what mixes them around a sub-layer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hyper-Connections (Zhu et al. 2024, arXiv:2409.19606, equations 2 to 5) replace the residual by n streams x_i, which
 * the learned A_m [n], A_r [n, n] and B [n] mix:
 *
 *   forward                           backward
 *   m = Σ_i A_m,i·x_i                 dx_i = Σ_j A_r,ij·dz_j + A_m,i·dm
 *   s = F (norm_pre (m))              dm = (F ∘ norm_pre)' (ds)
 *   z_j = Σ_i A_r,ij·x_i + B_j·b·s    d(b·s) = Σ_j B_j·dz_j
 *
 * Where the weights depend on the token, dx has a term more (ns-token-streams.h).
 *
 * x, z and their gradients are [N, n, C], m and s [N, C].
 */
#pragma once

#include "engine/pass/ns-pass-data.h"
#include "engine/pass/ns-sub-layer.h"

/* Return m, in the sub-layer's cache, which keeps x, too. */
NsScaled ns_streams_in_forward (NsPass *pass, NsSubCache *cache, NsScaled x, const NsSubLayer *layer, gint64 site);
/* Return z, in the array y, from the kept x and the branch's output b·s. The first time, record rms (z). */
NsScaled ns_streams_out_forward (NsPass *pass, const NsSubCache *cache, ns_real *y, double b, NsScaled s,
                                 const NsSubLayer *layer, gint64 site, gboolean first);
/* Return Σ_j B_j·dz_j in work->dmixed_out; record the gradients of A_r and B. */
NsScaled ns_streams_out_backward (NsPass *pass, const NsSubCache *cache, NsScaled dz, double b, NsScaled s,
                                  const NsSubLayer *layer, gint64 site);
/* Put dx into pass->dx, which may hold dz; record the gradient of A_m. */
void ns_streams_in_backward (NsPass *pass, const NsSubCache *cache, NsScaled dz, NsScaled dm, const NsSubLayer *layer,
                             gint64 site);
