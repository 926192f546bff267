/* Products with a matrix of weights on processors with AVX-512.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With 64 tokens a weight is used 64 times, and OpenBLAS takes nearly as long to copy ("pack") the weights as to
 * multiply them. Here the copy of a strip of columns stays in the nearest cache, and a transposed one goes through
 * registers. Each sum is that of its products in their order, whatever the numbers of rows and columns are.
 *
 * Threads: pure functions.
 */
#pragma once

#include "engine/ops/ns-product.h"

/* Return TRUE where OpenBLAS has chosen kernels with AVX-512, too, so that both can be turned off together. */
gboolean ns_product_tiles_are_supported (void);
/* ns_product() where tiles are supported. */
void ns_product_tiles (const NsProduct *product);
