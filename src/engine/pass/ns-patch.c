/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-patch.h"

#include "engine/pass/ns-map.h"
#include "engine/pass/ns-pass-parameters.h"

#include <string.h>

/* Set the rows of class tokens, the first of each sequence, to 0. x [N, C] */
static void
clear_class_tokens (const NsPlan *plan, ns_real *x)
{
  if (plan->experiment->data.class_token != NS_CLASS_TOKEN_NONE)
    for (gsize n = 0; n < plan->N; n += plan->T)
      memset (x + n * plan->C, 0, plan->C * sizeof *x);
}

NsScaled
ns_patch_forward (NsPass *pass, ns_real *x)
{
  const NsPlan *plan = &pass->plan;
  const NsPatchCache *c = &pass->work->patch;
  NsScaled e = ns_map_forward (pass, x, (NsScaled){ c->pixels, 0 }, NS_T_W_PATCH, 0);

  clear_class_tokens (plan, e.v);
  return ns_scaled_add (x, ns_plan_get_embed_scale (plan), e, 1, (NsScaled){ c->added, 0 }, plan->N * plan->C);
}

/* de = s·dx;  dW_patch = pᵀ·de */
void
ns_patch_backward (NsPass *pass, double factor)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsScaled de = ns_scaled_add (w->ds, factor * ns_plan_get_embed_scale (plan), pass->dx, 0, pass->dx,
                               plan->N * plan->C);

  clear_class_tokens (plan, de.v);
  w->linear.gram_x_valid = FALSE;
  ns_pass_matrix_gradient (pass, NS_T_W_PATCH, 0, (NsScaled){ w->patch.pixels, 0 }, de, NULL);
}
