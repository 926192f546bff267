/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-path-lengths.h"

#include "engine/experiment/ns-derived.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-ngpt.h"
#include "engine/pass/ns-part.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-sub-layer.h"

#include <string.h>

/* The sets of arrays of a sweep, one array of each for each component. */
enum { SET_G, SET_NEXT, SET_R, SET_SOURCE, SET_SKIP, N_SETS };

/* Arrays of zeros are not computed with, and their exponents mean nothing. */
typedef struct
{
  NsScaled g; /* g.v has its memory always */
  gboolean is_zero;
} Component;

typedef struct
{
  NsPass *pass;
  NsLengths lengths;
  guint n, n_max;            /* components in use, and at the end */
  Component *set[N_SETS];    /* g; g below the sum; ∂L/∂r; of the encoder's output; along the block residual */
} LengthSweep;

/* ---- sizes ---- */

static guint
count_sums_of_part (const NsPlan *plan, gint64 part)
{
  guint depth = (guint) plan->parts.depth[part];

  if (plan->variant->topology != NS_TOPOLOGY_SEQUENTIAL || plan->variant->sublayers != NS_SUB_LAYERS_BOTH)
    return depth;
  return depth * (part == 1 ? 3 : 2);
}

guint
ns_lengths_count_sums (const NsPlan *plan)
{
  guint n = 0;

  for (gint64 part = 0; part < plan->parts.n; part++)
    n += count_sums_of_part (plan, part);
  return n;
}

static guint
count_components (const NsPlan *plan, NsLengths lengths)
{
  if (lengths.kind == NS_LENGTHS_PARTS)
    return MIN (lengths.limit, ns_lengths_count_sums (plan)) + 1;
  return lengths.kind == NS_LENGTHS_MOMENTS ? lengths.limit + 1 : 2;
}

double
ns_lengths_get_cost (const NsPlan *plan)
{
  /* the i-th sum from the top has i components above it */
  return (ns_lengths_count_sums (plan) + 1) / 2.0;
}

static gboolean
needs_set (const NsPlan *plan, int set)
{
  switch (set)
    {
    case SET_R:
      return plan->variant->dual_residual;
    case SET_SOURCE:
      return plan->parts.n == 2;
    case SET_SKIP:
      return plan->variant->block_residual;
    default:
      return TRUE;
    }
}

gsize
ns_lengths_count_arrays (const NsPlan *plan, NsLengths lengths)
{
  gsize n = 0;

  for (int set = 0; set < N_SETS; set++)
    n += needs_set (plan, set) ? count_components (plan, lengths) : 0;
  return n;
}

static gsize
component_size (const LengthSweep *sweep)
{
  return sweep->pass->plan.N * sweep->pass->plan.C;
}

/* ---- components ---- */

/* z = a·z + b·s */
static void
add_to_component (const LengthSweep *sweep, Component *z, double a, double b, NsScaled s)
{
  if (b == 0)
    s = z->g;
  if (z->is_zero)
    a = 0;
  z->is_zero = a == 0 && b == 0;
  if (z->is_zero)
    return;
  z->g = ns_scaled_add (z->g.v, a, z->g, b, s, component_size (sweep));
  ns_rescale_gradient (&z->g, component_size (sweep));
}

static void
clear (const LengthSweep *sweep, int set)
{
  for (guint i = 0; sweep->set[set] != NULL && i < sweep->n; i++)
    sweep->set[set][i].is_zero = TRUE;
}

/* Add factor·v of a branch that component j has entered to the components of a set. */
static void
mix (const LengthSweep *sweep, int set, guint j, NsScaled v)
{
  Component *to = sweep->set[set];
  double c = cos (sweep->lengths.phase), s = sin (sweep->lengths.phase);

  switch (sweep->lengths.kind)
    {
    case NS_LENGTHS_PARTS: /* one branch more */
      if (j + 1 < sweep->n_max)
        add_to_component (sweep, &to[j + 1], 1, 1, v);
      return;
    case NS_LENGTHS_MOMENTS: /* (t·g)' = t·g' + g, (t·g)'' = t·g'' + 2·g' */
      add_to_component (sweep, &to[j], 1, 1, v);
      if (j + 1 < sweep->n_max)
        add_to_component (sweep, &to[j + 1], 1, j + 1, v);
      return;
    case NS_LENGTHS_PHASE: /* (re + i·im)·e^(iφ) */
      add_to_component (sweep, &to[0], 1, j == 0 ? c : -s, v);
      add_to_component (sweep, &to[1], 1, j == 0 ? s : c, v);
      return;
    default:
      g_return_if_reached ();
    }
}

