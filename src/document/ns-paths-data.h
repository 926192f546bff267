/* Paths as CSV or JSON: one row for each number of a map.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: variant, quantity, part, layer, other, other_layer, mean, std, geometric_mean, sd_factor, log10_mean,
 * standard_error, seeds; with the numbers of each seed, from the seventh on: seed, value, log10_value, standard_error.
 * docs/FORMATS.md has their meaning. Numbers read back to the same value.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-csv.h"
#include "engine/run/ns-paths.h"

G_BEGIN_DECLS

#define NS_PATHS_FORMAT "normscope-paths"
#define NS_PATHS_VERSION 1

/* Write the statistics over the seeds; in a CSV with NS_CSV_PER_SEED the numbers of each seed instead. Return NULL when
 * the system refuses the memory. Caller owns them. */
GBytes *ns_paths_to_csv (const NsPaths *paths, NsCsvFlags flags);
GBytes *ns_paths_to_json (const NsPaths *paths);
/* Write both. */
GBytes *ns_paths_to_json_per_seed (const NsPaths *paths);

G_END_DECLS
