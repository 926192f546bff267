/* Import of model configs: each family gets its published wiring, and errors name the key.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../document/biases.h"
#include "config-fixtures.h"

#include "import/ns-config-families.h"
#include "import/ns-config-import.h"
#include "document/ns-experiment-json.h"
#include "import/ns-experiment-open.h"
#include "document/ns-file.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "tests.h"

#include <string.h>

/* ---- valid configs ---- */

typedef struct
{
  const char *file;
  const char *settings; /* all settings that differ from an experiment's defaults, separated by blanks */
  const char *notes;    /* words in the assumptions, separated by bars; after "!" words that must be absent */
} Model;

/* Placement, order, norm, eps, activation, positions and heads are those of the papers and the released code. Large
 * models have fewer seeds. */
#define TOKENS "data.source=tokens data.embed_std=0.02 init.scheme=normal "
#define TOKENS_1 TOKENS "sampling.seeds=1 "
#define TOKENS_2 TOKENS "sampling.seeds=2 "
#define BERT_BASE                                                                                                     \
  TOKENS_2 "shape.depth=12 shape.d_model=768 shape.heads=12 shape.d_ff=3072 data.positions=learned "                  \
         "data.token_types=1 attn.norm=post ffn.norm=post input_norm=true head_transform=true bias=true "              \
         "activation=gelu init.head=tied "
#define LLAMA_7B                                                                                                      \
  TOKENS_1 "shape.depth=32 shape.d_model=4096 shape.heads=32 shape.d_ff=11008 attention=causal norm=rmsnorm "         \
         "activation=swiglu rotary=half "
#define BASE_6_6                                                                                                      \
  TOKENS_2 "shape.stack=encoder-decoder shape.depth=6 shape.d_model=512 shape.heads=8 shape.d_ff=2048 "               \
         "data.positions=sinusoidal data.embed_scale=sqrt-d-model attn.norm=post ffn.norm=post bias=true "            \
         "bias_head=false init.head=tied "
#define T5_BASE                                                                                                       \
  "sampling.seeds=2 shape.stack=encoder-decoder shape.depth=12 shape.d_model=768 shape.heads=12 shape.vocab=32128 "   \
  "data.source=tokens norm=rmsnorm norm_eps=1e-6 attention_scale=1 init.scheme=t5 position_bias=t5 "
#define GEMMA2                                                                                                        \
  TOKENS_1 "shape.vocab=256000 attention=causal norm=rmsnorm norm_eps=1e-6 activation=geglu-tanh attn.norm=sandwich " \
         "ffn.norm=sandwich data.embed_scale=sqrt-d-model score_cap=50 logit_cap=30 init.head=tied "

