/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-items-private.h"

#include "engine/run/ns-engine-private.h"

#include <stdatomic.h>

/* One of the lists; its items are first .. first + n − 1. */
typedef struct
{
  const NsItemKind *kind;
  gpointer list;
  guint first, n;
} Part;

struct _NsItems
{
  GArray *parts; /* Part */
  guint n;
};

NsItems *
ns_items_new (void)
{
  NsItems *items = g_new0 (NsItems, 1);

  items->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  return items;
}

void
ns_items_free (NsItems *items)
{
  if (items == NULL)
    return;
  for (guint i = 0; i < items->parts->len; i++)
    {
      const Part *part = &g_array_index (items->parts, Part, i);

      part->kind->free (part->list);
    }
  g_array_unref (items->parts);
  g_free (items);
}

void
ns_items_add (NsItems *items, const NsItemKind *kind, gpointer list)
{
  const Part part = { kind, list, items->n, kind->get_n (list) };

  g_array_append_val (items->parts, part);
  items->n += part.n;
}

/* ---- one item ---- */

static const Part *
find_part (const NsItems *items, guint item)
{
  guint i = 0;

  g_return_val_if_fail (item < items->n, NULL);
  while (item - g_array_index (items->parts, Part, i).first >= g_array_index (items->parts, Part, i).n)
    i++;
  return &g_array_index (items->parts, Part, i);
}

guint
ns_items_get_n (const NsItems *items)
{
  return items->n;
}

gsize
ns_items_get_length (const NsItems *items, guint item)
{
  const Part *part = find_part (items, item);

  return part->kind->get_length (part->list, item - part->first);
}

guint64
ns_items_count_blocks (const NsItems *items, guint item)
{
  const Part *part = find_part (items, item);

  return part->kind->count_blocks (part->list, item - part->first);
}

guint
ns_items_get_group (const NsItems *items, guint item)
{
  const Part *part = find_part (items, item);

  if (part->kind->get_group == NULL)
    return item;
  return part->first + part->kind->get_group (part->list, item - part->first);
}

char *
ns_items_dup_name (const NsItems *items, guint item)
{
  const Part *part = find_part (items, item);

  return part->kind->dup_name (part->list, item - part->first);
}

gboolean
ns_items_is_done (const NsItems *items, guint item)
{
  const Part *part = find_part (items, item);

  return part->kind->is_done (part->list, item - part->first);
}

guint
ns_items_count_done (const NsItems *items)
{
  guint n = 0;

  for (guint i = 0; i < items->n; i++)
    n += ns_items_is_done (items, i) ? 1 : 0;
  return n;
}

void
ns_items_get (const NsItems *items, guint item, guint64 *numbers)
{
  const Part *part = find_part (items, item);

  g_return_if_fail (part->kind->is_done (part->list, item - part->first));
  part->kind->get (part->list, item - part->first, numbers);
}

gboolean
ns_items_set (NsItems *items, guint item, const guint64 *numbers)
{
  const Part *part = find_part (items, item);

  g_return_val_if_fail (!part->kind->is_done (part->list, item - part->first), FALSE);
  return part->kind->set (part->list, item - part->first, numbers);
}

/* ---- a job ---- */

typedef struct
{
  const Part *part;
  const NsItemsFlow *flow;
  gpointer of_kind; /* its job */
  atomic_bool ended; /* by the flow, or since an item was not possible */
} ItemsJob;

/* A worker, which is one item of the team's loop. */
static void
work (gpointer data, guint worker, guint thread)
{
  ItemsJob *job = data;
  const Part *part = job->part;
  guint item;

  (void) thread;
  while (!job->ended
         && (item = job->flow->take (job->flow->user_data, part->first, part->first + part->n)) != NS_NO_ITEM)
    {
      if (!part->kind->run (job->of_kind, item - part->first, worker)
          || !job->flow->finish (job->flow->user_data, item))
        job->ended = TRUE;
    }
}

static guint
count_left (const Part *part)
{
  guint left = 0;

  for (guint i = 0; i < part->n; i++)
    left += part->kind->is_done (part->list, i) ? 0 : 1;
  return left;
}

static gboolean
run_part (NsEngine *engine, const Part *part, const NsItemsFlow *flow, NsProgress *progress, GError **error)
{
  ItemsJob job = { .part = part, .flow = flow };
  guint left = count_left (part), n_workers = 1;

  if (left == 0)
    return TRUE;
  job.of_kind = part->kind->begin (engine, part->list, left, progress, &n_workers, error);
  if (job.of_kind == NULL)
    return FALSE;
  ns_team_run (ns_team_get_part (engine->team, n_workers), n_workers, work, &job);
  return part->kind->end (job.of_kind, error) && !job.ended;
}

gboolean
ns_engine_run_items (NsEngine *engine, NsItems *items, const NsItemsFlow *flow, NsProgress *progress, GError **error)
{
  for (guint i = 0; i < items->parts->len; i++)
    if (!run_part (engine, &g_array_index (items->parts, Part, i), flow, progress, error))
      return FALSE;
  return TRUE;
}

/* ---- all items in their order ---- */

typedef struct
{
  guint *left; /* [n_left] */
  guint n_left;
  atomic_uint next; /* in it */
} Order;

/* The items ascend, and so do the ranges. */
static guint
take_in_order (gpointer user_data, guint first, guint end)
{
  Order *order = user_data;
  guint place = order->next;

  (void) first;
  while (place < order->n_left && order->left[place] < end)
    if (atomic_compare_exchange_weak (&order->next, &place, place + 1))
      return order->left[place];
  return NS_NO_ITEM;
}

static gboolean
go_on (gpointer user_data, guint item)
{
  (void) user_data, (void) item;
  return TRUE;
}

gboolean
ns_engine_run_all_items (NsEngine *engine, NsItems *items, NsProgress *progress, GError **error)
{
  g_autofree guint *left = g_new (guint, items->n + 1);
  Order order = { .left = left };
  const NsItemsFlow flow = { take_in_order, go_on, &order };
  guint64 blocks = 0;

  for (guint i = 0; i < items->n; i++)
    if (!ns_items_is_done (items, i))
      {
        left[order.n_left++] = i;
        blocks += ns_items_count_blocks (items, i);
      }
  ns_progress_begin (progress, blocks);
  return ns_engine_run_items (engine, items, &flow, progress, error);
}
