/* Read the members of JSON objects.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-lecture-object.h"

#include "document/ns-file.h"
#include "document/ns-short-text.h"
#include "document/ns-suggest.h"

#include <glib/gi18n-lib.h>

void
ns_object_init (NsObject *self, JsonNode *node, const char *path, GError **error)
{
  *self = (NsObject) { .path = g_strdup (path), .keys = g_ptr_array_new (), .error = error };
  if (node == NULL)
    return;
  if (JSON_NODE_HOLDS_OBJECT (node))
    self->object = json_node_get_object (node);
  else if (*error == NULL)
    ns_json_node_refuse (*path != '\0' ? path : _ ("the whole file"), node, _ ("an object { … }"), error);
}

void
ns_object_clear (NsObject *self)
{
  g_free (self->path);
  g_ptr_array_unref (self->keys);
}

gboolean
ns_object_failed (const NsObject *self)
{
  return *self->error != NULL || self->object == NULL;
}

char *
ns_object_dup_path (const NsObject *self, const char *key)
{
  return *self->path != '\0' ? g_strconcat (self->path, ".", key, NULL) : g_strdup (key);
}

static gboolean
refuse_unknown (NsObject *self, const char *key, JsonNode *node)
{
  g_autofree char *path = ns_object_dup_path (self, key);
  g_autofree char *place = ns_short_text (path, NS_JSON_MAX_PATH);
  g_autofree char *value = ns_json_node_dup_short (node);
  g_autofree char *advice = NULL;

  g_ptr_array_add (self->keys, NULL);
  advice = ns_suggest_dup_text (key, (const char *const *) self->keys->pdata);
  return ns_short_refuse (self->error, NS_SHORT_MAX_MESSAGE, _ ("%s: unknown key, with the value %s. %s"), place, value,
                          advice);
}

gboolean
ns_object_end (NsObject *self)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  if (ns_object_failed (self))
    return FALSE;
  json_object_iter_init_ordered (&iter, self->object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    if (!g_ptr_array_find_with_equal_func (self->keys, name, g_str_equal, NULL))
      return refuse_unknown (self, name, node);
  return TRUE;
}

JsonNode *
ns_object_get (NsObject *self, const char *key)
{
  g_ptr_array_add (self->keys, (gpointer) key);
  return ns_object_failed (self) ? NULL : json_object_get_member (self->object, key);
}

JsonNode *
ns_object_require (NsObject *self, const char *key)
{
  JsonNode *node = ns_object_get (self, key);

  if (node == NULL && !ns_object_failed (self))
    {
      g_autofree char *path = ns_object_dup_path (self, key);

      ns_short_refuse (self->error, NS_SHORT_MAX_MESSAGE, _ ("%s: the key is missing"), path);
    }
  return node;
}

/* ---- values ---- */

static gboolean
refuse_node (NsObject *self, const char *path, JsonNode *node, char *allowed)
{
  g_autofree char *taken = allowed;

  return *self->error == NULL && ns_json_node_refuse (path, node, taken, self->error);
}

gboolean
ns_object_refuse (NsObject *self, const char *key, char *allowed)
{
  g_autofree char *path = ns_object_dup_path (self, key);

  return refuse_node (self, path, json_object_get_member (self->object, key), allowed);
}

gboolean
ns_object_get_boolean (NsObject *self, const char *key, gboolean *value)
{
  JsonNode *node = ns_object_get (self, key);

  if (node == NULL)
    return FALSE;
  return ns_json_node_get_boolean (node, value) || ns_object_refuse (self, key, g_strdup (_ ("true or false")));
}

gboolean
ns_object_get_integer (NsObject *self, const char *key, gint64 min, gint64 max, gint64 *value)
{
  JsonNode *node = ns_object_get (self, key);
  gint64 read;

  if (node == NULL)
    return FALSE;
  if (!ns_json_node_get_integer (node, &read) || read < min || read > max)
    return ns_object_refuse (self, key, g_strdup_printf (_ ("a whole number from %lld to %lld"), (long long) min,
                                                         (long long) max));
  *value = read;
  return TRUE;
}

gboolean
ns_object_get_number (NsObject *self, const char *key, double min, double max, double *value)
{
  JsonNode *node = ns_object_get (self, key);
  double read;

  if (node == NULL)
    return FALSE;
  if (!ns_json_node_get_number (node, &read) || read < min || read > max)
    return ns_object_refuse (self, key, g_strdup_printf (_ ("a number from %g to %g"), min, max));
  *value = read;
  return TRUE;
}

/* Join the lines of an array. Return NULL if an item is no string. */
static char *
dup_lines (JsonNode *node)
{
  JsonArray *array = json_node_get_array (node);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      const char *line = ns_json_node_get_string (json_array_get_element (array, i));

      if (line == NULL)
        return NULL;
      g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", line);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
ns_object_get_text (NsObject *self, const char *key, char **value)
{
  JsonNode *node = ns_object_get (self, key);
  char *text;

  if (node == NULL)
    return FALSE;
  text = JSON_NODE_HOLDS_ARRAY (node) ? dup_lines (node) : g_strdup (ns_json_node_get_string (node));
  if (text == NULL)
    return ns_object_refuse (self, key, g_strdup (_ ("a text, or an array of lines")));
  g_free (*value);
  *value = text;
  return TRUE;
}

gboolean
ns_object_get_word (NsObject *self, const char *key, const char *const *words, guint *value)
{
  JsonNode *node = ns_object_get (self, key);
  const char *word = ns_json_node_get_string (node);

  if (node == NULL)
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_strcmp0 (word, words[i]) == 0)
      {
        *value = i;
        return TRUE;
      }
  return ns_object_refuse (self, key, g_strjoinv (", ", (char **) words));
}

gboolean
ns_object_read_variant (NsObject *self, JsonNode *node, const char *path, const NsExperiment *experiment,
                        guint *value)
{
  const char *name = ns_json_node_get_string (node);
  g_autoptr (GString) names = g_string_new (NULL);
  gint64 number;

  if (ns_json_node_get_integer (node, &number) && number >= 1 && number <= (gint64) experiment->variants->len)
    {
      *value = (guint) number - 1;
      return TRUE;
    }
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const char *known = ns_experiment_variant (experiment, v)->name;
      g_autofree char *shown = ns_short_text (known, NS_JSON_MAX_PATH);

      if (g_strcmp0 (name, known) == 0)
        {
          *value = v;
          return TRUE;
        }
      g_string_append_printf (names, "%s“%s”", v > 0 ? ", " : "", shown);
    }
  return refuse_node (self, path, node,
                      g_strdup_printf (_ ("a variant of the step’s experiment: %s"), names->str));
}

gboolean
ns_object_get_variant (NsObject *self, const char *key, const NsExperiment *experiment, guint *value)
{
  JsonNode *node = ns_object_get (self, key);
  g_autofree char *path = ns_object_dup_path (self, key);

  return node != NULL && ns_object_read_variant (self, node, path, experiment, value);
}

JsonArray *
ns_object_get_array (NsObject *self, const char *key, const char *what)
{
  JsonNode *node = ns_object_get (self, key);

  if (node == NULL)
    return NULL;
  if (JSON_NODE_HOLDS_ARRAY (node))
    return json_node_get_array (node);
  ns_object_refuse (self, key, g_strdup (what));
  return NULL;
}
