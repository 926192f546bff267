/* A block of the stack, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Return the sub-layers of the block at a site, n of them, in the order of the forward pass; static. */
const NsSub *ns_block_get_subs (const NsPass *pass, gint64 site, int *n);
/* Compute x_l from x_{l−1}. `first`: record the branches' contributions and add them to the dual stream; FALSE when the
 * block runs again to fill the cache. */
void ns_block_forward (NsPass *pass, gint64 site, gboolean first);
/* Turn pass->dx from ∂L/∂x_l into ∂L/∂x_{l−1}; record the gradient norms of the block. */
void ns_block_backward (NsPass *pass, gint64 site);

/* ---- for other sweeps down the stack; the cache holds the block (ns_pass_fill_cache()) ---- */

/* Return the number of sums z = a·x + b·s of the block at a site: one for each sub-layer, or one in all where they are
 * parallel. Sum i has norm and residual of sub-layer i of ns_block_get_subs(). */
int ns_block_get_n_sums (const NsPass *pass, gint64 site);
/* Return s, after its norm and its learned scale, which a branch adds as b·s; set *b. It may be in work->branch. */
NsScaled ns_block_branch_output (NsPass *pass, gint64 site, NsSub sub, double *b);
/* Return Jᵀ·dz, J the Jacobian of all branches of that sub-layer's sum with their norms before, and with a dual
 * residual Jᵀ·(dz + pass->dr), in scratch memory of the workspace. Cross-attention adds its share of the gradient at
 * the encoder's output to pass->dsource. */
NsScaled ns_block_branches_backward (NsPass *pass, gint64 site, NsSub sub, NsScaled dz);
