/* The strip above the plots: the wiring of the selected variant, or of all visible ones, to be touched.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The wires carry what the newest result measured at the crosshair's block; without a crosshair at the block where it
 * was last, at first block 1. There are no values while the result is of other settings, except that those of a shape
 * that is being dragged elsewhere stay for an instant. All visible variants have a row where they are legible in the
 * height that the strip gets, otherwise the selected one has it alone; where even that is too low the strip folds and
 * says so. Below is the verdict on the selected variant, with the exponent of the newest sweep if that is of the same
 * settings.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "app/work/normscope-runner.h"
#include "app/work/normscope-scaling-runner.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_WIRING_STRIP (normscope_wiring_strip_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeWiringStrip, normscope_wiring_strip, NORMSCOPE, WIRING_STRIP, GtkWidget)

/* Bind the strip to a session and the runners of its results and of its sweeps; call once. */
void normscope_wiring_strip_set_session (NormscopeWiringStrip *self, NormscopeSession *session,
                                         NormscopeRunner *runner, NormscopeScalingRunner *scaling_runner);

/* Show the values of a step of a training instead of the newest result; NULL: no more. References the result. */
void normscope_wiring_strip_show_trained (NormscopeWiringStrip *self, NsResult *result, gint64 step);

/* Get the strip's most of the height of the shelf, and the plot's least of the window's. */
void normscope_wiring_strip_get_shares (NormscopeWiringStrip *self, double *strip, double *plot);
/* Choose what to show in a width and at most a height, and return the height it takes. */
int normscope_wiring_strip_fit (NormscopeWiringStrip *self, int width, int max_height);

G_END_DECLS
