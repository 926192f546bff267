/* Finding a built-in variant among the variants of an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-variant-match.h"

#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-variants.h"

#include <math.h>
#include <string.h>

/* Added to the count of differences of a variant that is closer to another built-in one; larger than any count. */
#define SECOND_CHOICE 1000

/* ---- by architecture ---- */

/* The placement changes over the depth (Mix-LN). */
#define MIXED (-1)

/* Return the placement in every block, or MIXED. */
static int
get_placement (const NsVariant *variant, const NsWiring *wiring)
{
  if (isnan (variant->post_fraction))
    return wiring->norm;
  if (variant->post_fraction == 0)
    return NS_PLACE_PRE;
  return variant->post_fraction == 1 ? NS_PLACE_POST : MIXED;
}

static gboolean
has_same_architecture (const NsVariant *variant, const NsVariant *model)
{
  int attn = get_placement (variant, &variant->attn), ffn = get_placement (variant, &variant->ffn);

  if (attn != get_placement (model, &model->attn) || ffn != get_placement (model, &model->ffn))
    return FALSE;
  if (attn == MIXED && variant->post_fraction != model->post_fraction)
    return FALSE;
  return variant->first_block_pre == model->first_block_pre
         && variant->sublayers == model->sublayers
         && variant->topology == model->topology && variant->norm_scale == model->norm_scale
         && variant->residual_scale.rule == model->residual_scale.rule
         && variant->branch_scale.rule == model->branch_scale.rule
         && variant->branch_parameter == model->branch_parameter && variant->qk_norm == model->qk_norm
         && variant->attn.inner_norm == model->attn.inner_norm && variant->ffn.inner_norm == model->ffn.inner_norm
         && variant->block_residual == model->block_residual && variant->dual_residual == model->dual_residual
         && variant->hyper.streams == model->hyper.streams
         && (model->hyper.streams == 0 || variant->hyper.weights == model->hyper.weights)
         && variant->ngpt == model->ngpt
         && (variant->norm == NS_NORM_DYT) == (model->norm == NS_NORM_DYT);
}

gboolean
ns_variant_has_architecture (const NsVariant *variant, const char *id)
{
  g_autoptr (NsVariant) model = ns_variant_new_builtin (id, NULL);

  return model != NULL && has_same_architecture (variant, model);
}

guint
ns_experiment_find_architecture (const NsExperiment *experiment, const char *id)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_variant_has_architecture (ns_experiment_variant (experiment, v), id))
      return v;
  return NS_MAX_VARIANTS;
}

/* ---- by settings ---- */

/* Return TRUE when the variant equals `model`, an instance of `builtin`, in each setting of its row. */
static gboolean
has_settings (const NsVariant *variant, const NsBuiltinVariant *builtin, const NsVariant *model)
{
  g_auto (GStrv) settings = g_strsplit (builtin->settings, ",", -1);

  for (char **setting = settings; *setting != NULL; setting++)
    {
      g_autofree char *key = g_strndup (*setting, strcspn (*setting, "="));

      if (!ns_param_equal (ns_param_find (key), variant, model))
        return FALSE;
    }
  return TRUE;
}

/* Count the settings, other than the name, in which two variants differ. */
static guint
count_differences (const NsVariant *variant, const NsVariant *model)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  guint differences = 0;

  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i]) && strcmp (params[i].key, "name") != 0)
      differences += ns_param_equal (&params[i], variant, model) ? 0 : 1;
  return differences;
}

static gboolean
is_closer_to_another_builtin (const NsVariant *variant, guint differences)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsVariant) model = ns_variant_new_builtin (builtins[i].id, NULL);

      if (has_settings (variant, &builtins[i], model) && count_differences (variant, model) < differences)
        return TRUE;
    }
  return FALSE;
}

guint
ns_experiment_find_builtin (const NsExperiment *experiment, const char *id)
{
  const NsBuiltinVariant *builtin = ns_builtin_variant_find (id);
  g_autoptr (NsVariant) model = builtin != NULL ? ns_variant_new_builtin (id, NULL) : NULL;
  guint found = NS_MAX_VARIANTS, fewest = G_MAXUINT;

  for (guint v = 0; model != NULL && v < experiment->variants->len; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);
      guint differences;

      if (!has_same_architecture (variant, model) || !has_settings (variant, builtin, model))
        continue;
      differences = count_differences (variant, model);
      if (is_closer_to_another_builtin (variant, differences))
        differences += SECOND_CHOICE;
      if (differences < fewest)
        {
          found = v;
          fewest = differences;
        }
    }
  return found;
}
