/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-skip.h"

#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-pass-parameters.h"

void
ns_skip_record (NsPass *pass, NsQuantity ratio, NsQuantity cosine, gint64 site, double a, NsScaled x, double b,
                NsScaled s)
{
  NsProducts products;
  double size = NAN, exponent = s.exp2 - x.exp2;

  if (a == 0 || !(ns_pass_wants (pass, ratio) || ns_pass_wants (pass, cosine)))
    return;
  products = ns_products (x.v, s.v, pass->plan.N * pass->plan.C);
  /* b may be as small as a double can hold */
  exponent += ns_take_power (&b);
  if (products.xx > 0 && isfinite (products.yy))
    size = fabs (b / a) * sqrt (products.yy) / sqrt (products.xx);
  ns_pass_record (pass, ratio, site, size, exponent);
  ns_pass_record (pass, cosine, site, b != 0 ? copysign (1, a * b) * ns_products_get_cosine (&products) : NAN, 0);
}
