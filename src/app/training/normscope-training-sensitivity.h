/* The page of a sensitivity map: it fills while it is on the screen.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click on a cell, or Enter at the crosshair, opens its training: the settings get the cell's learning rate and depth
 * or warm-up, and signal "open" is emitted. The map stays valid when only these change.
 *
 * Threads: main.
 */
#pragma once

#include "app/training/normscope-training-survey.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_SENSITIVITY (normscope_training_sensitivity_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingSensitivity, normscope_training_sensitivity, NORMSCOPE, TRAINING_SENSITIVITY,
                      NormscopeTrainingSurvey)

NormscopeTrainingPage *normscope_training_sensitivity_new (NormscopeSession *session, NormscopeEngine *engine);

G_END_DECLS
