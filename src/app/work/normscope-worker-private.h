/* What the queue needs of a worker.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any.
 */
#pragma once

#include "app/work/normscope-worker.h"

G_BEGIN_DECLS

NormscopeWorker *normscope_worker_ref (NormscopeWorker *worker);
void normscope_worker_unref (NormscopeWorker *worker);
/* Run the pending job, if there is one, on the queue's thread. Return TRUE if it was interrupted and pends again. */
gboolean normscope_worker_work (NormscopeWorker *worker);

/* Count the threads for normscope_workers_wait(). */
void normscope_workers_count (int change);

G_END_DECLS
