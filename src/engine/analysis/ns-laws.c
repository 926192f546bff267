/* Fit exponents for each seed; compare candidate laws on the mean over the seeds.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-laws.h"

#include "engine/ops/ns-statistics.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LEVEL 0.95
#define MIN_POINTS 4

/* Residuals of logarithms below this are rounding to single precision and do not distinguish laws. */
#define ROUNDING 1e-8
/* A curve whose logarithms differ by no more than this is flat. */
#define FLAT_SPAN 1e-6
/* A rival law of a larger Akaike weight among the named laws than this cannot be ruled out. */
#define RIVAL_WEIGHT (1 - LEVEL)
/* Named laws hold only in the limit of large depth: one with a smaller relative error than this is preferred to a free
 * power that fits better. */
#define CLOSE_ENOUGH 0.1
/* Bound of a residual in natural logarithms, so that the square of exp() still fits a double. */
#define MAX_RESIDUAL 300.0

/* ---- laws ---- */

char *
ns_law_dup_formula (NsLaw law, const char *letter)
{
  switch (law)
    {
    case NS_LAW_CONSTANT:
      return g_strdup (_("constant"));
    case NS_LAW_INV_SQRT:
      return g_strdup_printf ("1/√%s", letter);
    case NS_LAW_LN:
      return g_strdup_printf ("ln %s", letter);
    case NS_LAW_LN_OVER_SQRT:
      return g_strdup_printf ("ln %s/√%s", letter, letter);
    case NS_LAW_SQRT:
      return g_strdup_printf ("√%s", letter);
    case NS_LAW_LINEAR:
      return g_strdup (letter);
    case NS_LAW_POWER:
      return g_strdup_printf ("%sᵖ", letter);
    case NS_N_LAWS:
    default:
      g_return_val_if_reached (NULL);
    }
}

double
ns_law_log (NsLaw law, double x)
{
  switch (law)
    {
    case NS_LAW_CONSTANT:
      return 0;
    case NS_LAW_INV_SQRT:
      return -log (x) / 2;
    case NS_LAW_LN:
      return log (log (x));
    case NS_LAW_LN_OVER_SQRT:
      return log (log (x)) - log (x) / 2;
    case NS_LAW_SQRT:
      return log (x) / 2;
    case NS_LAW_LINEAR:
      return log (x);
    case NS_LAW_POWER:
    case NS_N_LAWS:
    default:
      g_return_val_if_reached (NAN);
    }
}

/* ---- fits ---- */

/* The points x >= 2, in natural logarithms. */
typedef struct
{
  guint n, n_seeds;
  double *log_x; /* [n] */
  double *log_y; /* [n_seeds][n] */
  double *mean;  /* [n] of log_y over the seeds */
} Points;

static void
points_clear (Points *points)
{
  g_free (points->log_x);
  g_free (points->log_y);
  g_free (points->mean);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Points, points_clear)

static Points
points_new (const double *x, guint n, const double *log10_y, guint n_seeds)
{
  guint first = 0;
  gsize n_values;
  Points points;

  while (first < n && !(x[first] >= 2))
    first++;
  n_values = (gsize) (n - first) * n_seeds;
  points = (Points) {
    .n = n - first,
    .n_seeds = n_seeds,
    .log_x = g_new (double, n - first),
    .log_y = g_new (double, MAX (n_values, 1)), /* not NULL, to which nothing may be added */
    .mean = g_new (double, n - first),
  };
  for (guint i = 0; i < points.n; i++)
    {
      points.log_x[i] = log (x[first + i]);
      for (guint s = 0; s < n_seeds; s++)
        points.log_y[(gsize) s * points.n + i] = log10_y[(gsize) s * n + first + i] * G_LN10;
      points.mean[i] = ns_mean (points.log_y + i, points.n, n_seeds);
    }
  return points;
}

/* Return the least-squares slope of y over x [n] at the points whose y is finite; NAN with fewer than two. */
static double
get_slope (const double *x, const double *y, guint n)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  guint used = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (y[i]))
      {
        mean_x += x[i];
        mean_y += y[i];
        used++;
      }
  mean_x /= used;
  mean_y /= used;
  for (guint i = 0; i < n; i++)
    if (isfinite (y[i]))
      {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
      }
  return used >= 2 && xx > 0 ? xy / xx : NAN;
}

/* Return half the 95 % t-interval of a mean of n values; NAN for one. */
static double
half_width (double std, guint n)
{
  return n >= 2 ? ns_student_quantile (n - 1.0) * std / sqrt (n) : NAN;
}

