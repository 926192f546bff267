/* What another implementation needs to repeat the first steps of a training, and what it should arrive at.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: as for ns_engine_run().
 */
#pragma once

#include "engine/run/ns-arrays.h"

G_BEGIN_DECLS

/* Steps that are compared. Later, single and double precision drift apart. */
#define NS_TRAINING_COMPARED_STEPS 20
/* Steps whose minibatches are handed over. */
#define NS_TRAINING_MAX_BATCHES 1000

/* The losses of the compared steps: fewer if the training has fewer, or if the last one has diverged. */
typedef struct
{
  double losses[NS_TRAINING_COMPARED_STEPS];
  guint n;           /* finished steps */
  gboolean diverged; /* in the step after these */
} NsTrainingStart;

/* Do the first steps of one variant and seed, the same as ns_engine_train() does, and call func with
 *
 *   input/embedding, input/position, input/token_type    the tables at the start, those that there are
 *   batches/ids, batches/decoder_ids, batches/targets    [steps, M·B, T] of the first steps of the training
 *   trained/block001/w_q …, trained/input/embedding …    all parameters after the compared steps
 *
 * The other parameters start as ns_engine_foreach_array() has them: matrices drawn, gains, biases and scales constant.
 * FALSE with an error (NS_EXPERIMENT_ERROR, NS_ENGINE_ERROR, or func's own) when it cannot be trained, the job was
 * cancelled or func stops. */
gboolean ns_engine_foreach_training_array (NsEngine *engine, const NsExperiment *experiment, guint variant, guint seed,
                                           NsArrayFunc func, gpointer user_data, NsTrainingStart *start,
                                           NsProgress *progress, GError **error);

G_END_DECLS
