/* Statistics over the seeds: mean, standard deviation, 95 % interval.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NaN and Inf propagate as in IEEE arithmetic.
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One quantity at one site, over the seeds. `std` is the sample standard deviation (divisor n − 1), 0 for one seed.
 * `log10_mean` is the mean of the logarithms, finite where `mean` underflows to 0; −INFINITY when a value is exactly 0;
 * NAN for quantities without a logarithm (cosines, the loss). */
typedef struct
{
  double mean, std, log10_mean, log10_std;
  guint n;           /* seeds */
  guint n_nonfinite; /* seeds whose value is NaN or Inf */
} NsStat;

/* Compute the mean and the sample standard deviation of n >= 1 values of any magnitude that lie `stride` doubles apart,
 * in two passes. Values are scaled by a power of two, which is exact, so that neither the sum nor the squares overflow
 * or underflow. */
void ns_moments (const double *values, gsize stride, guint n, double *mean, double *std);
/* Compute the statistics of n >= 1 values and their logarithms by ns_moments(). */
void ns_stat_init (NsStat *stat, const double *values, const double *log10_values, guint n);

/* Return the mean of n >= 1 values that lie `stride` doubles apart. Each value is divided before it is added, so the
 * sum does not overflow; its last bit may differ from that of ns_moments(). */
double ns_mean (const double *values, gsize stride, guint n);
/* Return the sample variance (divisor n − 1) about that mean, 0 when n is 1. For logarithms, exponents and ratios,
 * whose squares a double holds. */
double ns_variance (const double *values, gsize stride, guint n, double mean);

/* Return the 0.975 quantile of Student's t with df >= 1 degrees of freedom: half the width of a 95 % interval in
 * standard errors. NAN for a smaller df. */
double ns_student_quantile (double df);

G_END_DECLS
