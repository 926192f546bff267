/* The text part of a multimodal model's config.json.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transformers writes only those keys of a nested config that differ from the defaults of its class. Therefore the
 * table has the sizes of each class, which a config of its own has to specify.
 */
#include "import/ns-config-nested.h"

#include "import/ns-config-families.h"
#include "document/ns-json-node.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Deeper nesting is not a config. */
#define MAX_DEPTH 3

static const char *const places[] = { "text_config", "llm_config", "language_config", "thinker_config", NULL };

typedef struct
{
  const char *model_type;
  const char *family;
  const char *defaults; /* of the class, JSON */
  gboolean at_top;      /* the type also stands for a config with the text part's keys next to vision_config */
} TextPart;

#define SIZES(layers, width, heads, ffn, vocab)                                                                       \
  "{\"num_hidden_layers\":" #layers ",\"hidden_size\":" #width ",\"num_attention_heads\":" #heads                     \
  ",\"intermediate_size\":" #ffn ",\"vocab_size\":" #vocab
#define QWEN2_VL SIZES (80, 8192, 64, 29568, 152064) ",\"num_key_value_heads\":8,\"rms_norm_eps\":1e-5}"

static const TextPart text_parts[] = {
  { "bert", "bert", SIZES (12, 768, 12, 3072, 30522) "}", FALSE },
  { "gemma", "gemma", SIZES (28, 3072, 16, 24576, 256000) "}", FALSE },
  { "gemma2", "gemma2", SIZES (26, 2304, 8, 9216, 256000) "}", FALSE },
  { "gemma3_text", "gemma3_text", SIZES (26, 2304, 8, 9216, 262208) "}", FALSE },
  { "gpt2", "gpt2", "{\"n_layer\":12,\"n_embd\":768,\"n_head\":12,\"vocab_size\":50257}", FALSE },
  { "llama", "llama", SIZES (32, 4096, 32, 11008, 32000) "}", FALSE },
  { "llama4_text", "llama4_text", SIZES (48, 5120, 40, 8192, 202048) "}", FALSE },
  { "mistral", "mistral", SIZES (32, 4096, 32, 14336, 32000) "}", FALSE },
  { "opt", "opt",
    "{\"num_hidden_layers\":12,\"hidden_size\":768,\"num_attention_heads\":12,\"ffn_dim\":3072,\"vocab_size\":50272}",
    FALSE },
  { "phi", "phi", SIZES (24, 2048, 32, 8192, 51200) "}", FALSE },
  { "phi3", "phi3", SIZES (32, 3072, 32, 8192, 32064) "}", FALSE },
  { "qwen2", "qwen2", SIZES (32, 4096, 32, 22016, 151936) "}", FALSE },
  { "qwen2_5_vl", "qwen2", QWEN2_VL, TRUE },
  { "qwen2_5_vl_text", "qwen2", QWEN2_VL, FALSE },
  { "qwen2_vl", "qwen2", QWEN2_VL, TRUE },
  { "qwen2_vl_text", "qwen2", QWEN2_VL, FALSE },
  { "qwen3", "qwen3", SIZES (32, 4096, 32, 22016, 151936) "}", FALSE },
  { "qwen3_vl_text", "qwen3", SIZES (32, 4096, 32, 22016, 151936) "}", FALSE },
  { "t5", "t5", "{\"num_layers\":6,\"d_model\":512,\"num_heads\":8,\"d_ff\":2048,\"vocab_size\":32128}", FALSE },
};

static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonObject *
ns_config_find_text_part (JsonObject *object, char **path)
{
  g_autoptr (GString) where = g_string_new (NULL);
  JsonObject *found = NULL;

  *path = NULL;
  for (int depth = 0; depth < MAX_DEPTH; depth++)
    {
      const char *const *place = places;

      while (*place != NULL && get_object (object, *place) == NULL)
        place++;
      if (*place == NULL)
        break;
      found = object = get_object (object, *place);
      g_string_append_printf (where, "%s%s", where->len > 0 ? "." : "", *place);
    }
  if (found != NULL)
    *path = g_string_free (g_steal_pointer (&where), FALSE);
  return found;
}

