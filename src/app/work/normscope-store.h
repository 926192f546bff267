/* The results of the last runs, paths and sweeps, so that what was measured once is there at once.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A result is known if its rows are (ns-result-rows.h), whichever runs they come from: undo, a step of a lecture, a
 * former view or a renamed variant need no pass, and a variant that is added runs alone. The same holds for the numbers
 * of paths and sweeps. All have the bits of a new run.
 *
 * Threads: any.
 */
#pragma once

#include "engine/run/ns-engine.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

typedef struct _NormscopeStore NormscopeStore;

/* Create a store of at most `max_bytes`, or of one larger result. */
NormscopeStore *normscope_store_new (guint64 max_bytes);
void normscope_store_free (NormscopeStore *self);

/* Keep a result of a run that has ended. Those that are part of it, then the oldest without all their seeds, then the
 * oldest ones are dropped. */
void normscope_store_add (NormscopeStore *self, NsResult *result);
/* Return the result of all seeds if it is known, or NULL. Caller owns it. */
NsResult *normscope_store_find (NormscopeStore *self, const NsExperiment *experiment, const NsQuantitySet *quantities);
/* Let paths or a sweep, which nothing has begun to fill, have what is known of them, and keep them: what they get is
 * known from then on. Paths that take more than half of the store are not kept. */
void normscope_store_join_paths (NormscopeStore *self, NsPaths *paths);
void normscope_store_join_sweep (NormscopeStore *self, NsSweep *sweep);
/* Do the same as ns_engine_run_watched(), but run only what is not known, and keep the result. */
NsResult *normscope_store_run (NormscopeStore *self, NsEngine *engine, const NsExperiment *experiment,
                               const NsQuantitySet *quantities, guint first_seed, guint n_seeds,
                               const NsResultWatch *watch, NsProgress *progress, GError **error);

G_END_DECLS
