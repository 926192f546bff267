/* Train in the background; only the newest request counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request replaces one that waits and cancels one that runs (normscope-worker.h). Its training is delivered at once,
 * and while it grows; a stopped one can go on later, with the same bits.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include "app/work/normscope-background.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_RUNNER (normscope_training_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingRunner, normscope_training_runner, NORMSCOPE, TRAINING_RUNNER,
                      NormscopeBackground)

/* Signals:
 *  "result" (NsTraining *): of the newest request; emitted again when it has more steps, the last time when it has
 *  reached its end.
 *  "failed" (GError *): the newest request cannot run.
 * Property "busy": the newest request has neither reached its end nor failed. */
NormscopeTrainingRunner *normscope_training_runner_new (NormscopeEngine *engine);

/* Train all seeds of an experiment, which is copied, until each run has done n_steps steps, or all with −1. */
void normscope_training_runner_submit (NormscopeTrainingRunner *self, const NsExperiment *experiment, gint64 n_steps);
/* Go on with a training until then. */
void normscope_training_runner_resume (NormscopeTrainingRunner *self, NsTraining *training, gint64 n_steps);
/* Pause: cancel what runs or waits; no signal follows until the next request. Steps that are done stay. */
void normscope_training_runner_stop (NormscopeTrainingRunner *self);

G_END_DECLS
