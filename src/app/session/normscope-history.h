/* Undo and redo: a list of whole former states.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A state takes a few kilobytes, so states are stored instead of commands. Changes of one control in quick succession,
 * as in a drag, are one step.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-state.h"
#include "app/shared/normscope-undo.h"

G_BEGIN_DECLS

#define NORMSCOPE_HISTORY_MAX_STEPS NORMSCOPE_UNDO_MAX_STEPS
#define NORMSCOPE_HISTORY_REST_US NORMSCOPE_UNDO_REST_US

typedef struct _NormscopeHistory NormscopeHistory;

NormscopeHistory *normscope_history_new (void);
void normscope_history_free (NormscopeHistory *self);
void normscope_history_clear (NormscopeHistory *self);

/* Make the next change a step of its own, even if the same control makes it. */
void normscope_history_end_step (NormscopeHistory *self);

gboolean normscope_history_can_undo (NormscopeHistory *self);
gboolean normscope_history_can_redo (NormscopeHistory *self);

/* Record the state and the view, which are copied, before a change replaces them. A `control` that made the last step
 * less than NORMSCOPE_HISTORY_REST_US ago extends it; NULL always starts a new step. Clears the steps to redo. */
void normscope_history_record (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                               gconstpointer control);

/* Take the next step back or forward, and store `state` and `view` for the other direction. Steps that would change
 * nothing are dropped. Return FALSE if there is none. The caller owns the experiment and the marks of `to`. */
gboolean normscope_history_undo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                                 NormscopeState *to, NormscopeView *to_view);
gboolean normscope_history_redo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                                 NormscopeState *to, NormscopeView *to_view);

G_END_DECLS
