/* A task in the background: a sweep, a run of paths, a training, a map of learning rates, or a run of an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the reference count is atomic. `sweep`, `paths`, `training`, `map`, `experiment` and `progress` are set
 * before the task is shared; any thread may read sweep, paths, training and map while the worker fills them. `state`,
 * `result` and `error` belong to the main thread.
 */
#pragma once

#include "engine/run/ns-paths.h"
#include "engine/run/ns-sweep.h"
#include "engine/train/ns-sensitivity.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_TASK_WAITING, /* waiting or running: the first waiting task of a list is the one that runs */
  NORMSCOPE_TASK_DONE,
  NORMSCOPE_TASK_CANCELLED,
  NORMSCOPE_TASK_FAILED,
} NormscopeTaskState;

/* All members are owned. One of `sweep`, `paths`, `training`, `map` and `experiment` is set. */
typedef struct
{
  gatomicrefcount refs;
  NsSweep *sweep;
  NsPaths *paths;
  NsTraining *training;
  NsSensitivity *map;
  NsExperiment *experiment; /* run with all its seeds */
  gboolean has_quantities;
  NsQuantitySet quantities; /* with has_quantities: those that the run computes; else all */
  NsProgress *progress;
  NormscopeTaskState state;
  NsResult *result; /* of an experiment that is done */
  GError *error;    /* of a task that failed */
} NormscopeTask;

/* Take the reference to the sweep. */
NormscopeTask *normscope_task_new_sweep (NsSweep *sweep);
/* Take the reference to the paths. */
NormscopeTask *normscope_task_new_paths (NsPaths *paths);
/* Take the reference to the training. */
NormscopeTask *normscope_task_new_training (NsTraining *training);
/* Take the reference to the map. */
NormscopeTask *normscope_task_new_map (NsSensitivity *map);
/* Copy the experiment and the quantities, which may be NULL: those of an
 * ordinary run. */
NormscopeTask *normscope_task_new_run (const NsExperiment *experiment, const NsQuantitySet *quantities);
/* Return the quantities of a run; NULL: those of an ordinary one. */
const NsQuantitySet *normscope_task_get_quantities (const NormscopeTask *task);
NormscopeTask *normscope_task_ref (NormscopeTask *task);
void normscope_task_unref (NormscopeTask *task);
/* Return how many numbers of the task's sweep are known, over all variants, points and seeds. */
guint normscope_task_count_numbers (NormscopeTask *task);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeTask, normscope_task_unref)

G_END_DECLS
