/* Readers of windows of attention: their size, and which blocks have it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-readers.h"

#include "document/ns-json-node.h"
#include "engine/experiment/ns-derived.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- which blocks ---- */

/* Return TRUE when the settings give exactly these blocks the window. */
static gboolean
gives (NsWindowSettings settings, const gboolean *has_window, gint64 depth)
{
  NsVariant variant = { .window = settings };

  for (gint64 layer = 1; layer <= depth; layer++)
    if ((ns_variant_get_window (&variant, layer) > 0) != has_window[layer - 1])
      return FALSE;
  return TRUE;
}

/* Find settings for the blocks: full attention below, and in every n-th block above. */
static gboolean
find_settings (NsWindowSettings *settings, const gboolean *has_window, gint64 depth)
{
  gint64 full = 0, period = 0;

  while (full < depth && !has_window[full])
    full++;
  for (gint64 layer = full + 1; layer <= depth && period == 0; layer++)
    if (!has_window[layer - 1])
      period = layer;
  /* the first full block after one with a window has a number that is a multiple of n; the blocks below may be full for
   * their number, too */
  for (int below = 0; below < 2; below++)
    for (gint64 n = 0; n <= period; n++)
      if (n == 0 || period % n == 0)
        {
          *settings = (NsWindowSettings){ settings->size, n, below == 0 ? 0 : full };
          if (gives (*settings, has_window, depth))
            return TRUE;
        }
  return FALSE;
}

gboolean
ns_config_read_layer_types (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                            JsonNode *value, GError **error)
{
  gint64 depth = reading->experiment->shape.depth;
  JsonArray *types = JSON_NODE_HOLDS_ARRAY (value) ? json_node_get_array (value) : NULL;
  NsWindowSettings *window = &ns_experiment_variant (reading->experiment, 0)->window, found = { .size = 2 };
  g_autofree gboolean *has_window = NULL;
  g_autofree char *allowed = NULL;

  if (types == NULL || json_array_get_length (types) != depth)
    {
      allowed = g_strdup_printf (_ ("a list of %lld kinds, one for each block"), (long long) depth);
      return ns_json_node_refuse (key, value, allowed, error);
    }
  has_window = g_new0 (gboolean, depth);
  for (guint i = 0; i < depth; i++)
    {
      const char *kind = ns_json_node_get_string (json_array_get_element (types, i));

      has_window[i] = g_strcmp0 (kind, "sliding_attention") == 0;
      if (!has_window[i] && g_strcmp0 (kind, "full_attention") != 0)
        return ns_json_node_refuse (key, json_array_get_element (types, i), "full_attention, sliding_attention", error);
    }
  if (!find_settings (&found, has_window, depth))
    return ns_json_node_refuse (key, value,
                                _ ("full_attention in the first blocks and in every n-th, sliding_attention in the "
                                   "others"),
                                error);
  window->full_every = found.full_every;
  window->after = found.after;
  if (found.after >= depth)
    window->size = 0;
  return TRUE;
}

/* ---- the size ---- */

/* Add what the family's code takes for an absent key to the list of those. */
static void
add_default_number (NsConfigReading *reading, const char *key, int value)
{
  g_string_append_printf (reading->defaults, "%s%s = %d", reading->defaults->len > 0 ? ", " : "", key, value);
}

gboolean
ns_config_read_gemma3_window (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error)
{
  gint64 *size = &ns_experiment_variant (reading->experiment, 0)->window.size;
  gboolean to_both_sides = FALSE;

  if (!ns_config_read_value (reading, row, key, value, error))
    return FALSE;
  ns_json_node_get_boolean (json_object_get_member (reading->object, "use_bidirectional_attention"), &to_both_sides);
  if (to_both_sides)
    *size = *size / 2 + 1;
  return TRUE;
}

/* Read the number of blocks below those with a window. */
static gboolean
read_blocks_below (NsConfigReading *reading, GError **error)
{
  const char *key = "max_window_layers";
  NsWindowSettings *window = &ns_experiment_variant (reading->experiment, 0)->window;
  JsonNode *node = json_object_get_member (reading->object, key);
  gint64 below = 28;

  if (!ns_config_is_set (node))
    add_default_number (reading, key, (int) below);
  else if (!ns_json_node_get_integer (node, &below) || below < 0)
    return ns_json_node_refuse (key, node, _ ("a whole number of at least 0"), error);
  if (below >= reading->experiment->shape.depth)
    window->size = 0;
  else
    window->after = below;
  return TRUE;
}

gboolean
ns_config_read_qwen_window (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                            JsonNode *value, GError **error)
{
  const NsConfigRow size = { .target = "window" };
  NsWindowSettings *window = &ns_experiment_variant (reading->experiment, 0)->window;
  JsonNode *node = json_object_get_member (reading->object, "sliding_window");
  JsonNode *types = json_object_get_member (reading->object, "layer_types");
  gboolean is_used;

  if (!ns_json_node_get_boolean (value, &is_used))
    return ns_json_node_refuse (key, value, _ ("true or false"), error);
  if (!is_used || (node != NULL && !ns_config_is_set (node)))
    return TRUE;
  if (node != NULL && !ns_config_read_value (reading, &size, "sliding_window", node, error))
    return FALSE;
  if (node == NULL)
    {
      window->size = 4096;
      add_default_number (reading, "sliding_window", 4096);
    }
  return ns_config_is_set (types) ? ns_config_read_layer_types (reading, &size, "layer_types", types, error)
                                  : read_blocks_below (reading, error);
}

/* ---- rows ---- */

const NsConfigRow ns_config_window[] = {
  { "sliding_window", ns_config_read_value, "window", NS_CONFIG_OPTIONAL, TRUE },
  { NULL },
};

const NsConfigRow ns_config_qwen_window[] = {
  { "use_sliding_window", ns_config_read_qwen_window, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_config_gemma2_window[] = {
  { "sliding_window", ns_config_read_value, "window", "4096", TRUE },
  { "layer_types", ns_config_read_layer_types, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_config_gemma3_positions[] = {
  { "sliding_window", ns_config_read_gemma3_window, "window", "4096", TRUE },
  { "sliding_window_pattern|_sliding_window_pattern", ns_config_read_value, "window_full_every", "6", FALSE },
  { "layer_types", ns_config_read_layer_types, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { "rope_theta", ns_config_read_value, "rotary_base", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_local_base_freq", ns_config_read_value, "rotary_base_local", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_gemma3_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};
