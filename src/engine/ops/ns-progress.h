/* Progress and cancellation of one job, shared by the thread that runs it and those that watch it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any, except that only one thread at a time may call ns_progress_begin() and ns_progress_reserve().
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* ---- for the watcher ---- */

typedef struct _NsProgress NsProgress;
NsProgress *ns_progress_new (void);
NsProgress *ns_progress_ref (NsProgress *progress);
void ns_progress_unref (NsProgress *progress);
/* Stop the job. Each of its threads stops within one piece of its work (NS_PIECE_…), in a fraction of a second. */
void ns_progress_cancel (NsProgress *progress);
/* Take back a cancellation, and count from 0: for a job that runs again. */
void ns_progress_restart (NsProgress *progress);
/* Get the number of blocks passed (forward and backward count one each) and the total; the total is 0 before the job
 * starts. */
void ns_progress_get (NsProgress *progress, guint64 *done, guint64 *total);

/* ---- for both; NULL is allowed and is never cancelled ---- */

/* Return TRUE once the job was cancelled. Cheap enough to ask between the pieces of long work; unfinished output must
 * not be used. */
gboolean ns_progress_is_cancelled (NsProgress *progress);

/* Long work asks between pieces of about this size. One takes hundredths of a second: multiplications and additions of
 * a matrix product, and elements of an array. */
#define NS_PIECE_PRODUCTS ((guint64) 1 << 30)
#define NS_PIECE_ELEMENTS ((guint64) 1 << 22)

/* ---- for the job; NULL is allowed ---- */

/* Count one block. Return FALSE when the job was cancelled and must stop. */
gboolean ns_progress_step (NsProgress *progress);
/* Count n blocks that need not be run. */
void ns_progress_skip (NsProgress *progress, guint64 n);
/* Create the progress of a part of the work. Its blocks are counted in the whole, too, which may be NULL; it is
 * cancelled when the whole is. It has no total. */
NsProgress *ns_progress_new_part (NsProgress *whole);
/* Add a run's number of blocks to the total. One progress may serve several runs. */
void ns_progress_begin (NsProgress *progress, guint64 total);
/* Add the blocks of later runs to the total now, so that it does not grow while they run: ns_progress_begin() takes its
 * blocks from this reserve first. */
void ns_progress_reserve (NsProgress *progress, guint64 total);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsProgress, ns_progress_unref)

G_END_DECLS
