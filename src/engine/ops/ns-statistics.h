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
  guint n_zero;      /* seeds whose logarithm is −Inf: a value of exactly 0 */
} NsStat;

/* Kinds of mean over the seeds. Logarithmic axes and their texts use the geometric mean ×/÷ one standard deviation of
 * the logarithm, linear axes the arithmetic mean ± one standard deviation. */
typedef enum
{
  NS_MEAN_ARITHMETIC,
  NS_MEAN_GEOMETRIC,
} NsMeanKind;

/* Centre and standard deviation over the seeds. ARITHMETIC: in units of the value. GEOMETRIC: of the log10, so that the
 * geometric mean is 10^center (0 for −INFINITY) and the factor of one deviation 10^spread. */
typedef struct
{
  NsMeanKind kind;
  double center, spread;
} NsSummary;

/* Compute the mean and the sample standard deviation of n >= 1 values of any magnitude that lie `stride` doubles apart,
 * in two passes. Values are scaled by a power of two, which is exact, so that neither the sum nor the squares overflow
 * or underflow. */
void ns_moments (const double *values, gsize stride, guint n, double *mean, double *std);
/* Compute the statistics of n >= 1 values and their logarithms by ns_moments(). */
void ns_stat_init (NsStat *stat, const double *values, const double *log10_values, guint n);

/* Return the centre and the spread of one kind. A geometric mean of values whose logarithms have no mean (0 and Inf
 * among them) is INFINITY if the values' mean is; of a quantity without logarithms it is NAN. */
NsSummary ns_stat_summarize (const NsStat *stat, NsMeanKind kind);

/* Return the geometric mean and the factor of one standard deviation as numbers, which may under- or overflow. */
void ns_stat_get_geometric (const NsStat *stat, double *mean, double *sd_factor);

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
