/* Ranges of axes: from the data, and steady while a slider moves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window keeps an NsRangeMemory for each axis: after each new figure it asks for
 * ns_panel_get_auto_range(), passes it through ns_range_memory_update() and writes the
 * answer into the panel's min and max. While the hand moves the range only grows, so
 * the picture does not breathe.
 */
#pragma once

#include "plot/ns-figure.h"

G_BEGIN_DECLS

typedef struct
{
  double min, max; /* axis units */
} NsRange;

/* The range an axis takes for data in [min, max]: 5 % air; at least one decade on a log axis (a flat curve looks
 * flat); 0 included, without air beyond it, when zero_based; a range of one value is opened around it. */
NsRange ns_range_from_data (NsAxisScale scale, gboolean zero_based, double min, double max);

/* The range of a panel's side by its data alone (the panel's own min and max do not matter).
 * FALSE, and 0..1, when there is no finite point. */
gboolean ns_panel_get_auto_range (const NsPanel *panel, NsSide side, NsRange *range);

typedef struct
{
  gboolean is_set; /* FALSE: the next update takes the data's range as it is */
  NsAxisScale scale;
  NsRange range;
} NsRangeMemory;

/* Forgets everything: another quantity is shown. */
void ns_range_memory_reset (NsRangeMemory *memory);

/* Takes the range wanted now and returns the one to show: the union with what was shown before; with `settle`
 * exactly `wanted`. A change of `scale` starts anew. A `wanted` that is not finite changes nothing. */
NsRange ns_range_memory_update (NsRangeMemory *memory, NsAxisScale scale, NsRange wanted, gboolean settle);

G_END_DECLS
