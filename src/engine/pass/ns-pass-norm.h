/* The norms of a pass, at any place and on arrays with a power of two.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* y = norm (x) into the array out [N, C]; the cache keeps what backward needs. */
NsScaled ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsNormPlace norm,
                               gint64 site);
/* ∂L/∂x into the array dx, which may be dy's; records the norms of the gradients of gain, bias and alpha and adds them
 * to *sum. */
NsScaled ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsNormPlace norm,
                                gint64 site, NsRoot *sum);
