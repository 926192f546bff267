/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-optimizer.h"

#ifdef NS_DOUBLE
#define ns_sqrt sqrt
#else
#define ns_sqrt sqrtf
#endif

guint
ns_optimizer_count_moments (NsOptimizer optimizer, double momentum)
{
  if (optimizer == NS_OPTIMIZER_SGD)
    return momentum != 0 ? 1 : 0;
  return 2;
}

NS_SIMD static void
update_sgd (const NsUpdate *u, ns_real *theta, ns_real *g, ns_real *m, gsize n)
{
  const ns_real factor = (ns_real) u->factor, rate = (ns_real) u->rate, decay = (ns_real) u->decay;
  const ns_real momentum = (ns_real) u->momentum;

  if (m == NULL)
    for (gsize i = 0; i < n; i++)
      {
        g[i] = -rate * (factor * g[i] + decay * theta[i]);
        theta[i] += g[i];
      }
  else
    for (gsize i = 0; i < n; i++)
      {
        m[i] = momentum * m[i] + (factor * g[i] + decay * theta[i]);
        g[i] = -rate * m[i];
        theta[i] += g[i];
      }
}

NS_SIMD static void
update_adam (const NsUpdate *u, ns_real *restrict theta, ns_real *restrict g, ns_real *restrict m, ns_real *restrict v,
             gsize n)
{
  const gboolean decoupled = u->optimizer == NS_OPTIMIZER_ADAMW;
  const ns_real factor = (ns_real) u->factor;
  const ns_real coupled = decoupled ? 0 : (ns_real) u->decay, shrink = decoupled ? (ns_real) (u->rate * u->decay) : 0;
  const ns_real b1 = (ns_real) u->beta1, c1 = (ns_real) (1 - u->beta1);
  const ns_real b2 = (ns_real) u->beta2, c2 = (ns_real) (1 - u->beta2);
  /* bias corrections: m̂ = m/(1 − β₁ᵗ), √v̂ = √v/√(1 − β₂ᵗ) */
  const ns_real rate = (ns_real) (u->rate / (1 - pow (u->beta1, (double) u->t)));
  const ns_real root = (ns_real) (1 / sqrt (1 - pow (u->beta2, (double) u->t)));
  const ns_real epsilon = (ns_real) u->epsilon;

  for (gsize i = 0; i < n; i++)
    {
      ns_real gradient = factor * g[i] + coupled * theta[i];

      m[i] = b1 * m[i] + c1 * gradient;
      v[i] = b2 * v[i] + c2 * (gradient * gradient);
      g[i] = -rate * (m[i] / (ns_sqrt (v[i]) * root + epsilon)) - shrink * theta[i];
      theta[i] += g[i];
    }
}

void
ns_optimizer_update (const NsUpdate *update, ns_real *theta, ns_real *gradient, ns_real *m, ns_real *v, gsize n)
{
  if (update->optimizer == NS_OPTIMIZER_SGD)
    update_sgd (update, theta, gradient, m, n);
  else
    update_adam (update, theta, gradient, m, v, n);
}
