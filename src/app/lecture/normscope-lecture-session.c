/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-session.h"

#include "app/shared/normscope-undo.h"
#include "lecture/ns-lecture-json.h"

/* A value and the step that was current. */
typedef struct
{
  NsLecture *lecture;
  guint index;
} Snapshot;

struct _NormscopeLectureSession
{
  GObject parent_instance;
  NsLecture *lecture; /* NULL: none */
  guint index;
  GFile *file;
  NsLecture *saved; /* the value in the file; NULL: unsaved whatever the value */
  NormscopeUndo *undo;
};

G_DEFINE_FINAL_TYPE (NormscopeLectureSession, normscope_lecture_session, G_TYPE_OBJECT)

enum { LECTURE_SESSION_SIGNAL_CHANGED, LECTURE_SESSION_SIGNAL_SHOW, N_LECTURE_SESSION_SIGNALS };
static guint lecture_session_signals[N_LECTURE_SESSION_SIGNALS];

/* ---- snapshots ---- */

static Snapshot *
snapshot_new (NormscopeLectureSession *self)
{
  Snapshot *snapshot = g_new (Snapshot, 1);

  snapshot->lecture = ns_lecture_ref (self->lecture);
  snapshot->index = self->index;
  return snapshot;
}

static void
snapshot_free (gpointer data)
{
  Snapshot *snapshot = data;

  ns_lecture_unref (snapshot->lecture);
  g_free (snapshot);
}

static gboolean
snapshots_are_equal (gconstpointer a, gconstpointer b)
{
  return ns_lecture_equal (((const Snapshot *) a)->lecture, ((const Snapshot *) b)->lecture);
}

/* ---- the lecture ---- */

static void
emit_changed (NormscopeLectureSession *self, guint change)
{
  g_signal_emit (self, lecture_session_signals[LECTURE_SESSION_SIGNAL_CHANGED], 0, change);
}

/* Put another value, which is taken, in the place of the lecture. */
static void
set_lecture (NormscopeLectureSession *self, NsLecture *lecture, guint index)
{
  guint change = NORMSCOPE_LECTURE_CHANGED_STEPS | NORMSCOPE_LECTURE_CHANGED_FILE;
  NsLecture *former = self->lecture;

  index = MIN (index, MAX (ns_lecture_get_n_steps (lecture), 1) - 1);
  if (index != self->index)
    change |= NORMSCOPE_LECTURE_CHANGED_INDEX;
  self->lecture = lecture;
  self->index = index;
  emit_changed (self, change);
  ns_lecture_unref (former);
}

const NsLecture *
normscope_lecture_session_get_lecture (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), NULL);
  return self->lecture;
}

void
normscope_lecture_session_take_lecture (NormscopeLectureSession *self, NsLecture *lecture, GFile *file)
{
  NsLecture *former;

  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));

  former = self->lecture;
  normscope_undo_clear (self->undo);
  self->lecture = lecture;
  self->index = 0;
  g_set_object (&self->file, file);
  g_clear_pointer (&self->saved, ns_lecture_unref);
  self->saved = lecture != NULL ? ns_lecture_ref (lecture) : NULL;
  emit_changed (self, NORMSCOPE_LECTURE_CHANGED_OPEN | NORMSCOPE_LECTURE_CHANGED_STEPS | NORMSCOPE_LECTURE_CHANGED_INDEX
                          | NORMSCOPE_LECTURE_CHANGED_FILE);
  ns_lecture_unref (former);
}

gboolean
normscope_lecture_session_is_open (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return self->lecture != NULL;
}

/* ---- the current step ---- */

guint
normscope_lecture_session_get_n_steps (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), 0);
  return self->lecture != NULL ? ns_lecture_get_n_steps (self->lecture) : 0;
}

guint
normscope_lecture_session_get_index (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), 0);
  return self->index;
}

const NsLectureStep *
normscope_lecture_session_get_step (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), NULL);
  return self->index < normscope_lecture_session_get_n_steps (self) ? ns_lecture_get_step (self->lecture, self->index)
                                                                     : NULL;
}

gboolean
normscope_lecture_session_go_to (NormscopeLectureSession *self, guint index)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);

  if (index >= normscope_lecture_session_get_n_steps (self))
    return FALSE;
  if (index != self->index)
    {
      self->index = index;
      emit_changed (self, NORMSCOPE_LECTURE_CHANGED_INDEX);
    }
  normscope_undo_end_step (self->undo);
  g_signal_emit (self, lecture_session_signals[LECTURE_SESSION_SIGNAL_SHOW], 0);
  return TRUE;
}

