/* A sensitivity map as a table, CSV, JSON or one NumPy array: one row for each variant, point and learning rate.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: variant, depth or warmup, learning_rate, worst, mean, best, outcome, seeds, diverged, stalled; per seed,
 * from the fourth on: seed, loss, outcome, step. An outcome is "learned", "stalled" or "diverged", in the first case
 * that of the worst seed. docs/FORMATS.md has their meaning. Numbers read back to the same value.
 *
 * The map may still be filled: cells without a finished run are left out.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-csv.h"
#include "engine/train/ns-sensitivity.h"

G_BEGIN_DECLS

#define NS_SENSITIVITY_FORMAT "normscope-sensitivity"
#define NS_SENSITIVITY_VERSION 1

/* Return NULL when the system refuses the memory. Caller owns the bytes. */
GBytes *ns_sensitivity_to_csv (const NsSensitivity *map, NsCsvFlags flags);
GBytes *ns_sensitivity_to_json (const NsSensitivity *map, gboolean per_seed);
GBytes *ns_sensitivity_to_npy (const NsSensitivity *map, gboolean per_seed);
/* Write a table for each variant for reading, of the worst, mean or best of the seeds; never NULL. */
GBytes *ns_sensitivity_to_table (const NsSensitivity *map, NsSeedsChoice seeds);

G_END_DECLS