static const Model models[] = {
  { "bert-base-uncased", BERT_BASE "shape.vocab=30522 norm_eps=1e-12 name=BERT",
    "hidden_dropout_prob|truncates the normal|random tokens"
    "!dense layer|left out. |ties its head|Rotary|window|cap of|type" },
  { "bloom-560m",
    TOKENS_2 "shape.depth=24 shape.d_model=1024 shape.heads=16 shape.d_ff=4096 shape.vocab=250880 attention=causal "
           "input_norm=true "
           "activation=gelu-tanh bias=true bias_head=false position_bias=alibi init.head=tied name=BLOOM",
    "!ties its head|left out|ositions" },
  { "distilbert-base-uncased",
    TOKENS_2 "shape.depth=6 shape.d_model=768 shape.heads=12 shape.d_ff=3072 shape.vocab=30522 "
           "data.positions=learned attn.norm=post ffn.norm=post input_norm=true head_transform=true bias=true "
           "activation=gelu norm_eps=1e-12 init.head=tied name=DistilBERT",
    "random tokens!dense layer|left out. |ties its head|Rotary|window|type|truncates" },
  { "falcon-40b",
    TOKENS_1 "shape.depth=60 shape.d_model=8192 shape.heads=128 shape.kv_heads=8 shape.d_ff=32768 shape.vocab=65024 "
           "attention=causal topology=parallel-two-norms activation=gelu rotary=half bias_norms=true "
           "init.head=tied name=Falcon",
    "ffn_hidden_size = 32768|activation = \"gelu\"!ties its head|left out|bfloat16" },
  { "falcon-7b",
    TOKENS_1 "shape.depth=32 shape.d_model=4544 shape.heads=71 shape.kv_heads=1 shape.d_ff=18176 shape.vocab=65024 "
           "attention=causal topology=parallel activation=gelu rotary=half bias_norms=true init.head=tied name=Falcon",
    "ffn_hidden_size = 18176!left out" },
  { "falcon-rw-1b",
    TOKENS_1 "shape.depth=24 shape.d_model=2048 shape.heads=32 shape.d_ff=8192 shape.vocab=50304 attention=causal "
           "activation=gelu bias=true bias_head=false position_bias=alibi-scaled init.head=tied name=Falcon",
    "ffn_hidden_size = 8192|bfloat16!left out|Rotary" },
  { "gemma-2-27b",
    GEMMA2 "shape.depth=46 shape.d_model=4608 shape.heads=32 shape.kv_heads=16 shape.d_head=128 shape.d_ff=36864 "
           "attention_scale=0.083333333333333329 rotary=half window=4096 window_full_every=2 name=Gemma\t2",
    "!ties its head|cap|4096|window" },
  { "gemma-2-2b",
    GEMMA2 "shape.depth=26 shape.d_model=2304 shape.heads=8 shape.kv_heads=4 shape.d_head=256 shape.d_ff=9216 "
           "rotary=half window=4096 window_full_every=2 name=Gemma\t2",
    "!ties its head|Dropout|Rotary" },
  { "gpt-j-6b",
    TOKENS_1 "shape.depth=28 shape.d_model=4096 shape.heads=16 shape.d_ff=16384 shape.vocab=50400 attention=causal "
           "topology=parallel activation=gelu-tanh bias=true bias_qkv=false bias_output=false "
           "rotary=interleaved rotary_dim=64 name=GPT-J",
    "n_inner = 16384|another initialization!Rotary|Dropout|ties its head|iases" },
  { "gpt-neox-20b",
    TOKENS_1 "shape.depth=44 shape.d_model=6144 shape.heads=64 shape.d_ff=24576 shape.vocab=50432 attention=causal "
           "topology=parallel-two-norms activation=gelu-tanh bias=true bias_head=false "
           "rotary=half rotary_dim=24 name=GPT-NeoX",
    "use_parallel_residual = true|another initialization!Rotary|Dropout|iases" },
  { "gpt2",
    TOKENS_2 "shape.depth=12 shape.d_model=768 shape.heads=12 shape.d_ff=3072 shape.vocab=50257 data.positions=learned "
           "attention=causal activation=gelu-tanh bias=true bias_head=false init.residual=gpt2 "
           "init.head=tied name=GPT-2",
    "n_inner = 3072|attn_pdrop|OpenAI|2 sequences of 32|with 2 of the usual 8 seeds!Rotary" },
  { "llama-2-7b", LLAMA_7B "shape.vocab=32000 norm_eps=1e-5 name=Llama-2-7b-hf",
    "random tokens!Rotary|hidden_act|Dropout|ties its head" },
  { "llama-7b", LLAMA_7B "shape.vocab=32000 norm_eps=1e-6 name=LLaMA",
    "random tokens!Rotary|attention scores" },
  { "llama-4-scout-17b-16e",
    TOKENS_1 "shape.depth=48 shape.d_model=5120 shape.heads=40 shape.kv_heads=8 shape.d_ff=8192 shape.vocab=202048 "
           "attention=causal norm=rmsnorm activation=swiglu qk_norm=head-rotary rotary=interleaved rotary_base=500000 "
           "rotary_scaling=llama3 rotary_factor=16 rotary_high=1 rotary_skip_every=4 experts=16 experts_per_token=1 "
           "expert_weights=sigmoid-input shared_experts=1 shared_expert_gate=false name=Llama\t4",
    "evens out the loads|within chunks of 8192 tokens|from token 8192 on|Only the text part!left out. " },
  { "mistral-7b-v0.1",
    TOKENS_1 "shape.depth=32 shape.d_model=4096 shape.heads=32 shape.kv_heads=8 shape.d_ff=14336 shape.vocab=32000 "
           "attention=causal norm=rmsnorm activation=swiglu rotary=half window=4096 name=Mistral",
    "random tokens!left out|window" },
  { "mixtral-8x7b-v0.1",
    TOKENS_1 "shape.depth=32 shape.d_model=4096 shape.heads=32 shape.kv_heads=8 shape.d_ff=14336 shape.vocab=32000 "
           "attention=causal norm=rmsnorm activation=swiglu experts=8 rotary=half rotary_base=1000000 name=Mixtral",
    "evens out the loads!window" },
  { "mpt-7b",
    TOKENS_1 "shape.depth=32 shape.d_model=4096 shape.heads=32 shape.d_ff=16384 shape.vocab=50432 attention=causal "
           "activation=gelu position_bias=alibi init.head=tied name=MPT",
    "another initialization!ties its head|left out|ositions" },
  { "olmo-2-1124-7b",
    LLAMA_7B "shape.vocab=100352 norm_eps=1e-6 attn.norm=branch ffn.norm=branch qk_norm=full rotary_base=500000 "
             "name=OLMo\t2",
    "three standard deviations" },
  { "opt-125m",
    TOKENS_2 "shape.depth=12 shape.d_model=768 shape.heads=12 shape.d_ff=3072 shape.vocab=50272 data.positions=learned "
           "attention=causal bias=true bias_head=false init.head=tied name=OPT",
    "enable_bias = true!Rotary" },
  { "opus-mt-en-de", BASE_6_6 "shape.vocab=58101 activation=silu name=Marian", "Dropout!Rotary" },
  { "qwen1.5-moe-a2.7b",
    TOKENS_1 "shape.depth=24 shape.d_model=2048 shape.heads=16 shape.d_ff=1408 shape.vocab=151936 "
           "attention=causal norm=rmsnorm norm_eps=1e-6 activation=swiglu bias_qkv=true experts=60 experts_per_token=4 "
           "expert_weights=softmax shared_experts=4 rotary=half rotary_base=1000000 name=Qwen2-MoE",
    "evens out the loads!window" },
  { "qwen3-30b-a3b",
    TOKENS_1 "shape.depth=48 shape.d_model=2048 shape.heads=32 shape.kv_heads=4 shape.d_head=128 shape.d_ff=768 "
           "shape.vocab=151936 attention=causal norm=rmsnorm norm_eps=1e-6 activation=swiglu qk_norm=head experts=128 "
           "experts_per_token=8 rotary=half rotary_base=1000000 name=Qwen3-MoE",
    "evens out the loads!window" },
  { "qwen3-0.6b",
    TOKENS_2 "shape.depth=28 shape.d_model=1024 shape.heads=16 shape.kv_heads=8 shape.d_head=128 shape.d_ff=3072 "
           "shape.vocab=151936 attention=causal norm=rmsnorm norm_eps=1e-6 activation=swiglu qk_norm=head "
           "rotary=half rotary_base=1000000 init.head=tied name=Qwen3",
    "!ties its head|Rotary|window" },
  { "roberta-base", BERT_BASE "shape.vocab=50265 name=RoBERTa", "position_embedding_type" },
  { "t5-base", T5_BASE "shape.d_ff=3072 init.head=tied logit_scale=inverse-sqrt-d-model name=T5",
    "feed_forward_proj = \"relu\"|relative_attention_max_distance = 128!its embedding divided|position bias" },
  { "t5-v1_1-base", T5_BASE "shape.d_ff=2048 activation=geglu-tanh init.head=1 name=T5",
    "!standard deviation|its embedding divided" },
  { "transformer-base", BASE_6_6 "shape.encoder_vocab=32000 shape.vocab=37000 name=FSMT",
    "Dropout!32000!37000!ties its head" },
  { "vit-base-patch16-224",
    "sampling.seeds=2 shape.depth=12 shape.d_model=768 shape.heads=12 shape.d_ff=3072 shape.seq_len=197 shape.batch=1 "
    "shape.vocab=10 data.embed_std=0.02 init.scheme=normal norm_eps=1e-12 activation=gelu bias=true "
    "data.class_token=normal data.class_token_loss=true data.positions=learned shape.patch_features=768 name=ViT",
    "pixels of an image|197 tokens!first one|Dropout|random tokens" },
};

/* Split "key=value" and find the key; a tab in the value stands for a blank. */
static const NsParam *
split_setting (char *setting, char **value)
{
  const NsParam *param;

  *value = strchr (setting, '=');
  g_assert_nonnull (*value);
  *(*value)++ = '\0';
  g_strdelimit (*value, "\t", ' ');
  param = ns_param_find (setting);
  g_assert_nonnull (param);
  return param;
}

static NsExperiment *
new_expected (const char *settings)
{
  NsExperiment *experiment = ns_experiment_new ();
  g_auto (GStrv) parts = g_strsplit (settings, " ", -1);

  g_ptr_array_set_size (experiment->variants, 1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *value;
      const NsParam *param = split_setting (parts[i], &value);
      g_autoptr (GError) error = NULL;

      ns_param_set_text (param, config_get_base (param, experiment), value, "", &error);
      g_assert_no_error (error);
    }
  return experiment;
}

static void
assert_equal (const NsExperiment *found, NsExperiment *expected)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *a = ns_param_dup_text (&params[i], config_get_base (&params[i], (NsExperiment *) found));
      g_autofree char *b = ns_param_dup_text (&params[i], config_get_base (&params[i], expected));

      if (strcmp (a, b) != 0)
        g_test_message ("%s is %s and should be %s", ns_param_get_path (&params[i]), a, b);
    }
  g_assert_true (ns_experiment_equal (found, expected));
}

static void
test_model (gconstpointer data)
{
  const Model *model = data;
  g_autoptr (GBytes) bytes = config_read_fixture (model->file);
  g_autoptr (NsExperiment) expected = new_expected (model->settings);
  g_autoptr (NsExperiment) opened = NULL;
  g_autoptr (NsConfigImport) import = NULL;
  g_auto (GStrv) assumptions = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (ns_config_is_config (bytes));
  import = ns_config_import_from_bytes (bytes, "config.json", &error);
  g_assert_no_error (error);
  assert_equal (import->experiment, expected);
  config_assert_notes (import->assumptions, model->notes);

  opened = ns_experiment_open_bytes (bytes, "config.json", &assumptions, &error);
  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (opened, import->experiment));
  g_assert_cmpuint (g_strv_length (assumptions), ==, g_strv_length (import->assumptions));
}

/* ---- modified configs ---- */

typedef struct
{
  const char *fixture, *members; /* as config_change() has them */
  const char *settings;          /* of the experiment, with their expected values */
  const char *notes;
} Change;

