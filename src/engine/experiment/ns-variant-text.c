/* The text of a variant, as on the command line.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include <string.h>

static gboolean
sets_name (const char *settings)
{
  return g_str_has_prefix (settings, "name=") || strstr (settings, ",name=") != NULL;
}

static void
take_name (NsVariant *variant, char *name)
{
  g_free (variant->name);
  variant->name = name;
}

/* Split "post:bias=on" into id and settings (NULL without a colon). Caller frees the id. */
static char *
split (const char *text, const char **settings)
{
  const char *colon = strchr (text, ':');

  *settings = colon != NULL ? colon + 1 : NULL;
  return colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
}

static gboolean
apply (NsVariant *variant, const char *id, const char *settings, GError **error)
{
  if (ns_variant_apply_settings (variant, settings, error))
    return TRUE;
  g_prefix_error (error, "%s:", id);
  return FALSE;
}

NsVariant *
ns_variant_from_text (const char *text, GError **error)
{
  const char *settings;
  g_autofree char *id = split (text, &settings);
  g_autoptr (NsVariant) variant = ns_variant_new_builtin (id, error);

  if (variant == NULL || settings == NULL)
    return g_steal_pointer (&variant);
  if (!apply (variant, id, settings, error))
    return NULL;
  if (!sets_name (settings))
    take_name (variant, ns_variant_dup_automatic_name (variant));
  return g_steal_pointer (&variant);
}

NsVariant *
ns_variant_wired_from_text (const NsVariant *model, const char *text, GError **error)
{
  const char *settings;
  g_autofree char *id = split (text, &settings);
  g_autoptr (NsVariant) wired = ns_variant_new_wired (model, id, error);
  g_autoptr (NsVariant) variant = NULL;

  if (wired == NULL || settings == NULL)
    return g_steal_pointer (&wired);
  variant = ns_variant_copy (wired);
  if (!apply (variant, id, settings, error))
    return NULL;
  if (!sets_name (settings))
    take_name (variant, ns_variant_dup_changed_name (variant, wired));
  return g_steal_pointer (&variant);
}
