/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-names.h"

#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

void
app_name_variants (NsExperiment *experiment)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      gboolean is_typed = !g_str_has_prefix (variant->name, "Mix ");

      for (gsize i = 0; i < n && is_typed; i++)
        is_typed = !g_str_has_prefix (variant->name, builtins[i].name);
      if (!is_typed && !ns_variant_has_automatic_name (variant))
        ns_experiment_name_variant (experiment, v);
    }
}
