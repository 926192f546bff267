/* The family and the name of the model that a config.json describes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-model.h"

#include "import/ns-config-families.h"
#include "import/ns-config-nearest.h"
#include "import/ns-config-nested.h"
#include "import/ns-config-rewiring.h"
#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "document/ns-presets.h"
#include "document/ns-short-text.h"
#include "document/ns-suggest.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Maximum characters of a name in a message or a variant. */
#define MAX_NAME 80

/* ---- the family ---- */

/* "BertForMaskedLM" belongs to Bert, "BertGenerationEncoder" does not. */
static gboolean
is_class_of_family (const char *class_name, const NsConfigFamily *family)
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
find_family_of_class (const char *class_name)
{
  gsize n;
  const NsConfigFamily *families = ns_config_get_families (&n);

  for (gsize i = 0; class_name != NULL && i < n; i++)
    if (is_class_of_family (class_name, &families[i]))
      return &families[i];
  return NULL;
}

static const char *
get_model_type (JsonObject *object)
{
  return ns_json_node_get_string (json_object_get_member (object, "model_type"));
}

/* The sizes that every model has. */
static const struct
{
  const char *keys;   /* each alternative name occurs in some family */
  const char *target; /* key of the experiment */
} sizes[] = {
  { "num_hidden_layers|n_layer|n_layers|num_layers|encoder_layers", "shape.depth" },
  { "hidden_size|n_embd|d_model|dim", "shape.d_model" },
  { "num_attention_heads|n_head|n_heads|num_heads|encoder_attention_heads", "shape.heads" },
  { "intermediate_size|n_inner|d_ff|ffn_dim|encoder_ffn_dim|hidden_dim", "shape.d_ff" },
  { "vocab_size|tgt_vocab_size|image_size", "shape.vocab" },
};

/* Return the keys of sizes that the config lacks. Caller frees. */
static char *
dup_missing_keys (JsonObject *object)
{
  GString *missing = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const char *key;

      if (!ns_config_is_set (ns_config_find_member (object, sizes[i].keys, &key)))
        g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", key);
    }
  return g_string_free (missing, FALSE);
}

gboolean
ns_config_check_type (JsonObject *object, GError **error)
{
  JsonNode *node = json_object_get_member (object, "model_type");

  if (get_model_type (object) == NULL && ns_config_is_set (node))
    {
      g_autofree char *known = g_strjoinv (", ", (char **) ns_config_get_model_types ());

      return ns_json_node_refuse ("model_type", node, known, error);
    }
  if (get_model_type (object) != NULL || get_architecture (object) != NULL)
    return TRUE;
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("model_type: the key is missing, so this is not a model config"));
  return FALSE;
}

const NsConfigFamily *
ns_config_find_family_of (JsonObject *object)
{
  const char *model_type = get_model_type (object);

  return model_type != NULL ? ns_config_find_family (model_type) : find_family_of_class (get_architecture (object));
}

void
ns_config_note_type (JsonObject *object, const NsConfigFamily *family, GPtrArray *notes)
{
  const char *class_name = get_architecture (object);
  const NsConfigFamily *of_class = find_family_of_class (class_name);
  g_autofree char *shown = class_name != NULL ? ns_short_text (class_name, MAX_NAME) : NULL;

  if (get_model_type (object) == NULL)
    g_ptr_array_add (notes, g_strdup_printf (_ ("The config has no model_type; its architecture %s is read as %s."),
                                             shown, family->model_type));
  else if (of_class != NULL && of_class != family)
    g_ptr_array_add (notes, g_strdup_printf (_ ("The config's architecture %s contradicts its model_type %s; the "
                                                "model_type is used."),
                                             shown, family->model_type));
}

/* ---- families that are not in the table ---- */

/* Return how to change a config so that it is read as of a family, or NULL if that is not enough. Caller frees. */
static char *
dup_way (JsonObject *object, const char *model_type, NsConfigTry can_import)
{
  const NsConfigFamily *family = ns_config_find_family (model_type);
  g_autoptr (JsonObject) changed = ns_config_copy_object (object);
  g_autofree char *removed = ns_config_remove_rewirings (family, changed);

  json_object_set_string_member (changed, "model_type", model_type);
  if (!can_import (changed))
    return NULL;
  if (*removed == '\0')
    return g_strdup_printf (_ ("The nearest family is %s: set model_type to “%s”"), family->title, model_type);
  return g_strdup_printf (_ ("The nearest family is %s: set model_type to “%s” and remove %s"), family->title,
                          model_type, removed);
}

/* Return the first preset of the model_type "palm", "palm-8b". */
static const char *
find_preset (const char *model_type)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    if (g_str_has_prefix (presets[i].id, model_type) && presets[i].id[strlen (model_type)] == '-')
      return presets[i].id;
  return NULL;
}

