/* The law that a sweep follows: exponents with intervals, and a comparison of candidate laws.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws y = c·f (x) are fitted in logarithms, ln y = ln c + ln f (x), at the points x >= 2 (ln 1 = 0). Depths share the
 * weights of a seed, so their residuals are not independent: the exponent p of y = c·x^p is fitted for each seed, and
 * its interval is Student's over the seeds. Laws are compared by AICc (Hurvich, Tsai 1989) on the mean logarithm over
 * the seeds.
 *
 * Threads: pure functions of plain arrays; any thread.
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

/* Return the formula of a law, such as "ln L/√L", with the given letter for L; caller frees. */
char *ns_law_dup_formula (NsLaw law, const char *letter);
/* Return ln f (x) of a law other than NS_LAW_POWER. */
double ns_law_log (NsLaw law, double x);

typedef struct
{
  double p, error;   /* mean over the seeds and half its 95 % t-interval; error is NAN with one seed */
  double std;        /* sample standard deviation over the seeds */
  guint n_seeds;     /* seeds with a slope */
} NsExponent;

typedef struct
{
  double log_c;          /* natural logarithm of the factor */
  double p;              /* of NS_LAW_POWER */
  double relative_error; /* root mean square of y/fit − 1 */
  double aicc;           /* NAN with too few points */
  double weight;         /* Akaike weight, 0..1, among all the laws, the free power included: they sum to 1 */
} NsLawFit;

typedef enum
{
  NS_FIT_OK,
  NS_FIT_TOO_FEW_POINTS, /* fewer than four points x >= 2 */
  NS_FIT_TOO_SHORT,      /* the range is too short, or the seeds too few, to separate `best` from `rival` */
  NS_FIT_NOT_FINITE,     /* NaN, Inf or 0 among the values */
} NsFitStatus;

typedef struct
{
  NsFitStatus status;
  gboolean flat;       /* all values of a seed are equal up to rounding */
  guint n_points;      /* x >= 2 */
  guint n_seeds;
  double x_min, x_max; /* range of the points used */
  NsExponent exponent; /* meaningful with two or more finite points */
  NsLawFit laws[NS_N_LAWS];
  NsLaw best;          /* the closest law; meaningful with NS_FIT_OK and NS_FIT_TOO_SHORT */
  NsLaw rival;         /* NS_FIT_TOO_SHORT: the law that the data do not separate from `best` */
  guint n_zero, n_nonfinite; /* NS_FIT_NOT_FINITE: how many values are 0; NaN or Inf */
  double first_bad;    /* the first x with such a value; NAN: none */
} NsFit;

/* Fit the exponent and all laws. x [n] ascending; log10_y [n_seeds][n] in row-major order.
 *
 * The closest law is the named law of the highest weight. The status is NS_FIT_OK when no other named law has more than
 * 0.05 of the weight that the named laws have together, and when for each of them the 95 % t-interval over the seeds of
 * the difference of the squared residuals excludes 0. That difference is linear in the logarithms, so the interval
 * holds however the depths of one seed are correlated. The free power is the closest law only if the closest named law
 * is off by 10 % or more and by at least twice as much as the power, whose weight exceeds 0.95 and whose interval
 * excludes the slope of that law. Residuals below the rounding of single precision count as that rounding, so results
 * for data without noise are finite. */
void ns_fit_laws (const double *x, guint n, const double *log10_y, guint n_seeds, NsFit *fit);

/* Return TRUE when expected ± tolerance overlaps the interval p ± error (or p alone if there is none); FALSE when there
 * is no exponent. */
gboolean ns_exponent_agrees (const NsExponent *exponent, double expected, double tolerance);

G_END_DECLS
