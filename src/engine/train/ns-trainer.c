/* The step of a run.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-trainer.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/train/ns-optimizer.h"
#include "engine/train/ns-trainer-update.h"

#include <string.h>

/* The tokens of one step. */
typedef struct
{
  gint32 *ids[2];  /* [N] of each part */
  gint32 *targets; /* [N] */
} Batch;

/* A pass of one step, over the whole minibatch or over half of it. */
typedef struct
{
  NsTrainer *trainer;
  NsTrainerScratch *scratch;
  NsTrainerStep *step;
  const Batch *batch;
  gsize first;       /* its first token */
  NsPass pass;
  ns_real *gradient; /* receives the gradient of its mean loss */
  NsPassState state;
} Step;

/* ---- construction ---- */

NsTrainer *
ns_trainer_new (const NsExperiment *experiment, const NsBatchSource *source, guint variant, guint64 seed,
                NsProgress *progress)
{
  NsTrainer *self = g_new0 (NsTrainer, 1);
  guint64 moments;
  NsPass pass = { .seed = seed };

  self->experiment = experiment;
  self->source = source;
  self->variant = variant;
  self->seed = seed;
  self->settings = ns_variant_get_training (experiment, ns_experiment_variant (experiment, variant));
  ns_plan_init (&pass.plan, experiment, variant);
  ns_parameters_init (&self->parameters, &pass.plan, self->settings.embeddings);
  ns_parameters_set_rates (&self->parameters, &pass.plan, (NsOptimizer) self->settings.optimizer);
  self->n_moments = ns_optimizer_count_moments ((NsOptimizer) self->settings.optimizer, self->settings.momentum);
  moments = (guint64) self->n_moments * self->parameters.trained;
  self->values = ns_memory_try_new (ns_real, self->parameters.size);
  self->moments = ns_memory_try_new (ns_real, moments);
  if (self->values == NULL || self->moments == NULL
      || !ns_parameters_start (&self->parameters, &pass, self->values, progress)
      || !ns_experiment_check_sources (experiment, NULL))
    {
      ns_trainer_free (self);
      return NULL;
    }
  memset (self->moments, 0, moments * sizeof *self->moments);
  return self;
}

void
ns_trainer_free (NsTrainer *self)
{
  if (self == NULL)
    return;
  ns_parameters_clear (&self->parameters);
  g_free (self->values);
  g_free (self->moments);
  g_free (self);
}

/* ---- handing out parameters ---- */

static ns_real *
find_values (const Step *s, NsTensor tensor, gint64 site)
{
  const NsParameter *p = ns_parameters_find (&s->trainer->parameters, tensor, site);

  return p != NULL ? s->trainer->values + p->offset : NULL;
}

static const ns_real *
get_values (gpointer data, NsTensor tensor, gint64 site)
{
  return find_values (data, tensor, site);
}

/* y += b in each row; y [N, out], b [out] */
NS_SIMD static void
add_bias (ns_real *y, const ns_real *bias, gsize N, gsize out)
{
  for (gsize n = 0; n < N; n++)
    for (gsize c = 0; c < out; c++)
      y[n * out + c] += bias[c];
}

static NsScaled
add_to_linear (gpointer data, NsTensor tensor, gint64 site, NsScaled y, NsScaled x)
{
  const Step *s = data;
  NsTensor bias = ns_matrix_get_bias (tensor);
  const NsPlan *plan = &s->pass.plan;
  const ns_real *values = ns_variant_has_bias (plan->variant, bias) ? find_values (s, bias, site) : NULL;
  gint64 one, out;

  (void) x;
  if (values == NULL)
    return y;
  ns_tensor_get_shape (bias, &plan->experiment->shape, plan->variant, &one, &out);
  if (y.exp2 != 0) /* b is in true values, so y becomes true values, too */
    ns_scale (y.v, exp2 (y.exp2), plan->N * (gsize) out);
  add_bias (y.v, values, plan->N, (gsize) out);
  return (NsScaled){ y.v, 0 };
}

