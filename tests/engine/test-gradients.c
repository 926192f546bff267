/* Test whole passes: gradients of the loss with respect to each parameter and the input against fourth-order
 * differences along random directions, in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity-set.h"
#include "engine/pass/ns-relative-bias.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-pass.h"
#include "tests.h"

#include <string.h>

#define TOLERANCE 1e-6
#define INPUT (-1) /* in place of a tensor: x_0, or y_0 at the decoder's input */

static NsWeights *weights; /* of all passes, which have one seed */

/* A parameter to move along a direction, and its gradient. */
typedef struct
{
  NsPass *pass;
  int tensor;   /* NsTensor, or INPUT */
  gint64 block; /* its site */
  gsize n;
  const ns_real *direction; /* [n], or NULL: move nothing */
  double step;
  ns_real *moved; /* [n] */
  gboolean input_is_moved;
  /* results of the backward pass */
  double *gradient; /* [n], or NULL: discard it */
  double bias_norm; /* ‖Σ_n dy‖ of a matrix */
  gboolean seen;
  double log10_recorded, log10_bias_recorded;
} Probe;

/* Keep the measurements of the probed parameter. */
static void
record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
  Probe *probe = data;

  if (site != probe->block)
    return;
  if (probe->tensor == INPUT ? quantity == NS_Q_GRAD_X : quantity == ns_tensor_get_quantity ((NsTensor) probe->tensor))
    probe->log10_recorded = log10_value;
  if (probe->tensor != INPUT && ns_tensor_is_matrix ((NsTensor) probe->tensor)
      && quantity == ns_tensor_get_quantity (ns_matrix_get_bias ((NsTensor) probe->tensor)))
    probe->log10_bias_recorded = log10_value;
  if (probe->tensor == INPUT && quantity == NS_Q_GRAD_X && probe->gradient != NULL)
    {
      const NsScaled *dx = &probe->pass->dx;

      for (gsize i = 0; i < probe->n; i++)
        probe->gradient[i] = dx->v[i] * exp2 (dx->exp2);
      probe->seen = TRUE;
    }
}

/* Move the input of a part. The pass requests the first parameter of a part after scaling and normalizing the input and
 * before reading it. The second stream starts at the same point. */
static void
move_input (Probe *probe, gint64 site)
{
  const NsPlan *plan = &probe->pass->plan;
  NsWorkspace *work = probe->pass->work;

  if (probe->tensor != INPUT || probe->direction == NULL || probe->input_is_moved || site <= probe->block
      || site == ns_plan_get_head_site (plan))
    return;
  for (gsize i = 0; i < probe->n; i++)
    {
      double step = probe->step * probe->direction[i];

      work->x[probe->block].v[i] += step;
      if (plan->variant->dual_residual)
        work->part[ns_plan_get_index (plan, probe->block)].r.v[i] += step;
    }
  probe->input_is_moved = TRUE;
}

static const ns_real *
get_weights (gpointer data, NsTensor tensor, gint64 block)
{
  Probe *probe = data;
  gint64 rows, columns;
  const NsPlan *plan = &probe->pass->plan;
  gint64 layer = tensor == NS_T_W_HEAD ? 0 : ns_plan_get_layer (plan, block);
  NsStream stream = ns_tensor_get_stream (tensor, ns_plan_get_part (plan, block));
  NsRandomKey key = { probe->pass->seed, (guint32) layer, stream, 0, 0 };
  double std = ns_plan_get_std (plan, tensor, block);

  move_input (probe, block);
  if ((int) tensor != probe->tensor || block != probe->block || probe->direction == NULL)
    return NULL;
  ns_tensor_get_shape (tensor, &probe->pass->plan.experiment->shape, probe->pass->plan.variant, &rows, &columns);
  rows *= ns_tensor_get_count (tensor, plan->variant);
  if (plan->variant->ngpt) /* normalized rows or columns */
    {
      NsMatrix W = ns_pass_describe_matrix (probe->pass, tensor, block);

      ns_matrix_fill (&W, probe->moved);
    }
  else
    ns_weights_fill (probe->moved, key, probe->pass->plan.distribution, (gsize) columns, 0, (gsize) rows, 0,
                     (gsize) columns);
  for (gsize i = 0; i < probe->n; i++) /* W = std·u: a step of std·direction in W */
    probe->moved[i] += probe->step * probe->direction[i];
  return std > 0 ? probe->moved : NULL;
}

/* Return the initial value of entry i of a vector. */
static double
initial_value (const NsPlan *plan, NsTensor tensor, gint64 block, gsize i)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);
  gsize k = 2 * (gsize) (block - 1) + (info->sub == NS_SUB_FFN ? 1 : 0); /* the number of the sub-layer */

  gboolean is_manifold = plan->variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;

  if (info->slot == NS_SLOT_MIX_SCALE)
    return 0.01;
  if (ns_tensor_is_token_map (tensor))
    return 0;
  if (info->slot == NS_SLOT_MIX_IN)
    return i == k % plan->n ? 1 : is_manifold ? -1 : 0;
  if (info->slot == NS_SLOT_MIX_STREAMS && is_manifold)
    return i / plan->n == i % plan->n ? 0 : -8;
  if (info->slot == NS_SLOT_MIX_OUT && is_manifold)
    return 0;
  if (info->slot == NS_SLOT_MIX_STREAMS)
    return i / plan->n == i % plan->n ? 1 : 0;
  switch ((int) info->role)
    {
    case NS_ROLE_FACTOR:
      return info->sub == NS_SUB_FFN ? 1 : 1 / sqrt ((double) plan->C);
    case NS_ROLE_SCALE:
      if (plan->variant->ngpt)
        return 1 / sqrt ((double) plan->C);
      return ns_plan_get_branch_scale (plan, block);
    case NS_ROLE_ALPHA:
      return plan->variant->dyt_alpha;
    case NS_ROLE_NORM_BIAS:
      return 0;
    default:
      return info->slot == NS_SLOT_BRANCH ? plan->variant->branch_norm_gain : 1;
    }
}

