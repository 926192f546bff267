/* Run experiments in the background; only the newest one counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A submitted experiment is copied. It replaces one that waits and cancels one that runs (normscope-worker.h). The
 * result of its first seed is delivered as soon as it is known, then the result of all seeds.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include <glib-object.h>

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_RUNNER (normscope_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeRunner, normscope_runner, NORMSCOPE, RUNNER, GObject)

/* Signals:
 *  "result" (NsResult *, gboolean complete): of the newest experiment; complete if it includes all seeds.
 *  "failed" (GError *): the newest experiment cannot run.
 * Property "busy": the newest experiment is neither complete nor failed.
 * `threads` and `memory_budget` (bytes) go to ns_engine_new(). */
NormscopeRunner *normscope_runner_new (guint threads, guint64 memory_budget);
/* Set the memory budget, in bytes, of the next runs. */
void normscope_runner_set_memory_budget (NormscopeRunner *self, guint64 memory_budget);
/* Return the memory budget of the last run that started, in bytes. */
guint64 normscope_runner_get_memory_budget (NormscopeRunner *self);

void normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment);
/* Cancel what runs or waits; no signal follows until the next submit. */
void normscope_runner_stop (NormscopeRunner *self);

gboolean normscope_runner_get_busy (NormscopeRunner *self);
/* Get the blocks done and in total of the current run; both are 0 if nothing runs. */
void normscope_runner_get_progress (NormscopeRunner *self, guint64 *done, guint64 *total);

G_END_DECLS
