/* A checksum that finds damage to files, by accident and not by intent.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Begin with zeros. */
typedef struct
{
  guint64 sum;
  guint64 word;   /* the bytes after the last whole word */
  gsize n_bytes;
} NsChecksum;

/* Add bytes. The parts in which they come make no difference. */
void ns_checksum_add (NsChecksum *checksum, gconstpointer bytes, gsize n);
/* Return the checksum of all bytes so far. */
guint64 ns_checksum_get (const NsChecksum *checksum);

G_END_DECLS
