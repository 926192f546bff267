/* What another implementation needs to repeat the first steps of a training.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-training-arrays.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/train/ns-trainer.h"
#include "engine/train/ns-training.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  NsEngine *engine;
  const NsTrainer *trainer;
  NsArrayFunc func;
  gpointer user_data;
  NsProgress *progress;
  GError **error;
} ArraysJob;

static gboolean
refuse_memory (const ArraysJob *job)
{
  g_set_error_literal (job->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY,
                       _ ("The system refused memory for the arrays"));
  return FALSE;
}

static gboolean
report_cancelled (const ArraysJob *job)
{
  g_set_error_literal (job->error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
  return FALSE;
}

/* ---- arrays ---- */

static gboolean
put_parameter (const ArraysJob *job, const NsParameter *parameter, const char *folder)
{
  const ns_real *values = job->trainer->values + parameter->offset;
  gsize n = parameter->rows * parameter->columns;
  g_autofree float *copy = ns_memory_try_new (float, n);
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  NsPlan plan;
  NsArray array = { .n_dims = 2, .dims = { (gint64) parameter->rows, (gint64) parameter->columns }, .values = copy };

  if (copy == NULL)
    return refuse_memory (job);
  ns_plan_init (&plan, job->trainer->experiment, job->trainer->variant);
  if (plan.E > 0 && parameter->tensor != NS_N_TENSORS && ns_tensor_is_of_ffn (parameter->tensor))
    {
      /* [E, in, out] of the experts */
      array.n_dims = 3;
      array.dims[0] = (gint64) plan.E;
      array.dims[1] = (gint64) (parameter->rows / plan.E);
      array.dims[2] = (gint64) parameter->columns;
    }
  name = ns_parameter_dup_name (parameter, &plan);
  array.name = path = g_strconcat (folder, name, NULL);
  for (gsize i = 0; i < n; i++)
    copy[i] = (float) values[i];
  return job->func (&array, job->user_data, job->error);
}

static gboolean
put_tables (const ArraysJob *job)
{
  for (int table = 0; table < NS_N_TABLES; table++)
    {
      const NsParameter *parameter = ns_parameters_get_table (&job->trainer->parameters, (NsTable) table);

      if (parameter != NULL && !put_parameter (job, parameter, ""))
        return FALSE;
    }
  return TRUE;
}

static gboolean
put_trained (const ArraysJob *job)
{
  const NsParameters *parameters = &job->trainer->parameters;

  for (guint i = 0; i < parameters->n; i++)
    if (!put_parameter (job, &parameters->list[i], "trained/"))
      return FALSE;
  return TRUE;
}

/* Hand over the ids of a part for all steps; part −1: the targets. */
static gboolean
put_ids (const ArraysJob *job, const char *name, gint64 part)
{
  const NsBatchSource *source = job->trainer->source;
  gint64 n_steps = MIN (job->trainer->settings.steps, NS_TRAINING_MAX_BATCHES);
  g_autofree gint32 *ids = ns_memory_try_new (gint32, (guint64) n_steps * source->N);
  NsArray array = { .name = name, .n_dims = 3, .ids = ids,
                    .dims = { n_steps, (gint64) (source->N / source->T), (gint64) source->T } };

  if (ids == NULL)
    return refuse_memory (job);
  for (gint64 step = 0; step < n_steps; step++)
    if (part < 0)
      ns_batch_draw_targets (source, job->trainer->seed, step, ids + (gsize) step * source->N);
    else
      ns_batch_draw_ids (source, job->trainer->seed, step, part, ids + (gsize) step * source->N);
  return job->func (&array, job->user_data, job->error);
}

static gboolean
put_batches (const ArraysJob *job)
{
  return put_ids (job, "batches/ids", 0)
         && (job->trainer->source->n_parts == 1 || put_ids (job, "batches/decoder_ids", 1))
         && put_ids (job, "batches/targets", -1);
}

/* ---- steps ---- */

static gboolean
do_steps (const ArraysJob *job, NsTrainer *trainer, NsTrainerScratch *scratch, NsTrainingStart *start)
{
  const NsSink sink = { 0 };

  while (start->n < MIN (trainer->settings.steps, NS_TRAINING_COMPARED_STEPS))
    {
      NsTrainerStep step = { 0 };
      NsPassState state = ns_trainer_step (trainer, scratch, &sink, &step);

      if (state == NS_PASS_CANCELLED)
        return report_cancelled (job);
      start->diverged = state != NS_PASS_DONE;
      if (start->diverged)
        break;
      start->losses[start->n++] = step.loss;
    }
  return TRUE;
}

static gboolean
train_start (const ArraysJob *job, NsTrainer *trainer, NsTrainingStart *start)
{
  NsEngine *engine = job->engine;
  const NsExperiment *e = trainer->experiment;
  gboolean keep = ns_workspace_get_bytes (e, TRUE, engine->n_threads) <= engine->budget;
  NsTrainerScratch scratch;
  NsWorkspace work;
  gboolean ok;

  if (!ns_workspace_init (&work, &engine->memory[0], e, keep, engine->team))
    return refuse_memory (job);
  if (ns_trainer_scratch_init (&scratch, e, &work, keep, engine->team, job->progress))
    ok = do_steps (job, trainer, &scratch, start);
  else
    ok = refuse_memory (job);
  ns_trainer_scratch_clear (&scratch);
  return ok;
}

gboolean
ns_engine_foreach_training_array (NsEngine *engine, const NsExperiment *experiment, guint variant, guint seed,
                                  NsArrayFunc func, gpointer user_data, NsTrainingStart *start, NsProgress *progress,
                                  GError **error)
{
  NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;
  ArraysJob job = { engine, NULL, func, user_data, progress, error };
  g_autofree gpointer memory = NULL;
  NsBatchSource source = { 0 };
  NsTrainer *trainer;
  gboolean ok;

  *start = (NsTrainingStart){ .n = 0 };
  if (!ns_experiment_validate (experiment, error) || !ns_experiment_validate_training (experiment, error)
      || !ns_engine_check_memory (experiment, ns_engine_get_training_memory (engine, experiment, &plan, 1), error))
    return FALSE;
  memory = ns_memory_try_new (double, ns_batch_source_get_bytes (experiment) / sizeof (double) + 1);
  if (memory == NULL)
    return refuse_memory (&job);
  ns_batch_source_init (&source, experiment, memory);
  trainer = ns_trainer_new (experiment, &source, variant, (guint64) experiment->sampling.seed + seed, progress);
  if (trainer == NULL)
    return ns_progress_is_cancelled (progress) ? report_cancelled (&job)
                                               : ns_experiment_check_sources (experiment, error)
                                                     && refuse_memory (&job);
  job.trainer = trainer;
  ok = put_tables (&job) && put_batches (&job) && train_start (&job, trainer, start) && put_trained (&job);
  ns_trainer_free (trainer);
  return ok;
}
