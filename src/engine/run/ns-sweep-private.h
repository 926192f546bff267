/* A sweep as it is filled.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result-private.h"
#include "engine/run/ns-sweep.h"

#include <stdatomic.h>

typedef struct
{
  double value, log10_value; /* written once, before ready */
  atomic_bool ready;         /* released by the thread that computed it, acquired by readers */
} SweepValue;

struct _NsSweep
{
  atomic_int references;
  NsExperiment *experiment;
  NsSweepAxis axis;
  NsMetric metric;
  gint64 *points; /* [n_points] */
  guint n_points;
  SweepValue *values; /* [variants][n_points][seeds] */
  atomic_llong elapsed_us;
};

SweepValue *ns_sweep_at (const NsSweep *sweep, guint variant, guint point, guint seed);
/* The experiment as it is at one point; caller frees. */
NsExperiment *ns_sweep_make_experiment (const NsSweep *sweep, guint point);
