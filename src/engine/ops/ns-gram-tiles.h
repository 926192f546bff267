/* Gram matrices of a few rows on processors with AVX-512.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For 64 tokens OpenBLAS takes half of the time of x·xᵀ to pack x, once for each side of the product. Here x is
 * transposed once, and both sides read that.
 *
 * Threads: pure functions.
 */
#pragma once

#include <glib.h>

#define NS_GRAM_TILES_MAX_ROWS 64

/* Return TRUE where OpenBLAS has chosen kernels with AVX-512, too, so that both can be turned off together. */
gboolean ns_gram_tiles_are_supported (void);
/* The lower triangle of g = x·xᵀ, [N, N] = [N, C]·[C, N], N <= NS_GRAM_TILES_MAX_ROWS. */
void ns_gram_tiles_rows (float *g, const float *x, gsize N, gsize C);
