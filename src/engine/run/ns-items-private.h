/* A kind of items: what each sort of list implements.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/run/ns-items.h"

G_BEGIN_DECLS

typedef struct
{
  /* As the functions of ns-items.h, of one list alone. */
  guint (*get_n) (gconstpointer list);
  gsize (*get_length) (gconstpointer list, guint item);
  guint64 (*count_blocks) (gconstpointer list, guint item);
  char *(*dup_name) (gconstpointer list, guint item);
  gboolean (*is_done) (gconstpointer list, guint item);
  void (*get) (gconstpointer list, guint item, guint64 *numbers);
  gboolean (*set) (gpointer list, guint item, const guint64 *numbers);
  void (*free) (gpointer list);

  /* Prepare to compute `left` items at most. Return the job, and in *n_workers how many items at a time. NULL with an
   * error. */
  gpointer (*begin) (NsEngine *engine, gpointer list, guint left, NsProgress *progress, guint *n_workers,
                     GError **error);
  /* Compute an item. Return FALSE if that was not possible; end() tells why. */
  gboolean (*run) (gpointer job, guint item, guint worker);
  /* Free the job. Return FALSE with an error if an item was not possible. */
  gboolean (*end) (gpointer job, GError **error);

  /* As ns_items_get_group(), less than the number of items; NULL: each item is a group. */
  guint (*get_group) (gconstpointer list, guint item);
} NsItemKind;

/* Append a list, which is taken, to the items. */
void ns_items_add (NsItems *items, const NsItemKind *kind, gpointer list);

G_END_DECLS
