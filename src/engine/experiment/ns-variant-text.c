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

NsVariant *
ns_variant_from_text (const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *id = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  g_autoptr (NsVariant) variant = ns_variant_new_builtin (id, error);

  if (variant == NULL || colon == NULL)
    return g_steal_pointer (&variant);
  if (!ns_variant_apply_settings (variant, colon + 1, error))
    {
      g_prefix_error (error, "%s:", id);
      return NULL;
    }
  if (!sets_name (colon + 1))
    {
      char *name = ns_variant_dup_automatic_name (variant);

      g_free (variant->name);
      variant->name = name;
    }
  return g_steal_pointer (&variant);
}
