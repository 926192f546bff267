/* Statistics over the seeds: mean, standard deviation, 95 % interval.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-statistics.h"

#include <math.h>

#define LEVEL 0.95

/* ---- moments ---- */

void
ns_moments (const double *values, gsize stride, guint n, double *mean, double *std)
{
  double largest = 0, sum = 0, squares = 0, scaled_mean;
  int exponent = 0;

  for (guint i = 0; i < n; i++)
    if (fabs (values[i * stride]) > largest)
      largest = fabs (values[i * stride]);

  /* The exponent of the largest magnitude; 0 when that is 0 or Inf. */
  if (isfinite (largest))
    frexp (largest, &exponent);
  for (guint i = 0; i < n; i++)
    sum += ldexp (values[i * stride], -exponent);
  scaled_mean = sum / n;
  for (guint i = 0; i < n; i++)
    {
      double difference = ldexp (values[i * stride], -exponent) - scaled_mean;

      squares += difference * difference;
    }
  *mean = ldexp (scaled_mean, exponent);
  *std = ldexp (sqrt (squares / MAX (n - 1, 1)), exponent);
}

void
ns_stat_init (NsStat *stat, const double *values, const double *log10_values, guint n)
{
  *stat = (NsStat) { .n = n };
  ns_moments (values, 1, n, &stat->mean, &stat->std);
  ns_moments (log10_values, 1, n, &stat->log10_mean, &stat->log10_std);
  for (guint i = 0; i < n; i++)
    {
      stat->n_nonfinite += isfinite (values[i]) ? 0 : 1;
      stat->n_zero += log10_values[i] == -INFINITY ? 1 : 0;
    }
}

NsSummary
ns_stat_summarize (const NsStat *stat, NsMeanKind kind)
{
  if (kind == NS_MEAN_ARITHMETIC)
    return (NsSummary) { kind, stat->mean, stat->std };
  if (isinf (stat->mean) && isnan (stat->log10_mean))
    return (NsSummary) { kind, stat->mean, NAN };
  return (NsSummary) { kind, stat->log10_mean, stat->log10_std };
}

void
ns_stat_get_geometric (const NsStat *stat, double *mean, double *sd_factor)
{
  NsSummary summary = ns_stat_summarize (stat, NS_MEAN_GEOMETRIC);

  *mean = pow (10, summary.center);
  *sd_factor = pow (10, summary.spread);
}

double
ns_mean (const double *values, gsize stride, guint n)
{
  double mean = 0;

  for (guint i = 0; i < n; i++)
    mean += values[i * stride] / n;
  return mean;
}

double
ns_variance (const double *values, gsize stride, guint n, double mean)
{
  double squares = 0;

  for (guint i = 0; i < n; i++)
    {
      double difference = values[i * stride] - mean;

      squares += difference * difference;
    }
  return n >= 2 ? squares / (n - 1) : 0;
}

/* ---- Student's t ---- */

/* Evaluate the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz' method. */
static double
beta_fraction (double x, double a, double b)
{
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;

  for (int m = 1; m < 10000; m++)
    {
      double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      double step;

      d = 1 / (1 + even * d);
      c = 1 + even / c;
      value *= c * d;
      d = 1 / (1 + odd * d);
      c = 1 + odd / c;
      step = c * d;
      value *= step;
      if (fabs (step - 1) < 1e-15)
        break;
    }
  return value;
}

/* Return the regularized incomplete beta function I_x (a, b); y is 1 − x, passed because the difference would lose
 * digits. */
static double
incomplete_beta (double x, double y, double a, double b)
{
  double log_front = lgamma (a + b) - lgamma (a) - lgamma (b) + a * log (x) + b * log (y);

  if (x < (a + 1) / (a + b + 2))
    return exp (log_front) * beta_fraction (x, a, b) / a;
  return 1 - exp (log_front) * beta_fraction (y, b, a) / b;
}

double
ns_student_quantile (double df)
{
  double low = 1.95, high = 12.75; /* bounds: the normal quantile is 1.96, that of one degree of freedom 12.71 */

  if (!(df >= 1))
    return NAN;
  if (df > 1e4)
    {
      /* Fisher's expansion about the normal quantile; its error is below 1e-11 here. */
      double z = 1.959963984540054, z2 = z * z;

      return z * (1 + (z2 + 1) / (4 * df) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * df * df));
    }
  for (int i = 0; i < 60; i++)
    {
      double t = (low + high) / 2;

      /* The two-sided tail probability beyond t. */
      if (incomplete_beta (df / (df + t * t), t * t / (df + t * t), df / 2, 0.5) > 1 - LEVEL)
        low = t;
      else
        high = t;
    }
  return (low + high) / 2;
}
