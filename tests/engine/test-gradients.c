/* Whole passes: the loss of a stack as a function of each of its parameters, and of its input, against the gradients
 * that the backward pass hands out. Fourth-order differences along random directions, in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ns-pass.h"

#include <string.h>

#define TOLERANCE 1e-6
#define INPUT (-1) /* in place of a tensor: x_0 */

/* One parameter that is moved along a direction, and the gradient that is asked for. */
typedef struct
{
  NsPass *pass;
  int tensor; /* NsTensor, or INPUT */
  gint64 block;
  gsize n;
  const ns_real *direction; /* [n], or NULL: nothing is moved */
  double step;
  ns_real *moved; /* [n] */
  gboolean input_is_read;
  /* what backward gave: */
  double *gradient; /* [n], or NULL: not wanted */
  double bias_norm; /* ‖Σ_n dy‖ of a matrix */
  gboolean seen;
  double log10_recorded, log10_bias_recorded;
} Probe;

/* Where the measurements of a pass go: what belongs to the probed parameter is kept. */
static void
record (gpointer data, NsQuantity quantity, gint64 site, double value, double log10_value)
{
  Probe *probe = data;

  if (probe->tensor == INPUT ? quantity == NS_Q_GRAD_X && site == 0
                             : (int) quantity == probe->tensor && site == probe->block)
    probe->log10_recorded = log10_value;
  if (probe->tensor != INPUT && (int) quantity == NS_N_BLOCK_MATRICES + probe->tensor && site == probe->block)
    probe->log10_bias_recorded = log10_value;
}

/* The first parameter that a pass asks for is asked for after x_0 has been drawn and before it is read. */
static void
move_input (Probe *probe)
{
  if (probe->tensor == INPUT && !probe->input_is_read && probe->direction != NULL)
    for (gsize i = 0; i < probe->n; i++)
      probe->pass->work->x[0].v[i] += probe->step * probe->direction[i];
  probe->input_is_read = TRUE;
}

static const ns_real *
get_weights (gpointer data, NsTensor tensor, gint64 block)
{
  Probe *probe = data;
  gint64 rows, columns;
  const NsPlan *plan = &probe->pass->plan;
  gint64 layer = tensor == NS_T_W_HEAD ? 0 : ns_plan_get_layer (plan, block);
  NsStream stream = ns_tensor_get_stream (tensor, ns_plan_get_part (plan, block));
  NsRandomKey key = { probe->pass->seed, (guint32) layer, stream };
  double std = ns_plan_get_std (plan, tensor, block);

  move_input (probe);
  if ((int) tensor != probe->tensor || block != probe->block || probe->direction == NULL)
    return NULL;
  ns_tensor_get_shape (tensor, &probe->pass->plan.experiment->shape, probe->pass->plan.variant, &rows, &columns);
  ns_weights_fill (probe->moved, key, probe->pass->plan.distribution, (gsize) columns, 0, (gsize) rows, 0,
                   (gsize) columns);
  for (gsize i = 0; i < probe->n; i++) /* W = std·u: a step of std·direction in W */
    probe->moved[i] += probe->step * probe->direction[i];
  return std > 0 ? probe->moved : NULL;
}

static const ns_real *
get_vector (gpointer data, NsTensor tensor, gint64 block)
{
  Probe *probe = data;
  gboolean is_bias = tensor >= NS_T_BIAS_ATTN_PRE && tensor <= NS_T_BIAS_FINAL;

  move_input (probe);
  if ((int) tensor != probe->tensor || block != probe->block || probe->direction == NULL)
    return NULL;
  for (gsize i = 0; i < probe->n; i++)
    probe->moved[i] = (is_bias ? 0 : 1) + probe->step * probe->direction[i];
  return probe->moved;
}