/* x_n = s·E[id_n] + P_t + S_segment of each token n, t = n mod T; a missing table is NULL. x [N, C] */
static void
embed (const Step *s, ns_real *x, gint64 part, const gint32 *ids)
{
  const NsTrainer *trainer = s->trainer;
  const NsPlan *plan = &s->pass.plan;
  const NsParameter *tables[NS_N_TABLES];
  const ns_real *values[NS_N_TABLES], *E;
  ns_real scale = (ns_real) ns_plan_get_embed_scale (plan);
  gsize C = plan->C, types = (gsize) plan->experiment->data.token_types;

  for (int t = 0; t < NS_N_TABLES; t++)
    {
      tables[t] = ns_parameters_get_table (&trainer->parameters, (NsTable) t);
      values[t] = tables[t] != NULL ? trainer->values + tables[t]->offset : NULL;
    }
  E = values[ns_plan_get_embedding (plan, part)];
  for (gsize n = 0; n < plan->N; n++, x += C)
    {
      gsize t = n % plan->T;
      const ns_real *e = E + (gsize) ids[n] * C;

      for (gsize c = 0; c < C; c++)
        x[c] = scale * e[c];
      for (gsize c = 0; values[NS_TABLE_POSITION] != NULL && c < C; c++)
        x[c] += values[NS_TABLE_POSITION][t * C + c];
      for (gsize c = 0; values[NS_TABLE_TOKEN_TYPE] != NULL && c < C; c++)
        x[c] += values[NS_TABLE_TOKEN_TYPE][t * types / plan->T * C + c];
    }
}

static void
put_input (gpointer data, gint64 part, ns_real *x, gint32 *targets)
{
  const Step *s = data;

  embed (s, x, part, s->batch->ids[part] + s->first);
  if (part == s->pass.plan.parts.n - 1)
    memcpy (targets, s->batch->targets + s->first, s->pass.plan.N * sizeof *targets);
}

/* ---- receiving gradients ---- */

static ns_real *
find_gradient (const Step *s, const NsParameter *p)
{
  return p != NULL && ns_parameters_is_trained (&s->trainer->parameters, p) ? s->gradient + p->offset : NULL;
}

/* dW = xᵀ·dy [in, out], of each expert its own; of a tied head dE += dyᵀ·x [V, C]. db = Σ_n dy_n */
static void
take_matrix (gpointer data, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy)
{
  const Step *s = data;
  const NsPlan *plan = &s->pass.plan;
  const NsParameters *parameters = &s->trainer->parameters;
  ns_real *dW = find_gradient (s, ns_parameters_find (parameters, tensor, site)), *db;
  NsTensor bias = ns_matrix_get_bias (tensor);
  NsRowGroups groups = ns_pass_get_row_groups (&s->pass, tensor, site);
  NsLinearScratch *linear = &s->pass.work->linear;
  double scale = exp2 (x.exp2 + dy.exp2), *sums = s->pass.work->features;
  gint64 in, out;

  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &in, &out);
  if (dW != NULL && tensor == NS_T_W_HEAD && parameters->tied_head >= 0)
    ns_linear_gradient (dW, dy.v, x.v, scale, 1, plan->N, (gsize) out, (gsize) in, linear);
  else if (dW != NULL)
    for (gsize i = 0; i < groups.n; i++)
      {
        gsize first = groups.start[i], rows = groups.start[i + 1] - first, n = (gsize) (in * out);

        if (rows > 0) /* the gradient starts at 0 */
          ns_linear_gradient (dW + i * n, x.v + first * (gsize) in, dy.v + first * (gsize) out, scale, 0, rows,
                              (gsize) in, (gsize) out, linear);
      }
  if (!ns_variant_has_bias (plan->variant, bias))
    return;
  db = find_gradient (s, ns_parameters_find (parameters, bias, site));
  if (db == NULL)
    return;
  ns_column_sums (dy.v, sums, plan->N, (gsize) out);
  for (gint64 c = 0; c < out; c++)
    db[c] = (ns_real) (sums[c] * exp2 (dy.exp2));
}

/* The sum of the M rows of gradient. */
static void
take_vector (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exponent)
{
  const Step *s = data;
  const NsParameter *p = ns_parameters_find (&s->trainer->parameters, tensor, site);
  ns_real *d = find_gradient (s, p);
  gsize n = p != NULL ? p->rows * p->columns : 0;

  for (gsize c = 0; d != NULL && c < n; c++)
    {
      double sum = 0;

      for (gsize m = 0; m < s->pass.plan.M; m++)
        sum += gradient[m * n + c];
      d[c] = (ns_real) (sum * exp2 (exponent));
    }
}

