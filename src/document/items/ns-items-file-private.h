/* The bytes of a checkpoint of items.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   preamble, the head as JSON, checksum of both
 *   for each finished item: its place, the count of its numbers, the numbers, checksum of the head's and of these
 */
#pragma once

#include "document/items/ns-items-file.h"
#include "engine/ops/ns-checksum.h"

G_BEGIN_DECLS

#define NS_ITEMS_MAGIC "Normscope items 1\n"
/* of every version */
#define NS_ITEMS_MAGIC_START "Normscope items "

typedef struct
{
  char magic[24];
  guint64 length; /* of the text, with blanks up to a multiple of 8 */
} NsItemsPreamble;

/* Return the length of the head at the start of a whole file. */
gsize ns_items_get_head_length (GBytes *bytes);
/* Return the checksum of a record of n bytes, in a file whose head has that checksum. */
guint64 ns_items_get_record_sum (guint64 head_sum, gconstpointer record, gsize n);
/* Read the text. */
NsItemsHead *ns_items_head_from_text (const char *text, gsize length, const char *name, GError **error);

G_END_DECLS
