/* The Training view: a chooser of figures above the page that shows the chosen one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures are the rows of the figure table with the view "training". Signal "result" (NsResult *, gint64 step): the
 * values of the step under the slider, for the wiring; NULL while there is none or the view is hidden.
 *
 * Threads: main.
 */
#pragma once

#include "app/training/normscope-training-page.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_VIEW (normscope_training_view_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingView, normscope_training_view, NORMSCOPE, TRAINING_VIEW, GtkBox)

/* Bind the view to a session; call once. */
void normscope_training_view_set_session (NormscopeTrainingView *self, NormscopeSession *session,
                                          NormscopeEngine *engine);

/* Return the page of the chosen figure, or of any figure of the view; owned by the view. */
NormscopeTrainingPage *normscope_training_view_get_page (NormscopeTrainingView *self);
NormscopeTrainingPage *normscope_training_view_find_page (NormscopeTrainingView *self, NsFigureKind figure);

G_END_DECLS
