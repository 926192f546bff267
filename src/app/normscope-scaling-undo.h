/* Sets up what a claim presumes, and takes it back.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One step: what was there before the last set-up, until something else changes. The window's action
 * "win.undo-set-up" is enabled as long.
 *
 * Threads: main.
 */
#pragma once

#include "app/normscope-scaling-bar.h"
#include "app/normscope-session.h"
#include "engine/ns-claim.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_UNDO (normscope_scaling_undo_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingUndo, normscope_scaling_undo, NORMSCOPE, SCALING_UNDO, GObject)

/* view: a widget in the window, borrowed; it outlives this. */
NormscopeScalingUndo *normscope_scaling_undo_new (GtkWidget *view, NormscopeSession *session, NormscopeScalingBar *bar);

/* Puts the claim's preset and assumptions in place and its metric on show; a toast offers to take it back. */
void normscope_scaling_undo_set_up (NormscopeScalingUndo *self, const NsClaim *claim);
void normscope_scaling_undo_undo (NormscopeScalingUndo *self);

G_END_DECLS
