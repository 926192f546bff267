/* Train the runs of a training side by side.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each worker takes a run of the first seed that has one left, the one with the fewest steps, advances it a little and
 * puts it back. So the curves of all variants grow together, and those of the first seed are complete long before all
 * are. Where the states of all runs do not fit the memory budget, only as many runs as there are workers are open at a
 * time. Neither changes a number.
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/train/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <sched.h>

#define SLICE_MS 20 /* a worker advances a run for about as long */

typedef struct
{
  NsEngine *engine;
  NsTraining *training;
  NsProgress *progress;
  NsProgress **parts;        /* [workers] of it */
  guint n_seeds;             /* the first ones, of which runs advance */
  gint64 until;              /* steps of each run */
  double start_ms, before_ms; /* when it began, and what the calls before it took */
  NsTrainerScratch *scratch; /* [workers] */
  NsQuantitySet measured;    /* at recorded steps: with the gradients, so that the whole pass runs */
  pthread_mutex_t lock;      /* guards n_open, and n_picked and is_picked of the runs; held to set elapsed_ms */
  guint n_open, max_open;    /* unfinished runs that have a state; the most */
  atomic_bool refused;       /* memory */
  atomic_bool cancelled;
} TrainingJob;

/* ---- one step ---- */

static void
finish_run (TrainingJob *job, NsRun *run)
{
  if (!job->training->plan.keep_weights)
    {
      ns_trainer_free (run->trainer);
      run->trainer = NULL;
    }
  atomic_store_explicit (&run->finished, TRUE, memory_order_release);
}

/* Return the blocks that a run passes from that step and record on. */
static guint64
count_blocks_from (const TrainingJob *job, gint64 step, guint record)
{
  const NsTraining *training = job->training;
  const NsExperiment *e = training->experiment;
  guint64 steps = (guint64) (job->until - step);
  guint end = record;

  while (end < training->n_records && training->records[end] < job->until)
    end++;
  return 2 * (guint64) ns_experiment_count_blocks (e)
         * (ns_trainer_takes_halves (e) ? 2 * steps + (end - record) : steps);
}

/* Do one step of a run. FALSE when the job was cancelled. */
static gboolean
do_step (TrainingJob *job, NsRun *run, NsTrainerScratch *scratch)
{
  NsTraining *training = job->training;
  gint64 t = run->trainer->step;
  guint n_records = run->n_records;
  gboolean is_recorded = n_records < training->n_records && training->records[n_records] == t;
  NsResultSlot slot = { training->rows, run->variant, n_records * training->n_seeds + run->seed };
  NsSink sink = { 0 };
  NsTrainerStep step = { .ratios = NULL };
  NsPassState state;
  guint64 before, after, total;

  ns_progress_get (scratch->progress, &before, &total);
  if (is_recorded)
    {
      sink = ns_result_slot_get_sink (&slot, &job->measured);
      step.ratios = run->ratios + (gsize) n_records * run->n_parameters;
      for (guint i = 0; i < run->n_parameters; i++)
        step.ratios[i] = NAN;
    }
  state = ns_trainer_step (run->trainer, scratch, &sink, &step);
  if (state == NS_PASS_CANCELLED)
    return FALSE;
  run->losses[t] = step.loss;
  if (is_recorded)
    atomic_store_explicit (&run->n_records, n_records + 1, memory_order_release);
  atomic_store_explicit (&run->n_losses, t + 1, memory_order_release);
  if (state == NS_PASS_DONE)
    atomic_store_explicit (&run->n_steps, t + 1, memory_order_release);
  else
    {
      run->diverged_step = t;
      run->diverged_site = step.overflow;
      ns_progress_get (scratch->progress, &after, &total);
      ns_progress_skip (scratch->progress, count_blocks_from (job, t, n_records) - (after - before));
    }
  if (state != NS_PASS_DONE || t + 1 == training->n_steps)
    finish_run (job, run);
  return TRUE;
}

/* Advance a run until its slice is over. FALSE when memory is refused or the job was cancelled. */
static gboolean
advance (TrainingJob *job, NsRun *run, NsTrainerScratch *scratch)
{
  NsTraining *training = job->training;
  double end = ns_now_ms () + SLICE_MS;
  gboolean ok;

  while (run->n_waiting > 0)
    sched_yield ();
  pthread_mutex_lock (&run->lock);
  if (run->trainer == NULL)
    run->trainer = ns_training_new_trainer (training, run, job->progress);
  ok = run->trainer != NULL;
  if (!ok && ns_progress_is_cancelled (job->progress))
    job->cancelled = TRUE;
  else if (!ok)
    job->refused = TRUE;
  while (ok && !run->finished && run->n_steps < job->until && ns_now_ms () < end)
    {
      ok = do_step (job, run, scratch);
      if (!ok)
        atomic_store (&job->cancelled, TRUE);
    }
  pthread_mutex_unlock (&run->lock);
  return ok;
}

/* ---- the order of the runs ---- */

