/* Shared helpers for reading a model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-reading.h"

#include "engine/experiment/ns-experiment.h"

#include <string.h>

/* ---- the config ---- */

JsonObject *
ns_config_copy_object (JsonObject *object)
{
  JsonObject *copy = json_object_new ();
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    json_object_set_member (copy, name, json_node_copy (node));
  return copy;
}

gboolean
ns_config_is_set (JsonNode *node)
{
  return node != NULL && !JSON_NODE_HOLDS_NULL (node);
}

JsonNode *
ns_config_find_member (JsonObject *object, const char *keys, const char **key)
{
  g_auto (GStrv) names = g_strsplit (keys, "|", -1);
  JsonNode *found = NULL;

  *key = g_intern_string (names[0]);
  for (guint i = 0; names[i] != NULL; i++)
    {
      JsonNode *node = json_object_get_member (object, names[i]);

      if (node == NULL || (found != NULL && !ns_config_is_set (node)))
        continue;
      found = node;
      *key = g_intern_string (names[i]);
      if (ns_config_is_set (node))
        break;
    }
  return found;
}

const char *
ns_config_get_key (const NsConfigReading *reading, const char *target)
{
  const char *key = target;

  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && reading->family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = reading->family->rows[g]; row->keys != NULL; row++)
      if (g_strcmp0 (row->target, target) == 0)
        {
          ns_config_find_member (reading->object, row->keys, &key);
          return key;
        }
  return key;
}

gboolean
ns_config_family_reads (const NsConfigFamily *family, const char *key)
{
  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && family->switches[g] != NULL; g++)
    for (const NsConfigSwitch *row = family->switches[g]; row->key != NULL; row++)
      if (strcmp (row->key, key) == 0)
        return TRUE;
  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = family->rows[g]; row->keys != NULL; row++)
      {
        g_auto (GStrv) names = g_strsplit (row->keys, "|", -1);

        if (g_strv_contains ((const char *const *) names, key))
          return TRUE;
      }
  return FALSE;
}

/* ---- the experiment ---- */

gpointer
ns_config_get_base (const NsConfigReading *reading, const NsParam *param)
{
  return param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (reading->experiment, 0)
                                              : (gpointer) reading->experiment;
}

void
ns_config_apply (NsConfigReading *reading, const char *settings)
{
  g_auto (GStrv) parts = g_strsplit (settings, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *value = strchr (parts[i], '=');
      const NsParam *param;

      if (value == NULL)
        continue;
      *value++ = '\0';
      param = ns_param_find (parts[i]);
      if (param == NULL || !ns_param_set_text (param, ns_config_get_base (reading, param), value, "", NULL))
        g_critical ("%s: %s=%s cannot be set", reading->family->model_type, parts[i], value);
    }
}

void
ns_config_take_note (NsConfigReading *reading, char *note)
{
  if (g_ptr_array_find_with_equal_func (reading->notes, note, g_str_equal, NULL))
    g_free (note);
  else
    g_ptr_array_add (reading->notes, note);
}
