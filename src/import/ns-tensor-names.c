/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-tensor-names.h"

#include <string.h>

#define S NS_NAME_ANY_PART
#define E NS_PART_ENCODER
#define D NS_PART_DECODER

/* A linear map with its bias, one without, a norm with its bias, a table of the input. */
#define PIECE(part, name, slot, piece)                                                                                \
  { name ".weight", NS_T_W_##slot, part, NS_PIECE_##piece }, { name ".bias", NS_T_B_##slot, part, NS_PIECE_##piece }
#define MAP(part, name, slot) PIECE (part, name, slot, WHOLE)
#define WEIGHT(part, name, tensor)                                                                                    \
  {                                                                                                                   \
    name ".weight", NS_T_##tensor, part, NS_PIECE_WHOLE                                                               \
  }
#define CROSS(name, slot)                                                                                             \
  { name ".weight", NS_T_CROSS_W_##slot, D, NS_PIECE_WHOLE }, { name ".bias", NS_T_CROSS_B_##slot, D, NS_PIECE_WHOLE }
#define NORM(part, name, place)                                                                                       \
  { name ".weight", NS_T_GAIN_##place, part, NS_PIECE_WHOLE },                                                        \
  {                                                                                                                   \
    name ".bias", NS_T_BIAS_##place, part, NS_PIECE_WHOLE                                                             \
  }
#define EITHER_NORM(name, other, place)                                                                               \
  { name ".weight|" other ".weight", NS_T_GAIN_##place, S, NS_PIECE_WHOLE },                                          \
  {                                                                                                                   \
    name ".bias|" other ".bias", NS_T_BIAS_##place, S, NS_PIECE_WHOLE                                                 \
  }
#define TABLE(part, name, table)                                                                                      \
  {                                                                                                                   \
    name, NS_NAME_TABLE (NS_TABLE_##table), part, NS_PIECE_WHOLE                                                      \
  }
#define END                                                                                                           \
  {                                                                                                                   \
    NULL, 0, 0, NS_PIECE_WHOLE                                                                                        \
  }

/* ---- LLaMA and its relatives ---- */

static const NsTensorName llama_ends[] = {
  TABLE (S, "embed_tokens.weight", EMBEDDING), NORM (S, "norm", FINAL), MAP (S, "lm_head", HEAD), END,
};
static const NsTensorName llama_attention[] = {
  MAP (S, "layers.*.self_attn.q_proj", Q), MAP (S, "layers.*.self_attn.k_proj", K),
  MAP (S, "layers.*.self_attn.v_proj", V), MAP (S, "layers.*.self_attn.o_proj", O), END,
};
static const NsTensorName qk_norms[] = {
  NORM (S, "layers.*.self_attn.q_norm", ATTN_Q), NORM (S, "layers.*.self_attn.k_norm", ATTN_K), END,
};
static const NsTensorName gated_mlp[] = {
  MAP (S, "layers.*.mlp.gate_proj", 1), MAP (S, "layers.*.mlp.up_proj", 3), MAP (S, "layers.*.mlp.down_proj", 2), END,
};
static const NsTensorName mixtral_experts[] = {
  WEIGHT (S, "layers.*.block_sparse_moe.gate", ROUTER), WEIGHT (S, "layers.*.block_sparse_moe.experts.#.w1", W_1),
  WEIGHT (S, "layers.*.block_sparse_moe.experts.#.w3", W_3), WEIGHT (S, "layers.*.block_sparse_moe.experts.#.w2", W_2),
  END,
};
static const NsTensorName qwen_expert_names[] = {
  WEIGHT (S, "layers.*.mlp.gate", ROUTER), WEIGHT (S, "layers.*.mlp.experts.#.gate_proj", W_1),
  WEIGHT (S, "layers.*.mlp.experts.#.up_proj", W_3), WEIGHT (S, "layers.*.mlp.experts.#.down_proj", W_2), END,
};
static const NsTensorName qwen2_shared[] = {
  WEIGHT (S, "layers.*.mlp.shared_expert.gate_proj", SHARED_W_1),
  WEIGHT (S, "layers.*.mlp.shared_expert.up_proj", SHARED_W_3),
  WEIGHT (S, "layers.*.mlp.shared_expert.down_proj", SHARED_W_2),
  WEIGHT (S, "layers.*.mlp.shared_expert_gate", SHARED_GATE), END,
};
static const NsTensorName llama4_experts[] = {
  WEIGHT (S, "layers.*.feed_forward.router", ROUTER),
  { "layers.*.feed_forward.experts.gate_up_proj", NS_T_W_1, S, NS_PIECE_GATE },
  { "layers.*.feed_forward.experts.gate_up_proj", NS_T_W_3, S, NS_PIECE_UP },
  { "layers.*.feed_forward.experts.down_proj", NS_T_W_2, S, NS_PIECE_WHOLE },
  WEIGHT (S, "layers.*.feed_forward.shared_expert.gate_proj", SHARED_W_1),
  WEIGHT (S, "layers.*.feed_forward.shared_expert.up_proj", SHARED_W_3),
  WEIGHT (S, "layers.*.feed_forward.shared_expert.down_proj", SHARED_W_2), END,
};
static const NsTensorName llama_norms[] = {
  NORM (S, "layers.*.input_layernorm", ATTN_PRE), NORM (S, "layers.*.post_attention_layernorm", FFN_PRE), END,
};
static const NsTensorName olmo2_norms[] = {
  NORM (S, "layers.*.post_attention_layernorm", ATTN_BRANCH),
  NORM (S, "layers.*.post_feedforward_layernorm", FFN_BRANCH), END,
};
static const NsTensorName gemma2_norms[] = {
  NORM (S, "layers.*.input_layernorm", ATTN_PRE), NORM (S, "layers.*.post_attention_layernorm", ATTN_BRANCH),
  NORM (S, "layers.*.pre_feedforward_layernorm", FFN_PRE),
  NORM (S, "layers.*.post_feedforward_layernorm", FFN_BRANCH), END,
};
static const NsTensorName phi3_maps[] = {
  PIECE (S, "layers.*.self_attn.qkv_proj", Q, QKV_Q), PIECE (S, "layers.*.self_attn.qkv_proj", K, QKV_K),
  PIECE (S, "layers.*.self_attn.qkv_proj", V, QKV_V), MAP (S, "layers.*.self_attn.o_proj", O),
  PIECE (S, "layers.*.mlp.gate_up_proj", 1, GATE), PIECE (S, "layers.*.mlp.gate_up_proj", 3, UP),
  MAP (S, "layers.*.mlp.down_proj", 2), END,
};
static const NsTensorName phi[] = {
  TABLE (S, "embed_tokens.weight", EMBEDDING), NORM (S, "final_layernorm", FINAL), MAP (S, "lm_head", HEAD),
  MAP (S, "layers.*.self_attn.q_proj", Q), MAP (S, "layers.*.self_attn.k_proj", K),
  MAP (S, "layers.*.self_attn.v_proj", V), MAP (S, "layers.*.self_attn.dense", O), MAP (S, "layers.*.mlp.fc1", 1),
  MAP (S, "layers.*.mlp.fc2", 2), NORM (S, "layers.*.input_layernorm", ATTN_PRE), END,
};

/* ---- GPT ---- */

static const NsTensorName gpt2[] = {
  TABLE (S, "wte.weight", EMBEDDING), TABLE (S, "wpe.weight", POSITION), NORM (S, "ln_f", FINAL),
  MAP (S, "lm_head", HEAD), NORM (S, "h.*.ln_1", ATTN_PRE), NORM (S, "h.*.ln_2", FFN_PRE),
  PIECE (S, "h.*.attn.c_attn", Q, QKV_Q), PIECE (S, "h.*.attn.c_attn", K, QKV_K),
  PIECE (S, "h.*.attn.c_attn", V, QKV_V), MAP (S, "h.*.attn.c_proj", O), MAP (S, "h.*.mlp.c_fc", 1),
  MAP (S, "h.*.mlp.c_proj", 2), END,
};
static const NsTensorName gptj[] = {
  TABLE (S, "wte.weight", EMBEDDING), NORM (S, "ln_f", FINAL), MAP (S, "lm_head", HEAD),
  NORM (S, "h.*.ln_1", ATTN_PRE), MAP (S, "h.*.attn.q_proj", Q), MAP (S, "h.*.attn.k_proj", K),
  MAP (S, "h.*.attn.v_proj", V), MAP (S, "h.*.attn.out_proj", O), MAP (S, "h.*.mlp.fc_in", 1),
  MAP (S, "h.*.mlp.fc_out", 2), END,
};
static const NsTensorName neox[] = {
  TABLE (S, "embed_in.weight", EMBEDDING), NORM (S, "final_layer_norm", FINAL), MAP (S, "embed_out", HEAD),
  NORM (S, "layers.*.input_layernorm", ATTN_PRE), NORM (S, "layers.*.post_attention_layernorm", FFN_PRE),
  PIECE (S, "layers.*.attention.query_key_value", Q, HEADS_Q),
  PIECE (S, "layers.*.attention.query_key_value", K, HEADS_K),
  PIECE (S, "layers.*.attention.query_key_value", V, HEADS_V), MAP (S, "layers.*.attention.dense", O),
  MAP (S, "layers.*.mlp.dense_h_to_4h", 1), MAP (S, "layers.*.mlp.dense_4h_to_h", 2), END,
};
static const NsTensorName bloom[] = {
  TABLE (S, "word_embeddings.weight", EMBEDDING), NORM (S, "word_embeddings_layernorm", INPUT),
  NORM (S, "ln_f", FINAL), MAP (S, "lm_head", HEAD), NORM (S, "h.*.input_layernorm", ATTN_PRE),
  NORM (S, "h.*.post_attention_layernorm", FFN_PRE), PIECE (S, "h.*.self_attention.query_key_value", Q, HEADS_Q),
  PIECE (S, "h.*.self_attention.query_key_value", K, HEADS_K),
  PIECE (S, "h.*.self_attention.query_key_value", V, HEADS_V), MAP (S, "h.*.self_attention.dense", O),
  MAP (S, "h.*.mlp.dense_h_to_4h", 1), MAP (S, "h.*.mlp.dense_4h_to_h", 2), END,
};
/* One norm for both sub-layers, or two, named after a sequence of sub-layers or after parallel ones. */
static const NsTensorName falcon[] = {
  TABLE (S, "word_embeddings.weight", EMBEDDING), NORM (S, "ln_f", FINAL), MAP (S, "lm_head", HEAD),
  EITHER_NORM ("h.*.input_layernorm", "h.*.ln_attn", ATTN_PRE),
  EITHER_NORM ("h.*.post_attention_layernorm", "h.*.ln_mlp", FFN_PRE),
  PIECE (S, "h.*.self_attention.query_key_value", Q, HEADS_Q),
  PIECE (S, "h.*.self_attention.query_key_value", K, HEADS_K),
  PIECE (S, "h.*.self_attention.query_key_value", V, HEADS_V), MAP (S, "h.*.self_attention.dense", O),
  MAP (S, "h.*.mlp.dense_h_to_4h", 1), MAP (S, "h.*.mlp.dense_4h_to_h", 2), END,
};
static const NsTensorName mpt[] = {
  TABLE (S, "wte.weight", EMBEDDING), NORM (S, "norm_f", FINAL), MAP (S, "lm_head", HEAD),
  NORM (S, "blocks.*.norm_1", ATTN_PRE), NORM (S, "blocks.*.norm_2", FFN_PRE),
  PIECE (S, "blocks.*.attn.Wqkv", Q, QKV_Q), PIECE (S, "blocks.*.attn.Wqkv", K, QKV_K),
  PIECE (S, "blocks.*.attn.Wqkv", V, QKV_V), MAP (S, "blocks.*.attn.out_proj", O), MAP (S, "blocks.*.ffn.up_proj", 1),
  MAP (S, "blocks.*.ffn.down_proj", 2), END,
};
/* The norms are before or after the sub-layers; a variant has one of the two. */
static const NsTensorName opt[] = {
  TABLE (S, "embed_tokens.weight", EMBEDDING), TABLE (S, "embed_positions.weight", POSITION),
  NORM (S, "final_layer_norm", FINAL), MAP (S, "lm_head", HEAD), MAP (S, "layers.*.self_attn.q_proj", Q),
  MAP (S, "layers.*.self_attn.k_proj", K), MAP (S, "layers.*.self_attn.v_proj", V),
  MAP (S, "layers.*.self_attn.out_proj", O), MAP (S, "layers.*.fc1", 1), MAP (S, "layers.*.fc2", 2),
  NORM (S, "layers.*.self_attn_layer_norm", ATTN_PRE), NORM (S, "layers.*.self_attn_layer_norm", ATTN_POST),
  NORM (S, "layers.*.final_layer_norm", FFN_PRE), NORM (S, "layers.*.final_layer_norm", FFN_POST), END,
};

/* ---- BERT and ViT ---- */

static const NsTensorName bert[] = {
  TABLE (S, "embeddings.word_embeddings.weight", EMBEDDING),
  TABLE (S, "embeddings.position_embeddings.weight", POSITION),
  TABLE (S, "embeddings.token_type_embeddings.weight", TOKEN_TYPE), NORM (S, "embeddings.LayerNorm", INPUT),
  MAP (S, "encoder.layer.*.attention.self.query", Q), MAP (S, "encoder.layer.*.attention.self.key", K),
  MAP (S, "encoder.layer.*.attention.self.value", V), MAP (S, "encoder.layer.*.attention.output.dense", O),
  NORM (S, "encoder.layer.*.attention.output.LayerNorm", ATTN_POST), MAP (S, "encoder.layer.*.intermediate.dense", 1),
  MAP (S, "encoder.layer.*.output.dense", 2), NORM (S, "encoder.layer.*.output.LayerNorm", FFN_POST), END,
};
static const NsTensorName bert_head[] = {
  MAP (S, "cls.predictions.transform.dense", HEAD_DENSE), NORM (S, "cls.predictions.transform.LayerNorm", HEAD_DENSE),
  { "cls.predictions.decoder.weight", NS_T_W_HEAD, S, NS_PIECE_WHOLE },
  { "cls.predictions.bias|cls.predictions.decoder.bias", NS_T_B_HEAD, S, NS_PIECE_WHOLE }, END,
};
static const NsTensorName roberta_head[] = {
  MAP (S, "lm_head.dense", HEAD_DENSE), NORM (S, "lm_head.layer_norm", HEAD_DENSE),
  { "lm_head.decoder.weight", NS_T_W_HEAD, S, NS_PIECE_WHOLE },
  { "lm_head.bias|lm_head.decoder.bias", NS_T_B_HEAD, S, NS_PIECE_WHOLE }, END,
};
static const NsTensorName distilbert[] = {
  TABLE (S, "embeddings.word_embeddings.weight", EMBEDDING),
  TABLE (S, "embeddings.position_embeddings.weight", POSITION), NORM (S, "embeddings.LayerNorm", INPUT),
  MAP (S, "transformer.layer.*.attention.q_lin", Q), MAP (S, "transformer.layer.*.attention.k_lin", K),
  MAP (S, "transformer.layer.*.attention.v_lin", V), MAP (S, "transformer.layer.*.attention.out_lin", O),
  NORM (S, "transformer.layer.*.sa_layer_norm", ATTN_POST), MAP (S, "transformer.layer.*.ffn.lin1", 1),
  MAP (S, "transformer.layer.*.ffn.lin2", 2), NORM (S, "transformer.layer.*.output_layer_norm", FFN_POST),
  MAP (S, "vocab_transform", HEAD_DENSE), NORM (S, "vocab_layer_norm", HEAD_DENSE), MAP (S, "vocab_projector", HEAD),
  END,
};
static const NsTensorName vit[] = {
  TABLE (S, "embeddings.position_embeddings", POSITION), TABLE (S, "embeddings.cls_token", CLASS_TOKEN),
  MAP (S, "embeddings.patch_embeddings.projection", PATCH), NORM (S, "layernorm", FINAL),
  MAP (S, "classifier", HEAD), NORM (S, "encoder.layer.*.layernorm_before", ATTN_PRE),
  NORM (S, "encoder.layer.*.layernorm_after", FFN_PRE), MAP (S, "encoder.layer.*.attention.attention.query", Q),
  MAP (S, "encoder.layer.*.attention.attention.key", K), MAP (S, "encoder.layer.*.attention.attention.value", V),
  MAP (S, "encoder.layer.*.attention.output.dense", O), MAP (S, "encoder.layer.*.intermediate.dense", 1),
  MAP (S, "encoder.layer.*.output.dense", 2), END,
};

/* ---- encoder and decoder ---- */

#define SELF(part, in)                                                                                                \
  MAP (part, in "self_attn.q_proj", Q), MAP (part, in "self_attn.k_proj", K), MAP (part, in "self_attn.v_proj", V),   \
      MAP (part, in "self_attn.out_proj", O), MAP (part, in "fc1", 1), MAP (part, in "fc2", 2)
#define NORMS(part, in, place)                                                                                        \
  NORM (part, in "self_attn_layer_norm", ATTN_##place), NORM (part, in "final_layer_norm", FFN_##place)

static const NsTensorName bart[] = {
  SELF (E, "encoder.layers.*."), NORMS (E, "encoder.layers.*.", PRE), NORMS (E, "encoder.layers.*.", POST),
  NORM (E, "encoder.layernorm_embedding", INPUT), NORM (S, "encoder.layer_norm", ENCODER_FINAL),
  TABLE (E, "encoder.embed_positions.weight", POSITION), SELF (D, "decoder.layers.*."),
  NORMS (D, "decoder.layers.*.", PRE), NORMS (D, "decoder.layers.*.", POST),
  NORM (D, "decoder.layernorm_embedding", INPUT), NORM (S, "decoder.layer_norm", FINAL),
  TABLE (D, "decoder.embed_positions.weight", POSITION), END,
};
static const NsTensorName bart_cross[] = {
  CROSS ("decoder.layers.*.encoder_attn.q_proj", Q), CROSS ("decoder.layers.*.encoder_attn.k_proj", K),
  CROSS ("decoder.layers.*.encoder_attn.v_proj", V), CROSS ("decoder.layers.*.encoder_attn.out_proj", O),
  NORM (D, "decoder.layers.*.encoder_attn_layer_norm", CROSS_PRE),
  NORM (D, "decoder.layers.*.encoder_attn_layer_norm", CROSS_POST), END,
};
static const NsTensorName bart_ends[] = {
  TABLE (S, "shared.weight|encoder.embed_tokens.weight|decoder.embed_tokens.weight", EMBEDDING),
  { "lm_head.weight", NS_T_W_HEAD, S, NS_PIECE_WHOLE }, { "final_logits_bias", NS_T_B_HEAD, S, NS_PIECE_WHOLE }, END,
};
static const NsTensorName fsmt_ends[] = {
  TABLE (E, "encoder.embed_tokens.weight", ENCODER_EMBEDDING), TABLE (D, "decoder.embed_tokens.weight", EMBEDDING),
  { "decoder.output_projection.weight", NS_T_W_HEAD, S, NS_PIECE_WHOLE }, END,
};

/* All blocks share the biases of the first one. */
#define T5_BIASES(part, name)                                                                                         \
  {                                                                                                                   \
    name ".block.0.layer.0.SelfAttention.relative_attention_bias.weight", NS_T_RELATIVE_BIAS, part, NS_PIECE_WHOLE    \
  }
#define T5_PART(part, in, ffn)                                                                                        \
  MAP (part, in "layer.0.SelfAttention.q", Q), MAP (part, in "layer.0.SelfAttention.k", K),                           \
      MAP (part, in "layer.0.SelfAttention.v", V), MAP (part, in "layer.0.SelfAttention.o", O),                       \
      NORM (part, in "layer.0.layer_norm", ATTN_PRE), NORM (part, in ffn "layer_norm", FFN_PRE),                      \
      { in ffn "DenseReluDense.wi.weight|" in ffn "DenseReluDense.wi_0.weight", NS_T_W_1, part, NS_PIECE_WHOLE },     \
      MAP (part, in ffn "DenseReluDense.wi_1", 3), MAP (part, in ffn "DenseReluDense.wo", 2)

static const NsTensorName t5[] = {
  TABLE (S, "shared.weight|encoder.embed_tokens.weight|decoder.embed_tokens.weight", EMBEDDING),
  MAP (S, "lm_head", HEAD), NORM (S, "encoder.final_layer_norm", ENCODER_FINAL),
  NORM (S, "decoder.final_layer_norm", FINAL), T5_PART (E, "encoder.block.*.", "layer.1."),
  T5_PART (D, "decoder.block.*.", "layer.2."), CROSS ("decoder.block.*.layer.1.EncDecAttention.q", Q),
  CROSS ("decoder.block.*.layer.1.EncDecAttention.k", K), CROSS ("decoder.block.*.layer.1.EncDecAttention.v", V),
  CROSS ("decoder.block.*.layer.1.EncDecAttention.o", O), NORM (D, "decoder.block.*.layer.1.layer_norm", CROSS_PRE),
  T5_BIASES (E, "encoder"), T5_BIASES (D, "decoder"), END,
};

/* ---- the families ---- */

#define MODEL "model.|"
#define NESTED "language_model.model.|language_model.|model.|"
#define VISION "vision_model.*|multi_modal_projector.*"
#define ROPE "*.rotary_emb.inv_freq"
#define COPIES "*encoder.embed_tokens.weight|*decoder.embed_tokens.weight|*embed_positions.weights|*._float_tensor"
#define T5_IGNORED "|decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
#define GPT_MASKS "*.attn.bias|*.attn.masked_bias|*.attention.bias|*.attention.masked_bias"
#define BERT_EXTRA "*embeddings.position_ids|*embeddings.token_type_ids|*cls.predictions.decoder.bias"
#define ROBERTA_EXTRA "*embeddings.position_ids|*embeddings.token_type_ids|lm_head.decoder.bias"
#define DISTILBERT_EXTRA "*embeddings.position_ids|*embeddings.position_embeddings.weight"
#define POOLER "*pooler.*"

#define F(type, prefixes_, accepted_, left_out_)                                                                      \
  .model_type = type, .prefixes = prefixes_, .accepted = accepted_, .left_out = left_out_

static const NsTensorNames names_table[] = {
  { F ("bart", MODEL, COPIES, ""), .groups = { bart, bart_cross, bart_ends }, .first_position = 2 },
  { F ("bert", "bert.|", BERT_EXTRA, ""), .groups = { bert, bert_head },
    .unused = POOLER "|cls.seq_relationship.*" },
  { F ("bloom", "transformer.|", "", ""), .groups = { bloom } },
  { F ("camembert", "roberta.|", ROBERTA_EXTRA, ""), .groups = { bert, roberta_head },
    .first_position = 2, .unused = POOLER },
  { F ("distilbert", "distilbert.|", DISTILBERT_EXTRA, ""), .groups = { distilbert } },
  { F ("falcon", "transformer.|", "*.inv_freq", ""), .groups = { falcon } },
  { F ("fsmt", MODEL, COPIES, ""), .groups = { bart, bart_cross, fsmt_ends }, .always_tied = TRUE,
    .positions = NS_POSITION_FAIRSEQ, .first_position = 2 },
  { F ("gemma", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, gated_mlp, llama_norms },
    .one_more = TRUE },
  { F ("gemma2", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, gated_mlp, gemma2_norms },
    .one_more = TRUE },
  { F ("gemma3_text", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, qk_norms, gated_mlp, gemma2_norms },
    .one_more = TRUE },
  { F ("gpt2", "transformer.|", GPT_MASKS, ""), .groups = { gpt2 }, .conv1d = TRUE },
  { F ("gpt_neox", "gpt_neox.|", GPT_MASKS "|" ROPE, ""), .groups = { neox } },
  { F ("gptj", "transformer.|", GPT_MASKS, ""), .groups = { gptj } },
  { F ("llama", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, gated_mlp, llama_norms } },
  { F ("llama4_text", NESTED, ROPE, VISION), .groups = { llama_ends, llama_attention, llama4_experts, llama_norms } },
  { F ("marian", MODEL, COPIES "|*embed_positions.weight", ""), .groups = { bart, bart_cross, bart_ends },
    .positions = NS_POSITION_SINES },
  { F ("mbart", MODEL, COPIES, ""), .groups = { bart, bart_cross, bart_ends }, .first_position = 2 },
  { F ("mistral", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, gated_mlp, llama_norms } },
  { F ("mixtral", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, mixtral_experts, llama_norms } },
  { F ("mpt", "transformer.|", "", ""), .groups = { mpt } },
  { F ("mt5", "", COPIES T5_IGNORED, ""), .groups = { t5 } },
  { F ("olmo2", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, qk_norms, gated_mlp, olmo2_norms } },
  { F ("opt", "model.decoder.|decoder.|", "", ""), .groups = { opt }, .first_position = 2 },
  { F ("pegasus", MODEL, COPIES "|*embed_positions.weight", ""), .groups = { bart, bart_cross, bart_ends },
    .positions = NS_POSITION_SINES },
  { F ("phi", MODEL, ROPE, ""), .groups = { phi } },
  { F ("phi3", MODEL, ROPE, ""), .groups = { llama_ends, phi3_maps, llama_norms } },
  { F ("qwen2", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, gated_mlp, llama_norms } },
  { F ("qwen2_moe", MODEL, ROPE, ""),
    .groups = { llama_ends, llama_attention, qwen_expert_names, qwen2_shared, llama_norms } },
  { F ("qwen3", MODEL, ROPE, ""), .groups = { llama_ends, llama_attention, qk_norms, gated_mlp, llama_norms } },
  { F ("qwen3_moe", MODEL, ROPE, ""),
    .groups = { llama_ends, llama_attention, qk_norms, qwen_expert_names, llama_norms } },
  { F ("roberta", "roberta.|", ROBERTA_EXTRA, ""), .groups = { bert, roberta_head },
    .first_position = 2, .unused = POOLER },
  { F ("t5", "", COPIES T5_IGNORED, ""), .groups = { t5 } },
  { F ("vit", "vit.|", "", ""), .groups = { vit }, .unused = POOLER },
  { F ("xlm-roberta", "roberta.|", ROBERTA_EXTRA, ""), .groups = { bert, roberta_head },
    .first_position = 2, .unused = POOLER },
};

/* So short names are for the tables alone. */
#undef S
#undef E
#undef D
#undef F

const NsTensorNames *
ns_tensor_names_find (const char *model_type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names_table); i++)
    if (strcmp (names_table[i].model_type, model_type) == 0)
      return &names_table[i];
  return NULL;
}

const NsTensorName *
ns_tensor_names_get (const NsTensorNames *names, int target, NsPart part)
{
  for (guint g = 0; g < NS_NAMES_MAX_GROUPS && names->groups[g] != NULL; g++)
    for (const NsTensorName *row = names->groups[g]; row->name != NULL; row++)
      if (row->target == target && (row->part == NS_NAME_ANY_PART || row->part == (int) part))
        return row;
  return NULL;
}

gboolean
ns_tensor_names_match (const char *patterns, const char *name)
{
  g_auto (GStrv) all = g_strsplit (patterns, "|", -1);

  for (guint i = 0; all[i] != NULL; i++)
    if (g_pattern_match_simple (all[i], name))
      return TRUE;
  return FALSE;
}