static const ns_real *
get_vector (gpointer data, NsTensor tensor, gint64 block)
{
  Probe *probe = data;

  move_input (probe, block);
  if ((int) tensor != probe->tensor || block != probe->block || probe->direction == NULL)
    return NULL;
  if (tensor == NS_T_RELATIVE_BIAS)
    ns_relative_bias_draw (probe->pass, ns_plan_get_index (&probe->pass->plan, block), probe->moved);
  for (gsize i = 0; i < probe->n; i++)
    {
      double value = tensor == NS_T_RELATIVE_BIAS ? probe->moved[i]
                                                  : initial_value (&probe->pass->plan, tensor, block, i);

      probe->moved[i] = value + probe->step * probe->direction[i];
    }
  return probe->moved;
}

static void
take_matrix_gradient (gpointer data, NsTensor tensor, gint64 block, NsScaled x, NsScaled dy)
{
  Probe *probe = data;
  NsRowGroups groups = ns_pass_get_row_groups (probe->pass, tensor, block);
  gsize in, out;
  gint64 rows, columns;
  double bias2 = 0;

  if ((int) tensor != probe->tensor || block != probe->block || probe->gradient == NULL)
    return;
  ns_tensor_get_shape (tensor, &probe->pass->plan.experiment->shape, probe->pass->plan.variant, &rows, &columns);
  in = (gsize) rows;
  out = (gsize) columns;
  memset (probe->gradient, 0, groups.n * in * out * sizeof (double));
  for (gsize o = 0; o < out; o++)
    {
      double column = 0;

      for (gsize e = 0; e < groups.n; e++)
        for (gsize n = groups.start[e]; n < groups.start[e + 1]; n++)
          {
            column += dy.v[n * out + o];
            for (gsize i = 0; i < in; i++)
              probe->gradient[(e * in + i) * out + o] += x.v[n * in + i] * dy.v[n * out + o];
          }
      bias2 += column * column;
    }
  for (gsize i = 0; i < groups.n * in * out; i++)
    probe->gradient[i] *= exp2 (x.exp2 + dy.exp2);
  probe->bias_norm = sqrt (bias2);
  probe->seen = TRUE;
}

static void
take_vector_gradient (gpointer data, NsTensor tensor, gint64 block, const double *gradient, double exponent)
{
  Probe *probe = data;

  if ((int) tensor != probe->tensor || block != probe->block || probe->gradient == NULL)
    return;
  for (gsize i = 0; i < probe->n; i++)
    probe->gradient[i] = gradient[i] * exp2 (exponent);
  probe->seen = TRUE;
}

/* ---- one pass ---- */

/* Return the loss. Run backward only if the gradient is wanted. */
static double
run (const NsExperiment *experiment, Probe *probe)
{
  NsPassHooks hooks = { .weights = get_weights, .vector = get_vector, .matrix_gradient = take_matrix_gradient,
                        .vector_gradient = take_vector_gradient, .data = probe };
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsQuantitySet only_loss = { { 0 } };
  NsPass pass;
  double loss = NAN;

  ns_quantity_set_add (&only_loss, NS_Q_LOSS);
  g_assert_true (ns_workspace_init (&work, &memory, experiment, TRUE, NULL));
  ns_pass_init (&pass, experiment, 0, 5, &work, weights);
  pass.hooks = &hooks;
  pass.sink = (NsSink){ .record = record, .data = probe, .wanted = probe->gradient != NULL ? NULL : &only_loss };
  probe->pass = &pass;
  probe->input_is_moved = FALSE;
  g_assert_cmpint (ns_pass_run (&pass, NULL, &loss), ==, NS_PASS_DONE);
  ns_workspace_memory_clear (&memory);
  return loss;
}

static double
loss_at (const NsExperiment *experiment, Probe *probe, double step)
{
  probe->step = step;
  return run (experiment, probe);
}

/* Return the directional derivative of the loss from four passes. */
static double
difference (const NsExperiment *experiment, int tensor, gint64 block, const ns_real *direction, gsize n, double h)
{
  g_autofree ns_real *moved = g_new (ns_real, n);
  Probe probe = { .tensor = tensor, .block = block, .n = n, .direction = direction, .moved = moved };
  double near = loss_at (experiment, &probe, h) - loss_at (experiment, &probe, -h);
  double far = loss_at (experiment, &probe, 2 * h) - loss_at (experiment, &probe, -2 * h);

  return (8 * near - far) / (12 * h);
}

/* ---- the check of one parameter ---- */

typedef struct
{
  const NsExperiment *forward, *backward; /* differences use `forward`, gradients `backward` */
  double step;
  int planted; /* 0: nothing; 1: change the largest entry of the gradient; 2: swap two rows */
} Setup;

static gsize
count_elements (const NsExperiment *experiment, int tensor)
{
  const NsShape *s = &experiment->shape;
  gint64 rows, columns, n_streams = MAX (ns_experiment_variant (experiment, 0)->hyper.streams, 1);

  if (tensor == INPUT)
    return (gsize) (s->batch * s->seq_len * s->d_model * n_streams);
  ns_tensor_get_shape ((NsTensor) tensor, s, ns_experiment_variant (experiment, 0), &rows, &columns);
  return (gsize) (ns_tensor_get_count ((NsTensor) tensor, ns_experiment_variant (experiment, 0)) * rows * columns);
}

static void
plant (double *gradient, gsize n, int planted)
{
  gsize largest = 0;

  for (gsize i = 1; i < n; i++)
    largest = fabs (gradient[i]) > fabs (gradient[largest]) ? i : largest;
  if (planted == 1)
    gradient[largest] *= 1.1;
  if (planted == 2)
    {
      double first = gradient[0];

      memmove (gradient, gradient + 1, (n - 1) * sizeof *gradient);
      gradient[n - 1] = first;
    }
}

/* Return the norm without squaring numbers beyond the range of a double. */
static double
norm_of (const double *x, gsize n)
{
  double largest = 0, sum2 = 0;

  for (gsize i = 0; i < n; i++)
    if (!isfinite (x[i]))
      return NAN;
    else
      largest = fmax (largest, fabs (x[i]));
  for (gsize i = 0; largest > 0 && i < n; i++)
    sum2 += x[i] / largest * (x[i] / largest);
  return largest * sqrt (sum2);
}

/* Return the error of log2 of the recorded norm of a bias's gradient. Ignore whole powers of two: the hook passes the
 * sum of the exponents of x and dy, and the bias needs that of dy alone. */
