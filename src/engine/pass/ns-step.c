/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-sub-layers.h"
#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-block.h"
#include "engine/pass/ns-part.h"
#include "engine/pass/ns-pass-norm.h"
#include "engine/pass/ns-patch.h"
#include "engine/pass/ns-relative-bias.h"
#include "engine/pass/ns-step-private.h"

#include <string.h>

#define N_RUNS 2        /* with η and with η/10 */
#define SMALLER 0.1

/* A forward pass with the parameters after a step of its own rate. */
typedef struct
{
  double rate;
  gboolean overflowed;
  NsScaled x;                   /* the stream where the walk is, in one of the arrays */
  ns_real *arrays[2];           /* [N, C] each */
  NsScaled r;                   /* the second stream of a dual residual [N, C] */
  ns_real *out_arrays[2];       /* [N, C] of each part */
  NsScaled out[2];              /* what the head or the decoder reads */
} Run;

typedef struct
{
  NsPass *pass;
  NsStep *step;
  NsProgress *progress;
  gsize size;                   /* of an array [N, C] */
  gint64 head;
  ns_real *memory;              /* not yet taken */
  NsScaled *gradients;          /* [head] ∂L/∂x_l */
  NsScaled dr[2];               /* dual residual: ∂L/∂r of each part */
  NsStepGradients ends, block;
  NsRoot product;               /* ⟨g, u⟩ */
  Run runs[N_RUNS];
} Walk;

/* ---- memory ---- */

/* Return the elements of an array [N, columns] for each column, of the widest of these maps and of all. */
static void
count_columns (const NsPlan *plan, gsize *widest, gsize *block, gsize *ends)
{
  *widest = plan->C;
  *block = *ends = 0;
  for (int t = 0; t < NS_N_TENSORS; t++)
    {
      const NsTensorInfo *info = ns_tensor_info ((NsTensor) t);
      gsize slots = plan->E > 0 && ns_tensor_is_of_ffn ((NsTensor) t) ? plan->k : 1;
      gint64 in, out;

      if (info->role != NS_ROLE_MATRIX || (info->sub == NS_SUB_CROSS && plan->parts.n == 1)
          || (info->sub != NS_SUB_NONE && info->sub != NS_SUB_CROSS
              && !ns_variant_has_sub (plan->variant, info->sub, NS_PART_STACK))
          || (info->slot == NS_SLOT_3 && !plan->gated)
          || (ns_tensor_is_beside_experts ((NsTensor) t)
              && (plan->E == 0
                  || (t != NS_T_ROUTER && plan->variant->experts.shared == 0)
                  || (t == NS_T_SHARED_GATE && !plan->variant->experts.shared_gate)))
          || (info->slot == NS_SLOT_PATCH && plan->P == 0)
          || (info->slot == NS_SLOT_HEAD_DENSE && !plan->head_transform)
          || (info->slot == NS_SLOT_HEAD && plan->experiment->loss != NS_LOSS_CROSS_ENTROPY))
        continue;
      ns_tensor_get_shape ((NsTensor) t, &plan->experiment->shape, plan->variant, &in, &out);
      *widest = MAX (*widest, slots * (gsize) out);
      *(info->sub == NS_SUB_NONE ? ends : block) += slots * (gsize) (in + out);
    }
}

/* Return the arrays [N, C]: gradients, and for each run the stream before and after a block and the parts' ends. */
static gsize
count_arrays (const NsPlan *plan)
{
  gsize parts = (gsize) plan->parts.n, runs = N_RUNS * (2 + parts);

  if (plan->variant->dual_residual)
    runs += N_RUNS + parts;
  return (gsize) ns_plan_get_head_site (plan) + runs;
}

guint64
ns_step_count_elements (const NsPlan *plan)
{
  gsize widest, block, ends;
  guint64 columns, n;

  count_columns (plan, &widest, &block, &ends);
  if (__builtin_mul_overflow (count_arrays (plan), plan->C, &columns)
      || __builtin_add_overflow (columns, widest + block + ends, &columns)
      || __builtin_mul_overflow (columns, plan->N, &n))
    return G_MAXUINT64;
  return n;
}

static ns_real *
take (Walk *walk, gsize n)
{
  ns_real *taken = walk->memory;

  walk->memory += n;
  return taken;
}

