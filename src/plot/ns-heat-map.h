/* Heat maps and scales of colours: what ns-figure.h declares for every user, and what the room itself needs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; no state.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

void ns_heat_map_free (NsHeatMap *map);
/* Return a deep copy, NULL of NULL; the caller owns it. */
NsHeatMap *ns_heat_map_copy (const NsHeatMap *map);
void ns_color_scale_free (NsColorScale *colors);
NsColorScale *ns_color_scale_copy (const NsColorScale *colors);

/* Return the least distance between two centres, the side of a cell; 1 when there are fewer than two. */
double ns_heat_map_get_step (const double *centers, gint64 n);

/* Return the index of the centre whose cell contains `at`, −1 if there is none. `step` is the side of a cell. */
gint64 ns_heat_map_find (const double *centers, gint64 n, double step, double at);

/* Return the section of an axis that contains `at`, NULL without parts; and the first divider beyond it, or INFINITY.
 */
const NsAxisPart *ns_axis_parts_find (const GPtrArray *parts, double at);
double ns_axis_parts_find_divider (const GPtrArray *parts, double at);

G_END_DECLS
