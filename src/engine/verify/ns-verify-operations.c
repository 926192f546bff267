/* Check the adjoint identity of every operation, on the numbers of one pass.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-settings.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/ops/ns-activation.h"
#include "engine/ops/ns-attention.h"
#include "engine/ops/ns-norm.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-branch.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-sub-layer.h"
#include "engine/verify/ns-adjoint.h"
#include "engine/verify/ns-verify-private.h"

#include <float.h>
#include <string.h>

#define STEP 1e-3
/* Step of the attention scores. Where tokens have become alike, scores change the output so little that a smaller step
 * drowns in rounding. */
#define SCORE_STEP 1e-2
/* Step of ReLU's input, relative to its root mean square: about one number in a million lies so close to the kink. */
#define KINKED_INPUT_STEP 1e-7
/* The best of several directions counts: a kink spoils a difference along one of them, an error along all. */
#define N_DIRECTIONS 2
#define MAX_PARTS 3

typedef struct
{
  NsPass *pass;
  const NsVerifyPlant *plant;
  NsVerifyReport *report;
  GArray *inputs; /* NsVerifyInput */
  gint64 site;
  guint n; /* operations so far; numbers their random draws */
} Checker;

/* An operation whose inputs are stored one after the other in one array. */
typedef struct _Operation Operation;
struct _Operation
{
  const char *name;
  NsPass *pass;
  NsScores scores;
  NsRotary rotary;
  gsize parts[MAX_PARTS];  /* length of each input; 0: none */
  double steps[MAX_PARTS]; /* of the differences in each input */
  gsize n_out;
  NsMatrix W;
  void (*forward) (gpointer op, ns_real *y, const ns_real *x);
  void (*backward) (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x);
};

/* Return the root mean square, or 1 for zeros: a scale for steps. */
static double
rms (const ns_real *x, gsize n)
{
  double value = sqrt (ns_dot (x, x, n) / (double) n);

  return value > 0 ? value : 1;
}

/* Estimate the rounding error of <dy, y>. */
static double
get_rounding (const NsMap *map, const ns_real *x, const ns_real *dy)
{
  g_autofree ns_real *y = g_new0 (ns_real, map->n_out);
  double sum2 = 0;

  map->forward (map->data, y, x);
  for (gsize i = 0; i < map->n_out; i++)
    sum2 += (double) dy[i] * y[i] * ((double) dy[i] * y[i]);
  return 8 * DBL_EPSILON * sqrt (sum2);
}

/* Check the operation at x with a random upstream gradient. An input whose effect is below rounding is undecided. */
static void
check_operation (Checker *self, Operation *op, const ns_real *x)
{
  NsMap map = { op->parts[0] + op->parts[1] + op->parts[2], op->n_out, op->forward, op };
  g_autofree ns_real *dy = g_new (ns_real, op->n_out), *dx = g_new0 (ns_real, map.n_in);
  g_autofree ns_real *drawn = g_new (ns_real, map.n_in);
  guint draw = NS_N_TENSORS + self->n++;
  double worst = 0, noise, tolerance = ns_verify_kind_tolerance (NS_VERIFY_ADJOINT);
  gboolean undecided = FALSE;
  gsize first = 0;

  ns_verify_draw (dy, op->n_out, draw, self->site, 0);
  noise = get_rounding (&map, x, dy);
  op->backward (op, dx, dy, x);
  if (self->plant != NULL && self->plant->adjoint != NULL)
    self->plant->adjoint (self->plant->data, op->name, dx, map.n_in);
  for (guint part = 0; part < MAX_PARTS && op->parts[part] > 0; part++)
    {
      double best = INFINITY, h = op->steps[part], scale = 0;

      for (guint id = 0; id < N_DIRECTIONS; id++)
        {
          ns_verify_draw (drawn, op->parts[part], draw, self->site, 1 + part * N_DIRECTIONS + id);
          best = fmin (best, ns_adjoint_error (&map, x, dy, dx, drawn, first, op->parts[part], h, &scale));
        }
      if (best <= tolerance || !(noise / h > 0.1 * tolerance * scale))
        worst = fmax (worst, best);
      else
        undecided = TRUE;
      first += op->parts[part];
    }
  ns_verify_report_add (self->report, NS_VERIFY_ADJOINT, op->name, self->site, worst,
                        undecided && worst <= tolerance);
}

