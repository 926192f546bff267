/* A figure of the Training view: made in the background, then shown on a plot with its read-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figure on the screen stays until the next one is made, and so does its read-out. Signal "shown": another figure
 * has come to the screen.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-picture.h"
#include "app/shared/normscope-plot.h"
#include "app/shared/normscope-readout.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_FIGURE (normscope_training_figure_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingFigure, normscope_training_figure, NORMSCOPE, TRAINING_FIGURE, GObject)

/* Show the figures on these widgets, which are referenced. */
NormscopeTrainingFigure *normscope_training_figure_new (NormscopeSession *session, NormscopePlot *plot,
                                                        NormscopeReadout *readout);

/* Make a figure and show it. One that is being made of the same kind is finished first if it was asked for before, so
 * that a growing training is seen to grow. */
void normscope_training_figure_make (NormscopeTrainingFigure *self, NsFigureKind kind, const NsFigureSource *source,
                                     const NsFigureOptions *options);
/* Give up what is being made. */
void normscope_training_figure_stop (NormscopeTrainingFigure *self);
/* Show the figures from the next one on without names of curves, which a figure beside this one has. */
void normscope_training_figure_set_nameless (NormscopeTrainingFigure *self, gboolean nameless);
/* Start the ranges of the axes anew with the next figure. */
void normscope_training_figure_renew_axes (NormscopeTrainingFigure *self);

/* Return the picture on the screen, borrowed, or NULL; its `figure` is with the plot. */
const NormscopePicture *normscope_training_figure_get_shown (NormscopeTrainingFigure *self);
/* Show no read-out while `quiet`. */
void normscope_training_figure_set_quiet (NormscopeTrainingFigure *self, gboolean quiet);

G_END_DECLS
