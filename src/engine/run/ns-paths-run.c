/* Compute the paths of every variant and seed, on threads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/ops/ns-memory.h"
#include "engine/pass/ns-contributions.h"
#include "engine/pass/ns-step.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-gain.h"
#include "engine/run/ns-paths-run-private.h"

#include <glib/gi18n-lib.h>
#include <stdatomic.h>

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  const NsPathsSettings *settings;
  NsPaths *paths;
  NsProgress *progress;
  NsWorkspace *work;  /* [workers] */
  ns_real **memory;   /* [workers] arrays of the kind, see count_paths_arrays() */
  atomic_bool cancelled;
} PathsJob;

/* Return the number of numbers that all probes of a gain map that go down together need. */
static guint64
count_paths_gain_elements (const NsExperiment *experiment, const NsPathsSettings *settings)
{
  NsPlan plan;

  ns_plan_init (&plan, experiment, 0);
  return ns_workspace_get_widened_bytes (experiment, ns_gain_get_copies (&plan, settings->n_probes))
         / sizeof (ns_real);
}

/* Return the number of arrays [N, C] that a variant needs besides its workspace. */
static gsize
count_paths_arrays (const NsExperiment *experiment, guint variant, const NsPathsSettings *settings)
{
  gsize n_sites = (gsize) ns_experiment_get_head_site (experiment), depth;
  NsPlan plan;

  ns_plan_init (&plan, experiment, variant);
  switch (settings->kind)
    {
    case NS_PATHS_SIMILARITY:
      return n_sites; /* the gradients; the workspace has every x_l */
    case NS_PATHS_CONTRIBUTIONS:
      depth = (gsize) ns_parts_get_deepest (&plan.parts); /* one part after the other */
      return ns_contributions_count_covectors (&plan, settings->all_blocks ? depth : 1);
    case NS_PATHS_LENGTHS:
      /* the components, and ∂L/∂x_L, ∂L/∂r_L, the gradients at the inputs, a sum */
      return ns_lengths_count_arrays (&plan, ns_paths_get_parts (&plan)) + 5;
    default:
      return 0;
    }
}

/* Return the elements of the largest variant of an update. */
static guint64
count_step_elements (const NsExperiment *experiment)
{
  guint64 n = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsPlan plan;

      ns_plan_init (&plan, experiment, v);
      n = MAX (n, ns_step_count_elements (&plan));
    }
  return MIN (n, G_MAXUINT64 / sizeof (ns_real));
}

static guint64
get_own_elements (const NsExperiment *experiment, const NsPathsSettings *settings)
{
  const NsShape *shape = &experiment->shape;
  guint64 n = 0, size;

  if (settings->kind == NS_PATHS_GAIN)
    return count_paths_gain_elements (experiment, settings);
  if (settings->kind == NS_PATHS_UPDATE)
    return count_step_elements (experiment);

  for (guint v = 0; v < experiment->variants->len; v++)
    n = MAX (n, count_paths_arrays (experiment, v, settings));
  if (__builtin_mul_overflow ((guint64) (experiment->sampling.batches * shape->batch),
                              (guint64) (shape->seq_len * shape->d_model), &size)
      || __builtin_mul_overflow (n, size, &n))
    return G_MAXUINT64 / sizeof (ns_real);
  return n;
}

/* ---- a job ---- */

/* Return the blocks that a pass of one seed runs through, forward and backward. */
static guint64
count_steps (const NsPaths *paths, guint variant)
{
  const NsExperiment *e = ns_paths_get_experiment (paths);
  const NsPathsSettings *settings = ns_paths_get_settings (paths);
  guint64 n = (guint64) ns_experiment_count_blocks (e), below = 0;
  NsPlan plan;

  ns_plan_init (&plan, e, variant);
  switch (settings->kind)
    {
    case NS_PATHS_GAIN:
      for (gint64 site = 0; site < ns_experiment_get_head_site (e); site++)
        below += (guint64) (site - ns_plan_get_index (&plan, site));
      return n + ns_gain_count_runs (&plan, settings->n_probes) * below;
    case NS_PATHS_LENGTHS:
      return 2 * n + (ns_paths_is_exact (paths, variant) ? 1 : 1 + NS_PATHS_PHASES) * n;
    case NS_PATHS_UPDATE:
      return (1 + NS_STEP_PASSES) * n;
    case NS_PATHS_ROUTING:
      return plan.E > 0 ? 2 * n : n;
    default:
      return 2 * n;
    }
}

static void
record_overflow_in_paths (gpointer data, gint64 site)
{
  NsPathsRun *run = data;

  ns_paths_set_overflow (run->paths, run->variant, run->seed, site);
}

