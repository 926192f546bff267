/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-tokens.h"

#include "engine/ops/ns-gram.h"
#include "engine/ops/ns-lanes.h"
#include "engine/ops/ns-probe.h"

/* Return Σ (x − mean)² of one token, x, mean [C]. */
NS_SIMD static double
sum_centred_squares (const ns_real *x, const double *mean, gsize C)
{
  NsLanes sums = { 0 };
  gsize c = 0;

  for (; c + NS_LANES <= C; c += NS_LANES)
    NS_EACH_FOUR (k)
      {
        NsFour y = ns_four (x + c, k, NS_LANES) - ns_four_double (mean + c, k);

        sums.v[k] += y * y;
      }
  if (c < C)
    {
      double squares[NS_LANES] = { 0 };

      for (gsize j = 0; j < C - c; j++)
        squares[j] = (x[c + j] - mean[c + j]) * (x[c + j] - mean[c + j]);
      ns_lanes_add (&sums, squares);
    }
  return ns_sum_lanes (&sums);
}

/* y = factor·(x − mean) for T tokens, [T, C]. */
NS_SIMD static void
center (ns_real *y, const ns_real *x, const double *mean, double factor, gsize T, gsize C)
{
  for (gsize t = 0; t < T; t++)
    for (gsize c = 0; c < C; c++)
      y[t * C + c] = (ns_real) (factor * (x[t * C + c] - mean[c]));
}

/* Return (tr G)²/‖G‖² for Y [T, C]. Y·Yᵀ and Yᵀ·Y have the same eigenvalues other than 0: take the smaller matrix. */
static double
get_participation (const ns_real *centred, ns_real *gram, gsize T, gsize C, NsProgress *progress)
{
  gsize n = MIN (T, C);
  double squares, absolute, trace;

  if (T <= C)
    ns_gram_rows (gram, centred, T, C, progress);
  else
    ns_gram_columns (gram, centred, T, C, progress);
  ns_gram_dot (gram, gram, n, n, &squares, &absolute);
  trace = ns_gram_trace (gram, n, n);
  return trace * trace / squares;
}

void
ns_token_spread (const ns_real *x, gsize B, gsize T, gsize C, double *mean, ns_real *centred, ns_real *gram,
                 double *residual, double *participation, NsProgress *progress)
{
  double residuals = 0, participations = 0;

  for (gsize b = 0; b < B && !ns_progress_is_cancelled (progress); b++, x += T * C)
    {
      double squares = 0;

      ns_column_sums (x, mean, T, C);
      for (gsize c = 0; c < C; c++)
        mean[c] /= (double) T;
      for (gsize t = 0; t < T; t++)
        squares += sum_centred_squares (x + t * C, mean, C);
      if (residual != NULL)
        residuals += sqrt (squares / ns_sum_squares (x, T * C));
      if (participation == NULL)
        continue;
      /* of root mean square 1, so that no entry of G leaves the range of the type; equal tokens become NaN */
      center (centred, x, mean, sqrt ((double) (T * C) / squares), T, C);
      participations += get_participation (centred, gram, T, C, progress);
    }
  if (residual != NULL)
    *residual = residuals / (double) B;
  if (participation != NULL)
    *participation = participations / (double) B;
}
