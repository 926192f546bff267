/* Import of a model's config.json as an experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-import.h"

#include "import/ns-config-model.h"
#include "import/ns-config-nested.h"
#include "import/ns-config-rewiring.h"
#include "import/ns-python-json.h"
#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Maximum number of keys in a sentence. */
#define MAX_LISTED_KEYS 6
/* Models with more weights than this run with 2 seeds, and with 1 seed. */
#define LARGE_WEIGHTS 5e7
#define HUGE_WEIGHTS 1e9

/* ---- JSON ---- */

static JsonObject *
parse (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (GBytes) strict = ns_python_json_quote_numbers (bytes);
  g_autoptr (JsonNode) root = ns_json_node_from_bytes (strict, name, _ ("a model's config.json"), NULL, error);

  if (root == NULL)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (root))
    return json_node_dup_object (root);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s is not a model config; allowed: an object { … } with a model_type"), name);
  return NULL;
}

/* ---- reading ---- */

/* Check that all alternative names of one value have the same value. */
static gboolean
check_names (const NsConfigReading *reading, const NsConfigRow *row, GError **error)
{
  g_auto (GStrv) names = g_strsplit (row->keys, "|", -1);
  const char *key;
  JsonNode *first = ns_config_find_member (reading->object, row->keys, &key);

  for (guint i = 0; names[i] != NULL && ns_config_is_set (first); i++)
    {
      JsonNode *other = json_object_get_member (reading->object, names[i]);

      if (ns_config_is_set (other) && !json_node_equal (first, other))
        {
          g_autofree char *allowed = g_strdup_printf (_ ("the same value as %s"), key);

          return ns_json_node_refuse (names[i], other, allowed, error);
        }
    }
  return TRUE;
}

/* Report all missing keys at once. */
static gboolean
check_rows (const NsConfigReading *reading, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && reading->family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = reading->family->rows[g]; row->keys != NULL; row++)
      {
        const char *key;

        if (!check_names (reading, row, error))
          return FALSE;
        if (row->fallback == NULL && !ns_config_is_set (ns_config_find_member (reading->object, row->keys, &key)))
          g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", key);
      }
  if (missing->len == 0)
    return TRUE;
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("the config of a %s model lacks required keys: %s"),
               reading->family->title, missing->str);
  return FALSE;
}

static void
add_default_text (NsConfigReading *reading, const char *key, const char *value)
{
  g_autofree char *text = g_strdup_printf ("%s = %s", key, value);

  /* Several rows can read the same key. */
  if (strstr (reading->defaults->str, text) == NULL)
    g_string_append_printf (reading->defaults, "%s%s", reading->defaults->len > 0 ? ", " : "", text);
}

static gboolean
read_fallback (NsConfigReading *reading, const NsConfigRow *row, const char *key, GError **error)
{
  g_autofree char *text = g_strdup (row->fallback);
  g_autoptr (JsonNode) value = NULL;

  if (strcmp (text, NS_CONFIG_FOUR_WIDTHS) == 0)
    {
      g_free (text);
      text = g_strdup_printf ("%lld", 4 * (long long) reading->experiment->shape.d_model);
    }
  add_default_text (reading, key, text);
  value = json_from_string (text, NULL);
  g_return_val_if_fail (value != NULL, FALSE);
  return row->read (reading, row, key, value, error);
}

static gboolean
read_row (NsConfigReading *reading, const NsConfigRow *row, GError **error)
{
  const char *key;
  JsonNode *node = ns_config_find_member (reading->object, row->keys, &key);

  if (ns_config_is_set (node))
    return row->read (reading, row, key, node, error);
  if (strcmp (row->fallback, NS_CONFIG_OPTIONAL) == 0 || (node != NULL && row->null_is_unset))
    return TRUE;
  return read_fallback (reading, row, key, error);
}

