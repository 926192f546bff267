/* What the files of ns-draw share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cairo.h>

#include "plot/ns-layout.h"

G_BEGIN_DECLS

typedef struct
{
  cairo_t *cr;
  const NsTheme *theme;
  const NsFigure *figure;
  const NsLayout *layout;
  const NsPanel *panel;
  const NsPanelLayout *place;
  guint index;
} NsPainter;

void ns_draw_set_color (cairo_t *cr, const NsColor *color, double alpha);

/* Adds a marker of a curve to the path, `radius` px from its middle to its edge. */
void ns_draw_add_marker (cairo_t *cr, NsMarker marker, double x, double y, double radius);

/* Paints the path of any number of such markers: one path costs far less than many. `has_rim`: they stand on
 * something that may have their colour. */
void ns_draw_paint_markers (cairo_t *cr, NsMarker marker, double radius, const NsStyle *style,
                            const NsColor *background, double alpha, gboolean has_rim);

/* The sign of a value that is no number, around (x, y). */
void ns_draw_mark (cairo_t *cr, NsMark mark, double x, double y, double radius, const NsTheme *theme);

/* Pixel of a value, kept within what a Cairo path can hold. */
double ns_draw_map_y (const NsAxisMap *scale, double value);

/* ns-draw-lines.c: in this order, over the bars. */
void ns_draw_band (const NsPainter *painter, const NsSeries *series);
void ns_draw_line (const NsPainter *painter, const NsSeries *series);
void ns_draw_markers (const NsPainter *painter, const NsSeries *series);

/* ns-draw-bars.c: all bars of a panel. */
void ns_draw_bars (const NsPainter *painter);

/* The marks of all series of a panel, on its edges. */
void ns_draw_marks (const NsPainter *painter);

/* Whether a series has so many points that a coarser antialiasing and plain joins cannot be told from fine ones. */
gboolean ns_draw_is_dense (const NsSeries *series);

/* How much of a series' colour is laid on. */
double ns_draw_get_alpha (const NsSeries *series);

G_END_DECLS
