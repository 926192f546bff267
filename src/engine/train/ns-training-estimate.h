/* Predict memory and time of a training on this machine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory is what ns_engine_train() allocates. Time is the steps times the operations of a step, measured in a few
 * tenths of a second on a training of the same wiring, with fewer blocks and narrower if it is large.
 *
 * Threads: as for an engine: one thread at a time.
 */
#pragma once

#include "engine/run/ns-estimate.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* Fill the estimate of a training, without its time: seconds is NAN. The experiment must be valid. */
void ns_estimate_count_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                                 NsEstimate *estimate, NsTrainingMemory *memory);
/* The same with its time, if it fits, measured on a second engine with the threads and the budget of `engine`. progress
 * may be NULL. FALSE with an error when it cannot be trained, or the measurement failed or was cancelled. */
gboolean ns_estimate_training (const NsEngine *engine, const NsExperiment *experiment, const NsTrainingPlan *plan,
                               NsProgress *progress, NsEstimate *estimate, NsTrainingMemory *memory, GError **error);

/* Return "weights and optimizer: 4 × 3.8 MiB; gradients and activations: …", translated. Caller frees. */
char *ns_training_memory_dup_text (const NsTrainingMemory *memory);

G_END_DECLS
