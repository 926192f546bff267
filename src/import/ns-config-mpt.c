/* Readers of MPT: the width of the FFN as a factor, and the object of the attention.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-readers.h"

#include "document/ns-json-node.h"

#include <glib/gi18n-lib.h>
#include <math.h>

gboolean
ns_config_read_widths (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                       GError **error)
{
  double factor, width = 0;
  g_autoptr (JsonNode) product = NULL;

  if (ns_json_node_get_number (value, &factor))
    width = factor * (double) reading->experiment->shape.d_model;
  if (!(width >= 1 && width <= G_MAXINT32) || width != floor (width))
    return ns_json_node_refuse (key, value, _ ("a number that gives a whole number of features"), error);
  product = json_node_init_int (json_node_alloc (), (gint64) width);
  return ns_config_read_value (reading, row, key, product, error);
}

/* ---- attn_config ---- */

/* Members that an experiment has with one value only: the JSON of that value, which is also the default. */
static const struct
{
  const char *key, *allowed;
} fixed[] = {
  { "alibi", "true" },
  { "alibi_bias_max", "8" },
  { "attn_type", "\"multihead_attention\"" },
  { "clip_qkv", "null" },
  { "prefix_lm", "false" },
  { "qk_gn", "false" },
  { "qk_ln", "false" },
  { "rope", "false" },
  { "sliding_window_size", "-1" },
};

static gboolean
check_fixed (const char *key, JsonObject *object, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fixed); i++)
    {
      JsonNode *node = json_object_get_member (object, fixed[i].key);
      g_autoptr (JsonNode) allowed = json_from_string (fixed[i].allowed, NULL);
      g_autofree char *path = g_strdup_printf ("%s.%s", key, fixed[i].key);
      double number, wanted;
      gboolean same;

      if (!ns_config_is_set (node))
        continue;
      if (ns_json_node_get_number (node, &number) && ns_json_node_get_number (allowed, &wanted))
        same = number == wanted;
      else
        same = json_node_equal (node, allowed);
      if (!same)
        return ns_json_node_refuse (path, node, fixed[i].allowed, error);
    }
  return TRUE;
}

gboolean
ns_config_read_mpt_attention (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                              JsonNode *value, GError **error)
{
  const NsConfigRow scale = { .target = "attention_scale" };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (value) ? json_node_get_object (value) : NULL;
  g_autofree char *path = g_strdup_printf ("%s.softmax_scale", key);
  JsonNode *node;

  if (object == NULL)
    return ns_json_node_refuse (key, value, _ ("an object"), error);
  if (!check_fixed (key, object, error))
    return FALSE;
  node = json_object_get_member (object, "softmax_scale");
  return !ns_config_is_set (node) || ns_config_read_value (reading, &scale, path, node, error);
}
