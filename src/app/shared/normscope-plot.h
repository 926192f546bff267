/* A figure on the screen, with a crosshair that follows the pointer and the arrow keys.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The drawing is cached until the figure, the theme or the size changes; the crosshair is drawn on top. For assistive
 * technology the plot is an image described by the sentence about its figure.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/shared/normscope-plot-controls.h"
#include "plot/ns-figure.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PLOT (normscope_plot_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePlot, normscope_plot, NORMSCOPE, PLOT, GtkWidget)

/* Show a figure, which is taken; `description` is its sentence. With `new_axes` (another quantity) the ranges of the
 * axes start anew; otherwise they only grow while figures come in quick succession, and settle when no more come. */
void normscope_plot_take_figure (NormscopePlot *self, NsFigure *figure, const char *description, gboolean new_axes);
const NsFigure *normscope_plot_get_figure (NormscopePlot *self);

/* Make the title of a panel open a NormscopeQuantityPopover, which is taken. */
void normscope_plot_add_chooser (NormscopePlot *self, guint panel, GtkWidget *popover);
/* Make an axis, that of a panel or NORMSCOPE_X_AXIS, one that a click changes between linear and logarithmic. Signal
 * "axis-clicked" (int axis) asks for it; `key` (static) does the same and is named in the tooltip. */
void normscope_plot_add_axis (NormscopePlot *self, int axis, const char *key);

/* Scale type and lines of the plot by `text_scale`, 0.75 to 2, and give the view around it a CSS class from 1.5 and
 * from 2 on. */
void normscope_plot_scale_view (NormscopePlot *self, GtkWidget *view, double text_scale);

/* Property "cursor": the position of the crosshair in axis units; NAN hides it. */
double normscope_plot_get_cursor (NormscopePlot *self);
void normscope_plot_set_cursor (NormscopePlot *self, double x);

/* Return the px of the crosshair and the first plot's area; FALSE while it is hidden or nothing is laid out. */
gboolean normscope_plot_get_crosshair (NormscopePlot *self, double *x, NsRect *plot);

/* Return how often the figure was drawn since the widget was created. */
guint64 normscope_plot_get_n_drawings (NormscopePlot *self);

G_END_DECLS
