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

/* Draw the crosshair at `x` (axis units) through all panels, with a dot on each curve that has a number there; nothing
 * when `x` is outside the axis or NAN. It belongs on a layer over the figure, so that moving it does not redraw the
 * figure. */
void ns_figure_draw_overlay_with_layout (const NsFigure *figure, const NsLayout *layout, cairo_t *cr,
                                         const NsTheme *theme, double x);

/* Draw a series' line, dash and marker in [0, width] × [0, height] px, for a list of variants. */
void ns_series_draw_swatch (const NsSeries *series, cairo_t *cr, const NsTheme *theme, double width, double height);

G_END_DECLS
