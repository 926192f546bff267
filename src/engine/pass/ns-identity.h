/* The identity path: the part of the gradient that reaches the residual stream through no branch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/MODEL.md, "The identity path", has the equations. A pass whose sink wants none of its quantities skips all of
 * this.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Begin at the end of a part: ι_L = ∂L/∂x_L, which pass->dx [N, C] holds. */
void ns_identity_start (NsPass *pass);
/* Carry ι from the output of the block at a site to its input. The block's cache is filled. */
void ns_identity_block_backward (NsPass *pass, gint64 site);
/* With a dual residual, add ∂L/∂r to ι below the first block, since the second stream has no branch. */
void ns_identity_add_dual_gradient (NsPass *pass);
/* Record the identity path and the cosines of ∂L/∂x_l, which pass->dx [N, C] holds, with ∂L/∂x_L and with ∂L/∂x_{l+1};
 * sum2 is the sum of squares of dx's stored values. */
void ns_identity_record (NsPass *pass, gint64 site, double sum2);
