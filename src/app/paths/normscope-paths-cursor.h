/* The crosshair of the Paths view, which figures over blocks share with the session.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's block l, which the flow view and the wiring show, is on the horizontal axis of curves and bars and on
 * the vertical one of heat maps. Their other block, m, stays where it is.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* Move the crosshair of the plot, which shows the figure, to the session's. */
void normscope_paths_cursor_show (NormscopePlot *plot, NormscopeSession *session, NsFigureKind figure);
/* Move the session's crosshair to that of the plot. */
void normscope_paths_cursor_store (NormscopePlot *plot, NormscopeSession *session, NsFigureKind figure);

G_END_DECLS
