/* Which items of a shard are computed next, and by which rank.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A rank first takes the items of one group, since it has drawn their weights, then those of a group that no rank has
 * begun, then of the group that has most left. In each group the longest items come first, so that all ranks end at
 * about the same time. The order changes no number.
 * Threads: one call at a time.
 */
#pragma once

#include "engine/run/ns-items.h"

G_BEGIN_DECLS

typedef struct _NsCliSchedule NsCliSchedule;

/* Schedule the items of the shard, 1 <= shard <= n_shards, or of all if n_shards is 0, that are not done. */
NsCliSchedule *ns_cli_schedule_new (const NsItems *items, guint shard, guint n_shards, guint n_ranks);
void ns_cli_schedule_free (NsCliSchedule *schedule);

/* Return how many items there are, and the blocks that they pass. */
guint ns_cli_schedule_get_n (const NsCliSchedule *schedule);
guint64 ns_cli_schedule_count_blocks (const NsCliSchedule *schedule);

/* Return an item that was not taken, first <= item < end, or NS_NO_ITEM if none is left. */
guint ns_cli_schedule_take (NsCliSchedule *schedule, guint rank, guint first, guint end);

G_END_DECLS
