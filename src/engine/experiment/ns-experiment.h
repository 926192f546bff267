/* Create, copy, compare and free experiments.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: an experiment belongs to one thread; a job gets a copy.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return a new experiment with every key at its default and two variants, Pre-LN and Post-LN. Caller owns it. */
NsExperiment *ns_experiment_new (void);
/* Return a deep copy. Caller owns it. */
NsExperiment *ns_experiment_copy (const NsExperiment *experiment);
/* Return a copy as a file can hold it, since a file names no checkpoint: without the variants whose weights are read,
 * or, if there are no others, with their models and drawn weights. Caller owns it. */
NsExperiment *ns_experiment_dup_drawn (const NsExperiment *experiment);
/* Free the experiment and its variants; NULL is allowed. */
void ns_experiment_free (NsExperiment *experiment);
/* Return TRUE when every key has the same value in both and the variants are in the same order. Numbers behind a rule
 * (NsScale) do not count. */
gboolean ns_experiment_equal (const NsExperiment *a, const NsExperiment *b);
/* Return TRUE when both differ in keys of training at most, so that the passes at initialization, their results and all
 * that follows from them are the same. */
gboolean ns_experiment_has_same_pass (const NsExperiment *a, const NsExperiment *b);
/* Return TRUE when passes of both with the same seed differ by the variant at most: they may have other variants, seeds
 * and training, and choose another estimate. */
gboolean ns_experiment_shares_pass (const NsExperiment *a, const NsExperiment *b);
/* Return TRUE when the variants differ in their names and training at most. */
gboolean ns_variant_has_same_pass (const NsVariant *a, const NsVariant *b);

/* Return FALSE with the error of the first variant whose weights are read from a file that has changed. */
gboolean ns_experiment_check_sources (const NsExperiment *experiment, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsExperiment, ns_experiment_free)

G_END_DECLS
