/* Tell what an imported or scaled experiment is.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options-private.h"
#include "engine/experiment/ns-changes.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-text.h"

#include "cli/ns-cli.h"

#include <glib/gi18n.h>

NsExperiment *
ns_cli_scale_down (const NsExperiment *experiment, gboolean is_config, char **changes)
{
  NsExperiment *smaller = ns_experiment_scale_down (experiment, NS_SCALED_D_MODEL);
  g_autofree char *scaling = NULL;

  /* The import gives a large model fewer seeds. */
  if (is_config && ns_experiment_can_scale_down (experiment))
    smaller->sampling.seeds = (gint64) ns_param_find ("sampling.seeds")->fallback;
  scaling = ns_experiment_dup_scaling (experiment, smaller);
  if (scaling != NULL)
    *changes = g_strdup_printf (_ ("Scaled down: %s."), scaling);
  else
    *changes = g_strdup_printf (_ ("Nothing is scaled down: d_model is at most %d, the batch has at most %d tokens, "
                                   "and vocab is at most %d."),
                                NS_SCALED_D_MODEL, NS_SCALED_TOKENS, NS_SCALED_VOCAB);
  return smaller;
}

/* Append a line for each difference between the imported model and a variant. */
static void
append_variants (GString *page, const NsVariant *model, const NsExperiment *experiment)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      g_autofree char *changes = ns_variant_dup_changes (model, variant);
      g_autofree char *name = ns_quote_text (variant->name);

      if (changes == NULL && experiment->variants->len == 1)
        continue;
      g_string_append (page, "\n- ");
      if (changes != NULL)
        /* Translators: the name of a variant, and its settings that differ from those of the imported model */
        g_string_append_printf (page, _ ("%s differs from the model: %s."), name, changes);
      else
        g_string_append_printf (page, _ ("%s is wired like the model."), name);
    }
}

void
ns_cli_print_import (const char *name, char **assumptions, const char *scaling, const NsExperiment *base,
                     const NsExperiment *experiment)
{
  g_autofree char *list = g_strjoinv ("\n- ", assumptions);
  g_autofree char *shared = ns_experiment_dup_shared_changes (base, experiment);
  g_autofree char *file = ns_text_dup_short (name, NS_TEXT_MAX_PATH);
  g_autoptr (GString) page = g_string_new (NULL);

  g_string_append_printf (page, _ ("%s: a model's config, imported as an experiment with these assumptions:"), file);
  g_string_append_printf (page, "\n- %s", list);
  if (scaling != NULL)
    g_string_append_printf (page, "\n- %s", scaling);
  if (shared != NULL)
    {
      g_string_append (page, "\n- ");
      g_string_append_printf (page, _ ("Options change: %s."), shared);
    }
  append_variants (page, ns_experiment_variant (base, 0), experiment);
  ns_cli_warn ("%s", page->str);
}