static void
lay_out_walk (Walk *walk)
{
  const NsPlan *plan = &walk->pass->plan;
  gboolean is_dual = plan->variant->dual_residual;
  gsize widest, block, ends;

  count_columns (plan, &widest, &block, &ends);
  for (gint64 site = 0; site < walk->head; site++)
    walk->gradients[site].v = take (walk, walk->size);
  for (gint64 part = 0; part < plan->parts.n && is_dual; part++)
    walk->dr[part].v = take (walk, walk->size);
  for (int i = 0; i < N_RUNS; i++)
    {
      Run *run = &walk->runs[i];

      run->arrays[0] = take (walk, walk->size);
      run->arrays[1] = take (walk, walk->size);
      for (gint64 part = 0; part < plan->parts.n; part++)
        run->out_arrays[part] = take (walk, walk->size);
      if (is_dual)
        run->r.v = take (walk, walk->size);
    }
  walk->ends.temporary = walk->block.temporary = take (walk, plan->N * widest);
  walk->block.memory = take (walk, plan->N * block);
  walk->ends.memory = take (walk, plan->N * ends);
}

/* ---- the gradients of the stream ---- */

static NsScaled
copy_array (ns_real *to, NsScaled from, gsize n)
{
  memcpy (to, from.v, n * sizeof *to);
  return (NsScaled){ to, from.exp2 };
}

static void
keep_gradient (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
               double log10_value)
{
  Walk *walk = data;
  const NsPass *pass = walk->pass;
  gint64 part = ns_plan_get_index (&pass->plan, site);

  (void) quantity, (void) estimate, (void) value, (void) log10_value;
  walk->gradients[site] = copy_array (walk->gradients[site].v, pass->dx, walk->size);
  if (pass->plan.variant->dual_residual && site == ns_plan_get_last (&pass->plan, part))
    walk->dr[part] = copy_array (walk->dr[part].v, pass->dr, walk->size);
}

/* Run head and backward pass; keep ∂L/∂x_l, and the gradients of the parameters outside the blocks. */
static NsPassState
run_backward (Walk *walk, double *loss)
{
  NsPass *pass = walk->pass;
  const NsPassHooks hooks = { .matrix_gradient = ns_step_keep_matrix, .vector_gradient = ns_step_keep_vector,
                              .data = &walk->ends };
  NsSink sink = pass->sink;
  NsQuantitySet gradients = { { 0 } };
  NsPassState state;

  ns_quantity_set_add (&gradients, NS_Q_GRAD_X);
  pass->hooks = &hooks;
  pass->sink = (NsSink){ .record = keep_gradient, .overflow = sink.overflow, .data = walk,
                         .wanted = &gradients };
  state = ns_pass_head (pass, loss);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (pass, 0, walk->progress);
  pass->hooks = NULL;
  pass->sink = sink;
  return state;
}

/* Run the block at a site backward again, from its output as it was, and keep the gradients of its parameters. */
static void
keep_block (Walk *walk, gint64 site)
{
  NsPass *pass = walk->pass;
  const NsPassHooks hooks = { .matrix_gradient = ns_step_keep_matrix, .vector_gradient = ns_step_keep_vector,
                              .data = &walk->block };

  ns_pass_fill_cache (pass, site);
  ns_rescale_if_small (&pass->work->x[site], walk->size);
  ns_step_gradients_reset (&walk->block);
  pass->dx = copy_array (pass->work->dx, walk->gradients[site], walk->size);
  pass->dr = walk->dr[ns_plan_get_index (&pass->plan, site)];
  pass->has_dsource = FALSE;
  pass->hooks = &hooks;
  ns_block_backward (pass, site);
  pass->hooks = NULL;
  pass->cached_site = 0; /* the runs use the caches */
}

/* ---- runs with the new parameters ---- */

static NsPassHooks
get_hooks (NsStepGradients *gradients, const Run *run)
{
  gradients->rate = run->rate;
  return (NsPassHooks){ .linear = ns_step_add_linear, .vector = ns_step_get_vector, .data = gradients };
}

/* Return ‖a − b‖/‖b‖ of two arrays [N, C]; *difference receives a − b. */
static NsStepRatio
get_change (const Walk *walk, ns_real *difference, NsScaled a, NsScaled b, NsScaled *change)
{
  double b2 = ns_sum_squares (b.v, walk->size), log10_value, change2;

  *change = ns_scaled_add (difference, 1, a, -1, b, walk->size);
  change2 = ns_sum_squares (change->v, walk->size);
  if (!(b2 > 0) || !isfinite (b2) || !isfinite (change2))
    return (NsStepRatio){ NAN, NAN };
  log10_value = (log10 (change2) - log10 (b2)) / 2 + (change->exp2 - b.exp2) * NS_LOG10_2;
  return (NsStepRatio){ pow (10, log10_value), log10_value };
}

/* Report ‖Δx_l‖/‖x_l‖ of the run with η. */
static void
report_stream (Walk *walk, gint64 site)
{
  const Run *run = &walk->runs[0];
  NsScaled change;

  if (!run->overflowed)
    walk->step->stream (walk->step->data, site,
                        get_change (walk, walk->block.temporary, run->x, walk->pass->work->x[site], &change));
}

