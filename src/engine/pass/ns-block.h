/* A block of the stack, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* x_{l−1} → x_l. first: record what the branches add, and add it to the dual stream; FALSE when the block is run again
 * to fill the cache. */
void ns_block_forward (NsPass *pass, gint64 site, gboolean first);
/* pass->dx from ∂L/∂x_l to ∂L/∂x_{l−1}; records the gradient norms of the block. */
void ns_block_backward (NsPass *pass, gint64 site);
