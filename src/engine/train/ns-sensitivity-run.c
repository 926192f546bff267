/* Train the runs of a sensitivity map side by side.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run is an item (ns-items.h). A worker trains it from the first step to the last, and keeps a few means of its
 * losses.
 */
#include "engine/train/ns-sensitivity-private.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-items-private.h"
#include "engine/train/ns-trainer.h"
#include "engine/train/ns-training-loss.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  NsEngine *engine;
  NsSensitivity *map;
  NsProgress *progress;
  NsJobLayout layout;
  double **losses;          /* [workers][steps] of the present run */
  atomic_bool refused;      /* memory */
  atomic_bool cancelled;
} SensitivityJob;

/* ---- one run ---- */

/* Return the blocks that a step passes, forward and backward. */
static guint64
count_step (const NsExperiment *experiment)
{
  guint64 blocks = 2 * (guint64) ns_experiment_count_blocks (experiment);

  return ns_trainer_takes_halves (experiment) ? 2 * blocks : blocks;
}

/* Take all steps. FALSE when the job was cancelled. */
static gboolean
take_steps (double *losses, NsTrainer *trainer, NsTrainerScratch *scratch, NsSensitivityNumbers *run)
{
  gint64 steps = trainer->experiment->training.steps, n = 0;
  const NsSink sink = { 0 };

  run->step = -1;
  run->site = 0;
  while (n < steps)
    {
      NsTrainerStep step = { .ratios = NULL };
      NsPassState state = ns_trainer_step (trainer, scratch, &sink, &step);

      if (state == NS_PASS_CANCELLED)
        return FALSE;
      losses[n++] = step.loss;
      if (state == NS_PASS_DONE)
        continue;
      run->step = n - 1;
      run->site = step.overflow;
      break;
    }
  run->first = losses[0];
  run->half = n > steps / 2 ? ns_losses_get_mean (losses, steps / 2, steps) : NAN;
  run->last = run->step < 0 ? ns_losses_get_mean (losses, steps - 1, steps) : NAN;
  return TRUE;
}

static void
finish_cell (NsSensitivity *map, NsSensitivityNumbers *run)
{
  atomic_store_explicit (&run->finished, TRUE, memory_order_release);
  atomic_fetch_add (&map->n_finished, 1);
}

/* Train one run. FALSE when memory is refused or the job was cancelled. */
static gboolean
train_cell (gpointer data, guint index, guint worker)
{
  SensitivityJob *job = data;
  NsSensitivity *map = job->map;
  guint n_variants = map->experiment->variants->len, cell = index / n_variants;
  guint rate = cell % map->plan.n_rates, point = cell / map->plan.n_rates % map->plan.n_points;
  guint64 seed = (guint64) map->experiment->sampling.seed + cell / map->plan.n_rates / map->plan.n_points;
  g_autoptr (NsExperiment) experiment = ns_sensitivity_make_experiment (map, point, rate);
  NsTeam *team = job->layout.team;
  NsTrainer *trainer = NULL;
  NsTrainerScratch scratch = { .work = NULL };
  g_autoptr (NsProgress) progress = ns_progress_new_part (job->progress);
  NsWorkspace workspace;
  gboolean ok = FALSE;
  guint64 done, total;

  /* of this depth, so that a step does the same as in a training of its own */
  if (ns_workspace_init (&workspace, &job->engine->memory[worker], experiment, job->layout.keep_activations,
                         team)
      && ns_trainer_scratch_init (&scratch, experiment, &workspace, job->layout.keep_activations, team,
                                  progress))
    trainer = ns_trainer_new (experiment, &map->source, index % n_variants, seed, progress);
  if (trainer != NULL)
    ok = take_steps (job->losses[worker], trainer, &scratch, &map->runs[index]);
  if (!ok && ns_progress_is_cancelled (job->progress))
    job->cancelled = TRUE;
  else if (!ok)
    job->refused = TRUE;
  if (ok)
    {
      ns_progress_get (progress, &done, &total);
      /* what a run leaves out that has diverged */
      ns_progress_skip (job->progress, count_step (experiment) * (guint64) experiment->training.steps - done);
      finish_cell (map, &map->runs[index]);
    }
  ns_trainer_free (trainer);
  ns_trainer_scratch_clear (&scratch);
  return ok;
}

/* ---- the items ---- */

typedef struct
{
  NsSensitivity *map;
  guint64 *blocks; /* [n_points] of a run */
  gint64 *heads;   /* [n_points] */
} List;

static guint
get_n (gconstpointer data)
{
  return ((const List *) data)->map->n_runs;
}

static gsize
get_length (gconstpointer data, guint item)
{
  (void) data, (void) item;
  return 5;
}

static guint
get_point (const NsSensitivity *map, guint item)
{
  return item / map->experiment->variants->len / map->plan.n_rates % map->plan.n_points;
}

static guint64
count_cell_blocks (gconstpointer data, guint item)
{
  const List *list = data;

  return list->blocks[get_point (list->map, item)];
}

/* The weights are drawn for each seed. */
static guint
get_item_group (gconstpointer data, guint item)
{
  const NsSensitivity *map = ((const List *) data)->map;

  return item / map->experiment->variants->len / map->plan.n_rates / map->plan.n_points;
}

