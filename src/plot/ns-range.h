/* Axis ranges: computed from the data, and steady while a slider moves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window keeps an NsRangeMemory for each axis. For each new figure it passes ns_panel_get_auto_range() through
 * ns_range_memory_update() and writes the result into the panel's min and max. During a drag the range only grows, so
 * that the axis does not jump.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef struct
{
  double min, max; /* axis units */
} NsRange;

/* Return the axis range for data in [min, max], with a margin of 5 %. A log axis spans at least one decade, so that a
 * flat curve looks flat. zero_based includes 0, without a margin beyond it. A single value gets a range around it. */
NsRange ns_range_from_data (NsAxisScale scale, gboolean zero_based, double min, double max);

/* Compute the range of one side from its data, regardless of the panel's own min and max. FALSE, with the range 0..1,
 * when there is no finite point. */
gboolean ns_panel_get_auto_range (const NsPanel *panel, NsSide side, NsRange *range);

typedef struct
{
  gboolean is_set; /* FALSE: the next update returns its range unchanged */
  NsAxisScale scale;
  NsRange range;
} NsRangeMemory;

/* Forget the range, for an axis that shows another quantity. */
void ns_range_memory_reset (NsRangeMemory *memory);

/* Return the range to show: the union of `wanted` and the range shown before, or `wanted` itself if `settle` or if
 * `scale` changed. A `wanted` that is empty or not finite changes nothing. */
NsRange ns_range_memory_update (NsRangeMemory *memory, NsAxisScale scale, NsRange wanted, gboolean settle);

G_END_DECLS
