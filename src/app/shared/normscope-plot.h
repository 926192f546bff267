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
#include "plot/ns-hit.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PLOT (normscope_plot_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePlot, normscope_plot, NORMSCOPE, PLOT, GtkWidget)

/* Show a figure, which is taken; `description` is its sentence. With `new_axes` (another quantity) the ranges of the
 * axes start anew; otherwise they only grow while figures come in quick succession, and settle when no more come. */
void normscope_plot_take_figure (NormscopePlot *self, NsFigure *figure, const char *description, gboolean new_axes);
const NsFigure *normscope_plot_get_figure (NormscopePlot *self);
/* Return the layout of the figure on the widget, borrowed until the next event; NULL before there is one. */
const NsLayout *normscope_plot_get_layout (NormscopePlot *self);

/* Change each figure that is taken from now on before it is shown; NULL: show figures as they are. */
typedef void (*NormscopePlotFilter) (NsFigure *figure, gpointer data);
void normscope_plot_set_filter (NormscopePlot *self, NormscopePlotFilter filter, gpointer data);
/* Filter the figure that is on the screen already, and describe it anew. */
void normscope_plot_filter_again (NormscopePlot *self, const char *description);

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

/* The row of the crosshair in heat maps, axis units; NAN: the crosshair is a line along its column. "cursor" is
 * notified of its changes, too. It follows the pointer and the arrow keys; a figure without heat maps has none. */
double normscope_plot_get_cursor_y (NormscopePlot *self);
/* Move the crosshair of heat maps to the cell at (x, y). */
void normscope_plot_set_cell (NormscopePlot *self, double x, double y);

/* A line along a column of heat maps, axis units, that stays where it is while the crosshair moves; NAN: none. */
double normscope_plot_get_marker (NormscopePlot *self);
void normscope_plot_set_marker (NormscopePlot *self, double x);

/* Return the px of the crosshair and the first plot's area, or, of heat maps, the part of the one under the pointer in
 * which a read-out at the top does not lie over the cell; FALSE while it is hidden or nothing is laid out. */
gboolean normscope_plot_get_crosshair (NormscopePlot *self, double *x, NsRect *plot);

/* Return what is under a px of the widget; FALSE if there is no block. */
gboolean normscope_plot_hit (NormscopePlot *self, double x, double y, NsHit *hit);
/* Return the id of the annotation at a px of the widget, or −1. */
int normscope_plot_find_annotation (NormscopePlot *self, double x, double y);

/* Show the series of a panel only from `from` to `to`, axis units; the other panels as they were, at first whole. The
 * figure is not drawn again: its picture is clipped. */
void normscope_plot_set_reveal (NormscopePlot *self, guint panel, double from, double to);
/* Show the whole figure. */
void normscope_plot_clear_reveal (NormscopePlot *self);
/* Get what is revealed of a panel; FALSE if the whole figure is shown. */
gboolean normscope_plot_get_reveal (NormscopePlot *self, guint panel, double *from, double *to);
/* Leave the crosshair where normscope_plot_set_cursor() puts it, whatever pointer and keys do. */
void normscope_plot_set_locked (NormscopePlot *self, gboolean locked);

/* Let the curves move from the present figure to the next one that is taken, in 120 ms; at once if the desktop wants no
 * animations or the plot is not on the screen. A later figure ends the transition. */
void normscope_plot_animate_next (NormscopePlot *self);
/* Return TRUE during a transition. */
gboolean normscope_plot_is_moving (NormscopePlot *self);

/* Return TRUE unless the axes may still shrink, since the last figure is recent. */
gboolean normscope_plot_has_settled (NormscopePlot *self);

/* Return how often the figure was drawn since the widget was created. */
guint64 normscope_plot_get_n_drawings (NormscopePlot *self);

G_END_DECLS
