/* Run experiments in the background; only the newest one counts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A submitted experiment is copied. It replaces one that waits and cancels one that runs (normscope-worker.h). A result
 * that is known (normscope-store.h) is delivered before normscope_runner_submit() returns. Otherwise the
 * result of its first seed is delivered as soon as it is known, then the result of all seeds. Where the first seed
 * takes long, partial results come before.
 *
 * Threads: main; signals are emitted from the main loop.
 */
#pragma once

#include "app/work/normscope-background.h"
#include "engine/experiment/ns-quantity-set.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_RUNNER (normscope_runner_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeRunner, normscope_runner, NORMSCOPE, RUNNER, NormscopeBackground)

/* Signals:
 *  "result" (NsResult *, gboolean complete): of the newest experiment; complete if it includes all seeds.
 *  "partial" (NsResult *): what a long run of the first seed has so far (ns_result_is_partial()).
 *  "failed" (GError *): the newest experiment cannot run.
 * Property "busy": the newest experiment is neither complete nor failed. */
NormscopeRunner *normscope_runner_new (NormscopeEngine *engine);

/* Set what the jobs submitted from now on measure; at first, what an ordinary run does. */
void normscope_runner_set_quantities (NormscopeRunner *self, const NsQuantitySet *quantities);
void normscope_runner_submit (NormscopeRunner *self, const NsExperiment *experiment);
/* Cancel what runs or waits; no signal follows until the next submit. */
void normscope_runner_stop (NormscopeRunner *self);

G_END_DECLS
