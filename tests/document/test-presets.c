/* Presets against independently written facts of their models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "biases.h"
#include "document/ns-model-table.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <string.h>

/* ---- the models ---- */

/* Taken from the papers and their code, independently of the presets. kv_heads 0: heads; d_head 0: d_model / heads. */
typedef struct
{
  const char *id;
  gint64 depth, d_model, heads, kv_heads, d_head, d_ff;
  int stack, attention, activation, norm;
  double eps;
  int placement, topology;
  gboolean bias;
  int scheme, residual; /* NS_INIT_RESIDUAL_… */
  const char *more;     /* further keys: "qk_norm=full,shape.vocab=32000" */
} Facts;

#define SINGLE NS_STACK_SINGLE
#define BOTH NS_STACK_ENCODER_DECODER
#define FULL NS_ATTENTION_FULL
#define CAUSAL NS_ATTENTION_CAUSAL
#define LN NS_NORM_LAYERNORM
#define RMS NS_NORM_RMSNORM
#define PRE NS_PLACE_PRE
#define POST NS_PLACE_POST
#define SEQ NS_TOPOLOGY_SEQUENTIAL
#define NORMAL NS_INIT_NORMAL
#define XAVIER NS_INIT_XAVIER_UNIFORM
#define PLAIN NS_INIT_RESIDUAL_NONE
#define GPT2 NS_INIT_RESIDUAL_GPT2
#define TOKENS "data.source=tokens,data.embed_scale=1,data.embed_std="
#define BY_WIDTH "data.source=tokens,data.embed_scale=sqrt-d-model,data.embed_std="
#define LEARNED ",data.positions=learned,data.class_token=none,data.token_types="
/* BERT adds a token type, fairseq's RoBERTa does not. */
#define ROBERTA "input_norm=true,head_transform=true,init.std=0.02,init.head=tied," TOKENS "0.02" LEARNED "0"
#define BERT                                                                                                          \
  "input_norm=true,head_transform=true,init.std=0.02,init.truncate=2,init.head=tied," TOKENS "0.02" LEARNED "1"
/* The class token is 0 before its position is added. */
#define VIT                                                                                                           \
  "data.source=gaussian,data.embed_scale=1,data.embed_std=0.02,data.positions=learned,data.class_token=zero,"         \
  "data.token_types=0"

