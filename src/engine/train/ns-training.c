/* A training: storage, reference counts, reading.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/train/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- the recorded steps ---- */

/* Return step i = 1 .. n of those after step `first`, the last one being `last`. */
static gint64
get_later_step (gint64 first, gint64 last, guint i, guint n, gboolean logarithmic)
{
  double share = (double) i / n;

  if (logarithmic) /* by logarithm of the step's number, counted from 1 */
    return (gint64) floor ((double) (first + 1) * pow ((double) (last + 1) / (double) (first + 1), share)) - 1;
  return first + (gint64) floor ((double) (last - first) * share);
}

gint64 *
ns_training_list_records (gint64 n_steps, const NsTrainingPlan *plan, guint *n)
{
  gint64 last = n_steps - 1, first = MIN ((gint64) plan->n_first, n_steps) - 1;
  guint later = (guint) CLAMP ((gint64) plan->n_later, 1, n_steps);
  gint64 *records = g_new (gint64, (gsize) (first + 1) + later);

  *n = 0;
  for (gint64 t = 0; t <= first; t++)
    records[(*n)++] = t;
  for (guint i = 1; i <= later && last > first; i++)
    {
      gint64 step = i == later ? last : get_later_step (first, last, i, later, plan->logarithmic);

      if (step >= 0 && (*n == 0 || step > records[*n - 1]))
        records[(*n)++] = step;
    }
  return records;
}

/* ---- memory ---- */

static gboolean
add_product_of_three (guint64 *sum, guint64 a, guint64 b, guint64 c)
{
  return !__builtin_mul_overflow (a, b, &a) && !__builtin_mul_overflow (a, c, &a)
         && !__builtin_add_overflow (*sum, a, sum);
}

guint64
ns_training_get_needed_bytes (const NsExperiment *experiment, const NsTrainingPlan *plan, guint n_seeds)
{
  guint64 records = (guint64) plan->n_first + MAX (plan->n_later, 1), bytes = 0;
  guint64 variants = experiment->variants->len, rows;

  records = MIN (records, (guint64) experiment->training.steps);
  /* at most one parameter for each tensor and site */
  if (!g_uint64_checked_mul (&rows, records, n_seeds) || rows > G_MAXUINT)
    return G_MAXUINT64;
  bytes = ns_result_get_needed_bytes (experiment, (guint) rows, plan->quantities);
  if (bytes == G_MAXUINT64 || !add_product_of_three (&bytes, ns_batch_source_get_bytes (experiment), 1, 1)
      || !add_product_of_three (&bytes, variants * n_seeds, (guint64) experiment->training.steps, 8))
    return G_MAXUINT64;
  for (guint v = 0; v < variants; v++)
    {
      NsParameters parameters;
      NsPlan p;
      gboolean ok;

      ns_plan_init (&p, experiment, v);
      ns_parameters_init (&parameters, &p, TRUE);
      ok = add_product_of_three (&bytes, rows, parameters.n, sizeof (double));
      ns_parameters_clear (&parameters);
      if (!ok)
        return G_MAXUINT64;
    }
  return bytes;
}

/* ---- construction ---- */

static void
free_training (NsTraining *self)
{
  for (guint i = 0; self->runs != NULL && i < self->n_runs; i++)
    {
      ns_trainer_free (self->runs[i].trainer);
      pthread_mutex_destroy (&self->runs[i].lock);
      g_free (self->runs[i].losses);
      g_free (self->runs[i].ratios);
    }
  for (guint v = 0; self->parameters != NULL && v < self->experiment->variants->len; v++)
    ns_parameters_clear (&self->parameters[v]);
  g_free (self->parameters);
  g_free (self->runs);
  g_free (self->records);
  g_free (self->source_memory);
  if (self->rows != NULL)
    ns_result_unref (self->rows);
  ns_experiment_free (self->experiment);
  g_free (self);
}

