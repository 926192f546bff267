/* The map between values of an axis and pixels.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values are in axis units (see ns-figure.h): on a logarithmic axis they are
 * already log10 of the quantity, so the map is the same straight line for both
 * and reaches far below the smallest double.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef struct
{
  NsAxisScale scale;
  double min, max;         /* axis units, min < max */
  double start_px, end_px; /* where min and max are; start > end on a y axis, whose pixels grow downward */
} NsAxisMap;

/* A map with min < max whatever is given: an empty or non-finite range becomes one unit wide. */
NsAxisMap ns_scale_make (NsAxisScale scale, double min, double max, double start_px, double end_px);

/* Axis units to pixels. A value outside the range lies outside the pixels; NAN gives NAN. */
double ns_scale_map (const NsAxisMap *scale, double value);

/* Pixels to axis units, the inverse of ns_scale_map(). */
double ns_scale_unmap (const NsAxisMap *scale, double px);

/* The quantity at an axis value: itself on a linear axis, 10^value on a log axis (0 or Inf beyond double's reach). */
double ns_scale_get_quantity (const NsAxisMap *scale, double value);

/* Axis value of a quantity: the inverse of the above; -INFINITY for 0 on a log axis. */
double ns_scale_from_quantity (const NsAxisMap *scale, double quantity);

/* Length in pixels, >= 0. */
double ns_scale_get_length (const NsAxisMap *scale);

G_END_DECLS
