/* The data of a sweep, for the files that fill and read it.
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
  double value, log10_value; /* written once, before `ready` */
  atomic_bool ready;         /* stored with release by the thread that computed the value, loaded with acquire by
                              * readers */
} SweepValue;

struct _NsSweep
{
  atomic_int references;
  NsExperiment *experiment;
  NsSweepAxis axis;
  NsMetric metric;
  guint32 variants; /* bit v: the variant v is measured */
  gint64 *points;   /* [n_points] */
  guint n_points;
  SweepValue *values; /* [variants][n_points][seeds] */
  atomic_llong elapsed_us;
};

/* Return the value at a point; owned by the sweep. */
SweepValue *ns_sweep_at (const NsSweep *sweep, guint variant, guint point, guint seed);
