/* Runs experiments in the background, the newest first and only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A submitted experiment is copied; it replaces one that waits and cancels one that runs (normscope-worker.h). Its
 * first seed is delivered at once, then all seeds.
 *
 * Threads: main; signals come from the main loop.
 */
#pragma once

#include <glib-object.h>

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_RUNNER (normscope_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeRunner, normscope_runner, NORMSCOPE, RUNNER, GObject)

/* Signals:
 *  "result" (NsResult *, gboolean complete): of the newest experiment; complete when all its seeds are in.
 *  "failed" (GError *): the newest experiment cannot be run.
 * Property "busy": a submitted experiment is neither complete nor failed.
 * threads and memory_budget are ns_engine_new()'s. */
NormscopeRunner *normscope_runner_new (guint threads, guint64 memory_budget);
/* In bytes, from the next run on. */
void normscope_runner_set_memory_budget (NormscopeRunner *self, guint64 memory_budget);
/* That of the last run that was begun. */
guint64 normscope_runner_get_memory_budget (NormscopeRunner *self);

void normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment);
/* Cancels; nothing more is delivered until the next submit. */
void normscope_runner_stop (NormscopeRunner *self);

gboolean normscope_runner_get_busy (NormscopeRunner *self);
/* Blocks passed and in all of what is being run; both 0 when nothing is. */
void normscope_runner_get_progress (NormscopeRunner *self, guint64 *done, guint64 *total);
guint normscope_runner_get_threads (NormscopeRunner *self);

G_END_DECLS
