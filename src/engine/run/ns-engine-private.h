/* What the parts of the engine share about an engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/pass/ns-workspace.h"
#include "engine/run/ns-engine.h"

struct _NsEngine
{
  guint n_threads;
  guint64 budget;
  NsWeights *weights;
  NsTeam *team;              /* shares the passes of a job, or the products of one pass: never both */
  NsWorkspaceMemory *memory; /* [n_threads] */
};

/* Bytes that running n_seeds of the experiment needs at the least: ns_engine_get_needed_memory() for all of them. */
guint64 ns_engine_get_needed_for_seeds (const NsEngine *engine, const NsExperiment *experiment, guint n_seeds);
/* FALSE and an error that gives both figures when the machine does not have that much memory. */
gboolean ns_engine_check_memory (const NsExperiment *experiment, guint64 bytes, GError **error);
/* Milliseconds of a clock that never goes back. */
double ns_now_ms (void);
