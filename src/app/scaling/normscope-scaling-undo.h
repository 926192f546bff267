/* Sets up what a claim presumes, as one step of the session, and takes it back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's own undo takes it back as well, and its redo sets it up again. The window's action "win.undo-set-up" is
 * enabled until something else changes.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "engine/analysis/ns-claim.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_UNDO (normscope_scaling_undo_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingUndo, normscope_scaling_undo, NORMSCOPE, SCALING_UNDO, GObject)

/* view: an AdwToastOverlay, or a widget in one, borrowed; it outlives this. */
NormscopeScalingUndo *normscope_scaling_undo_new (GtkWidget *view, NormscopeSession *session);

/* Puts the claim's preset and assumptions in place and its metric on show; a toast offers to take it back, or says that
 * all was in place. */
void normscope_scaling_undo_set_up (NormscopeScalingUndo *self, const NsClaim *claim);
void normscope_scaling_undo_undo (NormscopeScalingUndo *self);

G_END_DECLS
