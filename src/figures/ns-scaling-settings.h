/* The settings of a scaling figure as a value: the sweep, and how it is drawn. The window and lectures keep them.
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

#define NS_N_SWEEP_AXES 2 /* NsSweepAxis */

typedef struct
{
  NsMetric metric;
  NsSweepAxis axis;
  gint64 first[NS_N_SWEEP_AXES], last[NS_N_SWEEP_AXES]; /* both ranges are kept, whichever axis is swept */
  gboolean every; /* sweep every integer of the range */
  gboolean log_x, log_y;
  gboolean best_law, residuals, ratio;
  guint laws; /* bit mask of 1 << NsLaw */
  guint numerator, denominator; /* variants of the ratio */
  gboolean theory;
  int theory_depth; /* as in NsScalingOptions */
} NsScalingSettings;

/* Kinds of differences between two settings. */
typedef enum
{
  NS_SCALING_CHANGED_SWEEP = 1 << 0,  /* the numbers change */
  NS_SCALING_CHANGED_AXES = 1 << 1,   /* the same numbers on other axes */
  NS_SCALING_CHANGED_FIGURE = 1 << 2, /* another figure of the same numbers */
  NS_SCALING_CHANGED_UNSEEN = 1 << 3, /* the range of the axis that is not swept */
} NsScalingChange;

/* Set the defaults: w_2@last against depth 1..128. */
void ns_scaling_settings_init (NsScalingSettings *settings);
/* Return NsScalingChange flags; 0 if the settings are equal. */
guint ns_scaling_settings_compare (const NsScalingSettings *a, const NsScalingSettings *b);

/* Return the metric for an experiment: a single stack has no parts, so the chosen part is ignored. */
NsMetric ns_scaling_settings_get_metric (const NsScalingSettings *settings, const NsExperiment *experiment);

/* Return the points of an axis in the form that ns_sweep_points_from_text() reads. The caller frees it. */
char *ns_scaling_settings_dup_points (const NsScalingSettings *settings, NsSweepAxis axis);

/* Set the options of the figure of a sweep; what is borrowed in them, the band and the hidden variants have the
 * defaults of ns_scaling_options_init(). A cosine has no logarithm, and a single variant no ratio. */
void ns_scaling_settings_get_options (const NsScalingSettings *settings, const NsSweep *sweep,
                                      NsScalingOptions *options);

/* Write the settings to a group of a key file, and read them. Missing and invalid keys leave a setting unchanged. */
void ns_scaling_settings_write (const NsScalingSettings *settings, GKeyFile *file);
void ns_scaling_settings_read (NsScalingSettings *settings, GKeyFile *file);

G_END_DECLS
