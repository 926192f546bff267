/* The feed-forward network's nonlinearity, forward and backward, with the plain and the gated form.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   y = act (h)            relu: max (0, h);  gelu: h·Φ(h), exact by erf (Hendrycks, Gimpel 2016);  silu: h·σ(h);
 *                          gelu-tanh: ½h·(1 + tanh (√(2/π)·(h + 0.044715·h³))), the same paper's approximation
 *   y = act (h) ⊙ g        swiglu: silu, geglu: gelu (Shazeer 2020), geglu-tanh: gelu-tanh
 *
 * Each is h times a factor, act (h) = h·f(h), so an input of true value h·2^e gives an output of true value y·2^e
 * with f taken at the true value: `scale` is that 2^e (1 in all ordinary cases).
 * All arrays [n]. Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-kinds.h"
#include "engine/ops/ns-real.h"

/* g is NULL unless gated. */
void ns_activation_forward (ns_real *y, const ns_real *h, const ns_real *g, NsActivation kind, double scale, gsize n);
/* dh may be dy. dg is NULL unless gated. */
void ns_activation_backward (ns_real *dh, ns_real *dg, const ns_real *dy, const ns_real *h, const ns_real *g,
                             NsActivation kind, double scale, gsize n);

/* p[i] = exp (x[i] − max): NaN stays NaN, far below the largest goes to 0. Returns the sum. [n] */
double ns_exp_shifted (ns_real *p, const ns_real *x, ns_real max, gsize n);