static const Facts facts[] = {
  { "xiong-figure-3", 6, 512, 4, 0, 0, 1024, BOTH, FULL, NS_ACT_RELU, LN, 1e-5, POST, SEQ, TRUE, NS_INIT_FAIRSEQ, PLAIN,
    "" },
  { "transformer-base", 6, 512, 8, 0, 0, 2048, BOTH, FULL, NS_ACT_RELU, LN, 1e-6, POST, SEQ, TRUE, XAVIER, PLAIN,
    "init.head=tied," BY_WIDTH "0.04419417382415922" /* 1/√512 */ },
  { "transformer-big", 6, 1024, 16, 0, 0, 4096, BOTH, FULL, NS_ACT_RELU, LN, 1e-6, POST, SEQ, TRUE, XAVIER, PLAIN,
    "init.head=tied," BY_WIDTH "0.03125" },
  { "t5-base", 12, 768, 12, 0, 0, 3072, BOTH, FULL, NS_ACT_RELU, RMS, 1e-6, PRE, SEQ, FALSE, NS_INIT_T5, PLAIN,
    "attention_scale=1,position_bias=t5,init.head=tied,logit_scale=inverse-sqrt-d-model,shape.vocab=32128," TOKENS
    "1" },
  { "deepnet-1000", 500, 512, 8, 0, 0, 2048, BOTH, FULL, NS_ACT_RELU, LN, 1e-5, POST, SEQ, TRUE, NS_INIT_XAVIER_NORMAL,
    NS_INIT_RESIDUAL_DEEPNORM, "residual_scale=deepnorm" },
  { "bert-base", 12, 768, 12, 0, 0, 3072, SINGLE, FULL, NS_ACT_GELU, LN, 1e-12, POST, SEQ, TRUE, NORMAL, PLAIN,
    BERT ",shape.vocab=30522" },
  { "bert-large", 24, 1024, 16, 0, 0, 4096, SINGLE, FULL, NS_ACT_GELU, LN, 1e-12, POST, SEQ, TRUE, NORMAL, PLAIN,
    BERT },
  { "roberta-base", 12, 768, 12, 0, 0, 3072, SINGLE, FULL, NS_ACT_GELU, LN, 1e-5, POST, SEQ, TRUE, NORMAL, PLAIN,
    ROBERTA },
  { "vit-b", 12, 768, 12, 0, 0, 3072, SINGLE, FULL, NS_ACT_GELU_TANH, LN, 1e-6, PRE, SEQ, TRUE, XAVIER, PLAIN, VIT },
  { "gpt2-small", 12, 768, 12, 0, 0, 3072, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, SEQ, TRUE, NORMAL, GPT2,
    "init.std=0.02,init.head=tied," TOKENS "0.02" LEARNED "0" },
  { "gpt2-medium", 24, 1024, 16, 0, 0, 4096, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, SEQ, TRUE, NORMAL, GPT2,
    "init.std=0.02,init.head=tied" },
  { "gpt2-large", 36, 1280, 20, 0, 0, 5120, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, SEQ, TRUE, NORMAL, GPT2,
    "init.std=0.02,init.head=tied" },
  { "gpt2-xl", 48, 1600, 25, 0, 0, 6400, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, SEQ, TRUE, NORMAL, GPT2,
    "init.std=0.02,init.head=tied" },
  { "gpt3-175b", 96, 12288, 96, 0, 0, 49152, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, SEQ, TRUE, NORMAL, GPT2,
    "init.std=0.02,init.head=tied" },
  { "llama-7b", 32, 4096, 32, 0, 0, 11008, SINGLE, CAUSAL, NS_ACT_SWIGLU, RMS, 1e-6, PRE, SEQ, FALSE, NORMAL, PLAIN,
    "init.std=0.02,shape.vocab=32000," TOKENS "0.02" },
  { "llama-2-7b", 32, 4096, 32, 0, 0, 11008, SINGLE, CAUSAL, NS_ACT_SWIGLU, RMS, 1e-5, PRE, SEQ, FALSE, NORMAL, GPT2,
    "init.std=0.02" },
  { "palm-8b", 32, 4096, 16, 1, 256, 16384, SINGLE, CAUSAL, NS_ACT_SWIGLU, LN, 1e-5, PRE, NS_TOPOLOGY_PARALLEL, FALSE,
    NS_INIT_LECUN_NORMAL, PLAIN, "init.head=tied,logit_scale=inverse-sqrt-d-model," TOKENS "1" },
  { "olmo2-7b", 32, 4096, 32, 0, 0, 11008, SINGLE, CAUSAL, NS_ACT_SWIGLU, RMS, 1e-6, NS_PLACE_BRANCH, SEQ, FALSE,
    NORMAL, PLAIN, "qk_norm=full,branch_norm_gain=1,init.std=0.02,init.truncate=3,shape.vocab=100352" },
  { "gemma2-2b", 26, 2304, 8, 4, 256, 9216, SINGLE, CAUSAL, NS_ACT_GEGLU_TANH, RMS, 1e-6, NS_PLACE_SANDWICH, SEQ, FALSE,
    NORMAL, PLAIN, "attention_scale=sqrt-d-head,score_cap=50,logit_cap=30,init.head=tied," BY_WIDTH "0.02" },
  { "qwen3-0.6b", 28, 1024, 16, 8, 128, 3072, SINGLE, CAUSAL, NS_ACT_SWIGLU, RMS, 1e-6, PRE, SEQ, FALSE, NORMAL, PLAIN,
    "qk_norm=head,init.std=0.02,init.head=tied" },
  { "ngpt-0.5b", 24, 1024, 16, 0, 0, 4096, SINGLE, CAUSAL, NS_ACT_SWIGLU, LN, 1e-5, PRE, SEQ, FALSE,
    NS_INIT_XAVIER_NORMAL, PLAIN, "ngpt=true,branch_scale=0.05" },
  { "gpt-j-6b", 28, 4096, 16, 0, 0, 16384, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE, NS_TOPOLOGY_PARALLEL, TRUE,
    NS_INIT_LECUN_NORMAL, NS_INIT_RESIDUAL_WANG, "init.truncate=2," TOKENS "0.00445435403187374" /* 1/√50400 */ },
  { "gpt-neox-20b", 44, 6144, 64, 0, 0, 24576, SINGLE, CAUSAL, NS_ACT_GELU_TANH, LN, 1e-5, PRE,
    NS_TOPOLOGY_PARALLEL_TWO_NORMS, TRUE, NS_INIT_SMALL, NS_INIT_RESIDUAL_WANG,
    TOKENS "0.008068715304598784" /* √(2/(5·6144)) */ },
};

