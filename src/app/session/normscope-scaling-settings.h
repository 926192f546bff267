/* What the scaling view sweeps and measures, and how it draws it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "figures/ns-scaling.h"

G_BEGIN_DECLS

#define NORMSCOPE_N_AXES 2 /* NsSweepAxis */

typedef struct
{
  NsMetric metric;
  NsSweepAxis axis;
  gint64 first[NORMSCOPE_N_AXES], last[NORMSCOPE_N_AXES]; /* one range an axis, kept when the other one is swept */
  gboolean every; /* every whole number of the range */
  gboolean log_x, log_y;
  gboolean best_law, residuals, ratio;
  guint laws; /* bit NsLaw */
  guint numerator, denominator;
} NormscopeScalingSettings;

/* In what two of them differ. */
typedef enum
{
  NORMSCOPE_SCALING_SWEEP = 1 << 0, /* other numbers are wanted */
  NORMSCOPE_SCALING_AXES = 1 << 1,  /* the same numbers on other axes */
  NORMSCOPE_SCALING_FIGURE = 1 << 2,
  NORMSCOPE_SCALING_UNSEEN = 1 << 3, /* the range of the axis that is not swept */
} NormscopeScalingChange;

/* w_2@last against depth 1..128. */
void normscope_scaling_settings_init (NormscopeScalingSettings *settings);
/* NormscopeScalingChange flags; 0: they are equal. */
guint normscope_scaling_settings_compare (const NormscopeScalingSettings *a, const NormscopeScalingSettings *b);

/* The metric that can be swept of the experiment: a single stack has no parts, whichever was chosen of another one. */
NsMetric normscope_scaling_settings_get_metric (const NormscopeScalingSettings *settings,
                                                const NsExperiment *experiment);

/* The points of one axis as ns_sweep_points_from_text() reads them; caller frees. */
char *normscope_scaling_settings_dup_points (const NormscopeScalingSettings *settings, NsSweepAxis axis);

/* A group of a key file. What is missing there, or cannot be, leaves the setting as it is. */
void normscope_scaling_settings_write (const NormscopeScalingSettings *settings, GKeyFile *file);
void normscope_scaling_settings_read (NormscopeScalingSettings *settings, GKeyFile *file);

G_END_DECLS