/* ---- y = x·W ---- */

static void
linear_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;

  ns_linear_forward (y, x, &op->W, 1, 0, op->pass->plan.N, &op->pass->work->linear);
}

static void
linear_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  ns_linear_backward (dx, dy, &op->W, 1, 0, op->pass->plan.N, &op->pass->work->linear);
}

static void
check_linear (Checker *self, const NsVerifyInput *input)
{
  NsMatrix W = ns_pass_get_matrix (self->pass, input->tensor, input->site);
  gsize N = self->pass->plan.N;
  Operation op = { .name = "linear", .pass = self->pass, .parts = { N * W.in }, .steps = { rms (input->x, N * W.in) },
                   .n_out = N * W.out, .W = W, .forward = linear_forward, .backward = linear_backward };

  check_operation (self, &op, input->x);
}

/* Compute y [N, out] = x·W for a matrix of this site, with the x that the pass gave it. */
static void
map_input (Checker *self, NsTensor tensor, ns_real *y)
{
  NsMatrix W = ns_pass_get_matrix (self->pass, tensor, self->site);

  for (guint i = 0; i < self->inputs->len; i++)
    {
      const NsVerifyInput *input = &g_array_index (self->inputs, NsVerifyInput, i);

      if (input->tensor == tensor && input->site == self->site)
        ns_linear_forward (y, input->x, &W, 1, 0, self->pass->plan.N, &self->pass->work->linear);
    }
}

/* ---- norms, on the residual stream; gain 1 and bias 0 as at initialization ---- */

static void
norm_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;
  const NsPlan *plan = &op->pass->plan;
  NsNormCache *cache = &op->pass->work->part[0].final;
  const ns_real *bias = op->parts[2] > 0 ? x + op->parts[0] + op->parts[1] : NULL;

  ns_norm_forward (y, cache->mean, cache->rstd, x, x + op->parts[0], bias, (NsNormKind) plan->variant->norm,
                   plan->variant->norm_eps, 1, plan->N, plan->C, NULL);
}

static void
norm_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;
  NsNormCache *cache = &op->pass->work->part[0].final;
  gsize n = op->parts[0], C = plan->C;
  g_autofree ns_real *y = g_new (ns_real, n);
  g_autofree double *dgain = g_new (double, C), *dbias = g_new (double, C);

  norm_forward ((gpointer) op, y, x);
  ns_norm_backward (dx, dgain, op->parts[2] > 0 ? dbias : NULL, dy, x, cache->mean, cache->rstd, x + n,
                    (NsNormKind) plan->variant->norm, 1, plan->N, C, NULL);
  for (gsize c = 0; c < C; c++)
    dx[n + c] = (ns_real) dgain[c];
  for (gsize c = 0; op->parts[2] > 0 && c < C; c++)
    dx[n + C + c] = (ns_real) dbias[c];
}

static void
check_norm (Checker *self)
{
  const NsPlan *plan = &self->pass->plan;
  gsize n = plan->N * plan->C, n_bias = plan->variant->norm == NS_NORM_LAYERNORM ? plan->C : 0;
  const ns_real *stream = self->pass->work->x[self->site - 1].v;
  g_autofree ns_real *x = g_new0 (ns_real, n + plan->C + n_bias);
  Operation op = { .name = "norm", .pass = self->pass, .parts = { n, plan->C, n_bias },
                   .steps = { STEP * rms (stream, n), 1, 1 }, .n_out = n, .forward = norm_forward,
                   .backward = norm_backward };

  memcpy (x, stream, n * sizeof *x);
  for (gsize c = 0; c < plan->C; c++)
    x[n + c] = 1;
  check_operation (self, &op, x);
}

