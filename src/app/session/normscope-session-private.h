/* Shared by the files of the session: normscope-session.c calls none of the others.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/session/normscope-history.h"
#include "app/session/normscope-session.h"

G_BEGIN_DECLS

struct _NormscopeSession
{
  GObject parent_instance;
  NormscopeState state;
  NormscopeHistory *history;
  GError *error; /* why the experiment cannot run, or NULL */
  NormscopeView view;
  double cursor; /* NAN: no crosshair */
  gint64 step;   /* −1: the last one */
  NsTraining *recording; /* of the next document, or NULL */
  double presented_scale; /* text size while presenting, or 0 */
  gboolean wiring_is_subject;
  gboolean asking;
  NormscopeHistory *kept_history; /* from before the presentation, or NULL */
  /* Arrays of the figures' options, derived from state.looks. */
  int styles[NS_MAX_VARIANTS];
  NsColor colors[NS_MAX_VARIANTS];
  gboolean has_color[NS_MAX_VARIANTS];
};

/* Emit "changed" with NormscopeChange flags, and with the detail that belongs to them. */
void normscope_session_emit_changed (NormscopeSession *self, guint change);
/* Return a state to be changed and committed. It owns a copy of the experiment, and shares the marks unless the caller
 * replaces them. */
NormscopeState normscope_session_copy_state (NormscopeSession *self);
/* Return a state with another experiment, which is taken: first variant selected, nothing hidden, default colours. */
NormscopeState normscope_session_new_state (NormscopeSession *self, NsExperiment *experiment);
/* Free a state of normscope_session_copy_state() that is not committed. */
void normscope_session_discard_state (NormscopeState *next);
/* Commit a changed copy, or discard it if `ok` is FALSE or nothing differs. The name of the selected variant follows
 * its settings. Return `ok`. */
gboolean normscope_session_commit_if_changed (NormscopeSession *self, NormscopeState *next, gboolean ok);
/* Set the choice of its view in a state. */
void normscope_session_choose (NormscopeState *next, const NsViewChoice *choice);
/* Replace the session's state by `next`, whose contents are taken. Every change that can be undone goes through this
 * function. `change` has NormscopeChange flags. */
void normscope_session_commit (NormscopeSession *self, NormscopeState *next, guint change);
/* The same without a step to undo. */
void normscope_session_apply (NormscopeSession *self, NormscopeState *next, guint change);

G_END_DECLS
