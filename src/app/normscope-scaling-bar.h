/* The strip above the scaling plot: what is swept and measured, how it is drawn, and the button that starts it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/normscope-session.h"
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

/* What a "changed" signal of the bar carries. */
typedef enum
{
  NORMSCOPE_SCALING_SWEEP = 1 << 0, /* other numbers are wanted */
  NORMSCOPE_SCALING_AXES = 1 << 1,  /* the same numbers on other axes */
  NORMSCOPE_SCALING_FIGURE = 1 << 2,
} NormscopeScalingChange;

#define NORMSCOPE_TYPE_SCALING_BAR (normscope_scaling_bar_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingBar, normscope_scaling_bar, NORMSCOPE, SCALING_BAR, GtkBox)

/* Signals: "changed" (NormscopeScalingChange flags); "run" and "cancel": the button was pressed.
 * Property "show-claims": the toggle at the end. */
void normscope_scaling_bar_set_session (NormscopeScalingBar *self, NormscopeSession *session);

/* Borrowed; it stays as it is until the next "changed". */
const NormscopeScalingSettings *normscope_scaling_bar_get_settings (NormscopeScalingBar *self);
/* Emits "changed" when anything differs. */
void normscope_scaling_bar_set_settings (NormscopeScalingBar *self, const NormscopeScalingSettings *settings);

/* Whether the button cancels. */
void normscope_scaling_bar_set_busy (NormscopeScalingBar *self, gboolean busy);

/* The points of one axis as ns_sweep_points_from_text() reads them; caller frees. */
char *normscope_scaling_settings_dup_points (const NormscopeScalingSettings *settings, NsSweepAxis axis);

G_END_DECLS
