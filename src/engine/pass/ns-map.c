/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-map.h"

#include "engine/pass/ns-pass-parameters.h"

NsScaled
ns_map_forward (NsPass *pass, ns_real *y, NsScaled x, NsTensor tensor, gint64 site)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, site);
  double power = ns_take_power (&W.std);

  /* no bias is added: at initialization it is 0 */
  ns_linear_forward (y, x.v, &W, 1, 0, pass->work->N, &pass->work->linear);
  return ns_pass_add_to_linear (pass, tensor, site, (NsScaled){ y, x.exp2 + power }, x);
}

NsScaled
ns_map_backward (NsPass *pass, ns_real *dx, NsScaled dy, NsTensor tensor, gint64 site)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, site);
  double power = ns_take_power (&W.std);

  ns_linear_backward (dx, dy.v, &W, 1, 0, pass->copies * pass->work->N, &pass->work->linear);
  return (NsScaled){ dx, dy.exp2 + power };
}

void
ns_map_backward_add (NsPass *pass, NsScaled dx, NsScaled dy, NsTensor tensor, gint64 site)
{
  NsMatrix W = ns_pass_get_matrix (pass, tensor, site);
  double power = ns_take_power (&W.std);

  ns_linear_backward (dx.v, dy.v, &W, exp2 (dy.exp2 + power - dx.exp2), 1, pass->copies * pass->work->N,
                      &pass->work->linear);
}

void
ns_map_projection_backward (NsPass *pass, NsScaled *dx, gboolean add, NsScaled x, NsScaled dy, NsTensor tensor,
                            gint64 site, NsGradientSum *sum)
{
  ns_pass_matrix_gradient (pass, tensor, site, x, dy, sum);
  if (add)
    ns_map_backward_add (pass, *dx, dy, tensor, site);
  else
    *dx = ns_map_backward (pass, dx->v, dy, tensor, site);
}
