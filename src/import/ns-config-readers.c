/* Readers for the rows of the table of families: each reads one value of a config.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-readers.h"

#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* ---- setting the experiment ---- */

/* Put the config's key before the experiment's message. Takes ownership of the cause. */
static gboolean
refuse_because (const char *key, GError *cause, GError **error)
{
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", key, cause->message);
  g_error_free (cause);
  return FALSE;
}

static gboolean
set_number (NsConfigReading *reading, const char *target, const char *key, double value, GError **error)
{
  const NsParam *param = ns_param_find (target);
  GError *cause = NULL;

  return ns_param_set_number (param, ns_config_get_base (reading, param), value, "", &cause)
         || refuse_because (key, cause, error);
}

static gboolean
set_int (NsConfigReading *reading, const char *target, const char *key, gint64 value, GError **error)
{
  const NsParam *param = ns_param_find (target);
  GError *cause = NULL;

  return ns_param_set_int (param, ns_config_get_base (reading, param), value, "", &cause)
         || refuse_because (key, cause, error);
}

static gboolean
set_string (NsConfigReading *reading, const char *target, const char *key, const char *value, GError **error)
{
  const NsParam *param = ns_param_find (target);
  GError *cause = NULL;

  return ns_param_set_string (param, ns_config_get_base (reading, param), value, "", &cause)
         || refuse_because (key, cause, error);
}

/* Read an integer of at least 1. The upper limit keeps the product of two counts within 64 bits. *count is 0 on
 * error. */
static gboolean
read_count (const char *key, JsonNode *value, gint64 *count, GError **error)
{
  gint64 number = 0;

  if (!ns_json_node_get_integer (value, &number) || number < 1 || number > G_MAXINT32)
    {
      *count = 0;
      return ns_json_node_refuse (key, value, _ ("a whole number of at least 1"), error);
    }
  *count = number;
  return TRUE;
}

/* ---- sizes and numbers ---- */

gboolean
ns_config_read_value (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                      GError **error)
{
  const NsParam *param = ns_param_find (row->target);
  gint64 integer;
  double number;
  g_autofree char *allowed = NULL;
  g_autofree char *list = ns_json_node_dup_list (value);

  if (param->type == NS_TYPE_LIST && list != NULL)
    return set_string (reading, row->target, key, list, error);

  if (ns_json_node_get_integer (value, &integer))
    return set_int (reading, row->target, key, integer, error);
  if (ns_json_node_get_number (value, &number))
    return set_number (reading, row->target, key, number, error);
  allowed = ns_param_dup_allowed (param);
  return ns_json_node_refuse (key, value, allowed, error);
}

gboolean
ns_config_read_same (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                     GError **error)
{
  const NsParam *param = ns_param_find (row->target);
  const char *other = ns_config_get_key (reading, row->target);
  gint64 wanted = ns_param_get_int (param, ns_config_get_base (reading, param));
  gint64 found = 0;
  g_autofree char *allowed = NULL;
  g_autofree char *text = NULL;

  if (ns_json_node_get_integer (value, &found) && found == wanted)
    return TRUE;
  if (found < 1)
    {
      allowed = ns_param_dup_allowed (param);
      return ns_json_node_refuse (key, value, allowed, error);
    }
  text = ns_json_node_dup_short (value);
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("%s: %s differs from %s: %lld; allowed: the same value, since both set %s"), key, text, other,
               (long long) wanted, row->target);
  return FALSE;
}

gboolean
ns_config_read_decoder_depth (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error)
{
  NsShape *shape = &reading->experiment->shape;

  if (!ns_config_read_value (reading, row, key, value, error))
    return FALSE;
  if (shape->decoder_depth == shape->depth)
    shape->decoder_depth = 0;
  return TRUE;
}

gboolean
ns_config_read_inverse_root (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error)
{
  double number;

  if (!ns_json_node_get_number (value, &number) || number <= 0)
    return ns_json_node_refuse (key, value, _ ("a number above 0"), error);
  /* This is the default scale; keep its name, sqrt-d-head. */
  if (number == (double) ns_shape_get_d_head (&reading->experiment->shape))
    return TRUE;
  return set_number (reading, row->target, key, 1 / sqrt (number), error);
}

gboolean
ns_config_read_one (NsConfigReading *reading G_GNUC_UNUSED, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                    JsonNode *value, GError **error)
{
  double number;

  return (ns_json_node_get_number (value, &number) && number == 1) || ns_json_node_refuse (key, value, "1", error);
}

gboolean
ns_config_read_none (NsConfigReading *reading G_GNUC_UNUSED, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                     JsonNode *value, GError **error)
{
  return (JSON_NODE_HOLDS_ARRAY (value) && json_array_get_length (json_node_get_array (value)) == 0)
         || ns_json_node_refuse (key, value, _ ("an empty list: all blocks have experts"), error);
}

gboolean
ns_config_read_shared_width (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error)
{
  gint64 width, one = reading->experiment->shape.d_ff;
  g_autofree char *allowed = NULL;

  if (ns_json_node_get_integer (value, &width) && width > 0 && width % one == 0)
    return set_int (reading, row->target, key, width / one, error);
  allowed = g_strdup_printf (_ ("a multiple of the width of an expert, %lld"), (long long) one);
  return ns_json_node_refuse (key, value, allowed, error);
}

gboolean
ns_config_read_absolute (NsConfigReading *reading G_GNUC_UNUSED, const NsConfigRow *row G_GNUC_UNUSED,
                         const char *key, JsonNode *value, GError **error)
{
  return g_strcmp0 (ns_json_node_get_string (value), "absolute") == 0
         || ns_json_node_refuse (key, value, "\"absolute\"", error);
}

