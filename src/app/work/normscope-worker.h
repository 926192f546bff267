/* One thread with an engine, for the newest job only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job that is submitted replaces one that waits and cancels one that runs. What belongs to a job that is no longer
 * the newest is dropped, on either side of the thread.
 *
 * Threads: main, but for what is said to be called by the job. The worker holds no reference to its owner, which may go
 * any time; the thread ends by itself, so that closing a window never waits.
 */
#pragma once

#include <glib-object.h>

#include "engine/run/ns-engine.h"

G_BEGIN_DECLS

typedef struct _NormscopeWorker NormscopeWorker;

/* Does a job, on the worker's thread: calls normscope_worker_start_run() before each run of the engine. */
typedef void (*NormscopeJobFunc) (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial);
/* On the main thread, and only while the job is the newest and the owner alive. */
typedef void (*NormscopeDeliverFunc) (gpointer owner, gpointer delivery);

/* threads and memory_budget are ns_engine_new()'s. free_job is called on either thread. */
NormscopeWorker *normscope_worker_new (GObject *owner, guint threads, guint64 memory_budget, NormscopeJobFunc run,
                                       GDestroyNotify free_job);
/* For the owner's dispose: cancels and lets go. */
void normscope_worker_release (NormscopeWorker *worker);

/* From the next job on. */
void normscope_worker_set_memory_budget (NormscopeWorker *worker, guint64 memory_budget);
/* That of the last job that was begun. */
guint64 normscope_worker_get_memory_budget (NormscopeWorker *worker);
/* Takes the job; NULL only ends what runs or waits. */
void normscope_worker_replace (NormscopeWorker *worker, gpointer job);
/* Blocks passed and in all of the run of the engine that is on; both 0 when none is, or none of the newest job. */
void normscope_worker_get_progress (NormscopeWorker *worker, guint64 *done, guint64 *total);
guint normscope_worker_get_threads (NormscopeWorker *worker);

/* For the job: says that a run begins, which `progress` (borrowed until the next begin or the end of the job) cancels.
 * FALSE when the job is no longer the newest: it has to return. */
gboolean normscope_worker_start_run (NormscopeWorker *worker, guint64 serial, NsProgress *progress);
/* For the job: hands a delivery (taken) to the main thread, before the next frame is drawn. */
void normscope_worker_enqueue_delivery (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver,
                                        gpointer delivery, GDestroyNotify free_delivery);

/* Waits for the threads of workers that are gone: a process must not end while one of them is inside of BLAS. FALSE
 * when time ran out. */
gboolean normscope_workers_wait (guint timeout_ms);

G_END_DECLS
