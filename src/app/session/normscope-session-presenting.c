/* What a session shows while it is presented, without influence on undo and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

void
normscope_session_present_text (NormscopeSession *self, double text_scale)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (self->presented_scale == text_scale)
    return;
  self->presented_scale = text_scale;
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}

double
normscope_session_get_text_scale (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), 1);
  return self->presented_scale > 0 ? self->presented_scale : self->view.text_scale;
}

void
normscope_session_set_text_scale (NormscopeSession *self, double text_scale)
{
  NormscopeView view;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (self->presented_scale > 0)
    {
      normscope_session_present_text (self, text_scale);
      return;
    }
  view = self->view;
  view.text_scale = text_scale;
  normscope_session_set_view (self, &view);
}

gboolean
normscope_session_is_presented (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  return self->presented_scale > 0;
}

void
normscope_session_set_wiring_is_subject (NormscopeSession *self, gboolean is_subject)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (self->wiring_is_subject == is_subject)
    return;
  self->wiring_is_subject = is_subject;
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}

gboolean
normscope_session_get_wiring_is_subject (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  return self->wiring_is_subject;
}

void
normscope_session_set_asking (NormscopeSession *self, gboolean asking)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  if (self->asking == asking)
    return;
  self->asking = asking;
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}

gboolean
normscope_session_get_asking (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  return self->asking;
}

void
normscope_session_begin_presentation (NormscopeSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self) && self->kept_history == NULL);
  self->kept_history = self->history;
  self->history = normscope_history_new ();
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}

void
normscope_session_end_presentation (NormscopeSession *self)
{
  g_return_if_fail (NORMSCOPE_IS_SESSION (self) && self->kept_history != NULL);
  normscope_history_free (self->history);
  self->history = g_steal_pointer (&self->kept_history);
  normscope_session_emit_changed (self, NORMSCOPE_CHANGED_VIEW);
}
