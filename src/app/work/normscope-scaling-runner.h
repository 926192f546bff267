/* Sweeps and whole runs in the background: a list of tasks, one after the other, the newest list only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One worker thread owns an engine of its own, made with the first list. A sweep may be read while it fills; what a
 * task is otherwise (state, result, error) changes on the main thread only.
 *
 * Threads: main; signals come from the main loop. The worker holds no reference to the runner, which may go at any
 * time.
 */
#pragma once

#include <glib-object.h>

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_TASK_WAITING, /* or running: the first one that waits is the one that runs */
  NORMSCOPE_TASK_DONE,
  NORMSCOPE_TASK_CANCELLED,
  NORMSCOPE_TASK_FAILED,
} NormscopeTaskState;

/* Reference-counted; borrowed members. */
typedef struct
{
  gatomicrefcount refs;
  NsSweep *sweep;           /* a sweep, or */
  NsExperiment *experiment; /* one run of all seeds; the other is NULL */
  NsProgress *progress;
  NormscopeTaskState state;
  NsResult *result; /* of a run that is done */
  GError *error;    /* of a task that failed */
} NormscopeTask;

NormscopeTask *normscope_task_new_sweep (NsSweep *sweep);              /* takes the reference */
NormscopeTask *normscope_task_new_run (const NsExperiment *experiment); /* copies */
NormscopeTask *normscope_task_ref (NormscopeTask *task);
void normscope_task_unref (NormscopeTask *task);
/* Numbers of its sweep that have appeared: of all variants, points and seeds. */
guint normscope_task_count_numbers (NormscopeTask *task);

#define NORMSCOPE_TYPE_SCALING_RUNNER (normscope_scaling_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingRunner, normscope_scaling_runner, NORMSCOPE, SCALING_RUNNER, GObject)

/* Signal "changed": a task of the list is over. threads and memory_budget are ns_engine_new()'s. */
NormscopeScalingRunner *normscope_scaling_runner_new (guint threads, guint64 memory_budget);
/* In bytes, from the next run on. */
void normscope_scaling_runner_set_memory_budget (NormscopeScalingRunner *self, guint64 memory_budget);

/* tasks: NormscopeTask; takes the array. It replaces the list that runs or waits, whose unfinished tasks are cancelled.
 * What is done already is not run again; no other task may have been in a list before. */
void normscope_scaling_runner_take_tasks (NormscopeScalingRunner *self, GPtrArray *tasks);
/* Cancels what is not done. */
void normscope_scaling_runner_stop (NormscopeScalingRunner *self);

/* The newest list, borrowed; empty before the first. */
GPtrArray *normscope_scaling_runner_get_tasks (NormscopeScalingRunner *self);
/* The task that runs, or NULL; borrowed. */
NormscopeTask *normscope_scaling_runner_get_current (NormscopeScalingRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeTask, normscope_task_unref)

G_END_DECLS
