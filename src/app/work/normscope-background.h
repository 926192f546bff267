/* What works in the background for a view, on one request at a time: the base class of runners.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A request replaces one that waits and cancels one that runs (normscope-worker.h).
 *
 * Threads: main.
 */
#pragma once

#include "app/work/normscope-worker.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_BACKGROUND (normscope_background_get_type ())
G_DECLARE_DERIVABLE_TYPE (NormscopeBackground, normscope_background, NORMSCOPE, BACKGROUND, GObject)

struct _NormscopeBackgroundClass
{
  GObjectClass parent_class;
};

/* Return the property "busy": the newest request has not ended. */
gboolean normscope_background_get_busy (NormscopeBackground *self);
/* Get the blocks done and in total of the current run; both are 0 if nothing runs. */
void normscope_background_get_progress (NormscopeBackground *self, guint64 *done, guint64 *total);

/* ---- for subclasses ---- */

/* Work with an engine, which is referenced; `run` and `free_job` as for normscope_worker_new(). Call once. */
void normscope_background_start (NormscopeBackground *self, NormscopeEngine *engine, NormscopeJobFunc run,
                                 GDestroyNotify free_job);
/* Replace the request by a job, which is taken; NULL for none. */
void normscope_background_replace (NormscopeBackground *self, gpointer job);
/* Return the store of the engine's results, borrowed. */
NormscopeStore *normscope_background_get_store (NormscopeBackground *self);
/* The newest request has ended. */
void normscope_background_end (NormscopeBackground *self);

G_END_DECLS
