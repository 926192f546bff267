/* The titles and the axes of the flow plots, which change the view of the session.
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

/* The panels of the flow figure that can be operated. */
enum
{
  NORMSCOPE_GRADIENT_PANEL,
  NORMSCOPE_ACTIVATION_PANEL,
};

/* Make the titles open lists of quantities, and the axes change their scales; call once. */
void normscope_flow_add_plot_controls (NormscopePlot *plot, NormscopeSession *session);
/* Change the vertical axis of a panel of the plot between linear and logarithmic. */
void normscope_flow_toggle_axis (NormscopeSession *session, int panel, NormscopePlot *plot);

G_END_DECLS