static char *
dup_name (gconstpointer data, guint item)
{
  const NsSensitivity *map = ((const List *) data)->map;
  guint n_variants = map->experiment->variants->len, cell = item / n_variants;
  const char *format = map->plan.axis == NS_SENSITIVITY_DEPTH ? _ ("%s, depth %lld, learning rate %g, seed %u")
                                                              : _ ("%s, warm-up %lld, learning rate %g, seed %u");

  return g_strdup_printf (format, ns_experiment_variant (map->experiment, item % n_variants)->name,
                          (long long) map->plan.points[get_point (map, item)],
                          map->plan.rates[cell % map->plan.n_rates], cell / map->plan.n_rates / map->plan.n_points);
}

static gboolean
is_done (gconstpointer data, guint item)
{
  return atomic_load_explicit (&((const List *) data)->map->runs[item].finished, memory_order_acquire);
}

static void
get (gconstpointer data, guint item, guint64 *numbers)
{
  const NsSensitivityNumbers *run = &((const List *) data)->map->runs[item];
  const double losses[] = { run->first, run->half, run->last };

  memcpy (numbers, losses, sizeof losses);
  numbers[3] = (guint64) run->step;
  numbers[4] = (guint64) run->site;
}

static gboolean
set (gpointer data, guint item, const guint64 *numbers)
{
  const List *list = data;
  NsSensitivity *map = list->map;
  NsSensitivityNumbers *run = &map->runs[item];
  gint64 step = (gint64) numbers[3], site = (gint64) numbers[4];

  if (step < -1 || step >= map->experiment->training.steps || site < 0 || site > list->heads[get_point (map, item)])
    return FALSE;
  memcpy (&run->first, &numbers[0], sizeof (double));
  memcpy (&run->half, &numbers[1], sizeof (double));
  memcpy (&run->last, &numbers[2], sizeof (double));
  run->step = step;
  run->site = site;
  finish_cell (map, run);
  return TRUE;
}

static void
free_list (gpointer data)
{
  List *list = data;

  ns_sensitivity_unref (list->map);
  g_free (list->blocks);
  g_free (list->heads);
  g_free (list);
}

static List *
list_new (NsSensitivity *map)
{
  List *list = g_new (List, 1);

  *list = (List){ ns_sensitivity_ref (map), g_new (guint64, map->plan.n_points), g_new (gint64, map->plan.n_points) };
  for (guint p = 0; p < map->plan.n_points; p++)
    {
      g_autoptr (NsExperiment) experiment = ns_sensitivity_make_experiment (map, p, 0);

      list->blocks[p] = (guint64) experiment->training.steps * count_step (experiment);
      list->heads[p] = ns_experiment_get_head_site (experiment);
    }
  return list;
}

/* ---- the job ---- */

/* Lay the workers out for the deepest stack. */
static void
lay_out_map (SensitivityJob *job, const NsExperiment *deepest, guint left)
{
  guint64 own = ns_saturating_mul (ns_trainer_count_state (deepest), sizeof (ns_real));

  own = ns_saturating_add (own, ns_trainer_scratch_get_bytes (deepest, TRUE, job->engine->n_threads));
  own = ns_saturating_add (own, ns_saturating_mul ((guint64) deepest->training.steps, sizeof (double)));
  job->layout = ns_engine_lay_out (job->engine, deepest, left, TRUE, own, 0);
}

static gpointer
begin (NsEngine *engine, gpointer data, guint left, NsProgress *progress, guint *n_workers, GError **error)
{
  NsSensitivity *map = ((List *) data)->map;
  g_autoptr (NsExperiment) deepest = ns_sensitivity_make_experiment (map, map->plan.n_points - 1, 0);
  SensitivityJob *job = g_new0 (SensitivityJob, 1);

  *job = (SensitivityJob){ .engine = engine, .map = map, .progress = progress };
  lay_out_map (job, deepest, left);
  if (!ns_engine_check_memory (deepest, job->layout.needed, error))
    {
      g_free (job);
      return NULL;
    }
  *n_workers = job->layout.n_workers;
  job->losses = g_new0 (double *, *n_workers);
  for (guint i = 0; i < *n_workers; i++)
    if ((job->losses[i] = ns_memory_try_new (double, (guint64) map->experiment->training.steps)) == NULL)
      job->refused = TRUE;
  return job;
}

static gboolean
run (gpointer data, guint item, guint worker)
{
  const SensitivityJob *job = data;

  return !job->refused && train_cell (data, item, worker);
}

static gboolean
end (gpointer data, GError **error)
{
  SensitivityJob *job = data;
  gboolean ok = !job->refused && !job->cancelled;

  if (job->refused && ns_experiment_check_sources (job->map->experiment, error))
    ns_engine_refuse_memory (&job->layout, error);
  else if (job->cancelled)
    g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, _ ("The run was cancelled"));
  for (guint i = 0; i < job->layout.n_workers; i++)
    g_free (job->losses[i]);
  g_free (job->losses);
  g_free (job);
  return ok;
}

void
ns_items_add_sensitivity (NsItems *items, NsSensitivity *map)
{
  static const NsItemKind kind = { get_n, get_length, count_cell_blocks, dup_name, is_done, get, set, free_list, begin,
                                   run, end, get_item_group };

  ns_items_add (items, &kind, list_new (map));
}

gboolean
ns_engine_fill_sensitivity (NsEngine *engine, NsSensitivity *map, NsProgress *progress, GError **error)
{
  double start = ns_now_ms ();
  g_autoptr (NsItems) items = ns_items_new ();
  gboolean ok;

  if (ns_sensitivity_count_finished (map) == map->n_runs)
    return TRUE;
  ns_items_add_sensitivity (items, map);
  ok = ns_engine_run_all_items (engine, items, progress, error);
  map->elapsed_ms = map->elapsed_ms + (ns_now_ms () - start);
  map->threads = engine->n_threads;
  return ok;
}