static double
bias_error (const Probe *probe)
{
  double ratio = probe->log10_bias_recorded / log10 (2) - log2 (probe->bias_norm);

  return isfinite (ratio) ? fabs (ratio - round (ratio)) : INFINITY;
}

/* Return TRUE if the loss depends on the tensor through the attention weights alone. */
static gboolean
moves_scores (int tensor)
{
  NsTensorSlot slot = tensor == INPUT ? NS_SLOT_NONE : ns_tensor_info ((NsTensor) tensor)->slot;

  return slot == NS_SLOT_Q || slot == NS_SLOT_K;
}

/* Return TRUE if a matrix has a bias with a gradient above rounding. Without a norm on the keys or rotary positions,
 * b_K adds the same number to all scores of a row, which the softmax ignores. */
static gboolean
has_bias_gradient (const NsExperiment *experiment, int tensor)
{
  const NsVariant *variant = ns_experiment_variant (experiment, 0);

  return variant->bias && tensor != INPUT && ns_tensor_is_matrix ((NsTensor) tensor) && tensor != NS_T_W_HEAD
         && ((tensor != NS_T_W_K && tensor != NS_T_CROSS_W_K) || variant->qk_norm != NS_QK_NORM_NONE
             || (tensor == NS_T_W_K && variant->rotary.pairs != NS_ROTARY_NONE));
}

/* Return 0 if the gradient is exactly 0 and the loss does not change, Inf otherwise. */
static double
zero_error (const Setup *setup, const Probe *probe)
{
  g_autofree ns_real *direction = check_draw (probe->n, 40);
  double expected = difference (setup->forward, probe->tensor, probe->block, direction, probe->n, setup->step);

  return probe->log10_recorded == -INFINITY && expected == 0 ? 0 : INFINITY;
}

/* Return the largest error of the gradient against the difference and of the recorded norm against the norm of the
 * gradient; Inf if a value is not finite. Increment *blind (nullable) if the loss depends on the parameter too weakly
 * for a difference. */
static double
parameter_error (const Setup *setup, int tensor, gint64 block, guint *blind)
{
  gsize n = count_elements (setup->forward, tensor);
  g_autofree double *gradient = g_new0 (double, n);
  Probe probe = { .tensor = tensor, .block = block, .n = n, .gradient = gradient, .log10_recorded = NAN,
                  .log10_bias_recorded = NAN };
  gboolean is_matrix = tensor != INPUT && ns_tensor_is_matrix ((NsTensor) tensor);
  double worst, std = 1, typical, noise, loss = run (setup->backward, &probe);

  g_assert_true (probe.seen);
  plant (gradient, n, setup->planted);
  typical = norm_of (gradient, n);
  if (typical == 0)
    return zero_error (setup, &probe);
  if (!isfinite (typical) || !isfinite (probe.log10_recorded))
    return INFINITY;
  worst = fabs (probe.log10_recorded - log10 (typical)) * log (10);
  if (has_bias_gradient (setup->backward, tensor))
    worst = fmax (worst, bias_error (&probe));
  if (is_matrix)
    {
      NsPlan plan;

      ns_plan_init (&plan, setup->forward, 0);
      std = ns_plan_get_std (&plan, (NsTensor) tensor, block);
    }
  noise = 1e-15 * fabs (loss) / (setup->step * std);
  if (noise > 0.1 * TOLERANCE * typical && blind != NULL)
    {
      *blind += 1;
      return worst;
    }

  for (guint id = 0; id < 2; id++)
    {
      g_autofree ns_real *direction = check_draw (n, 40 + id);
      double expected = difference (setup->forward, tensor, block, direction, n, setup->step), got = 0;

      for (gsize i = 0; i < n; i++)
        got += gradient[i] * direction[i];
      worst = fmax (worst, check_relative_error (expected / std, got, typical));
    }
  return worst;
}

/* Return TRUE for weights of streams whose gradient is 0 while the streams are equal: A_m and its map before a norm
 * that its size does not change, but for the norm's epsilon; A_r of a manifold, whose numbers add up to 1; and a scale
 * of maps that are 0. */
static gboolean
is_mix_without_gradient (const NsVariant *variant, NsTensor tensor)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);
  gboolean is_manifold = variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD;

  if (info->slot == NS_SLOT_MIX_IN || info->slot == NS_SLOT_MIX_IN_W)
    return variant->norm != NS_NORM_DYT
           && ns_placement_has_pre (info->sub == NS_SUB_FFN ? variant->ffn.norm : variant->attn.norm);
  if (info->slot == NS_SLOT_MIX_STREAMS || info->slot == NS_SLOT_MIX_STREAMS_W)
    return is_manifold;
  return info->slot == NS_SLOT_MIX_SCALE;
}

/* Return TRUE if the tensor is checked on its own. Biases of linear maps are checked with their matrices. W_Q and W_K
 * of uniform attention are no variables of the loss. The bias of the keys' norm adds the same number to all scores of a
 * row, so that its gradient is rounding. */
static gboolean
is_checked (const NsExperiment *experiment, NsTensor tensor, gint64 site)
{
  gboolean uniform = ns_experiment_variant (experiment, 0)->attention == NS_ATTENTION_UNIFORM;
  const NsTensorInfo *info = ns_tensor_info (tensor);

  return info->role != NS_ROLE_LINEAR_BIAS && !is_mix_without_gradient (ns_experiment_variant (experiment, 0), tensor)
         && !(info->role == NS_ROLE_NORM_BIAS && info->slot == NS_SLOT_K)
         && !(uniform && ns_tensor_is_query_or_key (tensor)) && ns_tensor_exists (tensor, experiment, 0, site);
}

