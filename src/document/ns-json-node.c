/* Parsed JSON as text again.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-json-node.h"

#include "document/ns-json-writer.h"

static void write_node (NsJsonWriter *writer, const char *key, JsonNode *node);

static void
write_object (NsJsonWriter *writer, const char *key, JsonObject *object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  ns_json_open (writer, key, '{');
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    write_node (writer, name, member);
  ns_json_close (writer, '}');
}

static void
write_array (NsJsonWriter *writer, const char *key, JsonArray *array)
{
  ns_json_open (writer, key, '[');
  for (guint i = 0; i < json_array_get_length (array); i++)
    write_node (writer, NULL, json_array_get_element (array, i));
  ns_json_close (writer, ']');
}

static void
write_node (NsJsonWriter *writer, const char *key, JsonNode *node)
{
  GType type = json_node_get_value_type (node);

  if (JSON_NODE_HOLDS_OBJECT (node))
    write_object (writer, key, json_node_get_object (node));
  else if (JSON_NODE_HOLDS_ARRAY (node))
    write_array (writer, key, json_node_get_array (node));
  else if (JSON_NODE_HOLDS_NULL (node))
    ns_json_string (writer, key, NULL);
  else if (type == G_TYPE_STRING)
    ns_json_string (writer, key, json_node_get_string (node));
  else if (type == G_TYPE_BOOLEAN)
    ns_json_boolean (writer, key, json_node_get_boolean (node));
  else if (type == G_TYPE_INT64)
    ns_json_integer (writer, key, json_node_get_int (node));
  else
    ns_json_number (writer, key, json_node_get_double (node));
}

char *
ns_json_dup_node (JsonNode *node)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  writer.tight = TRUE;
  write_node (&writer, NULL, node);
  return ns_json_writer_finish_text (&writer);
}
