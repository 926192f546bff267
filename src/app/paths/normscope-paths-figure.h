/* The figure of the Paths view: made in the background, then shown on the plot with its sentence and its read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A map of a thousand blocks takes tenths of a second to be made. The figure on the screen stays meanwhile, and so does
 * its read-out. Signal "shown": another figure has come to the screen.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-picture.h"
#include "app/shared/normscope-plot.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-sentence.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_PATHS_FIGURE (normscope_paths_figure_get_type ())
G_DECLARE_FINAL_TYPE (NormscopePathsFigure, normscope_paths_figure, NORMSCOPE, PATHS_FIGURE, GObject)

/* Show the figures in these widgets, which are referenced. */
NormscopePathsFigure *normscope_paths_figure_new (NormscopeSession *session, NormscopePlot *plot,
                                                  NormscopeReadout *readout, NormscopeSentence *sentence,
                                                  GtkLabel *hint);

/* Make the figure that the session chooses of these numbers, which are referenced, and show it. A figure that is being
 * made is given up. With `new_axes` the ranges of the axes start anew. */
void normscope_paths_figure_make (NormscopePathsFigure *self, const NsFigureSource *source, gboolean new_axes);
/* Give up the figure that is being made. */
void normscope_paths_figure_stop (NormscopePathsFigure *self);
/* Forget the figure on the screen: something else stands in its place. */
void normscope_paths_figure_forget (NormscopePathsFigure *self);

/* Return the figure that is being made, or the one on the screen, NULL if there is none; borrowed. Their `figure` may
 * be NULL, the plot has it. */
const NormscopePicture *normscope_paths_figure_get_making (NormscopePathsFigure *self);
const NormscopePicture *normscope_paths_figure_get_shown (NormscopePathsFigure *self);
/* Return TRUE if the kind of figure that the session chooses is on the screen. */
gboolean normscope_paths_figure_is_chosen (NormscopePathsFigure *self);
/* Return TRUE if the session's view or options have changed since the figure on the screen was made. */
gboolean normscope_paths_figure_is_stale (NormscopePathsFigure *self);

G_END_DECLS