#define LLAMA3                                                                                                         \
  "{'rope_scaling': {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 0.5, 'high_freq_factor': 8.0, "          \
  "'original_max_position_embeddings': 4096"
#define GPT2 "{'model_type': 'gpt2', 'n_embd': 8, 'n_head': 2, 'vocab_size': 9, "
#define LLAMA4 "{'model_type': 'llama4_text', "
#define GEMMA3 "{'model_type': 'gemma3_text'"
#define GEMMA3_BOTH                                                                                                    \
  GEMMA3 ", 'rope_theta': null, 'rope_parameters': {'full_attention': {'rope_type': 'linear', 'factor': 8.0, "         \
         "'rope_theta': 70}, 'sliding_attention': {'rope_type': 'default', 'rope_theta': 30}"
#define SIX "{'num_hidden_layers': 6, 'layer_types': ["
#define FIVE "'sliding_attention', 'sliding_attention', 'sliding_attention', 'sliding_attention', 'sliding_attention'"
#define FIVE_AND_FULL FIVE ", 'full_attention'"
#define ALL_FULL                                                                                                       \
  "'full_attention', 'full_attention', 'full_attention', 'full_attention', 'full_attention', 'full_attention'"
#define QWEN "{'use_sliding_window': true, 'sliding_window': 99"
#define PHI3 "{'model_type': 'phi3', 'partial_rotary_factor': 0.03125, " /* two pairs */
#define LISTS "'short_factor': [1, 2], 'long_factor': [3, 4.5]"
#define LONGROPE PHI3 "'rope_scaling': {'rope_type': 'longrope', " LISTS
#define YARN "{'rope_scaling': {'rope_type': 'yarn', 'factor': 4.0"