static gboolean
read_switch (NsConfigReading *reading, const NsConfigSwitch *key, GError **error)
{
  JsonNode *node = json_object_get_member (reading->object, key->key);
  gboolean on = key->fallback;
  const char *settings, *note;

  if (ns_config_is_set (node) && !ns_json_node_get_boolean (node, &on))
    return ns_json_node_refuse (key->key, node, _ ("true or false"), error);
  settings = on ? key->when_true : key->when_false;
  note = on ? key->note_true : key->note_false;
  if (settings == NULL)
    return ns_json_node_refuse (key->key, node, on ? "false" : "true", error);
  /* Note an absent switch only if its default changes the experiment. */
  if (!ns_config_is_set (node) && *settings != '\0')
    add_default_text (reading, key->key, on ? "true" : "false");
  ns_config_apply (reading, settings);
  if (note != NULL)
    ns_config_take_note (reading, g_strdup (_ (note)));
  return TRUE;
}

/* ---- contradictions ---- */

static gboolean
is_zero (JsonNode *node)
{
  gint64 value;

  return ns_json_node_get_integer (node, &value) && value == 0;
}

/* Check that the config has encoder and decoder exactly if the family does. */
static gboolean
check_parts (const NsConfigReading *reading, GError **error)
{
  gboolean two = reading->experiment->shape.stack == NS_STACK_ENCODER_DECODER, given;
  JsonNode *node = json_object_get_member (reading->object, "is_encoder_decoder");

  if (ns_config_is_set (node) && (!ns_json_node_get_boolean (node, &given) || given != two))
    {
      g_autofree char *allowed = g_strdup_printf (two ? _ ("true, since %s models have an encoder and a decoder")
                                                      : _ ("false, since %s models have a single stack"),
                                                  reading->family->title);

      return ns_json_node_refuse ("is_encoder_decoder", node, allowed, error);
    }
  for (guint g = 0; two && g < NS_CONFIG_MAX_GROUPS && reading->family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = reading->family->rows[g]; row->keys != NULL; row++)
      {
        const char *key;

        if ((g_strcmp0 (row->target, "shape.depth") != 0 && g_strcmp0 (row->target, "shape.decoder_depth") != 0)
            || !is_zero (ns_config_find_member (reading->object, row->keys, &key)))
          continue;
        g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                     _ ("%s: 0 leaves the encoder or the decoder without blocks; allowed: at least 1"),
                     key);
        return FALSE;
      }
  return TRUE;
}

/* Check the head counts here, so the message names the config's keys; ns_experiment_validate() would name the
 * experiment's. Replace redundant values by null. */
static gboolean
check_heads (NsConfigReading *reading, GError **error)
{
  NsShape *shape = &reading->experiment->shape;
  const char *heads = ns_config_get_key (reading, "shape.heads");

  if (shape->d_head == 0 && shape->d_model % shape->heads != 0)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: %lld does not divide %s: %lld; allowed: a divisor of %lld"), heads,
                   (long long) shape->heads, ns_config_get_key (reading, "shape.d_model"), (long long) shape->d_model,
                   (long long) shape->d_model);
      return FALSE;
    }
  if (shape->kv_heads > 0 && shape->heads % shape->kv_heads != 0)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: %lld does not divide %s: %lld; allowed: a divisor of %lld"),
                   ns_config_get_key (reading, "shape.kv_heads"), (long long) shape->kv_heads, heads,
                   (long long) shape->heads, (long long) shape->heads);
      return FALSE;
    }
  if (shape->kv_heads == shape->heads)
    shape->kv_heads = 0;
  if (shape->d_head * shape->heads == shape->d_model)
    shape->d_head = 0;
  return TRUE;
}

/* ---- notes ---- */

static void
note_dropout (NsConfigReading *reading)
{
  g_autoptr (GString) keys = g_string_new (NULL);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  guint n = 0;

  json_object_iter_init (&iter, reading->object);
  while (json_object_iter_next (&iter, &name, &node))
    if ((strstr (name, "drop") != NULL) && JSON_NODE_HOLDS_VALUE (node)
        && json_node_get_value_type (node) == G_TYPE_DOUBLE && json_node_get_double (node) > 0 && n++ < MAX_LISTED_KEYS)
      {
        g_autofree char *key = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

        g_string_append_printf (keys, "%s%s", keys->len > 0 ? ", " : "", key);
      }
  if (keys->len > 0)
    ns_config_take_note (reading,
                         g_strdup_printf (_ ("Dropout is off (%s), as when the model is evaluated."), keys->str));
}

