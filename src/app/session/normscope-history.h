/* The steps of undo and redo: whole former states, newest first.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A state is a few kilobytes, so that a list of them needs no list of commands beside it that could disagree. Changes
 * of one control that follow each other without a rest are one step, as a drag is.
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session-private.h"

G_BEGIN_DECLS

/* The oldest step is forgotten beyond this many. */
#define NORMSCOPE_HISTORY_MAX_STEPS 200
/* A hand that rests for longer has ended its drag. */
#define NORMSCOPE_HISTORY_REST_US G_TIME_SPAN_SECOND

NormscopeHistory *normscope_history_new (void);
void normscope_history_free (NormscopeHistory *self);
void normscope_history_clear (NormscopeHistory *self);

/* The next change is a step of its own, whatever made the last one. */
void normscope_history_end_step (NormscopeHistory *self);

gboolean normscope_history_can_undo (NormscopeHistory *self);
gboolean normscope_history_can_redo (NormscopeHistory *self);

/* To be called before a change, with what it will replace, which is copied. `control` is what changes it: the same one
 * as before, soon after, goes on with the step; NULL is always a step of its own. Nothing can be redone after it. */
void normscope_history_record (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                               gconstpointer control);

/* The step to go back to (forward to), while `state` and `view` are kept for the way back; steps that would change
 * nothing are passed over. FALSE when there is none. Caller owns what `to` holds. */
gboolean normscope_history_undo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                                 NormscopeState *to, NormscopeView *to_view);
gboolean normscope_history_redo (NormscopeHistory *self, const NormscopeState *state, const NormscopeView *view,
                                 NormscopeState *to, NormscopeView *to_view);

/* Padding is not compared, nor a color that is not used. */
gboolean normscope_look_equal (const NormscopeVariantLook *a, const NormscopeVariantLook *b);
gboolean normscope_view_equal (const NormscopeView *a, const NormscopeView *b);

G_END_DECLS
