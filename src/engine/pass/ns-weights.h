/* The weights of the models, at variance 1, kept while they fit a memory budget and made again where they do not.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A weight is std · u with u from ns-random.h. Only u is stored: every variant and every init scheme of one
 * distribution shares it, and the product with std is a factor of the matrix product.
 *
 * Threads: a store is used by any number of threads at once, apart from ns_weights_trim() and ns_weights_free().
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
/* Drops what a run over the seeds first .. first + n - 1 with this shape cannot use. Nothing may be in use. */
void ns_weights_trim (NsWeights *weights, const NsShape *shape, guint64 first_seed, guint64 n_seeds);
guint64 ns_weights_get_budget (const NsWeights *weights);
guint64 ns_weights_get_bytes (NsWeights *weights);

/* The n = in·out values of a matrix [in, out], kept in the store; NULL when they do not fit the budget any more (the
 * caller makes what it needs with ns_weights_fill). Borrowed until the next trim. The team helps to make them. Also
 * NULL when the job of that progress (or NULL) is cancelled meanwhile: nothing half-made stays in the store. */
const ns_real *ns_weights_get (NsWeights *weights, NsRandomKey key, NsDistribution distribution, gsize in, gsize out,
                               NsTeam *team, NsProgress *progress);

/* Rows first_row … of columns first_column … of the matrix into out [rows, columns]. */
void ns_weights_fill (ns_real *out, NsRandomKey key, NsDistribution distribution, gsize matrix_columns, gsize first_row,
                      gsize rows, gsize first_column, gsize columns);
