/* What can be clicked on the plots of the Training view.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* Let the axis of the losses change its scale, and the title of the map open the list of its quantities; call once. */
void normscope_training_add_plot_controls (NormscopePlot *losses, NormscopePlot *map, NormscopeSession *session);
/* Change the axis of the losses between linear and logarithmic. */
void normscope_training_toggle_axis (NormscopeSession *session);

G_END_DECLS
