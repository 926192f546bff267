/* A sheet over a plot's axes on which the expected curve is drawn.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drag of pointer, finger or pen draws one value for each x; a later drag replaces the values it passes. With the
 * keyboard, left and right go from x to x, up and down set the value there, Delete removes it.
 *
 * Threads: main.
 */
#pragma once

#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SKETCH (normscope_sketch_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSketch, normscope_sketch, NORMSCOPE, SKETCH, GtkWidget)

/* Signal "changed": a value was drawn or removed. */

/* Draw on the axes of a panel of the plot, which must outlive the widget. */
GtkWidget *normscope_sketch_new (NormscopePlot *plot, guint panel);

/* Set the x that can be drawn: whole numbers from first to last, axis units. Values of the same x are kept. */
void normscope_sketch_set_range (NormscopeSketch *self, gint64 first, gint64 last);
void normscope_sketch_get_range (NormscopeSketch *self, gint64 *first, gint64 *last);
/* Return the value at an x in axis units (log10 on a log axis), NAN where nothing is drawn. */
double normscope_sketch_get_value (NormscopeSketch *self, gint64 x);
/* Set the range, and its n values from first on. */
void normscope_sketch_set_values (NormscopeSketch *self, gint64 first, guint n, const double *values);
/* Return TRUE if anything is drawn. */
gboolean normscope_sketch_is_drawn (NormscopeSketch *self);

G_END_DECLS
