/* The update of all parameters from their gradient: SGD with momentum, Adam, AdamW.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With g = factor·gradient, η the rate of step t = 1, 2, … and λ the weight decay, element by element:
 *
 *   SGD     g += λ·θ;  m = μ·m + g;  Δ = −η·m
 *   Adam    g += λ·θ;  m = β₁·m + (1 − β₁)·g;  v = β₂·v + (1 − β₂)·g²
 *           Δ = −η·m̂/(√v̂ + ε),  m̂ = m/(1 − β₁ᵗ), v̂ = v/(1 − β₂ᵗ)
 *   AdamW   as Adam without λ, then Δ −= η·λ·θ      (Loshchilov and Hutter 2019)
 *   θ += Δ
 *
 * These are PyTorch's.
 *
 * Threads: pure functions; the elements may be shared out in any way.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-real.h"

/* One step of a run. */
typedef struct
{
  NsOptimizer optimizer;
  double rate;   /* η */
  double factor; /* of the gradient: below 1 where it is clipped */
  double decay;  /* λ; 0 for parameters without */
  double momentum, beta1, beta2, epsilon;
  gint64 t;      /* 1 in the first step */
} NsUpdate;

/* Return the moments that an optimizer keeps for each element: 0, 1 (m) or 2 (m, v). */
guint ns_optimizer_count_moments (NsOptimizer optimizer, double momentum);
/* Update n elements. The gradient becomes Δ. m and v, 0 before the first step, are NULL if the optimizer has none. */
void ns_optimizer_update (const NsUpdate *update, ns_real *theta, ns_real *gradient, ns_real *m, ns_real *v, gsize n);