/* ---- the sweep ---- */

/* dz of every component, through the norm after the sum. */
static void
components_through_norm (const LengthSweep *sweep, const NsSubLayer *layer, gint64 site)
{
  const NsNormCache *cache = &ns_workspace_get_block (sweep->pass->work, site)->sub[layer->sub].post;

  for (guint i = 0; i < sweep->n; i++)
    {
      Component *c = &sweep->set[SET_G][i];

      if (!c->is_zero)
        c->g = ns_pass_norm_transposed (sweep->pass, cache, c->g.v, c->g, layer->post, site);
    }
}

/* Add Jᵀ·(dz + dr) of a sum's branches to the components below it. */
static void
through_branches (LengthSweep *sweep, NsSub sub, gint64 site)
{
  NsPass *pass = sweep->pass;
  gboolean is_dual = pass->plan.variant->dual_residual;

  for (guint j = 0; j < sweep->n; j++)
    {
      Component *g = &sweep->set[SET_G][j], *r = is_dual ? &sweep->set[SET_R][j] : NULL;
      NsScaled dz = g->g, dx;
      gsize bytes = component_size (sweep) * sizeof *dz.v;

      if (g->is_zero && (r == NULL || r->is_zero))
        continue;
      if (g->is_zero)
        dz = (NsScaled){ memset (g->g.v, 0, bytes), r->g.exp2 };
      if (is_dual)
        pass->dr = r->is_zero ? (NsScaled){ memset (r->g.v, 0, bytes), dz.exp2 } : r->g;
      pass->has_dsource = FALSE;
      dx = ns_block_branches_backward (pass, site, sub, dz);
      mix (sweep, SET_NEXT, j, dx);
      if (pass->has_dsource)
        mix (sweep, SET_SOURCE, j, pass->dsource);
    }
}

/* Take all components from the output of a sum to its input. */
static void
through_sum (LengthSweep *sweep, NsSub sub, gint64 site, gboolean is_skip)
{
  NsPass *pass = sweep->pass;
  const NsSubLayer *layer = &ns_sub_layers[sub];
  double a = ns_plan_get_residual_scale (&pass->plan, sub, site);
  Component *g = sweep->set[SET_G], *next = sweep->set[SET_NEXT];

  if (ns_placement_has_post (ns_plan_get_placement (&pass->plan, sub, site)))
    components_through_norm (sweep, layer, site);
  for (guint i = 0; i < sweep->n; i++)
    {
      next[i].is_zero = TRUE;
      if (!g[i].is_zero)
        add_to_component (sweep, &next[i], 0, a, g[i].g);
      if (!g[i].is_zero && pass->plan.variant->ngpt)
        next[i].g = ns_ngpt_residual (pass, layer, site, next[i].g.v, next[i].g, pass->plan.N);
      if (is_skip)
        sweep->set[SET_SKIP][i].is_zero = TRUE;
      if (is_skip && !g[i].is_zero)
        add_to_component (sweep, &sweep->set[SET_SKIP][i], 0, 1, g[i].g);
    }
  through_branches (sweep, sub, site);
  sweep->set[SET_G] = next;
  sweep->set[SET_NEXT] = g;
  sweep->n = MIN (sweep->n + (sweep->lengths.kind == NS_LENGTHS_PARTS), sweep->n_max);
}

/* g += a set, component by component. */
static void
add_set (const LengthSweep *sweep, int set)
{
  for (guint i = 0; i < sweep->n; i++)
    if (!sweep->set[set][i].is_zero)
      add_to_component (sweep, &sweep->set[SET_G][i], 1, 1, sweep->set[set][i].g);
}

