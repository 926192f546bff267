/* The settings of the scaling view: the sweep, and how it is drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
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
  gint64 first[NORMSCOPE_N_AXES], last[NORMSCOPE_N_AXES]; /* both ranges are kept, whichever axis is swept */
  gboolean every; /* sweep every integer of the range */
  gboolean log_x, log_y;
  gboolean best_law, residuals, ratio;
  guint laws; /* bit mask of 1 << NsLaw */
  guint numerator, denominator; /* variants of the ratio */
} NormscopeScalingSettings;

/* Kinds of differences between two settings. */
typedef enum
{
  NORMSCOPE_SCALING_SWEEP = 1 << 0,  /* the numbers change */
  NORMSCOPE_SCALING_AXES = 1 << 1,   /* the same numbers on other axes */
  NORMSCOPE_SCALING_FIGURE = 1 << 2, /* another figure of the same numbers */
  NORMSCOPE_SCALING_UNSEEN = 1 << 3, /* the range of the axis that is not swept */
} NormscopeScalingChange;

/* Set the defaults: w_2@last against depth 1..128. */
void normscope_scaling_settings_init (NormscopeScalingSettings *settings);
/* Return NormscopeScalingChange flags; 0 if the settings are equal. */
guint normscope_scaling_settings_compare (const NormscopeScalingSettings *a, const NormscopeScalingSettings *b);

/* Return the metric for an experiment: a single stack has no parts, so the chosen part is ignored. */
NsMetric normscope_scaling_settings_get_metric (const NormscopeScalingSettings *settings,
                                                const NsExperiment *experiment);

/* Return the points of an axis in the form that ns_sweep_points_from_text() reads. The caller frees it. */
char *normscope_scaling_settings_dup_points (const NormscopeScalingSettings *settings, NsSweepAxis axis);

/* Write the settings to a group of a key file, and read them. Missing and invalid keys leave a setting unchanged. */
void normscope_scaling_settings_write (const NormscopeScalingSettings *settings, GKeyFile *file);
void normscope_scaling_settings_read (NormscopeScalingSettings *settings, GKeyFile *file);

G_END_DECLS
