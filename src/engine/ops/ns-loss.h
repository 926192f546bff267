/* Mean softmax cross-entropy over N tokens, forward and backward in one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   L = −1/N Σ_n ln softmax (scale·logits_n)[target_n],  ∂L/∂logits = (softmax − onehot)/N, without the factor scale
 *
 * logits [N, V] become their gradient in place; targets [N] in 0..V-1. Returns L in double. Threads: pure function.
 */
#pragma once

#include "engine/ops/ns-real.h"

double ns_cross_entropy (ns_real *logits, const gint32 *targets, double scale, gsize N, gsize V);
