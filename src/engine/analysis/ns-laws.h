/* Which law does a sweep follow? Exponents with their intervals, and candidate laws compared.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything is fitted to the points x >= 2 (ln 1 = 0) in logarithms: ln y = ln c + ln f (x). Depths share weights
 * within a seed, so their residuals are not independent: the exponent p of y = c·x^p is fitted for every seed on
 * its own, and its interval is Student's over the seeds. Laws are compared on the seeds' mean logarithm by AICc
 * (Hurvich, Tsai 1989).
 *
 * Threads: pure functions of plain arrays.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  NS_LAW_CONSTANT,
  NS_LAW_INV_SQRT,     /* 1/√x */
  NS_LAW_LN,           /* ln x */
  NS_LAW_LN_OVER_SQRT, /* ln x/√x */
  NS_LAW_SQRT,         /* √x */
  NS_LAW_LINEAR,       /* x */
  NS_LAW_POWER,        /* x^p, p free */
  NS_N_LAWS
} NsLaw;

/* "ln L/√L" with the given letter in place of L; caller frees. */
char *ns_law_dup_formula (NsLaw law, const char *letter);
/* ln f (x) of a law without a free exponent. */
double ns_law_log (NsLaw law, double x);

typedef struct
{
  double p, error;   /* mean over the seeds, half the width of its 95 % t-interval; error NAN with one seed */
  double std;        /* sample standard deviation over the seeds */
  guint n_seeds;     /* seeds that were used */
} NsExponent;

typedef struct
{
  double log_c;          /* natural logarithm of the factor */
  double p;              /* of NS_LAW_POWER */
  double relative_error; /* root mean square of y/fit − 1 */
  double aicc;           /* NAN when there are too few points for it */
  double weight;         /* Akaike weight, 0..1: among the laws without a free exponent, which sum to 1; of the power,
                          * which contains four of them, its own when it joins them */
} NsLawFit;

typedef enum
{
  NS_FIT_OK,
  NS_FIT_TOO_FEW_POINTS, /* fewer than four points x >= 2 */
  NS_FIT_TOO_SHORT,      /* the range is too short, or the seeds too few, to tell `best` from `rival` */
  NS_FIT_NOT_FINITE,     /* NaN, Inf or 0 among the values */
} NsFitStatus;

typedef struct
{
  NsFitStatus status;
  gboolean flat;       /* every value is the same to rounding: constant beyond doubt */
  guint n_points;      /* x >= 2 */
  guint n_seeds;
  double x_min, x_max; /* of the points used */
  NsExponent exponent; /* meaningful when two points are finite */
  NsLawFit laws[NS_N_LAWS];
  NsLaw best;          /* the closest; meaningful with NS_FIT_OK and NS_FIT_TOO_SHORT */
  NsLaw rival;         /* NS_FIT_TOO_SHORT: the law that cannot be told from it */
  guint n_zero, n_nonfinite; /* NS_FIT_NOT_FINITE: values that are exactly 0; NaN or Inf */
  double first_bad;    /* the first x that has one of them, NAN: none */
} NsFit;

/* x [n] ascending; log10_y [n_seeds][n] row by row.
 *
 * The closest law is the one without a free exponent that has the highest weight. It is told (NS_FIT_OK) when no
 * other of them has a weight above 0.05, and over the seeds the 95 % t-interval of the difference of the squared
 * residuals excludes 0 for each of the others: a contrast that is linear in the logarithms, so it holds however the
 * depths of one seed hang together. The free power is the closest only when the laws with a name are no match: the
 * best of them is off by a tenth or more and by twice as much as the power, whose weight exceeds 0.95 and whose
 * interval excludes that law's own slope. Residuals below the rounding of single precision count as that rounding,
 * so noiseless data leave every number finite. */
void ns_fit_laws (const double *x, guint n, const double *log10_y, guint n_seeds, NsFit *fit);

/* Whether an expected exponent, with its own tolerance, meets the interval p ± error (or p alone where there is none).
 * FALSE when there is no exponent. */
gboolean ns_exponent_agrees (const NsExponent *exponent, double expected, double tolerance);

G_END_DECLS
