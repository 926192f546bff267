/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-bench.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-gram.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-pass.h"
#include "engine/pass/ns-sub-layer.h"
#include "engine/run/ns-engine-private.h"

#include <glib/gi18n-lib.h>

/* Repeats the matrix products of one pass on the arrays that the pass has left: same shapes, panels, threads,
 * memory. */
typedef struct
{
  NsPass pass;
  NsProgress *progress;
  double flops; /* counted as the products run */
} Products;

/* Compute the lower half of gram [N, N] = x·xᵀ, x [N, C]. */
static void
gram_product (Products *p, ns_real *gram, const ns_real *x, gsize C)
{
  gsize N = p->pass.work->N;

  ns_gram_rows (gram, x, N, C, NULL);
  p->flops += (double) N * (double) N * (double) C;
}

/* Compute the products behind ‖dW‖: two Gram matrices, or dW itself where that is cheaper. */
static void
norm_products (Products *p, const ns_real *x, const ns_real *dy, const NsMatrix *W)
{
  NsLinearScratch *scratch = &p->pass.work->linear;
  gsize N = p->pass.work->N;

  if (!ns_linear_uses_gram (N, W->in, W->out, scratch->gram_x_valid))
    {
      ns_linear_gradient_norm_plain (x, dy, N, W->in, W->out, scratch);
      p->flops += 2.0 * (double) N * (double) W->in * (double) W->out;
      return;
    }
  if (!scratch->gram_x_valid)
    gram_product (p, scratch->gram_x, x, W->in);
  scratch->gram_x_valid = TRUE;
  gram_product (p, scratch->gram_y, dy, W->out);
}

/* Run forward, backward and norm products of one linear map. x_is_new: its input differs from that of the previous
 * map. */
static void
linear_products (Products *p, NsTensor tensor, gint64 block, ns_real *y, ns_real *x, gboolean x_is_new)
{
  NsWorkspace *w = p->pass.work;
  NsMatrix W = ns_pass_get_matrix (&p->pass, tensor, block);

  ns_linear_forward (y, x, &W, 1, 0, w->N, &w->linear);
  ns_linear_backward (x, y, &W, 1, 0, w->N, &w->linear);
  p->flops += 4.0 * (double) w->N * (double) W.in * (double) W.out;
  if (x_is_new)
    w->linear.gram_x_valid = FALSE;
  norm_products (p, x, y, &W);
}

/* For each sequence b and head h: q·kᵀ and P·v forward, then dv, dP, dq and dk backward. */
static void
attention_products (Products *p, NsSubCache *c)
{
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  const int T = (int) plan->T, A = (int) w->A, K = (int) w->K, D = (int) plan->D;

  for (gsize b = 0; b < plan->B; b++)
    for (gsize h = 0; h < plan->H; h++)
      {
        gsize row = b * plan->T, group = h / (plan->H / plan->G);
        gsize q = row * w->A + h * plan->D, k = row * w->K + group * plan->D;
        ns_real *P = c->probs + (b * plan->H + h) * plan->T * plan->T, *dP = w->scratch_tt;

        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, c->q.v + q, A, c->k.v + k, K, 0, P, T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, P, T, c->v.v + k, K, 0, c->mixed.v + q, A);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, P, T, w->dmixed + q, A, 0, w->dv + k, K);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, w->dmixed + q, A, c->v.v + k, K, 0, dP, T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, dP, T, c->k.v + k, K, 0, w->dq + q, A);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, dP, T, c->q.v + q, A, 0, w->dk + k, K);
      }
  p->flops += 12.0 * (double) plan->N * (double) plan->T * (double) w->A;
}