/* Return the largest error over the parameters of a stack or an encoder-decoder. */
static double
stack_error (const Setup *setup)
{
  const NsExperiment *experiment = setup->forward;
  gint64 head = ns_experiment_get_head_site (experiment);
  double worst = 0;
  guint checked = 0, blind = 0;

  for (gint64 site = 0; site <= head; site++)
    for (int t = INPUT; t < NS_N_TENSORS; t++)
      {
        double error;

        if (t == INPUT ? site == head || ns_site_get_layer (experiment, site) > 0
                       : !is_checked (experiment, (NsTensor) t, site))
          continue;
        error = parameter_error (setup, t, site, moves_scores (t) ? &blind : NULL);
        if (error > TOLERANCE)
          g_test_message ("%s at %d: %.2g", t == INPUT ? "input" : ns_tensor_get_name ((NsTensor) t), (int) site,
                          error);
        worst = fmax (worst, error);
        checked++;
      }
  /* only with queries and keys so small that the attention no longer depends on them */
  if (blind > 0)
    g_test_message ("%u parameters too weak for a difference", blind);
  g_assert_cmpuint (blind, <=, 6);
  g_assert_cmpuint (checked - blind, >=,
                    (guint) (ns_experiment_get_n_parts (experiment) + 4 * ns_experiment_count_blocks (experiment)));
  return worst;
}

/* ---- the stacks ---- */

typedef enum
{
  UNIT = 1,    /* unit-gradient */
  PAIR = 2,    /* an encoder-decoder */
  DEEPER = 16, /* a decoder of three blocks, an encoder of two */
  GROUPED = 4, /* grouped heads, together wider than the stream */
  ZERO = 8,    /* branches of weight 0 */
  IMAGE = 32,  /* patches of an image, with a class token */
} Kind;

static const NsShape small = { .depth = 3, .d_model = 8, .heads = 2, .d_ff = 12, .seq_len = 3, .batch = 2, .vocab = 7 };

typedef struct
{
  const char *variant;
  double step; /* small for the kinks of ReLU */
  guint kind;  /* of Kind */
} Stack;

#define SMOOTH 3e-4
#define STEEP 3e-5
#define KINKED 1e-6

