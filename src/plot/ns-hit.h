/* From a pixel to what is drawn there, and back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands on the layout that drew the figure. Pure; threads: any.
 */
#pragma once

#include "plot/ns-figure.h"
#include "plot/ns-layout.h"

G_BEGIN_DECLS

typedef struct
{
  int panel;          /* the one under the pointer, -1: none (between, or on the axes) */
  double x;           /* the nearest x that some series has, axis units; NAN: there is no data */
  double x_px;        /* where it stands */
  int series;         /* the nearest in that panel at that x, -1: none; ghosts are not taken */
  gsize index;        /* its point there */
  double distance_px; /* from the pointer to that point (vertical only), G_MAXDOUBLE: none */
} NsHit;

/* What is at (px, py). FALSE when the pointer is left or right of the plot areas or there is no data; x is set
 * in the gaps above and below panels too, so that the crosshair does not flicker there. */
gboolean ns_hit_test (const NsFigure *figure, const NsLayout *layout, double px, double py, NsHit *hit);

/* Pixel of an x value (axis units). */
double ns_hit_x_to_px (const NsLayout *layout, double x);

/* The x value, among all points of all series but ghosts, that is nearest to `x`; NAN without data. */
double ns_figure_nearest_x (const NsFigure *figure, double x);

/* The next x value in a direction (-1 or +1), for arrow keys: it stops at the ends; NAN for `x` starts at the
 * first or last. */
double ns_figure_step_x (const NsFigure *figure, double x, int direction);

/* The index of the point of a series at `x`. FALSE when it has none there. */
gboolean ns_series_find_x (const NsSeries *series, double x, gsize *index);

G_END_DECLS
