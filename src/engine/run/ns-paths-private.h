/* The data of paths, for the files that fill and read them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: one thread at a time sets numbers of a (variant, seed) pair, and any thread may read them.
 */
#pragma once

#include "engine/run/ns-paths.h"

#include <stdatomic.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 rows, columns;
  double *values, *log10_values; /* [rows, columns, n_seeds]; no logarithms: NULL */
  atomic_bool *ready;            /* likewise: stored with release after a number, loaded with acquire by readers */
} NsPathsTable;

typedef struct
{
  NsPathsTable tables[NS_N_MAPS];
  atomic_llong *overflow; /* [n_seeds], a site or 0 */
  atomic_bool *finished;  /* [n_seeds], stored with release when every number of the seed is set or stays NaN */
  gboolean is_exact;
} NsVariantPaths;

struct _NsPaths
{
  atomic_uint ref_count;
  NsExperiment *experiment;
  NsPathsSettings settings;
  guint first_seed, n_seeds, n_variants;
  atomic_llong elapsed_us;
  NsVariantPaths *variants;
};

/* Return the bytes of the numbers of such a result; G_MAXUINT64 on overflow. */
guint64 ns_paths_get_needed_bytes (const NsExperiment *experiment, const NsPathsSettings *settings, guint n_seeds);
/* Return the index of a number in its table. */
gsize ns_paths_get_index (const NsPaths *paths, const NsPathsTable *table, gint64 row, gint64 column, guint seed);
/* Set one number, unless a run that was cancelled has set it. log10_value is ignored for a map without logarithms. */
void ns_paths_set (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed, double value,
                   double log10_value);
/* Add to a number, which starts at 0 and can be read when the seed is finished. */
void ns_paths_add (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, guint seed, double value);
void ns_paths_set_overflow (NsPaths *paths, guint variant, guint seed, gint64 site);
/* Forget what was added, since the seed starts again after a run that was cancelled. */
void ns_paths_start (NsPaths *paths, guint variant, guint seed);
void ns_paths_finish (NsPaths *paths, guint variant, guint seed);
gboolean ns_paths_is_finished (const NsPaths *paths, guint variant, guint seed);
void ns_paths_set_elapsed (NsPaths *paths, double elapsed_ms);

G_END_DECLS