/* Return TRUE if the run has steps to do. */
static gboolean
is_due (const TrainingJob *job, const NsRun *run)
{
  return !run->finished && run->seed < job->n_seeds && run->n_steps < job->until;
}

/* Return TRUE if run a goes before b: the one of an earlier seed, then the one with fewer steps, then the one that has
 * waited longer. */
static gboolean
goes_before (const NsRun *a, const NsRun *b)
{
  if (a->seed != b->seed)
    return a->seed < b->seed;
  if (a->n_steps != b->n_steps)
    return a->n_steps < b->n_steps;
  return a->n_picked < b->n_picked;
}

/* Return the run to advance next, NULL if there is none. Call with the lock held. */
static NsRun *
pick (TrainingJob *job)
{
  NsRun *best = NULL;

  for (guint i = 0; i < job->training->n_runs; i++)
    {
      NsRun *run = &job->training->runs[i];

      if (run->is_picked || !is_due (job, run) || (!run->is_open && job->n_open >= job->max_open))
        continue;
      if (best == NULL || goes_before (run, best))
        best = run;
    }
  if (best != NULL)
    {
      job->n_open += best->is_open ? 0 : 1;
      best->is_open = best->is_picked = TRUE;
      best->n_picked++;
    }
  return best;
}

/* Count the time up to now, so that a checkpoint of a training that runs has it. Call with the lock held. */
static void
count_time (TrainingJob *job)
{
  job->training->elapsed_ms = job->before_ms + (ns_now_ms () - job->start_ms);
}

static void
work (gpointer data, guint item, guint thread)
{
  TrainingJob *job = data;
  gboolean ok = TRUE;

  (void) thread;
  while (ok && !job->cancelled)
    {
      NsRun *run;

      pthread_mutex_lock (&job->lock);
      run = pick (job);
      count_time (job); /* a checkpoint of the first slice has some, too */
      pthread_mutex_unlock (&job->lock);
      if (run == NULL)
        return;
      ok = advance (job, run, &job->scratch[item]);
      pthread_mutex_lock (&job->lock);
      run->is_picked = FALSE;
      count_time (job);
      if (run->finished)
        {
          run->is_open = FALSE;
          job->n_open--;
        }
      pthread_mutex_unlock (&job->lock);
    }
}

/* ---- memory ---- */

typedef struct
{
  NsJobLayout job;
  guint max_open;
} Layout;

/* Return the bytes of a worker. */
static guint64
get_work_bytes (const NsEngine *engine, const NsExperiment *experiment, guint n_workers, gboolean activations)
{
  guint team_size = ns_engine_get_team_size (engine, n_workers);

  return ns_saturating_add (ns_workspace_get_bytes (experiment, activations, team_size),
                            ns_trainer_scratch_get_bytes (experiment, activations, team_size));
}

static guint64
get_trainer_bytes (const NsExperiment *experiment)
{
  return ns_saturating_mul (ns_trainer_count_state (experiment), sizeof (ns_real));
}

/* Return the bytes of the workers, and of the state of each run that is open. */
static guint64
get_bytes (const NsEngine *engine, const NsExperiment *experiment, guint n_workers, guint n_open, gboolean activations)
{
  return ns_saturating_add (ns_saturating_mul (get_work_bytes (engine, experiment, n_workers, activations), n_workers),
                            ns_saturating_mul (get_trainer_bytes (experiment), n_open));
}

/* Return TRUE if the activations of all workers fit the budget. States, which cannot be computed again, do not count
 * against it. */
static gboolean
keeps_activations (const NsEngine *engine, const NsExperiment *experiment, guint n_workers, guint n_open)
{
  guint64 workspace = ns_workspace_get_bytes (experiment, TRUE, ns_engine_get_team_size (engine, n_workers));

  return ns_saturating_mul (workspace, n_workers) <= engine->budget
         && get_bytes (engine, experiment, n_workers, n_open, TRUE) <= ns_machine_memory ();
}

/* Use as many workers as the budget allows, then keep activations, then open more runs. */
static Layout
lay_out_training (const NsEngine *engine, const NsExperiment *experiment, guint n_runs, gboolean keep_weights,
                  guint64 numbers)
{
  Layout layout = { 0 };
  guint n = CLAMP (n_runs, 1, engine->n_threads), least = keep_weights ? n_runs : 1;

  while (n > 1 && get_bytes (engine, experiment, n, MAX (n, least), FALSE) > engine->budget)
    n--;
  layout.max_open = MAX (n, least);
  layout.job.n_passes = n_runs;
  ns_engine_set_workers (engine, &layout.job, n);
  layout.job.keep_activations = keeps_activations (engine, experiment, n, layout.max_open);
  layout.job.needed =
      ns_saturating_add (get_bytes (engine, experiment, n, layout.max_open, layout.job.keep_activations), numbers);
  while (layout.max_open < n_runs
         && get_bytes (engine, experiment, n, layout.max_open + 1, layout.job.keep_activations) <= engine->budget)
    layout.max_open++;
  return layout;
}

