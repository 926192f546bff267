/* Arrays with a power of two beside them, for what lies beyond a floating-point type.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scale carrying: a forward pass without norms and residuals can shrink below, and a backward pass leave on either
 * side, what the floating-point type holds. Arrays therefore stand for v·2^exp2 (NsScaled), brought back to about 1
 * between sub-layers; powers of two change no digit, and exp2 stays 0 where there is no need. Only growth in the
 * forward pass is left to overflow, because that is what happens to a real network.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* Root of a sum of squares whose terms may lie beyond any double: sum2·2^(2·exp2). */
typedef struct
{
  double sum2, exp2;
} NsRoot;

void ns_root_add (NsRoot *root, double value, double exp2);

/* Takes the power of two out of a factor so small that a few of its products would leave the type; returns what is to
 * be added to exp2 for it. 0, and the factor as it is, in all ordinary cases. */
double ns_take_power (double *factor);
/* Sum of squares of the stored values; brings a tensor that has shrunk out of reach back to about 1. */
double ns_rescale_if_small (NsScaled *x, gsize n);
/* Likewise for a gradient, in both directions. */
double ns_rescale_gradient (NsScaled *x, gsize n);

/* z = a·x + b·s, [n], at the larger of the two scales; z may be x's or s's array. What is switched off is not touched,
 * so that an Inf in it does no harm. */
NsScaled ns_scaled_add (ns_real *z, double a, NsScaled x, double b, NsScaled s, gsize n);