static const Stack stacks[] = {
  { "pre:activation=gelu", SMOOTH, 0 },
  { "pre", KINKED, 0 },
  { "post:activation=silu,attention=causal", SMOOTH, 0 },
  { "post:activation=swiglu,bias=on,final_norm=on,norm_eps=0.2", SMOOTH, 0 },
  { "sandwich:activation=swiglu,bias=on", SMOOTH, 0 },
  { "branch:norm=rmsnorm,activation=geglu,attention=causal,branch_scale=0.6", SMOOTH, 0 },
  { "none:activation=relu", KINKED, 0 },
  { "none:activation=gelu,final_norm=on,residual_scale=0.8", SMOOTH, 0 },
  { "pre-post:activation=gelu,bias=on,norm=rmsnorm", SMOOTH, 0 },
  { "mix:post_fraction=0.5,activation=silu", SMOOTH, 0 },
  { "deepnorm:activation=gelu", SMOOTH, 0 },
  { "layernorm-scaling:activation=gelu,attention=causal,bias=on", SMOOTH, 0 },
  { "layernorm-scaling:activation=geglu,norm=rmsnorm,topology=parallel", SMOOTH, 0 },
  { "parallel:activation=geglu,bias=on,branch_scale=1.7", SMOOTH, 0 },
  { "post:topology=parallel,activation=gelu,residual_scale=1.5", SMOOTH, 0 },
  { "sandwich:topology=parallel,ffn.norm=pre,activation=silu", SMOOTH, 0 },
  { "branch:topology=parallel,attn.norm=none,activation=silu,norm=rmsnorm", SMOOTH, 0 },
  { "pre-post:topology=parallel,activation=swiglu,attn.residual=off,ffn.residual=off", SMOOTH, 0 },
  { "pre:attention=uniform,attention_output=off,activation=gelu", SMOOTH, 0 },
  { "post:attention=uniform,activation=gelu,bias=on", SMOOTH, UNIT },
  { "pre:attention_output=off,attention=causal,activation=gelu,init.scheme=xavier-uniform,init.residual=gpt2", SMOOTH,
    0 },
  { "post:attn.residual=off,branch_scale=0.7,residual_scale=1.3,activation=gelu,init.scheme=lecun-normal", SMOOTH, 0 },
  { "pre:ffn.residual=off,activation=gelu,init.scheme=kaiming-normal", SMOOTH, 0 },
  { "pre:attn.norm=branch,ffn.norm=post,activation=silu", SMOOTH, 0 },
  { "pre:attn.norm=none,ffn.norm=sandwich,activation=gelu,bias=on", SMOOTH, 0 },
  { "post:attn.norm=pre-post,ffn.norm=none,activation=silu", SMOOTH, UNIT },
  { "sandwich:activation=gelu,attn.residual=off,ffn.residual=off", SMOOTH, UNIT },
  { "post:first_block_pre=on,activation=silu,bias=on", SMOOTH, 0 },
  { "sandwich:sublayers=attention,bias=on,branch_parameter=vector", SMOOTH, 0 },
  { "post:sublayers=ffn,activation=swiglu,bias=on,dual_residual=on", SMOOTH, 0 },
  { "mix:post_fraction=0.34,activation=geglu,norm=rmsnorm", SMOOTH, UNIT },
  { "none:activation=silu,attn.residual=off,ffn.residual=off", SMOOTH, UNIT },
  /* so small that the pass carries scales: eps dominates the norm, and gates square the scale */
  { "none:activation=gelu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-9", SMOOTH, UNIT },
  { "none:activation=swiglu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=2e-3", SMOOTH, UNIT },
  { "pre:activation=silu,attn.residual=off,ffn.residual=off,branch_scale=1e-14", SMOOTH, UNIT },
  { "pre:activation=geglu,bias=on,attn.residual=off,ffn.residual=off,branch_scale=1e-10,norm=rmsnorm", SMOOTH, UNIT },
  { "post:activation=gelu,attn.residual=off,ffn.residual=off,branch_scale=1e-9,norm_eps=1e-18", SMOOTH, UNIT },
  { "branch:activation=gelu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-8", SMOOTH, UNIT },
  /* the projection of patches */
  { "pre:activation=gelu,bias=on", SMOOTH, IMAGE },
  { "post:activation=gelu,input_norm=on,input_scale=0.6", SMOOTH, IMAGE | UNIT },
  { "pre:activation=gelu,streams=2", SMOOTH, IMAGE },
  { "post:activation=gelu,dual_residual=on,bias=on", SMOOTH, IMAGE | PAIR },
  /* grouped heads with a d_head of their own */
  { "pre:activation=gelu,bias=on", SMOOTH, GROUPED },
  { "post:activation=silu,attention=causal,attention_scale=1.3", SMOOTH, GROUPED },
  { "sandwich:activation=geglu-tanh,attention=uniform,norm=rmsnorm", SMOOTH, GROUPED | UNIT },
  /* norms within the branches */
  { "pre:activation=gelu-tanh,qk_norm=full,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,qk_norm=head,norm=rmsnorm,attention=causal", SMOOTH, GROUPED },
  { "none:activation=gelu,qk_norm=qkv-head,bias=on", SMOOTH, GROUPED },
  { "branch:activation=gelu,qk_norm=qkv-head,norm=dyt,bias=on", SMOOTH, 0 },
  { "pre:activation=gelu,qk_norm=cosine,bias=on", SMOOTH, GROUPED },
  { "pre:activation=gelu,qk_norm=full,norm=dyt,dyt_alpha=1.4", SMOOTH, GROUPED },
  /* rotary positions, with key biases that the softmax does not ignore */
  { "pre:activation=gelu,rotary=half,rotary_base=10,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,rotary=interleaved,rotary_dim=2,attention=causal,bias=on", SMOOTH, 0 },
  { "pre:activation=gelu,rotary=half,qk_norm=head,norm=dyt,bias=on", SMOOTH, GROUPED },
  { "pre:activation=gelu,rotary=half,rotary_base=10,rotary_scaling=yarn,rotary_original=9,qk_norm=full", SMOOTH, 0 },
  { "pre:activation=gelu,rotary=half,rotary_base=10,rotary_scaling=yarn,rotary_original=9,rotary_truncate=off,"
    "rotary_attention_factor=1.4", SMOOTH, 0 },
  { "pre:activation=gelu,rotary=half,rotary_base=10,rotary_scaling=longrope,rotary_original=9,rotary_dim=2,"
    "rotary_short_factors=1.5", SMOOTH, 0 },
  { "pre:activation=gelu,rotary=half,rotary_base=10,rotary_skip_every=2", SMOOTH, GROUPED },
  { "pre:activation=gelu,rotary=interleaved,rotary_base=10,qk_norm=head-rotary,norm_eps=0.1,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,rotary=half,qk_norm=head-rotary,rotary_skip_every=2,norm=dyt", SMOOTH, 0 },
  { "pre:activation=gelu,rotary=half,qk_norm=head-rotary,rotary_skip_every=2", SMOOTH, PAIR },
  { "pre:activation=gelu,position_bias=alibi,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,position_bias=alibi,attention=causal,qk_norm=head", SMOOTH, 0 },
  { "pre:activation=gelu,position_bias=alibi-scaled,attention_scale=0.3", SMOOTH, 0 },
  { "pre:activation=gelu,window=2,attention=causal,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,window=2,window_full_every=2,rotary=half,rotary_base=10,rotary_base_local=90", SMOOTH, 0 },
  /* soft caps that the scores and logits come near */
  { "pre:activation=gelu,score_cap=0.2,attention=causal,logit_cap=0.5", SMOOTH, GROUPED },
  { "post:activation=gelu,score_cap=0.5,position_bias=alibi,bias=on", SMOOTH, 0 },
  { "pre:activation=gelu,score_cap=0.2,logit_scale=0.3,logit_cap=0.5,bias=on", SMOOTH, PAIR },
  /* the head transform, with and without a gate that it leaves out */
  { "post:activation=gelu,head_transform=on,bias=on,input_norm=on", SMOOTH, 0 },
  { "pre:activation=swiglu,head_transform=on,norm=rmsnorm,logit_cap=0.5", SMOOTH, GROUPED },
  { "pre:activation=geglu-tanh,head_transform=on,norm=dyt,bias=on,dual_residual=on", SMOOTH, PAIR },
  { "none:activation=gelu,head_transform=on,final_norm=off,attn.residual=off,ffn.residual=off,branch_scale=1e-4,"
    "norm_eps=1e-60", SMOOTH, 0 },
  /* relative biases, whose gradient is a sum over the blocks */
  { "pre:activation=gelu,position_bias=t5,position_buckets=6,position_distance=4,bias=on", SMOOTH, GROUPED },
  { "post:activation=gelu,position_bias=t5,position_buckets=4,position_distance=3,attention=causal", SMOOTH, UNIT },
  /* nGPT, where the gradient of a step goes through x and the branch */
  { "ngpt:activation=swiglu,attention=causal,rotary=half,rotary_base=10", SMOOTH, 0 },
  { "ngpt:activation=gelu,branch_scale=0.7", STEEP, UNIT },
  { "ngpt:activation=silu,branch_scale=1,score_cap=0.5,logit_cap=0.5,window=2", STEEP, 0 },
  { "pre:activation=gelu,experts=4,init.scheme=lecun-normal", SMOOTH, 0 },
  { "post:activation=swiglu,experts=5,experts_per_token=3,expert_weights=softmax,shared_experts=2", SMOOTH, GROUPED },
  { "none:activation=gelu,experts=3,experts_per_token=1,expert_weights=softmax,shared_experts=1", SMOOTH, UNIT },
  { "parallel:activation=geglu,experts=4,shared_experts=1", SMOOTH, 0 },
  { "pre:activation=swiglu,experts=4,experts_per_token=1,expert_weights=sigmoid-input", SMOOTH, GROUPED },
  { "post:activation=gelu,experts=4,expert_weights=sigmoid-input,shared_experts=1,shared_expert_gate=off", SMOOTH, 0 },
  { "none:activation=swiglu,experts=3,expert_weights=sigmoid-input,shared_experts=2,branch_scale=0.1", SMOOTH, UNIT },
  { "pre:activation=gelu,attn.inner_norm=on,ffn.inner_norm=on,bias=on,init.residual=sub-ln", SMOOTH, GROUPED },
  { "none:activation=swiglu,ffn.inner_norm=on,norm=rmsnorm,attention=uniform", SMOOTH, 0 },
  { "sandwich:activation=gelu,attn.inner_norm=on,norm=dyt,bias=on", SMOOTH, UNIT },
  { "pre:activation=silu,norm=dyt,dyt_alpha=0.8,bias=on", SMOOTH, 0 },
  { "post:activation=gelu,norm=dyt,residual_scale=admin", SMOOTH, 0 },
  { "pre-post:activation=swiglu,norm=dyt,bias=on,topology=parallel-two-norms", SMOOTH, 0 },
  { "layernorm-scaling:activation=gelu,norm=dyt,dyt_alpha=2", SMOOTH, UNIT },
  { "branch:activation=gelu,branch_norm_gain=0.3,bias=on", SMOOTH, 0 },
  { "sandwich:activation=gelu,branch_norm_gain=0", SMOOTH, ZERO },
  { "parallel-two-norms:activation=gelu,bias=on,branch_scale=inverse-sqrt-depth", SMOOTH, 0 },
  { "sandwich:topology=parallel-two-norms,activation=geglu,branch_parameter=vector", SMOOTH, UNIT },
  /* learned scales */
  { "pre:activation=gelu,branch_parameter=scalar,branch_scale=0.7", SMOOTH, 0 },
  { "post:activation=gelu,branch_parameter=vector,branch_scale=1.3,bias=on", SMOOTH, 0 },
  { "sandwich:activation=swiglu,branch_parameter=vector,branch_scale=1e-2", SMOOTH, UNIT },
  { "parallel:activation=gelu,branch_parameter=scalar,branch_scale=0.4", SMOOTH, 0 },
  { "none:activation=gelu,branch_parameter=scalar,branch_scale=0", SMOOTH, ZERO },
  { "pre:activation=gelu,branch_parameter=vector,branch_scale=0,dual_residual=on", SMOOTH, ZERO },
  /* second shortcuts and streams */
  { "post:activation=gelu,block_residual=on", SMOOTH, 0 },
  { "pre:activation=swiglu,block_residual=on,residual_scale=0.8,branch_scale=1.2", SMOOTH, UNIT },
  { "post:activation=gelu,block_residual=on,ffn.residual=off,attn.residual=off,bias=on", SMOOTH, 0 },
  { "pre:activation=gelu,streams=3", SMOOTH, 0 },
  { "none:activation=gelu,streams=2,bias=on,branch_scale=0.7", SMOOTH, 0 },
  { "sandwich:activation=swiglu,streams=4,norm=rmsnorm,input_norm=on", SMOOTH, UNIT },
  { "branch:activation=gelu,streams=2,branch_parameter=vector,branch_scale=1.2,final_norm=off", SMOOTH, 0 },
  { "pre:activation=gelu,streams=2,norm=dyt,norm_scale=layernorm-scaling", SMOOTH, 0 },
  { "none:activation=gelu,streams=2,stream_weights=dynamic", SMOOTH, 0 },
  { "pre:activation=gelu,streams=3,stream_weights=dynamic,norm=dyt", SMOOTH, UNIT },
  { "none:activation=gelu,streams=3,stream_weights=manifold,branch_scale=0.7", SMOOTH, 0 },
  { "pre:activation=gelu,streams=2,stream_weights=manifold", SMOOTH, UNIT },
  { "post:activation=gelu,dual_residual=on", SMOOTH, 0 },
  { "post:activation=gelu,dual_residual=on,final_norm=off,branch_scale=0.6", SMOOTH, 0 },
  { "sandwich:activation=swiglu,dual_residual=on,block_residual=on,branch_scale=1.4,bias=on", SMOOTH, UNIT },
  { "post:activation=gelu,dual_residual=on,branch_parameter=vector,attn.residual=off", SMOOTH, 0 },
  { "post:activation=gelu,dual_residual=on,norm=dyt,input_norm=on", SMOOTH, 0 },
  /* the input */
  { "pre:activation=gelu,input_norm=on,bias=on,input_scale=0.3", SMOOTH, 0 },
  { "post:activation=gelu,input_norm=on,norm=dyt,bias=on,input_scale=t-fixup", SMOOTH, UNIT },
  { "none:activation=gelu,input_scale=1.7,input_norm=on,norm=rmsnorm,norm_eps=0.3", SMOOTH, 0 },
  /* an encoder and a decoder */
  { "pre:activation=gelu", SMOOTH, PAIR },
  { "pre", KINKED, PAIR },
  { "post:activation=gelu,bias=on", SMOOTH, PAIR },
  { "post:activation=swiglu,norm=rmsnorm", SMOOTH, PAIR | UNIT },
  { "sandwich:activation=gelu,norm=rmsnorm,bias=on", SMOOTH, PAIR | GROUPED },
  { "branch:activation=gelu,branch_norm_gain=0.5", SMOOTH, PAIR },
  { "none:activation=gelu,bias=on", SMOOTH, PAIR },
  { "pre-post:activation=silu", SMOOTH, PAIR | UNIT },
  { "mix:post_fraction=0.5,activation=gelu", SMOOTH, PAIR },
  { "hybrid-star:activation=gelu", SMOOTH, PAIR },
  { "deepnorm:activation=gelu", SMOOTH, PAIR },
  { "layernorm-scaling:activation=gelu,bias=on", SMOOTH, PAIR },
  { "pre:activation=gelu,attention=uniform,bias=on", SMOOTH, PAIR },
  { "post:activation=gelu,attention=uniform,attention_output=off", SMOOTH, PAIR | UNIT },
  { "pre:activation=gelu,attention=causal,attention_output=off", SMOOTH, PAIR },
  { "pre:activation=gelu,cross.norm=post,cross.residual=off", SMOOTH, PAIR },
  { "post:activation=gelu,cross.norm=none,attn.residual=off,cross.residual=on,branch_scale=0.7", SMOOTH, PAIR },
  { "none:activation=gelu,cross.norm=sandwich,cross.inner_norm=on,bias=on", SMOOTH, PAIR },
  { "pre:activation=gelu,rotary=interleaved,rotary_base=10,bias=on", SMOOTH, PAIR },
  { "pre:activation=gelu,position_bias=alibi,bias=on", SMOOTH, PAIR },
  { "pre:activation=gelu,window=2,position_bias=alibi", SMOOTH, PAIR },
  { "pre:activation=gelu,position_bias=t5,position_buckets=4,position_distance=3,bias=on", SMOOTH, PAIR },
  { "pre:activation=gelu,experts=4,shared_experts=1", SMOOTH, PAIR },
  { "pre:activation=gelu,qk_norm=full,attn.inner_norm=on,cross.inner_norm=off", SMOOTH, PAIR | GROUPED },
  { "pre:activation=gelu,qk_norm=qkv-head,attn.inner_norm=on,ffn.inner_norm=on,bias=on", SMOOTH, PAIR | GROUPED },
  { "post:activation=gelu,qk_norm=cosine,attention_scale=2", STEEP, PAIR | GROUPED },
  { "pre:activation=gelu,qk_norm=head,norm=dyt,bias=on,attention_scale=2", 1e-4, PAIR | GROUPED },
  { "post:activation=gelu,norm=dyt,input_norm=on,bias=on,input_scale=0.6", SMOOTH, PAIR | UNIT },
  { "post:activation=gelu,block_residual=on", SMOOTH, PAIR },
  { "pre:activation=gelu,block_residual=on,branch_scale=0.8", SMOOTH, PAIR | UNIT },
  { "post:activation=gelu,dual_residual=on", SMOOTH, PAIR },
  { "post:activation=gelu,dual_residual=on,block_residual=on,branch_scale=0.7,bias=on", SMOOTH, PAIR | UNIT },
  { "sandwich:activation=gelu,dual_residual=on,final_norm=off,input_norm=on", SMOOTH, PAIR },
  { "pre:activation=gelu,branch_parameter=vector,branch_scale=0.6", SMOOTH, PAIR },
  { "branch:activation=gelu,branch_parameter=scalar,branch_scale=1.2,dual_residual=on", SMOOTH, PAIR },
  { "none:activation=gelu,branch_parameter=scalar,branch_scale=0", SMOOTH, PAIR | ZERO },
  { "post:activation=gelu,init.scheme=fairseq,init.residual=t-fixup,input_scale=t-fixup", SMOOTH, PAIR },
  { "pre:activation=geglu,init.scheme=t5,attention_scale=1,norm=rmsnorm", SMOOTH, PAIR | GROUPED },
  { "post:activation=gelu,init.scheme=mitchell,init.residual=ds-init,residual_scale=admin", SMOOTH, PAIR },
  { "pre:activation=gelu,final_norm=off", SMOOTH, PAIR },
  { "post:activation=gelu,final_norm=on,bias=on", SMOOTH, PAIR | UNIT },
  { "deepnorm:activation=gelu,bias=on", SMOOTH, DEEPER },
  { "pre:activation=gelu,bias=on,branch_parameter=scalar,branch_scale=inverse-sqrt-depth", SMOOTH, DEEPER },
  { "none:activation=gelu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-9,branch_parameter=vector,"
    "branch_scale=0.7", SMOOTH, UNIT },
  /* so small that the pass carries scales, also from the encoder. Uniform attention ignores queries, so that only the
   * last block's cross-attention and FFN matter in the decoder. */
  { "none:activation=gelu,attention=uniform,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-9",
    SMOOTH, PAIR | UNIT },
  { "pre:activation=gelu,attention=uniform,attn.residual=off,ffn.residual=off,branch_scale=1e-14", SMOOTH,
    PAIR | UNIT },
  { "none:activation=gelu,attention=uniform,norm=dyt,attn.inner_norm=on,attn.residual=off,ffn.residual=off,"
    "init.scheme=normal,init.std=1e-12", SMOOTH, PAIR | UNIT },
  { "branch:activation=swiglu,attention=uniform,final_norm=on,attn.residual=off,ffn.residual=off,init.scheme=normal,"
    "init.std=1e-5", SMOOTH, PAIR | UNIT },
};

