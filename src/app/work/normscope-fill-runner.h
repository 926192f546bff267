/* Fill results in the background, and show them while they fill; only the newest request counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Such a result is made empty and then filled by the engine: a training, the maps of paths, a sensitivity map. A
 * request replaces one that waits and cancels one that runs (normscope-worker.h). Its result is delivered while it
 * fills; what a cancelled request has filled stays, and another one can go on with it.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include "app/work/normscope-background.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* A kind of result. Results are counted references that any thread may read while the worker's thread fills them.
 * Settings are plain data, to be copied byte by byte. */
typedef struct
{
  guint poll_ms;        /* interval at which a result that fills is looked at */
  gboolean shows_empty; /* deliver it at once; FALSE: not before count() is above 0 */
  gsize settings_size;  /* bytes */

  gpointer (*ref) (gpointer result);
  void (*unref) (gpointer result);
  /* On the main thread: return how much there is to show, a number that grows while the request runs; 0: nothing.
   * n_blocks: the blocks that its run has done (normscope_background_get_progress()). */
  guint64 (*count) (gconstpointer result, guint64 n_blocks);

  /* On the worker's thread: create an empty result, which the caller owns; NULL with an error if it is impossible. */
  gpointer (*make) (const NsExperiment *experiment, gconstpointer settings, GError **error);
  /* Return FALSE for a result that the engine refuses to fill, which is not to replace one on the screen. NULL: any
   * result may. */
  gboolean (*fits) (const NsEngine *engine, gconstpointer result);
  /* Fill what is empty; blocks. FALSE with an error when it is cancelled or impossible. */
  gboolean (*fill) (NsEngine *engine, gpointer result, gconstpointer settings, NsProgress *progress, GError **error);
  /* Let the new result have what the store knows of it, and keep it there. NULL: it is not kept. */
  void (*join) (NormscopeStore *store, gpointer result);
} NormscopeFillKind;

#define NORMSCOPE_TYPE_FILL_RUNNER (normscope_fill_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFillRunner, normscope_fill_runner, NORMSCOPE, FILL_RUNNER, NormscopeBackground)

/* Signals:
 *  "result" (gpointer result): of the newest request, borrowed; emitted again when there is more of it, the last time
 *  when the request has reached its end.
 *  "failed" (GError *): the newest request cannot run.
 * Property "busy": the newest request has neither reached its end nor failed. The engine is referenced, the kind is
 * static. */
NormscopeFillRunner *normscope_fill_runner_new (NormscopeEngine *engine, const NormscopeFillKind *kind);

/* Make a result and fill it. The experiment and the settings are copied. */
void normscope_fill_runner_submit (NormscopeFillRunner *self, const NsExperiment *experiment, gconstpointer settings);
/* Go on with a result, which is referenced. The settings are copied; NULL if the kind fills without them. */
void normscope_fill_runner_resume (NormscopeFillRunner *self, gpointer result, gconstpointer settings);
/* Pause: cancel what runs or waits; no signal follows until the next request. What is filled stays. */
void normscope_fill_runner_stop (NormscopeFillRunner *self);

G_END_DECLS
