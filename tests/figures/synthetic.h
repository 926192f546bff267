/* Results with values chosen by a test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Create the default experiment at this depth with the given variants, each in the form of ns_variant_from_text(). The
 * array is NULL-terminated. */
NsExperiment *synthetic_experiment (gint64 depth, const char *const *variants);

/* Create a result in which no two values are equal, not even those of two seeds. */
NsResult *synthetic_result (const NsExperiment *experiment, guint n_seeds);

/* Create paths of a kind, with default settings, in which no two values are equal. */
NsPaths *synthetic_paths (const NsExperiment *experiment, NsPathsKind kind, guint n_seeds);

/* Set the same value of a map for all seeds. */
void synthetic_set_map (NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column, double value);

/* Set a quantity in blocks 1..n from log10 values. Even seeds lie `spread` above the value and odd seeds below it; the
 * sign alternates from block to block. */
void synthetic_set_curve (NsResult *result, guint variant, NsQuantity quantity, const double *log10_values, gsize n,
                          double spread);

/* Set the same value for all seeds. */
void synthetic_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, double value,
                    double log10_value);

/* Return a sentence with its last line, which names the kind of mean over several seeds. Caller frees. */
char *synthetic_dup_sentence (const char *sentence, guint n_seeds, gboolean is_log);

G_END_DECLS
