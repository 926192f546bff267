/* Set the session up for a claim as one step, and offer to undo it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's own undo and redo cover the step, too. The window's action "win.undo-set-up" is enabled until something
 * else changes.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"
#include "app/shared/normscope-message.h"
#include "engine/analysis/ns-claim.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_UNDO (normscope_scaling_undo_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingUndo, normscope_scaling_undo, NORMSCOPE, SCALING_UNDO, GObject)

/* `view` and `message`, where the offer appears, are borrowed and must outlive the object. */
NormscopeScalingUndo *normscope_scaling_undo_new (GtkWidget *view, NormscopeMessage *message,
                                                  NormscopeSession *session);

/* Load the claim's preset, set its assumptions and show its metric. A message offers to undo it, or says that all
 * assumptions already held. */
void normscope_scaling_undo_set_up (NormscopeScalingUndo *self, const NsClaim *claim);
/* Undo the last set-up, if nothing has changed since. */
void normscope_scaling_undo_undo (NormscopeScalingUndo *self);

G_END_DECLS