/* ---- DyT in place of the norm; its alpha is an input, too ---- */

static void
dyt_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;
  const NsPlan *plan = &op->pass->plan;
  gsize n = op->parts[0];

  ns_dyt_forward (y, x, x + n, NULL, x[n + plan->C], 1, plan->N, plan->C, NULL);
}

static void
dyt_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;
  gsize n = op->parts[0], C = plan->C;
  g_autofree double *dgain = g_new (double, C);
  double dalpha;

  ns_dyt_backward (dx, dgain, NULL, &dalpha, dy, x, x + n, x[n + C], 1, plan->N, C, NULL);
  for (gsize c = 0; c < C; c++)
    dx[n + c] = (ns_real) dgain[c];
  dx[n + C] = (ns_real) dalpha;
}

static void
check_dyt (Checker *self)
{
  const NsPlan *plan = &self->pass->plan;
  gsize n = plan->N * plan->C;
  const ns_real *stream = self->pass->work->x[self->site - 1].v;
  double alpha = plan->variant->dyt_alpha, size = rms (stream, n);
  g_autofree ns_real *x = g_new0 (ns_real, n + plan->C + 1);
  /* steps that change the argument α·x equally, however large the stream is */
  Operation op = { .name = "norm", .pass = self->pass, .parts = { n, plan->C, 1 },
                   .steps = { STEP / (alpha > 0 ? alpha : 1), 1, STEP / size }, .n_out = n, .forward = dyt_forward,
                   .backward = dyt_backward };

  memcpy (x, stream, n * sizeof *x);
  for (gsize c = 0; c < plan->C; c++)
    x[n + c] = 1;
  x[n + plan->C] = (ns_real) alpha;
  check_operation (self, &op, x);
}

/* ---- attention, on the queries, keys and values of the pass ---- */

static NsAttentionShape
attention_shape (const NsPlan *plan)
{
  return (NsAttentionShape){ plan->B, plan->T, plan->D, plan->H, plan->G };
}

static void
attention_forward_into (const Operation *op, ns_real *y, ns_real *probs, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;
  const gsize *n = op->parts;

  if (ns_plan_is_uniform (plan))
    ns_attention_forward (y, NULL, NULL, NULL, x, op->scores, TRUE, 1, attention_shape (plan), NULL, NULL);
  else
    ns_attention_forward (y, probs, x, x + n[0], x + n[0] + n[1], op->scores, FALSE,
                          ns_plan_get_attention_scale (plan), attention_shape (plan), NULL, NULL);
}

/* Allocate attention probabilities [B, H, T, T]. */
static ns_real *
new_probs (const NsPlan *plan)
{
  return g_new (ns_real, plan->N * plan->H * plan->T);
}

static void
attention_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;
  g_autofree ns_real *probs = new_probs (&op->pass->plan);

  attention_forward_into (op, y, probs, x);
}

static void
attention_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;
  const gsize *n = op->parts;
  g_autofree ns_real *probs = new_probs (plan), *y = g_new (ns_real, op->n_out);
  g_autofree ns_real *scratch = g_new (ns_real, 2 * plan->T * plan->T);

  attention_forward_into (op, y, probs, x);
  if (ns_plan_is_uniform (plan))
    ns_attention_backward (NULL, NULL, dx, NULL, dy, NULL, NULL, NULL, x, op->scores, TRUE, 1,
                           attention_shape (plan), NULL);
  else
    ns_attention_backward (dx, dx + n[0], dx + n[0] + n[1], scratch, dy, probs, x, x + n[0], x + n[0] + n[1],
                           op->scores, FALSE, ns_plan_get_attention_scale (plan), attention_shape (plan), NULL);
}

