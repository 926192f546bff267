/* The patches of an image: from their pixels to the input of the first part, and back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dosovitskiy et al. 2020, equation 1, of N tokens with P pixels each:
 *
 *   x = s·(p·W_patch + b_patch) + P_t     [N, C], s the embedding scale
 *
 * A class token has no pixels: x = c + P_t. What does not depend on W_patch is in work->patch.added.
 *
 * Threads: as the pass.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Return x [N, C] in the given array, with what the hooks add to W_patch and b_patch. */
NsScaled ns_patch_forward (NsPass *pass, ns_real *x);
/* Record the gradient norms of W_patch and b_patch, from `factor`·∂L/∂x [N, C] in pass->dx. */
void ns_patch_backward (NsPass *pass, double factor);
