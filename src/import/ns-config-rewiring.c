/* Keys of a config.json that would wire a known family differently.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-rewiring.h"

#include "document/ns-json-node.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define EXPERTS N_ ("this family has one FFN in each block and no experts")
#define FACTOR N_ ("this family has no such factor")
#define SAME_BLOCKS N_ ("all blocks of an experiment have attention and an FFN of the same kind")
#define LATENT N_ ("an experiment has no compressed keys and values")
#define QK_NORM N_ ("this family has no norm on queries and keys")
#define ALIBI N_ ("this family has no positions in the attention")
#define STREAMS N_ ("an experiment has one residual stream or two (ResiDual)")
#define LAYERSCALE N_ ("this family has no LayerScale; --variant layerscale adds it")
#define STATE_SPACE N_ ("an experiment has no state-space layers")
#define CROSS N_ ("this family has no cross-attention")
#define CAP N_ ("this family has no soft cap")

static const NsConfigRewiring table[] = {
  /* Experts. */
  { "moe_num_experts", "0|1", EXPERTS },
  { "n_routed_experts", "0|1", EXPERTS },
  { "n_shared_experts", "0", EXPERTS },
  { "num_experts", "0|1", EXPERTS },
  { "num_local_experts", "0|1", EXPERTS },
  { "num_shared_experts", "0", EXPERTS },
  /* Factors: Granite, Cohere, MiniCPM. */
  { "attention_multiplier", "", FACTOR },
  { "dim_model_base", "", FACTOR },
  { "embedding_multiplier", "1", FACTOR },
  { "logit_scale", "1", FACTOR },
  { "logits_scaling", "1", FACTOR },
  { "query_pre_attn_scalar", "", FACTOR },
  { "residual_multiplier", "1", FACTOR },
  { "scale_depth", "", FACTOR },
  { "scale_emb", "1", FACTOR },
  /* Residual streams and norms. */
  { "altup_num_inputs", "0|1", STREAMS },
  { "apply_residual_connection_post_layernorm", "false",
    N_ ("the residual connections of an experiment do not begin after a norm") },
  { "hc_mult", "0|1", STREAMS },
  { "hidden_size_per_layer_input", "0", N_ ("an experiment has one embedding, before the first block") },
  { "laurel_rank", "0", N_ ("an experiment has no learned residual connections") },
  { "layer_scale_init_value", "0", LAYERSCALE },
  { "layerscale_value", "0", LAYERSCALE },
  { "qk_layernorm", "false", QK_NORM },
  { "qk_norm", "false", QK_NORM },
  { "use_qk_norm", "false", QK_NORM },
  { "use_parallel_residual", "false", N_ ("the order of attention and FFN is fixed in this family") },
  /* Blocks that differ. */
  { "attention_types", "", SAME_BLOCKS },
  { "block_configs", "", SAME_BLOCKS },
  { "hybrid_override_pattern", "", SAME_BLOCKS },
  { "layer_types", "\"full_attention\"|\"sliding_attention\"", SAME_BLOCKS },
  { "layers_block_type", "\"attention\"", SAME_BLOCKS },
  { "mamba_d_state", "", STATE_SPACE },
  { "num_kv_shared_layers", "0", N_ ("the blocks of an experiment do not share keys and values") },
  { "state_size", "", STATE_SPACE },
  /* Attention. */
  { "add_cross_attention", "false", CROSS },
  { "alibi", "false", ALIBI },
  { "attn_config", "", N_ ("this family has no attn_config") },
  { "attn_logit_softcapping", "", CAP },
  { "attn_output_gate", "false", N_ ("an experiment has no gate after the attention") },
  { "clip_qkv", "", N_ ("an experiment does not clip queries, keys and values") },
  { "cross_attention_layers", "", CROSS },
  { "final_logit_softcapping", "", CAP },
  { "kv_lora_rank", "", LATENT },
  { "q_lora_rank", "", LATENT },
  { "relative_attention", "false", ALIBI },
  { "use_alibi", "false", ALIBI },
  /* Weights. */
  { "tie_encoder_decoder", "false", N_ ("encoder and decoder of an experiment have weights of their own") },
};

const NsConfigRewiring *
ns_config_get_rewirings (gsize *n)
{
  *n = G_N_ELEMENTS (table);
  return table;
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
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      JsonNode *node = find_rewiring (family, object, &table[i]);
      g_auto (GStrv) values = NULL;
      g_autofree char *list = NULL;
      g_autofree char *allowed = NULL;

      if (node == NULL)
        continue;
      values = g_strsplit (table[i].neutral, "|", -1);
      list = g_strjoinv (", ", values);
      /* Translators: the allowed values of a key of a config, and the reason: "0, 1 or no such key, since …" */
      allowed = *list != '\0' ? g_strdup_printf (_ ("%s or no such key, since %s"), list, _ (table[i].reason))
                              : g_strdup_printf (_ ("no such key, since %s"), _ (table[i].reason));
      return ns_json_node_refuse (table[i].key, node, allowed, error);
    }
  return TRUE;
}

char *
ns_config_remove_rewirings (const NsConfigFamily *family, JsonObject *object)
{
  GString *names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      if (find_rewiring (family, object, &table[i]) == NULL)
        continue;
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", table[i].key);
      json_object_remove_member (object, table[i].key);
    }
  return g_string_free (names, FALSE);
}