static gboolean
init_run (NsTraining *self, guint variant, guint seed)
{
  NsRun *run = ns_training_get_run (self, variant, seed);

  run->variant = variant;
  run->seed = seed;
  run->diverged_step = -1;
  run->n_parameters = self->parameters[variant].n;
  pthread_mutex_init (&run->lock, NULL);
  run->losses = ns_memory_try_new (double, (guint64) self->n_steps);
  run->ratios = ns_memory_try_new (double, (guint64) self->n_records * run->n_parameters);
  return run->losses != NULL && run->ratios != NULL;
}

static gboolean
init_runs (NsTraining *self)
{
  guint n_variants = self->experiment->variants->len;
  gboolean ok = TRUE;

  self->n_runs = n_variants * self->n_seeds;
  self->runs = g_new0 (NsRun, self->n_runs);
  self->parameters = g_new0 (NsParameters, n_variants);
  for (guint v = 0; v < n_variants; v++)
    {
      NsPlan plan;

      ns_plan_init (&plan, self->experiment, v);
      ns_parameters_init (&self->parameters[v], &plan, self->experiment->training.embeddings);
      for (guint s = 0; s < self->n_seeds; s++)
        ok &= init_run (self, v, s);
    }
  return ok;
}

NsTraining *
ns_training_new (const NsExperiment *experiment, const NsTrainingPlan *plan, guint first_seed, guint n_seeds,
                 GError **error)
{
  NsTraining *self;

  g_return_val_if_fail (n_seeds >= 1, NULL);
  if (!ns_experiment_validate (experiment, error) || !ns_experiment_validate_training (experiment, error))
    return NULL;
  if (!ns_engine_check_memory (experiment, ns_training_get_needed_bytes (experiment, plan, n_seeds), error))
    {
      /* Translators: before what the training needs too much memory for */
      g_prefix_error (error, _ ("a training of %lld steps: "), (long long) experiment->training.steps);
      return NULL;
    }
  self = g_new0 (NsTraining, 1);
  atomic_init (&self->ref_count, 1);
  self->experiment = ns_experiment_copy (experiment);
  self->source_memory = ns_memory_try (ns_batch_source_get_bytes (experiment), 1);
  if (self->source_memory != NULL)
    ns_batch_source_init (&self->source, self->experiment, self->source_memory);
  self->first_seed = first_seed;
  self->n_seeds = n_seeds;
  self->n_steps = experiment->training.steps;
  self->plan = *plan;
  if (plan->quantities != NULL)
    {
      self->quantities = *plan->quantities;
      self->plan.quantities = &self->quantities;
    }
  self->records = ns_training_list_records (self->n_steps, plan, &self->n_records);
  self->rows = ns_result_new_of (experiment, first_seed, self->n_records * n_seeds, self->plan.quantities);
  if (self->source_memory == NULL || self->rows == NULL || !init_runs (self))
    {
      free_training (self);
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                           _ ("The system refused memory for the numbers of the training"));
      return NULL;
    }
  return self;
}

NsTraining *
ns_training_new_recorded (NsResult *steps, const double *losses)
{
  NsTraining *self = g_new0 (NsTraining, 1);
  guint n = ns_result_get_n_seeds (steps);

  atomic_init (&self->ref_count, 1);
  self->is_recorded = TRUE;
  self->experiment = ns_experiment_copy (ns_result_get_experiment (steps));
  self->n_seeds = self->n_runs = 1;
  self->n_steps = self->experiment->training.steps = n;
  self->plan = NS_TRAINING_PLAN_DEFAULT;
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_result_has (steps, q))
      ns_quantity_set_add (&self->quantities, q);
  self->plan.quantities = &self->quantities;
  self->n_records = n;
  self->records = g_new (gint64, n);
  for (guint t = 0; t < n; t++)
    self->records[t] = t;
  self->rows = ns_result_ref (steps);
  self->parameters = g_new0 (NsParameters, 1);
  self->runs = g_new0 (NsRun, 1);
  pthread_mutex_init (&self->runs->lock, NULL);
  self->runs->losses = g_memdup2 (losses, n * sizeof *losses);
  self->runs->diverged_step = -1;
  self->runs->n_records = n;
  self->runs->n_steps = self->runs->n_losses = n;
  self->runs->finished = TRUE;
  return self;
}

