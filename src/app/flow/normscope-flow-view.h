/* The flow view: gradient norms and activation magnitudes by block, and a sentence about them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the session's experiment in the background and shows its result as a figure and a sentence. When the experiment
 * cannot run, the view shows the reason and keeps the last figure.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/shared/normscope-picture.h"
#include "app/work/normscope-runner.h"
#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_FLOW_VIEW (normscope_flow_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFlowView, normscope_flow_view, NORMSCOPE, FLOW_VIEW, GtkBox)

/* Bind the view to a session and compute the first figure; call once. */
void normscope_flow_view_set_session (NormscopeFlowView *self, NormscopeSession *session, NormscopeRunner *runner);

/* Return the figure on screen without its ghost, with or without title and caption; the caller owns it. NULL when there
 * is none yet, or a partial one. */
NormscopePicture *normscope_flow_view_dup_picture (NormscopeFlowView *self, gboolean titles);
/* Return the whole result on screen, borrowed, or NULL when there is none yet, or a partial one. */
const NsResult *normscope_flow_view_get_result (NormscopeFlowView *self);

/* Change the vertical axis of a panel between linear and logarithmic. */
void normscope_flow_view_toggle_axis (NormscopeFlowView *self, int panel);

/* Follow the gradient: start, pause or go on (normscope-flow-play.h). */
void normscope_flow_view_play (NormscopeFlowView *self);
/* Return the plot, owned by the view. */
NormscopePlot *normscope_flow_view_get_plot (NormscopeFlowView *self);

G_END_DECLS