gboolean
normscope_lecture_session_go_next (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return normscope_lecture_session_go_to (self, self->index + 1);
}

gboolean
normscope_lecture_session_go_previous (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return self->index > 0 && normscope_lecture_session_go_to (self, self->index - 1);
}

/* ---- editing ---- */

void
normscope_lecture_session_commit (NormscopeLectureSession *self, NsLecture *lecture, guint index,
                                  gconstpointer control)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));
  g_return_if_fail (self->lecture != NULL && lecture != NULL);

  if (ns_lecture_equal (lecture, self->lecture))
    {
      ns_lecture_unref (lecture);
      return;
    }
  if (!normscope_undo_extends_step (self->undo, control))
    normscope_undo_push (self->undo, snapshot_new (self));
  set_lecture (self, lecture, index);
}

void
normscope_lecture_session_commit_step (NormscopeLectureSession *self, NsLectureStep *step, gconstpointer control)
{
  NsLecture *lecture;

  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));
  g_return_if_fail (normscope_lecture_session_get_step (self) != NULL);

  lecture = ns_lecture_copy (self->lecture);
  ns_lecture_replace_step (lecture, self->index, step);
  normscope_lecture_session_commit (self, lecture, self->index, control);
}

gboolean
normscope_lecture_session_can_undo (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return self->lecture != NULL && normscope_undo_can_undo (self->undo);
}

gboolean
normscope_lecture_session_can_redo (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return self->lecture != NULL && normscope_undo_can_redo (self->undo);
}

static void
restore (NormscopeLectureSession *self, Snapshot *snapshot)
{
  if (snapshot == NULL)
    return;
  set_lecture (self, ns_lecture_ref (snapshot->lecture), snapshot->index);
  snapshot_free (snapshot);
}

void
normscope_lecture_session_undo (NormscopeLectureSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));
  if (self->lecture != NULL)
    restore (self, normscope_undo_back (self->undo, snapshot_new (self)));
}

void
normscope_lecture_session_redo (NormscopeLectureSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));
  if (self->lecture != NULL)
    restore (self, normscope_undo_forward (self->undo, snapshot_new (self)));
}

/* ---- the file ---- */

GFile *
normscope_lecture_session_get_file (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), NULL);
  return self->file;
}

gboolean
normscope_lecture_session_is_unsaved (NormscopeLectureSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  return self->lecture != NULL && (self->saved == NULL || !ns_lecture_equal (self->lecture, self->saved));
}

gboolean
normscope_lecture_session_save (NormscopeLectureSession *self, GFile *file, GError **error)
{
  g_autofree char *path = NULL;

  g_return_val_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self), FALSE);
  g_return_val_if_fail (self->lecture != NULL && G_IS_FILE (file), FALSE);

  path = ns_file_dup_path (file, error);
  if (path == NULL || !ns_lecture_save (self->lecture, path, error))
    return FALSE;
  normscope_undo_end_step (self->undo);
  g_set_object (&self->file, file);
  g_clear_pointer (&self->saved, ns_lecture_unref);
  self->saved = ns_lecture_ref (self->lecture);
  emit_changed (self, NORMSCOPE_LECTURE_CHANGED_FILE);
  return TRUE;
}

void
normscope_lecture_session_set_unsaved (NormscopeLectureSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_LECTURE_SESSION (self));
  g_clear_pointer (&self->saved, ns_lecture_unref);
  emit_changed (self, NORMSCOPE_LECTURE_CHANGED_FILE);
}

/* ---- the object ---- */

static void
normscope_lecture_session_finalize (GObject *object)
{
  NormscopeLectureSession *self = NORMSCOPE_LECTURE_SESSION (object);

  normscope_undo_free (self->undo);
  ns_lecture_unref (self->saved);
  ns_lecture_unref (self->lecture);
  g_clear_object (&self->file);
  G_OBJECT_CLASS (normscope_lecture_session_parent_class)->finalize (object);
}

static void
normscope_lecture_session_class_init (NormscopeLectureSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_lecture_session_finalize;

  lecture_session_signals[LECTURE_SESSION_SIGNAL_CHANGED] = g_signal_new (
      "changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  lecture_session_signals[LECTURE_SESSION_SIGNAL_SHOW] =
      g_signal_new ("show", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_lecture_session_init (NormscopeLectureSession *self)
{
  self->undo = normscope_undo_new (snapshot_free, snapshots_are_equal);
}

NormscopeLectureSession *
normscope_lecture_session_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_LECTURE_SESSION, NULL);
}