static void
fit_exponent (const Points *points, NsExponent *exponent)
{
  g_autofree double *slopes = g_new (double, MAX (points->n_seeds, 1));
  guint n = 0;

  *exponent = (NsExponent) { .p = NAN, .error = NAN, .std = NAN };
  if (points->n == 0)
    return;
  for (guint s = 0; s < points->n_seeds; s++)
    {
      double slope = get_slope (points->log_x, points->log_y + (gsize) s * points->n, points->n);

      if (!isnan (slope))
        slopes[n++] = slope;
    }
  if (n == 0)
    return;
  exponent->n_seeds = n;
  exponent->p = ns_mean (slopes, 1, n);
  exponent->std = sqrt (ns_variance (slopes, 1, n, exponent->p));
  exponent->error = half_width (exponent->std, n);
}

/* Return ln f (x) of a law; of the free power with exponent p. */
static double
law_log (NsLaw law, double p, double log_x)
{
  return law == NS_LAW_POWER ? p * log_x : ns_law_log (law, exp (log_x));
}

/* Fit the factor c of y = c·f (x) by least squares in logarithms; return the sum of the squared residuals. */
static double
fit_log_c (const Points *points, const double *log_y, NsLaw law, double p, double *log_c)
{
  double squares = 0;

  *log_c = 0;
  for (guint i = 0; i < points->n; i++)
    *log_c += (log_y[i] - law_log (law, p, points->log_x[i])) / points->n;
  for (guint i = 0; i < points->n; i++)
    {
      double residual = log_y[i] - *log_c - law_log (law, p, points->log_x[i]);

      squares += residual * residual;
    }
  return squares;
}

/* Return the root mean square of y/fit − 1 for the mean logarithm over the seeds. */
static double
get_relative_error (const Points *points, NsLaw law, const NsLawFit *fit)
{
  double squares = 0;

  for (guint i = 0; i < points->n; i++)
    {
      double residual = points->mean[i] - fit->log_c - law_log (law, fit->p, points->log_x[i]);
      double relative = expm1 (CLAMP (residual, -MAX_RESIDUAL, MAX_RESIDUAL));

      squares += relative * relative;
    }
  return sqrt (squares / points->n);
}