static NsExperiment *
make_experiment (const char *variant, guint kind)
{
  NsExperiment *experiment;
  NsShape shape = small;

  if (kind & GROUPED)
    {
      shape.heads = 4;
      shape.kv_heads = 2;
      shape.d_head = 3;
    }
  if (kind & PAIR)
    {
      shape.stack = NS_STACK_ENCODER_DECODER;
      shape.depth = 2;
    }
  if (kind & DEEPER)
    {
      shape.stack = NS_STACK_ENCODER_DECODER;
      shape.depth = 2;
      shape.decoder_depth = 3;
    }
  if (kind & IMAGE)
    shape.patch_features = 5;
  experiment = check_experiment (shape, variant);
  if (kind & IMAGE)
    {
      experiment->data.class_token = NS_CLASS_TOKEN_NORMAL;
      experiment->data.positions = NS_POSITIONS_LEARNED;
      experiment->data.embed_scale = (NsScale){ 0, 0.7 };
    }
  experiment->loss = kind & UNIT ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  return experiment;
}

static void
test_stack (gconstpointer data)
{
  static const struct
  {
    NsTensor tensor;
    gint64 site;
  } planted[] = { { NS_T_W_1, 2 }, { NS_T_W_V, 1 }, { NS_T_W_PATCH, 0 } }; /* those that there are */
  const Stack *stack = data;
  g_autoptr (NsExperiment) experiment = make_experiment (stack->variant, stack->kind);
  Setup setup = { experiment, experiment, stack->step, 0 };
  double error = stack_error (&setup);
  NsTensor last;

  g_test_message ("%s: %.2g", stack->variant, error);
  g_assert_cmpfloat (error, <=, TOLERANCE);

  if (stack->kind & ZERO)
    return;
  setup.planted = 1;
  g_assert_cmpfloat (parameter_error (&setup, INPUT, 0, NULL), >, 1e-4);
  for (gsize i = 0; i < G_N_ELEMENTS (planted); i++)
    if (ns_tensor_exists (planted[i].tensor, experiment, 0, planted[i].site))
      g_assert_cmpfloat (parameter_error (&setup, planted[i].tensor, planted[i].site, NULL), >, 1e-4);
  if (stack->kind & PAIR)
    {
      gint64 site = ns_experiment_get_site (experiment, NS_PART_DECODER, 2);

      g_assert_cmpfloat (parameter_error (&setup, NS_T_CROSS_W_V, site, NULL), >, 1e-4);
    }
  setup.planted = 2;
  last = ns_tensor_exists (NS_T_W_2, experiment, 0, 1) ? NS_T_W_2 : NS_T_W_O;
  g_assert_cmpfloat (parameter_error (&setup, last, 1, NULL), >, 1e-3);
}

