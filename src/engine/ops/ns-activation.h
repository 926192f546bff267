/* The nonlinearity of the feed-forward network, plain and gated, forward and backward.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   plain   y = act (h)         relu: max (0, h);  gelu: h·Φ(h), exact by erf (Hendrycks, Gimpel 2016);  silu: h·σ(h);
 *                               gelu-tanh: ½h·(1 + tanh (√(2/π)·(h + 0.044715·h³))), the same paper's approximation
 *   gated   y = act (h) ⊙ g     swiglu: silu;  geglu: gelu (Shazeer 2020);  geglu-tanh: gelu-tanh
 *
 * Each activation is h times a factor, act (h) = h·f(h). So an array that holds the true values h·2^e without their
 * power of two gives y without it, as long as f is evaluated at the true value: `scale` is 2^e, ordinarily 1.
 * All arrays [n], n = N·F. Once progress, the job's or NULL, is cancelled, the rest is skipped and outputs are
 * undefined.
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* y = h·f (⊙ g), f at the true value h·scale. g is NULL unless gated. */
void ns_activation_forward (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, double scale, gsize n,
                            NsProgress *progress);
/* dh = dy (⊙ g) ⊙ act' (h·scale) and, when gated, dg = dy ⊙ h·f. dh may be dy; g and dg are NULL unless gated. */
void ns_activation_backward (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g,
                             NsActivation kind, double scale, gsize n, NsProgress *progress);

/* p_i = exp (x_i − max) for a softmax, [n]; return Σ p_i in double. NaN stays NaN. p may be x. */
double ns_exp_shifted (ns_real *p, const ns_real *x, ns_real max, gsize n);
/* Do the same, and set *dot to Σ p_i·(x_i − max), where a p_i of 0 counts as 0. */
double ns_exp_shifted_dot (ns_real *p, const ns_real *x, ns_real max, gsize n, double *dot);