guint64
ns_engine_get_training_memory (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                               guint n_seeds)
{
  guint64 numbers = ns_training_get_needed_bytes (experiment, plan, n_seeds);
  Layout layout =
      lay_out_training (engine, experiment, experiment->variants->len * n_seeds, plan->keep_weights, numbers);

  return layout.job.needed;
}

void
ns_engine_describe_training_memory (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                                    guint n_seeds, NsTrainingMemory *memory)
{
  guint n_runs = experiment->variants->len * n_seeds;
  Layout layout = lay_out_training (engine, experiment, n_runs, plan->keep_weights, 0);
  guint n = layout.job.n_workers;

  *memory = (NsTrainingMemory){ .n_open = layout.max_open, .n_workers = n, .state = get_trainer_bytes (experiment),
                                .work = get_work_bytes (engine, experiment, n, layout.job.keep_activations),
                                .numbers = ns_training_get_needed_bytes (experiment, plan, n_seeds) };
  memory->total = ns_saturating_add (get_bytes (engine, experiment, n, layout.max_open, layout.job.keep_activations),
                                     memory->numbers);
}

/* ---- the job ---- */

static gboolean
allocate_job (TrainingJob *job, const Layout *layout, NsWorkspace *work)
{
  for (guint i = 0; i < layout->job.n_workers; i++)
    {
      job->parts[i] = ns_progress_new_part (job->progress);
      if (!ns_trainer_scratch_init (&job->scratch[i], job->training->experiment, &work[i],
                                    layout->job.keep_activations, layout->job.team, job->parts[i]))
        return FALSE;
    }
  return TRUE;
}

static guint64
count_job_blocks (const TrainingJob *job)
{
  const NsTraining *training = job->training;
  guint64 blocks = 0;

  for (guint i = 0; i < training->n_runs; i++)
    if (is_due (job, &training->runs[i]))
      blocks += count_blocks_from (job, training->runs[i].n_steps, training->runs[i].n_records);
  return blocks;
}

/* Return the number of runs that are due; n_open becomes the number of those that have a state. */
static guint
count_due (TrainingJob *job)
{
  guint due = 0;

  for (guint i = 0; i < job->training->n_runs; i++)
    {
      NsRun *run = &job->training->runs[i];

      run->is_open = run->trainer != NULL && !run->finished;
      run->is_picked = FALSE;
      due += is_due (job, run) ? 1 : 0;
      job->n_open += is_due (job, run) && run->is_open ? 1 : 0;
    }
  return due;
}

gboolean
ns_engine_train (NsEngine *engine, NsTraining *training, NsProgress *progress, GError **error)
{
  return ns_engine_train_until (engine, training, training->n_seeds, training->n_steps, progress, error);
}

gboolean
ns_engine_train_until (NsEngine *engine, NsTraining *training, guint n_seeds, gint64 n_steps, NsProgress *progress,
                       GError **error)
{
  const NsExperiment *experiment = training->experiment;
  NsQuantitySet gradient = { { 0 } };
  TrainingJob job = { .engine = engine, .training = training, .progress = progress,
                      .n_seeds = n_seeds, .until = MIN (n_steps, training->n_steps), .start_ms = ns_now_ms (),
                      .before_ms = training->elapsed_ms };
  guint due = count_due (&job);
  g_autofree NsWorkspace *workspaces = NULL;
  Layout layout;
  gboolean ok = TRUE;

  if (due == 0)
    return TRUE;
  ns_quantity_set_add (&gradient, NS_Q_GRAD_X);
  job.measured = ns_quantity_set_with_terms (training->plan.quantities);
  for (guint i = 0; i < G_N_ELEMENTS (gradient.words); i++)
    job.measured.words[i] |= gradient.words[i];
  layout = lay_out_training (engine, experiment, due, training->plan.keep_weights, 0);
  if (!ns_engine_check_memory (experiment, layout.job.needed, error))
    return FALSE;
  job.max_open = MAX (layout.max_open, job.n_open);
  job.scratch = g_new0 (NsTrainerScratch, layout.job.n_workers);
  job.parts = g_new0 (NsProgress *, layout.job.n_workers);
  pthread_mutex_init (&job.lock, NULL);
  workspaces = ns_engine_new_workspaces (engine, experiment, &layout.job);
  if (workspaces == NULL || !allocate_job (&job, &layout, workspaces))
    job.refused = TRUE;
  else
    {
      ns_progress_begin (progress, count_job_blocks (&job));
      training->threads = MAX (training->threads, engine->n_threads);
      ns_team_run (layout.job.workers, layout.job.n_workers, work, &job);
      count_time (&job); /* the workers have ended */
    }
  if (job.refused)
    ok = ns_experiment_check_sources (experiment, error) && ns_engine_refuse_memory (&layout.job, error);
  else if (job.cancelled)
    {
      ok = FALSE;
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
    }
  for (guint i = 0; i < layout.job.n_workers; i++)
    {
      ns_trainer_scratch_clear (&job.scratch[i]);
      ns_progress_unref (job.parts[i]);
    }
  g_free (job.scratch);
  g_free (job.parts);
  pthread_mutex_destroy (&job.lock);
  return ok;
}
