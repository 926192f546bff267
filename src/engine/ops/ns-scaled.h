/* Arrays that carry a power of two, for values beyond the range of the floating-point type.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Without norms and residuals, the activations of a deep stack shrink below the smallest float, and its gradients leave
 * the range at both ends. An array therefore represents v·2^exp2 (NsScaled) and is rescaled to about 1 between
 * sub-layers. Scaling by a power of two is exact, and exp2 stays 0 while the values are of ordinary size. Activations
 * that grow are left to overflow, as they do in a real network.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* A sum of squares whose terms may lie beyond any double: sum2·2^(2·exp2). */
typedef struct
{
  double sum2, exp2;
} NsRoot;

/* Add (value·2^exp2)², or subtract it when value is negative. */
void ns_root_add (NsRoot *root, double value, double exp2);

/* Move the power of two of a very small factor (below 2^-20) out of it and return it, to be added to exp2: products
 * with such a factor would leave the type within a few layers. Return 0 and leave the factor in ordinary cases. */
double ns_take_power (double *factor);
/* Rescale x [n] to a root mean square of about 1 when it has become very small, or has grown after it was rescaled.
 * Return the sum of squares of the stored values. */
double ns_rescale_if_small (NsScaled *x, gsize n);
/* Likewise for a gradient, which is also rescaled when it has become very large. */
double ns_rescale_gradient (NsScaled *x, gsize n);

/* z = a·x + b·s, [n], with the larger of the two exponents; z may be x's or s's array. A term whose factor is 0 is not
 * read, so that an Inf in it does not become NaN. */
NsScaled ns_scaled_add (ns_real *z, double a, NsScaled x, double b, NsScaled s, gsize n);
