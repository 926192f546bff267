/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-product.h"

#include "engine/ops/ns-product-tiles.h"

void
ns_product (const NsProduct *p)
{
  if (ns_product_tiles_are_supported ())
    ns_product_tiles (p);
  else
    ns_gemm (CblasRowMajor, p->x_transposed ? CblasTrans : CblasNoTrans, p->u_transposed ? CblasTrans : CblasNoTrans,
             (int) p->N, (int) p->columns, (int) p->depth, (ns_real) p->alpha, p->x, (int) p->ldx, p->u, (int) p->ldu,
             (ns_real) p->beta, p->y, (int) p->ldy);
}
