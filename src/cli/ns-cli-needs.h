/* The data that a figure is made from.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the main thread.
 */
#pragma once

#include "cli/ns-cli-scaling.h"
#include "cli/ns-cli-sensitivity.h"
#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

/* One of them at most, and with depths the sweep that lists them. */
typedef struct
{
  NsResult *result;
  NsSweep *sweep;
  NsPaths *paths;
  NsTraining *training;
  NsSensitivity *sensitivity;
  NsCoordinateCheck *coordinates;
  GPtrArray *depths; /* NsResult */
} NsCliNeeds;

void ns_cli_needs_clear (NsCliNeeds *needs);

/* Compute what the figure needs of an experiment, with progress; `sweep` is the plan of a figure that needs one, and
 * `map` the request for one that needs a sensitivity map. */
gboolean ns_cli_needs_compute (NsCliNeeds *needs, NsFigureKind figure, const NsFigureOptions *options,
                               const NsCliSweepPlan *sweep, const NsCliSensitivityRequest *map, NsEngine *engine,
                               const NsExperiment *experiment, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliNeeds, ns_cli_needs_clear)

G_END_DECLS
