/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-contributions.h"

#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-ngpt.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-sub-layer.h"

/* The sweeps that are under way. Those of the sites first .. last are at once in the same block. */
typedef struct
{
  NsPass *pass;
  gint64 first, last;
  NsScaled *v;    /* [last − first + 1] covectors [N, C] */
  NsScaled *skip; /* likewise, on their way to the block's input along the block residual; NULL without one */
  double *square; /* ‖x_l‖² of the values that x_l has in the array v at first */
  double *exp2;   /* and their power of two */
  NsShareFunc func;
  gpointer data;
} ShareSweep;

gsize
ns_contributions_count_covectors (const NsPlan *plan, gsize n_wholes)
{
  return plan->variant->block_residual ? 2 * n_wholes : n_wholes;
}

static gsize
covector_size (const ShareSweep *sweep)
{
  return sweep->pass->plan.N * sweep->pass->plan.C;
}

/* Return the first of the wholes that the block at a site contributes to, counted from sweep->first. */
static gint64
get_lowest (const ShareSweep *sweep, gint64 site)
{
  return MAX (site - sweep->first, 0);
}

/* Hand over ⟨b·s, v⟩/‖x_l‖² of every whole above the site. */
static void
put_shares (const ShareSweep *sweep, gint64 site, NsContributor contributor, double b, NsScaled s)
{
  for (gint64 i = get_lowest (sweep, site); i <= sweep->last - sweep->first; i++)
    {
      NsScaled v = sweep->v[i];
      double share = b * ns_dot (s.v, v.v, covector_size (sweep)) / sweep->square[i];

      share *= exp2 (s.exp2 + v.exp2 - 2 * sweep->exp2[i]);
      sweep->func (sweep->data, sweep->first + i, site, contributor, share);
    }
}

/* v = x_l */
static void
start (const ShareSweep *sweep, gint64 site)
{
  NsScaled x = sweep->pass->work->x[site], *v = &sweep->v[site - sweep->first];

  *v = ns_scaled_add (v->v, 1, x, 0, x, covector_size (sweep));
  sweep->square[site - sweep->first] = ns_sum_squares (v->v, covector_size (sweep));
  sweep->exp2[site - sweep->first] = v->exp2;
}

/* The share of β ≠ 0, from the hooks: Σ_n ⟨β, v_n⟩/‖x_l‖². */
static void
put_bias (const ShareSweep *sweep, const NsSubLayer *layer, gint64 site)
{
  const ns_real *bias = ns_pass_get_vector (sweep->pass, ns_norm_info (layer->post)->bias, site);
  const NsPlan *plan = &sweep->pass->plan;

  if (bias == NULL || ns_sum_squares (bias, plan->C) == 0)
    return;
  for (gint64 i = get_lowest (sweep, site); i <= sweep->last - sweep->first; i++)
    {
      NsScaled v = sweep->v[i];
      double product = 0;

      for (gsize n = 0; n < plan->N; n++)
        product += ns_dot (bias, v.v + n * plan->C, plan->C);
      sweep->func (sweep->data, sweep->first + i, site, NS_CONTRIBUTOR_BIAS,
                   product / sweep->square[i] * exp2 (v.exp2 - 2 * sweep->exp2[i]));
    }
}

/* v = Rᵀ·v through the norm after a sum, with its statistics held. */
static void
covectors_through_norm (const ShareSweep *sweep, const NsSubLayer *layer, gint64 site)
{
  const NsNormCache *cache = &ns_workspace_get_block (sweep->pass->work, site)->sub[layer->sub].post;

  put_bias (sweep, layer, site);
  for (gint64 i = get_lowest (sweep, site); i <= sweep->last - sweep->first; i++)
    {
      sweep->v[i] = ns_pass_norm_held (sweep->pass, cache, sweep->v[i].v, sweep->v[i], layer->post, site);
      ns_rescale_gradient (&sweep->v[i], covector_size (sweep));
    }
}

/* v = a·v along the residual, after a copy for the block residual (B2T) where `is_skip`. */
static void
through_residual (const ShareSweep *sweep, const NsSubLayer *layer, gint64 site, gboolean is_skip)
{
  double a = ns_plan_get_residual_scale (&sweep->pass->plan, layer->sub, site);
  gsize n = covector_size (sweep);

  for (gint64 i = get_lowest (sweep, site); i <= sweep->last - sweep->first; i++)
    {
      NsScaled *v = &sweep->v[i];

      if (is_skip)
        sweep->skip[i] = ns_scaled_add (sweep->skip[i].v, 1, *v, 0, *v, n);
      if (sweep->pass->plan.variant->ngpt)
        *v = ns_ngpt_residual (sweep->pass, layer, site, v->v, *v, sweep->pass->plan.N);
      if (a != 1)
        *v = ns_scaled_add (v->v, a, *v, 0, *v, n);
      ns_rescale_gradient (v, n);
    }
}

