/* Parse untrusted JSON; typed access to its nodes; error messages about them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-json-node.h"

#include "document/ns-file.h"
#include "document/ns-json-writer.h"
#include "document/ns-short-text.h"
#include "engine/experiment/ns-params.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static JsonNode *
parse (GBytes *bytes, guint max_values, const char *name, const char *expected,
       NsJsonAllowedFunc allowed, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) cause = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  gsize max_bytes = ns_file_get_max_bytes (NS_FILE_EXPERIMENT); /* the largest that such a document has */

  if (length > max_bytes)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s is too large; allowed: up to %zu %s for %s"), name, max_bytes >> 20, "MiB", expected);
      return NULL;
    }
  text = ns_file_skip_bom (text, &length);
  if (!ns_json_check (text, length, max_values, name, expected, allowed, error))
    return NULL;
  if (json_parser_load_from_data (parser, text, (gssize) length, &cause))
    return json_parser_steal_root (parser);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", name, cause->message);
  return NULL;
}

JsonNode *
ns_json_node_from_bytes (GBytes *bytes, const char *name, const char *expected, NsJsonAllowedFunc allowed,
                         GError **error)
{
  return parse (bytes, NS_JSON_MAX_VALUES, name, expected, allowed, error);
}

JsonNode *
ns_json_node_from_recording (GBytes *bytes, const char *name, const char *expected, GError **error)
{
  return parse (bytes, NS_JSON_MAX_VALUES_OF_TRAINING, name, expected, NULL, error);
}

/* ---- values ---- */

static gboolean
has_type (JsonNode *node, GType type)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

const char *
ns_json_node_get_string (JsonNode *node)
{
  return has_type (node, G_TYPE_STRING) ? json_node_get_string (node) : NULL;
}

gboolean
ns_json_node_get_integer (JsonNode *node, gint64 *value)
{
  if (!has_type (node, G_TYPE_INT64))
    return FALSE;
  *value = json_node_get_int (node);
  return TRUE;
}

gboolean
ns_json_node_get_number (JsonNode *node, double *value)
{
  gint64 integer;

  if (ns_json_node_get_integer (node, &integer))
    *value = (double) integer;
  else if (has_type (node, G_TYPE_DOUBLE))
    *value = json_node_get_double (node);
  else
    return FALSE;
  return isfinite (*value);
}

gboolean
ns_json_node_get_boolean (JsonNode *node, gboolean *value)
{
  if (!has_type (node, G_TYPE_BOOLEAN))
    return FALSE;
  *value = json_node_get_boolean (node);
  return TRUE;
}

char *
ns_json_node_dup_list (JsonNode *node)
{
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = array != NULL ? json_array_get_length (array) : 0;
  g_autofree double *numbers = g_new (double, n);

  for (guint i = 0; i < n; i++)
    if (!ns_json_node_get_number (json_array_get_element (array, i), &numbers[i]))
      return NULL;
  return array != NULL ? ns_param_dup_list (numbers, n) : NULL;
}

/* ---- text ---- */

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
ns_json_node_dup_text (JsonNode *node)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  writer.tight = TRUE;
  write_node (&writer, NULL, node);
  return ns_json_writer_finish_text (&writer);
}

char *
ns_json_node_dup_short (JsonNode *node)
{
  g_autofree char *text = ns_json_node_dup_text (node);

  return ns_short_text (text, NS_SHORT_MAX_QUOTED);
}

gboolean
ns_json_node_refuse (const char *path, JsonNode *node, const char *allowed, GError **error)
{
  g_autofree char *value = ns_json_node_dup_short (node);
  g_autofree char *place = ns_short_text (path, NS_JSON_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s: %s is not allowed; allowed: %s"), place,
               value, allowed);
  return FALSE;
}
