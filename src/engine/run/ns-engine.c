/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-engine.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-activations.h"
#include "engine/pass/ns-pass.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-own-passes.h"
#include "engine/run/ns-partial-run.h"
#include "engine/run/ns-result-private.h"

#include <glib/gi18n-lib.h>
#include <stdatomic.h>
#include <unistd.h>

#define DEFAULT_BUDGET ((guint64) 1 << 30)

G_DEFINE_QUARK (ns-engine-error-quark, ns_engine_error)

NsEngine *
ns_engine_new (guint n_threads, guint64 memory_budget)
{
  NsEngine *engine = g_new0 (NsEngine, 1);
  long cores = sysconf (_SC_NPROCESSORS_ONLN);
  guint64 memory = ns_machine_memory ();

  engine->n_threads = n_threads > 0 ? n_threads : (guint) CLAMP (cores, 1, 1024);
  engine->budget = memory_budget > 0 ? memory_budget : MIN (DEFAULT_BUDGET, memory / 4);
  if (ns_limits_bound_space ())
    {
      /* what the limit allows is counted for these */
      engine->n_threads = MIN (engine->n_threads, (guint) CLAMP (cores, 1, 1024));
      engine->budget = MIN (engine->budget, memory / 4);
    }
  engine->weights = ns_weights_new (engine->budget);
  /* An OpenBLAS built without threads has no locks: concurrent calls silently return wrong products. */
  if (openblas_get_parallel () == 0)
    engine->n_threads = 1;
  engine->team = ns_team_new (engine->n_threads);
  engine->n_threads = ns_team_size (engine->team);
  engine->memory = g_new0 (NsWorkspaceMemory, engine->n_threads);
  return engine;
}

void
ns_engine_free (NsEngine *engine)
{
  if (engine == NULL)
    return;
  ns_engine_release_memory (engine);
  g_clear_pointer (&engine->kept, ns_kept_passes_free);
  g_free (engine->memory);
  ns_team_free (engine->team);
  ns_weights_free (engine->weights);
  g_free (engine);
}

void
ns_engine_release_memory (NsEngine *engine)
{
  for (guint i = 0; i < engine->n_threads; i++)
    ns_workspace_memory_clear (&engine->memory[i]);
  ns_weights_clear (engine->weights);
  if (engine->kept != NULL)
    ns_kept_passes_clear (engine->kept);
}

void
ns_engine_keep_weights (NsEngine *engine)
{
  ns_weights_keep (engine->weights);
}

void
ns_engine_keep_activations (NsEngine *engine)
{
  ns_engine_keep_weights (engine);
  if (engine->kept == NULL && !ns_limits_bound_space ())
    engine->kept = ns_kept_passes_new (engine->budget / 4);
}

guint
ns_engine_get_threads (const NsEngine *engine)
{
  return engine->n_threads;
}

void
ns_engine_give_way (NsEngine *engine)
{
  ns_team_give_way (engine->team);
}

/* ---- the layout of a job ---- */

guint
ns_engine_get_team_size (const NsEngine *engine, guint n_workers)
{
  return (engine->n_threads + n_workers - 1) / n_workers;
}

void
ns_engine_set_workers (const NsEngine *engine, NsJobLayout *layout, guint n_workers)
{
  layout->n_workers = n_workers;
  layout->workers = ns_team_get_part (engine->team, n_workers);
  layout->team = ns_team_get_part (engine->team, ns_engine_get_team_size (engine, n_workers));
}

/* Return the memory of the workers: a workspace and their own bytes. */
static guint64
get_bytes (const NsEngine *engine, const NsExperiment *experiment, guint n_workers, gboolean keep_activations,
           guint64 own)
{
  guint64 bytes = ns_workspace_get_bytes (experiment, keep_activations, ns_engine_get_team_size (engine, n_workers));

  return ns_saturating_mul (ns_saturating_add (bytes, own), n_workers);
}

