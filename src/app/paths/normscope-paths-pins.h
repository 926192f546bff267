/* Pins on the figures by block of the Paths view: those of the flow's gradients, at the same blocks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click, or P, pins the block at the pointer or the crosshair; another one removes the pin.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* Let clicks and keys on the plot set pins. Both are borrowed; the session outlives the plot. */
void normscope_paths_pins_install (NormscopePlot *plot, NormscopeSession *session);

/* Return how to read values off the figure and, where it has pins, to keep them; static. */
const char *normscope_paths_pins_get_hint (NsFigureKind kind, const NsFigure *figure);

G_END_DECLS
