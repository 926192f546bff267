/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-schedule.h"

#include <stdlib.h>

typedef struct
{
  guint item, group;
  guint64 blocks;
} Entry;

/* A group's entries from `next` to before `end` are not taken; they pass `blocks`. */
typedef struct
{
  guint next, end;
  guint64 blocks;
} Group;

struct _NsCliSchedule
{
  Entry *entries; /* [n] by group, in each the longest first */
  guint n;
  GArray *groups; /* Group, in the order of their items' parts */
  guint n_begun;  /* the first groups, of each of which an item was taken */
  guint *own;     /* [ranks] the group of which the rank took its last item, or NS_NO_ITEM */
};

static int
compare_blocks (const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  if (x->blocks != y->blocks)
    return x->blocks > y->blocks ? -1 : 1;
  return x->item < y->item ? -1 : 1;
}

static int
compare_groups (const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return compare_blocks (a, b);
}

/* List the items of the shard that are not done. Items are dealt out like cards, the longest first and each round in
 * the opposite direction, so that shards take about as long. */
static void
deal (NsCliSchedule *schedule, const NsItems *items, guint shard, guint n_shards)
{
  guint n = ns_items_get_n (items), n_hands = MAX (n_shards, 1);
  Entry *entries = schedule->entries = g_new (Entry, n + 1);

  for (guint i = 0; i < n; i++)
    entries[i] = (Entry){ i, ns_items_get_group (items, i), ns_items_count_blocks (items, i) };
  qsort (entries, n, sizeof *entries, compare_blocks);
  for (guint i = 0; i < n; i++)
    {
      guint place = i % n_hands, hand = i / n_hands % 2 == 0 ? place : n_hands - 1 - place;

      if ((n_shards == 0 || hand == shard - 1) && !ns_items_is_done (items, entries[i].item))
        entries[schedule->n++] = entries[i];
    }
}

NsCliSchedule *
ns_cli_schedule_new (const NsItems *items, guint shard, guint n_shards, guint n_ranks)
{
  NsCliSchedule *schedule = g_new0 (NsCliSchedule, 1);

  deal (schedule, items, shard, n_shards);
  qsort (schedule->entries, schedule->n, sizeof *schedule->entries, compare_groups);
  schedule->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  for (guint first = 0, end; first < schedule->n; first = end)
    {
      Group group = { .next = first };

      for (end = first; end < schedule->n && schedule->entries[end].group == schedule->entries[first].group; end++)
        group.blocks += schedule->entries[end].blocks;
      group.end = end;
      g_array_append_val (schedule->groups, group);
    }
  schedule->own = g_new (guint, n_ranks);
  for (guint rank = 0; rank < n_ranks; rank++)
    schedule->own[rank] = NS_NO_ITEM;
  return schedule;
}

void
ns_cli_schedule_free (NsCliSchedule *schedule)
{
  if (schedule == NULL)
    return;
  g_free (schedule->entries);
  g_array_unref (schedule->groups);
  g_free (schedule->own);
  g_free (schedule);
}

guint
ns_cli_schedule_get_n (const NsCliSchedule *schedule)
{
  return schedule->n;
}

guint64
ns_cli_schedule_count_blocks (const NsCliSchedule *schedule)
{
  guint64 blocks = 0;

  for (guint i = 0; i < schedule->groups->len; i++)
    blocks += g_array_index (schedule->groups, Group, i).blocks;
  return blocks;
}

/* Return TRUE if the group has an item of the range. */
static gboolean
has_item (const NsCliSchedule *schedule, guint group, guint first, guint end)
{
  const Group *g;
  guint item;

  if (group >= schedule->groups->len)
    return FALSE;
  g = &g_array_index (schedule->groups, Group, group);
  if (g->next == g->end)
    return FALSE;
  item = schedule->entries[g->next].item;
  return item >= first && item < end;
}

/* Return the group of which the rank takes an item. Groups are begun in their order, and so are the ranges. */
static guint
choose (const NsCliSchedule *schedule, guint rank, guint first, guint end)
{
  const Group *groups = (const Group *) (gpointer) schedule->groups->data;
  guint most = NS_NO_ITEM;

  if (has_item (schedule, schedule->own[rank], first, end))
    return schedule->own[rank];
  if (has_item (schedule, schedule->n_begun, first, end))
    return schedule->n_begun;
  for (guint i = 0; i < schedule->n_begun; i++)
    if (has_item (schedule, i, first, end) && (most == NS_NO_ITEM || groups[i].blocks > groups[most].blocks))
      most = i;
  return most;
}

guint
ns_cli_schedule_take (NsCliSchedule *schedule, guint rank, guint first, guint end)
{
  guint chosen = choose (schedule, rank, first, end);
  const Entry *entry;
  Group *group;

  if (chosen == NS_NO_ITEM)
    return NS_NO_ITEM;
  group = &g_array_index (schedule->groups, Group, chosen);
  entry = &schedule->entries[group->next++];
  group->blocks -= entry->blocks;
  schedule->n_begun = MAX (schedule->n_begun, chosen + 1);
  schedule->own[rank] = chosen;
  return entry->item;
}