/* Return how many passes, at most `most` and at least one, fit the budget at a time without their activations. */
static guint
count_fitting_workers (const NsEngine *engine, const NsExperiment *experiment, guint most, guint64 own)
{
  while (most > 1 && get_bytes (engine, experiment, most, FALSE, own) > engine->budget)
    most--;
  return most;
}

NsJobLayout
ns_engine_lay_out (const NsEngine *engine, const NsExperiment *experiment, guint n_passes, gboolean may_keep,
                   guint64 own, guint64 result)
{
  NsJobLayout layout = { .n_passes = n_passes };
  guint n = count_fitting_workers (engine, experiment, CLAMP (n_passes, 1, engine->n_threads), own);

  layout.keep_activations = may_keep && get_bytes (engine, experiment, n, TRUE, own) <= engine->budget;
  ns_engine_set_workers (engine, &layout, n);
  layout.needed = ns_saturating_add (get_bytes (engine, experiment, n, layout.keep_activations, own), result);
  return layout;
}

/* Lay out a run of these quantities; NULL: of an ordinary one. */
static NsJobLayout
lay_out_run (const NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *quantities, guint n_seeds)
{
  guint64 own = ns_saturating_mul (ns_own_passes_count_elements (experiment, quantities), sizeof (ns_real));
  guint64 result = ns_result_get_needed_bytes (experiment, n_seeds, quantities);

  return ns_engine_lay_out (engine, experiment, experiment->variants->len * n_seeds,
                            !ns_own_passes_need_one_cache (quantities), own, result);
}

guint64
ns_engine_get_needed_memory (const NsEngine *engine, const NsExperiment *experiment)
{
  return ns_engine_get_needed_for_seeds (engine, experiment, (guint) experiment->sampling.seeds);
}

guint64
ns_engine_get_needed_for_seeds (const NsEngine *engine, const NsExperiment *experiment, guint n_seeds)
{
  return lay_out_run (engine, experiment, NULL, n_seeds).needed;
}

gboolean
ns_engine_check_memory (const NsExperiment *experiment, guint64 bytes, GError **error)
{
  guint64 machine = ns_machine_memory ();
  const NsShape *shape = &experiment->shape;
  g_autofree char *needed = NULL, *available = NULL;
  gint64 batches = experiment->sampling.batches;

  if (bytes <= machine)
    return TRUE;
  needed = bytes == G_MAXUINT64 ? g_strdup (_ ("more than 16 EiB"))
                                : g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  available = g_format_size_full (machine, G_FORMAT_SIZE_IEC_UNITS);
  if (ns_machine_is_limited ())
    {
      char *limited
        = g_strdup_printf (_ ("%s within its limits of address space and memory (ulimit, cgroup)"), available);

      g_free (available);
      available = limited;
    }
  if (batches > 1)
    ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_MEMORY, "sampling.batches",
                             _ ("sampling.batches: %lld minibatches of batch %lld × seq_len %lld at depth %lld and "
                                "d_model %lld need %s of memory; this machine has %s"),
                             (long long) batches, (long long) shape->batch, (long long) shape->seq_len,
                             (long long) shape->depth, (long long) shape->d_model, needed, available);
  else
    ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_MEMORY, "shape",
                             _ ("shape: depth %lld, d_model %lld, d_ff %lld, batch %lld × seq_len %lld and vocab %lld, "
                                "of %u variants with %lld seeds, need %s of memory; this machine has %s"),
                             (long long) shape->depth, (long long) shape->d_model, (long long) shape->d_ff,
                             (long long) shape->batch, (long long) shape->seq_len, (long long) shape->vocab,
                             experiment->variants->len, (long long) experiment->sampling.seeds, needed, available);
  return FALSE;
}

