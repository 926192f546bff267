/* Draws a figure on a Cairo context: the one function behind screen, PNG, SVG and PDF.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure: the same (figure, theme, size) makes the same picture. The context's state is
 * kept, its clip and matrix are respected; units are px of 1/96 inch before that matrix.
 * Threads: any one thread at a time.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"
#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Fills [0, width] x [0, height] of the context. */
void ns_figure_draw (const NsFigure *figure, cairo_t *cr, const NsTheme *theme, double width, double height);

/* The same with a layout made before by ns_layout_new() from this figure and theme, as the window keeps one
 * for the crosshair and the pointer. */
void ns_figure_draw_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme);

/* The crosshair at `x` (axis units) through all panels, with a dot on each curve that has a number there. It is
 * drawn over a figure, on a layer of its own, so that it moves without the figure being drawn again. */
void ns_figure_draw_overlay (const NsFigure *figure, cairo_t *cr, const NsTheme *theme, double width, double height,
                             double x);
void ns_figure_draw_overlay_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                         const NsTheme *theme, double x);

/* One series' line, dash and marker in [0, width] x [0, height], for a list of variants. */
void ns_series_draw_swatch (const NsSeries *series, cairo_t *cr, const NsTheme *theme, double width, double height);

G_END_DECLS