static void
fit_law (const Points *points, NsLaw law, double p, NsLawFit *fit)
{
  double n = points->n, k = law == NS_LAW_POWER ? 3 : 2; /* parameters: factor, variance, exponent */
  double squares;

  fit->p = law == NS_LAW_POWER ? p : NAN;
  squares = fit_log_c (points, points->mean, law, fit->p, &fit->log_c);
  fit->relative_error = get_relative_error (points, law, fit);
  if (points->n >= MIN_POINTS && n > k + 1)
    fit->aicc = n * log (MAX (squares / n, ROUNDING * ROUNDING)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

/* Return the Akaike weight of a law among laws 0..n_laws − 1; the weights of one set sum to 1. */
static double
get_weight (const NsLawFit *laws, NsLaw law, int n_laws)
{
  double sum = 0;

  if (isnan (laws[law].aicc))
    return 0;
  for (int other = 0; other < n_laws; other++)
    if (other != (int) law && !isnan (laws[other].aicc))
      sum += exp (CLAMP ((laws[law].aicc - laws[other].aicc) / 2, -700, 700));
  return 1 / (1 + sum);
}

/* Return TRUE when the seeds agree that `law` fits better than `other`. The difference of a seed's squared residuals
 * under two laws is linear in its logarithms, so Student's interval over the independent seeds holds however the depths
 * of one seed are correlated. */
static gboolean
seeds_prefer (const Points *points, NsLaw law, NsLaw other)
{
  g_autofree double *gains = g_new (double, points->n_seeds);
  double mean, log_c;

  for (guint s = 0; s < points->n_seeds; s++)
    {
      const double *log_y = points->log_y + (gsize) s * points->n;

      gains[s] = fit_log_c (points, log_y, other, NAN, &log_c) - fit_log_c (points, log_y, law, NAN, &log_c);
    }
  mean = ns_mean (gains, 1, points->n_seeds);
  if (points->n_seeds < 2)
    return mean > 0;
  return mean > half_width (sqrt (ns_variance (gains, 1, points->n_seeds, mean)), points->n_seeds);
}

/* Return TRUE when no named law fits and the free power does. */
static gboolean
needs_power (const Points *points, const NsFit *fit)
{
  const NsLawFit *named = &fit->laws[fit->best], *power = &fit->laws[NS_LAW_POWER];
  g_autofree double *logs = g_new (double, points->n);
  double slope;

  if (power->weight <= LEVEL || named->relative_error < CLOSE_ENOUGH
      || power->relative_error > named->relative_error / 2)
    return FALSE;
  for (guint i = 0; i < points->n; i++)
    logs[i] = law_log (fit->best, NAN, points->log_x[i]);
  slope = get_slope (points->log_x, logs, points->n);
  return !ns_exponent_agrees (&fit->exponent, slope, 0);
}

/* Set the weights, the closest law, its rival and the status. The free power fits whatever a named law with its
 * exponent fits, so it takes weight from that law without speaking against it: named laws are compared among
 * themselves. */
static void
compare_laws (const Points *points, NsFit *fit)
{
  double named[NS_LAW_POWER];

  for (int law = 0; law < NS_N_LAWS; law++)
    fit->laws[law].weight = get_weight (fit->laws, (NsLaw) law, NS_N_LAWS);
  for (int law = 0; law < NS_LAW_POWER; law++)
    named[law] = get_weight (fit->laws, (NsLaw) law, NS_LAW_POWER);
  for (int law = 1; law < NS_LAW_POWER; law++)
    if (named[law] > named[fit->best])
      fit->best = (NsLaw) law;
  fit->rival = fit->best == NS_LAW_CONSTANT ? NS_LAW_INV_SQRT : NS_LAW_CONSTANT;
  for (int law = 0; law < NS_LAW_POWER; law++)
    if (law != (int) fit->best && named[law] > named[fit->rival])
      fit->rival = (NsLaw) law;
  if (fit->flat)
    return;
  if (needs_power (points, fit))
    {
      fit->best = NS_LAW_POWER;
      return;
    }
  if (named[fit->rival] > RIVAL_WEIGHT)
    {
      fit->status = NS_FIT_TOO_SHORT;
      return;
    }
  for (int law = 0; law < NS_LAW_POWER && fit->status == NS_FIT_OK; law++)
    if (law != (int) fit->best && !seeds_prefer (points, fit->best, (NsLaw) law))
      {
        fit->status = NS_FIT_TOO_SHORT;
        fit->rival = (NsLaw) law;
      }
}

/* Return TRUE when every seed has the same value at every point, up to rounding. */
static gboolean
is_flat (const Points *points)
{
  for (guint s = 0; s < points->n_seeds; s++)
    {
      const double *log_y = points->log_y + (gsize) s * points->n;

      for (guint i = 1; i < points->n; i++)
        if (!(fabs (log_y[i] - log_y[0]) <= FLAT_SPAN))
          return FALSE;
    }
  return points->n >= 2 && points->n_seeds > 0;
}

static void
count_unusable (const Points *points, const double *x, NsFit *fit)
{
  for (guint i = 0; i < points->n; i++)
    for (guint s = 0; s < points->n_seeds; s++)
      {
        double log_y = points->log_y[(gsize) s * points->n + i];

        if (isfinite (log_y))
          continue;
        if (fit->n_zero + fit->n_nonfinite == 0)
          fit->first_bad = x[i];
        if (isinf (log_y) && log_y < 0)
          fit->n_zero++;
        else
          fit->n_nonfinite++;
      }
}

void
ns_fit_laws (const double *x, guint n, const double *log10_y, guint n_seeds, NsFit *fit)
{
  g_auto (Points) points = points_new (x, n, log10_y, n_seeds);

  *fit = (NsFit) { .n_points = points.n, .n_seeds = n_seeds, .x_min = NAN, .x_max = NAN, .first_bad = NAN };
  for (int law = 0; law < NS_N_LAWS; law++)
    fit->laws[law] = (NsLawFit) { .log_c = NAN, .p = NAN, .relative_error = NAN, .aicc = NAN };
  if (points.n > 0)
    {
      fit->x_min = x[n - points.n];
      fit->x_max = x[n - 1];
      count_unusable (&points, x + (n - points.n), fit);
    }
  fit_exponent (&points, &fit->exponent);
  if (fit->n_zero + fit->n_nonfinite > 0)
    {
      fit->status = NS_FIT_NOT_FINITE;
      return;
    }
  fit->flat = is_flat (&points);
  for (int law = 0; law < NS_N_LAWS && points.n > 0 && n_seeds > 0; law++)
    if (law != NS_LAW_POWER || points.n >= 2)
      fit_law (&points, (NsLaw) law, fit->exponent.p, &fit->laws[law]);
  if (points.n < MIN_POINTS || n_seeds == 0)
    fit->status = NS_FIT_TOO_FEW_POINTS;
  else
    compare_laws (&points, fit);
}

gboolean
ns_exponent_agrees (const NsExponent *exponent, double expected, double tolerance)
{
  double error = isnan (exponent->error) ? 0 : exponent->error;

  return fabs (exponent->p - expected) <= tolerance + error;
}
