/* Keys of a config.json that would wire a known family differently.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-rewiring.h"

#include "document/ns-json-node.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define NO_EXPERTS N_ ("this family has one FFN in each block and no experts")
#define NO_FACTOR N_ ("this family has no such factor")
#define SAME_BLOCKS N_ ("all blocks of an experiment have attention and an FFN of the same kind")
#define NO_LATENT_KEYS N_ ("an experiment has no compressed keys and values")
#define NO_QK_NORM N_ ("this family has no norm on queries and keys")
#define NO_POSITIONS N_ ("this family has no positions in the attention")
#define NO_STREAMS N_ ("an experiment has one residual stream or two (ResiDual)")
#define NO_LAYERSCALE N_ ("this family has no LayerScale; --variant layerscale adds it")
#define NO_STATE_SPACE N_ ("an experiment has no state-space layers")
#define NO_CROSS_ATTENTION N_ ("this family has no cross-attention")
#define NO_CAP N_ ("this family has no soft cap")

static const NsConfigRewiring rewiring_table[] = {
  /* Experts. */
  { "moe_num_experts", "0|1", NO_EXPERTS },
  { "n_routed_experts", "0|1", NO_EXPERTS },
  { "n_shared_experts", "0", NO_EXPERTS },
  { "num_experts", "0|1", NO_EXPERTS },
  { "num_local_experts", "0|1", NO_EXPERTS },
  { "num_shared_experts", "0", NO_EXPERTS },
  /* Factors: Granite, Cohere, MiniCPM. */
  { "attention_multiplier", "", NO_FACTOR },
  { "dim_model_base", "", NO_FACTOR },
  { "embedding_multiplier", "1", NO_FACTOR },
  { "logit_scale", "1", NO_FACTOR },
  { "logits_scaling", "1", NO_FACTOR },
  { "query_pre_attn_scalar", "", NO_FACTOR },
  { "residual_multiplier", "1", NO_FACTOR },
  { "scale_depth", "", NO_FACTOR },
  { "scale_emb", "1", NO_FACTOR },
  /* Residual streams and norms. */
  { "altup_num_inputs", "0|1", NO_STREAMS },
  { "apply_residual_connection_post_layernorm", "false",
    N_ ("the residual connections of an experiment do not begin after a norm") },
  { "hc_mult", "0|1", NO_STREAMS },
  { "hidden_size_per_layer_input", "0", N_ ("an experiment has one embedding, before the first block") },
  { "laurel_rank", "0", N_ ("an experiment has no learned residual connections") },
  { "layer_scale_init_value", "0", NO_LAYERSCALE },
  { "layerscale_value", "0", NO_LAYERSCALE },
  { "qk_layernorm", "false", NO_QK_NORM },
  { "qk_norm", "false", NO_QK_NORM },
  { "use_qk_norm", "false", NO_QK_NORM },
  { "use_parallel_residual", "false", N_ ("the order of attention and FFN is fixed in this family") },
  /* Blocks that differ. */
  { "attention_types", "", SAME_BLOCKS },
  { "block_configs", "", SAME_BLOCKS },
  { "hybrid_override_pattern", "", SAME_BLOCKS },
  { "layer_types", "\"full_attention\"|\"sliding_attention\"", SAME_BLOCKS },
  { "layers_block_type", "\"attention\"", SAME_BLOCKS },
  { "mamba_d_state", "", NO_STATE_SPACE },
  { "num_kv_shared_layers", "0", N_ ("the blocks of an experiment do not share keys and values") },
  { "state_size", "", NO_STATE_SPACE },
  /* Attention. */
  { "add_cross_attention", "false", NO_CROSS_ATTENTION },
  { "alibi", "false", NO_POSITIONS },
  { "attn_config", "", N_ ("this family has no attn_config") },
  { "attn_logit_softcapping", "", NO_CAP },
  { "attn_output_gate", "false", N_ ("an experiment has no gate after the attention") },
  { "clip_qkv", "", N_ ("an experiment does not clip queries, keys and values") },
  { "cross_attention_layers", "", NO_CROSS_ATTENTION },
  { "final_logit_softcapping", "", NO_CAP },
  { "kv_lora_rank", "", NO_LATENT_KEYS },
  { "q_lora_rank", "", NO_LATENT_KEYS },
  { "relative_attention", "false", NO_POSITIONS },
  { "use_alibi", "false", NO_POSITIONS },
  /* Weights. */
  { "tie_encoder_decoder", "false", N_ ("encoder and decoder of an experiment have weights of their own") },
};

const NsConfigRewiring *
ns_config_get_rewirings (gsize *n)
{
  *n = G_N_ELEMENTS (rewiring_table);
  return rewiring_table;
}

static gboolean
is_equal (JsonNode *a, JsonNode *b)
{
  double x, y;

  if (ns_json_node_get_number (a, &x) && ns_json_node_get_number (b, &y))
    return x == y;
  return json_node_equal (a, b);
}

static gboolean
is_neutral_value (JsonNode *node, char **values)
{
  for (; *values != NULL; values++)
    {
      g_autoptr (JsonNode) value = json_from_string (*values, NULL);

      if (value != NULL && is_equal (node, value))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_neutral (JsonNode *node, const char *neutral)
{
  g_auto (GStrv) values = g_strsplit (neutral, "|", -1);
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (array == NULL)
    return is_neutral_value (node, values);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!is_neutral_value (json_array_get_element (array, i), values))
      return FALSE;
  return TRUE;
}

/* Return the member if it rewires a model of the family, else NULL. */
static JsonNode *
find_rewiring (const NsConfigFamily *family, JsonObject *object, const NsConfigRewiring *row)
{
  JsonNode *node = json_object_get_member (object, row->key);

  return ns_config_is_set (node) && !is_neutral (node, row->neutral) && !ns_config_family_reads (family, row->key)
         ? node : NULL;
}

gboolean
ns_config_check_rewirings (const NsConfigFamily *family, JsonObject *object, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rewiring_table); i++)
    {
      JsonNode *node = find_rewiring (family, object, &rewiring_table[i]);
      g_auto (GStrv) values = NULL;
      g_autofree char *list = NULL;
      g_autofree char *allowed = NULL;

      if (node == NULL)
        continue;
      values = g_strsplit (rewiring_table[i].neutral, "|", -1);
      list = g_strjoinv (", ", values);
      /* Translators: the allowed values of a key of a config, and the reason: "0, 1 or no such key, since …" */
      allowed = *list != '\0' ? g_strdup_printf (_ ("%s or no such key, since %s"), list, _ (rewiring_table[i].reason))
                              : g_strdup_printf (_ ("no such key, since %s"), _ (rewiring_table[i].reason));
      return ns_json_node_refuse (rewiring_table[i].key, node, allowed, error);
    }
  return TRUE;
}

char *
ns_config_remove_rewirings (const NsConfigFamily *family, JsonObject *object)
{
  GString *names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (rewiring_table); i++)
    {
      if (find_rewiring (family, object, &rewiring_table[i]) == NULL)
        continue;
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", rewiring_table[i].key);
      json_object_remove_member (object, rewiring_table[i].key);
    }
  return g_string_free (names, FALSE);
}
