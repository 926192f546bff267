/* Create, copy, compare and free experiments.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"

#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-variants.h"
#include "engine/experiment/ns-weight-source.h"

static GPtrArray *
variants_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) ns_variant_free);
}

NsExperiment *
ns_experiment_new (void)
{
  NsExperiment *experiment = g_new0 (NsExperiment, 1);

  ns_params_reset (experiment, FALSE);
  experiment->variants = variants_new ();
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("pre", NULL));
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("post", NULL));
  return experiment;
}

NsExperiment *
ns_experiment_copy (const NsExperiment *experiment)
{
  NsExperiment *copy = g_new0 (NsExperiment, 1);

  ns_params_copy (copy, experiment, sizeof *copy, FALSE);
  if (copy->data.ids != NULL)
    g_bytes_ref (copy->data.ids);
  copy->variants = variants_new ();
  for (guint v = 0; v < experiment->variants->len; v++)
    g_ptr_array_add (copy->variants, ns_variant_copy (ns_experiment_variant (experiment, v)));
  return copy;
}

/* Let a variant draw its weights. Its name loses the file: "GPT-2 (model.safetensors)". */
static void
draw_weights (NsVariant *variant)
{
  char *end = g_strrstr (variant->name, " (");

  if (end != NULL && end > variant->name)
    *end = '\0';
  g_clear_pointer (&variant->source, ns_weight_source_unref);
}

NsExperiment *
ns_experiment_dup_drawn (const NsExperiment *experiment)
{
  NsExperiment *drawn = ns_experiment_copy (experiment);
  guint n_read = 0;

  for (guint v = 0; v < drawn->variants->len; v++)
    n_read += ns_experiment_variant (drawn, v)->source != NULL;
  for (guint v = drawn->variants->len; v-- > 0;)
    if (ns_experiment_variant (drawn, v)->source == NULL)
      continue;
    else if (n_read < experiment->variants->len)
      g_ptr_array_remove_index (drawn->variants, v);
    else
      draw_weights (ns_experiment_variant (drawn, v));
  return drawn;
}

void
ns_experiment_free (NsExperiment *experiment)
{
  if (experiment == NULL)
    return;
  g_ptr_array_unref (experiment->variants);
  ns_params_clear (experiment, FALSE);
  if (experiment->data.ids != NULL)
    g_bytes_unref (experiment->data.ids);
  g_free (experiment);
}

static gboolean
are_equal (const NsExperiment *a, const NsExperiment *b, gboolean with_training)
{
  if (a == b)
    return TRUE;
  if (!ns_params_equal (a, b, FALSE, with_training) || a->variants->len != b->variants->len
      || a->data.ids != b->data.ids)
    return FALSE;
  for (guint v = 0; v < a->variants->len; v++)
    if (!ns_params_equal (ns_experiment_variant (a, v), ns_experiment_variant (b, v), TRUE, with_training)
        || ns_experiment_variant (a, v)->source != ns_experiment_variant (b, v)->source)
      return FALSE;
  return TRUE;
}

gboolean
ns_experiment_equal (const NsExperiment *a, const NsExperiment *b)
{
  return are_equal (a, b, TRUE);
}

gboolean
ns_experiment_has_same_pass (const NsExperiment *a, const NsExperiment *b)
{
  return are_equal (a, b, FALSE);
}

gboolean
ns_experiment_shares_pass (const NsExperiment *a, const NsExperiment *b)
{
  NsExperiment same = *a;

  same.sampling.seeds = b->sampling.seeds;
  same.sampling.estimate = b->sampling.estimate;
  if (a->data.source != NS_SOURCE_MARKOV) /* whose chain is drawn with the first seed */
    same.sampling.seed = b->sampling.seed;
  return ns_params_equal (&same, b, FALSE, FALSE) && a->data.ids == b->data.ids;
}

gboolean
ns_variant_has_same_pass (const NsVariant *a, const NsVariant *b)
{
  NsVariant same = *a;

  same.name = b->name;
  return ns_params_equal (&same, b, TRUE, FALSE) && a->source == b->source;
}

gboolean
ns_experiment_check_sources (const NsExperiment *experiment, GError **error)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NsWeightSource *source = ns_experiment_variant (experiment, v)->source;

      if (source != NULL && source->check != NULL && !source->check (source, error))
        return FALSE;
    }
  return TRUE;
}
