/* Fit laws for each seed; compare them on the mean over the seeds, and their residuals with the seeds' spread.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-laws.h"

#include "engine/ops/ns-statistics.h"

#include <math.h>

#define LEVEL 0.95

/* Residuals of logarithms below this are rounding to single precision and do not distinguish laws. */
#define ROUNDING 1e-8
/* A curve whose logarithms differ by no more than this is flat, and slopes that do are equal. */
#define FLAT_SPAN 1e-6
/* A rival law of a larger Akaike weight than this cannot be ruled out. */
#define RIVAL_WEIGHT (1 - LEVEL)
/* Named laws hold only in the limit of large depth: one with a smaller relative error than this is preferred to a law
 * with a free number that fits better, and a significant deviation is called small. */
#define CLOSE_ENOUGH 0.1
/* Residuals of this many standard deviations of a seed could be those of a seed. */
#define SEED_SPREAD 2
/* Bound of a residual in natural logarithms, so that the square of exp() still fits a double. */
#define MAX_RESIDUAL 300.0

/* Sets of laws: bits 1 << NsLaw. */
#define ALL_LAWS ((1u << NS_N_LAWS) - 1)
#define NAMED_LAWS ((1u << NS_LAW_POWER) - 1)
#define FREE_LAWS (ALL_LAWS & ~NAMED_LAWS)

/* ---- fits ---- */

/* The points x >= 2, in natural logarithms. */
typedef struct
{
  guint n, n_seeds;
  double *log_f; /* [NS_N_LAWS][n]: g (x) of each law */
  double *log_y; /* [n_seeds][n] */
  double *mean;  /* [n] of log_y over the seeds */
} Points;

static void
points_clear (Points *points)
{
  g_free (points->log_f);
  g_free (points->log_y);
  g_free (points->mean);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Points, points_clear)

static Points
points_new (const double *x, guint n, const double *log10_y, guint n_seeds)
{
  guint first = 0;
  gsize n_values, n_laws;
  Points points;

  while (first < n && !(x[first] >= 2))
    first++;
  n_values = (gsize) (n - first) * n_seeds;
  n_laws = (gsize) (n - first) * NS_N_LAWS;
  points = (Points) {
    .n = n - first,
    .n_seeds = n_seeds,
    /* not NULL, to which nothing may be added */
    .log_f = g_new (double, MAX (n_laws, 1)),
    .log_y = g_new (double, MAX (n_values, 1)),
    .mean = g_new (double, n - first),
  };
  for (guint i = 0; i < points.n; i++)
    {
      for (int law = 0; law < NS_N_LAWS; law++)
        points.log_f[(gsize) law * points.n + i] = ns_law_log ((NsLaw) law, x[first + i]);
      for (guint s = 0; s < n_seeds; s++)
        points.log_y[(gsize) s * points.n + i] = log10_y[(gsize) s * n + first + i] * G_LN10;
      points.mean[i] = ns_mean (points.log_y + i, points.n, n_seeds);
    }
  return points;
}

static const double *
get_log_f (const Points *points, NsLaw law)
{
  return points->log_f + (gsize) law * points->n;
}

