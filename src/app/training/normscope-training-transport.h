/* The controls of a training: Train or Pause, Step, Play, and the slider of the recorded steps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slider and the step of the session move each other; Play moves them by itself. While nobody has moved the slider
 * back, it follows the newest step that is recorded.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "app/shared/normscope-plot.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_TRANSPORT (normscope_training_transport_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTrainingTransport, normscope_training_transport, NORMSCOPE, TRAINING_TRANSPORT, GtkBox)

/* Signals: "train": Train or Pause was clicked; "step": Step was clicked; "record-changed": another record is under the
 * slider, or Play has begun or ended. Call the setter once. */
void normscope_training_transport_set_session (NormscopeTrainingTransport *self, NormscopeSession *session);

/* Show how far a training is, NULL for none; again whenever it has grown. `running` and `stale` (of former settings)
 * name what Train does. */
void normscope_training_transport_update (NormscopeTrainingTransport *self, NsTraining *training, gboolean running,
                                          gboolean stale);
/* Return the record under the slider, or −1 while there is none. */
int normscope_training_transport_get_record (NormscopeTrainingTransport *self);
/* Let a press on a plot of the losses or on a map go to the step there. */
void normscope_training_transport_attach (NormscopeTrainingTransport *self, NormscopePlot *plot);
/* Play the records from the first, or from the one under the slider, or pause. */
void normscope_training_transport_play (NormscopeTrainingTransport *self);
gboolean normscope_training_transport_is_playing (NormscopeTrainingTransport *self);

G_END_DECLS
