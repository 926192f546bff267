/* Time and memory that a training of the session's experiment takes on this machine, before it begins.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measured on a thread of its own while it is wanted, again after each change of the settings.
 * Signal "changed": the texts are others.
 *
 * Threads: main.
 */
#pragma once

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_FORECAST (normscope_training_forecast_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingForecast, normscope_training_forecast, NORMSCOPE, TRAINING_FORECAST, GObject)

NormscopeTrainingForecast *normscope_training_forecast_new (NormscopeSession *session);

/* Measure while wanted; nothing is measured while a training runs, which takes the whole machine. */
void normscope_training_forecast_set_wanted (NormscopeTrainingForecast *self, gboolean wanted);
/* Return TRUE until the first numbers of the present settings arrive. */
gboolean normscope_training_forecast_is_measuring (NormscopeTrainingForecast *self);
/* Return "about 6 seconds and 23 MiB of memory on this machine", or the memory alone until the time is measured; NULL
 * without one, and while it is not wanted. Borrowed until the next "changed". */
const char *normscope_training_forecast_get_text (NormscopeTrainingForecast *self);
/* Return "weights and optimizer: 4 × 3.8 MiB; …", NULL as above; borrowed. */
const char *normscope_training_forecast_get_parts (NormscopeTrainingForecast *self);
/* Return FALSE if this machine has too little memory, so that the training would be refused. */
gboolean normscope_training_forecast_get_fits (NormscopeTrainingForecast *self);

G_END_DECLS
