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

#include "app/work/normscope-engine.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_RUNNER (normscope_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeRunner, normscope_runner, NORMSCOPE, RUNNER, GObject)

/* Signals:
 *  "result" (NsResult *, gboolean complete): of the newest experiment; complete if it includes all seeds.
 *  "failed" (GError *): the newest experiment cannot run.
 * Property "busy": the newest experiment is neither complete nor failed. */
NormscopeRunner *normscope_runner_new (NormscopeEngine *engine);

void normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment);
/* Cancel what runs or waits; no signal follows until the next submit. */
void normscope_runner_stop (NormscopeRunner *self);

gboolean normscope_runner_get_busy (NormscopeRunner *self);
/* Get the blocks done and in total of the current run; both are 0 if nothing runs. */
void normscope_runner_get_progress (NormscopeRunner *self, guint64 *done, guint64 *total);

G_END_DECLS