/* Check the attention, or the cross-attention, of the site. */
static void
check_attention (Checker *self, const NsSubLayer *layer)
{
  NsSub sub = layer->sub;
  const NsPlan *plan = &self->pass->plan;
  gsize q = plan->N * plan->H * plan->D, k = plan->N * plan->G * plan->D;
  g_autofree ns_real *x = g_new (ns_real, q + 2 * k);
  double size = plan->score_cap > 0 ? fmin (plan->score_cap, 1) : 1; /* a small cap bends small scores */
  double step = SCORE_STEP * size / (fabs (ns_plan_get_attention_scale (plan)) * sqrt ((double) plan->D));
  Operation op = { .name = sub == NS_SUB_CROSS ? "cross-attention" : "attention", .pass = self->pass,
                   .scores = ns_attention_branch_get_scores (self->pass, sub, self->site), .parts = { k },
                   .steps = { 1 }, .n_out = q, .forward = attention_forward, .backward = attention_backward };

  if (ns_plan_is_uniform (plan))
    map_input (self, layer->w_v, x);
  else
    {
      map_input (self, layer->w_q, x);
      map_input (self, layer->w_k, x + q);
      map_input (self, layer->w_v, x + q + k);
      op.parts[0] = q;
      op.parts[1] = op.parts[2] = k;
      /* steps that change the scores equally, however large queries and keys are */
      op.steps[0] = isfinite (step) ? step / rms (x + q, k) : 1;
      op.steps[1] = isfinite (step) ? step / rms (x, q) : 1;
      op.steps[2] = rms (x + q + k, k);
    }
  check_operation (self, &op, x);
}

/* ---- rotary positions, on the queries of the pass ---- */

static void
rotary_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;
  const NsPlan *plan = &op->pass->plan;

  memcpy (y, x, op->n_out * sizeof *y);
  ns_rotary_forward (y, &op->rotary, plan->N, plan->H, plan->D, NULL);
}

static void
rotary_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;

  memcpy (dx, dy, op->n_out * sizeof *dx);
  ns_rotary_backward (dx, &op->rotary, plan->N, plan->H, plan->D, NULL);
}

static void
check_rotary (Checker *self)
{
  const NsPlan *plan = &self->pass->plan;
  gsize n = plan->N * plan->H * plan->D;
  g_autofree ns_real *x = g_new (ns_real, n);
  Operation op = { .name = "rotary", .pass = self->pass,
                   .rotary = ns_attention_branch_get_rotary (self->pass, NS_SUB_ATTN, self->site), .parts = { n },
                   .steps = { 1 }, .n_out = n, .forward = rotary_forward, .backward = rotary_backward };

  map_input (self, NS_T_W_Q, x);
  check_operation (self, &op, x);
}

/* ---- the routing of tokens to experts: from the router's logits to the weight of every expert, [N, E] ---- */

static NsRouting
new_routing (const NsPlan *plan)
{
  gsize slots = plan->N * plan->k;

  return (NsRouting){ g_new (ns_real, plan->N * plan->E), g_new (ns_real, slots), g_new (gsize, slots),
                      g_new (gsize, slots),              g_new (gsize, slots),   g_new (gsize, plan->E + 1) };
}

static void
clear_routing (NsRouting *routing)
{
  g_free (routing->probs);
  g_free (routing->weights);
  g_free (routing->expert);
  g_free (routing->row);
  g_free (routing->token);
  g_free (routing->start);
}

static void
routing_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;
  const NsPlan *plan = &op->pass->plan;
  NsRouting routing = new_routing (plan);

  ns_routing_forward (&routing, x, 1, ns_plan_get_routing_shape (plan));
  memset (y, 0, op->n_out * sizeof *y);
  for (gsize slot = 0; slot < plan->N * plan->k; slot++)
    y[slot / plan->k * plan->E + routing.expert[slot]] = routing.weights[slot];
  clear_routing (&routing);
}