static void
components_through_block (LengthSweep *sweep, gint64 site)
{
  NsPass *pass = sweep->pass;
  gboolean has_skip = pass->plan.variant->block_residual;
  int n_subs, n_sums = ns_block_get_n_sums (pass, site);
  const NsSub *subs = ns_block_get_subs (pass, site, &n_subs);

  ns_pass_clear_sums (pass);
  for (int i = n_sums - 1; i >= 0; i--)
    through_sum (sweep, subs[i], site, has_skip && i == n_sums - 1);
  if (has_skip)
    add_set (sweep, SET_SKIP);
}

/* Replace the gradient at a decoder's input by that at the end of the encoder, through the encoder's last norm. */
static void
through_boundary (LengthSweep *sweep, gint64 part)
{
  NsPass *pass = sweep->pass;

  clear (sweep, SET_G);
  add_set (sweep, SET_SOURCE);
  for (guint i = 0; i < sweep->n; i++)
    {
      Component *g = &sweep->set[SET_G][i];

      if (sweep->set[SET_R] != NULL)
        sweep->set[SET_R][i].is_zero = TRUE;
      if (g->is_zero)
        continue;
      pass->dx = g->g;
      ns_part_output_backward (pass, part - 1); /* in place; with a dual residual also pass->dr */
      g->g = pass->dx;
      if (sweep->set[SET_R] != NULL)
        add_to_component (sweep, &sweep->set[SET_R][i], 0, 1, pass->dr);
    }
}

static void
hand_over (const LengthSweep *sweep, gint64 site, NsLengthsFunc func, gpointer data)
{
  NsScaled *components = g_new (NsScaled, sweep->n);

  for (guint i = 0; i < sweep->n; i++)
    components[i] = sweep->set[SET_G][i].is_zero ? (NsScaled){ NULL, 0 } : sweep->set[SET_G][i].g;
  func (data, site, components, sweep->n);
  g_free (components);
}

static NsPassState
sweep_lengths_down (LengthSweep *sweep, NsLengthsFunc func, gpointer data, NsProgress *progress)
{
  NsPass *pass = sweep->pass;

  for (gint64 site = ns_plan_get_head_site (&pass->plan) - 1; site >= 0; site--)
    {
      gint64 layer = ns_plan_get_layer (&pass->plan, site);

      if (layer == 0)
        {
          if (sweep->set[SET_R] != NULL)
            add_set (sweep, SET_R); /* both streams start at x_0 */
          hand_over (sweep, site, func, data);
          if (site > 0)
            through_boundary (sweep, ns_plan_get_index (&pass->plan, site));
          continue;
        }
      if (sweep->lengths.at_every_site)
        hand_over (sweep, site, func, data);
      if (!ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      ns_pass_fill_cache (pass, site);
      components_through_block (sweep, site);
      if (ns_progress_is_cancelled (progress))
        return NS_PASS_CANCELLED;
    }
  return NS_PASS_DONE;
}

NsPassState
ns_pass_lengths (NsPass *pass, NsLengths lengths, NsScaled end, const NsScaled *end_r, ns_real *arrays,
                 NsLengthsFunc func, gpointer data, NsProgress *progress)
{
  guint n = count_components (&pass->plan, lengths);
  LengthSweep sweep = { .pass = pass, .lengths = lengths, .n = lengths.kind == NS_LENGTHS_PARTS ? 1 : n, .n_max = n };
  Component *components = g_new0 (Component, (gsize) n * N_SETS);
  NsPassState state;

  pass->work->linear.progress = progress;
  for (int set = 0; set < N_SETS; set++)
    if (needs_set (&pass->plan, set))
      {
        sweep.set[set] = components + (gsize) set * n;
        for (guint i = 0; i < n; i++, arrays += component_size (&sweep))
          sweep.set[set][i] = (Component){ { arrays, 0 }, TRUE };
      }
  add_to_component (&sweep, &sweep.set[SET_G][0], 0, 1, end);
  if (end_r != NULL)
    add_to_component (&sweep, &sweep.set[SET_R][0], 0, 1, *end_r);
  state = sweep_lengths_down (&sweep, func, data, progress);
  g_free (components);
  return state;
}
