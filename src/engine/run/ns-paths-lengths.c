/* The shares of path lengths: all of them, the short ones, or an estimate.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-probe.h"
#include "engine/run/ns-paths-run-private.h"

#include <string.h>

NsLengths
ns_paths_get_parts (const NsPlan *plan)
{
  gboolean is_exact = ns_lengths_get_cost (plan) <= NS_PATHS_MAX_PASSES;

  return (NsLengths){ .kind = NS_LENGTHS_PARTS, .limit = is_exact ? G_MAXUINT - 1 : NS_PATHS_SHORT_LIMIT };
}

/* Return phase i: point i mod NS_PATHS_POINTS of its grid. */
static double
get_phase (const NsPathsRun *run, guint i)
{
  return (i % NS_PATHS_POINTS + run->offset[i / NS_PATHS_POINTS]) * run->step;
}

static void
keep_input_gradient (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
                     double log10_value)
{
  NsPathsRun *run = data;
  const NsPlan *plan = &run->pass->plan;
  NsScaled *kept = &run->gradient[ns_plan_get_index (plan, site)];

  (void) quantity, (void) estimate, (void) value, (void) log10_value;
  if (ns_plan_get_layer (plan, site) != 0)
    return;
  memcpy (kept->v, run->pass->dx.v, run->size * sizeof (ns_real));
  kept->exp2 = run->pass->dx.exp2;
}

/* Return ⟨g^(k), g⟩/‖g‖², where g is the gradient at the input of the part; NaN where it is 0. */
static double
get_share (const NsPathsRun *run, gint64 part, NsScaled component)
{
  NsScaled g = run->gradient[part];
  double square = ns_sum_squares (g.v, run->size);

  if (component.v == NULL)
    return 0 / square;
  return ns_dot (component.v, g.v, run->size) / square * exp2 (component.exp2 - g.exp2);
}

/* Set ‖Σ g^(k) − g‖/‖g‖. */
static void
set_rest (NsPathsRun *run, gint64 part, const NsScaled *components, guint n)
{
  NsScaled g = run->gradient[part], sum = ns_scaled_add (run->sum, -1, g, 0, g, run->size);
  double norm = sqrt (ns_sum_squares (g.v, run->size));

  for (guint k = 0; k < n; k++)
    if (components[k].v != NULL)
      sum = ns_scaled_add (sum.v, 1, sum, 1, components[k], run->size);
  ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_REST, part, 0, run->seed,
                sqrt (ns_sum_squares (sum.v, run->size)) / norm * exp2 (sum.exp2 - g.exp2), NAN);
}

static void
keep_parts (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  NsPathsRun *run = data;
  gint64 part = ns_plan_get_index (&run->pass->plan, site);
  NsScaled g = run->gradient[part];
  double norm = log10 (ns_sum_squares (g.v, run->size)) / 2 + g.exp2 * NS_LOG10_2, mean = 0;
  guint total = ns_lengths_count_sums (&run->pass->plan);

  for (guint k = 0; k <= total; k++)
    {
      NsScaled component = k < n ? components[k] : (NsScaled){ NULL, 0 };
      double share = get_share (run, part, component), log10_norm = -INFINITY - norm; /* NaN where g is 0 */

      if (component.v != NULL)
        log10_norm = log10 (ns_sum_squares (component.v, run->size)) / 2 + component.exp2 * NS_LOG10_2 - norm;
      mean += k * share;
      ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_SHARE, part, k, run->seed, share, NAN);
      ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_NORM, part, k, run->seed, pow (10, log10_norm),
                    log10_norm);
    }
  ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_MEAN, part, 0, run->seed, mean, NAN);
  set_rest (run, part, components, n);
}

/* The mean and the variance of the length, from ⟨g', g⟩/‖g‖² and ⟨g'', g⟩/‖g‖². */
static void
keep_moments (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  NsPathsRun *run = data;
  gint64 part = ns_plan_get_index (&run->pass->plan, site);
  double mean = get_share (run, part, components[1]), product = get_share (run, part, components[2]);
  double total = ns_lengths_count_sums (&run->pass->plan), variance = product + mean - mean * mean;

  (void) n;
  run->mean[part] = mean;
  /* shares can be negative, and so can this variance: take at least that of independent choices with the same mean */
  run->width[part] = sqrt (MAX (MAX (variance, mean * (1 - mean / total)), 1));
  ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_MEAN, part, 0, run->seed, mean, NAN);
}

static void
keep_phase (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  NsPathsRun *run = data;
  gint64 part = ns_plan_get_index (&run->pass->plan, site);

  (void) n;
  run->re[part][run->phase] = get_share (run, part, components[0]);
  run->im[part][run->phase] = get_share (run, part, components[1]);
}

static void
set_estimate (NsPathsRun *run, gint64 part, gint64 k, double share, double error)
{
  ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_SHARE, part, k, run->seed, share, NAN);
  ns_paths_set (run->paths, run->variant, NS_MAP_LENGTH_ERROR, part, k, run->seed, error, NAN);
}

/* The shares up to the limit, which are exact; the paths that are longer have the rest together. */
static void
keep_short (gpointer data, gint64 site, const NsScaled *components, guint n)
{
  NsPathsRun *run = data;
  gint64 part = ns_plan_get_index (&run->pass->plan, site);
  guint total = ns_lengths_count_sums (&run->pass->plan);
  double rest = 1;

  for (guint k = 0; k < n; k++)
    {
      double share = get_share (run, part, components[k]);

      rest -= share;
      set_estimate (run, part, k, share, 0);
    }
  for (guint k = n; k <= total; k++)
    set_estimate (run, part, k, 0, fabs (rest));
}