/* Take the gradient from a variant that differs in one term. The error is that of a term missing from the backward
 * pass, and the check must find it. */
static const struct
{
  const char *both, *forward, *backward; /* what both variants are, and what each is besides */
  guint kind;
} planted_terms[] = {
  { "post:activation=gelu", ",branch_scale=1.001", "", 0 },
  { "pre:activation=gelu", ",residual_scale=1.001", "", 0 },
  { "pre:activation=gelu", ",norm_eps=0.001", "", 0 },
  { "sandwich:activation=gelu", ",norm=rmsnorm", "", 0 },
  { "", "layernorm-scaling:activation=gelu", "pre:activation=gelu", 0 },
  { "pre:activation=gelu", ",attention=causal", "", 0 },
  { "pre", ":activation=silu", ":activation=gelu", 0 },
  { "pre:activation=gelu", ",ffn.residual=off", "", 0 },
  { "", "pre:activation=gelu,attn.norm=branch", "branch:activation=gelu", 0 },
  { "", "parallel:activation=gelu", "pre:activation=gelu", 0 },
  { "pre:activation=gelu", ",init.residual=0.999", "", 0 },
  { "post:activation=gelu", ",block_residual=on", "", 0 },
  { "post:activation=gelu", ",dual_residual=on", ",final_norm=on", 0 },
  { "pre:activation=gelu,final_norm=off", ",streams=2", ",streams=3", 0 },
  { "none:activation=gelu,streams=3,final_norm=off", ",stream_weights=manifold", "", 0 },
  { "pre:activation=gelu", ",ffn.inner_norm=on", "", 0 },
  { "pre:activation=gelu", ",qk_norm=head", "", 0 },
  { "pre:activation=gelu", ",attention_scale=0.51", "", 0 },
  { "pre:activation=gelu", ",rotary=half", "", 0 },
  { "pre:activation=gelu", ",rotary=half", ",rotary=interleaved", 0 },
  { "pre:activation=gelu,rotary=half", "", ",rotary_base=9900", 0 },
  { "pre:activation=gelu,rotary=half,rotary_scaling=yarn", ",rotary_attention_factor=1.3", "", 0 },
  { "pre:activation=gelu,rotary=half,rotary_dim=2,rotary_scaling=longrope", ",rotary_short_factors=1.3", "", 0 },
  { "pre:activation=gelu", ",position_bias=alibi", "", 0 },
  { "pre:activation=gelu", ",window=2", "", 0 },
  { "pre:activation=gelu,window=2", ",window_full_every=2", "", 0 },
  { "pre:activation=gelu,window=2", ",window_after=1", "", 0 },
  { "pre:activation=gelu,rotary=half,window=2", ",rotary_base_local=20", "", 0 },
  { "pre:activation=gelu,rotary=half", ",rotary_skip_every=2", "", 0 },
  { "pre:activation=gelu,rotary=half", ",qk_norm=head-rotary", "", 0 },
  { "pre:activation=gelu,experts=4", ",expert_weights=sigmoid-input", ",expert_weights=softmax", 0 },
  { "pre:activation=gelu,experts=4,shared_experts=1", ",shared_expert_gate=off", "", 0 },
  { "pre:activation=gelu", ",score_cap=2", "", 0 },
  { "pre:activation=gelu", ",logit_scale=0.999", "", 0 },
  { "pre:activation=gelu", ",logit_cap=2", "", 0 },
  { "pre:activation=gelu", ",head_transform=on", "", 0 },
  { "pre:activation=gelu", ",position_bias=t5", "", 0 },
  { "pre:activation=gelu,position_bias=t5,position_buckets=6", ",position_distance=4", ",position_distance=9", 0 },
  { "ngpt:activation=gelu", ",branch_scale=0.501", ",branch_scale=0.5", 0 },
  { "branch:activation=gelu", ",branch_norm_gain=1.001", "", 0 },
  { "pre:activation=gelu,norm=dyt", ",dyt_alpha=0.501", "", 0 },
  { "pre:activation=gelu", ",input_norm=on", "", 0 },
  { "pre:activation=gelu", ",input_scale=1.001", "", 0 },
  { "pre", ":activation=gelu-tanh", ":activation=gelu", 0 },
  { "pre:activation=gelu", ",cross.norm=none", "", PAIR },
  { "pre:activation=gelu", ",cross.residual=off", "", PAIR },
  { "pre:activation=gelu", ",final_norm=off", "", PAIR | UNIT },
  { "post:activation=gelu", ",dual_residual=on", ",final_norm=on", PAIR },
};

