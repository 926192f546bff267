/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-pass.h"

#include "engine/ns-loss.h"
#include "engine/ns-norm.h"
#include "engine/ns-probe.h"
#include "engine/ns-progress-private.h"
#include "engine/ns-result-private.h"

#include <string.h>

/* ---- measurements ---- */

void
ns_pass_record (NsPass *pass, NsQuantity quantity, gint64 site, double value, double exponent)
{
  double log10_value = log10 (value) + exponent * 0.30102999566398120;
  double clamped = exponent > 4096 ? 4096 : exponent < -4096 ? -4096 : exponent;

  if (pass->result != NULL)
    ns_result_set (pass->result, pass->variant, quantity, site, pass->seed_index, ldexp (value, (int) clamped),
                   log10_value);
}

void
ns_root_add (NsRoot *root, double value, double exponent)
{
  int shift;

  if (value == 0)
    return;
  if (isfinite (value))
    {
      value = frexp (value, &shift);
      exponent += shift;
    }
  if (root->sum2 == 0)
    root->exp2 = exponent;
  else if (exponent > root->exp2)
    {
      root->sum2 *= exp2 (2 * (root->exp2 - exponent));
      root->exp2 = exponent;
    }
  root->sum2 += value * value * exp2 (2 * (exponent - root->exp2));
}

/* ---- scales ---- */

/* Brings x, of mean square rms², to about 1 by a power of two. */
static double
rescale (NsScaled *x, gsize n, double sum2, double most_exp2)
{
  double shift = floor (log2 (sum2 / (double) n) / 2);

  if (x->exp2 + shift > most_exp2)
    shift = most_exp2 - x->exp2;
  ns_scale (x->v, exp2 (-shift), n);
  x->exp2 += shift;
  return ns_sum_squares (x->v, n);
}

#define SMALL 0x1p-80 /* of the mean square: 2^-40 of the values */
#define LARGE 0x1p+80

double
ns_settle_forward (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  /* upwards only when it had been scaled down before: overflow is a result */
  if ((mean2 > 0 && mean2 < SMALL) || (mean2 > 1 && x->exp2 < 0 && mean2 < INFINITY))
    return rescale (x, n, sum2, 0);
  return sum2;
}

double
ns_settle_backward (NsScaled *x, gsize n)
{
  double sum2 = ns_sum_squares (x->v, n), mean2 = sum2 / (double) n;

  if (mean2 > 0 && mean2 < INFINITY && (mean2 < SMALL || mean2 > LARGE))
    return rescale (x, n, sum2, INFINITY);
  return sum2;
}

/* ---- parameters ---- */

NsMatrix
ns_pass_get_matrix (NsPass *pass, NsTensor tensor, gint64 block)
{
  NsMatrix W = { .distribution = pass->plan.distribution, .std = ns_plan_get_std (&pass->plan, tensor) };
  gint64 rows, columns;

  ns_tensor_get_shape (tensor, &pass->plan.experiment->shape, &rows, &columns);
  W.in = (gsize) rows;
  W.out = (gsize) columns;
  W.key = (NsRandomKey){ pass->seed, tensor == NS_T_W_HEAD ? 0 : (guint32) block, ns_tensor_get_stream (tensor) };
  if (pass->hooks != NULL && pass->hooks->weights != NULL)
    W.unit = pass->hooks->weights (pass->hooks->data, tensor, block);
  if (W.unit == NULL)
    W.unit = ns_weights_get (pass->weights, W.key, W.distribution, W.in, W.out, pass->work->linear.team);
  return W;
}

/* The bias that goes with a matrix, or with a norm's gain. */
static NsTensor
bias_of (NsTensor tensor)
{
  if (tensor <= NS_T_W_3)
    return (NsTensor) (NS_T_B_Q + (tensor - NS_T_W_Q));
  if (tensor >= NS_T_GAIN_ATTN_PRE && tensor <= NS_T_GAIN_FFN_POST)
    return (NsTensor) (NS_T_BIAS_ATTN_PRE + (tensor - NS_T_GAIN_ATTN_PRE));
  return tensor == NS_T_W_HEAD ? NS_T_B_HEAD : NS_T_BIAS_FINAL;
}

