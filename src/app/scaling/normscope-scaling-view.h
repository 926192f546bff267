/* The scaling view: one number of every variant against depth or width, the laws through it, and the claims about it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While it is on the screen, every change of the experiment or of what is swept starts the sweep anew, in the
 * background; it fills in while it runs. Off the screen nothing runs.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/scaling/normscope-scaling-bar.h"
#include "app/session/normscope-session.h"
#include "figures/ns-scaling.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_VIEW (normscope_scaling_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingView, normscope_scaling_view, NORMSCOPE, SCALING_VIEW, GtkBox)

/* threads is ns_engine_new()'s. Once. */
void normscope_scaling_view_set_session (NormscopeScalingView *self, NormscopeSession *session, guint threads);

/* Takes back the last set-up of a claim, where nothing has changed since. */
void normscope_scaling_view_undo (NormscopeScalingView *self);

/* The sweep on the screen, borrowed, and how it is shown; NULL when there is none yet. */
const NsSweep *normscope_scaling_view_get_shown (NormscopeScalingView *self, NsScalingOptions *options);

G_END_DECLS
