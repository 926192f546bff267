/* The family and the name of the model that a config.json describes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-config-model.h"

#include "document/ns-config-families.h"
#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "document/ns-short-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Maximum characters of a name in a message or a variant. */
#define MAX_NAME 80

/* ---- the family ---- */

/* "BertForMaskedLM" belongs to Bert, "BertGenerationEncoder" does not. */
static gboolean
is_class_of (const char *class_name, const NsConfigFamily *family)
{
  static const char *const endings[] = { "For", "Model", "LMHead", "DoubleHeads", "MTModel" };

  if (!g_str_has_prefix (class_name, family->class_name))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_prefix (class_name + strlen (family->class_name), endings[i]))
      return TRUE;
  return FALSE;
}

/* Return the first string in "architectures", or NULL. */
static const char *
get_architecture (JsonObject *object)
{
  JsonNode *node = json_object_get_member (object, "architectures");
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (ns_json_node_get_string (json_array_get_element (array, i)) != NULL)
      return ns_json_node_get_string (json_array_get_element (array, i));
  return NULL;
}

static const NsConfigFamily *
find_family (const char *model_type, const char *class_name)
{
  gsize n;
  const NsConfigFamily *families = ns_config_get_families (&n);

  for (gsize i = 0; i < n; i++)
    if (model_type != NULL ? strcmp (families[i].model_type, model_type) == 0
                           : class_name != NULL && is_class_of (class_name, &families[i]))
      return &families[i];
  return NULL;
}

/* Return the keys that every model needs and this config lacks; each alternative name occurs in some family. */
static char *
dup_missing_keys (JsonObject *object)
{
  static const char *const needed[] = {
    "num_hidden_layers|n_layer|n_layers|num_layers|encoder_layers",
    "hidden_size|n_embd|d_model|dim",
    "num_attention_heads|n_head|n_heads|num_heads|encoder_attention_heads",
    "intermediate_size|n_inner|d_ff|ffn_dim|encoder_ffn_dim|hidden_dim",
    "vocab_size|tgt_vocab_size|image_size",
  };
  GString *missing = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    {
      const char *key;

      if (!ns_config_is_set (ns_config_find_member (object, needed[i], &key)))
        g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", key);
    }
  return g_string_free (missing, FALSE);
}

static void
refuse_family (JsonObject *object, const char *key, const char *family, GError **error)
{
  g_autofree char *known = g_strjoinv (", ", (char **) ns_config_get_model_types ());
  g_autofree char *missing = dup_missing_keys (object);
  g_autofree char *name = ns_short_text (family, MAX_NAME);

  if (*missing == '\0')
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                 _ ("%s: “%s” is not a supported model family; supported: %s"), key, name, known);
  else
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                 _ ("%s: “%s” is not a supported model family, and the config lacks %s; supported: %s"), key, name,
                 missing, known);
}

const NsConfigFamily *
ns_config_get_family (JsonObject *object, GPtrArray *notes, GError **error)
{
  JsonNode *node = json_object_get_member (object, "model_type");
  const char *model_type = ns_json_node_get_string (node);
  const char *class_name = get_architecture (object);
  const NsConfigFamily *family = find_family (model_type, class_name);
  const NsConfigFamily *of_class = find_family (NULL, class_name);

  if (ns_config_is_set (node) && model_type == NULL)
    {
      g_autofree char *known = g_strjoinv (", ", (char **) ns_config_get_model_types ());

      ns_json_node_refuse ("model_type", node, known, error);
      return NULL;
    }
  if (model_type == NULL && class_name == NULL)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("model_type: the key is missing, so this is not a model config"));
      return NULL;
    }
  if (family == NULL)
    {
      refuse_family (object, model_type != NULL ? "model_type" : "architectures",
                     model_type != NULL ? model_type : class_name, error);
      return NULL;
    }
  if (model_type == NULL)
    g_ptr_array_add (notes, g_strdup_printf (_ ("The config has no model_type; its architecture %s is read as %s."),
                                             class_name, family->model_type));
  else if (of_class != NULL && of_class != family)
    g_ptr_array_add (notes, g_strdup_printf (_ ("The config's architecture %s contradicts its model_type %s; the "
                                                "model_type is used."),
                                             class_name, model_type));
  return family;
}

/* ---- the model ---- */

char *
ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family)
{
  const char *path = ns_json_node_get_string (json_object_get_member (object, "_name_or_path"));
  const char *slash = path != NULL ? strrchr (path, '/') : NULL;
  g_autofree char *name = NULL;

  if (path == NULL || !g_utf8_validate (path, -1, NULL))
    return g_strdup (family->title);
  path = slash != NULL ? slash + 1 : path;
  name = g_utf8_substring (path, 0, MIN (MAX_NAME, g_utf8_strlen (path, -1)));
  for (char *p = name; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  g_strstrip (name);
  return *name != '\0' ? g_steal_pointer (&name) : g_strdup (family->title);
}
