/* A training in words: what it would do, and how far it is.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/training/normscope-training-forecast.h"
#include "app/training/normscope-training-run.h"

G_BEGIN_DECLS

/* Show "Train 4 variants with 1 seed for 300 steps, …" and the forecast, or that the button takes a text to
 * predict first. */
void normscope_training_show_plan (AdwStatusPage *page, GtkButton *button, NormscopeSession *session,
                                   NormscopeTrainingForecast *forecast);
/* Show "4 runs · 388 of 1200 steps" in the status line, and while it runs the time that is left; nothing without a
 * training; one of former settings has the forecast of the present ones. */
void normscope_training_show_status (GtkLabel *label, NormscopeTrainingRun *run, NormscopeTrainingForecast *forecast);

/* Give the session's experiment tokens to predict and their loss if it has none, and offer to undo that. Call it before
 * a training that the user begins; `page` is in the window. */
void normscope_training_take_tokens (GtkWidget *page, NormscopeSession *session);

G_END_DECLS