/* Run the products of an attention; keys and values read `source` [N, C], queries x [N, C]. */
static void
attention_sub_products (Products *p, const NsSubLayer *layer, gint64 site, NsSubCache *c, ns_real *x,
                        ns_real *source)
{
  const NsPlan *plan = &p->pass.plan;
  gboolean uniform = ns_plan_is_uniform (plan);

  linear_products (p, layer->w_v, site, c->v.v, source, TRUE);
  if (!uniform)
    {
      linear_products (p, layer->w_k, site, c->k.v, source, FALSE);
      linear_products (p, layer->w_q, site, c->q.v, x, source != x);
      attention_products (p, c);
    }
  if (plan->variant->attention_output)
    linear_products (p, layer->w_o, site, c->s.v, c->mixed.v, TRUE);
}

static void
block_products (Products *p, gint64 site)
{
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  NsBlockCache *c = ns_workspace_get_block (w, site);
  NsSubCache *ffn = &c->sub[NS_SUB_FFN];
  ns_real *x = w->x[site - 1].v, *middle = c->middle[0].v;

  if (ns_variant_has_sub (plan->variant, NS_SUB_ATTN, NS_PART_STACK))
    attention_sub_products (p, &ns_sub_layers[NS_SUB_ATTN], site, &c->sub[NS_SUB_ATTN], x, x);
  if (ns_plan_get_part (plan, site) == NS_PART_DECODER)
    attention_sub_products (p, &ns_sub_layers[NS_SUB_CROSS], site, &c->sub[NS_SUB_CROSS], middle,
                            w->x[ns_plan_get_last (plan, 0)].v);
  if (!ns_variant_has_sub (plan->variant, NS_SUB_FFN, NS_PART_STACK))
    return;
  linear_products (p, NS_T_W_1, site, ffn->h.v, middle, TRUE);
  if (plan->gated)
    linear_products (p, NS_T_W_3, site, ffn->g.v, middle, FALSE);
  linear_products (p, NS_T_W_2, site, ffn->s.v, ffn->act.v, TRUE);
}

/* Run all matrix products of the pass. Return FALSE when cancelled. */
static gboolean
run_products (Products *p)
{
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  gint64 head = ns_plan_get_head_site (plan);

  p->flops = 0;
  for (gint64 site = 1; site < head; site++)
    if (ns_plan_get_layer (plan, site) > 0)
      {
        block_products (p, site);
        if (!ns_progress_step (p->progress))
          return FALSE;
      }
  if (w->logits != NULL)
    linear_products (p, NS_T_W_HEAD, head, w->logits, w->x[head - 1].v, TRUE);
  return TRUE;
}

/* Draw the weights of site `item`, piece by piece in the thread's panel. An NsTeamFunc. */
static void
random_block (gpointer data, guint item, guint thread)
{
  const Products *p = data;
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  gsize panel_size = ns_linear_panel_elements (plan->C, plan->F);

  if (!ns_progress_step (p->progress))
    return;
  for (int t = 0; t < NS_N_TENSORS; t++)
    {
      NsTensor tensor = (NsTensor) t;
      gsize rows, columns, step;
      NsMatrix W;

      if (!ns_tensor_is_matrix (tensor) || !ns_tensor_exists (tensor, plan->experiment, 0, item))
        continue;
      W = ns_pass_describe_matrix (&p->pass, tensor, item);
      rows = W.transposed ? W.out : W.in; /* of what is drawn */
      columns = W.transposed ? W.in : W.out;
      step = MAX (panel_size / columns, 1);
      for (gsize r = 0; r < rows; r += step)
        ns_weights_fill (w->linear.panel[thread], W.key, W.distribution, columns, r, MIN (step, rows - r), 0, columns);
    }
}

/* Draw every weight of the pass once. Return FALSE when cancelled. */
static gboolean
run_random (Products *p)
{
  ns_team_run (p->pass.work->linear.team, (guint) ns_plan_get_head_site (&p->pass.plan) + 1, random_block, p);
  return !ns_progress_is_cancelled (p->progress);
}

static void
keep_best (double *best, double ms)
{
  if (*best == 0 || ms < *best)
    *best = ms;
}

/* Return the quantities that are gradient norms, sizes or the loss: without the identity path, branches against
 * residuals, shares, similarities, differences between tokens and numbers of attention scores. */
