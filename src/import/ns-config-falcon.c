/* Readers of Falcon: heads, order and norms depend on several keys together.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-readers.h"

#include "document/ns-json-node.h"

#include <glib/gi18n-lib.h>

#define NEW_BLOCKS "new_decoder_architecture"

/* Return a boolean of the config. A value that is none is refused by the row or the switch of its key. */
static gboolean
get_flag (const NsConfigReading *reading, const char *key, gboolean fallback)
{
  ns_json_node_get_boolean (json_object_get_member (reading->object, key), &fallback);
  return fallback;
}

gboolean
ns_config_read_falcon_queries (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                               JsonNode *value, GError **error)
{
  gboolean shares;

  if (!ns_json_node_get_boolean (value, &shares))
    return ns_json_node_refuse (key, value, _ ("true or false"), error);
  if (shares && !get_flag (reading, NEW_BLOCKS, FALSE))
    reading->experiment->shape.kv_heads = 1;
  return TRUE;
}

gboolean
ns_config_read_falcon_keys (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                            GError **error)
{
  gint64 number;

  if (get_flag (reading, NEW_BLOCKS, FALSE))
    return ns_config_read_value (reading, row, key, value, error);
  if (get_flag (reading, "multi_query", TRUE)
      || (ns_json_node_get_integer (value, &number) && number == reading->experiment->shape.heads))
    return TRUE;
  return ns_json_node_refuse (key, value, _ ("the number of heads, without multi_query and new_decoder_architecture"),
                              error);
}

gboolean
ns_config_read_falcon_order (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                             JsonNode *value, GError **error)
{
  gboolean has_new = get_flag (reading, NEW_BLOCKS, FALSE), parallel;

  if (!ns_json_node_get_boolean (value, &parallel))
    return ns_json_node_refuse (key, value, _ ("true or false"), error);
  if (has_new && !parallel)
    return ns_json_node_refuse (key, value, _ ("true with new_decoder_architecture"), error);
  if (parallel)
    ns_config_apply (reading, has_new ? "topology=parallel-two-norms" : "topology=parallel");
  return TRUE;
}

gboolean
ns_config_read_falcon_norms (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                             JsonNode *value, GError **error)
{
  gboolean has_new = get_flag (reading, NEW_BLOCKS, FALSE);
  gint64 norms;

  if (!ns_json_node_get_integer (value, &norms) || norms < 1 || norms > 2)
    return ns_json_node_refuse (key, value, _ ("1 or 2"), error);
  if (norms == 2 && !has_new && get_flag (reading, "parallel_attn", TRUE))
    return ns_json_node_refuse (key, value, _ ("1 without new_decoder_architecture"), error);
  if (norms == 1 && has_new)
    ns_config_apply (reading, "topology=parallel");
  return TRUE;
}