/* Check that the experiment, or its first variant, has every setting of the text. */
static void
check_settings (const NsExperiment *experiment, const char *settings)
{
  g_auto (GStrv) parts = g_strsplit (settings, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      g_auto (GStrv) pair = g_strsplit (*part, "=", 2);
      const NsParam *param = ns_param_find (pair[0]);
      g_autoptr (NsExperiment) wanted = ns_experiment_copy (experiment);
      gpointer base = param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (wanted, 0) : wanted;
      g_autofree char *text = ns_param_dup_text (param, base);
      g_autofree char *expected = NULL;

      g_assert_true (ns_param_set_text (param, base, pair[1], "", NULL));
      expected = ns_param_dup_text (param, base);
      g_test_message ("%s", *part);
      g_assert_cmpstr (text, ==, expected);
    }
}

static void
check_model (const Facts *fact)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) experiment = ns_preset_load (fact->id, &error);
  const NsPreset *preset = ns_preset_find (fact->id);
  const NsShape *shape;
  const NsVariant *variant;

  g_assert_no_error (error);
  g_test_message ("%s", fact->id);
  shape = &experiment->shape;
  variant = ns_experiment_variant (experiment, 0);
  g_assert_cmpint (shape->stack, ==, fact->stack);
  g_assert_cmpint (shape->depth, ==, fact->depth);
  g_assert_cmpint (shape->d_model, ==, fact->d_model);
  g_assert_cmpint (shape->heads, ==, fact->heads);
  g_assert_cmpint (ns_shape_get_kv_heads (shape), ==, fact->kv_heads > 0 ? fact->kv_heads : fact->heads);
  g_assert_cmpint (ns_shape_get_d_head (shape), ==, fact->d_head > 0 ? fact->d_head : fact->d_model / fact->heads);
  g_assert_cmpint (shape->d_ff, ==, fact->d_ff);
  g_assert_cmpint (variant->attention, ==, fact->attention);
  g_assert_cmpint (variant->activation, ==, fact->activation);
  g_assert_cmpint (variant->norm, ==, fact->norm);
  g_assert_cmpfloat (variant->norm_eps, ==, fact->eps);
  g_assert_cmpint (variant->attn.norm, ==, fact->placement);
  g_assert_cmpint (variant->ffn.norm, ==, fact->placement);
  g_assert_cmpint (variant->topology, ==, fact->topology);
  g_assert_cmpint (variant->bias, ==, fact->bias);
  g_assert_cmpint (variant->init.scheme, ==, fact->scheme);
  g_assert_cmpint (variant->init.residual.rule, ==, fact->residual);
  /* Post-LN and nGPT already end in a norm; all others have a final norm. */
  g_assert_cmpint (ns_experiment_has_final_norm (experiment, 0), ==, fact->placement != POST && !variant->ngpt);
  if (*fact->more != '\0')
    check_settings (experiment, fact->more);

  g_assert_nonnull (preset->variant);
  g_assert_nonnull (preset->source);
}

static void
test_facts (void)
{
  guint n_models = 0;
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    check_model (&facts[i]);
  for (gsize i = 0; i < n; i++)
    n_models += presets[i].variant != NULL;
  g_assert_cmpuint (n_models, ==, G_N_ELEMENTS (facts));
}

