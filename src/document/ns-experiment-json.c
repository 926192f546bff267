/* Read experiment files (*.normscope): JSON with the keys of the parameter table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"

#include "document/ns-json-node.h"
#include "document/ns-json-writer.h"
#include "document/ns-short-text.h"
#include "document/ns-suggest.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

static const char *
section_key (NsSection section)
{
  switch (section)
    {
    case NS_SECTION_SHAPE:
      return "shape";
    case NS_SECTION_DATA:
      return "data";
    case NS_SECTION_SAMPLING:
      return "sampling";
    case NS_SECTION_TRAINING:
      return "training";
    case NS_SECTION_TOP:
    case NS_SECTION_VARIANT:
    default:
      return NULL;
    }
}

/* ---- messages ---- */

static gboolean
refuse_key (const char *path, const char *key, JsonNode *node, GPtrArray *allowed, GError **error)
{
  g_autofree char *value = ns_json_node_dup_short (node);
  g_autofree char *place = ns_short_text (path, NS_JSON_MAX_PATH);
  g_autofree char *advice = NULL;

  g_ptr_array_add (allowed, NULL);
  advice = ns_suggest_dup_text (key, (const char *const *) allowed->pdata);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s: unknown key, with the value %s. %s"), place,
               value, advice);
  return FALSE;
}

/* ---- reading ---- */

static gboolean
read_value (const NsParam *param, gpointer base, JsonNode *node, const char *where, GError **error)
{
  g_autofree char *allowed = NULL;
  g_autofree char *path = NULL;
  g_autofree char *list = ns_json_node_dup_list (node);
  GType type = json_node_get_value_type (node);

  if (JSON_NODE_HOLDS_NULL (node) && param->nullable)
    return ns_param_set_string (param, base, NULL, where, error);
  if (param->type == NS_TYPE_LIST && list != NULL)
    return ns_param_set_string (param, base, list, where, error);
  if (JSON_NODE_HOLDS_VALUE (node) && param->type != NS_TYPE_LIST)
    {
      if (type == G_TYPE_STRING)
        return ns_param_set_string (param, base, json_node_get_string (node), where, error);
      if (type == G_TYPE_BOOLEAN && param->type == NS_TYPE_BOOLEAN)
        return ns_param_set_int (param, base, json_node_get_boolean (node), where, error);
      /* The setter would interpret the number as the index of a choice or as a boolean. */
      if (type == G_TYPE_INT64 && (param->type != NS_TYPE_BOOLEAN && param->type != NS_TYPE_CHOICE))
        return ns_param_set_int (param, base, json_node_get_int (node), where, error);
      if (type == G_TYPE_DOUBLE)
        return ns_param_set_number (param, base, json_node_get_double (node), where, error);
    }
  allowed = ns_param_dup_allowed (param);
  path = g_strconcat (where, ns_param_get_path (param), NULL);
  return ns_json_node_refuse (path, node, allowed, error);
}

/* Add the allowed names of one object: the next component of each key of `section` that begins with `prefix`. */
static void
add_allowed_keys (GPtrArray *names, NsSection section, const char *prefix)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      const char *rest;
      g_autofree char *name = NULL;

      if (params[i].section != section || !g_str_has_prefix (params[i].key, prefix))
        continue;
      rest = params[i].key + strlen (prefix);
      name = g_strndup (rest, strcspn (rest, "."));
      if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
}

/* Find the row of a key. Return NULL if there is none; *is_object is TRUE if the key is a prefix of others. */
static const NsParam *
find_row (NsSection section, const char *key, gboolean *is_object)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  gsize length = strlen (key);

  *is_object = FALSE;
  for (gsize i = 0; i < n; i++)
    {
      if (params[i].section != section || strncmp (params[i].key, key, length) != 0)
        continue;
      if (params[i].key[length] == '\0')
        return &params[i];
      if (params[i].key[length] == '.')
        *is_object = TRUE;
    }
  return NULL;
}

/* A section of the file and the struct that it is read into. */
typedef struct
{
  NsSection section;
  gpointer base;
  const char *where; /* prefix of the section's keys in messages of the table's setters */
} Reading;

/* Read one object of a section and the objects in it; the table has at most two levels. `path` is the prefix of the
 * object's keys in messages. */
static gboolean
read_object (const Reading *reading, JsonNode *node, const char *prefix, const char *path, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      g_autofree char *object = g_strndup (path, strlen (path) - 1);

      return ns_json_node_refuse (object, node, _ ("an object { … }"), error);
    }
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      g_autofree char *key = g_strconcat (prefix, name, NULL);
      g_autofree char *member_path = g_strconcat (path, name, NULL);
      gboolean is_object;
      const NsParam *param = find_row (reading->section, key, &is_object);

      if (param != NULL)
        {
          if (!read_value (param, reading->base, member, reading->where, error))
            return FALSE;
        }
      else if (is_object)
        {
          g_autofree char *below = g_strconcat (key, ".", NULL);
          g_autofree char *below_path = g_strconcat (member_path, ".", NULL);

          if (!read_object (reading, member, below, below_path, error))
            return FALSE;
        }
      else
        {
          g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

          add_allowed_keys (names, reading->section, prefix);
          return refuse_key (member_path, name, member, names, error);
        }
    }
  return TRUE;
}

