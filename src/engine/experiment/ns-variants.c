/* Create, copy and free variants, and read them from text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-variants.h"

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-params-private.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-weight-source.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- values ---- */

NsVariant *
ns_variant_new (const char *name)
{
  NsVariant *variant = g_new0 (NsVariant, 1);

  g_return_val_if_fail (name != NULL && *name != '\0', variant);

  ns_params_reset (variant, TRUE);
  variant->name = g_strdup (name);
  return variant;
}

NsVariant *
ns_variant_copy (const NsVariant *variant)
{
  NsVariant *copy = g_new0 (NsVariant, 1);

  ns_params_copy (copy, variant, sizeof *copy, TRUE);
  ns_weight_source_ref (copy->source);
  return copy;
}

void
ns_variant_free (NsVariant *variant)
{
  if (variant == NULL)
    return;
  ns_weight_source_unref (variant->source);
  ns_params_clear (variant, TRUE);
  g_free (variant);
}

/* ---- text ---- */

static char *
list_ids (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  GString *list = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
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
  const NsBuiltinVariant *builtin = ns_builtin_variant_find (id);

  if (builtin != NULL)
    return builtin;

  g_autofree char *quoted = ns_quote_text (id);
  g_autofree char *ids = list_ids ();
  ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, NULL,
                           _ ("%s is not a built-in variant; allowed: one of %s, with settings after a colon "
                              "(post:bias=true)"),
                           quoted, ids);
  return NULL;
}

static gboolean
apply_setting (NsVariant *variant, const char *setting, GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *key = equals != NULL ? g_strndup (setting, (gsize) (equals - setting)) : NULL;
  const NsParam *param = key != NULL ? ns_param_find (key) : NULL;

  if (equals == NULL)
    {
      g_autofree char *quoted = ns_quote_text (setting);

      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, NULL,
                               _ ("%s is not a setting; allowed: KEY=VALUE, several separated by commas"), quoted);
      return FALSE;
    }
  if (param == NULL || param->section != NS_SECTION_VARIANT)
    {
      g_autofree char *quoted = ns_quote_text (key);
      g_autofree char *keys = list_keys ();

      ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, key,
                               _ ("%s is not a key of a variant; allowed: one of %s"), quoted, keys);
      return FALSE;
    }
  return ns_param_set_text (param, variant, equals + 1, "", error);
}

gboolean
ns_variant_apply_settings (NsVariant *variant, const char *text, GError **error)
{
  g_auto (GStrv) settings = g_strsplit (text, ",", -1);

  /* Splitting an empty text gives no settings, but one is required. */
  if (settings[0] == NULL)
    return apply_setting (variant, "", error);
  for (char **setting = settings; *setting != NULL; setting++)
    if (!apply_setting (variant, *setting, error))
      return FALSE;
  return TRUE;
}

NsVariant *
ns_variant_new_builtin (const char *id, GError **error)
{
  const NsBuiltinVariant *builtin = find_builtin (id, error);
  g_autoptr (NsVariant) variant = NULL;

  if (builtin == NULL)
    return NULL;
  variant = ns_variant_new (builtin->name);
  if (*builtin->settings != '\0' && !ns_variant_apply_settings (variant, builtin->settings, error))
    return NULL;
  return g_steal_pointer (&variant);
}
