/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-room.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-memory.h"

#include <string.h>

#define GROWTH 2 /* a GString doubles its length */

gboolean
ns_rows_have_room (guint64 rows, guint64 row_bytes)
{
  guint64 bytes;

  return g_uint64_checked_mul (&bytes, rows, GROWTH * row_bytes) && ns_memory_has_room (bytes);
}

gboolean
ns_result_has_room (const NsResult *result, gboolean per_seed, gsize row_bytes)
{
  gsize n = ns_result_get_n_numbers (result);

  return ns_rows_have_room (per_seed ? n : n / ns_result_get_n_seeds (result), row_bytes);
}

gboolean
ns_sweep_has_room (const NsSweep *sweep, gsize row_bytes)
{
  guint n_points;

  ns_sweep_get_points (sweep, &n_points);
  return ns_rows_have_room (
      (guint64) ns_sweep_get_experiment (sweep)->variants->len * n_points * ns_sweep_get_n_seeds (sweep), row_bytes);
}

gsize
ns_experiment_get_longest_name (const NsExperiment *experiment)
{
  gsize longest = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    longest = MAX (longest, strlen (ns_experiment_variant (experiment, v)->name));
  return longest;
}
