/* An engine that workers share, and with it one store of weights and one memory budget.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only one job uses the engine at a time. A cancelled job releases it within a fraction of a second.
 *
 * Threads: any. The reference count is atomic.
 */
#pragma once

#include "engine/run/ns-engine.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* The engine returns its memory to the system after this idle time. */
#define NORMSCOPE_ENGINE_IDLE_MS 5000

typedef struct _NormscopeEngine NormscopeEngine;

/* `threads` and `memory_budget` (bytes) go to ns_engine_new(). */
NormscopeEngine *normscope_engine_new (guint threads, guint64 memory_budget);
NormscopeEngine *normscope_engine_ref (NormscopeEngine *self);
void normscope_engine_unref (NormscopeEngine *self);

/* Set the memory budget, in bytes, of the next jobs. */
void normscope_engine_set_memory_budget (NormscopeEngine *self, guint64 memory_budget);
/* Return the memory budget of the last job that started, in bytes. */
guint64 normscope_engine_get_memory_budget (NormscopeEngine *self);

/* Wait until no other thread uses the engine, and return it for one job, which normscope_engine_end() ends. */
NsEngine *normscope_engine_begin (NormscopeEngine *self);
void normscope_engine_end (NormscopeEngine *self);
/* Return the memory of the engine to the system, unless the engine has been in use within NORMSCOPE_ENGINE_IDLE_MS. May
 * take some tenths of a second, so call it on a worker's thread. */
void normscope_engine_release_idle (NormscopeEngine *self);

/* Keep a finished training, so that it is there when its experiment comes back; the oldest of a few is dropped. */
void normscope_engine_keep_training (NormscopeEngine *self, NsTraining *training);
/* Return a kept training of an equal experiment, or NULL; caller owns it. */
NsTraining *normscope_engine_find_training (NormscopeEngine *self, const NsExperiment *experiment);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeEngine, normscope_engine_unref)

G_END_DECLS