static void
note_data (NsConfigReading *reading)
{
  const NsShape *shape = &reading->experiment->shape;

  if (reading->experiment->data.source == NS_SOURCE_GAUSSIAN)
    ns_config_take_note (reading, g_strdup_printf (_ ("A config specifies no data: the input is one image of %lld "
                                                      "tokens."),
                                                   (long long) shape->seq_len));
  else
    ns_config_take_note (reading, g_strdup_printf (_ ("A config specifies no data: the input is %lld sequences of "
                                                      "%lld random tokens."),
                                                   (long long) shape->batch, (long long) shape->seq_len));
}

static void
write_notes (NsConfigReading *reading)
{
  if (reading->defaults->len > 0)
    ns_config_take_note (reading, g_strdup_printf (_ ("Absent from the config, so the family's defaults are used: "
                                                      "%s."),
                                                   reading->defaults->str));
  note_data (reading);
  for (guint i = 0; i < NS_CONFIG_MAX_NOTES && reading->family->notes[i] != NULL; i++)
    ns_config_take_note (reading, g_strdup (_ (reading->family->notes[i])));
  note_dropout (reading);
}

/* ---- number of seeds ---- */

/* Count the entries of all matrices, in floating point since the largest allowed sizes overflow a gint64. */
static double
count_weights (const NsExperiment *experiment)
{
  const NsShape *shape = &experiment->shape;
  double d = (double) shape->d_model, d_head = (double) ns_shape_get_d_head (shape);
  double attention = 2 * d * d_head * ((double) shape->heads + (double) ns_shape_get_kv_heads (shape));
  gboolean gated = ns_activation_is_gated (ns_experiment_variant (experiment, 0)->activation);
  const NsExperts *experts = &ns_experiment_variant (experiment, 0)->experts;
  double n_ffns = experts->count > 0 ? (double) (experts->count + experts->shared) : 1;
  double ffn = n_ffns * (gated ? 3 : 2) * d * (double) shape->d_ff;
  NsParts parts = ns_shape_get_parts (shape);
  double cross = parts.n == 2 ? (double) parts.depth[1] * attention : 0;

  return (double) ns_parts_count_blocks (&parts) * (attention + ffn) + cross + d * (double) shape->vocab;
}

/* Reduce the number of seeds: one run of a large model takes as long as hundreds of runs of the default size. */
static void
limit_seeds (NsConfigReading *reading)
{
  gint64 *seeds = &reading->experiment->sampling.seeds;
  gint64 usual = *seeds;
  double n = count_weights (reading->experiment);

  if (n > LARGE_WEIGHTS)
    *seeds = n > HUGE_WEIGHTS ? 1 : 2;
  if (*seeds != usual)
    ns_config_take_note (reading, g_strdup_printf (_ ("The model is large, so it runs with %lld of the usual %lld "
                                                      "seeds."),
                                                   (long long) *seeds, (long long) usual));
}

/* ---- the import ---- */

static NsExperiment *
new_experiment (const char *name)
{
  NsExperiment *experiment = ns_experiment_new ();

  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, ns_variant_new (name));
  return experiment;
}

static gboolean
read_config (NsConfigReading *reading, GError **error)
{
  const NsConfigFamily *family = reading->family;

  ns_config_apply (reading, family->settings);
  if (!ns_config_check_rewirings (family, reading->object, error))
    return FALSE;
  if (!check_rows (reading, error) || !check_parts (reading, error))
    return FALSE;
  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && family->switches[g] != NULL; g++)
    for (const NsConfigSwitch *key = family->switches[g]; key->key != NULL; key++)
      if (!read_switch (reading, key, error))
        return FALSE;
  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && family->rows[g] != NULL; g++)
    for (const NsConfigRow *row = family->rows[g]; row->keys != NULL; row++)
      if (!read_row (reading, row, error))
        return FALSE;
  if (!check_heads (reading, error) || !ns_experiment_validate (reading->experiment, error))
    return FALSE;
  limit_seeds (reading);
  write_notes (reading);
  return TRUE;
}

