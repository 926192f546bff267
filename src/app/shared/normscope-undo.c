/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-undo.h"

struct _NormscopeUndo
{
  GQueue *past, *future; /* of snapshots, nearest first */
  GDestroyNotify free_snapshot;
  GEqualFunc equal;
  gconstpointer control; /* that made the newest past step, or NULL */
  gint64 touched_at;     /* monotonic time of the last change, µs */
};

gboolean
normscope_undo_extends_step (NormscopeUndo *self, gconstpointer control)
{
  gint64 now = g_get_monotonic_time ();
  gboolean extends = control != NULL && control == self->control && now - self->touched_at <= NORMSCOPE_UNDO_REST_US
                     && !g_queue_is_empty (self->past);

  self->control = control;
  self->touched_at = now;
  g_queue_clear_full (self->future, self->free_snapshot);
  return extends;
}

void
normscope_undo_push (NormscopeUndo *self, gpointer snapshot)
{
  g_queue_push_head (self->past, snapshot);
  if (g_queue_get_length (self->past) > NORMSCOPE_UNDO_MAX_STEPS)
    self->free_snapshot (g_queue_pop_tail (self->past));
}

void
normscope_undo_end_step (NormscopeUndo *self)
{
  self->control = NULL;
}

static gpointer
move (NormscopeUndo *self, GQueue *from, GQueue *back, gpointer present)
{
  gpointer snapshot;

  self->control = NULL;
  while ((snapshot = g_queue_pop_head (from)) != NULL && self->equal (snapshot, present))
    self->free_snapshot (snapshot);
  if (snapshot != NULL)
    g_queue_push_head (back, present);
  else
    self->free_snapshot (present);
  return snapshot;
}

gpointer
normscope_undo_back (NormscopeUndo *self, gpointer present)
{
  return move (self, self->past, self->future, present);
}

gpointer
normscope_undo_forward (NormscopeUndo *self, gpointer present)
{
  return move (self, self->future, self->past, present);
}

gboolean
normscope_undo_can_undo (NormscopeUndo *self)
{
  return !g_queue_is_empty (self->past);
}

gboolean
normscope_undo_can_redo (NormscopeUndo *self)
{
  return !g_queue_is_empty (self->future);
}

void
normscope_undo_clear (NormscopeUndo *self)
{
  g_queue_clear_full (self->past, self->free_snapshot);
  g_queue_clear_full (self->future, self->free_snapshot);
  self->control = NULL;
}

NormscopeUndo *
normscope_undo_new (GDestroyNotify free_snapshot, GEqualFunc equal)
{
  NormscopeUndo *self = g_new0 (NormscopeUndo, 1);

  self->past = g_queue_new ();
  self->future = g_queue_new ();
  self->free_snapshot = free_snapshot;
  self->equal = equal;
  return self;
}

void
normscope_undo_free (NormscopeUndo *self)
{
  if (self == NULL)
    return;
  g_queue_free_full (self->past, self->free_snapshot);
  g_queue_free_full (self->future, self->free_snapshot);
  g_free (self);
}
