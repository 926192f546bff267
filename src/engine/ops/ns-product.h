/* Matrix products of a pass: y = alpha·x·u + beta·y.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In tiles of the engine's own on processors with AVX-512 (ns-product-tiles.h), by OpenBLAS elsewhere.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-real.h"

/* x [N, depth], or [depth, N] for its transpose; u [depth, columns], or [columns, depth]; y [N, columns]. Rows are ldx,
 * ldu and ldy apart. */
typedef struct
{
  gsize N, columns, depth;
  double alpha, beta;
  const ns_real *x, *u;
  ns_real *y;
  gsize ldx, ldu, ldy;
  gboolean x_transposed, u_transposed;
} NsProduct;

/* Compute y; with beta 0 it is not read. */
void ns_product (const NsProduct *product);