static NsQuantitySet
get_norms (void)
{
  NsQuantitySet set = { { 0 } };

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      const NsQuantityInfo *info = ns_quantity_info (q);

      if (info->group != NS_GROUP_RELATION && info->kind != NS_KIND_NUMBER && !info->of_tokens && !info->own_passes)
        ns_quantity_set_add (&set, q);
    }
  return set;
}

/* Return the steps of progress in one round: three passes forward and backward and one of products, block by block, and
 * the weights of each site. */
static guint64
count_bench_blocks (const NsExperiment *experiment)
{
  guint64 blocks = (guint64) ns_experiment_count_blocks (experiment);

  return 7 * blocks + (guint64) ns_experiment_get_head_site (experiment) + 1;
}

static gboolean
time_passes (NsEngine *engine, const NsExperiment *one, NsBench *bench, NsProgress *progress, GError **error)
{
  NsQuantitySet norms = get_norms ();
  g_autoptr (NsResult) of_norms = NULL;

  ns_weights_trim (engine->weights, one, 0, 0);
  for (int fresh = 1; fresh >= 0; fresh--)
    {
      g_autoptr (NsResult) result = ns_engine_run (engine, one, 0, 1, progress, error);

      if (result == NULL)
        return FALSE;
      keep_best (fresh ? &bench->fresh_ms : &bench->pass_ms, ns_result_get_elapsed_ms (result));
    }
  of_norms = ns_engine_run_quantities (engine, one, &norms, 0, 1, progress, error);
  if (of_norms == NULL)
    return FALSE;
  keep_best (&bench->norms_ms, ns_result_get_elapsed_ms (of_norms));
  return TRUE;
}

/* Time the products and the random numbers of the pass that the engine ran last. */
static gboolean
time_parts (NsEngine *engine, const NsExperiment *one, NsBench *bench, NsProgress *progress, GError **error)
{
  Products products = { .progress = progress };
  NsWorkspace work;
  double begin;
  gboolean done;

  if (!ns_workspace_init (&work, &engine->memory[0], one, FALSE, engine->team))
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for this run"));
      return FALSE;
    }
  ns_pass_init (&products.pass, one, 0, (guint64) one->sampling.seed, &work, engine->weights);
  work.linear.progress = progress;
  begin = ns_now_ms ();
  done = run_products (&products);
  keep_best (&bench->products_ms, ns_now_ms () - begin);
  begin = ns_now_ms ();
  done = done && run_random (&products);
  keep_best (&bench->random_ms, ns_now_ms () - begin);
  bench->gflop = products.flops * 1e-9;
  if (!done)
    g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
  return done;
}

static gboolean
run_variant (NsEngine *engine, const NsExperiment *experiment, guint variant, guint rounds, NsBench *bench,
             NsProgress *progress, GError **error)
{
  g_autoptr (NsExperiment) one = ns_experiment_copy (experiment);
  NsBench warm = { 0 };

  g_ptr_array_set_size (one->variants, 0);
  g_ptr_array_add (one->variants, ns_variant_copy (ns_experiment_variant (experiment, variant)));
  *bench = (NsBench){ .threads = engine->n_threads };
  for (guint i = 0; i <= rounds; i++) /* the first round warms up */
    {
      NsBench *times = i > 0 ? bench : &warm;

      if (!time_passes (engine, one, times, progress, error) || !time_parts (engine, one, times, progress, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
ns_bench_run (NsEngine *engine, const NsExperiment *experiment, guint rounds, NsBench *benches, NsProgress *progress,
              GError **error)
{
  guint n_variants = experiment->variants->len;

  ns_progress_reserve (progress, n_variants * ((guint64) rounds + 1) * count_bench_blocks (experiment));
  for (guint v = 0; v < n_variants; v++)
    if (!run_variant (engine, experiment, v, rounds, &benches[v], progress, error))
      return FALSE;
  return TRUE;
}