static const TextPart *
find_part (JsonObject *object)
{
  const char *model_type = ns_json_node_get_string (json_object_get_member (object, "model_type"));

  for (gsize i = 0; model_type != NULL && i < G_N_ELEMENTS (text_parts); i++)
    if (strcmp (text_parts[i].model_type, model_type) == 0)
      return &text_parts[i];
  return NULL;
}

/* Return the alternative names of a key in the family, "n_embd|hidden_size". */
static const char *
get_names (const char *model_type, const char *key)
{
  const NsConfigFamily *family = ns_config_find_family (model_type);

  for (guint g = 0; family != NULL && g < NS_CONFIG_MAX_GROUPS && family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = family->rows[g]; row->keys != NULL; row++)
      if (g_str_has_prefix (row->keys, key) && strchr ("|", row->keys[strlen (key)]) != NULL)
        return row->keys;
  return key;
}

/* Add the defaults of absent keys, and note them. */
static void
add_defaults (JsonObject *text, const TextPart *part, GPtrArray *notes)
{
  g_autoptr (JsonNode) defaults = json_from_string (part->defaults, NULL);
  g_autoptr (GString) added = g_string_new (NULL);
  JsonObjectIter iter;
  const char *key, *found;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, json_node_get_object (defaults));
  while (json_object_iter_next_ordered (&iter, &key, &value))
    {
      g_autofree char *number = ns_json_node_dup_text (value);

      if (ns_config_is_set (ns_config_find_member (text, get_names (part->family, key), &found)))
        continue;
      json_object_set_member (text, key, json_node_copy (value));
      g_string_append_printf (added, "%s%s = %s", added->len > 0 ? ", " : "", key, number);
    }
  if (added->len > 0)
    g_ptr_array_add (notes, g_strdup_printf (_ ("Absent from the text part, where that means the defaults of its "
                                                "class: %s."),
                                             added->str));
}

/* Whether head and embedding are tied is a key of the whole model, and so is its name. */
static void
inherit (JsonObject *text, JsonObject *object, const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  if (!ns_config_is_set (json_object_get_member (text, key)) && ns_config_is_set (node))
    json_object_set_member (text, key, json_node_copy (node));
}

JsonObject *
ns_config_dup_text_part (JsonObject *object, char **path, GPtrArray *notes)
{
  JsonObject *nested = ns_config_find_text_part (object, path);
  const TextPart *part = find_part (nested != NULL ? nested : object);
  const char *model_type;
  JsonObject *text;

  if (part == NULL && nested != NULL)
    {
      model_type = ns_json_node_get_string (json_object_get_member (nested, "model_type"));
      if (model_type == NULL || ns_config_find_family (model_type) == NULL)
        nested = NULL;
    }
  if ((nested == NULL && part == NULL) || (nested == NULL && !part->at_top))
    {
      g_clear_pointer (path, g_free);
      return NULL;
    }
  text = ns_config_copy_object (nested != NULL ? nested : object);
  if (nested != NULL)
    {
      g_ptr_array_add (notes, g_strdup_printf (_ ("Only the text part of the model (%s) is imported; encoders of "
                                                  "images or sound are left out."),
                                               *path));
      inherit (text, object, "tie_word_embeddings");
      inherit (text, object, "_name_or_path");
    }
  else
    g_ptr_array_add (notes, g_strdup (_ ("Only the text part of the model is imported; encoders of images or sound are "
                                         "left out.")));
  if (part != NULL)
    json_object_set_string_member (text, "model_type", part->family);
  if (part != NULL && nested != NULL)
    add_defaults (text, part, notes);
  return text;
}