void
ns_pass_matrix_gradient (NsPass *pass, NsTensor tensor, gint64 block, NsScaled x, NsScaled dy, gsize in, gsize out,
                         NsRoot *sum)
{
  NsWorkspace *w = pass->work;
  double e = x.exp2 + dy.exp2;
  double norm = ns_linear_gradient_norm (x.v, dy.v, w->N, in, out, &w->linear);

  ns_pass_record (pass, (NsQuantity) tensor, block, norm, e);
  ns_root_add (sum, norm, e);
  if (pass->hooks != NULL && pass->hooks->matrix_gradient != NULL)
    pass->hooks->matrix_gradient (pass->hooks->data, tensor, block, x.v, dy.v, e);
  if (pass->plan.variant->bias)
    {
      norm = sqrt (ns_column_sum_squares (dy.v, w->features, w->N, out));
      ns_pass_record (pass, (NsQuantity) bias_of (tensor), block, norm, dy.exp2);
      ns_root_add (sum, norm, dy.exp2);
    }
}

/* ---- norms ---- */

static const ns_real *
vector_of (NsPass *pass, NsTensor tensor, gint64 block)
{
  if (pass->hooks == NULL || pass->hooks->vector == NULL)
    return NULL;
  return pass->hooks->vector (pass->hooks->data, tensor, block);
}

NsScaled
ns_pass_norm_forward (NsPass *pass, NsNormCache *cache, ns_real *out, NsScaled x, NsTensor gain, gint64 block)
{
  const NsVariant *v = pass->plan.variant;
  double eps = v->norm_eps > 0 ? v->norm_eps * exp2 (-2 * x.exp2) : 0; /* in units of the stored values */

  cache->x = x;
  cache->y = (NsScaled){ out, 0 };
  cache->var_weight = 1;
  if (eps > 0x1p90) /* the stored variance is below 2^40: eps alone decides, and the norm is a linear map */
    {
      eps = v->norm_eps;
      cache->var_weight = 0;
      cache->y.exp2 = x.exp2;
    }
  ns_norm_forward (out, cache->mean, cache->rstd, x.v, vector_of (pass, gain, block),
                   vector_of (pass, bias_of (gain), block), (NsNormKind) v->norm, eps, cache->var_weight, pass->plan.N,
                   pass->plan.C);
  return cache->y;
}

static void
record_vector (NsPass *pass, NsTensor tensor, gint64 block, const double *gradient, double e, NsRoot *sum)
{
  double norm = sqrt (ns_sum_squares_double (gradient, pass->plan.C));

  ns_pass_record (pass, (NsQuantity) tensor, block, norm, e);
  ns_root_add (sum, norm, e);
  if (pass->hooks != NULL && pass->hooks->vector_gradient != NULL)
    pass->hooks->vector_gradient (pass->hooks->data, tensor, block, gradient, e);
}

NsScaled
ns_pass_norm_backward (NsPass *pass, const NsNormCache *cache, ns_real *dx, NsScaled dy, NsTensor gain, gint64 block,
                       NsRoot *sum)
{
  const NsPlan *plan = &pass->plan;
  double *dgain = pass->work->features, *dbias = plan->layernorm_bias ? pass->work->features2 : NULL;

  ns_norm_backward (dx, dgain, dbias, dy.v, cache->x.v, cache->mean, cache->rstd, vector_of (pass, gain, block),
                    (NsNormKind) plan->variant->norm, cache->var_weight, plan->N, plan->C);
  record_vector (pass, gain, block, dgain, dy.exp2 + cache->y.exp2, sum);
  if (dbias != NULL)
    record_vector (pass, bias_of (gain), block, dbias, dy.exp2, sum);
  return (NsScaled){ dx, dy.exp2 + cache->y.exp2 - cache->x.exp2 };
}

/* ---- input ---- */

