/* The store of weights: kept within a memory budget, drawn again where they do not fit.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A weight is std·u, u of variance 1 from ns-random.h. Only u is stored: all variants and init schemes of one
 * distribution share it; std becomes a factor of the matrix product.
 *
 * A store that is not told to keep its matrices drops those of a seed without running passes as soon as another seed
 * needs room. Matrices of up to 1 MiB then take the same memory: memory that was used before is faster than new one,
 * which the system must clear.
 *
 * Threads: any number at once, except in ns_weights_keep(), ns_weights_trim(), ns_weights_clear() and
 * ns_weights_free().
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-random.h"
#include "engine/ops/ns-real.h"
#include "engine/ops/ns-team.h"

typedef struct _NsWeights NsWeights;

/* budget in bytes. */
NsWeights *ns_weights_new (guint64 budget);
void ns_weights_free (NsWeights *weights);
/* Keep the matrices of each seed for the next run, too. */
void ns_weights_keep (NsWeights *weights);
gboolean ns_weights_get_keeps (const NsWeights *weights);
/* Say that a pass begins to use the seed's matrices, or has ended. While none runs, another seed's pass may drop them.
 * Those of a seed that never had a pass stay until the next trim. */
void ns_weights_begin (NsWeights *weights, guint64 seed);
void ns_weights_end (NsWeights *weights, guint64 seed);
/* Drop the matrices that a run of the experiment over the seeds first_seed .. first_seed + n_seeds - 1 cannot use. No
 * other thread may use the store meanwhile. */
void ns_weights_trim (NsWeights *weights, const NsExperiment *experiment, guint64 first_seed, guint64 n_seeds);
/* Drop all matrices. No other thread may use the store meanwhile. */
void ns_weights_clear (NsWeights *weights);
/* Return the bytes in use. */
guint64 ns_weights_get_bytes (NsWeights *weights);

/* Return u [in, out] of a matrix, which begins at row first_row of its stream, from the store, drawing it with the
 * team's help if needed. Borrowed until the next trim, or the end of the seed's last pass. NULL when it does not fit
 * the budget: the caller then draws panels with ns_weights_fill(). Also NULL when the job of `progress` (nullable) is
 * cancelled meanwhile; an unfinished matrix is dropped. */
const ns_real *ns_weights_get (NsWeights *weights, NsRandomKey key, NsDistribution distribution, gsize first_row,
                               gsize in, gsize out, NsTeam *team, NsProgress *progress);

/* Draw a panel of u into out [rows, columns]: rows first_row … and columns first_column … of a matrix with
 * matrix_columns columns. */
void ns_weights_fill (ns_real *out, NsRandomKey key, NsDistribution distribution, gsize matrix_columns, gsize first_row,
                      gsize rows, gsize first_column, gsize columns);