static void
take_matrix_gradient (gpointer data, NsTensor tensor, gint64 block, const ns_real *x, const ns_real *dy,
                      double exponent)
{
  Probe *probe = data;
  gsize N = probe->pass->plan.N, in, out;
  gint64 rows, columns;
  double bias2 = 0;

  if ((int) tensor != probe->tensor || block != probe->block || probe->gradient == NULL)
    return;
  ns_tensor_get_shape (tensor, &probe->pass->plan.experiment->shape, probe->pass->plan.variant, &rows, &columns);
  in = (gsize) rows;
  out = (gsize) columns;
  memset (probe->gradient, 0, in * out * sizeof (double));
  for (gsize o = 0; o < out; o++)
    {
      double column = 0;

      for (gsize n = 0; n < N; n++)
        {
          column += dy[n * out + o];
          for (gsize i = 0; i < in; i++)
            probe->gradient[i * out + o] += x[n * in + i] * dy[n * out + o];
        }
      bias2 += column * column;
    }
  for (gsize i = 0; i < in * out; i++)
    probe->gradient[i] *= exp2 (exponent);
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

static double
run (const NsExperiment *experiment, Probe *probe)
{
  NsPassHooks hooks = { get_weights, get_vector, take_matrix_gradient, take_vector_gradient, probe };
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsWeights *weights = ns_weights_new (1 << 24);
  NsPass pass;
  double loss = NAN;

  g_assert_true (ns_workspace_init (&work, &memory, experiment, TRUE, NULL));
  ns_pass_init (&pass, experiment, 0, 5, &work, weights);
  pass.hooks = &hooks;
  pass.sink = (NsSink){ .record = record, .data = probe };
  probe->pass = &pass;
  probe->input_is_read = FALSE;
  g_assert_cmpint (ns_pass_run (&pass, NULL, &loss), ==, NS_PASS_DONE);
  if (probe->tensor == INPUT && probe->gradient != NULL)
    {
      for (gsize i = 0; i < probe->n; i++)
        probe->gradient[i] = pass.dx.v[i] * exp2 (pass.dx.exp2);
      probe->seen = TRUE;
    }
  ns_weights_free (weights);
  ns_workspace_memory_clear (&memory);
  return loss;
}

static double
loss_at (const NsExperiment *experiment, Probe *probe, double step)
{
  probe->step = step;
  return run (experiment, probe);
}

/* The directional derivative of the loss from four passes. */
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
  const NsExperiment *forward, *backward; /* the loss is that of `forward`, the gradient that of `backward` */
  double step;
  int planted; /* 0: nothing; 1: the largest entry of the gradient is off; 2: a row is swapped for another */
} Setup;

