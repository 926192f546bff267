/* The scaling view: one quantity of every variant against depth or width, with fitted laws and claims.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While the view is visible, every change of the experiment or the sweep restarts the sweep in the background; the
 * figure fills in while it runs. Nothing runs while the view is hidden.
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/scaling/normscope-scaling-bar.h"
#include "app/session/normscope-session.h"
#include "app/shared/normscope-message.h"
#include "app/shared/normscope-plot.h"
#include "app/work/normscope-scaling-runner.h"
#include "figures/table/ns-figure-table.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_VIEW (normscope_scaling_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingView, normscope_scaling_view, NORMSCOPE, SCALING_VIEW, GtkBox)

/* Bind the view to a session, the runner of its sweeps and the place of messages; call once. */
void normscope_scaling_view_set_session (NormscopeScalingView *self, NormscopeSession *session,
                                         NormscopeScalingRunner *runner, NormscopeMessage *message);

/* Undo the last set-up of a claim, if nothing has changed since. */
void normscope_scaling_view_undo (NormscopeScalingView *self);

/* Return the sweep on screen, borrowed, and how it is shown; NULL when there is none yet. */
const NsSweep *normscope_scaling_view_get_shown (NormscopeScalingView *self, NsScalingOptions *options);

/* Change the vertical axis, or else the horizontal one, between linear and logarithmic. */
void normscope_scaling_view_toggle_axis (NormscopeScalingView *self, gboolean is_vertical);

/* Return the flap with the claims, owned by the view. */
AdwFlap *normscope_scaling_view_get_flap (NormscopeScalingView *self);

/* Return the plot, owned by the view. */
NormscopePlot *normscope_scaling_view_get_plot (NormscopeScalingView *self);

G_END_DECLS
