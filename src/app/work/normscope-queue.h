/* One thread with one engine and a store of results, which works on the jobs of many workers, one at a time: those of
 * the window in front first, those of others when that one rests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A group is what belongs to one window. A job of the group in front interrupts one of another group, which is queued
 * again and goes on where it can. Jobs of NORMSCOPE_QUEUE_BEHIND come after those of all others, which interrupt them.
 * Without a job for NORMSCOPE_ENGINE_IDLE_MS the engine is freed, its memory goes back
 * to the system and the thread ends.
 *
 * Threads: any.
 */
#pragma once

#include "app/work/normscope-store.h"

G_BEGIN_DECLS

/* The engine returns its memory to the system after this idle time. */
#define NORMSCOPE_ENGINE_IDLE_MS 5000

/* The group of jobs that nobody waits for yet. */
#define NORMSCOPE_QUEUE_BEHIND ((gconstpointer) 1)

typedef struct _NormscopeQueue NormscopeQueue;
typedef struct _NormscopeWorker NormscopeWorker;

/* `threads` and `memory_budget` (bytes) go to ns_engine_new(). The caller drops its reference with
 * normscope_queue_stop(): the thread ends, and later the queue. */
NormscopeQueue *normscope_queue_new (guint threads, guint64 memory_budget);
void normscope_queue_stop (NormscopeQueue *queue);

/* Queue a worker, which is referenced, unless it waits already; remove it. */
void normscope_queue_add (NormscopeQueue *queue, gconstpointer group, NormscopeWorker *worker);
void normscope_queue_remove (NormscopeQueue *queue, NormscopeWorker *worker);
void normscope_queue_set_front (NormscopeQueue *queue, gconstpointer group);
/* If that group is in front, none is any more. */
void normscope_queue_forget (NormscopeQueue *queue, gconstpointer group);
/* Set the memory budget, in bytes, of the next jobs; get that of the last job that started. */
void normscope_queue_set_memory_budget (NormscopeQueue *queue, guint64 memory_budget);
guint64 normscope_queue_get_memory_budget (NormscopeQueue *queue);
/* Return the store of the results of its engine, borrowed. */
NormscopeStore *normscope_queue_get_store (NormscopeQueue *queue);

/* ---- for the worker whose job runs ---- */

NsEngine *normscope_queue_get_engine (NormscopeQueue *queue);
/* Cancel the progress when the job is interrupted, until another one is watched. Return FALSE if it is already. */
gboolean normscope_queue_watch (NormscopeQueue *queue, NsProgress *progress);
gboolean normscope_queue_is_interrupted (NormscopeQueue *queue);

G_END_DECLS
