/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-progress.h"

#include <stdatomic.h>

struct _NsProgress
{
  atomic_int references;
  atomic_bool cancelled;
  atomic_uint_least64_t done, total;
  guint64 reserved; /* part of `total` for runs that have not begun */
  NsProgress *whole; /* of which this is a part; or NULL */
};

NsProgress *
ns_progress_new (void)
{
  NsProgress *progress = g_new0 (NsProgress, 1);

  atomic_init (&progress->references, 1);
  return progress;
}

NsProgress *
ns_progress_new_part (NsProgress *whole)
{
  NsProgress *part = ns_progress_new ();

  part->whole = whole != NULL ? ns_progress_ref (whole) : NULL;
  return part;
}

NsProgress *
ns_progress_ref (NsProgress *progress)
{
  atomic_fetch_add (&progress->references, 1);
  return progress;
}

void
ns_progress_unref (NsProgress *progress)
{
  if (progress == NULL || atomic_fetch_sub (&progress->references, 1) != 1)
    return;
  ns_progress_unref (progress->whole);
  g_free (progress);
}

void
ns_progress_cancel (NsProgress *progress)
{
  atomic_store (&progress->cancelled, TRUE);
}

void
ns_progress_restart (NsProgress *progress)
{
  atomic_store (&progress->cancelled, FALSE);
  atomic_store (&progress->done, 0);
  atomic_store (&progress->total, 0);
  progress->reserved = 0;
}

void
ns_progress_get (NsProgress *progress, guint64 *done, guint64 *total)
{
  *done = atomic_load (&progress->done);
  *total = atomic_load (&progress->total);
}

gboolean
ns_progress_step (NsProgress *progress)
{
  ns_progress_skip (progress, 1);
  return !ns_progress_is_cancelled (progress);
}

void
ns_progress_skip (NsProgress *progress, guint64 n)
{
  for (; progress != NULL; progress = progress->whole)
    atomic_fetch_add_explicit (&progress->done, n, memory_order_relaxed);
}

gboolean
ns_progress_is_cancelled (NsProgress *progress)
{
  for (; progress != NULL; progress = progress->whole)
    if (atomic_load_explicit (&progress->cancelled, memory_order_relaxed))
      return TRUE;
  return FALSE;
}

void
ns_progress_begin (NsProgress *progress, guint64 total)
{
  guint64 reserved;

  if (progress == NULL)
    return;
  reserved = MIN (total, progress->reserved);
  progress->reserved -= reserved;
  atomic_fetch_add (&progress->total, total - reserved);
}

void
ns_progress_reserve (NsProgress *progress, guint64 total)
{
  if (progress == NULL)
    return;
  progress->reserved += total;
  atomic_fetch_add (&progress->total, total);
}