static void
routing_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  const NsPlan *plan = &op->pass->plan;
  NsRouting routing = new_routing (plan);
  g_autofree ns_real *dweights = g_new (ns_real, plan->N * plan->k);

  ns_routing_forward (&routing, x, 1, ns_plan_get_routing_shape (plan));
  for (gsize slot = 0; slot < plan->N * plan->k; slot++)
    dweights[slot] = dy[slot / plan->k * plan->E + routing.expert[slot]];
  ns_routing_backward (dx, dweights, &routing, ns_plan_get_routing_shape (plan));
  clear_routing (&routing);
}

static void
check_routing (Checker *self)
{
  const NsPlan *plan = &self->pass->plan;
  gsize n = plan->N * plan->E;
  g_autofree ns_real *x = g_new (ns_real, n);
  Operation op = { .name = "routing", .pass = self->pass, .parts = { n }, .n_out = n, .forward = routing_forward,
                   .backward = routing_backward };

  map_input (self, NS_T_ROUTER, x);
  op.steps[0] = KINKED_INPUT_STEP * rms (x, n); /* a token that takes another expert is a jump */
  check_operation (self, &op, x);
}

/* ---- activations ---- */

static void
activation_forward (gpointer data, ns_real *y, const ns_real *x)
{
  const Operation *op = data;

  ns_activation_forward (y, x, op->parts[1] > 0 ? x + op->n_out : NULL,
                         (NsActivation) op->pass->plan.variant->activation, 1, op->n_out, NULL);
}

static void
activation_backward (const Operation *op, ns_real *dx, const ns_real *dy, const ns_real *x)
{
  gsize n = op->n_out;
  gboolean gated = op->parts[1] > 0;

  ns_activation_backward (dx, gated ? dx + n : NULL, dy, x, gated ? x + n : NULL,
                          (NsActivation) op->pass->plan.variant->activation, 1, n, NULL);
}

static void
check_activation (Checker *self)
{
  const NsPlan *plan = &self->pass->plan;
  gsize n = plan->N * plan->F;
  g_autofree ns_real *x = g_new (ns_real, 2 * n);
  Operation op = { .name = "activation", .pass = self->pass, .parts = { n, plan->gated ? n : 0 },
                   .steps = { STEP, 1 }, .n_out = n, .forward = activation_forward, .backward = activation_backward };

  map_input (self, NS_T_W_1, x);
  if (plan->gated)
    map_input (self, NS_T_W_3, x + n);
  if (plan->variant->activation == NS_ACT_RELU)
    op.steps[0] = KINKED_INPUT_STEP * rms (x, n);
  check_operation (self, &op, x);
}

void
ns_verify_operations (NsPass *pass, GArray *inputs, const NsVerifyPlant *plant, NsVerifyReport *report)
{
  Checker self = { .pass = pass, .plant = plant, .report = report, .inputs = inputs };

  for (guint i = 0; i < inputs->len; i++)
    {
      const NsVerifyInput *input = &g_array_index (inputs, NsVerifyInput, i);

      self.site = input->site;
      check_linear (&self, input);
      if (input->tensor == NS_T_W_V)
        check_attention (&self, &ns_sub_layers[NS_SUB_ATTN]);
      if (input->tensor == NS_T_W_Q && ns_attention_branch_get_rotary (pass, NS_SUB_ATTN, input->site).pairs > 0)
        check_rotary (&self);
      if (input->tensor == NS_T_ROUTER)
        check_routing (&self);
      if (input->tensor == NS_T_CROSS_W_V)
        check_attention (&self, &ns_sub_layers[NS_SUB_CROSS]);
      if (input->tensor == NS_T_W_1)
        check_activation (&self);
      if (input->tensor != (ns_variant_get_last_sub (pass->plan.variant) == NS_SUB_ATTN ? NS_T_W_V : NS_T_W_1))
        continue;
      (pass->plan.variant->norm == NS_NORM_DYT ? check_dyt : check_norm) (&self);
    }
}
