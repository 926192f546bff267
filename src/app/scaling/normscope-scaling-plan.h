/* The tasks of the scaling view: the sweep on show, then the runs and sweeps that the claims need.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/work/normscope-scaling-runner.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return a new list of NormscopeTask, the sweep on show first. Finished tasks of `former` (nullable) are reused where
 * they answer the same question; a sweep over depths does not depend on the depth of the experiment. Return NULL with
 * an error when the sweep on show cannot run. Tasks of claims that cannot run are left out. */
GPtrArray *normscope_scaling_plan (const NsExperiment *experiment, const NsScalingSettings *settings,
                                   gboolean with_claims, GPtrArray *former, GError **error);

/* Return TRUE if the numbers of a task are those of an experiment; a sweep over depths is of every depth.
 * Not for a map, which belongs to a claim as well (ns_claim_map_fits()). */
gboolean normscope_scaling_task_is_of (const NormscopeTask *task, const NsExperiment *experiment);

G_END_DECLS
