/* Parameters and their values in words.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

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
  { "sublayers", "both", N_ ("Attention and FFN") },
  { "sublayers", "attention", N_ ("Attention only") },
  { "sublayers", "ffn", N_ ("FFN only") },
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
  { NULL, "markov", N_ ("Markov chain") },
  { NULL, "continuation", N_ ("Continuation") },
  { NULL, "reversal", N_ ("Reversal") },
  { NULL, "sinusoidal", N_ ("Sinusoidal") },
  { NULL, "learned", N_ ("Learned") },
  { NULL, "zero", N_ ("Zero") },
  { NULL, "cross-entropy", N_ ("Cross-entropy") },
  { NULL, "unit-gradient", N_ ("Unit gradient") },
  { NULL, "sgd", N_ ("SGD") },
  { NULL, "adam", N_ ("Adam") },
  { NULL, "adamw", N_ ("AdamW") },
  { NULL, "constant", N_ ("Constant") },
  { NULL, "linear", N_ ("Linear") },
  { NULL, "inverse-sqrt", N_ ("1/√step") },
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
  { NULL, "head-rotary", N_ ("Per head, no gain, rotary blocks") },
  { NULL, "half", N_ ("Halves") },
  { NULL, "interleaved", N_ ("Neighbours") },
  { NULL, "llama3", N_ ("Llama 3.1") },
  { NULL, "yarn", N_ ("YaRN") },
  { NULL, "longrope", N_ ("LongRoPE") },
  { NULL, "alibi", N_ ("ALiBi") },
  { NULL, "alibi-scaled", N_ ("ALiBi, scaled") },
  { NULL, "normalized", N_ ("Sum 1") },
  { NULL, "softmax", N_ ("Softmax over all") },
  { NULL, "sigmoid-input", N_ ("Sigmoid, on the input") },
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
  { "stream_weights", "static", N_ ("Static") },
  { "stream_weights", "dynamic", N_ ("Dynamic") },
  { "stream_weights", "manifold", N_ ("Manifold (mHC)") },
  { NULL, "deepnorm", N_ ("DeepNorm") },
  { NULL, "admin", N_ ("Admin") },
  { NULL, "admin-constant", N_ ("Admin, constant") },
  { NULL, "keel", N_ ("Keel") },
  { NULL, "inverse-sqrt-depth", N_ ("1/√L") },
  { NULL, "inverse-sqrt-d-model", N_ ("1/√d_model") },
  { NULL, "gpt2", N_ ("GPT-2") },
  { NULL, "wang", N_ ("Wang") },
  { NULL, "sub-ln", N_ ("Sub-LN") },
  { NULL, "t-fixup", N_ ("T-Fixup") },
  { NULL, "ds-init", N_ ("DS-Init") },
  { NULL, "fixup", N_ ("Fixup") },
};

const char *
ns_param_get_choice_label (const NsParam *param, const char *choice)
{
  const char *path;

  g_return_val_if_fail (param != NULL && choice != NULL, "");

  path = ns_param_get_path (param);
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (strcmp (labels[i].choice, choice) == 0 && (labels[i].path == NULL || strcmp (labels[i].path, path) == 0))
      return _ (labels[i].label);
  return choice;
}

char *
ns_param_dup_value_words (const NsParam *param, const char *text)
{
  g_return_val_if_fail (param != NULL && text != NULL, NULL);

  if (param->type == NS_TYPE_STRING)
    return g_strdup (text);
  if (param->type == NS_TYPE_LIST && strcmp (text, "null") != 0)
    {
      gsize n;

      g_free (ns_param_dup_numbers (text, &n));
      return g_strdup_printf (ngettext ("%u number", "%u numbers", n), (guint) n);
    }
  if (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)
    return g_strdup (strcmp (text, "true") == 0 ? _ ("on") : _ ("off"));
  if (strcmp (text, "null") == 0)
    return g_strdup (_ ("none"));
  if (param->choices != NULL && g_strv_contains (param->choices, text))
    return g_strdup (ns_param_get_choice_label (param, text));
  return ns_text_dup_typeset_number (text);
}

char *
ns_param_dup_phrase (const NsParam *param, const char *value)
{
  gboolean is_number;

  g_return_val_if_fail (param != NULL && value != NULL, NULL);

  if (param->count != NULL)
    return strcmp (value, "1") == 0 ? g_strdup (_ (param->count_one)) : g_strdup_printf (_ (param->count), value);
  is_number = g_ascii_isdigit (value[0]) || g_str_has_prefix (value, "−");
  if (is_number)
    /* Translators: a parameter and its number: "FFN width 512" */
    return g_strdup_printf (_ ("%s %s"), _ (param->label), value);
  /* Translators: a parameter and its choice: "Attention: Full" */
  return g_strdup_printf (_ ("%s: %s"), _ (param->label), value);
}

char *
ns_param_dup_allowed (const NsParam *param)
{
  g_autofree char *min = ns_dup_number (param->min);
  g_autofree char *max = ns_dup_number (param->max);
  g_autofree char *names = param->choices != NULL ? g_strjoinv (", ", (char **) param->choices) : NULL;
  g_autofree char *allowed = NULL;

  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      allowed = g_strdup_printf (_ ("a whole number from %s to %s"), min, max);
      break;
    case NS_TYPE_NUMBER:
      allowed = g_strdup_printf (_ ("a number from %s to %s"), min, max);
      break;
    case NS_TYPE_BOOLEAN:
      allowed = g_strdup (_ ("true or false"));
      break;
    case NS_TYPE_CHOICE:
      allowed = g_strdup_printf (_ ("one of %s"), names);
      break;
    case NS_TYPE_SCALE:
      allowed = g_strdup_printf (_ ("a number from %s to %s, or %s"), min, max, names);
      break;
    case NS_TYPE_STRING:
      allowed = g_strdup_printf (param->one_line ? _ ("a non-empty line of UTF-8 text without control characters, at "
                                                      "most %s bytes")
                                                 : _ ("a non-empty UTF-8 text of at most %s bytes"),
                                 max);
      break;
    case NS_TYPE_LIST:
      allowed = g_strdup_printf (_ ("up to %d numbers from %s to %s"), NS_MAX_LIST, min, max);
      break;
    default:
      g_assert_not_reached ();
    }
  return param->nullable ? g_strdup_printf (_ ("%s, or null"), allowed) : g_steal_pointer (&allowed);
}
