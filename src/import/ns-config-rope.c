/* Readers of rotary positions: the share of a head that turns, and the rule for longer contexts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-readers.h"

#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* ---- the share of a head ---- */

gboolean
ns_config_read_rotary_share (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                             JsonNode *value, GError **error)
{
  gint64 d_head = ns_shape_get_d_head (&reading->experiment->shape), dim;
  double share;

  if (!ns_json_node_get_number (value, &share) || share <= 0 || share > 1)
    return ns_json_node_refuse (key, value, _ ("a number above 0, at most 1"), error);
  dim = (gint64) ((double) d_head * share); /* rounded down, as in the models' code */
  if (dim < 2 || dim % 2 != 0)
    {
      g_autofree char *allowed = g_strdup_printf (_ ("a share of the head's %lld features that is an even number"),
                                                  (long long) d_head);

      return ns_json_node_refuse (key, value, allowed, error);
    }
  ns_experiment_variant (reading->experiment, 0)->rotary.dim = dim < d_head ? dim : 0;
  return TRUE;
}

/* ---- the rule ---- */

#define ORIGINAL "original_max_position_embeddings"

/* A number, or a list of them, within the rule's object. */
typedef struct
{
  const char *key, *target;
  gboolean is_required;
} Number;

typedef struct
{
  const char *name;
  NsRotaryScaling scaling;
  Number numbers[5];
} Rule;

static const Rule rules[] = {
  { "default", NS_ROTARY_SCALING_NONE, { { NULL } } },
  /* begins beyond the model's own context, which the sequences do not exceed */
  { "dynamic", NS_ROTARY_SCALING_NONE, { { NULL } } },
  /* three positions of each part of an image, which are equal for text */
  { "mrope", NS_ROTARY_SCALING_NONE, { { NULL } } },
  { "linear", NS_ROTARY_SCALING_LINEAR, { { "factor", "rotary_factor", TRUE } } },
  { "llama3",
    NS_ROTARY_SCALING_LLAMA3,
    { { "factor", "rotary_factor", TRUE },
      { ORIGINAL, "rotary_original", TRUE },
      { "low_freq_factor", "rotary_low", TRUE },
      { "high_freq_factor", "rotary_high", TRUE } } },
  { "yarn",
    NS_ROTARY_SCALING_YARN,
    { { "factor", "rotary_factor", TRUE },
      { ORIGINAL, "rotary_original", FALSE },
      { "beta_slow", "rotary_low", FALSE },
      { "beta_fast", "rotary_high", FALSE },
      { "attention_factor", "rotary_attention_factor", FALSE } } },
  { "longrope",
    NS_ROTARY_SCALING_LONGROPE,
    { { "short_factor", "rotary_short_factors", TRUE },
      { "long_factor", "rotary_long_factors", TRUE },
      { ORIGINAL, "rotary_original", FALSE },
      { "attention_factor", "rotary_attention_factor", FALSE } } },
};

/* Return the rule of a name, or NULL. Early configs of Phi-3 call longrope su or yarn, and have its lists. */
static const Rule *
find_rule (const char *name, JsonObject *object)
{
  if (json_object_has_member (object, "short_factor") && (g_strcmp0 (name, "su") == 0 || g_strcmp0 (name, "yarn") == 0))
    name = "longrope";
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (rules); i++)
    if (strcmp (rules[i].name, name) == 0)
      return &rules[i];
  return NULL;
}

static gboolean
refuse_missing (const char *path, const char *rule, GError **error)
{
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s: the rule %s lacks this key"), path, rule);
  return FALSE;
}

static gboolean
read_rule_numbers (NsConfigReading *reading, const Rule *rule, const char *key, JsonObject *object, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rule->numbers) && rule->numbers[i].key != NULL; i++)
    {
      const Number *number = &rule->numbers[i];
      NsConfigRow row = { .target = number->target };
      JsonNode *node = json_object_get_member (object, number->key);
      g_autofree char *path = g_strdup_printf ("%s.%s", key, number->key);

      if (ns_config_is_set (node))
        {
          if (!ns_config_read_value (reading, &row, path, node, error))
            return FALSE;
        }
      else if (number->is_required)
        {
          return refuse_missing (path, rule->name, error);
        }
    }
  return TRUE;
}

/* The code of the rules takes the model's own context where the original one is absent. */
static gboolean
read_original (NsConfigReading *reading, JsonObject *object, GError **error)
{
  const NsConfigRow row = { .target = "rotary_original" };
  JsonNode *positions = json_object_get_member (reading->object, "max_position_embeddings");

  if (ns_config_is_set (json_object_get_member (object, ORIGINAL)) || !ns_config_is_set (positions))
    return TRUE;
  return ns_config_read_value (reading, &row, "max_position_embeddings", positions, error);
}

/* LongRoPE's factor is how many times the model's context is longer than the original one. A config of Phi-3 has the
 * original one beside the rule, and then the rule's own factor does not count, as in the code. */
static gboolean
read_longer (NsConfigReading *reading, const char *key, JsonObject *object, GError **error)
{
  const NsConfigRow row = { .target = "rotary_original" }, factor_row = { .target = "rotary_factor" };
  NsRotarySettings *rotary = &ns_experiment_variant (reading->experiment, 0)->rotary;
  JsonNode *original = json_object_get_member (reading->object, ORIGINAL), *factor;
  g_autofree char *path = g_strconcat (key, ".factor", NULL);
  gint64 positions;

  if (ns_config_is_set (original) ? !ns_config_read_value (reading, &row, ORIGINAL, original, error)
                                  : !read_original (reading, object, error))
    return FALSE;
  factor = ns_config_is_set (original) ? NULL : json_object_get_member (object, "factor");
  if (ns_config_is_set (factor))
    return ns_config_read_value (reading, &factor_row, path, factor, error);
  if (!ns_json_node_get_integer (json_object_get_member (reading->object, "max_position_embeddings"), &positions))
    return refuse_missing (path, "longrope", error);
  rotary->factor = MAX ((double) positions / (double) rotary->original, 1);
  return TRUE;
}

