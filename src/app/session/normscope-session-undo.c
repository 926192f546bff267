/* The session's undo and redo.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include "engine/experiment/ns-experiment.h"

gboolean
normscope_session_can_undo (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  return normscope_history_can_undo (self->history);
}

gboolean
normscope_session_can_redo (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  return normscope_history_can_redo (self->history);
}

/* Emit only the changes that there are: the same experiment is not computed again. */
static void
restore (NormscopeSession *self, NormscopeState *to, const NormscopeView *view)
{
  guint change = NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_SELECTED | NORMSCOPE_CHANGED_VIEW;

  if (!ns_experiment_equal (to->experiment, self->state.experiment))
    change = NORMSCOPE_CHANGED_LIST | (normscope_view_equal (view, &self->view) ? 0 : NORMSCOPE_CHANGED_VIEW);
  if (ns_view_choice_compare (&to->paths, &self->state.paths) != 0)
    change |= NORMSCOPE_CHANGED_PATHS;
  if (ns_view_choice_compare (&to->training, &self->state.training) != 0)
    change |= NORMSCOPE_CHANGED_TRAINING_FIGURE;
  if (ns_scaling_settings_compare (&to->scaling, &self->state.scaling) != 0)
    change |= NORMSCOPE_CHANGED_SCALING;
  if (!ns_marks_equal (to->marks, self->state.marks))
    change |= NORMSCOPE_CHANGED_MARKS;
  if (to->document != self->state.document)
    change |= NORMSCOPE_CHANGED_REPLACED;
  self->view = *view;
  normscope_session_apply (self, to, change);
}

void
normscope_session_undo (NormscopeSession *self)
{
  NormscopeState to;
  NormscopeView view;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (normscope_history_undo (self->history, &self->state, &self->view, &to, &view))
    restore (self, &to, &view);
}

void
normscope_session_redo (NormscopeSession *self)
{
  NormscopeState to;
  NormscopeView view;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (normscope_history_redo (self->history, &self->state, &self->view, &to, &view))
    restore (self, &to, &view);
}

void
normscope_session_end_step (NormscopeSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  normscope_history_end_step (self->history);
}

void
normscope_session_clear_history (NormscopeSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  normscope_history_clear (self->history);
}
