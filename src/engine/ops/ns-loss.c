/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-loss.h"

#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-elementary.h"
#include "engine/ops/ns-probe.h"

#include <string.h>

/* z = cap·tanh (z/cap) and slopes = 1 − tanh² (z/cap), [V]. */
NS_SIMD static void
cap_logits (ns_real *z, ns_real *slopes, double cap, gsize V)
{
  const ns_real c = (ns_real) cap, inverse = (ns_real) (1 / cap);

  for (gsize v = 0; v < V; v++)
    z[v] = c * ns_tanh (z[v] * inverse, &slopes[v]);
}

double
ns_cross_entropy (ns_real *logits, const gint32 *targets, double scale, double cap, ns_real *slopes, gsize N, gsize V,
                  NsProgress *progress)
{
  double loss = 0, count = 0;

  for (gsize n = 0; n < N; n++)
    count += targets[n] != NS_NO_TARGET;
  for (gsize n = 0; n < N && !ns_progress_is_cancelled (progress); n++, logits += V) /* each token's row [V] */
    {
      ns_real max, target;
      double sum;

      if (targets[n] == NS_NO_TARGET)
        {
          memset (logits, 0, V * sizeof *logits);
          continue;
        }
      /* z = scale·logits */
      if (scale != 1)
        ns_scale (logits, scale, V);
      if (cap > 0)
        cap_logits (logits, slopes, cap, V);
      max = logits[0];
      target = logits[targets[n]];

      /* the largest logit; a NaN stays, so that the loss becomes NaN */
      for (gsize v = 1; v < V; v++)
        max = logits[v] > max || logits[v] != logits[v] ? logits[v] : max;
      /* e_v = exp (z_v − max), which cannot overflow; the row holds e from here on */
      sum = ns_exp_shifted (logits, logits, max, V);
      /* −ln p[target] = ln Σ_v e_v − (z_target − max) */
      loss += log (sum) - ((double) target - max);
      /* ∂L/∂z = (p − onehot)/n with p = e/Σ e */
      ns_scale (logits, 1 / (sum * count), V);
      logits[targets[n]] -= (ns_real) (1 / count);
      for (gsize v = 0; cap > 0 && v < V; v++)
        logits[v] *= slopes[v];
    }
  return loss / count;
}
