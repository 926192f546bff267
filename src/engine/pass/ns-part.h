/* The ends of a part: from the drawn input to x_0, and from x_L to the input of the head or the decoder.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Scale and normalize the drawn input, in place, to x_0. */
void ns_part_input_forward (NsPass *pass, gint64 part);
/* With a dual residual, add ∂L/∂r to pass->dx below the first block, since both streams start at x_0. */
void ns_part_add_dual_gradient (NsPass *pass);
/* Turn pass->dx from ∂L/∂x_0 into the gradient of the drawn input; record the gradient norms of the input norm. */
void ns_part_input_backward (NsPass *pass, gint64 part);
/* Compute h, which the head or the decoder reads, from x_L into work->part[part].out. */
NsScaled ns_part_output_forward (NsPass *pass, gint64 part);
/* Turn pass->dx from ∂L/∂h into ∂L/∂x_L. */
void ns_part_output_backward (NsPass *pass, gint64 part);
