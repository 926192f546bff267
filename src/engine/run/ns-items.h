/* Lists of items: the independent parts of a sweep, of a run over seeds, of a map of trainings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An item depends on the experiment and on its place in the list, and on nothing else. So items may be computed in any
 * order, by several processes, and again by a later one; the numbers of a finished item fill the sweep, result or map
 * with the same bits as if it had been computed here. Numbers are words of 64 bits: a double as it is, or an integer.
 *
 * Threads: any thread may read a finished item. One job at a time computes items of a list, on the engine's threads.
 */
#pragma once

#include "engine/run/ns-engine.h"
#include "engine/run/ns-sweep.h"

G_BEGIN_DECLS

typedef struct _NsItems NsItems;

/* Create an empty list. */
NsItems *ns_items_new (void);
void ns_items_free (NsItems *items);
/* Append the items of a sweep: a variant and seed at each point, or at all points where the stack grows from one depth
 * to the next. The variants that it measures must not change afterwards. */
void ns_items_add_sweep (NsItems *items, NsSweep *sweep);
/* Append the seeds of a result from the seed 0 on, each with all variants; ns_result_new_of(), not published yet. */
void ns_items_add_result (NsItems *items, NsResult *result);

guint ns_items_get_n (const NsItems *items);
/* Return how many numbers an item has. */
gsize ns_items_get_length (const NsItems *items, guint item);
/* Return the blocks that computing an item passes, for its progress. */
guint64 ns_items_count_blocks (const NsItems *items, guint item);
/* Return a number that an item shares with those that need the same drawn weights: a process that computes one of them
 * has the weights for the others. */
guint ns_items_get_group (const NsItems *items, guint item);
/* Return "Pre-LN, depth 16, seed 3" for messages; the first seed of the experiment is 0. Caller frees. */
char *ns_items_dup_name (const NsItems *items, guint item);

gboolean ns_items_is_done (const NsItems *items, guint item);
guint ns_items_count_done (const NsItems *items);
/* Get the numbers of a finished item. */
void ns_items_get (const NsItems *items, guint item, guint64 *numbers);
/* Set those of an item that is not finished, which finishes it. Return FALSE if they are impossible. */
gboolean ns_items_set (NsItems *items, guint item, const guint64 *numbers);

#define NS_NO_ITEM G_MAXUINT

/* Who decides which items a job computes. */
typedef struct
{
  /* Return an item to compute now, first <= item < end, or NS_NO_ITEM: the job has no more of these. Called by the
   * engine's threads; each call returns another item. Lists that consist of several parts are computed one part after
   * the other. */
  guint (*take) (gpointer user_data, guint first, guint end);
  /* The item is finished. Return FALSE to end the job, which then has no error of its own. Called by the engine's
   * threads, also at the same time. */
  gboolean (*finish) (gpointer user_data, guint item);
  gpointer user_data;
} NsItemsFlow;

/* Compute the items that the flow hands out. The caller has begun the progress; NULL is allowed. Blocks. Return FALSE
 * with an error when the job was cancelled or is impossible, or without one when the flow has ended it; finished items
 * stay. */
gboolean ns_engine_run_items (NsEngine *engine, NsItems *items, const NsItemsFlow *flow, NsProgress *progress,
                              GError **error);
/* Compute all items that are not finished, in their order. Begins the progress. */
gboolean ns_engine_run_all_items (NsEngine *engine, NsItems *items, NsProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsItems, ns_items_free)

G_END_DECLS