/* row += scale·dx, [C] */
static void
add_row (ns_real *row, ns_real scale, const ns_real *dx, gsize C)
{
  for (gsize c = 0; c < C; c++)
    row[c] += scale * dx[c];
}

/* dE[id_n] += s·dx_n,  dP_t += dx_n,  dS_segment += dx_n; dx [N, C] */
static void
take_input (gpointer data, gint64 part, NsScaled dx, double factor)
{
  const Step *s = data;
  const NsPlan *plan = &s->pass.plan;
  gsize C = plan->C, types = (gsize) plan->experiment->data.token_types;
  ns_real scale = (ns_real) (factor * exp2 (dx.exp2));
  ns_real embed_scale = (ns_real) (factor * exp2 (dx.exp2) * ns_plan_get_embed_scale (plan));
  const gint32 *ids = s->batch->ids[part] + s->first;
  ns_real *d[NS_N_TABLES], *dE;

  for (int t = 0; t < NS_N_TABLES; t++)
    d[t] = find_gradient (s, ns_parameters_get_table (&s->trainer->parameters, (NsTable) t));
  dE = d[ns_plan_get_embedding (plan, part)];
  for (gsize n = 0; n < plan->N; n++, dx.v += C)
    {
      gsize t = n % plan->T;

      if (dE != NULL)
        add_row (dE + (gsize) ids[n] * C, embed_scale, dx.v, C);
      if (d[NS_TABLE_POSITION] != NULL)
        add_row (d[NS_TABLE_POSITION] + t * C, scale, dx.v, C);
      if (d[NS_TABLE_TOKEN_TYPE] != NULL)
        add_row (d[NS_TABLE_TOKEN_TYPE] + t * types / plan->T * C, scale, dx.v, C);
    }
}

/* ---- the step ---- */

/* Return the site whose gradient was no longer finite first, the way back beginning at the head. */
static gint64
find_overflow (const Step *s)
{
  const NsParameters *parameters = &s->trainer->parameters;

  for (guint i = parameters->n; i-- > 0;)
    {
      const NsParameter *p = &parameters->list[i];

      if (ns_parameters_is_trained (parameters, p) && !isfinite (ns_parameter_get_norm (p, s->gradient)))
        return p->site;
    }
  return parameters->head;
}

/* The sink of a step, and what the step itself has to know. */
typedef struct
{
  const NsSink *sink;
  NsTrainerStep *step;
} Watch;

static void
watch_record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
              double log10_value)
{
  const Watch *watch = data;

  watch->sink->record (watch->sink->data, quantity, estimate, site, value, log10_value);
}

static void
watch_overflow (gpointer data, gint64 site)
{
  const Watch *watch = data;

  watch->step->overflow = site;
  if (watch->sink->overflow != NULL)
    watch->sink->overflow (watch->sink->data, site);
}

static NsPassState
run_pass (Step *s, const NsSink *sink)
{
  const NsPassHooks hooks = { .weights = get_values, .trained = TRUE, .vector = get_values, .linear = add_to_linear,
                              .matrix_gradient = take_matrix, .vector_gradient = take_vector,
                              .input = put_input, .input_gradient = take_input, .data = s };
  Watch watch = { sink, s->step };
  NsPass *pass = &s->pass;
  gint64 head = ns_plan_get_head_site (&pass->plan);
  NsProgress *progress = s->scratch->progress;
  NsPassState state;

  pass->hooks = &hooks;
  pass->sink = *sink;
  pass->sink.record = sink->record != NULL ? watch_record : NULL;
  pass->sink.overflow = watch_overflow;
  pass->sink.data = &watch;
  state = ns_pass_forward (pass, 0, head - 1, progress);
  if (state == NS_PASS_DONE)
    state = ns_pass_head (pass, &s->step->loss);
  if (state == NS_PASS_DONE)
    state = ns_pass_backward (pass, 0, progress);
  pass->hooks = NULL;
  /* once cancelled, norms and products leave their output unfinished */
  return ns_progress_is_cancelled (progress) ? NS_PASS_CANCELLED : state;
}