/* ---- a job ---- */

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  const NsQuantitySet *quantities; /* that the result holds; NULL: all */
  NsQuantitySet measured;          /* with the terms of their sums */
  ns_real **memory;                /* [workers] of the quantities that take passes of their own; NULL: none */
  guint first_seed;
  NsResult *result;
  NsPartialRun *partial;           /* or NULL */
  NsProgress *progress;
  NsWorkspace *work;      /* [workers] */
  NsKeptPass **kept;      /* [seeds, variants] what a pass goes on from, each or the whole NULL: it runs as a whole */
  atomic_bool cancelled;
} RunJob;

static void
record_in_result (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
                  double log10_value)
{
  const NsResultSlot *slot = data;

  if (value < 0 && estimate == NS_ESTIMATE_EXPECTED) /* a negative square has no root */
    value = log10_value = NAN;
  ns_result_set_estimate (slot->result, slot->variant, quantity, estimate, site, slot->seed, value, log10_value);
}

static void
record_overflow_in_result (gpointer data, gint64 site)
{
  const NsResultSlot *slot = data;

  ns_result_set_overflow (slot->result, slot->variant, slot->seed, site);
}

NsSink
ns_result_slot_get_sink (NsResultSlot *slot, const NsQuantitySet *wanted)
{
  return (NsSink){ .record = record_in_result, .overflow = record_overflow_in_result, .data = slot, .wanted = wanted };
}

/* Run pass i: all variants of a seed, then the next seed, so that the variants share the seed's weights. */
static void
run_result_pass (gpointer data, guint i, guint thread)
{
  RunJob *job = data;
  guint n_variants = job->experiment->variants->len;
  NsResultSlot slot = { job->result, i % n_variants, i / n_variants };
  NsKeptPass *kept = job->kept != NULL ? job->kept[i] : NULL;
  guint64 seed = (guint64) job->experiment->sampling.seed + job->first_seed + slot.seed;
  NsPartialPass partial;
  NsPassState state;
  NsPass pass;

  if (atomic_load_explicit (&job->cancelled, memory_order_relaxed))
    return;
  ns_weights_begin (job->engine->weights, seed);
  ns_pass_init (&pass, job->experiment, slot.variant, seed, &job->work[thread], job->engine->weights);
  pass.sink = ns_result_slot_get_sink (&slot, &job->measured);
  ns_partial_pass_begin (&partial, job->partial, &pass.sink, &slot);
  if (kept != NULL)
    state = ns_kept_pass_forward (kept, &pass, job->progress);
  else
    state = ns_pass_forward (&pass, 0, ns_plan_get_head_site (&pass.plan) - 1, job->progress);
  if (state == NS_PASS_DONE)
    state = ns_pass_run_back (&pass, job->progress, NULL);
  if (state == NS_PASS_DONE && job->memory != NULL)
    state = ns_own_passes_run (&pass, job->memory[thread], job->progress);
  ns_partial_pass_end (&partial);
  ns_workspace_use (pass.work, NULL);
  ns_weights_end (job->engine->weights, seed);
  if (state == NS_PASS_CANCELLED)
    atomic_store (&job->cancelled, TRUE);
}

NsWorkspace *
ns_engine_new_workspaces (NsEngine *engine, const NsExperiment *experiment, const NsJobLayout *layout)
{
  NsWorkspace *work = g_new0 (NsWorkspace, layout->n_workers);

  for (guint i = 0; i < layout->n_workers; i++)
    if (!ns_workspace_init (&work[i], &engine->memory[i], experiment, layout->keep_activations,
                            layout->team))
      {
        g_free (work);
        return NULL;
      }
  return work;
}

gboolean
ns_engine_refuse_memory (const NsJobLayout *layout, GError **error)
{
  g_autofree char *needed = g_format_size_full (layout->needed, G_FORMAT_SIZE_IEC_UNITS);

  g_set_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, _ ("The system refused %s of memory for this run"),
               needed);
  return FALSE;
}

