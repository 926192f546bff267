/* Controls in a plot: titles that open a list, axes that change between linear and logarithmic.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figure draws the titles; an invisible button over each makes it accessible to keyboard and assistive
 * technology. Belongs to NormscopePlot.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

/* The horizontal axis; the vertical ones have the index of their panel. */
#define NORMSCOPE_X_AXIS (-1)
#define NORMSCOPE_NO_AXIS (-2)

typedef struct _NormscopePlotControls NormscopePlotControls;

/* Create an empty set of controls. `plot` becomes the parent of the buttons and must outlive the set. */
NormscopePlotControls *normscope_plot_controls_new (GtkWidget *plot);
void normscope_plot_controls_free (NormscopePlotControls *self);

/* Make the title of a panel open a NormscopeQuantityPopover, which is taken. */
void normscope_plot_controls_add_chooser (NormscopePlotControls *self, guint panel, GtkWidget *popover);
/* Let an axis change its scale on a click or on `key` ("L"; static). */
void normscope_plot_controls_add_axis (NormscopePlotControls *self, int axis, const char *key);

/* Mark the titles of a new figure that open a list, before it is laid out. */
void normscope_plot_controls_prepare (NormscopePlotControls *self, NsFigure *figure);
/* Put the buttons over the titles. */
void normscope_plot_controls_allocate (NormscopePlotControls *self, const NsLayout *layout);
void normscope_plot_controls_snapshot (NormscopePlotControls *self, GtkSnapshot *snapshot);

/* Return the axis at a pixel that can change its scale: a panel's index, NORMSCOPE_X_AXIS or NORMSCOPE_NO_AXIS. */
int normscope_plot_controls_find_axis (NormscopePlotControls *self, const NsLayout *layout, double x, double y);
/* Return the tooltip of an axis, which describes a click and names its key; the caller frees it. */
char *normscope_plot_controls_dup_tooltip (NormscopePlotControls *self, const NsFigure *figure, int axis);

G_END_DECLS
