/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-task.h"

#include "engine/experiment/ns-experiment.h"

static NormscopeTask *
task_new (void)
{
  NormscopeTask *task = g_new0 (NormscopeTask, 1);

  g_atomic_ref_count_init (&task->refs);
  task->progress = ns_progress_new ();
  return task;
}

NormscopeTask *
normscope_task_new_sweep (NsSweep *sweep)
{
  NormscopeTask *task = task_new ();

  task->sweep = sweep;
  return task;
}

NormscopeTask *
normscope_task_new_paths (NsPaths *paths)
{
  NormscopeTask *task = task_new ();

  task->paths = paths;
  return task;
}

NormscopeTask *
normscope_task_new_training (NsTraining *training)
{
  NormscopeTask *task = task_new ();

  task->training = training;
  return task;
}

NormscopeTask *
normscope_task_new_map (NsSensitivity *map)
{
  NormscopeTask *task = task_new ();

  task->map = map;
  return task;
}

NormscopeTask *
normscope_task_new_run (const NsExperiment *experiment, const NsQuantitySet *quantities)
{
  NormscopeTask *task = task_new ();

  task->experiment = ns_experiment_copy (experiment);
  task->has_quantities = quantities != NULL;
  if (quantities != NULL)
    task->quantities = *quantities;
  return task;
}

const NsQuantitySet *
normscope_task_get_quantities (const NormscopeTask *task)
{
  return task->has_quantities ? &task->quantities : NULL;
}

NormscopeTask *
normscope_task_ref (NormscopeTask *task)
{
  g_atomic_ref_count_inc (&task->refs);
  return task;
}

void
normscope_task_unref (NormscopeTask *task)
{
  if (!g_atomic_ref_count_dec (&task->refs))
    return;

  g_clear_pointer (&task->sweep, ns_sweep_unref);
  g_clear_pointer (&task->paths, ns_paths_unref);
  g_clear_pointer (&task->training, ns_training_unref);
  g_clear_pointer (&task->map, ns_sensitivity_unref);
  g_clear_pointer (&task->experiment, ns_experiment_free);
  g_clear_pointer (&task->progress, ns_progress_unref);
  g_clear_pointer (&task->result, ns_result_unref);
  g_clear_error (&task->error);
  g_free (task);
}

guint
normscope_task_count_numbers (NormscopeTask *task)
{
  guint n_points, n = 0;
  NsStat stat;

  g_return_val_if_fail (task->sweep != NULL, 0);
  ns_sweep_get_points (task->sweep, &n_points);
  for (guint v = 0; v < ns_sweep_get_experiment (task->sweep)->variants->len; v++)
    for (guint p = 0; p < n_points; p++)
      if (ns_sweep_get_stat (task->sweep, v, p, &stat))
        n += stat.n;
  return n;
}