gboolean
ns_training_is_recorded (const NsTraining *self)
{
  return self->is_recorded;
}

double
ns_training_get_symbol_entropy (const NsTraining *self)
{
  if (self->is_recorded)
    return NAN;
  return ns_batch_source_get_symbol_entropy (&self->source);
}

double
ns_training_get_floor (const NsTraining *self)
{
  if (self->is_recorded)
    return NAN;
  for (guint v = 0; v < self->experiment->variants->len; v++)
    if (self->experiment->shape.stack == NS_STACK_SINGLE
        && ns_experiment_variant (self->experiment, v)->attention != NS_ATTENTION_CAUSAL)
      return NAN;
  return ns_batch_source_get_floor (&self->source);
}

NsTraining *
ns_training_ref (NsTraining *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
ns_training_unref (NsTraining *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    free_training (self);
}

NsTrainer *
ns_training_new_trainer (const NsTraining *self, const NsRun *run, NsProgress *progress)
{
  guint64 first = (guint64) self->experiment->sampling.seed + self->first_seed;

  return ns_trainer_new (self->experiment, &self->source, run->variant, first + run->seed, progress);
}

/* ---- reading ---- */

const NsExperiment *
ns_training_get_experiment (const NsTraining *self)
{
  return self->experiment;
}

guint
ns_training_get_first_seed (const NsTraining *self)
{
  return self->first_seed;
}

guint
ns_training_get_n_seeds (const NsTraining *self)
{
  return self->n_seeds;
}

gint64
ns_training_get_n_steps (const NsTraining *self)
{
  return self->n_steps;
}

gint64
ns_training_count_steps (const NsTraining *self, guint variant, guint seed)
{
  return atomic_load_explicit (&ns_training_get_run (self, variant, seed)->n_steps, memory_order_acquire);
}

gboolean
ns_training_is_finished (const NsTraining *self, guint variant, guint seed)
{
  return atomic_load_explicit (&ns_training_get_run (self, variant, seed)->finished, memory_order_acquire);
}

gboolean
ns_training_get_loss (const NsTraining *self, guint variant, guint seed, gint64 step, double *loss)
{
  const NsRun *run = ns_training_get_run (self, variant, seed);

  if (step < 0 || step >= atomic_load_explicit (&run->n_losses, memory_order_acquire))
    return FALSE;
  *loss = run->losses[step];
  return TRUE;
}

double
ns_training_get_elapsed_ms (const NsTraining *self)
{
  return self->elapsed_ms;
}

guint
ns_training_get_threads (const NsTraining *self)
{
  return self->threads;
}

void
ns_training_set_elapsed (NsTraining *self, double elapsed_ms, guint threads)
{
  self->elapsed_ms = elapsed_ms;
  self->threads = threads;
}

const gint64 *
ns_training_get_records (const NsTraining *self, guint *n)
{
  *n = self->n_records;
  return self->records;
}

guint
ns_training_count_records (const NsTraining *self, guint variant, guint seed)
{
  return atomic_load_explicit (&ns_training_get_run (self, variant, seed)->n_records, memory_order_acquire);
}

NsResult *
ns_training_get_result (const NsTraining *self, guint record)
{
  NsResult *result;
  guint n_seeds = 1;

  g_return_val_if_fail (record < self->n_records, NULL);
  for (guint i = 0; i < self->n_runs; i++)
    if (record < ns_training_count_records (self, self->runs[i].variant, self->runs[i].seed))
      n_seeds = MAX (n_seeds, self->runs[i].seed + 1);
  result = ns_result_new_of (self->experiment, self->first_seed, n_seeds, self->plan.quantities);
  for (guint i = 0; result != NULL && i < self->n_runs; i++)
    {
      const NsRun *run = &self->runs[i];

      if (run->seed >= n_seeds)
        continue;
      if (record < ns_training_count_records (self, run->variant, run->seed))
        ns_result_copy_row (result, run->variant, run->seed, self->rows, record * self->n_seeds + run->seed);
      else
        ns_result_set_missing (result, run->variant, run->seed);
    }
  return result;
}

gboolean
ns_training_get_stat (const NsTraining *self, guint variant, NsQuantity quantity, guint record, gint64 site,
                      NsStat *stat)
{
  g_autofree double *values = g_new (double, 2 * self->n_seeds);
  guint n = 0;

  g_return_val_if_fail (record < self->n_records, FALSE);
  for (guint s = 0; s < self->n_seeds; s++)
    if (record < ns_training_count_records (self, variant, s)
        && ns_result_get_value (self->rows, variant, quantity, site, record * self->n_seeds + s, &values[n],
                                &values[self->n_seeds + n]))
      n++;
  if (n > 0)
    ns_stat_init (stat, values, values + self->n_seeds, n);
  return n > 0;
}

guint
ns_training_find_record (const NsTraining *self, gint64 step)
{
  guint record = 0;

  while (record + 1 < self->n_records && self->records[record + 1] <= step)
    record++;
  return record;
}

gboolean
ns_training_get_update_ratio (const NsTraining *self, guint variant, guint seed, guint record, NsTensor tensor,
                              gint64 site, double *ratio)
{
  const NsRun *run = ns_training_get_run (self, variant, seed);
  const NsParameters *parameters = &self->parameters[variant];
  const NsParameter *p;
  double value;

  if (self->is_recorded)
    return FALSE;
  g_return_val_if_fail (site >= 0 && site <= parameters->head, FALSE);
  if (record >= ns_training_count_records (self, variant, seed)
      || (p = ns_parameters_find (parameters, tensor, site)) == NULL)
    return FALSE;
  value = run->ratios[(gsize) record * run->n_parameters + (gsize) (p - parameters->list)];
  if (isnan (value))
    return FALSE;
  *ratio = value;
  return TRUE;
}

gboolean
ns_training_get_divergence (const NsTraining *self, guint variant, guint seed, gint64 *step, gint64 *site)
{
  const NsRun *run = ns_training_get_run (self, variant, seed);

  if (!ns_training_is_finished (self, variant, seed) || run->diverged_step < 0)
    return FALSE;
  if (step != NULL)
    *step = run->diverged_step;
  if (site != NULL)
    *site = run->diverged_site;
  return TRUE;
}

gboolean
ns_training_foreach_weights (NsTraining *self, guint variant, guint seed, NsTrainingWeightsFunc func,
                             gpointer user_data, GError **error)
{
  NsRun *run = ns_training_get_run (self, variant, seed);
  const NsParameters *parameters = &self->parameters[variant];
  gboolean ok;
  NsPlan plan;

  ns_plan_init (&plan, self->experiment, variant);
  ns_run_lock (run);
  ok = run->trainer != NULL;
  if (!ok)
    g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_WEIGHTS,
                         _ ("The run has not started, or its weights were not kept"));
  for (guint i = 0; ok && i < parameters->n; i++)
    {
      const NsParameter *p = &parameters->list[i];
      g_autofree char *name = ns_parameter_dup_name (p, &plan);
      NsTrainingWeights weights = { name, (gint64) p->rows, (gint64) p->columns, run->trainer->values + p->offset,
                                    sizeof (ns_real) };

      ok = func (&weights, user_data, error);
    }
  pthread_mutex_unlock (&run->lock);
  return ok;
}