static gsize
count_elements (const NsExperiment *experiment, int tensor)
{
  const NsShape *s = &experiment->shape;
  gint64 rows, columns;

  if (tensor == INPUT)
    return (gsize) (s->batch * s->seq_len * s->d_model);
  ns_tensor_get_shape ((NsTensor) tensor, s, ns_experiment_variant (experiment, 0), &rows, &columns);
  return (gsize) (rows * columns);
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

/* The root of the sum of squares, where the squares may be no double. */
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

/* What the recorded norm of a bias's gradient is off by. Its power of two is dy's own, which the hook does not tell
 * apart from x's: any whole one will do where scales are carried. */
static double
bias_error (const Probe *probe)
{
  double ratio = probe->log10_bias_recorded / log10 (2) - log2 (probe->bias_norm);

  return isfinite (ratio) ? fabs (ratio - round (ratio)) : INFINITY;
}

/* How far gradient and difference lie apart, and the recorded norm from the gradient's: Inf where anything is not
 * finite. *blind (nullable) grows by one where the loss depends on the parameter too weakly for differences to tell. */
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
  if (!isfinite (typical) || !isfinite (probe.log10_recorded))
    return INFINITY;
  worst = fabs (probe.log10_recorded - log10 (typical)) * log (10);
  /* b_K moves all scores of a row alike: its gradient is 0 but for rounding */
  if (ns_experiment_variant (setup->backward, 0)->bias && is_matrix && tensor != NS_T_W_HEAD && tensor != NS_T_W_K)
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

/* The largest error over the parameters of a stack. */
static double
stack_error (const Setup *setup)
{
  const NsExperiment *experiment = setup->forward;
  gint64 depth = experiment->shape.depth;
  gboolean uniform = ns_experiment_variant (experiment, 0)->attention == NS_ATTENTION_UNIFORM;
  double worst = parameter_error (setup, INPUT, 0, NULL);
  guint checked = 1, blind = 0;

  for (gint64 site = 1; site <= depth + 1; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      {
        gboolean is_linear_bias = (t >= NS_T_B_Q && t <= NS_T_CROSS_B_O) || t == NS_T_B_HEAD;
        double error;

        /* W_Q = W_K = 0 of uniform attention is no variable of the loss; a linear map's bias comes with its matrix */
        if (is_linear_bias || (uniform && (t == NS_T_W_Q || t == NS_T_W_K))
            || !ns_quantity_exists ((NsQuantity) t, experiment, 0, site))
          continue;
        error = parameter_error (setup, t, site, t <= NS_T_W_K ? &blind : NULL);
        if (error > TOLERANCE)
          g_test_message ("%s in block %d: %.2g", ns_quantity_info ((NsQuantity) t)->name, (int) site, error);
        worst = fmax (worst, error);
        checked++;
      }
  /* only where queries and keys have become so small that the attention no longer depends on them */
  if (blind > 0)
    g_test_message ("%u parameters beyond differences", blind);
  g_assert_cmpuint (blind, <=, 6);
  g_assert_cmpuint (checked - blind, >=, (guint) (1 + 4 * depth));
  return worst;
}

/* ---- the stacks ---- */

static const NsShape small = { .depth = 3, .d_model = 8, .heads = 2, .d_ff = 12, .seq_len = 3, .batch = 2, .vocab = 7 };

typedef struct
{
  const char *variant;
  double step; /* kinks of ReLU want a small one */
  gboolean unit_gradient;
} Stack;

#define SMOOTH 3e-4
#define KINKED 1e-6

static const Stack stacks[] = {
  { "pre:activation=gelu", SMOOTH, FALSE },
  { "pre", KINKED, FALSE },
  { "post:activation=silu,attention=causal", SMOOTH, FALSE },
  { "post:activation=swiglu,bias=on,final_norm=on,norm_eps=0.2", SMOOTH, FALSE },
  { "sandwich:activation=swiglu,bias=on", SMOOTH, FALSE },
  { "branch:norm=rmsnorm,activation=geglu,attention=causal,branch_scale=0.6", SMOOTH, FALSE },
  { "none:activation=relu", KINKED, FALSE },
  { "none:activation=gelu,final_norm=on,residual_scale=0.8", SMOOTH, FALSE },
  { "pre-post:activation=gelu,bias=on,norm=rmsnorm", SMOOTH, FALSE },
  { "mix:post_fraction=0.5,activation=silu", SMOOTH, FALSE },
  { "deepnorm:activation=gelu", SMOOTH, FALSE },
  { "layernorm-scaling:activation=gelu,attention=causal,bias=on", SMOOTH, FALSE },
  { "layernorm-scaling:activation=geglu,norm=rmsnorm,topology=parallel", SMOOTH, FALSE },
  { "parallel:activation=geglu,bias=on,branch_scale=1.7", SMOOTH, FALSE },
  { "post:topology=parallel,activation=gelu,residual_scale=1.5", SMOOTH, FALSE },
  { "sandwich:topology=parallel,ffn.norm=pre,activation=silu", SMOOTH, FALSE },
  { "branch:topology=parallel,attn.norm=none,activation=silu,norm=rmsnorm", SMOOTH, FALSE },
  { "pre-post:topology=parallel,activation=swiglu,attn.residual=off,ffn.residual=off", SMOOTH, FALSE },
  { "pre:attention=uniform,attention_output=off,activation=gelu", SMOOTH, FALSE },
  { "post:attention=uniform,activation=gelu,bias=on", SMOOTH, TRUE },
  { "pre:attention_output=off,attention=causal,activation=gelu,init.scheme=xavier-uniform,init.residual=gpt2", SMOOTH,
    FALSE },
  { "post:attn.residual=off,branch_scale=0.7,residual_scale=1.3,activation=gelu,init.scheme=lecun-normal", SMOOTH,
    FALSE },
  { "pre:ffn.residual=off,activation=gelu,init.scheme=kaiming-normal", SMOOTH, FALSE },
  { "pre:attn.norm=branch,ffn.norm=post,activation=silu", SMOOTH, FALSE },
  { "pre:attn.norm=none,ffn.norm=sandwich,activation=gelu,bias=on", SMOOTH, FALSE },
  { "post:attn.norm=pre-post,ffn.norm=none,activation=silu", SMOOTH, TRUE },
  { "sandwich:activation=gelu,attn.residual=off,ffn.residual=off", SMOOTH, TRUE },
  { "mix:post_fraction=0.34,activation=geglu,norm=rmsnorm", SMOOTH, TRUE },
  { "none:activation=silu,attn.residual=off,ffn.residual=off", SMOOTH, TRUE },
  /* so small that the pass carries scales: the norm is the eps alone, and gates square the scale */
  { "none:activation=gelu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-9", SMOOTH, TRUE },
  { "none:activation=swiglu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=2e-3", SMOOTH, TRUE },
  { "pre:activation=silu,attn.residual=off,ffn.residual=off,branch_scale=1e-14", SMOOTH, TRUE },
  { "pre:activation=geglu,bias=on,attn.residual=off,ffn.residual=off,branch_scale=1e-10,norm=rmsnorm", SMOOTH, TRUE },
  { "post:activation=gelu,attn.residual=off,ffn.residual=off,branch_scale=1e-9,norm_eps=1e-18", SMOOTH, TRUE },
  { "branch:activation=gelu,attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-8", SMOOTH, TRUE },
};

static NsExperiment *
make_experiment (const char *variant, gboolean unit_gradient)
{
  NsExperiment *experiment = check_experiment (small, variant);

  experiment->loss = unit_gradient ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  return experiment;
}

static void
test_stack (gconstpointer data)
{
  const Stack *stack = data;
  g_autoptr (NsExperiment) experiment = make_experiment (stack->variant, stack->unit_gradient);
  Setup setup = { experiment, experiment, stack->step, 0 };
  double error = stack_error (&setup);

  g_test_message ("%s: %.2g", stack->variant, error);
  g_assert_cmpfloat (error, <=, TOLERANCE);

  setup.planted = 1;
  g_assert_cmpfloat (parameter_error (&setup, NS_T_W_1, 2, NULL), >, 1e-4);
  g_assert_cmpfloat (parameter_error (&setup, NS_T_W_V, 1, NULL), >, 1e-4);
  g_assert_cmpfloat (parameter_error (&setup, INPUT, 0, NULL), >, 1e-4);
  setup.planted = 2;
  g_assert_cmpfloat (parameter_error (&setup, NS_T_W_2, 1, NULL), >, 1e-3);
}

/* A backward pass that is right for another stack is wrong for this one, and that is seen: what a term left out of the
 * backward pass would do. The second variant differs from the first where the name says. */
static const struct
{
  const char *what, *forward, *backward;
} planted_terms[] = {
  { "branch_scale", "post:activation=gelu,branch_scale=1.001", "post:activation=gelu" },
  { "residual_scale", "pre:activation=gelu,residual_scale=1.001", "pre:activation=gelu" },
  { "norm_eps", "pre:activation=gelu,norm_eps=0.001", "pre:activation=gelu" },
  { "norm", "sandwich:activation=gelu,norm=rmsnorm", "sandwich:activation=gelu" },
  { "norm_scale", "layernorm-scaling:activation=gelu", "pre:activation=gelu" },
  { "attention", "pre:activation=gelu,attention=causal", "pre:activation=gelu" },
  { "activation", "pre:activation=silu", "pre:activation=gelu" },
  { "residual", "pre:activation=gelu,ffn.residual=off", "pre:activation=gelu" },
  { "placement", "pre:activation=gelu,attn.norm=branch", "branch:activation=gelu" },
  { "topology", "parallel:activation=gelu", "pre:activation=gelu" },
  { "init", "pre:activation=gelu,init.residual=0.999", "pre:activation=gelu" },
};

static void
test_planted_terms (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (planted_terms); i++)
    {
      g_autoptr (NsExperiment) forward = make_experiment (planted_terms[i].forward, FALSE);
      g_autoptr (NsExperiment) backward = make_experiment (planted_terms[i].backward, FALSE);
      Setup setup = { forward, backward, SMOOTH, 0 };
      double error = parameter_error (&setup, NS_T_W_1, 1, NULL);

      g_test_message ("%s: %.2g", planted_terms[i].what, error);
      g_assert_cmpfloat (error, >, 10 * TOLERANCE);
      setup.backward = forward;
      g_assert_cmpfloat (parameter_error (&setup, NS_T_W_1, 1, NULL), <=, TOLERANCE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  openblas_set_num_threads (1);

  for (gsize i = 0; i < G_N_ELEMENTS (stacks); i++)
    {
      const char *loss = stacks[i].unit_gradient ? "-unit" : "";
      g_autofree char *path = g_strdup_printf ("/gradients/%02u%s-%s", (guint) i, loss, stacks[i].variant);

      g_test_add_data_func (path, &stacks[i], test_stack);
    }
  g_test_add_func ("/gradients/planted-terms", test_planted_terms);

  return g_test_run ();
}
