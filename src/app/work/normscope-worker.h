/* A worker, which works on its newest job only, on the thread of its engine's queue (normscope-queue.h).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A submitted job replaces one that waits and cancels one that runs. Runs and deliveries of a job that is no longer the
 * newest are dropped, both on the worker thread and on the main thread.
 *
 * Threads: main, except for the functions that a job calls. The worker holds no reference to its owner, which may be
 * dropped at any time. Its thread ends by itself after normscope_worker_release(), so closing a window never blocks.
 */
#pragma once

#include <glib-object.h>

#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

/* Work on a job, on the queue's thread, with its engine, or NULL if the worker has none, and so a thread of its own.
 * Call normscope_worker_start_run() before each run of the engine. A job that is interrupted is cancelled, and comes
 * again later: it goes on where it can. */
typedef void (*NormscopeJobFunc) (NormscopeWorker *worker, NsEngine *engine, gpointer job, guint64 serial);
/* Receive a delivery on the main thread. Called only while the job is the newest and the owner is alive. */
typedef void (*NormscopeDeliverFunc) (gpointer owner, gpointer delivery);

/* Take the reference to the engine, NULL if the jobs need none. `free_job` is called on either thread. */
NormscopeWorker *normscope_worker_new (GObject *owner, NormscopeEngine *engine, NormscopeJobFunc run,
                                       GDestroyNotify free_job);
/* Cancel everything and drop the owner's reference; for the owner's dispose. A second later, what the owner's jobs and
 * results held is given back to the system. */
void normscope_worker_release (NormscopeWorker *worker);

/* Submit a job, which is taken; NULL only cancels what runs or waits. */
void normscope_worker_replace (NormscopeWorker *worker, gpointer job);
/* Get the blocks done and in total of the newest job's current run; both are 0 if there is none. */
void normscope_worker_get_progress (NormscopeWorker *worker, guint64 *done, guint64 *total);

/* Return the store of its engine's results, borrowed. Any thread. */
NormscopeStore *normscope_worker_get_store (NormscopeWorker *worker);

/* For jobs: start a run that `progress` reports and cancels; it is referenced until the next start or the end of the
 * job. Return FALSE if the job is no longer the newest, or is interrupted: it has to return. */
gboolean normscope_worker_start_run (NormscopeWorker *worker, guint64 serial, NsProgress *progress);
/* For jobs: wait some time, or until the job is no longer the newest. Return FALSE then: it has to return. */
gboolean normscope_worker_pause (NormscopeWorker *worker, guint64 serial, guint ms);
/* For jobs: enqueue a delivery, which is taken, for the main loop. It arrives before the next frame is drawn. */
void normscope_worker_enqueue_delivery (NormscopeWorker *worker, guint64 serial, NormscopeDeliverFunc deliver,
                                        gpointer delivery, GDestroyNotify free_delivery);

/* Wait for the threads of all workers; FALSE on timeout. A process must not exit while one of them is inside BLAS. */
gboolean normscope_workers_wait (guint timeout_ms);

G_END_DECLS