/* Return the input of a part before its norm: that of the unchanged pass, which `raw` is, unless a step of W_patch
 * changes it. */
static NsScaled
get_raw_input (const Walk *walk, const Run *run, gint64 part, NsScaled raw)
{
  const NsPlan *plan = &walk->pass->plan;

  if (plan->P == 0 || part > 0)
    return raw;
  raw = ns_patch_forward (walk->pass, run->arrays[1]);
  return ns_scaled_add (raw.v, ns_plan_get_input_scale (plan, part), raw, 0, raw, walk->size);
}

/* x_0' of a part. */
static void
run_input (Walk *walk, Run *run, gint64 part)
{
  NsPass *pass = walk->pass;
  NsPartCache *c = &pass->work->part[part];
  gint64 site = ns_plan_get_input (&pass->plan, part);
  const NsPassHooks hooks = get_hooks (&walk->ends, run);

  pass->hooks = &hooks;
  if (pass->plan.variant->input_norm)
    {
      NsScaled raw = get_raw_input (walk, run, part, c->input.x);

      run->x = ns_pass_norm_forward (pass, &c->input, run->arrays[0], raw, NS_NORM_INPUT, site);
      ns_rescale_if_small (&run->x, walk->size);
    }
  else
    run->x = copy_array (run->arrays[0], get_raw_input (walk, run, part, pass->work->x[site]), walk->size);
  pass->hooks = NULL;
  if (pass->plan.variant->dual_residual)
    run->r = copy_array (run->r.v, run->x, walk->size);
}

/* The arrays of the unchanged pass while a run has its own in their place. */
typedef struct
{
  NsScaled below, x;
  NsPartCache part[2];
} Unchanged;

static Unchanged
put_run (const Walk *walk, const Run *run, gint64 site)
{
  NsWorkspace *w = walk->pass->work;
  gint64 part = ns_plan_get_index (&walk->pass->plan, site);
  Unchanged old = { w->x[site - 1], w->x[site], { w->part[0], w->part[1] } };

  w->x[site - 1] = run->x;
  w->x[site] = (NsScaled){ run->arrays[run->x.v == run->arrays[0] ? 1 : 0], 0 };
  w->part[part].r = run->r;
  w->part[part].out_array = run->out_arrays[part];
  if (part > 0)
    w->part[0].out = run->out[0];
  return old;
}

static void
put_back (const Walk *walk, Run *run, gint64 site, const Unchanged *old)
{
  NsWorkspace *w = walk->pass->work;

  run->r = w->part[ns_plan_get_index (&walk->pass->plan, site)].r;
  w->x[site - 1] = old->below;
  w->x[site] = old->x;
  w->part[0] = old->part[0];
  w->part[1] = old->part[1];
}

/* x_{l−1}' → x_l' */
static void
run_block (Walk *walk, Run *run, gint64 site)
{
  NsPass *pass = walk->pass;
  const NsPassHooks hooks = get_hooks (&walk->block, run), ends = get_hooks (&walk->ends, run);
  Unchanged old = put_run (walk, run, site);

  pass->hooks = &ends;
  ns_relative_bias_forward (pass, ns_plan_get_index (&pass->plan, site));
  pass->hooks = &hooks;
  ns_block_forward (pass, site, TRUE);
  pass->hooks = NULL;
  ns_relative_bias_forward (pass, ns_plan_get_index (&pass->plan, site));
  run->x = pass->work->x[site];
  put_back (walk, run, site, &old);
  run->overflowed = !isfinite (ns_rescale_if_small (&run->x, walk->size));
}

/* From x_L' to what the head or the decoder reads; with the last part also to the loss, which is returned. */
static double
run_output (Walk *walk, Run *run, gint64 part)
{
  NsPass *pass = walk->pass;
  NsWorkspace *w = pass->work;
  gint64 site = ns_plan_get_last (&pass->plan, part);
  const NsPassHooks hooks = get_hooks (&walk->ends, run);
  Unchanged old = put_run (walk, run, site);
  double loss = NAN;

  w->x[site] = run->x;
  pass->hooks = &hooks;
  if (part == pass->plan.parts.n - 1)
    loss = ns_pass_loss (pass);
  else
    ns_part_output_forward (pass, part);
  pass->hooks = NULL;
  run->out[part] = w->part[part].out;
  if (run->out[part].v != run->out_arrays[part])
    run->out[part] = copy_array (run->out_arrays[part], run->out[part], walk->size);
  put_back (walk, run, site, &old);
  return loss;
}

/* ---- the walk ---- */

