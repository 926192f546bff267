/* A variant wired as a built-in one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Where norms and residuals are, and the scales of residuals and branches: always those of the built-in variant. */
static const char *const wiring_keys[] = {
  "topology",      "attn.norm",         "attn.residual",  "attn.inner_norm", "cross.norm",
  "cross.residual", "cross.inner_norm", "ffn.norm",       "ffn.residual",    "ffn.inner_norm",
  "post_fraction", "norm_scale",        "residual_scale", "branch_scale",    "branch_parameter",
  "branch_norm_gain", "block_residual", "dual_residual",  "final_norm",      "first_block_pre",
  "streams",        "stream_weights",
  "ngpt",          NULL,
};

static gboolean
sets (const NsBuiltinVariant *builtin, const char *key)
{
  g_auto (GStrv) settings = g_strsplit (builtin->settings, ",", -1);

  for (char **setting = settings; *setting != NULL; setting++)
    if (g_str_has_prefix (*setting, key) && (*setting)[strlen (key)] == '=')
      return TRUE;
  return FALSE;
}

/* Some keys are only if the row sets them: the sub-layers; a norm on queries and keys; the scale of the input, which a
 * norm on the embedding would undo; and the factor on the branches' weights, which belongs to the scales of the
 * residuals (DeepNorm) unless the row has a whole initialization. */
gboolean
ns_builtin_variant_is_wiring_key (const NsBuiltinVariant *builtin, const char *key)
{
  if (g_strv_contains (wiring_keys, key))
    return TRUE;
  if (strcmp (key, "init.residual") == 0)
    return sets (builtin, key) && !sets (builtin, "init.scheme");
  if (strcmp (key, "input_norm") == 0)
    return sets (builtin, "input_scale");
  return (strcmp (key, "qk_norm") == 0 || strcmp (key, "input_scale") == 0 || strcmp (key, "sublayers") == 0)
         && sets (builtin, key);
}

/* Return the settings of the row that are no wiring, "init.scheme=small,init.residual=wang". Caller frees. */
static char *
dup_other_settings (const NsBuiltinVariant *builtin)
{
  g_auto (GStrv) settings = g_strsplit (builtin->settings, ",", -1);
  g_autoptr (GString) others = g_string_new (NULL);

  for (char **setting = settings; *setting != NULL; setting++)
    {
      g_autofree char *key = g_strndup (*setting, strcspn (*setting, "="));

      if (!ns_builtin_variant_is_wiring_key (builtin, key))
        g_string_append_printf (others, "%s%s", others->len > 0 ? "," : "", *setting);
    }
  return g_string_free (g_steal_pointer (&others), FALSE);
}

gboolean
ns_builtin_variant_is_wiring (const NsBuiltinVariant *builtin)
{
  return builtin->group != NS_VARIANT_INIT && (builtin->group != NS_VARIANT_NORM || sets (builtin, "qk_norm"));
}

/* Refuse a built-in variant that is no wiring. */
static gboolean
check (const NsBuiltinVariant *builtin, GError **error)
{
  if (!ns_builtin_variant_is_wiring (builtin))
    {
      g_autofree char *others = dup_other_settings (builtin);

      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, NULL,
                               _ ("%s is a kind of norm or an initialization and no wiring of norms and residuals; "
                                  "allowed: %s:%s, the model with these settings"),
                               builtin->id, NS_VARIANT_MODEL, others);
      return FALSE;
    }
  return TRUE;
}

/* Return TRUE if the wiring has keys that another one may leave as they are. */
static gboolean
leaves_traces (const NsBuiltinVariant *builtin)
{
  return sets (builtin, "qk_norm") || sets (builtin, "input_scale")
         || (sets (builtin, "init.residual") && !sets (builtin, "init.scheme"));
}

/* Return the name of `model`, wired as `builtin`: "GPT-2 as Post-LN", also for a model that is called "GPT-2 as
 * Pre-LN", of which nothing remains; but "GPT-2 as DeepNorm as Post-LN", which has DeepNorm's weights. A name that
 * follows the settings still does. Caller frees. */
static char *
dup_name (const NsVariant *model, const NsVariant *wired, const char *builtin)
{
  g_autofree char *base = g_strdup (model->name);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  if (ns_variant_has_automatic_name (model))
    return ns_variant_dup_automatic_name (wired);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *ending = g_strdup_printf (_ ("%s as %s"), "", builtins[i].name);

      if (g_str_has_suffix (base, ending) && strlen (base) > strlen (ending) && !leaves_traces (&builtins[i]))
        {
          base[strlen (base) - strlen (ending)] = '\0';
          break;
        }
    }
  /* Translators: a model and a built-in variant: "GPT-2 as Post-LN" */
  return g_strdup_printf (_ ("%s as %s"), base, builtin);
}

NsVariant *
ns_variant_new_wired (const NsVariant *model, const char *id, GError **error)
{
  g_autoptr (NsVariant) builtin = NULL;
  NsVariant *variant;
  char *name;
  gsize n;
  const NsParam *params = ns_params (&n);

  if (strcmp (id, NS_VARIANT_MODEL) == 0)
    return ns_variant_copy (model);
  builtin = ns_variant_new_builtin (id, error);
  if (builtin == NULL || !check (ns_builtin_variant_find (id), error))
    return NULL;
  variant = ns_variant_copy (model);
  for (gsize i = 0; i < n; i++)
    if (ns_param_is_in_variant (&params[i])
        && ns_builtin_variant_is_wiring_key (ns_builtin_variant_find (id), params[i].key))
      {
        g_autofree char *value = ns_param_dup_text (&params[i], builtin);

        if (!ns_param_set_text (&params[i], variant, value, "", NULL))
          g_critical ("%s=%s cannot be set", params[i].key, value);
      }
  name = dup_name (model, variant, builtin->name);
  g_free (variant->name);
  variant->name = name;
  return variant;
}
