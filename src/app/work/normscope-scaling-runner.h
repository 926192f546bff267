/* Run lists of tasks in the background, one task after the other; only the newest list counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main; signals are emitted from the main loop. The worker thread holds no reference to the runner, which may
 * be dropped at any time.
 */
#pragma once

#include <glib-object.h>

#include "app/work/normscope-engine.h"
#include "app/work/normscope-task.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_RUNNER (normscope_scaling_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingRunner, normscope_scaling_runner, NORMSCOPE, SCALING_RUNNER, GObject)

/* Signal "changed": a task of the list is done or has failed. */
NormscopeScalingRunner *normscope_scaling_runner_new (NormscopeEngine *engine);

/* Run a list of NormscopeTask; takes the array. The unfinished tasks of the former list are cancelled. Tasks that are
 * done are not run again; every other task must be new to the runner. A run whose result is known is done when the
 * function returns. */
void normscope_scaling_runner_take_tasks (NormscopeScalingRunner *self, GPtrArray *tasks);
/* Cancel all unfinished tasks. */
void normscope_scaling_runner_stop (NormscopeScalingRunner *self);

/* Return the newest list, borrowed; empty before the first. */
GPtrArray *normscope_scaling_runner_get_tasks (NormscopeScalingRunner *self);
/* Return the task that runs, borrowed, or NULL. */
NormscopeTask *normscope_scaling_runner_get_current (NormscopeScalingRunner *self);

G_END_DECLS
