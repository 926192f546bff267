/* The engine of a window or a dialog, whose workers share its queue.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All windows share one queue, and with it one thread, one store of weights and one memory budget.
 *
 * Threads: any. The reference count is atomic.
 */
#pragma once

#include "app/work/normscope-queue.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

typedef struct _NormscopeEngine NormscopeEngine;

/* Create an engine with a queue of its own; `threads` and `memory_budget` (bytes) go to ns_engine_new(). */
NormscopeEngine *normscope_engine_new (guint threads, guint64 memory_budget);
/* Create the engine of a window. Main thread. */
NormscopeEngine *normscope_engine_new_for_window (guint64 memory_budget);
/* Create an engine with the queue of a window's, whose jobs come after those of all windows. */
NormscopeEngine *normscope_engine_new_behind (NormscopeEngine *window);
NormscopeEngine *normscope_engine_ref (NormscopeEngine *self);
void normscope_engine_unref (NormscopeEngine *self);
/* Return the queue, borrowed. */
NormscopeQueue *normscope_engine_get_queue (NormscopeEngine *self);
/* Return the group of its jobs in the queue. */
gconstpointer normscope_engine_get_group (NormscopeEngine *self);
/* The window is in front of the others. */
void normscope_engine_set_front (NormscopeEngine *self);

/* Set the memory budget, in bytes, of the next jobs; the last change in any window counts. Main thread. */
void normscope_engine_set_memory_budget (NormscopeEngine *self, guint64 memory_budget);
/* Return the memory budget of the last job that started, in bytes. */
guint64 normscope_engine_get_memory_budget (NormscopeEngine *self);

/* Keep a finished training, so that it is there when its experiment comes back; the oldest of a few is dropped. */
void normscope_engine_keep_training (NormscopeEngine *self, NsTraining *training);
/* Return a kept training of an equal experiment, or NULL; caller owns it. */
NsTraining *normscope_engine_find_training (NormscopeEngine *self, const NsExperiment *experiment);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NormscopeEngine, normscope_engine_unref)

G_END_DECLS
