/* The law that a sweep follows: exponents with intervals, and a comparison of candidate laws.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws are fitted in logarithms, ln y = ln c + p·g (x), at the points x >= 2 (ln 1 = 0): p is 1 in a named law and free
 * in a power, an exponential and a stretched exponential. Depths share the weights of a seed, so their residuals are
 * not independent: p is fitted for each seed, and its interval is Student's over the seeds. Laws are compared by AICc
 * (Hurvich, Tsai 1989) on the mean logarithm over the seeds; whether one fits at all is judged by the seeds' spread.
 *
 * Threads: pure functions of plain arrays; any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  /* named laws, without a free number */
  NS_LAW_CONSTANT,
  NS_LAW_INV_SQRT,     /* 1/√x */
  NS_LAW_LN,           /* ln x */
  NS_LAW_LN_OVER_SQRT, /* ln x/√x */
  NS_LAW_SQRT,         /* √x */
  NS_LAW_LINEAR,       /* x */
  /* laws with a free number p */
  NS_LAW_POWER,        /* x^p: g = ln x */
  NS_LAW_EXPONENTIAL,  /* exp (p·x), the factor e^p for each step of x: g = x */
  NS_LAW_STRETCHED,    /* exp (p·√x) = exp (±√(x/λ)), λ = 1/p²: g = √x */
  NS_N_LAWS
} NsLaw;

/* Return the name of a law in files and on the command line: "constant", "1/sqrt", "ln", "ln/sqrt", "sqrt", "linear",
 * "power", "exponential", "stretched-exponential"; static. */
const char *ns_law_get_name (NsLaw law);
/* Return FALSE when there is no law of that name. */
gboolean ns_law_from_name (const char *name, NsLaw *law);
/* Return the formula of a law, such as "ln L/√L", with the given letter for L; caller frees. */
char *ns_law_dup_formula (NsLaw law, const char *letter);
/* Return g (x): ln f (x) of a named law, ln x, x or √x of a law with a free number. */
double ns_law_log (NsLaw law, double x);
/* Return the slope of the least-squares line of g (x) over ln x at the n given x >= 2: what a power fitted to a named
 * law has as its exponent. */
double ns_law_local_exponent (NsLaw law, const double *x, guint n);

typedef struct
{
  double p, error;   /* mean over the seeds and half its 95 % t-interval; error is NAN with one seed */
  double std;        /* sample standard deviation over the seeds */
  guint n_seeds;     /* seeds with a slope */
} NsExponent;

/* Return TRUE if `law`, with a free number, fits whatever `named` fits: x^p contains 1/√x, each of them the constant.
 * */
gboolean ns_law_contains (NsLaw law, NsLaw named);
/* Compute the free number of a law as it is stated, and the ends of its interval: p of a power, the factor e^p of an
 * exponential, λ = 1/p² of a stretched exponential, *to of which is INFINITY if the interval of p contains 0. NAN for a
 * named law; *from and *to are NAN without an interval. */
void ns_law_get_number (NsLaw law, const NsExponent *slope, double *number, double *from, double *to);

typedef struct
{
  double log_c;          /* natural logarithm of the factor */
  NsExponent slope;      /* p, the mean over the seeds; 1 ± 0 in a named law */
  double relative_error; /* root mean square of y/fit − 1 */
  double misfit;         /* size of the residuals in standard errors of a mean over the seeds; NAN with one seed */
  double aicc;           /* NAN with too few points */
  double weight;         /* Akaike weight, 0..1, among all the laws: they sum to 1 */
} NsLawFit;

/* Fewest points x >= 2 of a comparison of laws; those with a free number need one more. */
#define NS_FIT_MIN_POINTS 4

typedef enum
{
  NS_FIT_OK,
  NS_FIT_TOO_FEW_POINTS, /* fewer than NS_FIT_MIN_POINTS; with so many, no named law fits */
  NS_FIT_TOO_SHORT,      /* the range is too short, or the seeds too few, to separate `best` from `rival` */
  NS_FIT_NOT_FINITE,     /* NaN, Inf or 0 among the values */
  NS_FIT_NONE,           /* none of the laws fits: `best` is off by far more than the seeds differ */
} NsFitStatus;

/* The closest of some laws. */
typedef struct
{
  NsFitStatus status;
  NsLaw best, rival; /* `rival` with NS_FIT_TOO_SHORT: the law that the data do not separate from `best` */
} NsLawChoice;

typedef struct
{
  NsFitStatus status;
  gboolean flat;       /* all values of a seed are equal up to rounding */
  guint n_points;      /* x >= 2 */
  guint n_seeds;
  double x_min, x_max; /* range of the points used */
  NsExponent exponent; /* of the power; meaningful with two or more finite points */
  NsLawFit laws[NS_N_LAWS];
  NsLaw best;          /* the closest law; meaningful with NS_FIT_OK, NS_FIT_TOO_SHORT and NS_FIT_NONE */
  NsLaw rival;         /* as in NsLawChoice */
  gboolean deviates;   /* NS_FIT_OK: the data deviate significantly from `best`, though by a tenth at most or by less
                        * than the seeds differ */
  NsLawChoice named, free; /* among the named laws alone, and among the others; NS_FIT_TOO_FEW_POINTS: not compared */
  guint n_zero, n_nonfinite; /* NS_FIT_NOT_FINITE: how many values are 0; NaN or Inf */
  double first_bad;    /* the first x with such a value; NAN: none */
} NsFit;

/* Fit all laws. x [n] ascending; log10_y [n_seeds][n] in row-major order.
 *
 * A named law that is off by less than a tenth goes before all laws with a free number, since it holds only in the
 * limit of large depth; of several, the one of the highest weight. It does not if it deviates significantly, by a
 * twentieth or more, and an exponential or a stretched one has the highest weight and is off by half as much or less.
 * If there is none, the closest of all laws is that of the highest weight, or a named one that it contains, if the
 * interval of p does (1/√x in x^p). `best` and `rival` are separated when the rivals have no more than 0.05 of the
 * weight each, and when for each of them the 95 % t-interval over the seeds of the difference of the squared residuals
 * excludes 0. That difference is linear in the logarithms, so the interval holds however the depths of one seed are
 * correlated. A law that contains another is no rival of it. Residuals below the rounding of single precision count as
 * that rounding, so results for data without noise are finite.
 *
 * The squared misfit is Dempster's ratio (1960): S·Σēᵢ² over the sum of the variances of the eᵢ, the residuals of the S
 * seeds, each with its own c and p. Its expectation is 1 if the law holds; above the square of Student's quantile, the
 * largest of the critical values for any correlation of the depths, the data deviate significantly. */
void ns_fit_laws (const double *x, guint n, const double *log10_y, guint n_seeds, NsFit *fit);

/* Return TRUE when a law is off by less than a tenth. */
gboolean ns_law_fit_is_close (const NsLawFit *fit);
/* Return the size of the residuals in standard deviations of one seed; NAN with one seed. */
double ns_fit_get_spread (const NsFit *fit, NsLaw law);
/* Return TRUE when the law fits: it is close, or does not deviate significantly, or by no more than two standard
 * deviations of a seed. */
gboolean ns_fit_allows (const NsFit *fit, NsLaw law);

/* Return TRUE when expected ± tolerance overlaps the interval p ± error (or p alone if there is none); FALSE when there
 * is no exponent. */
gboolean ns_exponent_agrees (const NsExponent *exponent, double expected, double tolerance);

G_END_DECLS
