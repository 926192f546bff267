/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-family-rows.h"

#include "import/ns-config-readers.h"

#include <glib/gi18n-lib.h>

/* ---- rows ---- */

const NsConfigRow ns_rows_gpt_shape[] = {
  { "n_layer|num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "n_embd|hidden_size|n_embed", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "n_head|num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "n_inner", ns_config_read_value, "shape.d_ff", NS_CONFIG_FOUR_WIDTHS, FALSE },
  { "vocab_size", ns_config_read_value, "shape.vocab", NS_CONFIG_REQUIRED, FALSE },
  { "layer_norm_epsilon", ns_config_read_value, "norm_eps", "1e-5", FALSE },
  { "activation_function", ns_config_read_activation, "activation", "\"gelu_new\"", FALSE },
  { "n_positions|max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_mpt[] = {
  { "n_layers|num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "d_model|hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "n_heads|num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "expansion_ratio", ns_config_read_widths, "shape.d_ff", "4", FALSE },
  { "layer_norm_epsilon", ns_config_read_value, "norm_eps", "1e-5", FALSE },
  { "attn_config", ns_config_read_mpt_attention, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { "max_seq_len", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_falcon[] = {
  { "num_hidden_layers|n_layer", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "hidden_size|n_embed", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "num_attention_heads|n_head", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "ffn_hidden_size", ns_config_read_value, "shape.d_ff", NS_CONFIG_FOUR_WIDTHS, FALSE },
  { "multi_query", ns_config_read_falcon_queries, NULL, "true", FALSE },
  { "num_kv_heads|n_head_kv", ns_config_read_falcon_keys, "shape.kv_heads", NS_CONFIG_OPTIONAL, FALSE },
  { "parallel_attn", ns_config_read_falcon_order, NULL, "true", FALSE },
  { "num_ln_in_parallel_attn", ns_config_read_falcon_norms, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { "layer_norm_epsilon", ns_config_read_value, "norm_eps", "1e-5", FALSE },
  { "activation", ns_config_read_activation, "activation", "\"gelu\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

#define BERT_ROWS(read_activation)                                                                                     \
  { "layer_norm_eps", ns_config_read_value, "norm_eps", "1e-12", FALSE },                                              \
  { "hidden_act", read_activation, "activation", "\"gelu\"", FALSE },                                                  \
  { "position_embedding_type", ns_config_read_absolute, NULL, "\"absolute\"", FALSE },                                 \
  { "type_vocab_size", ns_config_read_token_types, "data.token_types", "2", FALSE },                                   \
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE }

const NsConfigRow ns_rows_bert[] = { BERT_ROWS (ns_config_read_activation), { NULL } };

/* RoBERTa's head has GELU, whatever the activation of the blocks is. */
static gboolean
read_roberta_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                         GError **error)
{
  if (!ns_config_read_activation (reading, row, key, value, error))
    return FALSE;
  if (ns_experiment_variant (reading->experiment, 0)->activation != NS_ACT_GELU)
    ns_config_take_note (reading, g_strdup_printf (_ ("The head's activation is that of the blocks (%s); in the "
                                                      "model's code it is gelu."),
                                                   key));
  return TRUE;
}

const NsConfigRow ns_rows_roberta[] = { BERT_ROWS (read_roberta_activation), { NULL } };

const NsConfigRow ns_rows_distilbert[] = {
  { "n_layers|num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "dim|hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "n_heads|num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "hidden_dim", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "activation", ns_config_read_activation, "activation", "\"gelu\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_opt[] = {
  { "num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "hidden_size|d_model", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "word_embed_proj_dim", ns_config_read_same, "shape.d_model", NS_CONFIG_OPTIONAL, FALSE },
  { "num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "ffn_dim", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_fsmt[] = {
  { "tgt_vocab_size", ns_config_read_value, "shape.vocab", NS_CONFIG_REQUIRED, FALSE },
  { "src_vocab_size", ns_config_read_value, "shape.encoder_vocab", NS_CONFIG_REQUIRED, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_neox[] = {
  { "layer_norm_eps", ns_config_read_value, "norm_eps", "1e-5", FALSE },
  { "hidden_act", ns_config_read_activation, "activation", "\"gelu\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_neox_rope[] = {
  { "rotary_pct|partial_rotary_factor", ns_config_read_rotary_share, "rotary_dim", "0.25", FALSE },
  { "rotary_emb_base|rope_theta", ns_config_read_value, "rotary_base", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_gptj_rope[] = {
  { "rotary_dim", ns_config_read_value, "rotary_dim", "64", FALSE },
  { NULL },
};

const NsConfigRow ns_rows_phi_rope[] = {
  { "rope_theta", ns_config_read_value, "rotary_base", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { "partial_rotary_factor", ns_config_read_rotary_share, "rotary_dim", "0.5", FALSE },
  { NULL },
};

const NsConfigRow ns_rows_phi3_rope[] = {
  { "rope_theta", ns_config_read_value, "rotary_base", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { "partial_rotary_factor", ns_config_read_rotary_share, "rotary_dim", NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_phi[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", NS_CONFIG_OPTIONAL, TRUE },
  { "layer_norm_eps", ns_config_read_value, "norm_eps", "1e-5", FALSE },
  { "hidden_act", ns_config_read_activation, "activation", "\"gelu_new\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

const NsConfigRow ns_rows_vit[] = {
  { "layer_norm_eps", ns_config_read_value, "norm_eps", "1e-12", FALSE },
  { "hidden_act", ns_config_read_activation, "activation", "\"gelu\"", FALSE },
  { "id2label", ns_config_read_labels, "shape.vocab", "2", FALSE },
  { "image_size", ns_config_read_image, "shape.seq_len", "224", FALSE },
  { "patch_size", ns_config_read_patch, "shape.seq_len", "16", FALSE },
  { "num_channels", ns_config_read_channels, "shape.patch_features", "3", FALSE },
  { NULL },
};

/* ---- switches ---- */

#define NOTE_FALCON_ALIBI                                                                                              \
  N_ ("The biases of ALiBi are exact; Falcon's code rounds them to bfloat16.")

const NsConfigSwitch ns_switches_gpt2[] = {
  { "scale_attn_weights", TRUE, "", "attention_scale=1", NULL, NULL },
  { "scale_attn_by_inverse_layer_idx", FALSE, NULL, "", NULL, NULL },
  { "add_cross_attention", FALSE, NULL, "", NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_falcon[] = {
  { "new_decoder_architecture", FALSE, "", "", NULL, NULL },
  { "alibi", FALSE, "position_bias=alibi-scaled", "rotary=half", NOTE_FALCON_ALIBI, NULL },
  { "bias", FALSE, NS_CONFIG_HEADLESS_BIAS, "bias_norms=true", NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_bert[] = {
  { "is_decoder", FALSE, "attention=causal", "", NULL, NULL },
  { "add_cross_attention", FALSE, NULL, "", NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_distilbert[] = {
  { "sinusoidal_pos_embds", FALSE, "data.positions=sinusoidal", "", NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_opt[] = {
  { "do_layer_norm_before", TRUE, "attn.norm=pre,ffn.norm=pre", "attn.norm=post,ffn.norm=post", NULL, NULL },
  { "_remove_final_layer_norm", FALSE, "final_norm=off", "", NULL, NULL },
  { "enable_bias", TRUE, NS_CONFIG_HEADLESS_BIAS, "bias_norms=true", NULL, NULL },
  { "layer_norm_elementwise_affine", TRUE, "", NULL, NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_neox[] = {
  { "use_parallel_residual", TRUE, "topology=parallel-two-norms", "", NULL, NULL },
  { "attention_bias", TRUE, "", "bias_qkv=false,bias_output=false", NULL, NULL },
  { NULL },
};

const NsConfigSwitch ns_switches_phi[] = { { "qk_layernorm", FALSE, NULL, "", NULL, NULL }, { NULL } };

const NsConfigSwitch ns_switches_vit[] = { { "qkv_bias", TRUE, "", "bias_qkv=false", NULL, NULL }, { NULL } };
