/* Results put together from rows, the numbers of a variant and seed, of other results.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pass depends on its variant, the shared settings and its seed alone, so its numbers have the same bits in any
 * experiment.
 *
 * Threads: as for results.
 */
#pragma once

#include "engine/run/ns-result.h"

G_BEGIN_DECLS

/* Where a row is; { NULL } if it is not known. */
typedef struct
{
  const NsResult *result; /* borrowed */
  guint variant, seed;    /* its place in that result */
} NsResultRow;

/* Set those of rows[n_seeds, variants] that are not known yet and that the result, which may be partial, has with all
 * of the quantities. Return how many are known then. */
guint ns_result_find_rows (const NsResult *result, const NsExperiment *experiment, const NsQuantitySet *quantities,
                           guint first_seed, guint n_seeds, NsResultRow *rows);
/* Create the result of rows that are all known. It is partial if one of them is. Its time is the sum of the rows'
 * shares of their results'. Return NULL without memory. Caller owns it. */
NsResult *ns_result_new_from_rows (const NsExperiment *experiment, const NsQuantitySet *quantities, guint first_seed,
                                   guint n_seeds, const NsResultRow *rows);

G_END_DECLS
