/* The training of the session's experiment: runs, pauses, goes on, and begins again when a setting changes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change of the settings restarts a training that runs; the former one is its ghost. One that does not run stays, as
 * one of former settings, until it is begun again. Another document drops both, and shows the training that it has
 * recorded, or brings back one of its own that has finished before.
 * Signals: "changed": it has more steps, or another state; "failed" (GError *).
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/work/normscope-engine.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_RUN (normscope_training_run_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingRun, normscope_training_run, NORMSCOPE, TRAINING_RUN, GObject)

NormscopeTrainingRun *normscope_training_run_new (NormscopeSession *session, NormscopeEngine *engine);

/* Return the training, perhaps of former settings, or NULL; borrowed until the next "changed". */
NsTraining *normscope_training_run_get_training (NormscopeTrainingRun *self);
/* Return the one before it, which a change of the settings ended; NULL: none. */
NsTraining *normscope_training_run_get_ghost (NormscopeTrainingRun *self);
gboolean normscope_training_run_is_running (NormscopeTrainingRun *self);
/* Return TRUE if the training is of former settings. */
gboolean normscope_training_run_is_stale (NormscopeTrainingRun *self);
/* Return TRUE if all its runs have ended. */
gboolean normscope_training_run_is_finished (NormscopeTrainingRun *self);

/* Begin, pause or go on. One that is finished begins again. */
void normscope_training_run_toggle (NormscopeTrainingRun *self);
/* Do one more step of every variant, with the first seed that has one left. */
void normscope_training_run_step (NormscopeTrainingRun *self);
/* Pause while nobody looks, and go on then if it ran. */
void normscope_training_run_suspend (NormscopeTrainingRun *self);
void normscope_training_run_resume (NormscopeTrainingRun *self);

G_END_DECLS