static const Change changes[] = {
  /* Absent keys have the family's defaults and are listed. */
  { "gpt2", "{'layer_norm_epsilon': null, 'initializer_range': null}", "norm_eps=1e-05",
    "layer_norm_epsilon = 1e-5|initializer_range = 0.02" },
  { "bert-base-uncased", "{'layer_norm_eps': null}", "norm_eps=1e-12", "layer_norm_eps = 1e-12" },
  { "olmo-2-1124-7b", "{'rms_norm_eps': null}", "norm_eps=1e-05", "rms_norm_eps = 1e-5" },
  { "mistral-7b-v0.1", "{'num_key_value_heads': null}", "shape.kv_heads=8", "num_key_value_heads = 8" },
  { "llama-7b", "{'num_key_value_heads': null}", "shape.kv_heads=null", "!num_key_value_heads" },
  { "gemma-2-2b", "{'query_pre_attn_scalar': 64}", "attention_scale=0.125", "" },
  { "gemma-2-2b", "{'attn_logit_softcapping': 20.5}", "score_cap=20.5", "!cap" },
  { "gemma-2-2b", "{'attn_logit_softcapping': null}", "score_cap=50", "attn_logit_softcapping = 50" },
  { "gemma-2-2b", "{'final_logit_softcapping': 12}", "logit_cap=12", "!cap" },
  /* Switches and alternative names. */
  { "gpt2", "{'scale_attn_weights': false}", "attention_scale=1", "" },
  { "gpt2", "{'n_inner': 100}", "shape.d_ff=100", "!n_inner" },
  { "gpt2", "{'n_embd': null, 'hidden_size': 1200}", "shape.d_model=1200", "n_inner = 4800" },
  { "gpt2", "{'n_layer': 1, 'vocab_size': 100}", "sampling.seeds=8", "!usual" },
  { "gpt2", "{'n_layer': 200}", "sampling.seeds=1", "1 of the usual 8" },
  { "gpt2", "{'n_positions': 8}", "shape.seq_len=8", "2 sequences of 8" },
  { "gpt2", "{'initializer_range': 0.05}", "init.std=0.05 data.embed_std=0.05", "" },
  { "bert-base-uncased", "{'is_decoder': true}", "attention=causal", "" },
  { "bert-base-uncased", "{'type_vocab_size': null}", "data.token_types=1", "type_vocab_size = 2" },
  { "bert-base-uncased", "{'type_vocab_size': 16}", "data.token_types=1", "!type_vocab_size" },
  { "distilbert-base-uncased", "{'sinusoidal_pos_embds': true}", "data.positions=sinusoidal", "" },
  { "distilbert-base-uncased", "{'activation': null, 'dim': null, 'hidden_size': 96}", "shape.d_model=96",
    "activation = \"gelu\"" },
  { "distilbert-base-uncased", "{'max_position_embeddings': 16}", "shape.seq_len=16", "" },
  { "falcon-7b", "{'multi_query': null}", "shape.kv_heads=1", "multi_query = true" },
  { "falcon-7b", "{'multi_query': false}", "shape.kv_heads=null", "" },
  { "falcon-7b", "{'parallel_attn': null}", "topology=parallel", "parallel_attn = true" },
  { "falcon-7b", "{'parallel_attn': false}", "topology=sequential", "" },
  { "falcon-7b", "{'parallel_attn': false, 'num_ln_in_parallel_attn': 2}", "topology=sequential", "" },
  { "falcon-7b", "{'num_ln_in_parallel_attn': 1}", "topology=parallel", "" },
  { "falcon-7b", "{'rope_theta': 500042.0}", "rotary_base=500042", "" },
  { "falcon-7b", "{'ffn_hidden_size': 100}", "shape.d_ff=100", "!ffn_hidden_size" },
  { "falcon-40b", "{'num_kv_heads': null, 'n_head_kv': 4}", "shape.kv_heads=4", "" },
  { "falcon-40b", "{'num_kv_heads': null}", "shape.kv_heads=null", "" },
  { "falcon-40b", "{'num_ln_in_parallel_attn': 1}", "topology=parallel", "" },
  { "falcon-rw-1b", "{'alibi': null}", "rotary=half", "alibi = false" },
  { "falcon-rw-1b", "{'num_kv_heads': 32}", "shape.kv_heads=null", "" },
  { "gpt-neox-20b", "{'use_parallel_residual': false}", "topology=sequential", "" },
  { "opt-125m", "{'do_layer_norm_before': false}", "attn.norm=post ffn.norm=post", "" },
  { "opt-125m", "{'_remove_final_layer_norm': true}", "final_norm=off", "" },
  { "llama-7b", "{'num_key_value_heads': 4}", "shape.kv_heads=4", "" },
  { "llama-7b", "{'head_dim': 100}", "shape.d_head=100", "" },
  { "llama-7b", "{'hidden_act': 'gelu'}", "activation=geglu", "" },
  /* Rotary positions. */
  { "gpt-neox-20b", "{'rotary_pct': 1.0}", "rotary_dim=null", "!rotary_pct" },
  { "gpt-neox-20b", "{'rotary_pct': null}", "rotary_dim=24", "rotary_pct = 0.25" },
  { "gpt-neox-20b", "{'rotary_emb_base': 500}", "rotary_base=500", "" },
  { "gpt-j-6b", "{'rotary_dim': 32}", "rotary_dim=32", "" },
  { "gpt-neox-20b", "{'model_type': 'phi'}", "rotary_dim=48", "partial_rotary_factor = 0.5" },
  { "gpt-neox-20b", "{'model_type': 'phi', 'partial_rotary_factor': 0.4}", "rotary_dim=38", "" },
  { "llama-7b", "{'model_type': 'phi3', 'partial_rotary_factor': 0.75}", "rotary_dim=96", "" },
  { "llama-7b", "{'rope_parameters': {'rope_type': 'default', 'rope_theta': 20000.0}}", "rotary_base=20000",
    "!left out" },
  { "llama-7b", "{'rope_scaling': {'type': 'linear', 'factor': 4.0}}", "rotary_scaling=linear rotary_factor=4",
    "!otary" },
  { "llama-7b", "{'rope_scaling': {'type': 'dynamic', 'factor': 4.0}}", "rotary_scaling=none", "!otary" },
  { "qwen3-0.6b", "{'rope_scaling': {'type': 'mrope', 'mrope_section': [16, 24, 24]}}", "rotary_scaling=none",
    "!otary" },
  { "llama-7b", LLAMA3 "}}", "rotary_scaling=llama3 rotary_original=4096 rotary_low=0.5 rotary_high=8", "!otary" },
  { "llama-7b", YARN "}}", "rotary_scaling=yarn rotary_high=null", "!otary" },
  { "llama-7b", YARN "}, 'max_position_embeddings': 1234}", "rotary_original=1234", "" },
  { "llama-7b", YARN ", 'original_max_position_embeddings': 99, 'beta_fast': 16}}", "rotary_original=99", "" },
  { "llama-7b", YARN ", 'beta_fast': 16, 'truncate': true}}", "rotary_high=16", "!otary" },
  { "llama-7b", YARN ", 'mscale': 0.7}}", "rotary_attention_factor=null", "!otary" },
  { "llama-7b", YARN ", 'mscale': 0.7, 'mscale_all_dim': 0}}", "rotary_attention_factor=null", "!otary" },
  { "llama-7b", YARN ", 'mscale': 0.7, 'mscale_all_dim': 0.7}}", "rotary_attention_factor=1", "!otary" },
  { "llama-7b", YARN ", 'attention_factor': 1.25}}", "rotary_attention_factor=1.25", "!otary" },
  { "llama-7b", YARN ", 'attention_factor': 1.25, 'mscale': 2, 'mscale_all_dim': 3}}", "rotary_attention_factor=1.25",
    "!otary" },
  { "llama-7b", YARN ", 'truncate': false}}", "rotary_truncate=false rotary_scaling=yarn", "!otary" },
  { "llama-7b", "{'rope_scaling': {'type': 'ntk'}}", "rotary=half", "(ntk) is left out" },
  { "llama-7b", LONGROPE ", 'factor': 4, 'original_max_position_embeddings': 16}}",
    "rotary_scaling=longrope rotary_factor=4", "!otary" },
  { "llama-7b", LONGROPE ", 'factor': 4}, 'original_max_position_embeddings': 1024}", "rotary_factor=2", "" },
  { "llama-7b", LONGROPE ", 'original_max_position_embeddings': 512}}", "rotary_factor=4", "" },
  { "llama-7b", LONGROPE "}}", "rotary_original=2048", "" },
  { "llama-7b", LONGROPE ", 'attention_factor': 1.5}}", "rotary_attention_factor=1.5", "" },
  { "llama-7b", LONGROPE "}}", "rotary_short_factors=1\t2 rotary_long_factors=3\t4.5", "" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'su', " LISTS "}}", "rotary_scaling=longrope", "" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'yarn', " LISTS "}}", "rotary_scaling=longrope", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'head_dim': null}", "rotary_skip_every=4", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'no_rope_layers': [], 'no_rope_layer_interval': 5}", "rotary_skip_every=5", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'num_hidden_layers': 4, 'no_rope_layers': [1, 0, 1, 0, 1]}", "rotary_skip_every=2",
    "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'num_hidden_layers': 2, 'no_rope_layers': [1, 1]}", "rotary_skip_every=null",
    "!floor_scale)" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'num_hidden_layers': 2, 'moe_layers': [0, 1], 'interleave_moe_layer_step': 2}",
    "experts=8", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'attention_chunk_size': 20}", "shape.seq_len=20", "within chunks of 20" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'floor_scale': 20}", "shape.seq_len=19", "from token 20 on" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'floor_scale': 20, 'attn_temperature_tuning': false}", "shape.seq_len=32", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'use_qk_norm': false}", "qk_norm=none", "" },
  { "gemma-2-2b", GEMMA3 "}",
    "rotary=half rotary_base=10000 rotary_base_local=10000 window=4096 window_full_every=6 qk_norm=head",
    "sliding_window_pattern = 6!otary|window of" },
  { "gemma-2-2b", GEMMA3 ", 'rope_theta': null}", "rotary_base=1000000", "" },
  { "gemma-2-2b", GEMMA3 ", 'rope_local_base_freq': 500}", "rotary_base_local=500", "" },
  { "gemma-2-2b", GEMMA3 ", 'rope_scaling': {'rope_type': 'linear', 'factor': 8.0}}",
    "rotary_factor=8 rotary_scaling=linear", "!otary" },
  { "gemma-2-2b", GEMMA3_BOTH "}}", "rotary_base=70 rotary_base_local=30 rotary_scaling=linear", "!otary" },
  { "gemma-2-2b", GEMMA3 ", 'sliding_window_pattern': 4}", "window_full_every=4", "!sliding" },
  { "gemma-2-2b", GEMMA3 ", 'sliding_window': 512, 'use_bidirectional_attention': true}", "window=257", "" },
  { "gemma-2-2b", GEMMA3 ", 'use_bidirectional_attention': true}", "attention=full", "" },
  { "mpt-7b", "{'expansion_ratio': 2.5}", "shape.d_ff=10240", "" },
  { "mpt-7b", "{'no_bias': false}", "bias=true", "" },
  { "mpt-7b", "{'attn_config': null}", "position_bias=alibi", "" },
  { "mpt-7b", "{'attn_config': {'softmax_scale': 0.5}}", "attention_scale=0.5", "" },
  { "opus-mt-en-de", "{'scale_embedding': false}", "data.embed_scale=1", "" },
  { "opus-mt-en-de", "{'max_position_embeddings': 16}", "shape.seq_len=16", "" },
  { "t5-base", "{'model_type': 'mt5'}", "activation=geglu-tanh", "feed_forward_proj = \"gated-gelu\"|architecture T5" },
  { "t5-base", "{'feed_forward_proj': 'gated-silu'}", "activation=swiglu", "" },
  { "t5-base", "{'num_decoder_layers': 12}", "shape.decoder_depth=null", "" },
  { "t5-base", "{'num_decoder_layers': 6}", "shape.decoder_depth=6", "" },
  { "opus-mt-en-de", "{'decoder_layers': 3}", "shape.decoder_depth=3", "" },
  { "opus-mt-en-de", "{'encoder_layers': 3}", "shape.decoder_depth=6", "" },
  { "transformer-base", "{'src_vocab_size': 37000}", "shape.encoder_vocab=37000", "!37000" },
  { "t5-base", "{'d_kv': 128}", "shape.d_head=128", "" },
  { "t5-base", "{'relative_attention_num_buckets': 64}", "position_buckets=64", "" },
  { "t5-base", "{'relative_attention_max_distance': 20}", "position_distance=20", "" },
  { "mistral-7b-v0.1", "{'sliding_window': 16}", "window=16", "!16 tokens" },
  { "mistral-7b-v0.1", "{'sliding_window': null}", "window=4096", "sliding_window = 4096" },
  { "llama-7b", "{'model_type': 'mistral'}", "window=4096", "sliding_window = 4096" },
  { "llama-7b", "{'model_type': 'phi3'}", "window=null", "!sliding" },
  { "llama-7b", "{'model_type': 'phi3', 'sliding_window': 2047}", "window=2047", "" },
  { "gemma-2-2b", SIX FIVE_AND_FULL "]}", "window=4096 window_full_every=6", "" },
  { "gemma-2-2b", SIX "'full_attention', " FIVE "]}", "window_after=1 window_full_every=null", "" },
  { "gemma-2-2b", SIX FIVE ", 'sliding_attention']}", "window_full_every=null", "" },
  { "gemma-2-2b", SIX ALL_FULL "]}", "window=null", "" },
  { "qwen3-0.6b", QWEN ", 'max_window_layers': 28}", "window=null", "" },
  { "qwen3-0.6b", QWEN ", 'max_window_layers': 20}", "window=99 window_after=20", "" },
  { "qwen3-0.6b", QWEN ", 'max_window_layers': 0}", "window_after=null", "" },
  { "qwen3-0.6b", QWEN ", 'num_hidden_layers': 30, 'max_window_layers': null}", "window_after=28",
    "max_window_layers = 28" },
  { "qwen3-0.6b", "{'use_sliding_window': true}", "window=null", "" },
  { "qwen3-0.6b", "{'sliding_window': 99, 'max_window_layers': 2}", "window=null", "!window" },
  { "vit-base-patch16-224", "{'image_size': 32}", "shape.seq_len=5", "5 tokens" },
  { "vit-base-patch16-224", "{'num_channels': 1, 'patch_size': 8}", "shape.patch_features=64", "" },
  { "vit-base-patch16-224", "{'initializer_range': 0.5}", "data.embed_std=0.5", "" },
  { "vit-base-patch16-224", "{'id2label': null}", "shape.vocab=2", "id2label = 2" },
  { "llama-7b", "{'model_type': null}", "norm=rmsnorm", "no model_type" },
  { "gpt2", "{'_name_or_path': 'a/b/my model'}", "name=my\tmodel", "" },
  { "gpt2", "{'_name_or_path': '/'}", "name=GPT-2", "" },
  /* Related families. */
  { "llama-7b", "{'model_type': 'qwen2'}", "bias_qkv=true", "num_key_value_heads = 32!iases" },
  { "llama-7b", "{'model_type': 'phi3', 'rms_norm_eps': null}", "norm_eps=1e-05", "rms_norm_eps = 1e-5" },
  { "gemma-2-2b",
    "{'model_type': 'gemma', 'query_pre_attn_scalar': null, 'attn_logit_softcapping': null, "
    "'final_logit_softcapping': null}", "attn.norm=pre", "" },
  { "gpt-neox-20b", "{'model_type': 'phi'}", "topology=parallel", "" },
  { "opus-mt-en-de", "{'model_type': 'bart', 'normalize_embedding': true}", "input_norm=true", "" },
  { "opus-mt-en-de",
    "{'model_type': 'mbart', 'normalize_embedding': true, 'normalize_before': true, 'add_final_layer_norm': true}",
    "attn.norm=pre", "" },
  { "opus-mt-en-de", "{'model_type': 'pegasus', 'normalize_before': true, 'add_final_layer_norm': true}",
    "data.positions=sinusoidal", "" },
  { "roberta-base", "{'model_type': 'xlm-roberta'}", "attn.norm=post", "" },
  { "roberta-base", "{'model_type': 'camembert'}", "attn.norm=post", "" },
  { "roberta-base", "{}", "head_transform=true", "!in the model's code" },
  { "roberta-base", "{'hidden_act': 'relu'}", "activation=relu", "(hidden_act); in the model's code it is gelu" },
  { "bert-base-uncased", "{'hidden_act': 'relu'}", "activation=relu", "!in the model's code" },
  { "roberta-base", "{'model_type': 'xlm-roberta'}", "data.token_types=1", "" },
  { "roberta-base", "{'model_type': 'camembert'}", "data.token_types=1", "" },
};