/* With f(φ) = ⟨g(e^(iφ)), g⟩/‖g‖² = Σ_k share_k·e^(iφk),
 *
 *   share_k = (1/π)·∫ Re (e^(−iφk)·f(φ)) dφ  over 0 .. π
 *
 * The factor e^(−(φs)²/2) in the integral smooths the shares by a Gaussian of standard deviation s = width/2 and ends
 * it at φ = 2π/width. The rest is the trapezoidal rule on φ = (j + u)·step with a random u: it confuses lengths that
 * are 2π/step apart, so lengths outside a window of that width about the mean count as 0. Two grids give the mean and
 * its error. */
static void
set_window (NsPathsRun *run, gint64 part)
{
  double half = G_PI / run->step, s = G_PI / (NS_PATHS_POINTS * run->step);

  for (gint64 k = 0; k <= (gint64) ns_lengths_count_sums (&run->pass->plan); k++)
    {
      double h[NS_PATHS_GRIDS] = { 0 };

      for (guint i = 0; i < NS_PATHS_PHASES; i++)
        {
          double phase = get_phase (run, i), factor = run->step / G_PI * exp (-phase * s * phase * s / 2);

          h[i / NS_PATHS_POINTS] += factor * (cos (phase * k) * run->re[part][i] + sin (phase * k) * run->im[part][i]);
        }
      if (fabs (k - run->mean[part]) < half)
        set_estimate (run, part, k, (h[0] + h[1]) / 2, fabs (h[0] - h[1]) / 2);
      else
        set_estimate (run, part, k, 0, 0);
    }
}

/* Choose the grids: a window of NS_PATHS_POINTS widths. */
static void
draw_grids (NsPathsRun *run)
{
  float drawn[NS_PATHS_GRIDS]; /* uniform, of mean 0 and variance 1 */
  double width = MAX (run->width[0], run->width[run->pass->plan.parts.n - 1]);

  ns_random_fill ((NsRandomKey){ run->pass->seed, 0, NS_STREAM_PHASE, 0, 0 }, NS_DISTRIBUTION_UNIFORM, 0,
                  NS_PATHS_GRIDS, drawn);
  for (guint i = 0; i < NS_PATHS_GRIDS; i++)
    run->offset[i] = 0.5 + drawn[i] / sqrt (12);
  run->step = MIN (2 * G_PI / width, G_PI) / NS_PATHS_POINTS;
}

static NsPassState
estimate_lengths (NsPathsRun *run, NsScaled end, const NsScaled *end_r, ns_real *arrays)
{
  const NsLengths moments = { .kind = NS_LENGTHS_MOMENTS, .limit = 2 };
  const NsLengths short_ones = { .kind = NS_LENGTHS_PARTS, .limit = NS_PATHS_SHORT_LIMIT };
  NsProgress *progress = run->progress;
  gboolean are_short = TRUE;
  NsPassState state = ns_pass_lengths (run->pass, moments, end, end_r, arrays, keep_moments, run, progress);

  for (gint64 part = 0; part < run->pass->plan.parts.n; part++)
    are_short = are_short && run->mean[part] + NS_PATHS_POINTS / 2 * run->width[part] < NS_PATHS_SHORT_LIMIT;
  if (state == NS_PASS_DONE && are_short)
    return ns_pass_lengths (run->pass, short_ones, end, end_r, arrays, keep_short, run, progress);
  draw_grids (run);
  for (run->phase = 0; run->phase < NS_PATHS_PHASES && state == NS_PASS_DONE; run->phase++)
    {
      NsLengths lengths = { .kind = NS_LENGTHS_PHASE, .phase = get_phase (run, run->phase) };

      state = ns_pass_lengths (run->pass, lengths, end, end_r, arrays, keep_phase, run, progress);
    }
  for (gint64 part = 0; part < run->pass->plan.parts.n && state == NS_PASS_DONE; part++)
    set_window (run, part);
  return state;
}

NsPassState
ns_paths_run_lengths (NsPathsRun *run)
{
  NsPass *pass = run->pass;
  ns_real *memory = run->memory;
  gboolean is_dual = pass->plan.variant->dual_residual;
  NsScaled end = { memory, 0 }, end_r = { memory + run->size, 0 };
  NsPassState state;

  run->gradient[0].v = memory + 2 * run->size;
  run->gradient[1].v = memory + 3 * run->size;
  run->sum = memory + 4 * run->size;
  pass->sink.record = keep_input_gradient;
  state = ns_pass_head (pass, NULL);
  if (state != NS_PASS_DONE)
    return state;
  end = ns_scaled_add (end.v, 1, pass->dx, 0, pass->dx, run->size);
  if (is_dual)
    end_r = ns_scaled_add (end_r.v, 1, pass->dr, 0, pass->dr, run->size);
  state = ns_pass_backward (pass, 0, run->progress);
  pass->sink.record = NULL;
  memory += 5 * run->size;
  if (state != NS_PASS_DONE)
    return state;
  if (!ns_paths_is_exact (run->paths, run->variant))
    return estimate_lengths (run, end, is_dual ? &end_r : NULL, memory);
  return ns_pass_lengths (pass, ns_paths_get_parts (&pass->plan), end, is_dual ? &end_r : NULL, memory, keep_parts, run,
                          run->progress);
}