/* Return TRUE if the head is the embedding: by the config, else by the family's default. */
static gboolean
is_tied (JsonObject *object, const NsConfigFamily *family)
{
  gboolean is_tied = FALSE;

  for (guint g = 0; g < NS_CONFIG_MAX_GROUPS && family->switches[g] != NULL; g++)
    for (const NsConfigSwitch *key = family->switches[g]; key->key != NULL; key++)
      if (strcmp (key->key, "tie_word_embeddings") == 0)
        is_tied = key->fallback;
  ns_json_node_get_boolean (json_object_get_member (object, "tie_word_embeddings"), &is_tied);
  return is_tied;
}

static NsConfigImport *
import_family (JsonObject *object, const NsConfigFamily *family, GPtrArray *notes, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (GString) defaults = g_string_new (NULL);
  g_autofree char *name = ns_config_dup_model_name (object, family);
  NsConfigReading reading = { family, object, NULL, notes, defaults, 0, 0 };
  NsConfigImport *import;

  experiment = new_experiment (name);
  reading.experiment = experiment;
  ns_config_note_type (object, family, notes);
  if (!read_config (&reading, error))
    return NULL;
  g_ptr_array_add (notes, NULL);
  import = g_new (NsConfigImport, 1);
  import->experiment = g_steal_pointer (&experiment);
  import->family = g_strdup (family->title);
  import->model_type = family->model_type;
  import->tied = is_tied (object, family);
  import->assumptions = g_strdupv ((char **) notes->pdata);
  return import;
}

/* Import the text part of a multimodal model. */
static NsConfigImport *
import_text_part (JsonObject *text, const char *path, GPtrArray *notes, GError **error)
{
  NsConfigImport *import = import_family (text, ns_config_find_family_of (text), notes, error);

  if (import == NULL && path != NULL)
    g_prefix_error (error, "%s: ", path);
  return import;
}

static gboolean
object_can_import (JsonObject *object)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (NsConfigImport) import = import_family (object, ns_config_find_family_of (object), notes, NULL);

  return import != NULL;
}

static NsConfigImport *
import_object (JsonObject *object, GError **error)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JsonObject) text = NULL;
  g_autofree char *path = NULL;
  const NsConfigFamily *family;

  if (!ns_config_check_type (object, error))
    return NULL;
  family = ns_config_find_family_of (object);
  if (family != NULL)
    return import_family (object, family, notes, error);
  text = ns_config_dup_text_part (object, &path, notes);
  if (text != NULL)
    return import_text_part (text, path, notes, error);
  ns_config_refuse_family (object, object_can_import, error);
  return NULL;
}

NsConfigImport *
ns_config_import_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (JsonObject) object = NULL;
  NsConfigImport *import;

  g_return_val_if_fail (bytes != NULL && name != NULL, NULL);

  if (!ns_file_check_size (name, g_bytes_get_size (bytes), NS_FILE_CONFIG, error))
    return NULL;
  object = parse (bytes, name, error);
  if (object == NULL)
    return NULL;
  import = import_object (object, &cause);
  if (import == NULL)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", name, cause->message);
  return import;
}

void
ns_config_import_free (NsConfigImport *import)
{
  if (import == NULL)
    return;
  ns_experiment_free (import->experiment);
  g_free (import->family);
  g_strfreev (import->assumptions);
  g_free (import);
}

gboolean
ns_config_is_config (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autoptr (JsonObject) object = NULL;

  /* Most files are not configs; skip the parser for them. */
  if (data == NULL
      || (g_strstr_len (data, (gssize) length, "\"model_type\"") == NULL
          && g_strstr_len (data, (gssize) length, "\"architectures\"") == NULL))
    return FALSE;
  object = parse (bytes, "", NULL);
  return object != NULL && !json_object_has_member (object, "format")
         && (json_object_has_member (object, "model_type") || json_object_has_member (object, "architectures"));
}
