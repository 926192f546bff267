/* The storage of a sensitivity map, shared by its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/pass/ns-batch.h"
#include "engine/train/ns-sensitivity.h"

#include <stdatomic.h>

G_BEGIN_DECLS

/* One run; its numbers are set before `finished`, once. */
typedef struct
{
  double first, half, last; /* losses, means but the first */
  gint64 step, site;        /* of NaN or infinity; the step is −1 without */
  atomic_bool finished;
} NsSensitivityNumbers;

struct _NsSensitivity
{
  atomic_uint ref_count;
  NsExperiment *experiment;
  NsSensitivityPlan plan;
  guint n_seeds, n_runs;
  NsBatchSource source; /* of all runs: depth and rates do not change it */
  gpointer source_memory;
  double entropy; /* of a token alone */
  NsSensitivityNumbers *runs; /* [n_seeds, n_points, n_rates, variants]: the order in which they are trained */
  atomic_uint n_finished;
  _Atomic double elapsed_ms;
  atomic_uint threads;
};

static inline NsSensitivityNumbers *
ns_sensitivity_at (const NsSensitivity *map, guint variant, guint point, guint rate, guint seed)
{
  guint cell = (seed * map->plan.n_points + point) * map->plan.n_rates + rate;

  return &map->runs[cell * map->experiment->variants->len + variant];
}

G_END_DECLS
