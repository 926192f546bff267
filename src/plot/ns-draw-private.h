/* Declarations shared by the ns-draw-*.c files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls go one way: ns-draw.c → bars, lines, marks → shapes.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-layout.h"

G_BEGIN_DECLS

/* Arguments of the drawing functions of one panel. */
typedef struct
{
  cairo_t *cr;
  const NsTheme *theme;
  const NsFigure *figure;
  const NsLayout *layout;
  const NsPanel *panel;
  const NsPanelLayout *place; /* of this panel */
  guint index;                /* of this panel */
} NsPainter;

/* ---- ns-draw-bars.c ---- */

/* Draw all bar series of a panel. */
void ns_draw_bars (const NsPainter *painter);

/* ---- ns-draw-lines.c: one series each; bands first, then lines, then markers ---- */

void ns_draw_band (const NsPainter *painter, const NsSeries *series);
void ns_draw_line (const NsPainter *painter, const NsSeries *series);
void ns_draw_markers (const NsPainter *painter, const NsSeries *series);

/* ---- ns-draw-marks.c ---- */

/* Draw the marks of all series of a panel (NaN, Inf, underflow) on the edges of its plot area. */
void ns_draw_marks (const NsPainter *painter);

/* ---- ns-draw-shapes.c ---- */

void ns_draw_set_color (cairo_t *cr, const NsColor *color, double alpha);

/* Add a curve marker to the path; `radius` is the distance from its centre to its edge, px. */
void ns_draw_add_marker (cairo_t *cr, NsMarker marker, double x, double y, double radius);

/* Paint a path of any number of such markers; one path is much cheaper than many. `has_rim` outlines them in the
 * background colour, for markers over bars of their own colour. */
void ns_draw_paint_markers (cairo_t *cr, NsMarker marker, double radius, const NsStyle *style,
                            const NsColor *background, double alpha, gboolean has_rim);

/* Draw the sign of a value that is not a number, centred at (x, y). */
void ns_draw_mark (cairo_t *cr, NsMark mark, double x, double y, double radius, const NsTheme *theme);

/* Return the pixel of a value, clamped to what a Cairo path can hold. */
double ns_draw_map_y (const NsAxisMap *scale, double value);

/* Return TRUE for a series with so many points that coarser antialiasing and bevelled joins look the same. */
gboolean ns_draw_is_dense (const NsSeries *series);

/* Return the width of a series' line at line_scale 1, px. */
double ns_draw_get_line_width (const NsSeries *series);

/* Return the opacity of a series' colour, 0..1. */
double ns_draw_get_alpha (const NsSeries *series);

G_END_DECLS
