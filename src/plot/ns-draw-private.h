/* Declarations shared by the ns-draw-*.c files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls go one way: ns-draw.c → bars, stack, heat map, lines, marks, annotations → shapes.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-layout.h"

G_BEGIN_DECLS

#define NS_MAJOR_TICK_PX 5.0
#define NS_MINOR_TICK_PX 3.0
#define NS_MARK_RADIUS_PX 6.0

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

/* ---- ns-draw-stack.c ---- */

/* Draw the stacked series of a panel. */
void ns_draw_stack (const NsPainter *painter);

/* ---- ns-draw-heat-map.c ---- */

/* Draw the cells of a panel. */
void ns_draw_heat_map (const NsPainter *painter);
/* Draw the bar of colours and its ticks. */
void ns_draw_color_bar (const NsFigure *figure, const NsLayout *layout, cairo_t *cr, const NsTheme *theme);

/* ---- ns-draw-lines.c: one series each; bands first, then lines, then markers ---- */

void ns_draw_band (const NsPainter *painter, const NsSeries *series);
void ns_draw_line (const NsPainter *painter, const NsSeries *series);
void ns_draw_markers (const NsPainter *painter, const NsSeries *series);

/* ---- ns-draw-marks.c ---- */

/* Draw the marks of all series of a panel (NaN, Inf, underflow) on the edges of its plot area. */
void ns_draw_marks (const NsPainter *painter);

/* ---- ns-draw-annotations.c ---- */

/* Draw the annotations of a panel without their texts: the vertical lines, which lie under the series, or the others.
 */
void ns_draw_annotations (const NsPainter *painter, gboolean lines);
/* Draw a vertical line through a heat map that is seen on every colour. */
void ns_draw_map_line (const NsPainter *painter, double x_px);
/* Make the text in a rectangle legible over curves. */
void ns_draw_label_background (cairo_t *cr, const NsTheme *theme, const NsRect *rect);

/* ---- ns-draw-shapes.c ---- */

/* Centre a 1 px line on a pixel; between two pixels it would be two grey ones. */
double ns_draw_snap (double px);

void ns_draw_set_color (cairo_t *cr, const NsColor *color, double alpha);

/* Return a colour as a dot of a CAIRO_FORMAT_ARGB32 image. */
guint32 ns_draw_pack_color (const NsColor *color);

/* Compute how many dots an image needs to be sharp in width × height px: those of the surface, or, of a surface without
 * dots, two for a px. */
void ns_draw_get_dots (cairo_t *cr, double width, double height, int *across, int *down);

/* Paint an image over a rectangle, its dots with sharp edges. An image with an error goes into the status of `cr`. */
void ns_draw_image (cairo_t *cr, cairo_surface_t *image, const NsRect *rect);

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