/* Run pass i: all variants of a seed, then the next seed, so that the variants share the seed's weights. */
static void
run_paths_pass (gpointer data, guint i, guint thread)
{
  static NsPassState (*const kinds[NS_N_PATHS]) (NsPathsRun *) = {
    [NS_PATHS_CONTRIBUTIONS] = ns_paths_run_contributions,
    [NS_PATHS_LENGTHS] = ns_paths_run_lengths,
    [NS_PATHS_GAIN] = ns_paths_run_gain,
    [NS_PATHS_SIMILARITY] = ns_paths_run_similarity,
    [NS_PATHS_UPDATE] = ns_paths_run_update,
    [NS_PATHS_ROUTING] = ns_paths_run_routing,
  };
  PathsJob *job = data;
  guint n_variants = job->experiment->variants->len;
  NsPass pass;
  NsPathsRun run = { .settings = job->settings, .progress = job->progress, .paths = job->paths, .pass = &pass,
                     .variant = i % n_variants, .seed = i / n_variants, .memory = job->memory[thread],
                     .head = ns_experiment_get_head_site (job->experiment) };
  guint64 seed = (guint64) job->experiment->sampling.seed + ns_paths_get_first_seed (job->paths) + run.seed;
  NsQuantitySet gradients = { { 0 } };
  NsPassState state;

  ns_quantity_set_add (&gradients, NS_Q_GRAD_X);
  if (atomic_load_explicit (&job->cancelled, memory_order_relaxed)
      || ns_paths_is_finished (job->paths, run.variant, run.seed))
    return;
  ns_paths_start (job->paths, run.variant, run.seed);
  ns_weights_begin (job->engine->weights, seed);
  ns_pass_init (&pass, job->experiment, run.variant, seed, &job->work[thread], job->engine->weights);
  run.size = pass.plan.N * pass.plan.C;
  /* ask for the gradients of the stream alone, and only where a kind sets `record` */
  pass.sink = (NsSink){ .overflow = record_overflow_in_paths, .data = &run, .wanted = &gradients };
  state = ns_pass_forward (&pass, 0, run.head - 1, job->progress);
  if (state == NS_PASS_DONE)
    state = kinds[job->settings->kind](&run);
  ns_weights_end (job->engine->weights, seed);
  if (state == NS_PASS_CANCELLED || ns_progress_is_cancelled (job->progress))
    atomic_store (&job->cancelled, TRUE);
  else
    ns_paths_finish (job->paths, run.variant, run.seed);
}

static gboolean
allocate_paths_run (PathsJob *job, const NsJobLayout *layout, guint64 elements, GError **error)
{
  gboolean ok;

  job->memory = g_new0 (ns_real *, layout->n_workers);
  job->work = ns_engine_new_workspaces (job->engine, job->experiment, layout);
  ok = job->work != NULL;
  for (guint i = 0; ok && i < layout->n_workers; i++)
    ok = elements == 0 || (job->memory[i] = ns_memory_try_new (ns_real, elements)) != NULL;
  return ok || ns_engine_refuse_memory (layout, error);
}

static void
clear_paths_job (PathsJob *job, const NsJobLayout *layout)
{
  for (guint i = 0; i < layout->n_workers; i++)
    g_free (job->memory[i]);
  g_free (job->memory);
  g_free (job->work);
}

/* Return the blocks of all passes that are left. */
static guint64
count_all_steps (const NsPaths *paths)
{
  guint64 steps = 0;

  for (guint v = 0; v < ns_paths_get_experiment (paths)->variants->len; v++)
    steps += count_steps (paths, v) * (ns_paths_get_n_seeds (paths) - ns_paths_count_finished (paths, v));
  return steps;
}

gboolean
ns_engine_fill_paths (NsEngine *engine, NsPaths *paths, NsProgress *progress, GError **error)
{
  double start = ns_now_ms ();
  const NsExperiment *experiment = ns_paths_get_experiment (paths);
  const NsPathsSettings *settings = ns_paths_get_settings (paths);
  guint n_seeds = ns_paths_get_n_seeds (paths);
  guint64 elements = get_own_elements (experiment, settings);
  PathsJob job = {
    .engine = engine, .experiment = experiment, .settings = settings, .paths = paths, .progress = progress
  };
  NsJobLayout layout = ns_engine_lay_out (engine, experiment, experiment->variants->len * n_seeds, TRUE,
                                          elements * sizeof (ns_real),
                                          ns_paths_get_needed_bytes (experiment, settings, n_seeds));
  gboolean ok;

  if (ns_paths_is_complete (paths))
    return ns_experiment_check_sources (experiment, error);
  if (!ns_experiment_check_sources (experiment, error)
      || !ns_engine_check_memory (experiment, layout.needed, error))
    return FALSE;
  ns_weights_trim (engine->weights, experiment, (guint64) experiment->sampling.seed,
                   (guint64) experiment->sampling.seeds);
  ok = allocate_paths_run (&job, &layout, elements, error);
  if (ok)
    {
      ns_progress_begin (progress, count_all_steps (paths));
      ns_team_run (layout.workers, layout.n_passes, run_paths_pass, &job);
      ns_paths_set_elapsed (paths, ns_now_ms () - start);
      ok = !job.cancelled;
      if (!ok)
        g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
      else
        ok = ns_experiment_check_sources (experiment, error);
    }
  clear_paths_job (&job, &layout);
  return ok;
}

NsPaths *
ns_engine_run_paths (NsEngine *engine, const NsExperiment *experiment, const NsPathsSettings *settings,
                     guint first_seed, guint n_seeds, NsProgress *progress, GError **error)
{
  g_autoptr (NsPaths) paths = ns_paths_new (experiment, settings, first_seed, n_seeds, error);

  if (paths == NULL || !ns_engine_fill_paths (engine, paths, progress, error))
    return NULL;
  return g_steal_pointer (&paths);
}
