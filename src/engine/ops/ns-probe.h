/* Statistics of arrays: sums of squares, column sums, token similarity. Always in double.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* Σ x². [n] */
double ns_sum_squares (const ns_real *x, gsize n);
double ns_sum_squares_double (const double *x, gsize n);
/* Σ_c (Σ_n dy)²: the squared norm of a bias gradient; scratch [C] double. dy [N, C] */
double ns_column_sum_squares (const ns_real *dy, double *scratch, gsize N, gsize C);
/* The mean cosine between two different tokens of one sequence, over all pairs and sequences: with unit tokens e,
 * Σ_{i≠j} e_i·e_j = |Σ e|² − Σ |e|². x [B, T, C], T > 1; scratch [C] double. A zero token has no direction: NaN. */
double ns_token_cosine (const ns_real *x, double *scratch, gsize B, gsize T, gsize C);
/* z = a·x + b·y; z may be x or y. [n] */
void ns_add (ns_real *z, double a, const ns_real *x, double b, const ns_real *y, gsize n);
void ns_scale (ns_real *x, double a, gsize n);