/* Each model has the biases of its code, and no others. Models that are not listed have none. */
static void
test_biases (void)
{
#define MAPS "b_q b_k b_v b_o b_1 b_2 "
#define PRE_NORMS "bias_attn_pre bias_ffn_pre bias_final"
#define POST_NORMS "bias_attn_post bias_ffn_post"
  static const struct
  {
    const char *id, *biases;
  } rows[] = {
    { "xiong-figure-3", MAPS POST_NORMS },
    /* Vaswani et al. 2017 have biases in equation 2, the FFN, and none in the attention; so has Tensor2Tensor. */
    { "transformer-base", "b_1 b_2 " POST_NORMS },
    { "transformer-big", "b_1 b_2 " POST_NORMS },
    { "deepnet-1000", MAPS POST_NORMS },
    { "bert-base", MAPS POST_NORMS " bias_head_dense b_head_dense b_head" },
    { "bert-large", MAPS POST_NORMS " bias_head_dense b_head_dense b_head" },
    { "roberta-base", MAPS POST_NORMS " bias_head_dense b_head_dense b_head" },
    { "vit-b", MAPS PRE_NORMS " b_head" },
    { "transformer-base-encoder", "b_1 b_2 " POST_NORMS },
    { "gpt2-small", MAPS PRE_NORMS },
    { "gpt2-medium", MAPS PRE_NORMS },
    { "gpt2-large", MAPS PRE_NORMS },
    { "gpt2-xl", MAPS PRE_NORMS },
    { "gpt3-175b", MAPS PRE_NORMS },
    { "gpt-j-6b", "b_1 b_2 bias_attn_pre bias_final b_head" },
    { "gpt-neox-20b", MAPS PRE_NORMS },
  };
  guint found = 0;
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);
      g_autofree char *biases = dup_biases (experiment);
      const char *expected = "";

      for (gsize r = 0; r < G_N_ELEMENTS (rows); r++)
        if (strcmp (rows[r].id, presets[i].id) == 0)
          expected = rows[r].biases;
      found += *expected != '\0';
      g_test_message ("%s", presets[i].id);
      g_assert_cmpstr (biases, ==, expected);
    }
  g_assert_cmpuint (found, ==, G_N_ELEMENTS (rows));
}

/* The norm placement and wiring of a model equal those of its declared built-in variant. */
static void
test_declared_variant (void)
{
  static const char *const keys[] = { "norm", "attn.norm", "ffn.norm", "topology", "qk_norm", "residual_scale",
                                      "block_residual", "dual_residual", "attn.inner_norm", "ffn.inner_norm", NULL };
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);
      g_autoptr (NsVariant) declared = NULL;

      if (presets[i].variant == NULL)
        continue;
      declared = ns_variant_from_text (presets[i].variant->id, NULL);
      for (int k = 0; keys[k] != NULL; k++)
        {
          g_autofree char *found = ns_param_dup_text (ns_param_find (keys[k]), ns_experiment_variant (experiment, 0));
          g_autofree char *expected = ns_param_dup_text (ns_param_find (keys[k]), declared);
          /* The model chooses the type of norm unless the variant requires one. */
          gboolean is_free = k == 0 && strstr (presets[i].variant->settings, "norm=rmsnorm") == NULL;

          g_test_message ("%s: %s", presets[i].id, keys[k]);
          if (!is_free)
            g_assert_cmpstr (found, ==, expected);
        }
    }
}

/* The encoder of the Transformer of 2017 has the settings of the whole model. */
static void
test_same_model (void)
{
  static const char *const keys[] = { "norm", "norm_eps", "activation", "bias", "attn.norm", "ffn.norm", "init.scheme",
                                      "residual_scale", "final_norm", NULL };
  g_autoptr (NsExperiment) whole = ns_preset_load ("transformer-base", NULL);
  g_autoptr (NsExperiment) encoder = ns_preset_load ("transformer-base-encoder", NULL);

  g_assert_cmpuint (whole->variants->len, ==, encoder->variants->len);
  for (guint v = 0; v < whole->variants->len; v++)
    for (int k = 0; keys[k] != NULL; k++)
      {
        const NsParam *param = ns_param_find (keys[k]);
        g_autofree char *a = ns_param_dup_text (param, ns_experiment_variant (whole, v));
        g_autofree char *b = ns_param_dup_text (param, ns_experiment_variant (encoder, v));

        g_test_message ("%s", keys[k]);
        g_assert_cmpstr (a, ==, b);
      }
  g_assert_cmpint (whole->shape.d_model, ==, encoder->shape.d_model);
  g_assert_cmpint (whole->shape.heads, ==, encoder->shape.heads);
  g_assert_cmpint (whole->shape.d_ff, ==, encoder->shape.d_ff);
}

