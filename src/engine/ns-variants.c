/* The built-in variants, and variants from text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In the equations F is a sub-layer (attention or FFN), N a norm, l the block's number and L the depth.
 */
#include "engine/ns-experiment-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static const NsBuiltinVariant builtins[] = {
  { "pre", "Pre-LN", "attn.norm=pre,ffn.norm=pre",
    N_ ("x ← x + F(N(x)), then a final norm: GPT-2; Xiong et al. 2020") },
  { "post", "Post-LN", "attn.norm=post,ffn.norm=post",
    N_ ("x ← N(x + F(x)), no final norm: Vaswani et al. 2017; Xiong et al. 2020") },
  { "none", "No norm", "attn.norm=none,ffn.norm=none,final_norm=off", N_ ("x ← x + F(x), no norm anywhere") },
  { "sandwich", "Peri-LN", "attn.norm=sandwich,ffn.norm=sandwich",
    N_ ("x ← x + N(F(N(x))), then a final norm: Sandwich-LN (CogView, Ding et al. 2021), Peri-LN (Kim et al. 2025), "
        "Gemma 2") },
  { "branch", "Res-post-norm", "attn.norm=branch,ffn.norm=branch",
    N_ ("x ← x + N(F(x)), then a final norm: Swin Transformer V2 (Liu et al. 2022, there with gains of 0), OLMo 2") },
  { "pre-post", "Pre-and-Post-LN", "attn.norm=pre-post,ffn.norm=pre-post",
    N_ ("x ← N(x + F(N(x))): a norm before and a norm after each sub-layer, no final norm") },
  { "mix", "Mix-LN", "attn.norm=pre,ffn.norm=pre,post_fraction=0.25",
    N_ ("Post-LN in the first quarter of the blocks, Pre-LN in the others: Mix-LN (Li et al. 2024)") },
  { "deepnorm", "DeepNorm", "attn.norm=post,ffn.norm=post,residual_scale=deepnorm,init.residual=deepnorm",
    N_ ("x ← N(αx + F(x)), α = (2L)^(1/4); W_V, W_O and the FFN scaled by β = (8L)^(−1/4): Wang et al. 2022") },
  { "layernorm-scaling", "LayerNorm Scaling", "attn.norm=pre,ffn.norm=pre,norm_scale=layernorm-scaling",
    N_ ("x ← x + F(N(x)/√l), then a final norm: Sun et al. 2025") },
  { "parallel", "Parallel", "topology=parallel,attn.norm=pre,ffn.norm=pre",
    N_ ("x ← x + Attn(N(x)) + FFN(N(x)) with one shared norm, then a final norm: GPT-J, PaLM") },
};

const NsBuiltinVariant *
ns_builtin_variants (gsize *n)
{
  if (n != NULL)
    *n = G_N_ELEMENTS (builtins);
  return builtins;
}

static char *
list_ids (void)
{
  GString *list = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (builtins); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", builtins[i].id);
  return g_string_free (list, FALSE);
}

static char *
list_keys (void)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  GString *list = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    if (params[i].section == NS_SECTION_VARIANT)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", params[i].key);
  return g_string_free (list, FALSE);
}

static const NsBuiltinVariant *
find_builtin (const char *id, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (builtins); i++)
    if (strcmp (builtins[i].id, id) == 0)
      return &builtins[i];

  g_autofree char *quoted = ns_quote_text (id);
  g_autofree char *ids = list_ids ();
  g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
               _ ("%s is not a built-in variant; allowed: one of %s, with settings after a colon (post:bias=true)"),
               quoted, ids);
  return NULL;
}

static gboolean
apply_setting (NsVariant *variant, const char *setting, const char *where, GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *key = equals != NULL ? g_strndup (setting, (gsize) (equals - setting)) : NULL;
  const NsParam *param = key != NULL ? ns_param_find (key) : NULL;

  if (equals == NULL)
    {
      g_autofree char *quoted = ns_quote_text (setting);

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("%s%s is not a setting; allowed: KEY=VALUE, with commas between several"), where, quoted);
      return FALSE;
    }
  if (param == NULL || param->section != NS_SECTION_VARIANT)
    {
      g_autofree char *quoted = ns_quote_text (key);
      g_autofree char *keys = list_keys ();

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _ ("%s%s is not a key of a variant; allowed: one of %s"), where, quoted, keys);
      return FALSE;
    }
  return ns_param_set_text (param, variant, equals + 1, where, error);
}

static gboolean
apply_settings (NsVariant *variant, char **settings, const char *where, GError **error)
{
  for (; *settings != NULL; settings++)
    if (!apply_setting (variant, *settings, where, error))
      return FALSE;
  return TRUE;
}

NsVariant *
ns_variant_from_text (const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  const NsBuiltinVariant *builtin = find_builtin (parts[0] != NULL ? parts[0] : "", error);

  if (builtin == NULL)
    return NULL;

  g_autoptr (NsVariant) variant = ns_variant_new (builtin->name);
  g_auto (GStrv) base = g_strsplit (builtin->settings, ",", -1);
  if (!apply_settings (variant, base, "", error))
    return NULL;
  if (parts[1] == NULL)
    return g_steal_pointer (&variant);

  g_autofree char *where = g_strconcat (builtin->id, ":", NULL);
  g_auto (GStrv) settings = g_strsplit (parts[1], ",", -1);
  gboolean named = FALSE;

  if (settings[0] == NULL)
    return apply_setting (variant, "", where, error) ? g_steal_pointer (&variant) : NULL;
  if (!apply_settings (variant, settings, where, error))
    return NULL;
  for (char **setting = settings; *setting != NULL; setting++)
    named = named || g_str_has_prefix (*setting, "name=");

  if (!named)
    {
      g_autofree char *joined = g_strjoinv (", ", settings);
      g_autofree char *name = g_strdup_printf ("%s (%s)", builtin->name, joined);

      ns_param_set_string (ns_param_find ("name"), variant, name, where, NULL);
    }
  return g_steal_pointer (&variant);
}
