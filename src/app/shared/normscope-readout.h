/* A small table of the values at the crosshair, next to it and over the plot.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names have their variants' colours. Pointer events pass through to the plot.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/shared/normscope-plot.h"
#include "figures/ns-readout.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_READOUT (normscope_readout_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeReadout, normscope_readout, NORMSCOPE, READOUT, GtkWidget)

/* Show a table, which is taken; NULL hides the widget. `line` has the same values in one line, for assistive
 * technology; NULL: it is made from the table. */
void normscope_readout_take (NormscopeReadout *self, NsReadout *readout, const char *line);

/* Place the widget, an overlay of `overlay`, next to the crosshair of `plot`, which the overlay contains. */
void normscope_readout_attach (NormscopeReadout *self, GtkOverlay *overlay, NormscopePlot *plot);

G_END_DECLS
