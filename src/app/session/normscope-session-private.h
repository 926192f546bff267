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
  /* Arrays of the figures' options, derived from state.looks. */
  int styles[NS_MAX_VARIANTS];
  NsColor colors[NS_MAX_VARIANTS];
  gboolean has_color[NS_MAX_VARIANTS];
};

/* Return a state to be changed and committed. It owns a copy of the experiment. */
NormscopeState normscope_session_copy_state (NormscopeSession *self);
/* Return a state with another experiment, which is taken: first variant selected, nothing hidden, default colours. */
NormscopeState normscope_session_new_state (NormscopeSession *self, NsExperiment *experiment);
/* Free a state of normscope_session_copy_state() that is not committed. */
void normscope_session_discard_state (NormscopeState *next);
/* Replace the session's state by `next`, whose contents are taken. Every change that can be undone goes through this
 * function. `change` has NormscopeChange flags. */
void normscope_session_commit (NormscopeSession *self, NormscopeState *next, guint change);
/* The same without a step to undo. */
void normscope_session_apply (NormscopeSession *self, NormscopeState *next, guint change);

G_END_DECLS
