/* The table of model families: a row for each key of a config, and the wiring that no key describes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fallbacks are the defaults of the configuration classes in Hugging Face's Transformers. Keys that set a model's size
 * are required although those classes have defaults for them, too: with a silent default, the user might study a model
 * of the wrong size.
 */
#include "import/ns-config-families.h"

#include "import/ns-config-family-rows.h"
#include "import/ns-config-readers.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define HEADLESS_BIAS NS_CONFIG_HEADLESS_BIAS

/* ---- rows shared by several families ---- */

static const NsConfigRow standard_shape[] = {
  { "num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "intermediate_size", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { NULL },
};

static const NsConfigRow vocab[] = {
  { "vocab_size", ns_config_read_value, "shape.vocab", NS_CONFIG_REQUIRED, FALSE },
  { NULL },
};

static const NsConfigRow initializer_range[] = {
  { "initializer_range", ns_config_read_value, "init.std", "0.02", FALSE },
  { "initializer_range", ns_config_read_value, "data.embed_std", "0.02", FALSE },
  { NULL },
};

static const NsConfigRow init_std[] = {
  { "init_std", ns_config_read_value, "init.std", "0.02", FALSE },
  { "init_std", ns_config_read_value, "data.embed_std", "0.02", FALSE },
  { NULL },
};

static const NsConfigRow two_parts[] = {
  { "encoder_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "decoder_layers", ns_config_read_decoder_depth, "shape.decoder_depth", NS_CONFIG_REQUIRED, FALSE },
  { "d_model|hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "encoder_attention_heads|num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "decoder_attention_heads", ns_config_read_same, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "encoder_ffn_dim", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "decoder_ffn_dim", ns_config_read_same, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

static const NsConfigRow relu_function[] = {
  { "activation_function", ns_config_read_activation, "activation", "\"relu\"", FALSE },
  { NULL },
};

static const NsConfigRow gelu_function[] = {
  { "activation_function", ns_config_read_activation, "activation", "\"gelu\"", FALSE },
  { NULL },
};

static const NsConfigRow silu_gate[] = {
  { "hidden_act", ns_config_read_gate, "activation", "\"silu\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

static const NsConfigRow gelu_gate[] = {
  { "hidden_activation", ns_config_read_gate, "activation", "\"gelu_pytorch_tanh\"", FALSE },
  { "max_position_embeddings", ns_config_read_positions, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

static const NsConfigRow rms_1e6[] = { { "rms_norm_eps", ns_config_read_value, "norm_eps", "1e-6", FALSE }, { NULL } };
static const NsConfigRow rms_1e5[] = { { "rms_norm_eps", ns_config_read_value, "norm_eps", "1e-5", FALSE }, { NULL } };

/* Without the key the base is 10000, the default of these families and of an experiment. */
static const NsConfigRow rope[] = {
  { "rope_theta", ns_config_read_value, "rotary_base", NS_CONFIG_OPTIONAL, FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

/* Mixtral's base. */
static const NsConfigRow rope_1e6[] = {
  { "rope_theta", ns_config_read_value, "rotary_base", "1000000", FALSE },
  { "rope_scaling|rope_parameters", ns_config_read_rope, NULL, NS_CONFIG_OPTIONAL, FALSE },
  { NULL },
};

/* ---- rows of one family or of close relatives ---- */

static const NsConfigRow t5_shape[] = {
  { "num_layers|num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "num_decoder_layers", ns_config_read_decoder_depth, "shape.decoder_depth", NS_CONFIG_OPTIONAL, FALSE },
  { "d_model|hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "num_heads|num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "d_kv", ns_config_read_value, "shape.d_head", "64", FALSE },
  { "d_ff", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "layer_norm_epsilon", ns_config_read_value, "norm_eps", "1e-6", FALSE },
  { "initializer_factor", ns_config_read_one, NULL, "1.0", FALSE },
  { "relative_attention_num_buckets", ns_config_read_value, "position_buckets", "32", FALSE },
  { "relative_attention_max_distance", ns_config_read_value, "position_distance", "128", FALSE },
  { NULL },
};

static const NsConfigRow t5_ffn[] = {
  { "feed_forward_proj", ns_config_read_t5_activation, "activation", "\"relu\"", FALSE },
  { NULL },
};

static const NsConfigRow mt5_ffn[] = {
  { "feed_forward_proj", ns_config_read_t5_activation, "activation", "\"gated-gelu\"", FALSE },
  { NULL },
};

static const NsConfigRow llama[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", NS_CONFIG_OPTIONAL, TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", NS_CONFIG_OPTIONAL, TRUE },
  { NULL },
};

static const NsConfigRow mistral[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "8", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", NS_CONFIG_OPTIONAL, TRUE },
  { "sliding_window", ns_config_read_value, "window", "4096", TRUE },
  { NULL },
};

static const NsConfigRow qwen2[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "32", TRUE },
  { NULL },
};

static const NsConfigRow qwen3[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "32", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", "128", FALSE },
  { NULL },
};

/* Experts: d_ff is the width of one. */
static const NsConfigRow mixtral[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "8", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", NS_CONFIG_OPTIONAL, TRUE },
  { "num_local_experts", ns_config_read_value, "experts", NS_CONFIG_REQUIRED, FALSE },
  { "num_experts_per_tok", ns_config_read_value, "experts_per_token", "2", FALSE },
  { "sliding_window", ns_config_read_value, "window", NS_CONFIG_OPTIONAL, TRUE },
  { NULL },
};

static const NsConfigRow qwen_experts[] = {
  { "num_hidden_layers", ns_config_read_value, "shape.depth", NS_CONFIG_REQUIRED, FALSE },
  { "hidden_size", ns_config_read_value, "shape.d_model", NS_CONFIG_REQUIRED, FALSE },
  { "num_attention_heads", ns_config_read_value, "shape.heads", NS_CONFIG_REQUIRED, FALSE },
  { "moe_intermediate_size", ns_config_read_value, "shape.d_ff", NS_CONFIG_REQUIRED, FALSE },
  { "num_experts", ns_config_read_value, "experts", NS_CONFIG_REQUIRED, FALSE },
  { "decoder_sparse_step", ns_config_read_one, NULL, "1", FALSE },
  { "mlp_only_layers", ns_config_read_none, NULL, NS_CONFIG_OPTIONAL, TRUE },
  { NULL },
};

static const NsConfigRow qwen2_experts[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "16", TRUE },
  { "num_experts_per_tok", ns_config_read_value, "experts_per_token", "4", FALSE },
  { "shared_expert_intermediate_size", ns_config_read_shared_width, "shared_experts", "5632", FALSE },
  { NULL },
};

static const NsConfigRow qwen3_experts[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "4", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", NS_CONFIG_OPTIONAL, TRUE },
  { "num_experts_per_tok", ns_config_read_value, "experts_per_token", "8", FALSE },
  { NULL },
};

static const NsConfigRow gemma[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "16", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", "256", FALSE },
  { NULL },
};

static const NsConfigRow gemma2[] = {
  { "num_key_value_heads", ns_config_read_value, "shape.kv_heads", "4", TRUE },
  { "head_dim", ns_config_read_value, "shape.d_head", "256", FALSE },
  { "query_pre_attn_scalar", ns_config_read_inverse_root, "attention_scale", "256", FALSE },
  { NULL },
};

#define CAPS(scores_, logits_)                                                                                         \
  { "attn_logit_softcapping", ns_config_read_cap, "score_cap", scores_, TRUE },                                        \
  { "final_logit_softcapping", ns_config_read_cap, "logit_cap", logits_, TRUE }
static const NsConfigRow gemma2_caps[] = { CAPS ("50", "30"), { NULL } };
static const NsConfigRow gemma3_caps[] = { CAPS (NS_CONFIG_OPTIONAL, NS_CONFIG_OPTIONAL), { NULL } };

/* ---- switches ---- */

static const NsConfigSwitch tied[] = { { "tie_word_embeddings", TRUE, "init.head=tied", "", NULL, NULL }, { NULL } };
static const NsConfigSwitch untied[] = { { "tie_word_embeddings", FALSE, "init.head=tied", "", NULL, NULL }, { NULL } };
/* FSMT's head is the decoder's embedding, whatever the key says. */
static const NsConfigSwitch fsmt_tied[] = { { "tie_word_embeddings", FALSE, "", "", NULL, NULL }, { NULL } };

/* A tied head is the embedding, of standard deviation 1, and its logits are divided by √d_model. An untied one is drawn
 * with standard deviation 1, too. */
#define T5_HEAD(is_tied)                                                                                               \
  { "tie_word_embeddings", is_tied, "init.head=tied,logit_scale=inverse-sqrt-d-model", "init.head=1", NULL, NULL }
static const NsConfigSwitch t5_tied[] = { T5_HEAD (TRUE), { NULL } };
static const NsConfigSwitch mt5_tied[] = { T5_HEAD (FALSE), { NULL } };

static const NsConfigSwitch embed_scale_off[] = {
  { "scale_embedding", FALSE, "data.embed_scale=sqrt-d-model", "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch embed_scale_on[] = {
  { "scale_embedding", TRUE, "data.embed_scale=sqrt-d-model", "", NULL, NULL },
  { NULL },
};

/* Older versions of the classes had these keys, newer ones have a class for each value. Check the keys in configs that
 * still contain them. */
static const NsConfigSwitch post_ln[] = {
  { "normalize_before", FALSE, NULL, "", NULL, NULL },
  { "add_final_layer_norm", FALSE, NULL, "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch pre_ln[] = {
  { "normalize_before", TRUE, "", NULL, NULL, NULL },
  { "add_final_layer_norm", TRUE, "", NULL, NULL, NULL },
  { NULL },
};
static const NsConfigSwitch embedding_norm[] = { { "normalize_embedding", TRUE, "", NULL, NULL, NULL }, { NULL } };
static const NsConfigSwitch no_embedding_norm[] = { { "normalize_embedding", FALSE, NULL, "", NULL, NULL }, { NULL } };

static const NsConfigSwitch attention_bias[] = {
  { "attention_bias", FALSE, "bias_qkv=true,bias_output=true", "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch mlp_bias[] = {
  { "mlp_bias", FALSE, "bias_ffn=true", "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch bidirectional[] = {
  { "use_bidirectional_attention", FALSE, "attention=full", "", NULL, NULL },
  { NULL },
};

static const NsConfigSwitch causal_only[] = {
  { "use_bidirectional_attention", FALSE, NULL, "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch no_bias[] = { { "no_bias", TRUE, "", HEADLESS_BIAS, NULL, NULL }, { NULL } };
static const NsConfigSwitch expert_weights[] = {
  { "norm_topk_prob", FALSE, "expert_weights=normalized", "expert_weights=softmax", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch llama4_norm[] = {
  { "use_qk_norm", TRUE, "qk_norm=head-rotary", "", NULL, NULL },
  { NULL },
};
static const NsConfigSwitch qkv_bias[] = { { "qkv_bias", TRUE, "", "bias_qkv=false", NULL, NULL }, { NULL } };

/* ---- the families ---- */

#define TEXT "data.source=tokens,init.scheme=normal,"
#define CAUSAL TEXT "attention=causal,"
#define LEARNED "data.positions=learned,"
#define SINUSOIDAL "data.positions=sinusoidal,"
#define ENCODER_DECODER "shape.stack=encoder-decoder,"
#define PRE_LN "attn.norm=pre,ffn.norm=pre,"
#define POST_LN "attn.norm=post,ffn.norm=post,"
#define SANDWICH "attn.norm=sandwich,ffn.norm=sandwich,"
#define BRANCH "attn.norm=branch,ffn.norm=branch,"
#define RMS "norm=rmsnorm,"
#define BIAS "bias=true,"
#define ROTARY "rotary=half,"
#define ALIBI "position_bias=alibi,"
#define GEMMA CAUSAL RMS "data.embed_scale=sqrt-d-model,"
#define T5                                                                                                             \
  ENCODER_DECODER "data.source=tokens,data.embed_std=1,init.scheme=t5,attention_scale=1,position_bias=t5," PRE_LN RMS

#define MASKED_LM TEXT LEARNED POST_LN BIAS "input_norm=true,head_transform=true"
#define NOTE_ROBERTA                                                                                                   \
  N_ ("All tokens have the same type, and its vector is added to each, as in Hugging Face's code. The model's own "    \
      "code, fairseq, has no token types: data.token_types=0.")
#define NOTE_BERT_CODE                                                                                                 \
  N_ ("BERT's own code truncates the normal distribution of the weights at two standard deviations; here, as in "      \
      "Hugging Face's code, it is not truncated.")
#define NOTE_GPT2                                                                                                      \
  N_ ("The last matrix of each branch is scaled by 1/√(2L) for depth L, as in the paper and in Hugging Face's code; "  \
      "the code that OpenAI released does not do this.")
#define NOTE_NEOX                                                                                                      \
  N_ ("All weights have the config's one standard deviation; GPT-NeoX itself was trained from another "                \
      "initialization (init.scheme small, init.residual wang).")
#define NOTE_GPTJ                                                                                                      \
  N_ ("All weights have the config's one standard deviation; GPT-J itself was trained from another initialization.")
#define NOTE_MPT                                                                                                       \
  N_ ("All weights have the config's one standard deviation; MPT itself was trained from another initialization.")
#define NOTE_OLMO                                                                                                      \
  N_ ("OLMo's own code truncates the normal distribution of the weights at three standard deviations; here, as in "    \
      "Hugging Face's code, it is not truncated.")
#define NOTE_EXPERTS                                                                                                   \
  N_ ("The loss has no term that evens out the loads of the experts.")
#define NOTE_VIT                                                                                                       \
  N_ ("The pixels of an image are independent normal numbers of mean 0 and standard deviation 1.")

static const NsConfigFamily family_table[] = {
  { "bart", "Bart", "BART", ENCODER_DECODER TEXT LEARNED POST_LN HEADLESS_BIAS "input_norm=true",
    { two_parts, vocab, gelu_function, init_std }, { tied, embed_scale_off, post_ln, embedding_norm }, { NULL } },
  { "bert", "Bert", "BERT", MASKED_LM,
    { standard_shape, vocab, ns_rows_bert, initializer_range }, { tied, ns_switches_bert },
    { NOTE_BERT_CODE } },
  { "bloom", "Bloom", "BLOOM", CAUSAL PRE_LN ALIBI HEADLESS_BIAS "input_norm=true",
    { ns_rows_gpt_shape, initializer_range }, { tied }, { NULL } },
  { "camembert", "Camembert", "CamemBERT", MASKED_LM,
    { standard_shape, vocab, ns_rows_roberta, initializer_range },
    { tied, ns_switches_bert }, { NOTE_ROBERTA } },
  { "distilbert", "DistilBert", "DistilBERT", MASKED_LM ",norm_eps=1e-12",
    { ns_rows_distilbert, vocab, initializer_range }, { tied, ns_switches_distilbert }, { NULL } },
  { "falcon", "Falcon", "Falcon", CAUSAL PRE_LN,
    { ns_rows_falcon, vocab, rope, initializer_range }, { tied, ns_switches_falcon }, { NULL } },
  { "fsmt", "FSMT", "FSMT", ENCODER_DECODER TEXT SINUSOIDAL POST_LN HEADLESS_BIAS "init.head=tied",
    { two_parts, ns_rows_fsmt, relu_function, init_std },
    { fsmt_tied, embed_scale_on, post_ln, no_embedding_norm }, { NULL } },
  { "gemma", "Gemma", "Gemma", GEMMA PRE_LN ROTARY,
    { standard_shape, vocab, gemma, rope, rms_1e6, gelu_gate, initializer_range },
    { tied, attention_bias, bidirectional }, { NULL } },
  { "gemma2", "Gemma2", "Gemma 2", GEMMA SANDWICH ROTARY "window_full_every=2",
    { standard_shape, vocab, gemma2, gemma2_caps, rope, ns_config_gemma2_window, rms_1e6, gelu_gate,
      initializer_range },
    { tied, attention_bias, causal_only }, { NULL } },
  { "gemma3_text", "Gemma3", "Gemma 3", GEMMA SANDWICH ROTARY "qk_norm=head,rotary_base=1e6,rotary_base_local=10000",
    { standard_shape, vocab, gemma2, gemma3_caps, ns_config_gemma3_positions, rms_1e6, gelu_gate, initializer_range },
    { tied, attention_bias, bidirectional }, { NULL } },
  { "gpt2", "GPT2", "GPT-2", CAUSAL LEARNED PRE_LN HEADLESS_BIAS "init.residual=gpt2",
    { ns_rows_gpt_shape, initializer_range },
    { tied, ns_switches_gpt2 },
    { NOTE_GPT2 } },
  { "gpt_neox", "GPTNeoX", "GPT-NeoX", CAUSAL PRE_LN ROTARY HEADLESS_BIAS,
    { standard_shape, vocab, ns_rows_neox, ns_rows_neox_rope, initializer_range },
    { untied, ns_switches_neox }, { NOTE_NEOX } },
  { "gptj", "GPTJ", "GPT-J", CAUSAL PRE_LN BIAS "rotary=interleaved,bias_qkv=false,bias_output=false,topology=parallel",
    { ns_rows_gpt_shape, ns_rows_gptj_rope, initializer_range }, { untied }, { NOTE_GPTJ } },
  { "llama", "Llama", "LLaMA", CAUSAL RMS PRE_LN ROTARY,
    { standard_shape, vocab, llama, rope, rms_1e6, silu_gate, initializer_range }, { untied, attention_bias, mlp_bias },
    { NULL } },
  { "llama4_text", "Llama4", "Llama 4", CAUSAL RMS PRE_LN "rotary=interleaved,expert_weights=sigmoid-input,"
    "shared_experts=1,shared_expert_gate=false",
    { standard_shape, vocab, ns_config_llama4, rms_1e5, silu_gate, initializer_range },
    { untied, attention_bias, llama4_norm }, { NOTE_EXPERTS } },
  { "marian", "Marian", "Marian", ENCODER_DECODER TEXT SINUSOIDAL POST_LN HEADLESS_BIAS,
    { two_parts, vocab, gelu_function, init_std }, { tied, embed_scale_off, post_ln, no_embedding_norm }, { NULL } },
  { "mbart", "MBart", "mBART", ENCODER_DECODER TEXT LEARNED PRE_LN HEADLESS_BIAS "input_norm=true",
    { two_parts, vocab, gelu_function, init_std }, { tied, embed_scale_off, pre_ln, embedding_norm }, { NULL } },
  { "mistral", "Mistral", "Mistral", CAUSAL RMS PRE_LN ROTARY,
    { standard_shape, vocab, mistral, rope, rms_1e6, silu_gate, initializer_range }, { untied }, { NULL } },
  { "mixtral", "Mixtral", "Mixtral", CAUSAL RMS PRE_LN ROTARY,
    { standard_shape, vocab, mixtral, rope_1e6, rms_1e5, silu_gate, initializer_range }, { untied }, { NOTE_EXPERTS } },
  { "mpt", "Mpt", "MPT", CAUSAL PRE_LN ALIBI "activation=gelu",
    { ns_rows_mpt, vocab, initializer_range }, { tied, no_bias }, { NOTE_MPT } },
  { "mt5", "MT5", "mT5", T5, { t5_shape, vocab, mt5_ffn }, { mt5_tied }, { NULL } },
  { "olmo2", "Olmo2", "OLMo 2", CAUSAL RMS BRANCH ROTARY "qk_norm=full",
    { standard_shape, vocab, llama, rope, rms_1e5, silu_gate, initializer_range }, { untied, attention_bias },
    { NOTE_OLMO } },
  { "opt", "OPT", "OPT", CAUSAL LEARNED,
    { ns_rows_opt, vocab, relu_function, init_std }, { tied, ns_switches_opt }, { NULL } },
  { "pegasus", "Pegasus", "Pegasus", ENCODER_DECODER TEXT SINUSOIDAL PRE_LN HEADLESS_BIAS,
    { two_parts, vocab, gelu_function, init_std }, { tied, embed_scale_off, pre_ln, no_embedding_norm }, { NULL } },
  { "phi", "Phi", "Phi", CAUSAL PRE_LN ROTARY BIAS "topology=parallel",
    { standard_shape, vocab, ns_rows_phi, ns_rows_phi_rope, initializer_range },
    { untied, ns_switches_phi }, { NULL } },
  { "phi3", "Phi3", "Phi-3", CAUSAL RMS PRE_LN ROTARY,
    { standard_shape, vocab, llama, ns_rows_phi3_rope, ns_config_window, rms_1e5, silu_gate, initializer_range },
    { untied }, { NULL } },
  { "qwen2", "Qwen2", "Qwen2", CAUSAL RMS PRE_LN ROTARY "bias_qkv=true",
    { standard_shape, vocab, qwen2, rope, ns_config_qwen_window, rms_1e6, silu_gate, initializer_range },
    { untied }, { NULL } },
  { "qwen2_moe", "Qwen2Moe", "Qwen2-MoE", CAUSAL RMS PRE_LN ROTARY "bias_qkv=true",
    { qwen_experts, qwen2_experts, vocab, rope, ns_config_qwen_window, rms_1e6, silu_gate, initializer_range },
    { untied, expert_weights, qkv_bias }, { NOTE_EXPERTS } },
  { "qwen3", "Qwen3", "Qwen3", CAUSAL RMS PRE_LN ROTARY "qk_norm=head",
    { standard_shape, vocab, qwen3, rope, ns_config_qwen_window, rms_1e6, silu_gate, initializer_range },
    { untied, attention_bias }, { NULL } },
  { "qwen3_moe", "Qwen3Moe", "Qwen3-MoE", CAUSAL RMS PRE_LN ROTARY "qk_norm=head",
    { qwen_experts, qwen3_experts, vocab, rope, ns_config_qwen_window, rms_1e6, silu_gate, initializer_range },
    { untied, expert_weights, attention_bias }, { NOTE_EXPERTS } },
  { "roberta", "Roberta", "RoBERTa", MASKED_LM,
    { standard_shape, vocab, ns_rows_roberta, initializer_range },
    { tied, ns_switches_bert }, { NOTE_ROBERTA } },
  { "t5", "T5", "T5", T5, { t5_shape, vocab, t5_ffn }, { t5_tied }, { NULL } },
  { "vit", "ViT", "ViT", "data.class_token=normal,data.class_token_loss=true,init.scheme=normal," LEARNED PRE_LN BIAS,
    { standard_shape, initializer_range, ns_rows_vit }, { ns_switches_vit },
    { NOTE_VIT } },
  { "xlm-roberta", "XLMRoberta", "XLM-RoBERTa", MASKED_LM,
    { standard_shape, vocab, ns_rows_roberta, initializer_range },
    { tied, ns_switches_bert }, { NOTE_ROBERTA } },
};

const NsConfigFamily *
ns_config_get_families (gsize *n)
{
  *n = G_N_ELEMENTS (family_table);
  return family_table;
}

const NsConfigFamily *
ns_config_find_family (const char *model_type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (family_table); i++)
    if (strcmp (family_table[i].model_type, model_type) == 0)
      return &family_table[i];
  return NULL;
}

const char *const *
ns_config_get_model_types (void)
{
  static const char **names;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      names = g_new0 (const char *, G_N_ELEMENTS (family_table) + 1);
      for (gsize i = 0; i < G_N_ELEMENTS (family_table); i++)
        names[i] = family_table[i].model_type;
      g_once_init_leave (&once, 1);
    }
  return names;
}
