/* The mapping between axis values and pixels.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values are in axis units (see ns-figure.h). On a logarithmic axis they are log10 of the quantity, so the mapping is
 * linear for both kinds of axis and reaches far below the smallest double.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef struct
{
  NsAxisScale scale;
  double min, max;         /* axis units, min < max */
  double start_px, end_px; /* pixels of min and max; start > end on a y axis, since y grows downward */
} NsAxisMap;

/* Return a mapping with min < max for any input; an empty or non-finite range becomes one unit wide. */
NsAxisMap ns_scale_make (NsAxisScale scale, double min, double max, double start_px, double end_px);

/* Convert axis units to pixels. Values outside the range map to pixels outside [start, end]; NAN gives NAN. */
double ns_scale_map (const NsAxisMap *scale, double value);

/* Convert pixels to axis units, the inverse of ns_scale_map(). */
double ns_scale_unmap (const NsAxisMap *scale, double px);

/* Return the length of the axis, px, >= 0. */
double ns_scale_get_length (const NsAxisMap *scale);

G_END_DECLS
