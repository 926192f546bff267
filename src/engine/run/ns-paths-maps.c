/* Similarity, contributions, gain, and what each expert does.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-contributions.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/run/ns-gain.h"
#include "engine/run/ns-paths-run-private.h"

#include <string.h>

/* ---- similarity ---- */

/* Return the cosine between arrays of these norms; NaN if one has no direction. */
static double
get_cosine (const NsPathsRun *run, NsScaled x, double x_norm, NsScaled y, double y_norm)
{
  if (!(x_norm > 0 && y_norm > 0 && isfinite (x_norm) && isfinite (y_norm)))
    return NAN;
  return x.v == y.v ? 1 : CLAMP (ns_dot (x.v, y.v, run->size) / (x_norm * y_norm), -1, 1);
}

/* Set the cosines between all pairs of arrays [N, C], one for each site. Some rows at a time, which stay in the cache
 * while all arrays pass by. */
static void
set_cosines (NsPathsRun *run, NsPathsMap map, const NsScaled *arrays)
{
  const gint64 rows = 8;
  g_autofree double *norms = g_new (double, run->head);

  for (gint64 l = 0; l < run->head; l++)
    norms[l] = sqrt (ns_sum_squares (arrays[l].v, run->size));
  for (gint64 first = 0; first < run->head; first += rows)
    for (gint64 m = first; m < run->head && !ns_progress_is_cancelled (run->progress); m++)
      for (gint64 l = first; l <= MIN (first + rows - 1, m); l++)
        {
          double cosine = get_cosine (run, arrays[l], norms[l], arrays[m], norms[m]);

          ns_paths_set (run->paths, run->variant, map, l, m, run->seed, cosine, NAN);
          ns_paths_set (run->paths, run->variant, map, m, l, run->seed, cosine, NAN);
        }
}

static void
keep_gradient (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
               double log10_value)
{
  NsPathsRun *run = data;

  (void) quantity, (void) estimate, (void) value, (void) log10_value;
  memcpy (run->memory + (gsize) site * run->size, run->pass->dx.v, run->size * sizeof (ns_real));
}

NsPassState
ns_paths_run_similarity (NsPathsRun *run)
{
  NsPass *pass = run->pass;
  g_autofree NsScaled *gradients = g_new0 (NsScaled, run->head);
  NsPassState state;

  set_cosines (run, NS_MAP_COS_X, pass->work->x);
  pass->sink.record = keep_gradient;
  state = ns_pass_head (pass, NULL);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (pass, 0, run->progress);
  if (state != NS_PASS_DONE)
    return state;
  for (gint64 site = 0; site < run->head; site++)
    gradients[site].v = run->memory + (gsize) site * run->size;
  set_cosines (run, NS_MAP_COS_G, gradients);
  return NS_PASS_DONE;
}

/* ---- contributions ---- */

static void
add_share (gpointer data, gint64 whole, gint64 site, NsContributor contributor, double share)
{
  NsPathsRun *run = data;
  gint64 row = run->settings->all_blocks ? whole : ns_plan_get_index (&run->pass->plan, whole);

  ns_paths_add (run->paths, run->variant, NS_MAP_SHARE, row, ns_contributor_get_column (contributor, site), run->seed,
                share);
}

NsPassState
ns_paths_run_contributions (NsPathsRun *run)
{
  const NsPlan *plan = &run->pass->plan;
  NsPassState state = NS_PASS_DONE;

  for (gint64 part = plan->parts.n - 1; part >= 0 && state == NS_PASS_DONE; part--)
    {
      gint64 last = ns_plan_get_last (plan, part);
      gint64 first = run->settings->all_blocks ? ns_plan_get_input (plan, part) + 1 : last;

      state = ns_pass_contributions (run->pass, first, last, run->memory, add_share, run, run->progress);
    }
  return state;
}

/* ---- gain ---- */

static void
set_gain (gpointer data, gint64 site, NsGain gain)
{
  NsPathsRun *run = data;

  ns_paths_set (run->paths, run->variant, NS_MAP_GAIN, site, run->column, run->seed, gain.mean, gain.log10_mean);
  ns_paths_set (run->paths, run->variant, NS_MAP_GAIN_ERROR, site, run->column, run->seed, gain.error, NAN);
}

/* Return the columns from coarse to fine, so that a picture of the map fills evenly: the last one, the one in the
 * middle, those between, and so on. Caller frees. */
static gint64 *
dup_column_order (gint64 n)
{
  gint64 *order = g_new (gint64, n), stride = 1, i = 0;

  while (stride < n)
    stride *= 2;
  order[i++] = n - 1;
  for (; stride >= 1; stride /= 2)
    for (gint64 back = stride; back < n; back += 2 * stride)
      order[i++] = n - 1 - back;
  return order;
}

NsPassState
ns_paths_run_gain (NsPathsRun *run)
{
  guint n_probes = run->settings->n_probes;
  NsPass *pass = run->pass;
  g_autofree gint64 *order = dup_column_order (run->head);
  NsPassState state = NS_PASS_DONE;

  ns_workspace_widen (pass->work, pass->plan.experiment, ns_gain_get_copies (&pass->plan, n_probes), run->memory);
  for (gint64 i = 0; i < run->head && state == NS_PASS_DONE; i++)
    {
      run->column = order[i];
      /* the head, which would read the upstream gradient in work->input, is not run */
      state = ns_gain_run_column (pass, run->column, n_probes, pass->work->input, set_gain, run, run->progress);
    }
  return state;
}

/* ---- routing ---- */

/* Set a row of both maps: at the end of a block's backward pass its routing and its experts' gradients are there. */
static void
keep_experts (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
              double log10_value)
{
  NsPathsRun *run = data;
  const NsPlan *plan = &run->pass->plan;
  const NsRouting *routing;

  (void) value;
  /* what a cancelled pass records is not final */
  if (quantity != NS_Q_EXPERT_GRAD_MAX || ns_progress_is_cancelled (run->progress)
      || (plan->M > 1 && (int) estimate != (int) plan->experiment->sampling.estimate))
    return;
  routing = &ns_workspace_get_block (run->pass->work, site)->sub[NS_SUB_FFN].routing;
  for (gsize e = 0; e < plan->E; e++)
    {
      double load = (double) (routing->start[e + 1] - routing->start[e]) / (double) (plan->N * plan->k);
      double gradient = ns_pass_get_expert_gradient (run->pass, e, estimate, &log10_value);

      ns_paths_set (run->paths, run->variant, NS_MAP_EXPERT_LOAD, site, (gint64) e, run->seed, load, NAN);
      ns_paths_set (run->paths, run->variant, NS_MAP_EXPERT_GRAD, site, (gint64) e, run->seed, gradient, log10_value);
    }
}

NsPassState
ns_paths_run_routing (NsPathsRun *run)
{
  NsQuantitySet wanted = { { 0 } };
  NsPassState state;

  if (run->pass->plan.E == 0)
    return NS_PASS_DONE;
  ns_quantity_set_add (&wanted, NS_Q_EXPERT_GRAD_MAX);
  wanted = ns_quantity_set_with_terms (&wanted);
  run->pass->sink.wanted = &wanted;
  run->pass->sink.record = keep_experts;
  state = ns_pass_head (run->pass, NULL);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (run->pass, 0, run->progress);
  run->pass->sink.wanted = NULL;
  return state;
}