static void
test_changes (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      const Change *c = &changes[i];
      g_autoptr (GBytes) bytes = config_change (c->fixture, c->members);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, "config.json", &error);
      g_auto (GStrv) settings = g_strsplit (c->settings, " ", -1);

      g_test_message ("%s with %s", c->fixture, c->members);
      g_assert_no_error (error);
      for (guint k = 0; settings[k] != NULL; k++)
        {
          char *value;
          const NsParam *param = split_setting (settings[k], &value);
          g_autofree char *found = ns_param_dup_text (param, config_get_base (param, import->experiment));

          g_assert_cmpstr (found, ==, value);
        }
      if (*c->notes != '\0')
        config_assert_notes (import->assumptions, c->notes);
    }
}

/* ---- biases ---- */

/* The biases of each family's published code. Norms are listed only where they have biases: an RMSNorm has none. */
typedef struct
{
  const char *fixture, *members;
  const char *biases; /* in the form of dup_biases() */
} Biases;

#define QKVO "b_q b_k b_v b_o "
#define FFN "b_1 b_2 "
#define NO_GEMMA2 "'query_pre_attn_scalar': null, 'attn_logit_softcapping': null, 'final_logit_softcapping': null"
#define PRE_NORMS "bias_attn_pre bias_ffn_pre "
#define POST_NORMS "bias_attn_post bias_ffn_post "
#define DENSE "bias_head_dense b_head_dense "

