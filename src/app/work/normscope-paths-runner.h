/* Compute paths in the background; only the newest request counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request replaces one that waits and cancels one that runs (normscope-worker.h). Its paths are delivered as soon as
 * they have numbers, and while they fill; a cancelled request can go on later.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include "app/work/normscope-background.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PATHS_RUNNER (normscope_paths_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePathsRunner, normscope_paths_runner, NORMSCOPE, PATHS_RUNNER, NormscopeBackground)

/* Signals:
 *  "result" (NsPaths *): of the newest request; emitted again when it has more numbers, the last time when it is
 *  complete.
 *  "failed" (GError *): the newest request cannot run.
 * Property "busy": the newest request is neither complete nor failed. */
NormscopePathsRunner *normscope_paths_runner_new (NormscopeEngine *engine);

/* Compute the paths of an experiment; copies both. */
void normscope_paths_runner_submit (NormscopePathsRunner *self, const NsExperiment *experiment,
                                    const NsPathsSettings *settings);
/* Go on with paths that are not complete. */
void normscope_paths_runner_resume (NormscopePathsRunner *self, NsPaths *paths);
/* Cancel what runs or waits; no signal follows until the next submit. */
void normscope_paths_runner_stop (NormscopePathsRunner *self);

G_END_DECLS