/* Return "--preset bert-base --depth 6 …": the preset with the config's sizes, if it has all and they fit. Caller
 * frees. */
static char *
dup_preset_options (JsonObject *object, const char *preset)
{
  GString *options = g_string_new (NULL);
  g_autoptr (NsExperiment) experiment = ns_preset_load (preset, NULL);
  gsize bare;

  g_string_printf (options, "--preset %s", preset);
  bare = options->len;
  for (gsize i = 0; experiment != NULL && i < G_N_ELEMENTS (sizes); i++)
    {
      const NsParam *param = ns_param_find (sizes[i].target);
      g_autofree char *name = g_strdelimit (g_strdup (strchr (sizes[i].target, '.') + 1), "_", '-');
      const char *key;
      gint64 size;

      if (!ns_json_node_get_integer (ns_config_find_member (object, sizes[i].keys, &key), &size)
          || strcmp (key, "image_size") == 0 || !ns_param_set_int (param, experiment, size, "", NULL))
        return g_string_free (g_string_truncate (options, bare), FALSE);
      g_string_append_printf (options, " --%s %" G_GINT64_FORMAT, name, size);
    }
  if (experiment == NULL || !ns_experiment_validate (experiment, NULL))
    g_string_truncate (options, bare);
  return g_string_free (options, FALSE);
}

/* Return what comes near the model and works; NULL if nothing does. Caller frees. */
static char *
dup_offer (JsonObject *object, const char *name, const NsConfigNearest *nearest, NsConfigTry can_import)
{
  const char *similar = ns_suggest (name, ns_config_get_model_types ());
  const char *family = nearest != NULL ? nearest->family : similar;
  const char *preset = nearest != NULL ? nearest->preset : find_preset (name);
  char *way;

  if (nearest == NULL && family == NULL)
    family = ns_config_guess_family (object);
  way = family != NULL ? dup_way (object, family, can_import) : NULL;
  if (way == NULL && preset != NULL)
    {
      g_autofree char *options = dup_preset_options (object, preset);

      way = g_strdup_printf (_ ("The nearest model is the preset %s (%s)"), preset, options);
    }
  return way;
}

/* Return ": its FFNs are mixtures of experts", else what the config lacks and which families are supported. Caller
 * frees. */
static char *
dup_reason (JsonObject *object, const NsConfigNearest *nearest)
{
  g_autofree char *known = g_strjoinv (", ", (char **) ns_config_get_model_types ());
  g_autofree char *missing = dup_missing_keys (object);

  if (nearest != NULL)
    return g_strdup_printf (": %s", _ (nearest->difference));
  if (*missing == '\0')
    return g_strdup_printf (_ ("; supported: %s"), known);
  return g_strdup_printf (_ (", and the config lacks %s; supported: %s"), missing, known);
}

void
ns_config_refuse_family (JsonObject *object, NsConfigTry can_import, GError **error)
{
  const char *key = get_model_type (object) != NULL ? "model_type" : "architectures";
  const char *family = get_model_type (object) != NULL ? get_model_type (object) : get_architecture (object);
  const NsConfigNearest *nearest = ns_config_find_nearest (get_model_type (object), get_architecture (object));
  g_autofree char *path = NULL;
  JsonObject *text = ns_config_find_text_part (object, &path);
  g_autofree char *name = ns_short_text (family, MAX_NAME);
  g_autofree char *reason = NULL;
  g_autofree char *offer = NULL;

  /* The text part of an unknown kind of model says more. */
  if (nearest == NULL && text != NULL && ns_config_check_type (text, NULL))
    {
      ns_config_refuse_family (text, can_import, error);
      g_prefix_error (error, "%s: ", path);
      return;
    }
  reason = dup_reason (object, nearest);
  offer = dup_offer (object, family, nearest, can_import);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s: “%s” is not a supported model family%s%s%s"), key, name, reason, offer != NULL ? ". " : "",
               offer != NULL ? offer : "");
}

/* ---- the model ---- */

char *
ns_config_dup_model_name (JsonObject *object, const NsConfigFamily *family)
{
  const char *path = ns_json_node_get_string (json_object_get_member (object, "_name_or_path"));
  const char *slash = path != NULL ? strrchr (path, '/') : NULL;
  g_autofree char *head = NULL;
  g_autofree char *name = NULL;

  if (path == NULL || !g_utf8_validate (path, -1, NULL))
    return g_strdup (family->title);
  path = slash != NULL ? slash + 1 : path;
  head = g_utf8_substring (path, 0, MIN (MAX_NAME, g_utf8_strlen (path, -1)));
  name = ns_text_dup_name (head);
  return *name != '\0' ? g_steal_pointer (&name) : g_strdup (family->title);
}