/* Allocate what the quantities that take passes of their own need. */
static gboolean
allocate_own (RunJob *job, const NsJobLayout *layout)
{
  guint64 elements = ns_own_passes_count_elements (job->experiment, job->quantities);

  if (elements == 0)
    return TRUE;
  job->memory = g_new0 (ns_real *, layout->n_workers + 1);
  for (guint i = 0; i < layout->n_workers; i++)
    if ((job->memory[i] = ns_memory_try_new (ns_real, elements)) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
allocate_run (RunJob *job, const NsJobLayout *layout, guint n_seeds, GError **error)
{
  job->result = ns_result_new_of (job->experiment, job->first_seed, n_seeds, job->quantities);
  if (job->result != NULL)
    job->work = ns_engine_new_workspaces (job->engine, job->experiment, layout);
  return (job->work != NULL && allocate_own (job, layout)) || ns_engine_refuse_memory (layout, error);
}

static void
clear_run_job (RunJob *job)
{
  for (guint i = 0; job->memory != NULL && job->memory[i] != NULL; i++)
    g_free (job->memory[i]);
  g_free (job->memory);
  g_free (job->kept);
  g_free (job->work);
  if (job->result != NULL)
    ns_result_unref (job->result);
}

guint64
ns_engine_count_blocks (const NsExperiment *experiment, const NsQuantitySet *quantities, guint n_seeds)
{
  guint64 blocks = (guint64) ns_experiment_count_blocks (experiment), steps = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    steps += (ns_quantity_set_needs_backward (quantities) ? 2 : 1) * blocks
             + ns_own_passes_count_steps (experiment, v, quantities);
  return steps * n_seeds;
}

NsResult *
ns_engine_run (NsEngine *engine, const NsExperiment *experiment, guint first_seed, guint n_seeds, NsProgress *progress,
               GError **error)
{
  return ns_engine_run_watched (engine, experiment, NULL, first_seed, n_seeds, NULL, progress, error);
}

NsResult *
ns_engine_run_quantities (NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *quantities,
                          guint first_seed, guint n_seeds, NsProgress *progress, GError **error)
{
  return ns_engine_run_watched (engine, experiment, quantities, first_seed, n_seeds, NULL, progress, error);
}

NsResult *
ns_engine_run_watched (NsEngine *engine, const NsExperiment *experiment, const NsQuantitySet *quantities,
                       guint first_seed, guint n_seeds, const NsResultWatch *watch, NsProgress *progress,
                       GError **error)
{
  double start = ns_now_ms ();
  RunJob job = { .engine = engine, .experiment = experiment, .quantities = quantities, .first_seed = first_seed,
                 .measured = ns_quantity_set_with_terms (quantities), .progress = progress };
  NsJobLayout layout;
  NsResult *result = NULL;

  g_return_val_if_fail (n_seeds >= 1, NULL);
  if (!ns_experiment_validate (experiment, error) || !ns_experiment_check_sources (experiment, error))
    return NULL;
  layout = lay_out_run (engine, experiment, quantities, n_seeds);
  if (!ns_engine_check_memory (experiment, layout.needed, error))
    return NULL;
  ns_weights_trim (engine->weights, experiment, (guint64) experiment->sampling.seed,
                   (guint64) experiment->sampling.seeds);
  ns_progress_begin (progress, ns_engine_count_blocks (experiment, quantities, n_seeds));
  if (allocate_run (&job, &layout, n_seeds, error))
    {
      if (engine->kept != NULL && layout.keep_activations)
        job.kept = ns_kept_passes_begin (engine->kept, experiment, first_seed, n_seeds, &job.measured);
      job.partial = ns_partial_run_begin (watch, job.result, engine->n_threads);
      ns_team_run (layout.workers, layout.n_passes, run_result_pass, &job);
      ns_partial_run_end (job.partial);
      if (job.cancelled)
        g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
      else if (ns_experiment_check_sources (experiment, error))
        {
          ns_result_set_elapsed (job.result, ns_now_ms () - start, engine->n_threads);
          result = g_steal_pointer (&job.result);
        }
    }
  clear_run_job (&job);
  return result;
}
