/* Find the data under a pixel, and the pixel of a value.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pure functions of a figure and the layout it was drawn with. Threads: any.
 */
#pragma once

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

typedef struct
{
  int panel;          /* under the pointer, −1 between panels and on the axes */
  double x;           /* nearest x of any series, axis units; NAN without data */
  double x_px;        /* its pixel */
  int series;         /* nearest series of that panel at that x, −1 for none; ghosts are skipped */
  gsize index;        /* of its point there */
  double distance_px; /* vertical distance from the pointer to that point, G_MAXDOUBLE for none */
  double y;           /* of a heat map: the row under the pointer, axis units; else NAN */
  gint64 row, column; /* of a heat map: the cell under the pointer, which may be absent; else −1 */
} NsHit;

/* Find the data at pixel (px, py). FALSE when the pointer is left or right of the plot areas or there is no data. x is
 * also set between the panels, so that the crosshair does not flicker there.
 * Of bars in a stack, `series` is the part under the pointer. Of heat maps, TRUE means that the pointer is on a cell of
 * one, and x and y are its column and row. */
gboolean ns_hit_test (const NsFigure *figure, const NsLayout *layout, double px, double py, NsHit *hit);

/* Return the id of the annotation whose text or point is at pixel (px, py), the nearest one; −1 if there is none. */
int ns_hit_find_annotation (const NsFigure *figure, const NsLayout *layout, double px, double py);

typedef enum
{
  NS_HIT_NO_AXIS,
  NS_HIT_X_AXIS, /* below the last plot */
  NS_HIT_Y_AXIS, /* left of a plot */
} NsHitAxis;

/* Find the axis whose labels are at pixel (px, py), and in *panel the panel of a vertical one. */
NsHitAxis ns_hit_find_axis (const NsLayout *layout, double px, double py, int *panel);

/* Return the pixel of an x value (axis units). */
double ns_hit_x_to_px (const NsLayout *layout, double x);

/* Return the x of the point nearest to `x`, over all series except ghosts; NAN without data. */
double ns_figure_nearest_x (const NsFigure *figure, double x);

/* Return the next x of any point in a direction (−1 or +1), for arrow keys. Stops at the ends; from NAN it returns the
 * first or last x. */
double ns_figure_step_x (const NsFigure *figure, double x, int direction);

/* The same for the rows of heat maps: nearest to `y`, and the next one up (+1) or down (−1). */
double ns_figure_nearest_y (const NsFigure *figure, double y);
double ns_figure_step_y (const NsFigure *figure, double y, int direction);

/* Find the cell of a heat map at (x, y); FALSE when there is none. */
gboolean ns_heat_map_find_cell (const NsHeatMap *map, double x, double y, gint64 *row, gint64 *column);

/* Find the point of a series at `x`; `index` may be NULL. FALSE when there is none. */
gboolean ns_series_find_x (const NsSeries *series, double x, gsize *index);

G_END_DECLS