static void
fill_sinusoidal (const NsPlan *plan, float *position, gsize t)
{
  /* PE (t, 2i) = sin (t/10000^(2i/d)), PE (t, 2i + 1) = cos (…): Vaswani et al. 2017, §3.5 */
  for (gsize c = 0; c < plan->C; c++)
    {
      double angle = (double) t / pow (10000, (double) (c - c % 2) / (double) plan->C);
      position[c] = (float) (c % 2 == 0 ? sin (angle) : cos (angle));
    }
}

static void
add_position (const NsPass *pass, float *x, gsize t)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  float *position = (float *) pass->work->features; /* [C] doubles hold [C] floats */

  if (data->positions == NS_POSITIONS_NONE)
    return;
  if (data->positions == NS_POSITIONS_SINUSOIDAL)
    fill_sinusoidal (plan, position, t);
  else
    {
      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_POSITION }, NS_DISTRIBUTION_NORMAL, t * plan->C, plan->C,
                      position);
      for (gsize c = 0; c < plan->C; c++)
        position[c] *= (float) data->embed_std;
    }
  for (gsize c = 0; c < plan->C; c++)
    x[c] += position[c];
}

/* x_0 = E[id] + P[t]. ids [N] */
static void
embed (const NsPass *pass, const gint32 *ids)
{
  const NsPlan *plan = &pass->plan;
  float std = (float) plan->experiment->data.embed_std;
  NsRandomKey key = { pass->seed, 0, NS_STREAM_EMBEDDING };

  for (gsize n = 0; n < plan->N; n++)
    {
      float *x = pass->work->input + n * plan->C;

      ns_random_fill (key, NS_DISTRIBUTION_NORMAL, (guint64) ids[n] * plan->C, plan->C, x);
      for (gsize c = 0; c < plan->C; c++)
        x[c] *= std;
      add_position (pass, x, n % plan->T);
    }
}

/* Bytes n, n + 1, … of the text, from the start again at its end. */
static void
read_text (const char *text, gsize first, gsize n, gint32 *ids)
{
  gsize length = strlen (text);

  for (gsize i = 0; i < n; i++)
    ids[i] = (guchar) text[(first + i) % length];
}

void
ns_pass_load_input (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  NsWorkspace *w = pass->work;
  gsize n = plan->N * plan->C;
  NsRandomKey ids = { pass->seed, 0, NS_STREAM_IDS };

  /* targets holds the ids first, then what follows each of them */
  switch ((NsSource) data->source)
    {
    case NS_SOURCE_GAUSSIAN:
      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_INPUT }, NS_DISTRIBUTION_NORMAL, 0, n, w->input);
      ns_random_ids (ids, 0, plan->N, (guint32) plan->V, w->targets);
      break;
    case NS_SOURCE_TOKENS:
      ns_random_ids (ids, 0, plan->N, (guint32) plan->V, w->targets);
      embed (pass, w->targets);
      ns_random_ids (ids, 1, plan->N, (guint32) plan->V, w->targets);
      break;
    case NS_SOURCE_TEXT:
      read_text (data->text, 0, plan->N, w->targets);
      embed (pass, w->targets);
      read_text (data->text, 1, plan->N, w->targets);
      break;
    }
  for (gsize i = 0; i < n; i++)
    w->x[0].v[i] = w->input[i];
  w->x[0].exp2 = 0;

  if (plan->experiment->loss == NS_LOSS_UNIT_GRADIENT)
    {
      double norm2 = 0;

      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_UPSTREAM }, NS_DISTRIBUTION_NORMAL, 0, n, w->input);
      for (gsize i = 0; i < n; i++)
        norm2 += (double) w->input[i] * w->input[i];
      for (gsize i = 0; i < n; i++)
        w->input[i] = (float) (w->input[i] / sqrt (norm2));
    }
}

/* ---- the pass ---- */

/* rms_x and token_cos at x_l. FALSE when x_l is no longer finite. */
static gboolean
measure_stream (NsPass *pass, gint64 site)
{
  const NsPlan *plan = &pass->plan;
  NsScaled *x = &pass->work->x[site];
  gsize n = plan->N * plan->C;
  double sum2 = ns_settle_forward (x, n);

  if (!isfinite (sum2))
    {
      if (pass->result != NULL)
        ns_result_set_overflow (pass->result, pass->variant, pass->seed_index, site);
      return FALSE;
    }
  ns_pass_record (pass, NS_Q_RMS_X, site, sqrt (sum2 / (double) n), x->exp2);
  if (plan->T > 1)
    ns_pass_record (pass, NS_Q_TOKEN_COS, site, ns_token_cosine (x->v, pass->work->features, plan->B, plan->T, plan->C),
                    0);
  return TRUE;
}