/* Take all sweeps from the block's output to its input. */
static void
covectors_through_block (const ShareSweep *sweep, gint64 site)
{
  NsPass *pass = sweep->pass;
  gboolean has_skip = pass->plan.variant->block_residual;
  int n_subs, n_sums = ns_block_get_n_sums (pass, site);
  const NsSub *subs = ns_block_get_subs (pass, site, &n_subs);

  for (int i = n_sums - 1; i >= 0; i--)
    {
      const NsSubLayer *layer = &ns_sub_layers[subs[i]];

      if (ns_placement_has_post (ns_plan_get_placement (&pass->plan, layer->sub, site)))
        covectors_through_norm (sweep, layer, site);
      /* the branches of this sum: all of them where they are parallel */
      for (int k = n_sums == 1 ? 0 : i; k < (n_sums == 1 ? n_subs : i + 1); k++)
        {
          double b;
          NsScaled s = ns_block_branch_output (pass, site, subs[k], &b);

          put_shares (sweep, site, (NsContributor) subs[k], b, s);
        }
      through_residual (sweep, layer, site, has_skip && i == n_sums - 1);
    }
  for (gint64 i = get_lowest (sweep, site); has_skip && i <= sweep->last - sweep->first; i++)
    sweep->v[i] = ns_scaled_add (sweep->v[i].v, 1, sweep->v[i], 1, sweep->skip[i], covector_size (sweep));
}

/* ---- in the backward pass ---- */

static gboolean
wants_shares (const NsPass *pass)
{
  return ns_pass_wants (pass, NS_Q_SHARE_INPUT) || ns_pass_wants (pass, NS_Q_SHARE_ATTN)
         || ns_pass_wants (pass, NS_Q_SHARE_CROSS) || ns_pass_wants (pass, NS_Q_SHARE_FFN);
}

/* An NsShareFunc. The bias of the norm after a sum precedes the branches of the sum. */
static void
record_share (gpointer data, gint64 whole, gint64 site, NsContributor contributor, double share)
{
  NsPass *pass = data;
  NsShares *shares = &pass->shares;

  (void) whole;
  if (contributor == NS_CONTRIBUTOR_BIAS)
    shares->bias += share;
  else if (contributor == NS_CONTRIBUTOR_INPUT)
    ns_pass_record (pass, NS_Q_SHARE_INPUT, site, share, 0);
  else
    {
      ns_pass_record (pass, ns_sub_layers[contributor].share, site, share + shares->bias, 0);
      shares->bias = 0;
    }
}

/* Return the sweep from the last block of the part that a site belongs to. */
static ShareSweep
get_sweep (NsPass *pass, gint64 site)
{
  gint64 last = ns_plan_get_last (&pass->plan, ns_plan_get_index (&pass->plan, site));
  NsShares *shares = &pass->shares;

  return (
      ShareSweep){ pass, last, last, &shares->v, &shares->skip, &shares->square, &shares->exp2, record_share, pass };
}

void
ns_contributions_start (NsPass *pass, gint64 site)
{
  ShareSweep sweep = get_sweep (pass, site);

  if (!wants_shares (pass))
    return;
  pass->shares = (NsShares){ .v = { pass->work->share, 0 }, .skip = { pass->work->share_skip, 0 } };
  start (&sweep, site);
}

void
ns_contributions_block_backward (NsPass *pass, gint64 site)
{
  ShareSweep sweep = get_sweep (pass, site);

  if (!wants_shares (pass))
    return;
  covectors_through_block (&sweep, site);
  if (ns_plan_get_layer (&pass->plan, site) == 1)
    put_shares (&sweep, site - 1, NS_CONTRIBUTOR_INPUT, 1, pass->work->x[site - 1]);
}

/* ---- from several blocks at once ---- */

static NsPassState
sweep_shares_down (const ShareSweep *sweep, NsProgress *progress)
{
  NsPass *pass = sweep->pass;
  gint64 input = sweep->last - ns_plan_get_layer (&pass->plan, sweep->last);

  for (gint64 site = sweep->last; site > input; site--)
    {
      if (!ns_progress_step (progress))
        return NS_PASS_CANCELLED;
      ns_pass_fill_cache (pass, site);
      if (site >= sweep->first)
        start (sweep, site);
      covectors_through_block (sweep, site);
      if (ns_progress_is_cancelled (progress))
        return NS_PASS_CANCELLED;
    }
  put_shares (sweep, input, NS_CONTRIBUTOR_INPUT, 1, pass->work->x[input]);
  return NS_PASS_DONE;
}

NsPassState
ns_pass_contributions (NsPass *pass, gint64 first, gint64 last, ns_real *covectors, NsShareFunc func, gpointer data,
                       NsProgress *progress)
{
  gsize n = (gsize) (last - first + 1), size = pass->plan.N * pass->plan.C;
  ShareSweep sweep = {
    pass, first, last, g_new0 (NsScaled, n), NULL, g_new (double, n), g_new (double, n), func, data
  };
  NsPassState state;

  pass->work->linear.progress = progress;
  if (pass->plan.variant->block_residual)
    sweep.skip = g_new0 (NsScaled, n);
  for (gsize i = 0; i < n; i++)
    {
      sweep.v[i].v = covectors + i * size;
      if (sweep.skip != NULL)
        sweep.skip[i].v = covectors + (n + i) * size;
    }
  state = sweep_shares_down (&sweep, progress);
  g_free (sweep.v);
  g_free (sweep.skip);
  g_free (sweep.square);
  g_free (sweep.exp2);
  return state;
}
