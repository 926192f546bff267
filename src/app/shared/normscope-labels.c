/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-labels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Rows with a path come first: the search takes the first match. */
static const struct
{
  const char *path; /* NULL matches every parameter */
  const char *choice;
  const char *label;
} labels[] = {
  { "attn.norm", "none", N_ ("No norm") },
  { "cross.norm", "none", N_ ("No norm") },
  { "ffn.norm", "none", N_ ("No norm") },
  { "qk_norm", "full", N_ ("Over all features") },
  { "sampling.estimate", "norm", N_ ("Mean of the norms") },
  { "sampling.estimate", "mean", N_ ("Norm of the mean") },
  { "sampling.estimate", "expected", N_ ("Expected gradient") },
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
  { NULL, "dyt", N_ ("DyT") },
  { NULL, "sequential", N_ ("Sequential") },
  { NULL, "parallel", N_ ("Parallel") },
  { NULL, "parallel-two-norms", N_ ("Parallel, two norms") },
  { NULL, "full", N_ ("Full") },
  { NULL, "causal", N_ ("Causal") },
  { NULL, "uniform", N_ ("Uniform") },
  { NULL, "relu", N_ ("ReLU") },
  { NULL, "gelu", N_ ("GELU") },
  { NULL, "silu", N_ ("SiLU") },
  { NULL, "swiglu", N_ ("SwiGLU") },
  { NULL, "geglu", N_ ("GEGLU") },
  { NULL, "gelu-tanh", N_ ("GELU (tanh)") },
  { NULL, "geglu-tanh", N_ ("GEGLU (tanh)") },
  { NULL, "head", N_ ("Per head") },
  { NULL, "qkv-head", N_ ("Per head, also values") },
  { NULL, "cosine", N_ ("Cosine") },
  { NULL, "sqrt-d-head", N_ ("1/√d_head") },
  { NULL, "sqrt-d-model", N_ ("√d_model") },
  { NULL, "scalar", N_ ("One number") },
  { NULL, "vector", N_ ("One per feature") },
  { NULL, "layernorm-scaling", N_ ("1/√l") },
  { NULL, "auto", N_ ("Automatic") },
  { NULL, "on", N_ ("On") },
  { NULL, "off", N_ ("Off") },
  { NULL, "xavier-normal", N_ ("Xavier normal") },
  { NULL, "xavier-uniform", N_ ("Xavier uniform") },
  { NULL, "lecun-normal", N_ ("LeCun normal") },
  { NULL, "kaiming-normal", N_ ("Kaiming normal") },
  { NULL, "normal", N_ ("Normal") },
  { NULL, "small", N_ ("Small") },
  { NULL, "mitchell", N_ ("Mitchell") },
  { NULL, "t5", N_ ("T5") },
  { NULL, "fairseq", N_ ("fairseq") },
  { NULL, "deepnorm", N_ ("DeepNorm") },
  { NULL, "admin", N_ ("Admin") },
  { NULL, "admin-constant", N_ ("Admin, constant") },
  { NULL, "inverse-sqrt-depth", N_ ("1/√L") },
  { NULL, "gpt2", N_ ("GPT-2") },
  { NULL, "wang", N_ ("Wang") },
  { NULL, "sub-ln", N_ ("Sub-LN") },
  { NULL, "t-fixup", N_ ("T-Fixup") },
  { NULL, "ds-init", N_ ("DS-Init") },
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

const char *
normscope_label_for_null (const NsParam *param)
{
  g_return_val_if_fail (param != NULL, "");

  if (g_str_has_prefix (param->key, "cross."))
    return _ ("Same as self-attention");
  if (strcmp (param->key, "kv_heads") == 0)
    return _ ("Same as heads");
  return strcmp (param->key, "d_head") == 0 ? _ ("d_model / heads") : _ ("None");
}

/* Return the scale as its number or as the name of its rule: "1", "DeepNorm". */
static char *
dup_scale (const char *path, const NsVariant *variant)
{
  const NsParam *param = ns_param_find (path);
  NsScale scale = ns_param_get_scale (param, variant);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (scale.rule > 0)
    return g_strdup (normscope_label_for_choice (param, param->choices[scale.rule - 1]));
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

static const char *
get_choice_label (const char *path, gconstpointer base)
{
  const NsParam *param = ns_param_find (path);

  return normscope_label_for_choice (param, param->choices[ns_param_get_int (param, base)]);
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
    return g_strdup_printf ("%s · %s", get_choice_label ("data.source", experiment),
                            get_choice_label ("loss", experiment));
  if (strcmp (group, "layers") == 0)
    return g_strdup_printf ("%s · %s · %s", get_choice_label ("attention", v), get_choice_label ("activation", v),
                            get_choice_label ("topology", v));
  if (strcmp (group, "norms") == 0)
    return dup_norms_summary (v);
  if (strcmp (group, "init") == 0)
    return g_strdup (get_choice_label ("init.scheme", v));
  if (strcmp (group, "seeds") == 0)
    return dup_seeds_summary (experiment);
  g_return_val_if_reached (NULL);
}