/* Run one pass of the step on a workspace. */
static void
take_gradient (Step *s, const NsExperiment *experiment, NsWorkspace *work, const NsSink *sink)
{
  s->step->loss = NAN;
  s->step->overflow = 0;
  ns_pass_init (&s->pass, experiment, s->trainer->variant, s->trainer->seed, work, NULL);
  memset (s->gradient, 0, s->trainer->parameters.trained * sizeof *s->gradient);
  s->state = run_pass (s, sink);
}

/* ---- halves ---- */

typedef struct
{
  NsTrainerScratch *scratch;
  Step half[2];
  NsTrainerStep step[2];
} Halves;

static void
take_half (gpointer data, guint item, guint thread)
{
  Halves *halves = data;
  NsTrainerScratch *scratch = halves->scratch;
  const NsSink none = { 0 };

  (void) thread;
  take_gradient (&halves->half[item], scratch->half, &scratch->halves[scratch->team != NULL ? item : 0].work, &none);
}

/* Set loss and gradient of the whole step to the mean of those of two halves. */
static NsPassState
take_halves (Step *whole)
{
  NsTrainerScratch *scratch = whole->scratch;
  Halves halves = { .scratch = scratch };
  ns_real *gradients[2] = { whole->gradient, scratch->half_gradient };

  for (gsize i = 0; i < 2; i++)
    {
      halves.half[i] = *whole;
      halves.half[i].step = &halves.step[i];
      halves.half[i].first = i * whole->trainer->source->N / 2;
      halves.half[i].gradient = gradients[i];
    }
  ns_team_run (scratch->team, 2, take_half, &halves);
  if (ns_progress_is_cancelled (scratch->progress))
    return NS_PASS_CANCELLED;
  if (halves.half[0].state != NS_PASS_DONE || halves.half[1].state != NS_PASS_DONE)
    return NS_PASS_OVERFLOWED;
  whole->step->loss = (halves.step[0].loss + halves.step[1].loss) / 2;
  ns_trainer_average (whole->trainer, gradients[0], gradients[1], scratch->team);
  return NS_PASS_DONE;
}

/* ---- the whole step ---- */

static void
draw_batch (const NsTrainer *trainer, Batch *batch)
{
  for (gint64 part = 0; part < trainer->source->n_parts; part++)
    ns_batch_draw_ids (trainer->source, trainer->seed, trainer->step, part, batch->ids[part]);
  ns_batch_draw_targets (trainer->source, trainer->seed, trainer->step, batch->targets);
}

/* Take the gradient as every sink and team takes it: what is recorded comes from a pass over the whole minibatch, which
 * also says where a step overflows. */
static NsPassState
take_step (Step *s, const NsSink *sink)
{
  NsTrainerScratch *scratch = s->scratch;
  gboolean is_recorded = sink->record != NULL;
  NsPassState state;

  if (is_recorded || scratch->half == NULL)
    take_gradient (s, s->trainer->experiment, scratch->work, sink);
  if (scratch->half == NULL || (is_recorded && s->state != NS_PASS_DONE))
    return s->state;
  state = take_halves (s);
  if (state != NS_PASS_OVERFLOWED)
    return state;
  take_gradient (s, s->trainer->experiment, scratch->work, is_recorded ? &(NsSink){ 0 } : sink);
  return s->state;
}

NsPassState
ns_trainer_step (NsTrainer *trainer, NsTrainerScratch *scratch, const NsSink *sink, NsTrainerStep *step)
{
  gsize N = trainer->source->N;
  g_autofree gint32 *ids = g_new (gint32, 3 * N);
  Batch batch = { { ids, ids + N }, ids + 2 * N };
  Step s = { .trainer = trainer, .scratch = scratch, .step = step, .batch = &batch, .gradient = scratch->gradient };
  NsPassState state;

  step->loss = step->norm = NAN;
  step->overflow = 0;
  draw_batch (trainer, &batch);
  state = take_step (&s, sink);
  if (state != NS_PASS_DONE)
    return state;
  step->norm = ns_trainer_get_norm (trainer, s.gradient, scratch->team);
  if (!isfinite (step->norm))
    {
      watch_overflow (&(Watch){ sink, step }, find_overflow (&s));
      return NS_PASS_OVERFLOWED;
    }
  ns_trainer_update (trainer, s.gradient, step->norm, scratch->team, step->ratios);
  trainer->step++;
  return NS_PASS_DONE;
}