static const Biases family_biases[] = {
  { "opus-mt-en-de", "{'model_type': 'bart', 'normalize_embedding': true}", QKVO FFN POST_NORMS },
  { "bert-base-uncased", "{}", QKVO FFN POST_NORMS DENSE "b_head" },
  { "bloom-560m", "{}", QKVO FFN PRE_NORMS "bias_final" },
  { "roberta-base", "{'model_type': 'camembert'}", QKVO FFN POST_NORMS DENSE "b_head" },
  { "distilbert-base-uncased", "{}", QKVO FFN POST_NORMS DENSE "b_head" },
  { "falcon-7b", "{}", "bias_attn_pre bias_final" },
  { "falcon-40b", "{}", PRE_NORMS "bias_final" },
  { "falcon-40b", "{'bias': true}", QKVO FFN PRE_NORMS "bias_final" },
  { "falcon-rw-1b", "{}", QKVO FFN PRE_NORMS "bias_final" },
  { "transformer-base", "{}", QKVO FFN POST_NORMS },
  { "gemma-2-2b", "{'model_type': 'gemma', " NO_GEMMA2 "}", "" },
  { "gemma-2-2b", "{'model_type': 'gemma', 'attention_bias': true, " NO_GEMMA2 "}", QKVO },
  { "gemma-2-2b", "{}", "" },
  { "gemma-2-2b", "{'attention_bias': true}", QKVO },
  { "gemma-2-2b", "{'model_type': 'gemma3_text'}", "" },
  { "gemma-2-2b", "{'model_type': 'gemma3_text', 'attention_bias': true}", QKVO },
  { "gpt2", "{}", QKVO FFN PRE_NORMS "bias_final" },
  { "gpt-neox-20b", "{}", QKVO FFN PRE_NORMS "bias_final" },
  { "gpt-neox-20b", "{'attention_bias': false}", FFN PRE_NORMS "bias_final" },
  { "gpt-j-6b", "{}", FFN "bias_attn_pre bias_final b_head" },
  { "llama-7b", "{}", "" },
  { "llama-7b", "{'attention_bias': true}", QKVO },
  { "llama-7b", "{'mlp_bias': true}", FFN "b_3" },
  { "llama-7b", "{'attention_bias': true, 'mlp_bias': true}", QKVO FFN "b_3" },
  { "opus-mt-en-de", "{}", QKVO FFN POST_NORMS },
  { "opus-mt-en-de",
    "{'model_type': 'mbart', 'normalize_embedding': true, 'normalize_before': true, 'add_final_layer_norm': true}",
    QKVO FFN PRE_NORMS "bias_encoder_final bias_final" },
  { "mistral-7b-v0.1", "{}", "" },
  { "mpt-7b", "{}", "" },
  { "mpt-7b", "{'no_bias': false}", QKVO FFN PRE_NORMS "bias_final" },
  { "t5-base", "{'model_type': 'mt5'}", "" },
  { "olmo-2-1124-7b", "{}", "" },
  { "olmo-2-1124-7b", "{'attention_bias': true}", QKVO },
  { "opt-125m", "{}", QKVO FFN PRE_NORMS "bias_final" },
  { "opt-125m", "{'enable_bias': false}", PRE_NORMS "bias_final" },
  { "opus-mt-en-de", "{'model_type': 'pegasus', 'normalize_before': true, 'add_final_layer_norm': true}",
    QKVO FFN PRE_NORMS "bias_encoder_final bias_final" },
  { "gpt-neox-20b", "{'model_type': 'phi'}", QKVO FFN "bias_attn_pre bias_final b_head" },
  { "llama-7b", "{'model_type': 'phi3'}", "" },
  { "llama-7b", "{'model_type': 'qwen2'}", "b_q b_k b_v" },
  { "mixtral-8x7b-v0.1", "{}", "" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'attention_bias': true}", QKVO },
  { "qwen1.5-moe-a2.7b", "{}", "b_q b_k b_v" },
  { "qwen1.5-moe-a2.7b", "{'qkv_bias': false}", "" },
  { "qwen3-30b-a3b", "{}", "" },
  { "qwen3-30b-a3b", "{'attention_bias': true}", QKVO },
  { "qwen3-0.6b", "{}", "" },
  { "qwen3-0.6b", "{'attention_bias': true}", QKVO },
  { "roberta-base", "{}", QKVO FFN POST_NORMS DENSE "b_head" },
  { "t5-base", "{}", "" },
  { "vit-base-patch16-224", "{}", QKVO FFN PRE_NORMS "bias_final b_head" },
  { "vit-base-patch16-224", "{'qkv_bias': false}", "b_o " FFN PRE_NORMS "bias_final b_head" },
  { "roberta-base", "{'model_type': 'xlm-roberta'}", QKVO FFN POST_NORMS DENSE "b_head" },
};

static void
test_biases (void)
{
  gsize n;
  const NsConfigFamily *families = ns_config_get_families (&n);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (family_biases); i++)
    {
      const Biases *row = &family_biases[i];
      g_autoptr (GBytes) bytes = config_change (row->fixture, row->members);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, "config.json", &error);
      g_autofree char *found = NULL, *expected = g_strstrip (g_strdup (row->biases));

      g_test_message ("%s with %s", row->fixture, row->members);
      g_assert_no_error (error);
      found = dup_biases (import->experiment);
      g_assert_cmpstr (found, ==, expected);
      config_assert_notes (import->assumptions, "!Only some");
      g_hash_table_add (seen, g_strdup (import->family));
    }
  for (gsize i = 0; i < n; i++)
    {
      g_test_message ("%s", families[i].title);
      g_assert_true (g_hash_table_contains (seen, families[i].title));
    }
}

/* ---- refused configs ---- */

typedef struct
{
  const char *fixture; /* NULL: `members` is the whole file */
  const char *members;
  const char *words; /* in the message, separated by bars */
} Refusal;