static const double *
get_seed (const Points *points, guint seed)
{
  return points->log_y + (gsize) seed * points->n;
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

double
ns_law_local_exponent (NsLaw law, const double *x, guint n)
{
  g_autofree double *log_x = g_new (double, n);
  g_autofree double *log_f = g_new (double, n);

  for (guint i = 0; i < n; i++)
    {
      log_x[i] = log (x[i]);
      log_f[i] = ns_law_log (law, x[i]);
    }
  return get_slope (log_x, log_f, n);
}

/* Fit p of a law with a free number for each seed. */
static void
fit_slope (const Points *points, NsLaw law, NsExponent *slope)
{
  g_autofree double *slopes = g_new (double, MAX (points->n_seeds, 1));
  guint n = 0;

  *slope = (NsExponent) { .p = NAN, .error = NAN, .std = NAN };
  for (guint s = 0; s < points->n_seeds; s++)
    {
      double p = get_slope (get_log_f (points, law), get_seed (points, s), points->n);

      if (!isnan (p))
        slopes[n++] = p;
    }
  if (n == 0)
    return;
  slope->n_seeds = n;
  slope->p = ns_mean (slopes, 1, n);
  slope->std = sqrt (ns_variance (slopes, 1, n, slope->p));
  slope->error = half_width (slope->std, n);
}

/* Compute the residuals [n] of ln y = ln c + p·g (x) with the ln c of least squares, which is returned. */
static double
subtract_law (const Points *points, NsLaw law, double p, const double *log_y, double *residuals)
{
  const double *log_f = get_log_f (points, law);
  double log_c = 0;

  for (guint i = 0; i < points->n; i++)
    {
      residuals[i] = log_y[i] - p * log_f[i];
      log_c += residuals[i] / points->n;
    }
  for (guint i = 0; i < points->n; i++)
    residuals[i] -= log_c;
  return log_c;
}

static double
sum_squares (const double *values, guint n)
{
  double squares = 0;

  for (guint i = 0; i < n; i++)
    squares += values[i] * values[i];
  return squares;
}

/* Return the root mean square of y/fit − 1. */
static double
get_relative_error (const double *residuals, guint n)
{
  double squares = 0;

  for (guint i = 0; i < n; i++)
    {
      double relative = expm1 (CLAMP (residuals[i], -MAX_RESIDUAL, MAX_RESIDUAL));

      squares += relative * relative;
    }
  return sqrt (squares / n);
}

/* Return the root of Dempster's ratio, S·Σēᵢ² / Σ var (eᵢ). The residuals are linear in the logarithms, so ē, their
 * mean over the seeds, is that of the mean curve. NAN with one seed. */
static double
get_misfit (const Points *points, NsLaw law, const double *mean_residuals)
{
  g_autofree double *residuals = g_new (double, (gsize) points->n_seeds * points->n);
  double variances = 0;

  if (points->n_seeds < 2)
    return NAN;
  for (guint s = 0; s < points->n_seeds; s++)
    {
      const double *log_y = get_seed (points, s);
      double p = law < NS_LAW_POWER ? 1 : get_slope (get_log_f (points, law), log_y, points->n);

      subtract_law (points, law, p, log_y, residuals + (gsize) s * points->n);
    }
  for (guint i = 0; i < points->n; i++)
    variances += ns_variance (residuals + i, points->n, points->n_seeds, mean_residuals[i]);
  return sqrt (points->n_seeds * sum_squares (mean_residuals, points->n)
               / MAX (variances, points->n * ROUNDING * ROUNDING));
}

static void
fit_law (const Points *points, NsLaw law, NsLawFit *fit)
{
  g_autofree double *residuals = g_new (double, points->n);
  double n = points->n, k = law < NS_LAW_POWER ? 2 : 3; /* parameters: factor, variance, p */
  double squares;

  if (law < NS_LAW_POWER)
    fit->slope = (NsExponent) { .p = 1, .n_seeds = points->n_seeds };
  else
    fit_slope (points, law, &fit->slope);
  fit->log_c = subtract_law (points, law, fit->slope.p, points->mean, residuals);
  fit->relative_error = get_relative_error (residuals, points->n);
  fit->misfit = get_misfit (points, law, residuals);
  squares = sum_squares (residuals, points->n);
  if (points->n >= NS_FIT_MIN_POINTS && n > k + 1)
    fit->aicc = n * log (MAX (squares / n, ROUNDING * ROUNDING)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

/* ---- comparison ---- */

/* Return TRUE when the residuals are larger than those of a mean over so many seeds. */
static gboolean
is_misfit (const NsFit *fit, NsLaw law)
{
  return fit->laws[law].misfit > ns_student_quantile (fit->n_seeds - 1.0);
}

gboolean
ns_law_fit_is_close (const NsLawFit *fit)
{
  return fit->relative_error < CLOSE_ENOUGH;
}

double
ns_fit_get_spread (const NsFit *fit, NsLaw law)
{
  return fit->laws[law].misfit / sqrt (fit->n_seeds);
}

gboolean
ns_fit_allows (const NsFit *fit, NsLaw law)
{
  return ns_law_fit_is_close (&fit->laws[law]) || !is_misfit (fit, law) || ns_fit_get_spread (fit, law) <= SEED_SPREAD;
}

/* Return the Akaike weight of a law in a set of laws; the weights of a set sum to 1. */
static double
get_weight (const NsFit *fit, NsLaw law, guint set)
{
  double sum = 0;

  if (isnan (fit->laws[law].aicc))
    return 0;
  for (int other = 0; other < NS_N_LAWS; other++)
    if ((set >> other & 1) != 0 && other != (int) law && !isnan (fit->laws[other].aicc))
      sum += exp (CLAMP ((fit->laws[law].aicc - fit->laws[other].aicc) / 2, -700, 700));
  return 1 / (1 + sum);
}

/* Return the law of the highest weight of a set; NS_N_LAWS if none has one. */
static NsLaw
find_heaviest (const NsFit *fit, guint set)
{
  NsLaw heaviest = NS_N_LAWS;

  for (int law = 0; law < NS_N_LAWS; law++)
    if ((set >> law & 1) != 0 && !isnan (fit->laws[law].aicc)
        && (heaviest == NS_N_LAWS || fit->laws[law].aicc < fit->laws[heaviest].aicc))
      heaviest = (NsLaw) law;
  return heaviest;
}

/* Return the closest named law that a law contains and that its interval of p does not exclude, or the law itself. */
static NsLaw
find_simplest (const Points *points, const NsFit *fit, NsLaw law)
{
  guint set = 0;

  for (int named = 0; named < NS_LAW_POWER; named++)
    if (ns_law_contains (law, (NsLaw) named)
        && ns_exponent_agrees (&fit->laws[law].slope,
                               get_slope (get_log_f (points, law), get_log_f (points, (NsLaw) named), points->n),
                               FLAT_SPAN))
      set |= 1u << named;
  return set != 0 ? find_heaviest (fit, set) : law;
}

/* Return TRUE when the seeds agree that `law` fits better than `other`, both with the p of all seeds. The difference of
 * a seed's squared residuals under two laws is linear in its logarithms, so Student's interval over the independent
 * seeds holds however the depths of one seed are correlated. */
static gboolean
seeds_prefer (const Points *points, const NsFit *fit, NsLaw law, NsLaw other)
{
  g_autofree double *gains = g_new (double, points->n_seeds);
  g_autofree double *residuals = g_new (double, points->n);
  double mean;

  for (guint s = 0; s < points->n_seeds; s++)
    {
      subtract_law (points, other, fit->laws[other].slope.p, get_seed (points, s), residuals);
      gains[s] = sum_squares (residuals, points->n);
      subtract_law (points, law, fit->laws[law].slope.p, get_seed (points, s), residuals);
      gains[s] -= sum_squares (residuals, points->n);
    }
  mean = ns_mean (gains, 1, points->n_seeds);
  if (points->n_seeds < 2)
    return mean > 0;
  return mean > half_width (sqrt (ns_variance (gains, 1, points->n_seeds, mean)), points->n_seeds);
}

/* Return whether the best law fits, and whether the data separate it from the other laws of a set. */
static NsLawChoice
choose (const Points *points, const NsFit *fit, NsLaw best, guint set)
{
  NsLawChoice choice = { .best = best, .rival = NS_N_LAWS };
  guint others = set & ~(1u << best);

  for (int law = 0; law < NS_N_LAWS; law++)
    if (ns_law_contains ((NsLaw) law, best))
      others &= ~(1u << law);
  choice.rival = find_heaviest (fit, others);
  if (!ns_fit_allows (fit, best))
    choice.status = isnan (fit->laws[NS_LAW_POWER].aicc) ? NS_FIT_TOO_FEW_POINTS : NS_FIT_NONE;
  else if (get_weight (fit, choice.rival, others | 1u << best) > RIVAL_WEIGHT)
    choice.status = NS_FIT_TOO_SHORT;
  else
    for (int law = 0; law < NS_N_LAWS && choice.status == NS_FIT_OK; law++)
      if ((others >> law & 1) != 0 && !isnan (fit->laws[law].aicc) && !seeds_prefer (points, fit, best, (NsLaw) law))
        {
          choice.status = NS_FIT_TOO_SHORT;
          choice.rival = (NsLaw) law;
        }
  return choice;
}

/* Return TRUE when the data deviate significantly from a law: their residuals exceed the seeds' spread, or the interval
 * of the power excludes its slope. One seed has neither; then its weight decides. */
static gboolean
deviates (const Points *points, const NsFit *fit, NsLaw law)
{
  if (points->n_seeds < 2)
    return fit->laws[law].weight < RIVAL_WEIGHT;
  if (is_misfit (fit, law))
    return TRUE;
  return law < NS_LAW_POWER
         && !ns_exponent_agrees (&fit->exponent,
                                 get_slope (get_log_f (points, NS_LAW_POWER), get_log_f (points, law), points->n),
                                 FLAT_SPAN);
}

/* Return TRUE when a named law deviates significantly, by a twentieth or more, and an exponential or a stretched one is
 * at least twice as close. A power does not count: a named law is its limit of large depth. */
static gboolean
is_outdone (const Points *points, const NsFit *fit, NsLaw named)
{
  NsLaw heaviest = find_heaviest (fit, ALL_LAWS);

  return heaviest > NS_LAW_POWER && deviates (points, fit, named)
         && fit->laws[named].relative_error >= CLOSE_ENOUGH / 2
         && fit->laws[heaviest].relative_error <= fit->laws[named].relative_error / 2;
}

/* Set the weights, the closest law, its rival and the status. */
static void
compare_laws (const Points *points, NsFit *fit)
{
  NsLaw named = find_heaviest (fit, NAMED_LAWS);
  NsLawChoice choice;

  for (int law = 0; law < NS_N_LAWS; law++)
    fit->laws[law].weight = get_weight (fit, (NsLaw) law, ALL_LAWS);
  fit->named = choose (points, fit, named, NAMED_LAWS);
  if (!isnan (fit->laws[NS_LAW_POWER].aicc))
    fit->free = choose (points, fit, find_heaviest (fit, FREE_LAWS), FREE_LAWS);
  if (ns_law_fit_is_close (&fit->laws[named]) && !is_outdone (points, fit, named))
    choice = fit->named;
  else
    choice = choose (points, fit, find_simplest (points, fit, find_heaviest (fit, ALL_LAWS)), ALL_LAWS);
  fit->best = choice.best;
  fit->rival = choice.rival;
  if (fit->flat)
    return;
  fit->status = choice.status;
  fit->deviates = choice.status == NS_FIT_OK && deviates (points, fit, choice.best);
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
  fit->named.status = fit->free.status = NS_FIT_TOO_FEW_POINTS;
  for (int law = 0; law < NS_N_LAWS; law++)
    fit->laws[law] = (NsLawFit) {
      .log_c = NAN, .slope = { NAN, NAN, NAN, 0 }, .relative_error = NAN, .misfit = NAN, .aicc = NAN,
    };
  if (points.n > 0)
    {
      fit->x_min = x[n - points.n];
      fit->x_max = x[n - 1];
      count_unusable (&points, x + (n - points.n), fit);
    }
  fit_slope (&points, NS_LAW_POWER, &fit->exponent);
  if (fit->n_zero + fit->n_nonfinite > 0)
    {
      fit->status = NS_FIT_NOT_FINITE;
      return;
    }
  fit->flat = is_flat (&points);
  for (int law = 0; law < NS_N_LAWS && points.n > 0 && n_seeds > 0; law++)
    if (law < NS_LAW_POWER || points.n >= 2)
      fit_law (&points, (NsLaw) law, &fit->laws[law]);
  if (points.n < NS_FIT_MIN_POINTS || n_seeds == 0)
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
