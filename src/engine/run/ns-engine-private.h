/* The engine, shared by the files that run passes on it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/pass/ns-pass-data.h"
#include "engine/pass/ns-workspace.h"
#include "engine/run/ns-engine.h"
#include "engine/run/ns-kept-passes.h"

struct _NsEngine
{
  guint n_threads;
  guint64 budget;
  NsWeights *weights;
  NsTeam *team;              /* shares the passes of a job, and within a pass its products */
  NsWorkspaceMemory *memory; /* [n_threads] */
  NsKeptPasses *kept;        /* or NULL */
};

/* The destination of a pass's numbers: a variant and seed of a result. */
typedef struct
{
  NsResult *result;
  guint variant, seed;
} NsResultSlot;

/* Return the sink that sets them; slot and quantities (NULL: all) are borrowed. */
NsSink ns_result_slot_get_sink (NsResultSlot *slot, const NsQuantitySet *wanted);

/* How a job uses threads and memory. */
typedef struct
{
  guint n_passes;
  guint n_workers;  /* concurrent passes */
  NsTeam *workers;  /* that run them; NULL: one */
  NsTeam *team;     /* that shares the products of each; NULL: its worker alone */
  gboolean keep_activations;
  guint64 needed;   /* least memory, in bytes */
} NsJobLayout;

/* Lay out n_passes passes of the experiment, for each variant and seed, say. may_keep: activations, if they fit. own:
 * bytes of a worker besides its workspace; result: of the result; G_MAXUINT64 where they cannot be counted. */
NsJobLayout ns_engine_lay_out (const NsEngine *engine, const NsExperiment *experiment, guint n_passes,
                               gboolean may_keep, guint64 own, guint64 result);
/* Give a layout of n_workers its teams. */
void ns_engine_set_workers (const NsEngine *engine, NsJobLayout *layout, guint n_workers);
/* Return how many threads share the products of each of n_workers passes. */
guint ns_engine_get_team_size (const NsEngine *engine, guint n_workers);
/* Return a workspace for each worker; NULL when the system gives no memory. Free with g_free(). */
NsWorkspace *ns_engine_new_workspaces (NsEngine *engine, const NsExperiment *experiment, const NsJobLayout *layout);
/* Return the blocks that a run of these quantities (NULL: an ordinary one) passes. */
guint64 ns_engine_count_blocks (const NsExperiment *experiment, const NsQuantitySet *quantities, guint n_seeds);
/* Set the error of a job without memory. Return FALSE. */
gboolean ns_engine_refuse_memory (const NsJobLayout *layout, GError **error);
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
