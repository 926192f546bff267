/* Why the gradient is what it is: one figure of the paths through the stack at a time.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Its figures are the rows of ns-figure-table.h with the view "paths". Some need the ordinary result, which the flow
 * view shares; the others need paths, which are computed after it. While the view is hidden, it computes nothing.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-picture.h"
#include "app/shared/normscope-plot.h"
#include "app/work/normscope-engine.h"
#include "app/work/normscope-runner.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PATHS_VIEW (normscope_paths_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePathsView, normscope_paths_view, NORMSCOPE, PATHS_VIEW, GtkBox)

/* Bind the view to a session, the runner of its results and the engine for its paths; call once. */
void normscope_paths_view_set_session (NormscopePathsView *self, NormscopeSession *session, NormscopeRunner *runner,
                                       NormscopeEngine *engine);

/* Return the picture on the screen, borrowed; the plot draws its figure. NULL before the chosen one is there. */
const NormscopePicture *normscope_paths_view_get_shown (NormscopePathsView *self);
/* Return the same as a picture to be made, with title and caption if `titles`. */
NormscopePicture *normscope_paths_view_dup_picture (NormscopePathsView *self, gboolean titles);
/* Return what the figure on the screen was made of, borrowed: one of the two, the other is NULL. Both are NULL before
 * there is one. */
const NsPaths *normscope_paths_view_get_paths (NormscopePathsView *self);
const NsResult *normscope_paths_view_get_result (NormscopePathsView *self);

/* Return the plot, owned by the view. */
NormscopePlot *normscope_paths_view_get_plot (NormscopePathsView *self);

G_END_DECLS