/* 0.1·c·ln s + 1, as in YaRN's code; 1 where the context is not longer. */
static double
get_mscale (double factor, double constant)
{
  return factor > 1 ? 0.1 * constant * log (factor) + 1 : 1;
}

/* Two constants, mscale and mscale_all_dim, give the attention factor where the config has both of them and no factor
 * of its own; the code of the models ignores one alone, or 0. */
static gboolean
read_mscale (NsConfigReading *reading, const char *key, JsonObject *object, GError **error)
{
  static const char *const keys[] = { "mscale", "mscale_all_dim" };
  const NsParam *param = ns_param_find ("rotary_attention_factor");
  NsVariant *variant = ns_experiment_variant (reading->experiment, 0);
  double constants[2] = { 0, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      JsonNode *node = json_object_get_member (object, keys[i]);
      g_autofree char *path = g_strdup_printf ("%s.%s", key, keys[i]);

      if (ns_config_is_set (node)
          && (!ns_json_node_get_number (node, &constants[i]) || constants[i] < 0 || constants[i] > 1e3))
        return ns_json_node_refuse (path, node, _ ("a number from 0 to 1000"), error);
    }
  if (constants[0] == 0 || constants[1] == 0 || !ns_param_is_null (param, variant))
    return TRUE;
  variant->rotary.attention_factor = get_mscale (variant->rotary.factor, constants[0])
                                     / get_mscale (variant->rotary.factor, constants[1]);
  return TRUE;
}

static gboolean
read_truncate (NsConfigReading *reading, const char *key, JsonObject *object, GError **error)
{
  JsonNode *node = json_object_get_member (object, "truncate");
  g_autofree char *path = g_strdup_printf ("%s.truncate", key);

  return !ns_config_is_set (node)
         || ns_json_node_get_boolean (node, &ns_experiment_variant (reading->experiment, 0)->rotary.truncate)
         || ns_json_node_refuse (path, node, _ ("true or false"), error);
}

gboolean
ns_config_read_rope (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key, JsonNode *value,
                     GError **error)
{
  const NsConfigRow base = { .target = "rotary_base" };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (value) ? json_node_get_object (value) : NULL;
  const char *type_key;
  JsonNode *type = object != NULL ? ns_config_find_member (object, "rope_type|type", &type_key) : NULL, *theta;
  const Rule *rule;

  if (object == NULL || (ns_config_is_set (type) && ns_json_node_get_string (type) == NULL))
    return ns_json_node_refuse (key, value, _ ("an object with a rope_type, or null"), error);
  theta = json_object_get_member (object, "rope_theta");
  if (ns_config_is_set (theta) && !ns_config_read_value (reading, &base, "rope_theta", theta, error))
    return FALSE;
  rule = find_rule (ns_config_is_set (type) ? ns_json_node_get_string (type) : "default", object);
  if (rule == NULL)
    {
      g_autofree char *name = ns_text_dup_short (ns_json_node_get_string (type), NS_TEXT_MAX_VALUE);

      /* Translators: a rule for longer contexts: "ntk" */
      ns_config_take_note (reading, g_strdup_printf (_ ("The scaling of the rotary positions (%s) is left out: the "
                                                        "angles are those without it."),
                                                     name));
      return TRUE;
    }
  ns_experiment_variant (reading->experiment, 0)->rotary.scaling = (int) rule->scaling;
  return read_rule_numbers (reading, rule, key, object, error)
         && (rule->scaling != NS_ROTARY_SCALING_LONGROPE || read_longer (reading, key, object, error))
         && (rule->scaling != NS_ROTARY_SCALING_YARN
             || (read_original (reading, object, error) && read_mscale (reading, key, object, error)
                 && read_truncate (reading, key, object, error)));
}

/* The object of blocks with a window: a base without a rule. */
static gboolean
read_local (NsConfigReading *reading, const char *key, JsonNode *value, GError **error)
{
  const NsConfigRow base = { .target = "rotary_base_local" };
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (value) ? json_node_get_object (value) : NULL;
  const char *type_key;
  JsonNode *type = object != NULL ? ns_config_find_member (object, "rope_type|type", &type_key) : NULL, *theta;

  if (object == NULL || (ns_config_is_set (type) && g_strcmp0 (ns_json_node_get_string (type), "default") != 0))
    return ns_json_node_refuse (key, value, _ ("an object with the rope_type default"), error);
  theta = json_object_get_member (object, "rope_theta");
  return !ns_config_is_set (theta) || ns_config_read_value (reading, &base, "rope_theta", theta, error);
}

gboolean
ns_config_read_gemma3_rope (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                            GError **error)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (value) ? json_node_get_object (value) : NULL;
  JsonNode *full = object != NULL ? json_object_get_member (object, "full_attention") : NULL;
  JsonNode *local = object != NULL ? json_object_get_member (object, "sliding_attention") : NULL;
  g_autofree char *full_key = g_strdup_printf ("%s.full_attention", key);
  g_autofree char *local_key = g_strdup_printf ("%s.sliding_attention", key);

  if (full == NULL && local == NULL)
    return ns_config_read_rope (reading, row, key, value, error);
  return (!ns_config_is_set (full) || ns_config_read_rope (reading, row, full_key, full, error))
         && (!ns_config_is_set (local) || read_local (reading, local_key, local, error));
}