static NsPassState
walk_part (Walk *walk, gint64 part)
{
  NsPass *pass = walk->pass;
  gint64 first = ns_plan_get_input (&pass->plan, part);

  for (int i = 0; i < N_RUNS; i++)
    if (!walk->runs[i].overflowed)
      run_input (walk, &walk->runs[i], part);
  report_stream (walk, first);
  for (gint64 site = first + 1; site <= ns_plan_get_last (&pass->plan, part); site++)
    {
      if (!ns_progress_step (walk->progress))
        return NS_PASS_CANCELLED;
      keep_block (walk, site);
      ns_step_gradients_measure (&walk->block);
      for (int i = 0; i < N_RUNS; i++)
        {
          if (!ns_progress_step (walk->progress))
            return NS_PASS_CANCELLED;
          if (!walk->runs[i].overflowed)
            run_block (walk, &walk->runs[i], site);
        }
      report_stream (walk, site);
    }
  return NS_PASS_DONE;
}

/* Set the changes of h and of the loss. */
static void
set_results (Walk *walk, const double losses[N_RUNS], double loss)
{
  NsPass *pass = walk->pass;
  NsStep *step = walk->step;
  gint64 part = pass->plan.parts.n - 1;
  NsScaled h = pass->work->part[part].out, change[N_RUNS];
  NsStepRatio ratios[N_RUNS];

  for (int i = 0; i < N_RUNS; i++)
    {
      change[i] = (NsScaled){ walk->runs[i].arrays[0], 0 };
      ratios[i] = (NsStepRatio){ NAN, NAN };
      if (!walk->runs[i].overflowed)
        ratios[i] = get_change (walk, change[i].v, walk->runs[i].out[part], h, &change[i]);
    }
  step->h = ratios[0];
  step->log10_rms = log10 (ns_sum_squares (h.v, walk->size) / (double) walk->size) / 2 + h.exp2 * NS_LOG10_2;
  step->loss = losses[0] - loss;
  step->nonlinearity = NAN;
  if (!isnan (ratios[0].value) && !isnan (ratios[1].value))
    {
      change[1] = ns_scaled_add (change[1].v, 1 / SMALLER, change[1], 0, change[1], walk->size);
      step->nonlinearity = get_change (walk, walk->block.temporary, change[1], change[0], &change[1]).value;
    }
}

/* −η·⟨g, u⟩ */
static double
get_first_order (const Walk *walk)
{
  double exponent = CLAMP (2 * walk->product.exp2, -4096, 4096);

  return -walk->step->learning_rate * walk->product.sum2 * exp2 (exponent);
}

static NsPassState
walk_up (Walk *walk)
{
  NsPass *pass = walk->pass;
  double loss, losses[N_RUNS] = { NAN, NAN };
  NsPassState state;

  if (pass->plan.parts.n > 1)
    ns_part_output_forward (pass, 0); /* an earlier step has used the cache of its norm */
  state = run_backward (walk, &loss);
  if (state != NS_PASS_DONE)
    return state;
  ns_step_gradients_measure (&walk->ends);
  for (gint64 part = 0; part < pass->plan.parts.n && state == NS_PASS_DONE; part++)
    {
      state = walk_part (walk, part);
      for (int i = 0; i < N_RUNS && state == NS_PASS_DONE; i++)
        if (!walk->runs[i].overflowed)
          losses[i] = run_output (walk, &walk->runs[i], part);
    }
  if (state != NS_PASS_DONE)
    return state;
  set_results (walk, losses, loss);
  walk->step->first_order = get_first_order (walk);
  return ns_progress_is_cancelled (walk->progress) ? NS_PASS_CANCELLED : NS_PASS_DONE;
}

NsPassState
ns_pass_step (NsPass *pass, NsStep *step, ns_real *memory, NsProgress *progress)
{
  gint64 head = ns_plan_get_head_site (&pass->plan);
  g_autofree NsScaled *gradients = g_new0 (NsScaled, head);
  Walk walk = { .pass = pass, .step = step, .progress = progress, .size = pass->plan.N * pass->plan.C, .head = head,
                .memory = memory, .gradients = gradients };
  NsPassState state;

  for (int i = 0; i < N_RUNS; i++)
    walk.runs[i].rate = step->learning_rate * (i == 0 ? 1 : SMALLER);
  ns_step_gradients_init (&walk.ends, pass, step, TRUE);
  ns_step_gradients_init (&walk.block, pass, step, FALSE);
  walk.ends.product = walk.block.product = &walk.product;
  lay_out_walk (&walk);
  state = walk_up (&walk);
  ns_step_gradients_clear (&walk.ends);
  ns_step_gradients_clear (&walk.block);
  return state;
}
