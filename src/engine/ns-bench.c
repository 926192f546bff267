/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-bench.h"

#include "engine/ns-engine-private.h"
#include "engine/ns-pass.h"

/* The products of one pass, on the arrays of a pass that has been run: the same shapes, panels, threads and memory. */
typedef struct
{
  NsPass pass;
  double flops; /* counted on the way */
} Products;

/* x·xᵀ, half of it by symmetry. */
static void
gram_product (Products *p, ns_real *gram, const ns_real *x, gsize C)
{
  gsize N = p->pass.work->N;

  ns_syrk (CblasRowMajor, CblasLower, CblasNoTrans, (int) N, (int) C, 1, x, (int) C, 0, gram, (int) N);
  p->flops += (double) N * (double) N * (double) C;
}

/* What ‖dW‖ takes. */
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

/* Forward, backward and norm of one linear map; x_is_new: its input is another than the last one's. */
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

/* q·kᵀ and P·v, and the four products of their backward pass. */
static void
attention_products (Products *p, NsSubCache *c)
{
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  const int T = (int) plan->T, C = (int) plan->C, D = (int) (plan->C / plan->H);

  if (plan->variant->attention == NS_ATTENTION_UNIFORM)
    return;
  for (gsize b = 0; b < plan->B; b++)
    for (gsize h = 0; h < plan->H; h++)
      {
        gsize at = b * plan->T * plan->C + h * (gsize) D;
        ns_real *P = c->probs + (b * plan->H + h) * plan->T * plan->T;

        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, c->q.v + at, C, c->k.v + at, C, 0, P, T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, P, T, c->v.v + at, C, 0, c->mixed.v + at, C);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, P, T, w->ds + at, C, 0, w->dv + at, C);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasTrans, T, T, D, 1, w->ds + at, C, c->v.v + at, C, 0, w->scratch_tt,
                 T);
        ns_gemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, T, D, T, 1, w->scratch_tt, T, c->k.v + at, C, 0, w->dq + at,
                 C);
        ns_gemm (CblasRowMajor, CblasTrans, CblasNoTrans, T, D, T, 1, w->scratch_tt, T, c->q.v + at, C, 0, w->dk + at,
                 C);
      }
  p->flops += 12.0 * (double) plan->N * (double) plan->T * (double) plan->C;
}

static void
run_products (Products *p)
{
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;

  p->flops = 0;
  for (gint64 l = 1; l <= plan->depth; l++)
    {
      NsBlockCache *c = ns_workspace_get_block (w, l);

      if (plan->variant->attention != NS_ATTENTION_UNIFORM)
        {
          linear_products (p, NS_T_W_Q, l, c->attn.q.v, w->x[l - 1].v, TRUE);
          linear_products (p, NS_T_W_K, l, c->attn.k.v, w->x[l - 1].v, FALSE);
        }
      linear_products (p, NS_T_W_V, l, c->attn.v.v, w->x[l - 1].v, plan->variant->attention == NS_ATTENTION_UNIFORM);
      attention_products (p, &c->attn);
      if (plan->variant->attention_output)
        linear_products (p, NS_T_W_O, l, c->attn.s.v, c->attn.mixed.v, TRUE);
      linear_products (p, NS_T_W_1, l, c->ffn.h.v, c->middle.v, TRUE);
      if (plan->gated)
        linear_products (p, NS_T_W_3, l, c->ffn.g.v, c->middle.v, FALSE);
      linear_products (p, NS_T_W_2, l, c->ffn.s.v, c->ffn.act.v, TRUE);
    }
  if (w->logits != NULL)
    linear_products (p, NS_T_W_HEAD, plan->depth + 1, w->logits, w->x[plan->depth].v, TRUE);
}

/* The weights of one block, or of the head, made in a thread's panel piece by piece. */
static void
random_block (gpointer data, guint item, guint thread)
{
  const Products *p = data;
  const NsPlan *plan = &p->pass.plan;
  NsWorkspace *w = p->pass.work;
  gsize most = ns_linear_panel_elements (plan->C, plan->F);
  gint64 l = (gint64) item + 1;
  gboolean head = l > plan->depth;

  for (int t = NS_T_W_Q; t <= (head ? NS_T_W_Q : NS_T_W_3); t++)
    {
      NsTensor tensor = head ? NS_T_W_HEAD : (NsTensor) t;
      NsRandomKey key = { p->pass.seed, (guint32) l, ns_tensor_get_stream (tensor) };
      gint64 rows, columns;
      gsize step;

      if (!ns_quantity_exists ((NsQuantity) tensor, plan->experiment, 0, l))
        continue;
      ns_tensor_get_shape (tensor, &plan->experiment->shape, &rows, &columns);
      step = MAX (most / (gsize) columns, 1);
      for (gsize r = 0; r < (gsize) rows; r += step)
        ns_weights_fill (w->linear.panel[thread], key, plan->distribution, (gsize) columns, r,
                         MIN (step, (gsize) rows - r), 0, (gsize) columns);
    }
}

/* Every weight of the pass, once. */
static void
run_random (Products *p)
{
  ns_team_run (p->pass.work->linear.team, (guint) p->pass.plan.depth + 1, random_block, p);
}

static void
keep_best (double *best, double ms)
{
  if (*best == 0 || ms < *best)
    *best = ms;
}

gboolean
ns_bench_run (NsEngine *engine, const NsExperiment *experiment, guint variant, guint rounds, NsBench *bench,
              GError **error)
{
  g_autoptr (NsExperiment) one = ns_experiment_copy (experiment);
  NsWorkspace work;

  g_ptr_array_set_size (one->variants, 0);
  g_ptr_array_add (one->variants, ns_variant_copy (ns_experiment_variant (experiment, variant)));
  *bench = (NsBench){ .threads = engine->n_threads };
  for (guint i = 0; i <= rounds; i++) /* the first round warms up */
    {
      Products products = { .flops = 0 };
      double begin;

      ns_weights_trim (engine->weights, 0, 0, 0, 0, 0);
      for (int fresh = 1; fresh >= 0; fresh--)
        {
          g_autoptr (NsResult) result = ns_engine_run (engine, one, 0, 1, NULL, error);

          if (result == NULL)
            return FALSE;
          if (i > 0)
            keep_best (fresh ? &bench->fresh_ms : &bench->pass_ms, ns_result_get_elapsed_ms (result));
        }
      if (!ns_workspace_init (&work, &engine->memory[0], one, FALSE, engine->team))
        return FALSE;
      ns_pass_init (&products.pass, one, 0, (guint64) one->sampling.seed, &work, engine->weights);
      begin = ns_now_ms ();
      run_products (&products);
      if (i > 0)
        keep_best (&bench->products_ms, ns_now_ms () - begin);
      begin = ns_now_ms ();
      run_random (&products);
      if (i > 0)
        keep_best (&bench->random_ms, ns_now_ms () - begin);
      bench->gflop = products.flops * 1e-9;
    }
  return TRUE;
}