static const Refusal refusals[] = {
  /* Files that are not configs. */
  { NULL, "", "empty" },
  { NULL, "[]", "object { … }" },
  { NULL, "'model_type'", "object { … }" },
  { NULL, "{}", "model_type|missing" },
  { NULL, "{'model_type': 3}", "model_type: 3|gpt2" },
  { NULL, "{'model_type': 'gpt2', 'n_layer': ", "line 1" },
  { NULL, "{'model_type': 'gpt2', 'n_layer': 1, 'n_layer': 2}", "n_layer|duplicate" },
  { NULL, GPT2 "'n_layer': NaN}", "n_layer|NaN|a whole number" },
  { NULL, GPT2 "'n_layer': 99999999999999999999}", "n_layer|99999999999999999999|a whole number" },
  { NULL, GPT2 "'n_layer': -Infinity}", "n_layer|-Infinity|a whole number" },
  { NULL, "{'architectures': []}", "model_type|missing" },
  { NULL, "{'architectures': [7, 'WhisperForConditionalGeneration']}",
    "architectures|WhisperFor|sound|preset transformer-base!supported: " },
  { NULL, "{'architectures': ['BertGenerationDecoder']}", "BertGenerationDecoder" },
  /* Unknown families and their missing keys. */
  { NULL, "{'model_type': 'other', 'dim': 4096, 'num_hidden_layers': 32}",
    "model_type: “other”|lacks num_attention_heads, intermediate_size, vocab_size|supported: |t5!nearest" },
  /* What comes near: by name, by a similar name, by the keys, by the name of a preset. */
  { "llama-7b", "{'model_type': 'mamba'}", "model_type: “mamba”|no attention|set model_type to “llama”!lacks" },
  { "llama-7b", "{'model_type': 'other'}", "“other”|supported: bart|family is LLaMA: set model_type to “llama”" },
  { "qwen3-0.6b", "{'model_type': 'qwen4'}", "“qwen4”|set model_type to “qwen" },
  { "gpt2", "{'model_type': 'other'}", "“other”|set model_type to “gpt2”" },
  { NULL, "{'model_type': 'gpt3'}", "“gpt3”|preset gpt3-175b (--preset gpt3-175b)" },
  { NULL, "{'model_type': 'palm'}", "“palm”|preset palm-8b" },
  { NULL, "{'model_type': 'electra', 'dim': 768}", "“electra”|narrower|(--preset bert-base)!LayerScale" },
  { NULL,
    "{'model_type': 'electra', 'dim': 768, 'n_layers': 6, 'n_heads': 12, 'hidden_dim': 3072, 'vocab_size': 30000}",
    "(--preset bert-base --depth 6 --d-model 768 --heads 12 --d-ff 3072 --vocab 30000)" },
  { NULL, "{'model_type': 'electra', 'dim': 768, 'n_layers': 6, 'n_heads': 5, 'hidden_dim': 3072, 'vocab_size': 30000}",
    "(--preset bert-base)!--heads" },
  { "llama-7b", "{'model_type': 'granitemoe', 'num_local_experts': 8}",
    "“granitemoe”|experts|family is LLaMA: set model_type to “llama” and remove num_local_experts" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'moe_layers': [1, 3]}", "moe_layers|the numbers of all blocks" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'interleave_moe_layer_step': 2}", "interleave_moe_layer_step: 2|1" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'no_rope_layers': [1, 1]}", "no_rope_layers|a list with 0 or 1 for each block" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'num_hidden_layers': 3, 'no_rope_layers': [0, 1, 0]}",
    "no_rope_layers|0 for every n-th block" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'attention_chunk_size': 0}", "attention_chunk_size: 0|at least 1" },
  { "mixtral-8x7b-v0.1", LLAMA4 "'floor_scale': 1}", "floor_scale: 1|at least 2" },
  { "mixtral-8x7b-v0.1", "{'num_experts_per_tok': 9}", "experts_per_token: 9 is not allowed with experts = 8" },
  { "qwen1.5-moe-a2.7b", "{'shared_expert_intermediate_size': 5000}",
    "shared_expert_intermediate_size: 5000|a multiple of the width of an expert, 1408" },
  { "qwen1.5-moe-a2.7b", "{'decoder_sparse_step': 2}", "decoder_sparse_step: 2|1" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'longrope', 'short_factor': [1, 2]}}",
    "rope_scaling.long_factor: the rule longrope lacks this key" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'longrope', 'short_factor': [1, 2], 'long_factor': [1]}}",
    "rotary_long_factors: a length of 1 is not allowed|allowed: 2" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'longrope', 'short_factor': [1, '2'], 'long_factor': [1]}}",
    "rope_scaling.short_factor|up to 1024 numbers" },
  { "llama-7b", PHI3 "'rope_scaling': {'type': 'longrope', 'short_factor': [1, 0], 'long_factor': [1, 2]}}",
    "rope_scaling.short_factor|numbers from 1e-06" },
  { "llama-7b", LONGROPE "}, 'max_position_embeddings': null}", "rope_scaling.factor: the rule longrope lacks" },
  { "qwen3-30b-a3b", "{'mlp_only_layers': [0]}", "mlp_only_layers|an empty list" },
  { "llama-7b", "{'model_type': 'deepseek_v3', 'n_routed_experts': 256, 'kv_lora_rank': 512}",
    "compresses|set model_type to “llama” and remove n_routed_experts, kv_lora_rank" },
  /* Text parts of multimodal models. */
  { NULL, "{'model_type': 'other', 'text_config': {'model_type': 'gpt_oss'}}",
    "text_config: model_type: “gpt_oss”|sinks|preset llama-2-7b" },
  { NULL, "{'model_type': 'llava', 'text_config': {'model_type': 'llama', 'hidden_size': 0}}",
    "text_config: hidden_size: shape.d_model: 0" },
  { NULL, "{'model_type': 'a', 'thinker_config': {'text_config': {'model_type': 'qwen2', 'num_local_experts': 3}}}",
    "thinker_config.text_config: num_local_experts: 3" },
  { NULL, "{'model_type': 'llava', 'text_config': {'hidden_size': 3}}", "“llava”|supported: " },
  { NULL, "{'model_type': 'llava', 'text_config': 3}", "“llava”|supported: " },
  /* All missing keys at once. */
  { NULL, "{'model_type': 'bert', 'hidden_size': 64}",
    "a BERT model lacks required keys: num_hidden_layers, num_attention_heads, intermediate_size, vocab_size" },
  { NULL, "{'model_type': 't5', 'num_layers': null}", "num_layers, d_model, num_heads, d_ff, vocab_size" },
  /* What MPT has and an experiment has not. */
  { "mpt-7b", "{'attn_config': {'alibi': false}}", "attn_config.alibi: false|true" },
  { "mpt-7b", "{'attn_config': {'alibi_bias_max': 16}}", "attn_config.alibi_bias_max: 16|8" },
  { "mpt-7b", "{'attn_config': {'clip_qkv': 6}}", "attn_config.clip_qkv: 6|null" },
  { "mpt-7b", "{'attn_config': {'attn_type': 'multiquery_attention'}}", "attn_config.attn_type|multihead" },
  { "mpt-7b", "{'attn_config': {'softmax_scale': -1}}", "attn_config.softmax_scale: attention_scale: -1" },
  { "mpt-7b", "{'attn_config': 3}", "attn_config: 3|an object" },
  { "mpt-7b", "{'expansion_ratio': 0.0001}", "expansion_ratio|whole number of features" },
  { "mpt-7b", "{'logit_scale': 'inv_sqrt_d_model'}", "logit_scale" },
  { "bloom-560m", "{'apply_residual_connection_post_layernorm': true}", "apply_residual|true|after a norm" },
  /* What Falcon's code cannot run. */
  { "falcon-40b", "{'parallel_attn': false}", "parallel_attn: false|true with new_decoder_architecture" },
  { "falcon-40b", "{'num_ln_in_parallel_attn': 3}", "num_ln_in_parallel_attn: 3|1 or 2" },
  { "falcon-40b", "{'num_kv_heads': 3}", "num_kv_heads: 3|num_attention_heads: 128|a divisor of 128" },
  { "falcon-40b", "{'new_decoder_architecture': 1}", "new_decoder_architecture: 1|true or false" },
  { "falcon-7b", "{'num_ln_in_parallel_attn': 2}", "num_ln_in_parallel_attn: 2|1 without new_decoder" },
  { "falcon-7b", "{'multi_query': 1}", "multi_query: 1|true or false" },
  { "falcon-7b", "{'parallel_attn': 'yes'}", "parallel_attn: \"yes\"|true or false" },
  { "falcon-rw-1b", "{'num_kv_heads': 4}", "num_kv_heads: 4|the number of heads, without multi_query" },
  { "falcon-rw-1b", "{'num_kv_heads': 'all'}", "num_kv_heads: \"all\"|the number of heads" },
  /* Invalid values. */
  { "gpt2", "{'n_layer': 0}", "n_layer: shape.depth: 0|from 1 to 65536" },
  { "gpt2", "{'n_layer': -3}", "n_layer: shape.depth: -3" },
  { "gpt2", "{'n_layer': 1.5}", "n_layer|1.5|whole number" },
  { "gpt2", "{'n_layer': 1e300}", "n_layer|whole number" },
  { "gpt2", "{'n_layer': '12'}", "n_layer: \"12\"|whole number" },
  { "gpt2", "{'n_layer': true}", "n_layer: true" },
  { "gpt2", "{'n_layer': [12]}", "n_layer: [12]" },
  { "gpt2", "{'n_embd': 9223372036854775807}", "n_embd: shape.d_model: 9223372036854775807" },
  { "gpt2", "{'vocab_size': 1}", "vocab_size: shape.vocab: 1" },
  { "gpt2", "{'layer_norm_epsilon': -1e-5}", "layer_norm_epsilon: norm_eps: -1e-05" },
  { "gpt2", "{'initializer_range': -0.02}", "initializer_range: init.std: -0.02" },
  { "gpt2", "{'n_positions': 0}", "n_positions: 0" },
  { "gpt2", "{'tie_word_embeddings': 1}", "tie_word_embeddings: 1|true or false" },
  { "llama-7b", "{'intermediate_size': 0}", "intermediate_size: shape.d_ff: 0" },
  { "mistral-7b-v0.1", "{'sliding_window': -1}", "sliding_window: window: -1|from 2" },
  { "mistral-7b-v0.1", "{'sliding_window': 'all'}", "sliding_window: \"all\"|a whole number" },
  { "gemma-2-2b", "{'use_bidirectional_attention': true}", "use_bidirectional_attention: true|false" },
  { "gemma-2-2b", SIX FIVE "]}", "layer_types|a list of 6 kinds" },
  { "gemma-2-2b", SIX FIVE ", 'chunked_attention']}", "layer_types: \"chunked_attention\"|full_attention" },
  { "gemma-2-2b",
    SIX "'full_attention', 'sliding_attention', 'full_attention', 'full_attention', 'sliding_attention', "
    "'sliding_attention']}", "layer_types|in every n-th" },
  { "gemma-2-2b", "{'layer_types': 3}", "layer_types: 3|a list of 26 kinds" },
  { "gemma-2-2b", GEMMA3 ", 'sliding_window_pattern': 0}", "sliding_window_pattern: window_full_every: 0" },
  { "gemma-2-2b", GEMMA3 ", 'rope_parameters': {'sliding_attention': {'rope_type': 'yarn'}}}",
    "rope_parameters.sliding_attention|the rope_type default" },
  { "qwen3-0.6b", "{'use_sliding_window': 1}", "use_sliding_window: 1|true or false" },
  { "qwen3-0.6b", QWEN ", 'max_window_layers': -2}", "max_window_layers: -2|at least 0" },
  { "gemma-2-2b", "{'query_pre_attn_scalar': 0}", "query_pre_attn_scalar: 0|above 0" },
  { "gemma-2-2b", "{'attn_logit_softcapping': -50.0}", "attn_logit_softcapping: -50" },
  { "vit-base-patch16-224", "{'patch_size': 0}", "patch_size: 0" },
  { "vit-base-patch16-224", "{'patch_size': 225}", "patch_size: 225|image_size: 224" },
  { "vit-base-patch16-224", "{'patch_size': 1, 'image_size': 2147483647}", "patch_size: shape.seq_len" },
  { "vit-base-patch16-224", "{'image_size': [224, 224]}", "image_size: [224,224]" },
  { "vit-base-patch16-224", "{'id2label': {}}", "id2label: shape.vocab: 0" },
  /* Contradictions. */
  { "gpt2", "{'n_head': 7}", "n_head: 7|n_embd: 768|a divisor of 768" },
  { "gpt2", "{'hidden_size': 1024}", "hidden_size: 1024|n_embd" },
  { "llama-7b", "{'num_key_value_heads': 5}", "num_key_value_heads: 5|num_attention_heads: 32|a divisor of 32" },
  { "llama-7b", "{'is_encoder_decoder': true}", "is_encoder_decoder: true|LLaMA" },
  { "t5-base", "{'is_encoder_decoder': false}", "is_encoder_decoder: false|T5" },
  { "opus-mt-en-de", "{'decoder_layers': 0}", "decoder_layers: 0|without blocks" },
  { "opus-mt-en-de", "{'encoder_layers': 0}", "encoder_layers: 0|without blocks" },
  { "opus-mt-en-de", "{'decoder_layers': 2.5}", "decoder_layers: shape.decoder_depth: 2.5|a whole number from 1" },
  { "opus-mt-en-de", "{'decoder_layers': 70000}", "decoder_layers: shape.decoder_depth: 70000" },
  { "opus-mt-en-de", "{'decoder_attention_heads': 4}", "decoder_attention_heads: 4|encoder_attention_heads: 8" },
  { "opus-mt-en-de", "{'decoder_ffn_dim': -1}", "decoder_ffn_dim: -1" },
  { "opus-mt-en-de", "{'decoder_ffn_dim': 2.5}", "decoder_ffn_dim: 2.5" },
  { "transformer-base", "{'src_vocab_size': 1}", "src_vocab_size: shape.encoder_vocab: 1" },
  { "transformer-base", "{'src_vocab_size': null}", "src_vocab_size" },
  { "t5-base", "{'num_decoder_layers': 0}", "num_decoder_layers: 0|without blocks" },
  { "opt-125m", "{'word_embed_proj_dim': 512}", "word_embed_proj_dim: 512|hidden_size: 768" },
  /* Unsupported wiring. */
  { "gpt2", "{'add_cross_attention': true}", "add_cross_attention: true|allowed: false" },
  { "gpt2", "{'scale_attn_by_inverse_layer_idx': true}", "scale_attn_by_inverse_layer_idx: true" },
  { "gpt2", "{'activation_function': 'quick_gelu'}", "activation_function: \"quick_gelu\"|relu, gelu, " },
  { "gpt2", "{'activation_function': 5}", "activation_function: 5" },
  { "llama-7b", "{'hidden_act': 'relu'}", "hidden_act: \"relu\"|silu!allowed: relu" },
  { "t5-base", "{'feed_forward_proj': 'gated-relu'}", "feed_forward_proj: \"gated-relu\"|gated-gelu" },
  { "t5-base", "{'initializer_factor': 0.5}", "initializer_factor: 0.5|allowed: 1" },
  { "t5-base", "{'relative_attention_num_buckets': 2}", "relative_attention_num_buckets: |from 4" },
  { "bert-base-uncased", "{'type_vocab_size': 0}", "type_vocab_size: 0|at least 1" },
  { "bert-base-uncased", "{'position_embedding_type': 'relative_key'}", "position_embedding_type|absolute" },
  { "opus-mt-en-de", "{'normalize_before': true}", "normalize_before: true|allowed: false" },
  { "opus-mt-en-de", "{'model_type': 'bart'}", "normalize_embedding: false|allowed: true" },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const Refusal *r = &refusals[i];
      g_autoptr (GBytes) bytes = r->fixture != NULL ? config_change (r->fixture, r->members)
                                                    : config_from_text (r->members);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsConfigImport) import = ns_config_import_from_bytes (bytes, "my.json", &error);
      char *message[] = { NULL, NULL };

      g_test_message ("%s with %s", r->fixture != NULL ? r->fixture : "nothing", r->members);
      g_assert_null (import);
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, "my.json"));
      message[0] = g_strconcat (error->message, ".", NULL);
      config_assert_notes (message, r->words);
      g_free (message[0]);
    }
}

