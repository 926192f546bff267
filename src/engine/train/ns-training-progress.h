/* How far a training is, which runs one seed after the other.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: any; the counts only grow.
 */
#pragma once

#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* Return how many of the first seeds have ended with every variant: the index of the one that trains. */
guint ns_training_count_finished_seeds (const NsTraining *training);
/* Return how many of the first seeds have begun; at least 1. */
guint ns_training_count_begun_seeds (const NsTraining *training);
/* Return how many runs have reached a recorded step. */
guint ns_training_count_reached (const NsTraining *training, guint record);

G_END_DECLS
