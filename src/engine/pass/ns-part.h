/* The ends of a part: from the drawn input to x_0, and from x_L to what the head or the decoder reads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* The drawn input becomes x_0: scaled and normalized. */
void ns_part_input_forward (NsPass *pass, gint64 part);
/* With a dual residual, pass->dx behind the first block takes in ∂L/∂r: both streams start at x_0. */
void ns_part_add_dual_gradient (NsPass *pass);
/* pass->dx from ∂L/∂x_0 to the gradient of the drawn input, and the gradient norms of the input norm. */
void ns_part_input_backward (NsPass *pass, gint64 part);
/* x_L becomes h, what the head or the decoder reads, in work->part[part].out. */
NsScaled ns_part_output_forward (NsPass *pass, gint64 part);
/* pass->dx from ∂L/∂h to ∂L/∂x_L. */
void ns_part_output_backward (NsPass *pass, gint64 part);
