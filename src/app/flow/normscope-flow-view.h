/* The view "Flow": gradient norms and activation magnitudes by block, and what they say.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the session's experiment in the background and shows its result as a figure and a sentence. When the
 * experiment cannot run it says why in place and keeps the last picture.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/shared/normscope-picture.h"
#include "app/work/normscope-runner.h"
#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_FLOW_VIEW (normscope_flow_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeFlowView, normscope_flow_view, NORMSCOPE, FLOW_VIEW, GtkBox)

/* Binds the view and computes the first picture; once. */
void normscope_flow_view_set_session (NormscopeFlowView *self, NormscopeSession *session, NormscopeRunner *runner);

/* The figure on the screen without its ghost, with or without title and caption; NULL when there is none yet. Caller
 * owns it. */
NormscopePicture *normscope_flow_view_dup_picture (NormscopeFlowView *self, gboolean titles);
/* The numbers on the screen, borrowed; NULL: none yet. */
const NsResult *normscope_flow_view_get_result (NormscopeFlowView *self);

G_END_DECLS
