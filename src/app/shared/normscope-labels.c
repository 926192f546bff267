/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-labels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-training-settings.h"

const char *
normscope_label_for_null (const NsParam *param)
{
  g_return_val_if_fail (param != NULL, "");

  return param->null_label != NULL ? _ (param->null_label) : _ ("None");
}

/* Return the scale as its number or as the name of its rule: "1", "DeepNorm". */
static char *
dup_scale (const char *path, const NsVariant *variant)
{
  const NsParam *param = ns_param_find (path);
  NsScale scale = ns_param_get_scale (param, variant);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (scale.rule > 0)
    return g_strdup (ns_param_get_choice_label (param, param->choices[scale.rule - 1]));
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.4g", scale.number));
}

static char *
dup_norms_summary (const NsVariant *variant)
{
  g_autofree char *residual = dup_scale ("residual_scale", variant);
  g_autofree char *branch = dup_scale ("branch_scale", variant);

  /* Translators: the factors of the two terms that a sub-layer adds */
  return g_strdup_printf (_ ("Residual × %s · branch × %s"), residual, branch);
}

/* Return the groups of maps that have biases. */
static char *
dup_biases_summary (const NsExperiment *experiment, const NsVariant *variant)
{
  gboolean q = ns_variant_has_bias (variant, NS_T_B_Q), k = ns_variant_has_bias (variant, NS_T_B_K);
  const struct
  {
    const char *name;
    gboolean exists, has_bias;
  } groups[] = {
    /* Translators: queries, keys and values; queries and values; keys */
    { k && !q ? _ ("k") : q && !k ? _ ("q, v") : _ ("q, k, v"), TRUE, q || k },
    { _ ("output"), variant->attention_output, ns_variant_has_bias (variant, NS_T_B_O) },
    { _ ("FFN"), TRUE, ns_variant_has_bias (variant, NS_T_B_1) },
    { _ ("norms"), variant->norm != NS_NORM_RMSNORM, ns_variant_has_bias (variant, NS_T_BIAS_FINAL) },
    { _ ("head"), experiment->loss == NS_LOSS_CROSS_ENTROPY, ns_variant_has_bias (variant, NS_T_B_HEAD) },
  };
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean all = q == k;

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    if (groups[i].exists && groups[i].has_bias)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", groups[i].name);
    else
      all = all && !groups[i].exists;
  if (all)
    return g_strdup (_ ("All"));
  return g_strdup (text->len > 0 ? text->str : _ ("None"));
}

static const char *
get_choice_label (const char *path, gconstpointer base)
{
  const NsParam *param = ns_param_find (path);

  return ns_param_get_choice_label (param, param->choices[ns_param_get_int (param, base)]);
}

static char *
dup_seeds_summary (const NsExperiment *experiment)
{
  const NsSampling *sampling = &experiment->sampling;
  const char *format
      = ngettext ("%lld seed, starting at %lld", "%lld seeds, starting at %lld", (gulong) sampling->seeds);
  g_autofree char *seeds = g_strdup_printf (format, (long long) sampling->seeds, (long long) sampling->seed);

  if (sampling->batches == 1)
    return g_steal_pointer (&seeds);
  return g_strdup_printf (ngettext ("%s · %lld minibatch", "%s · %lld minibatches", (gulong) sampling->batches), seeds,
                          (long long) sampling->batches);
}

/* Return "Adam · 0.003 · warm-up 100 · 300 steps". */
static char *
dup_learning_summary (const NsTrainingSettings *training)
{
  const NsParam *param = ns_param_find ("training.optimizer");
  const char *optimizer = ns_param_get_choice_label (param, param->choices[training->optimizer]);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *rate
      = ns_text_take_localized (g_strdup (g_ascii_formatd (number, sizeof number, "%.6g", training->learning_rate)));
  g_autofree char *warmup = training->warmup > 0
                                /* Translators: steps of warm-up, in a summary of settings */
                                ? g_strdup_printf (_ (" · warm-up %lld"), (long long) training->warmup)
                                : g_strdup ("");

  /* Translators: optimizer, learning rate, " · warm-up 100" or nothing, steps */
  return g_strdup_printf (ngettext ("%s · %s%s · %lld step", "%s · %s%s · %lld steps", (gulong) training->steps),
                          optimizer, rate, warmup, (long long) training->steps);
}

static char *
dup_own_learning_summary (const NsExperiment *experiment, const NsVariant *variant)
{
  static const char *const keys[] = { "optimizer", "learning_rate", "warmup", "schedule" };
  NsTrainingSettings training = ns_variant_get_training (experiment, variant);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (!ns_param_is_null (ns_param_find (keys[i]), variant))
      return dup_learning_summary (&training);
  return g_strdup (_ ("As all variants"));
}

char *
normscope_label_dup_group_summary (const char *group, const NsExperiment *experiment, guint variant)
{
  const NsVariant *v;
  const NsShape *shape;

  g_return_val_if_fail (group != NULL && experiment != NULL, NULL);
  g_return_val_if_fail (variant < experiment->variants->len, NULL);

  v = ns_experiment_variant (experiment, variant);
  shape = &experiment->shape;
  if (strcmp (group, "shape") == 0)
    /* Translators: model width, heads, FFN width, batch times sequence length */
    return g_strdup_printf (_ ("Width %lld · heads %lld · FFN %lld · %lld × %lld tokens"), (long long) shape->d_model,
                            (long long) shape->heads, (long long) shape->d_ff, (long long) shape->batch,
                            (long long) shape->seq_len);
  if (strcmp (group, "data") == 0)
    return g_strdup_printf ("%s · %s",
                            ns_experiment_has_patches (experiment) ? _ ("Gaussian pixels of patches")
                                                                   : get_choice_label ("data.source", experiment),
                            get_choice_label ("loss", experiment));
  if (strcmp (group, "layers") == 0 && v->sublayers == NS_SUB_LAYERS_ATTENTION)
    return g_strdup_printf ("%s · %s", get_choice_label ("attention", v), get_choice_label ("sublayers", v));
  if (strcmp (group, "layers") == 0 && v->sublayers == NS_SUB_LAYERS_FFN)
    return g_strdup_printf ("%s · %s", get_choice_label ("activation", v), get_choice_label ("sublayers", v));
  if (strcmp (group, "layers") == 0)
    return g_strdup_printf ("%s · %s · %s", get_choice_label ("attention", v), get_choice_label ("activation", v),
                            get_choice_label ("topology", v));
  if (strcmp (group, "biases") == 0)
    return dup_biases_summary (experiment, v);
  if (strcmp (group, "norms") == 0)
    return dup_norms_summary (v);
  if (strcmp (group, "init") == 0)
    return g_strdup (get_choice_label ("init.scheme", v));
  if (strcmp (group, "learning") == 0)
    return dup_learning_summary (&experiment->training);
  if (strcmp (group, "variant-learning") == 0)
    return dup_own_learning_summary (experiment, v);
  if (strcmp (group, "seeds") == 0)
    return dup_seeds_summary (experiment);
  g_return_val_if_reached (NULL);
}

char *
normscope_label_dup_title (const char *name, gboolean scaled_down)
{
  g_return_val_if_fail (name != NULL, NULL);
  /* Translators: %s is the name of a model that is opened at a smaller size */
  return scaled_down ? g_strdup_printf (_ ("%s, scaled down"), name) : g_strdup (name);
}
