/* What has to be run for the scaling view: the sweep on show, then what the claims need.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/scaling/normscope-scaling-bar.h"
#include "app/work/normscope-scaling-runner.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* A list of NormscopeTask, owned; the first is the sweep on show. What is done in `former` (nullable) and fits is taken
 * over from there: other depths in the experiment need no other sweep over depths. NULL and an error when the sweep
 * on show cannot be run as it stands; what a claim needs and cannot be run is left out. */
GPtrArray *normscope_scaling_plan (const NsExperiment *experiment, const NormscopeScalingSettings *settings,
                                   gboolean with_claims, GPtrArray *former, GError **error);

G_END_DECLS
