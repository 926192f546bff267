/* The axes of the Paths view's plots: a click, or L and K, makes them linear or logarithmic.
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

/* Let the plot's axes ask for the change; both are borrowed and outlive it. */
void normscope_paths_axis_install (NormscopePlot *plot, NormscopeSession *session);
/* Change the axes of the figure if that panel shows norms; else say that it shows none. */
void normscope_paths_axis_toggle (NormscopePlot *plot, NormscopeSession *session, int panel);

G_END_DECLS