/* Every family requires exactly the keys of its shape and lists the missing ones. */
static void
test_families (void)
{
  const char *const *families = ns_config_get_model_types ();

  g_assert_cmpuint (g_strv_length ((char **) families), >=, 16);
  for (guint i = 0; families[i] != NULL; i++)
    {
      g_autofree char *text = g_strdup_printf ("{'model_type': '%s'}", families[i]);
      g_autoptr (GBytes) bytes = config_from_text (text);
      g_autoptr (GError) error = NULL;

      g_assert_true (i == 0 || strcmp (families[i - 1], families[i]) < 0);
      g_assert_null (ns_config_import_from_bytes (bytes, "my.json", &error));
      g_assert_nonnull (strstr (error->message, "lacks"));
      g_assert_nonnull (strstr (error->message, "head"));
    }
}

static void
test_is_config (void)
{
  static const char *const others[] = {
    "",
    "{'model_type'",
    "['model_type']",
    "{'format': 'normscope-experiment', 'version': 1, 'variants': [{'name': '\\'model_type\\''}]}",
    "{'format': 'normscope-experiment', 'version': 2, 'model_type': 'gpt2'}",
    "{'a': {'model_type': 'gpt2'}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (GBytes) bytes = config_from_text (others[i]);

      g_assert_false (ns_config_is_config (bytes));
    }
}

void
add_config_import_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strconcat ("/config-import/model/", models[i].file, NULL);

      g_test_add_data_func (path, &models[i], test_model);
    }
  g_test_add_func ("/config-import/biases", test_biases);
  g_test_add_func ("/config-import/changes", test_changes);
  g_test_add_func ("/config-import/refusals", test_refusals);
  g_test_add_func ("/config-import/families", test_families);
  g_test_add_func ("/config-import/is-config", test_is_config);
}