static void
record_grad_x (NsPass *pass, gint64 site)
{
  double sum2 = ns_settle_backward (&pass->dx, pass->plan.N * pass->plan.C);

  ns_pass_record (pass, NS_Q_GRAD_X, site, sqrt (sum2), pass->dx.exp2);
}

/* Through the final norm, the head and the loss, and back to ∂L/∂x_L in pass->dx. FALSE on overflow. */
static gboolean
run_head (NsPass *pass, double *loss)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gint64 site = plan->depth + 1;
  NsScaled h = w->x[plan->depth];
  NsRoot unused = { 0, 0 };

  if (plan->final_norm)
    h = ns_pass_norm_forward (pass, &w->final, w->final_out, h, NS_T_GAIN_FINAL, site);
  pass->dx = (NsScaled){ w->dx, 0 };
  if (plan->experiment->loss == NS_LOSS_UNIT_GRADIENT)
    {
      *loss = 0;
      for (gsize i = 0; i < plan->N * plan->C; i++)
        {
          w->dx[i] = w->input[i];
          *loss += (double) w->input[i] * h.v[i] * exp2 (h.exp2); /* the linear functional whose gradient it is */
        }
    }
  else
    {
      NsMatrix W = ns_pass_get_matrix (pass, NS_T_W_HEAD, site);
      NsScaled dlogits = { w->logits, 0 };

      ns_linear_forward (w->logits, h.v, &W, 1, 0, plan->N, &w->linear);
      *loss = ns_cross_entropy (w->logits, w->targets, exp2 (h.exp2), plan->N, plan->V);
      if (!isfinite (*loss))
        {
          if (pass->result != NULL)
            ns_result_set_overflow (pass->result, pass->variant, pass->seed_index, site);
          return FALSE;
        }
      ns_pass_record (pass, NS_Q_LOSS, site, *loss, 0);
      w->linear.gram_x_valid = FALSE;
      ns_pass_matrix_gradient (pass, NS_T_W_HEAD, site, h, dlogits, plan->C, plan->V, &unused);
      ns_linear_backward (pass->dx.v, dlogits.v, &W, 1, 0, plan->N, &w->linear);
    }
  if (plan->final_norm)
    pass->dx = ns_pass_norm_backward (pass, &w->final, pass->dx.v, pass->dx, NS_T_GAIN_FINAL, site, &unused);
  return TRUE;
}

void
ns_pass_init (NsPass *pass, const NsExperiment *experiment, guint variant, guint64 seed, NsWorkspace *work,
              NsWeights *weights, NsResult *result, guint seed_index)
{
  *pass = (NsPass){ .seed = seed, .work = work, .weights = weights, .result = result, .variant = variant,
                    .seed_index = seed_index };
  ns_plan_init (&pass->plan, experiment, variant);
}

gboolean
ns_pass_run (NsPass *pass, NsProgress *progress, double *loss)
{
  gint64 L = pass->plan.depth;
  double unused;

  ns_pass_load_input (pass);
  if (!measure_stream (pass, 0))
    return TRUE;
  for (gint64 l = 1; l <= L; l++)
    {
      if (!ns_progress_step (progress))
        return FALSE;
      ns_block_forward (pass, l, TRUE);
      if (!measure_stream (pass, l))
        return TRUE;
    }
  if (!run_head (pass, loss != NULL ? loss : &unused))
    return TRUE;
  record_grad_x (pass, L);
  for (gint64 l = L; l >= 1; l--)
    {
      if (!ns_progress_step (progress))
        return FALSE;
      if (!pass->work->keep_activations)
        ns_block_forward (pass, l, FALSE);
      ns_block_backward (pass, l);
      record_grad_x (pass, l - 1);
    }
  return TRUE;
}