/* ---- activations ---- */

typedef struct
{
  const char *name;
  NsActivation plain;
  int gated; /* NsActivation, or -1 */
} Activation;

static const Activation activations[] = {
  { "relu", NS_ACT_RELU, -1 },
  { "gelu", NS_ACT_GELU, NS_ACT_GEGLU },
  { "gelu_python", NS_ACT_GELU, NS_ACT_GEGLU },
  { "gelu_new", NS_ACT_GELU_TANH, NS_ACT_GEGLU_TANH },
  { "gelu_fast", NS_ACT_GELU_TANH, NS_ACT_GEGLU_TANH },
  { "gelu_pytorch_tanh", NS_ACT_GELU_TANH, NS_ACT_GEGLU_TANH },
  { "silu", NS_ACT_SILU, NS_ACT_SWIGLU },
  { "swish", NS_ACT_SILU, NS_ACT_SWIGLU },
};

static const Activation *
find_activation (const char *name, gboolean gated)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (activations); i++)
    if (strcmp (activations[i].name, name) == 0 && (!gated || activations[i].gated >= 0))
      return &activations[i];
  return NULL;
}

static void
append_activations (GString *names, const char *prefix, gboolean gated)
{
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    if (!gated || activations[i].gated >= 0)
      g_string_append_printf (names, "%s%s%s", names->len > 0 ? ", " : "", prefix, activations[i].name);
}

static void
set_activation (NsConfigReading *reading, const Activation *activation, gboolean gated)
{
  ns_experiment_variant (reading->experiment, 0)->activation = gated ? activation->gated : (int) activation->plain;
}

static gboolean
read_activation (NsConfigReading *reading, const char *key, JsonNode *value, gboolean gated, GError **error)
{
  const Activation *activation = find_activation (ns_json_node_get_string (value), gated);
  g_autoptr (GString) names = g_string_new (NULL);

  if (activation == NULL)
    {
      append_activations (names, "", gated);
      return ns_json_node_refuse (key, value, names->str, error);
    }
  set_activation (reading, activation, gated);
  return TRUE;
}

gboolean
ns_config_read_activation (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                           JsonNode *value, GError **error)
{
  return read_activation (reading, key, value, FALSE, error);
}

gboolean
ns_config_read_gate (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key, JsonNode *value,
                     GError **error)
{
  return read_activation (reading, key, value, TRUE, error);
}

gboolean
ns_config_read_t5_activation (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                              JsonNode *value, GError **error)
{
  const char *text = ns_json_node_get_string (value);
  gboolean gated = text != NULL && g_str_has_prefix (text, "gated-");
  const Activation *activation;
  g_autoptr (GString) names = g_string_new (NULL);

  if (gated)
    text += strlen ("gated-");
  /* T5 v1.1 writes "gelu" for the tanh approximation. */
  if (gated && strcmp (text, "gelu") == 0)
    text = "gelu_new";
  activation = find_activation (text, gated);
  if (activation == NULL)
    {
      append_activations (names, "", FALSE);
      append_activations (names, "gated-", TRUE);
      return ns_json_node_refuse (key, value, names->str, error);
    }
  set_activation (reading, activation, gated);
  return TRUE;
}

/* ---- limits and notes ---- */

gboolean
ns_config_read_positions (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key,
                          JsonNode *value, GError **error)
{
  NsShape *shape = &reading->experiment->shape;
  gint64 count;

  if (!read_count (key, value, &count, error))
    return FALSE;
  shape->seq_len = MIN (shape->seq_len, count);
  return TRUE;
}

gboolean
ns_config_read_cap (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value, GError **error)
{
  double cap;

  if (!ns_json_node_get_number (value, &cap) || cap <= 0)
    return ns_json_node_refuse (key, value, _ ("a number above 0, or null"), error);
  return set_number (reading, row->target, key, cap, error);
}

gboolean
ns_config_read_token_types (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                            GError **error)
{
  gint64 count;

  return read_count (key, value, &count, error) && set_int (reading, row->target, key, 1, error);
}

/* ---- images ---- */

gboolean
ns_config_read_image (NsConfigReading *reading, const NsConfigRow *row G_GNUC_UNUSED, const char *key, JsonNode *value,
                      GError **error)
{
  return read_count (key, value, &reading->image_size, error);
}

gboolean
ns_config_read_patch (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                      GError **error)
{
  gint64 edge;

  if (!read_count (key, value, &reading->patch_size, error))
    return FALSE;
  edge = reading->image_size / reading->patch_size;
  if (edge < 1)
    {
      g_autofree char *text = ns_json_node_dup_short (value);

      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: %s exceeds image_size: %lld; allowed: a patch that fits into the image"), key, text,
                   (long long) reading->image_size);
      return FALSE;
    }
  reading->experiment->shape.batch = 1;
  return set_int (reading, row->target, key, edge * edge + 1, error);
}

gboolean
ns_config_read_channels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                         GError **error)
{
  gint64 count, pixels;

  if (!read_count (key, value, &count, error))
    return FALSE;
  if (__builtin_mul_overflow (reading->patch_size * reading->patch_size, count, &pixels))
    pixels = G_MAXINT64;
  return set_int (reading, row->target, key, pixels, error);
}

gboolean
ns_config_read_labels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                       GError **error)
{
  if (JSON_NODE_HOLDS_OBJECT (value))
    return set_int (reading, row->target, key, json_object_get_size (json_node_get_object (value)), error);
  return ns_config_read_value (reading, row, key, value, error);
}
