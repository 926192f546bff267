/* Shared helpers for reading a model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-config-reading.h"

#include "engine/experiment/ns-experiment.h"

#include <string.h>

/* ---- the config ---- */

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