static void
test_planted_terms (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (planted_terms); i++)
    {
      g_autofree char *one = g_strconcat (planted_terms[i].both, planted_terms[i].forward, NULL);
      g_autofree char *other = g_strconcat (planted_terms[i].both, planted_terms[i].backward, NULL);
      g_autoptr (NsExperiment) forward = make_experiment (one, planted_terms[i].kind);
      g_autoptr (NsExperiment) backward = make_experiment (other, planted_terms[i].kind);
      Setup setup = { forward, backward, SMOOTH, 0 };
      double error = parameter_error (&setup, NS_T_W_1, 1, NULL);

      g_test_message ("%s, %s: %.2g", one, other, error);
      g_assert_cmpfloat (error, >, 10 * TOLERANCE);
      setup.backward = forward;
      g_assert_cmpfloat (parameter_error (&setup, NS_T_W_1, 1, NULL), <=, TOLERANCE);
    }
}

void
add_gradients_tests (void)
{
  weights = ns_weights_new (1 << 24);
  for (gsize i = 0; i < G_N_ELEMENTS (stacks); i++)
    {
      const char *loss = stacks[i].kind & UNIT ? "-unit" : "", *stack = stacks[i].kind & PAIR ? "-pair" : "";
      const char *heads = stacks[i].kind & GROUPED ? "-grouped" : "";
      g_autofree char *path
          = g_strdup_printf ("/gradients/%02u%s%s%s-%s", (guint) i, stack, heads, loss, stacks[i].variant);

      g_test_add_data_func (path, &stacks[i], test_stack);
    }
  g_test_add_func ("/gradients/planted-terms", test_planted_terms);
}
