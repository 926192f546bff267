/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/normscope-labels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* A row with a path comes before the one that holds everywhere. */
static const struct
{
  const char *path; /* or NULL: of any parameter */
  const char *choice;
  const char *label;
} labels[] = {
  { "attn.norm", "none", N_ ("No norm") },
  { "ffn.norm", "none", N_ ("No norm") },
  { NULL, "none", N_ ("None") },
  { NULL, "pre", N_ ("Pre-LN") },
  { NULL, "post", N_ ("Post-LN") },
  { NULL, "sandwich", N_ ("Sandwich") },
  { NULL, "branch", N_ ("On the branch") },
  { NULL, "pre-post", N_ ("Before and after") },
  { NULL, "single", N_ ("Single stack") },
  { NULL, "encoder-decoder", N_ ("Encoder and decoder") },
  { NULL, "gaussian", N_ ("Gaussian vectors") },
  { NULL, "tokens", N_ ("Random tokens") },
  { NULL, "text", N_ ("Text") },
  { NULL, "sinusoidal", N_ ("Sinusoidal") },
  { NULL, "learned", N_ ("Learned") },
  { NULL, "cross-entropy", N_ ("Cross-entropy") },
  { NULL, "unit-gradient", N_ ("Unit gradient") },
  { NULL, "layernorm", N_ ("LayerNorm") },
  { NULL, "rmsnorm", N_ ("RMSNorm") },
  { NULL, "sequential", N_ ("Sequential") },
  { NULL, "parallel", N_ ("Parallel") },
  { NULL, "full", N_ ("Full") },
  { NULL, "causal", N_ ("Causal") },
  { NULL, "uniform", N_ ("Uniform") },
  { NULL, "relu", N_ ("ReLU") },
  { NULL, "gelu", N_ ("GELU") },
  { NULL, "silu", N_ ("SiLU") },
  { NULL, "swiglu", N_ ("SwiGLU") },
  { NULL, "geglu", N_ ("GEGLU") },
  { NULL, "layernorm-scaling", N_ ("1/√l") },
  { NULL, "auto", N_ ("Automatic") },
  { NULL, "on", N_ ("On") },
  { NULL, "off", N_ ("Off") },
  { NULL, "xavier-normal", N_ ("Xavier normal") },
  { NULL, "xavier-uniform", N_ ("Xavier uniform") },
  { NULL, "lecun-normal", N_ ("LeCun normal") },
  { NULL, "kaiming-normal", N_ ("Kaiming normal") },
  { NULL, "normal", N_ ("Normal") },
  { NULL, "deepnorm", N_ ("DeepNorm") },
  { NULL, "gpt2", N_ ("GPT-2") },
};

const char *
normscope_label_for_choice (const NsParam *param, const char *choice)
{
  const char *path;

  g_return_val_if_fail (param != NULL && choice != NULL, "");

  path = ns_param_get_path (param);
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (strcmp (labels[i].choice, choice) == 0 && (labels[i].path == NULL || strcmp (labels[i].path, path) == 0))
      return _ (labels[i].label);
  return choice;
}

static const char *
chosen (const char *path, gconstpointer base)
{
  const NsParam *param = ns_param_find (path);

  return normscope_label_for_choice (param, param->choices[ns_param_get_int (param, base)]);
}

char *
normscope_summary_of_group (const char *group, const NsExperiment *experiment, guint variant)
{
  const NsVariant *v;
  const NsShape *shape;

  g_return_val_if_fail (group != NULL && experiment != NULL, NULL);
  g_return_val_if_fail (variant < experiment->variants->len, NULL);

  v = ns_experiment_variant (experiment, variant);
  shape = &experiment->shape;
  if (strcmp (group, "shape") == 0)
    /* Translators: model width, heads, FFN width, batch times sequence length. */
    return g_strdup_printf (_ ("d %lld · h %lld · f %lld · %lld × %lld tokens"), (long long) shape->d_model,
                            (long long) shape->heads, (long long) shape->d_ff, (long long) shape->batch,
                            (long long) shape->seq_len);
  if (strcmp (group, "data") == 0)
    return g_strdup_printf ("%s · %s", chosen ("data.source", experiment), chosen ("loss", experiment));
  if (strcmp (group, "layers") == 0)
    return g_strdup_printf ("%s · %s · %s", chosen ("attention", v), chosen ("activation", v), chosen ("topology", v));
  if (strcmp (group, "init") == 0)
    return g_strdup (chosen ("init.scheme", v));
  if (strcmp (group, "seeds") == 0)
    return g_strdup_printf (ngettext ("%lld draw, from seed %lld", "%lld draws, from seed %lld",
                                      (gulong) experiment->sampling.seeds),
                            (long long) experiment->sampling.seeds, (long long) experiment->sampling.seed);
  g_return_val_if_reached (NULL);
}
