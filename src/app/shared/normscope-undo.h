/* Undo and redo of values: two lists of snapshots.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of one control in quick succession, as in a drag, are one step.
 *
 * Threads: main.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* When there are more steps, drop the oldest. */
#define NORMSCOPE_UNDO_MAX_STEPS 200
/* A pause longer than this ends a drag. */
#define NORMSCOPE_UNDO_REST_US G_TIME_SPAN_SECOND

typedef struct _NormscopeUndo NormscopeUndo;

/* `equal` tells whether two snapshots are the same to the user: a step to the same is skipped. */
NormscopeUndo *normscope_undo_new (GDestroyNotify free_snapshot, GEqualFunc equal);
void normscope_undo_free (NormscopeUndo *self);
void normscope_undo_clear (NormscopeUndo *self);

/* Return TRUE if a change by `control` now would extend the last step, which then needs no snapshot. Note the time, and
 * drop the steps to redo. NULL always begins a step. */
gboolean normscope_undo_extends_step (NormscopeUndo *self, gconstpointer control);
/* Record what was before the change, which is taken. */
void normscope_undo_push (NormscopeUndo *self, gpointer snapshot);
/* Make the next change a step of its own, even if the same control makes it. */
void normscope_undo_end_step (NormscopeUndo *self);

gboolean normscope_undo_can_undo (NormscopeUndo *self);
gboolean normscope_undo_can_redo (NormscopeUndo *self);
/* Return the snapshot one step back or forward, which the caller owns, and keep `present`, which is taken, for the
 * other direction. NULL if there is none. */
gpointer normscope_undo_back (NormscopeUndo *self, gpointer present);
gpointer normscope_undo_forward (NormscopeUndo *self, gpointer present);

G_END_DECLS
