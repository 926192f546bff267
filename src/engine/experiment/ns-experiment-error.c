/* Errors of an experiment's settings, with the keys they are about.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment-error.h"

#include <string.h>

typedef struct
{
  GPtrArray *keys; /* char *, owned; the key at fault first */
} NsExperimentErrorPrivate;

static void
ns_experiment_error_private_init (NsExperimentErrorPrivate *private)
{
  private->keys = g_ptr_array_new_with_free_func (g_free);
}

static void
ns_experiment_error_private_copy (const NsExperimentErrorPrivate *from, NsExperimentErrorPrivate *to)
{
  to->keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < from->keys->len; i++)
    g_ptr_array_add (to->keys, g_strdup (g_ptr_array_index (from->keys, i)));
}

static void
ns_experiment_error_private_clear (NsExperimentErrorPrivate *private)
{
  g_ptr_array_unref (private->keys);
}

G_DEFINE_EXTENDED_ERROR (NsExperimentError, ns_experiment_error)

static GPtrArray *
get_keys (const GError *error)
{
  return ns_experiment_error_get_private (error)->keys;
}

const char *
ns_experiment_error_get_key (const GError *error)
{
  if (error == NULL || error->domain != NS_EXPERIMENT_ERROR || get_keys (error)->len == 0)
    return NULL;
  return g_ptr_array_index (get_keys (error), 0);
}

/* Return the path without "variants[1].". */
static const char *
skip_variant (const char *key)
{
  const char *end = g_str_has_prefix (key, "variants[") ? strstr (key, "].") : NULL;

  return end != NULL ? end + strlen ("].") : key;
}

gboolean
ns_experiment_error_involves (const GError *error, const char *path)
{
  if (ns_experiment_error_get_key (error) == NULL)
    return FALSE;
  for (guint i = 0; i < get_keys (error)->len; i++)
    if (strcmp (skip_variant (g_ptr_array_index (get_keys (error), i)), path) == 0)
      return TRUE;
  return FALSE;
}

void
ns_experiment_error_set (GError **error, NsExperimentError code, const char *key, const char *format, ...)
{
  va_list args;

  if (error == NULL)
    return;
  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (NS_EXPERIMENT_ERROR, (int) code, format, args));
  va_end (args);
  if (key != NULL)
    ns_experiment_error_add_key (error, key);
}

void
ns_experiment_error_add_key (GError **error, const char *key)
{
  if (error == NULL || *error == NULL)
    return;
  g_return_if_fail ((*error)->domain == NS_EXPERIMENT_ERROR);
  g_ptr_array_add (get_keys (*error), g_strdup (key));
}
