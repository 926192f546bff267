/* The title and the axes of the scaling plot, which change the settings of the bar above it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/scaling/normscope-scaling-bar.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* Make the title open the list of quantities, and the axes change their scales; call once. */
void normscope_scaling_add_plot_controls (NormscopePlot *plot, NormscopeScalingBar *bar);
/* Change an axis between linear and logarithmic: NORMSCOPE_X_AXIS or the vertical one. */
void normscope_scaling_toggle_axis (NormscopeScalingBar *bar, int axis);

G_END_DECLS
