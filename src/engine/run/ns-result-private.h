/* Filling a result, before it is published.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: numbers of different (variant, seed) pairs are in disjoint memory, so threads may set them without a lock,
 * each for its own pairs. The thread that publishes the result joins those threads first.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Return the bytes of the numbers of a result that ns_result_new_of() creates; G_MAXUINT64 on overflow. The experiment
 * must be valid. */
guint64 ns_result_get_needed_bytes (const NsExperiment *experiment, guint n_seeds, const NsQuantitySet *quantities);

/* Create a result; copies the experiment, which must be valid. It holds only these quantities, all if NULL; others are
 * ignored when they are set. Every number is NaN until it is set. Return NULL when memory cannot be allocated or the
 * numbers take more than 1 TiB. */
NsResult *ns_result_new_of (const NsExperiment *experiment, guint first_seed, guint n_seeds,
                            const NsQuantitySet *quantities);

/* Set one number; `seed` is an index in this result. The quantity must exist at the site. log10_value is ignored for a
 * quantity without a logarithm (cosine, loss). */
void ns_result_set (NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed, double value,
                    double log10_value);
/* Set one number of an estimate; ns_result_set() sets NS_ESTIMATE_NORM, the only one of quantities without
 * estimates. */
void ns_result_set_estimate (NsResult *result, guint variant, NsQuantity quantity, NsGradientEstimate estimate,
                             gint64 site, guint seed, double value, double log10_value);
/* Set the site at which the forward pass overflowed: a block of the stack, encoder or decoder, or the head
 * (ns-quantity.h). */
void ns_result_set_overflow (NsResult *result, guint variant, guint seed, gint64 site);
/* Leave out a variant's seed, whose numbers are NaN, from the statistics: a training that has not come so far. */
void ns_result_set_missing (NsResult *result, guint variant, guint seed);
/* Copy all numbers of a variant and seed from another result of the same shape, variants and quantities. */
void ns_result_copy_row (NsResult *result, guint variant, guint seed, const NsResult *from, guint from_seed);
/* Note from now on which numbers are set: the others do not exist in the result and in copies of it until it ends, and
 * are NaN then. FALSE without memory. */
gboolean ns_result_begin_partial (NsResult *result);
void ns_result_end_partial (NsResult *result);
/* Create a partial result of the same experiment, seeds and quantities, without numbers; NULL without memory. */
NsResult *ns_result_new_partial (const NsResult *like);
/* Copy a partial result; NULL without memory. Caller owns it. */
NsResult *ns_result_dup_partial (const NsResult *from);
/* Get the numbers of a variant and seed, pairs of value and log10, and its overflow, to write or read all of them. */
void ns_result_get_row (const NsResult *result, guint variant, guint seed, double **numbers, gsize *n,
                        gint64 **overflow);
/* Set the time of the run and the number of its threads. */
void ns_result_set_elapsed (NsResult *result, double elapsed_ms, guint threads);

G_END_DECLS
