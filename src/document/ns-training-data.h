/* A training as CSV, JSON or one NumPy array: the loss of every step, and at recorded steps every other number.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: variant, step, part, layer, quantity, kind, mean, std, geometric_mean, sd_factor, log10_mean, seeds; with
 * the numbers of each seed, from the seventh on: seed, value, log10_value. part, layer and kind as in ns-result-csv.h;
 * the update of a tensor, ‖Δθ‖/‖θ‖, is the quantity "update_w_q" of the kind "ratio". Statistics are over the seeds
 * that have reached the step. docs/FORMATS.md has their meaning. Numbers read back to the same value.
 *
 * The training may still run, be cancelled or have diverged: what there is is written.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-csv.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

#define NS_TRAINING_FORMAT "normscope-training"
#define NS_TRAINING_VERSION 1

/* Write the statistics over the seeds, or with `per_seed` the numbers of each seed: in JSON in addition, otherwise
 * instead. Return NULL when the system refuses the memory. Caller owns the bytes. */
GBytes *ns_training_to_csv (const NsTraining *training, NsCsvFlags flags);
GBytes *ns_training_to_json (const NsTraining *training, gboolean per_seed);
GBytes *ns_training_to_npy (const NsTraining *training, gboolean per_seed);

G_END_DECLS