/* Keys that the source does not state are marked as not confirmed, others are not. */
static void
test_not_confirmed (void)
{
  static const struct
  {
    const char *id, *marked, *unmarked; /* marked: NULL for none */
  } rows[] = {
    { "bert-base", "norm_eps", "shape.heads" },        { "bert-large", "shape.heads", "activation" },
    { "gpt2-xl", "shape.heads", "shape.depth" },       { "gpt2-small", "shape.vocab", "shape.heads" },
    { "gpt3-175b", "shape.depth", "shape.seq_len" },   { "llama-2-7b", "init.scheme", "norm_eps" },
    { "palm-8b", "final_norm", "topology" },           { "deepnet-1000", "activation", "residual_scale" },
    { "qwen3-0.6b", "rotary_base", "shape.kv_heads" }, { "gpt-neox-20b", "shape.d_ff", "rotary_dim" },
    { "llama-7b", "init.scheme", "norm_eps" },         { "gemma2-2b", "init.std", "shape.kv_heads" },
    { "vit-b", "norm_eps", "init.scheme" },            { "roberta-base", "norm_eps", "init.scheme" },
    { "llama-2-7b", "init.residual", "shape.heads" },  { "llama-2-7b", "init.std", "attn.norm" },
    { "t5-base", NULL, "attention_scale" },            { "t5-base", NULL, "norm_eps" },
    { "t5-base", NULL, "final_norm" },                 { "t5-base", NULL, "bias" },
    { "t5-base", NULL, "shape.vocab" },                { "olmo2-7b", NULL, "shape.vocab" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const NsPreset *preset = ns_preset_find (rows[i].id);
      gboolean has_marked = rows[i].marked == NULL, has_unmarked = FALSE;

      for (const NsParam *const *param = preset->not_confirmed; *param != NULL; param++)
        {
          has_marked = has_marked || g_strcmp0 (ns_param_get_path (*param), rows[i].marked) == 0;
          has_unmarked = has_unmarked || strcmp (ns_param_get_path (*param), rows[i].unmarked) == 0;
        }
      g_test_message ("%s", rows[i].id);
      g_assert_true (has_marked);
      g_assert_false (has_unmarked);
    }
}

/* Pairs, base and width of the model's rotary positions; LLaMA's own code turns neighbours, its later one halves. */
static void
test_rotary (void)
{
  static const struct
  {
    const char *id;
    NsRotaryPairs pairs;
    double base;
    gint64 dim;
  } rows[] = {
    { "llama-7b", NS_ROTARY_HALF, 10000, 0 },         { "llama-2-7b", NS_ROTARY_INTERLEAVED, 10000, 0 },
    { "palm-8b", NS_ROTARY_HALF, 10000, 0 },          { "olmo2-7b", NS_ROTARY_HALF, 500000, 0 },
    { "gemma2-2b", NS_ROTARY_HALF, 10000, 0 },        { "qwen3-0.6b", NS_ROTARY_HALF, 1000000, 0 },
    { "ngpt-0.5b", NS_ROTARY_INTERLEAVED, 10000, 0 },
    { "gpt-j-6b", NS_ROTARY_INTERLEAVED, 10000, 64 }, { "gpt-neox-20b", NS_ROTARY_HALF, 10000, 24 },
  };
  guint found = 0;
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);

      for (guint v = 0; v < experiment->variants->len; v++)
        {
          const NsRotarySettings *rotary = &ns_experiment_variant (experiment, v)->rotary;
          gsize r = 0;

          while (r < G_N_ELEMENTS (rows) && strcmp (rows[r].id, presets[i].id) != 0)
            r++;
          g_test_message ("%s", presets[i].id);
          g_assert_cmpint (rotary->pairs, ==, r < G_N_ELEMENTS (rows) ? rows[r].pairs : NS_ROTARY_NONE);
          if (r == G_N_ELEMENTS (rows))
            continue;
          found++;
          g_assert_cmpfloat (rotary->base, ==, rows[r].base);
          g_assert_cmpint (rotary->dim, ==, rows[r].dim);
          g_assert_cmpint (rotary->scaling, ==, NS_ROTARY_SCALING_NONE);
          g_assert_cmpint (experiment->data.positions, ==, NS_POSITIONS_NONE);
        }
      if (presets[i].notes != NULL)
        g_assert_null (strstr (presets[i].notes, "Rotary"));
    }
  g_assert_cmpuint (found, ==, G_N_ELEMENTS (rows));
}

/* ---- texts ---- */

