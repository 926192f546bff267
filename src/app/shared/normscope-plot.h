/* A figure on the screen, with a crosshair that follows the pointer and the arrow keys.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The drawing is kept until the figure, the theme or the size changes; the crosshair is a layer of its own. To
 * assistive technology it is an image whose description is the sentence about it.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "plot/ns-figure.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PLOT (normscope_plot_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePlot, normscope_plot, NORMSCOPE, PLOT, GtkWidget)

GtkWidget *normscope_plot_new (void);

/* Takes the figure; `description` says it in words. With `new_axes` the ranges start anew (another quantity); else
 * they only grow while figures come in quick succession, and settle when they stop. */
void normscope_plot_take_figure (NormscopePlot *self, NsFigure *figure, const char *description, gboolean new_axes);
const NsFigure *normscope_plot_get_figure (NormscopePlot *self);

/* 1..2; multiplies every size of type and width of line. */
void normscope_plot_set_text_scale (NormscopePlot *self, double text_scale);
/* The same, and the words of the view around it grow with the type in the plots. */
void normscope_plot_scale_view (NormscopePlot *self, GtkWidget *view, double text_scale);

/* Property "cursor", notified: where the crosshair stands (axis units), NAN: nowhere. */
double normscope_plot_get_cursor (NormscopePlot *self);
void normscope_plot_set_cursor (NormscopePlot *self, double x);

/* Since the widget was made: how often the figure itself was drawn, and how long the last time took. */
guint64 normscope_plot_get_n_drawings (NormscopePlot *self);
double normscope_plot_get_drawing_ms (NormscopePlot *self);

G_END_DECLS
