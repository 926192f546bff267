/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "biases.h"

#include "engine/experiment/ns-quantity.h"

char *
dup_biases (const NsExperiment *experiment)
{
  gint64 head = ns_experiment_get_head_site (experiment);
  GString *list = g_string_new (NULL);

  for (gint64 site = head - 1; site <= head; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      {
        const NsTensorInfo *info = ns_tensor_info ((NsTensor) t);

        if ((info->role == NS_ROLE_LINEAR_BIAS || info->role == NS_ROLE_NORM_BIAS) && info->sub != NS_SUB_CROSS
            && ns_tensor_exists ((NsTensor) t, experiment, 0, site))
          g_string_append_printf (list, "%s%s", list->len > 0 ? " " : "", ns_tensor_get_name ((NsTensor) t));
      }
  return g_string_free (list, FALSE);
}
