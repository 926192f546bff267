/* The page of a training: its losses above the blocks at the step under the slider, or its heat maps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It trains only while it is on the screen (normscope-training-run.h). Signal "result" (NsResult *, gint64 step): the
 * values of the step under the slider have changed; NULL: there are none.
 *
 * Threads: main.
 */
#pragma once

#include "app/training/normscope-training-page.h"
#include "app/training/normscope-training-transport.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_CURVES (normscope_training_curves_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingCurves, normscope_training_curves, NORMSCOPE, TRAINING_CURVES,
                      NormscopeTrainingPage)

NormscopeTrainingPage *normscope_training_curves_new (NormscopeSession *session, NormscopeEngine *engine);

/* Train with the session's settings unless it does. */
void normscope_training_curves_train (NormscopeTrainingCurves *self);

G_END_DECLS