static void
test_german (void)
{
  static const char *const keys[] = { "Description", "Group", "Notes", NULL };
  g_autoptr (GBytes) bytes = g_resources_lookup_data ("/org/normscope/document/presets/presets.ini",
                                                      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (GKeyFile) index = g_key_file_new ();
  g_auto (GStrv) ids = NULL;

  g_assert_true (g_key_file_load_from_bytes (index, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, NULL));
  ids = g_key_file_get_groups (index, NULL);
  for (char **id = ids; *id != NULL; id++)
    for (int k = 0; keys[k] != NULL; k++)
      {
        g_autofree char *english = g_key_file_get_string (index, *id, keys[k], NULL);
        g_autofree char *german = g_key_file_get_locale_string (index, *id, keys[k], "de", NULL);

        g_test_message ("%s: %s", *id, keys[k]);
        g_assert_true (english != NULL || strcmp (keys[k], "Notes") == 0);
        if (english != NULL)
          g_assert_cmpstr (english, !=, german);
      }
}

static void
test_groups (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  g_assert_cmpstr (presets[0].id, ==, "default");
  for (gsize i = 0; i < n; i++)
    if (i == 0 || strcmp (presets[i].group, presets[i - 1].group) != 0)
      g_assert_true (g_hash_table_add (seen, (gpointer) presets[i].group));
  g_assert_cmpuint (g_hash_table_size (seen), >=, 5);
}

/* ---- the table of models ---- */

static void
test_model_table (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) json = ns_models_to_json (&error);
  g_autoptr (GBytes) csv = ns_models_to_csv (&error);
  g_autoptr (GBytes) text = ns_models_to_text (&error);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (GStrv) lines = g_strsplit (g_bytes_get_data (csv, NULL), "\n", -1);
  JsonArray *rows;
  guint n_deepnet = 0;

  g_assert_no_error (error);
  g_assert_true (json_parser_load_from_data (parser, g_bytes_get_data (json, NULL), -1, &error));
  rows = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (rows), ==, G_N_ELEMENTS (facts));
  g_assert_cmpuint (g_strv_length (lines), ==, G_N_ELEMENTS (facts) + 2);
  g_assert_cmpstr (lines[0], ==, "id,model,placement,equation,norm,shape,init,source,not_confirmed");
  g_assert_nonnull (strstr (g_bytes_get_data (csv, NULL),
                            "\nbert-base,BERT base,Post-LN,x ← N(x + F(x)),\"LayerNorm, ε = 1e-12\",\"12 × 768, 12 "
                            "heads\",normal 0.02,"));
  g_assert_nonnull (strstr (g_bytes_get_data (text, NULL), "28 × 1024, 16 heads, 8 key/value heads"));
  g_assert_nonnull (strstr (g_bytes_get_data (text, NULL), "500+500 × 512, 8 heads"));
  /* The constants are those of the preset's stack. */
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "deepnet-1000,"))
      {
        n_deepnet++;
        g_assert_null (strstr (lines[i], "∜(2L)"));
        g_assert_null (strstr (lines[i], "∜(8L)"));
        g_assert_nonnull (strstr (lines[i], "α_enc = 0.81·(L_e⁴·L_d)^(1/16), α_dec = ∜(3L_d)"));
        g_assert_nonnull (strstr (lines[i], "β_enc = 0.87·(L_e⁴·L_d)^(−1/16), β_dec = 1/∜(12L_d)"));
      }
  g_assert_cmpuint (n_deepnet, ==, 1);
}

/* ---- scaled down ---- */

static void
test_scaled_presets (void)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, NULL);
      g_autoptr (NsExperiment) smaller = ns_experiment_scale_down (experiment, NS_SCALED_D_MODEL);

      g_test_message ("%s", presets[i].id);
      ns_experiment_validate (smaller, &error);
      g_assert_no_error (error);
      g_assert_false (ns_experiment_can_scale_down (smaller));
      g_assert_cmpint (smaller->shape.depth, ==, experiment->shape.depth);
      /* The ratios of the sizes are kept. */
      g_assert_cmpfloat_with_epsilon ((double) smaller->shape.d_ff / (double) smaller->shape.d_model,
                                      (double) experiment->shape.d_ff / (double) experiment->shape.d_model, 1e-9);
      g_assert_cmpint (experiment->shape.heads / ns_shape_get_kv_heads (&experiment->shape), ==,
                       smaller->shape.heads / ns_shape_get_kv_heads (&smaller->shape));
    }
}

void
add_presets_tests (void)
{
  g_test_add_func ("/presets/facts", test_facts);
  g_test_add_func ("/presets/biases", test_biases);
  g_test_add_func ("/presets/declared-variant", test_declared_variant);
  g_test_add_func ("/presets/same-model", test_same_model);
  g_test_add_func ("/presets/not-confirmed", test_not_confirmed);
  g_test_add_func ("/presets/rotary", test_rotary);
  g_test_add_func ("/presets/german", test_german);
  g_test_add_func ("/presets/groups", test_groups);
  g_test_add_func ("/presets/model-table", test_model_table);
  g_test_add_func ("/presets/scaled", test_scaled_presets);
}
