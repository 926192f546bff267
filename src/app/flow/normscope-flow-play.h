/* Follow the gradient: the forward pass goes up through the flow plots, then the gradient comes down from the loss.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forward, the activations appear from left to right, in the order of the blocks; backward, the gradient's curve from
 * right to left. Each way takes 4 seconds at any depth. The session's crosshair moves along. Nothing is drawn again:
 * the plot clips its picture, and afterwards shows it whole.
 *
 * While it plays Space pauses, the arrow keys then move by a block, and Escape ends it. Without animations, as the
 * desktop may ask, each toggle is a step.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"

G_BEGIN_DECLS

/* The time of each way. */
#define NORMSCOPE_PLAY_SECONDS 4.0

typedef struct _NormscopeFlowPlay NormscopeFlowPlay;

/* Play on `plot`, which is in `view`; keys are handled while the plot or the button has the focus. `button` shows
 * whether it plays, `label` what: "Forward pass, block 3 of 24", and its own text otherwise. All are borrowed and
 * outlive the return value. */
NormscopeFlowPlay *normscope_flow_play_new (GtkWidget *view, NormscopePlot *plot, NormscopeSession *session,
                                            GtkButton *button, GtkLabel *label);
void normscope_flow_play_free (NormscopeFlowPlay *self);

/* Start, pause or go on; without animations make a step. */
void normscope_flow_play_toggle (NormscopeFlowPlay *self);
/* End it, if it plays, and show the whole figure and the former crosshair. */
void normscope_flow_play_stop (NormscopeFlowPlay *self);

/* Return TRUE if it is active and moves by itself. */
gboolean normscope_flow_play_is_running (NormscopeFlowPlay *self);

G_END_DECLS
