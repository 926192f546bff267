/* The engine, shared by the files that run passes on it.
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
  NsTeam *team;              /* runs the passes of a job, or the products of one pass; never both at a time */
  NsWorkspaceMemory *memory; /* [n_threads] */
};

/* Return the least memory, in bytes, that running n_seeds seeds of the experiment needs on this engine. */
guint64 ns_engine_get_needed_for_seeds (const NsEngine *engine, const NsExperiment *experiment, guint n_seeds);
/* Return FALSE with an error that gives both numbers when the machine has less memory than `bytes`. */
gboolean ns_engine_check_memory (const NsExperiment *experiment, guint64 bytes, GError **error);
/* Return TRUE if the system limits this process's address space or data. */
gboolean ns_limits_bound_space (void);
/* Return the memory limit, in bytes, of the groups in a text like /proc/self/cgroup, below the folder of all groups;
 * G_MAXUINT64 without one. */
guint64 ns_limits_get_group_memory (const char *root, const char *groups);
/* Return the milliseconds of a monotonic clock. */
double ns_now_ms (void);
