/* A block of the stack, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Compute x_l from x_{l−1}. `first`: record the branches' contributions and add them to the dual stream; FALSE when the
 * block runs again to fill the cache. */
void ns_block_forward (NsPass *pass, gint64 site, gboolean first);
/* Turn pass->dx from ∂L/∂x_l into ∂L/∂x_{l−1}; record the gradient norms of the block. */
void ns_block_backward (NsPass *pass, gint64 site);
