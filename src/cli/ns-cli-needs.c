/* The data that a figure is made from.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-needs.h"

#include "cli/ns-cli-coordinates.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  guint n_seeds;
  NsQuantitySet quantities;
  NsSweep *sweep;
  NsPathsSettings settings;
  NsTraining *training;
} NeedsJob;

void
ns_cli_needs_clear (NsCliNeeds *needs)
{
  g_clear_pointer (&needs->result, ns_result_unref);
  g_clear_pointer (&needs->sweep, ns_sweep_unref);
  g_clear_pointer (&needs->paths, ns_paths_unref);
  g_clear_pointer (&needs->training, ns_training_unref);
  g_clear_pointer (&needs->sensitivity, ns_sensitivity_unref);
  g_clear_pointer (&needs->coordinates, ns_coordinate_check_unref);
  g_clear_pointer (&needs->depths, g_ptr_array_unref);
}

static gpointer
compute_sweep (gpointer user_data, NsProgress *progress, GError **error)
{
  NeedsJob *job = user_data;

  return ns_engine_run_sweep (job->engine, job->sweep, progress, error) ? job : NULL;
}

static gpointer
compute_needed_result (gpointer user_data, NsProgress *progress, GError **error)
{
  NeedsJob *job = user_data;

  return ns_engine_run_quantities (job->engine, job->experiment, &job->quantities, 0, job->n_seeds, progress, error);
}

/* Compute a result for each point of the sweep; caller owns the array. */
static gpointer
compute_depths (gpointer user_data, NsProgress *progress, GError **error)
{
  NeedsJob *job = user_data;
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);
  guint n_points;

  ns_sweep_get_points (job->sweep, &n_points);
  for (guint i = 0; i < n_points; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_sweep_make_experiment (job->sweep, i);
      NsResult *result
          = ns_engine_run_quantities (job->engine, experiment, &job->quantities, 0, job->n_seeds, progress, error);

      if (result == NULL)
        return NULL;
      g_ptr_array_add (results, result);
    }
  return g_steal_pointer (&results);
}

static gpointer
compute_paths (gpointer user_data, NsProgress *progress, GError **error)
{
  NeedsJob *job = user_data;

  return ns_engine_run_paths (job->engine, job->experiment, &job->settings, 0, job->n_seeds, progress, error);
}

static gpointer
train_needed (gpointer user_data, NsProgress *progress, GError **error)
{
  NeedsJob *job = user_data;

  return ns_engine_train (job->engine, job->training, progress, error) ? job : NULL;
}

static char *
dup_needs_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  const NeedsJob *job = user_data;

  return ns_cli_train_dup_progress (job->training, progress, elapsed_s);
}

gboolean
ns_cli_needs_compute (NsCliNeeds *needs, NsFigureKind figure, const NsFigureOptions *options,
                      const NsCliSweepPlan *sweep, const NsCliSensitivityRequest *map, NsEngine *engine,
                      const NsExperiment *experiment, GError **error)
{
  static const NsCliWatch watch = { .dup_progress = dup_needs_progress };
  const NsFigureInfo *info = ns_figure_info (figure);
  guint n_seeds = (guint) experiment->sampling.seeds;
  NsQuantitySet recorded = { { 0 } };
  NsTrainingPlan plan;
  NeedsJob job = { .engine = engine, .experiment = experiment, .n_seeds = n_seeds,
                   .quantities = ns_flow_options_get_quantities (&options->flow),
                   .settings = ns_paths_options_get_settings (&options->paths, info->paths_kind) };

  switch (info->needs)
    {
    case NS_FIGURE_NEEDS_RESULT:
      needs->result = ns_cli_run_job (compute_needed_result, &job, error);
      return needs->result != NULL;
    case NS_FIGURE_NEEDS_SWEEP:
      job.sweep = ns_cli_sweep_new (sweep, experiment, sweep->axis, sweep->metric, error);
      needs->sweep = job.sweep;
      return job.sweep != NULL && ns_cli_run_job (compute_sweep, &job, error) != NULL;
    case NS_FIGURE_NEEDS_DEPTHS:
      job.sweep = needs->sweep
          = ns_sweep_new (experiment, NS_SWEEP_DEPTH, sweep->points[NS_SWEEP_DEPTH],
                          sweep->n_points[NS_SWEEP_DEPTH], ns_metric_get_default (), error);
      needs->depths = job.sweep != NULL ? ns_cli_run_job (compute_depths, &job, error) : NULL;
      return needs->depths != NULL;
    case NS_FIGURE_NEEDS_PATHS:
      needs->paths = ns_cli_run_job (compute_paths, &job, error);
      return needs->paths != NULL;
    case NS_FIGURE_NEEDS_TRAINING:
      plan = ns_figure_get_training_plan (figure, options, &recorded);
      job.training = needs->training = ns_training_new (experiment, &plan, 0, n_seeds, error);
      return job.training != NULL && ns_cli_run_watched_job (train_needed, &job, &watch, error) != NULL;
    case NS_FIGURE_NEEDS_SENSITIVITY:
      needs->sensitivity
          = ns_cli_sensitivity_new (map, (NsSensitivityAxis) options->sensitivity.over, experiment, error);
      return needs->sensitivity != NULL && ns_cli_sensitivity_fill (engine, needs->sensitivity, FALSE, error);
    case NS_FIGURE_NEEDS_COORDINATES:
      needs->coordinates = ns_coordinate_check_new_from_text (experiment, options->widths, error);
      return needs->coordinates != NULL && ns_cli_coordinates_run (engine, needs->coordinates, FALSE, error);
    case NS_FIGURE_NEEDS_EXPERIMENT:
    default:
      return TRUE;
    }
}