static gboolean
read_variants (NsExperiment *experiment, JsonNode *node, GError **error)
{
  JsonArray *array;
  guint n;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return ns_json_node_refuse ("variants", node, _ ("an array [ … ] of objects"), error);
  array = json_node_get_array (node);
  n = json_array_get_length (array);
  if (n < 1 || n > NS_MAX_VARIANTS)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("variants: %u variants are not allowed; allowed: from 1 to %d"), n, NS_MAX_VARIANTS);
      return FALSE;
    }
  g_ptr_array_set_size (experiment->variants, 0);
  for (guint v = 0; v < n; v++)
    {
      NsVariant *variant = ns_variant_new ("Pre-LN");
      g_autofree char *where = g_strdup_printf ("variants[%u].", v);
      Reading reading = { NS_SECTION_VARIANT, variant, where };

      g_ptr_array_add (experiment->variants, variant);
      if (!read_object (&reading, json_array_get_element (array, v), "", where, error))
        return FALSE;
      if (!json_object_has_member (json_array_get_object_element (array, v), "name"))
        ns_experiment_name_variant (experiment, v);
    }
  return TRUE;
}

static gboolean
check_format (JsonObject *object, gboolean is_minimal, GError **error)
{
  JsonNode *format = json_object_get_member (object, "format");
  JsonNode *version = json_object_get_member (object, "version");
  gint64 number;

  if (format == NULL && !is_minimal)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("format: the key is missing, so this is not an experiment file; expected: \"format\": \"%s\""),
                   NS_EXPERIMENT_FORMAT);
      return FALSE;
    }
  if (format != NULL && g_strcmp0 (ns_json_node_get_string (format), NS_EXPERIMENT_FORMAT) != 0)
    return ns_json_node_refuse ("format", format, "\"" NS_EXPERIMENT_FORMAT "\"", error);
  if (version == NULL)
    return TRUE;
  if (!ns_json_node_get_integer (version, &number) || number < 1)
    return ns_json_node_refuse ("version", version, G_STRINGIFY (NS_EXPERIMENT_VERSION), error);
  if (number > NS_EXPERIMENT_VERSION)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("version: %lld needs a newer Normscope; allowed: up to %d"),
                   (long long) number, NS_EXPERIMENT_VERSION);
      return FALSE;
    }
  return TRUE;
}

static gboolean
refuse_top_key (const char *name, JsonNode *node, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (names, g_strdup ("format"));
  g_ptr_array_add (names, g_strdup ("version"));
  for (NsSection section = NS_SECTION_SHAPE; section <= NS_SECTION_VARIANT; section++)
    {
      if (section == NS_SECTION_TOP)
        add_allowed_keys (names, section, "");
      else if (section_key (section) != NULL)
        g_ptr_array_add (names, g_strdup (section_key (section)));
    }
  g_ptr_array_add (names, g_strdup ("variants"));
  return refuse_key (name, name, node, names, error);
}

static gboolean
read_member (NsExperiment *experiment, const char *name, JsonNode *node, GError **error)
{
  Reading reading = { NS_SECTION_TOP, experiment, "" };
  gboolean is_object;
  const NsParam *param;

  if (strcmp (name, "format") == 0 || strcmp (name, "version") == 0)
    return TRUE;
  if (strcmp (name, "variants") == 0)
    return read_variants (experiment, node, error);
  for (NsSection section = NS_SECTION_SHAPE; section <= NS_SECTION_VARIANT; section++)
    if (g_strcmp0 (section_key (section), name) == 0)
      {
        g_autofree char *path = g_strconcat (name, ".", NULL);

        reading.section = section;
        return read_object (&reading, node, "", path, error);
      }
  param = find_row (NS_SECTION_TOP, name, &is_object);
  if (param != NULL)
    return read_value (param, experiment, node, "", error);
  return refuse_top_key (name, node, error);
}

static NsExperiment *
experiment_from_root (JsonNode *root, gboolean is_minimal, GError **error)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      ns_json_node_refuse (_ ("the whole file"), root, _ ("an object { … }"), error);
      return NULL;
    }
  if (!check_format (json_node_get_object (root), is_minimal, error))
    return NULL;
  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &name, &member))
    if (!read_member (experiment, name, member, error))
      return NULL;
  ns_experiment_fill_text (experiment);
  return ns_experiment_validate (experiment, error) ? g_steal_pointer (&experiment) : NULL;
}

NsExperiment *
ns_experiment_from_node (JsonNode *node, GError **error)
{
  return experiment_from_root (node, TRUE, error);
}

/* ns_json_check() reports values such as NaN before there is a tree. */
char *
ns_experiment_dup_allowed (const char *path)
{
  const NsParam *param;
  const char *bracket = g_str_has_prefix (path, "variants[") ? strchr (path, ']') : NULL;

  if (bracket != NULL && bracket[1] == '.')
    path = bracket + 2;
  param = ns_param_find (path);
  return param != NULL ? ns_param_dup_allowed (param) : NULL;
}

static NsExperiment *
read_bytes (GBytes *bytes, const char *name, gboolean is_minimal, GError **error)
{
  g_autoptr (JsonNode) root
      = ns_json_node_from_bytes (bytes, name, _ ("an experiment file"), ns_experiment_dup_allowed, error);
  g_autoptr (GError) cause = NULL;
  NsExperiment *experiment;

  if (root == NULL)
    return NULL;
  experiment = experiment_from_root (root, is_minimal, &cause);
  if (experiment == NULL)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", name, cause->message);
  return experiment;
}

NsExperiment *
ns_experiment_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  return read_bytes (bytes, name, FALSE, error);
}

NsExperiment *
ns_experiment_from_minimal (GBytes *bytes, const char *name, GError **error)
{
  return read_bytes (bytes, name, TRUE, error);
}

NsExperiment *
ns_experiment_from_path (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_EXPERIMENT, error);

  return bytes != NULL ? ns_experiment_from_bytes (bytes, path, error) : NULL;
}
