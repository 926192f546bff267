/* The head: from the stack's output to the loss of its predictions, and back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cross-entropy over V classes, h [N, C]:
 *
 *   t = N (act (h·W_dense + b_dense))     [N, C], the head transform where the variant has one; else t = h
 *   logits = s·(t·W_head + b)             [N, V], s the logit scale, and with a soft cap where the variant has one
 *   L = cross-entropy (logits, targets)
 *
 * Threads: as the pass.
 */
#pragma once

#include "engine/pass/ns-pass-data.h"

/* Return L; the workspace then holds dL/d(t·W_head) in place of the logits. */
double ns_head_forward (NsPass *pass, NsScaled h);
/* Record the gradient norms of the head's parameters and put dL/dh [N, C] into pass->dx. */
void ns_head_backward (NsPass *pass, NsScaled h);
