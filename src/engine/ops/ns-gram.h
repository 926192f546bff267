/* Gram matrices, and sums over them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only the lower triangle of a symmetric matrix is set and read. Once progress, the job's or NULL, is cancelled, the
 * rest is skipped and outputs are undefined.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-progress.h"
#include "engine/ops/ns-real.h"

/* g = x·xᵀ, [N, N] = [N, C]·[C, N]. */
void ns_gram_rows (ns_real *g, const ns_real *x, gsize N, gsize C, NsProgress *progress);
/* g = xᵀ·x, [C, C] = [C, N]·[N, C]. */
void ns_gram_columns (ns_real *g, const ns_real *x, gsize N, gsize C, NsProgress *progress);

/* dot = Σ a ⊙ b and absolute = Σ |a ⊙ b| of two symmetric matrices [N, N], rows of length ld. */
void ns_gram_dot (const ns_real *a, const ns_real *b, gsize N, gsize ld, double *dot, double *absolute);
/* Return the sum of the diagonal. */
double ns_gram_trace (const ns_real *g, gsize N, gsize ld);
