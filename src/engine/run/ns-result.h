/* The result of running an experiment: immutable, reference-counted, a number per variant, quantity, site, seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: a finished result is only read; ns_result_ref() and ns_result_unref() may be called from any thread.
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-statistics.h"

G_BEGIN_DECLS

typedef struct _NsResult NsResult;

NsResult *ns_result_ref (NsResult *result);
void ns_result_unref (NsResult *result);

/* The experiment that made it, owned by the result, as it was given (sampling.seeds: what was asked for). */
const NsExperiment *ns_result_get_experiment (const NsResult *result);
/* Seeds in this result: the first is sampling.seed + first_seed. */
guint ns_result_get_n_seeds (const NsResult *result);
guint ns_result_get_first_seed (const NsResult *result);

/* FALSE when the quantity does not exist at that site for that variant; *stat is then untouched. */
gboolean ns_result_get_stat (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, NsStat *stat);
/* One seed's value: *value may underflow to 0 where *log10_value is finite; both NaN/Inf as computed.
 * Either pointer may be NULL. FALSE as above. */
gboolean ns_result_get_value (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, guint seed,
                              double *value, double *log10_value);

/* The first block whose forward pass left the finite numbers, for that seed of this result (1..depth, depth + 1 for
 * the head); 0 when none did. Past it every value of that seed is NaN. */
gint64 ns_result_get_overflow (const NsResult *result, guint variant, guint seed);
/* The lowest non-zero one over the seeds, with the seed's index in *seed (nullable); 0 when none. */
gint64 ns_result_get_first_overflow (const NsResult *result, guint variant, guint *seed);

/* How it was computed. */
double ns_result_get_elapsed_ms (const NsResult *result);
guint ns_result_get_threads (const NsResult *result);

/* Seeds of a, then of b: b must start where a ends and come from an equal experiment. New reference. */
NsResult *ns_result_merge (const NsResult *a, const NsResult *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsResult, ns_result_unref)

G_END_DECLS
