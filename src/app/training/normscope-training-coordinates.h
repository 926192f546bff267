/* The page of a coordinate check: it fills while it is on the screen, narrow models first.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include "app/training/normscope-training-survey.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_COORDINATES (normscope_training_coordinates_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingCoordinates, normscope_training_coordinates, NORMSCOPE, TRAINING_COORDINATES,
                      NormscopeTrainingSurvey)

NormscopeTrainingPage *normscope_training_coordinates_new (NormscopeSession *session, NormscopeEngine *engine);

G_END_DECLS
