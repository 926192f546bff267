/* The result of an experiment: a number for each variant, quantity, site and seed; immutable, reference-counted.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: read a finished result, take and drop references from any thread.
 */
#pragma once

#include "engine/experiment/ns-quantity-set.h"
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-statistics.h"

G_BEGIN_DECLS

typedef struct _NsResult NsResult;

NsResult *ns_result_ref (NsResult *result);
void ns_result_unref (NsResult *result);

/* Return the experiment as it was run, owned by the result. Its sampling.seeds may exceed the seeds of the result. */
const NsExperiment *ns_result_get_experiment (const NsResult *result);
/* Return the number of seeds in this result, and the offset of the first from sampling.seed. */
guint ns_result_get_n_seeds (const NsResult *result);
guint ns_result_get_first_seed (const NsResult *result);

/* Return TRUE if the quantity was asked for: every one, unless the run was given a set. Functions that read a number
 * treat others as the variant lacking them. */
gboolean ns_result_has (const NsResult *result, NsQuantity quantity);

/* With several minibatches, gradients of parameters have several estimates. Functions without an estimate argument use
 * sampling.estimate of the experiment. */

/* Read the statistic over the seeds that are not missing. Return FALSE, and leave *stat alone, when the variant does
 * not have the quantity at the site, it was not asked for, or all seeds are missing. */
gboolean ns_result_get_stat (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, NsStat *stat);
/* Compute the same over the first n_seeds >= 1 seeds of the result. */
gboolean ns_result_get_stat_of_first (const NsResult *result, guint variant, NsQuantity quantity, gint64 site,
                                      guint n_seeds, NsStat *stat);
/* Read the value of one seed, an index in this result. *value may underflow to 0 where *log10_value is finite; NaN and
 * Inf are as computed. *log10_value is NAN for a quantity without a logarithm. Either pointer may be NULL. Return FALSE
 * as above. */
gboolean ns_result_get_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed,
                              double *value, double *log10_value);

/* Return TRUE if the quantity has several estimates in this result; otherwise all estimates are equal. */
gboolean ns_result_has_estimates (const NsResult *result, NsQuantity quantity);
/* Read the statistic or a value of a given estimate. An expected gradient with a negative square is NaN. */
gboolean ns_result_get_stat_of (const NsResult *result, guint variant, NsQuantity quantity,
                                NsGradientEstimate estimate, gint64 site, NsStat *stat);
gboolean ns_result_get_value_of (const NsResult *result, guint variant, NsQuantity quantity,
                                 NsGradientEstimate estimate, gint64 site, guint seed, double *value,
                                 double *log10_value);

/* Return the site (ns-quantity.h: a block of the stack, encoder or decoder, or the head) at which the forward pass of
 * that seed overflowed; 0: none. From there on every value of the seed is NaN. */
gint64 ns_result_get_overflow (const NsResult *result, guint variant, guint seed);
/* Return the lowest such site over the seeds, and the index of its seed in *seed (nullable); 0: none. */
gint64 ns_result_get_first_overflow (const NsResult *result, guint variant, guint *seed);

/* Return TRUE if the result has no numbers of a variant's seed. Only the result of a step of a training can lack some:
 * of runs that have not reached the step, or have ended in NaN or infinity before. */
gboolean ns_result_is_missing (const NsResult *result, guint variant, guint seed);

/* Return TRUE if the run that fills the result had not ended (NsResultWatch): functions that read a number treat those
 * that were not known yet as not existing there. */
gboolean ns_result_is_partial (const NsResult *result);

/* Return TRUE if the result has every quantity of the set, which may be NULL for those of an ordinary run. */
gboolean ns_result_has_all (const NsResult *result, const NsQuantitySet *quantities);
/* Return the quantities of the result; owned by it. */
const NsQuantitySet *ns_result_get_quantities (const NsResult *result);

/* Return the time of the run, and the number of its threads. */
double ns_result_get_elapsed_ms (const NsResult *result);
guint ns_result_get_threads (const NsResult *result);

/* Return the count of numbers: of every variant, quantity, site, estimate and seed. */
gsize ns_result_get_n_numbers (const NsResult *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsResult, ns_result_unref)

G_END_DECLS
