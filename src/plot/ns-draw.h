/* Draw a figure on a Cairo context: the one function behind screen, PNG, SVG and PDF.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure: the same figure, theme and size make the same picture. The context's graphics state is restored; its clip and
 * matrix apply. Lengths are px of 1/96 inch before that matrix.
 * The functions return FALSE if Cairo reports an error, such as text beyond the size that FreeType can draw. The
 * context is then useless, but the next drawing gets new fonts.
 * Threads: any one thread at a time.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"
#include "plot/ns-theme.h"

G_BEGIN_DECLS

/* Draw the figure and its background in [0, width] × [0, height] px. */
gboolean ns_figure_draw (const NsFigure *figure, cairo_t *cr, const NsTheme *theme, double width, double height);

/* Draw the figure with a layout that ns_layout_new() made from this figure and theme. The window keeps one for the
 * crosshair and the pointer. */
gboolean ns_figure_draw_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                     const NsTheme *theme);

/* The same without series and annotations: axes and texts, before the curves are drawn. */
gboolean ns_figure_draw_empty_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                           const NsTheme *theme);

/* Draw the crosshair at `x` (axis units) through all panels, with a dot on each curve that has a number there and a
 * frame around each bar of a stack; nothing
 * when `x` is outside the axis or NAN. Panel p has no dots if bit p of `bare` is set. It belongs on a layer over the
 * figure, so that moving it does not redraw the figure. */
void ns_figure_draw_overlay_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                         const NsTheme *theme, double x, guint bare);

/* Draw the crosshair of a figure of heat maps, in every one of them: lines along the column `x` and the row `y` (axis
 * units; one may be NAN) and a frame around the cell where they meet. */
void ns_figure_draw_cell_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                      const NsTheme *theme, double x, double y);

/* Draw a vertical line at `x`, axis units, through every heat map, which looks like NS_ANNOTATION_LINE; nothing when it
 * is outside the axis or NAN. */
void ns_figure_draw_marker_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                        const NsTheme *theme, double x);

/* Draw a series' line, dash and marker in [0, width] × [0, height] px, for a list of variants. */
void ns_series_draw_swatch (const NsSeries *series, cairo_t *cr, const NsTheme *theme, double width, double height);

G_END_DECLS
