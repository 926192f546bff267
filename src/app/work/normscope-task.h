/* A task of the scaling view: a sweep, or one run of an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the reference count is atomic. `sweep`, `experiment` and `progress` are set before the task is shared; any
 * thread may read the sweep while the worker fills it. `state`, `result` and `error` belong to the main thread.
 */
#pragma once

#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_TASK_WAITING, /* waiting or running: the first waiting task of a list is the one that runs */
  NORMSCOPE_TASK_DONE,
  NORMSCOPE_TASK_CANCELLED,
  NORMSCOPE_TASK_FAILED,
} NormscopeTaskState;

/* All members are owned. Either `sweep` or `experiment` is NULL. */
typedef struct
{
  gatomicrefcount refs;
  NsSweep *sweep;
  NsExperiment *experiment; /* run with all its seeds */
  NsProgress *progress;
  NormscopeTaskState state;
  NsResult *result; /* of an experiment that is done */
  GError *error;    /* of a task that failed */
} NormscopeTask;

/* Take the reference to the sweep. */
NormscopeTask *normscope_task_new_sweep (NsSweep *sweep);
/* Copy the experiment. */
NormscopeTask *normscope_task_new_run (const NsExperiment *experiment);
NormscopeTask *normscope_task_ref (NormscopeTask *task);
void normscope_task_unref (NormscopeTask *task);
/* Return how many numbers of the task's sweep are known, over all variants, points and seeds. */
guint normscope_task_count_numbers (NormscopeTask *task);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeTask, normscope_task_unref)

G_END_DECLS
