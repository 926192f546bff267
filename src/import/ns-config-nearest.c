/* The nearest thing that works for a model family that cannot be imported.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-config-nearest.h"

#include "import/ns-config-reading.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define HAS_EXPERTS N_ ("its FFNs are mixtures of experts")
#define HAS_LATENT_KEYS N_ ("its attention compresses keys and values, and its FFNs are mixtures of experts")
#define NO_ATTENTION N_ ("its blocks have no attention")
#define HYBRID N_ ("some of its layers are not attention but a recurrence or a convolution")
#define RELATIVE N_ ("its attention depends on relative positions")
#define SPARSE N_ ("its attention is sparse")
#define FACTORS N_ ("it multiplies embeddings, branches and logits by factors")
#define IS_PRE_LN N_ ("its blocks are Pre-LN, which --variant pre gives")
#define TOWERS N_ ("it has a stack for images and one for texts, and compares their outputs")
#define AUDIO N_ ("its input is sound, read through convolutions")
#define OTHER_NAME N_ ("its blocks are the same under another name")
#define STAGES N_ ("its blocks become wider with depth and attend to windows")
#define MULTI_QUERY N_ ("its heads share keys and values")

static const NsConfigNearest nearest_table[] = {
  { "albert", "bert", "bert-base", N_ ("its blocks share one set of weights") },
  { "arctic", "llama", "llama-2-7b", HAS_EXPERTS },
  { "bamba", "llama", "llama-2-7b", HYBRID },
  { "beit", "vit", "vit-b", N_ ("its attention depends on relative positions, and its branches have LayerScale") },
  { "big_bird", "bert", "bert-base", SPARSE },
  { "blenderbot", "mbart", "transformer-base", N_ ("its encoder and its decoder differ in depth") },
  { "clip", "vit", "vit-b", TOWERS },
  { "codegen", "gptj", "gpt-j-6b", OTHER_NAME },
  { "cohere", NULL, "palm-8b", N_ ("attention and a gated FFN are parallel, and its logits have a factor") },
  { "cohere2", NULL, "palm-8b", N_ ("attention and a gated FFN are parallel, and its logits have a factor") },
  { "dbrx", "llama", "llama-2-7b", HAS_EXPERTS },
  { "deberta", "bert", "bert-base", RELATIVE },
  { "deberta-v2", "bert", "bert-base", RELATIVE },
  { "deepseek_v2", "llama", "llama-2-7b", HAS_LATENT_KEYS },
  { "deepseek_v3", "llama", "llama-2-7b", HAS_LATENT_KEYS },
  { "deepseek_v32", "llama", "llama-2-7b", HAS_LATENT_KEYS },
  { "deit", "vit", "vit-b", N_ ("it has a distillation token besides the class token") },
  { "dinov2", "vit", "vit-b", N_ ("its branches have LayerScale, which --variant layerscale gives") },
  { "electra", "bert", "bert-base", N_ ("its embedding can be narrower than its blocks") },
  { "ernie4_5_moe", "llama", "llama-2-7b", HAS_EXPERTS },
  { "falcon_h1", "llama", "llama-2-7b", HYBRID },
  { "falcon_mamba", "llama", "llama-2-7b", NO_ATTENTION },
  { "fnet", "bert", "bert-base", NO_ATTENTION },
  { "gemma3n", "gemma3_text", "gemma2-2b", N_ ("it has several residual streams and adds an embedding in each block") },
  { "glm4_moe", "llama", "llama-2-7b", HAS_EXPERTS },
  { "gpt_bigcode", "gpt2", "gpt2-small", MULTI_QUERY },
  { "gpt_neo", "gpt2", "gpt2-small", N_ ("its attention has no factor 1/√d_head, and every other block has a window") },
  { "gpt_oss", "llama", "llama-2-7b", N_ ("its FFNs are mixtures of experts, and its attention has sinks") },
  { "granite", "llama", "llama-2-7b", FACTORS },
  { "granitemoe", "llama", "llama-2-7b", HAS_EXPERTS },
  { "granitemoehybrid", "llama", "llama-2-7b", HYBRID },
  { "hubert", "bert", "bert-base", AUDIO },
  { "internlm2", "llama", "llama-2-7b", OTHER_NAME },
  { "jamba", "llama", "llama-2-7b", HYBRID },
  { "led", "bart", "transformer-base", SPARSE },
  { "lfm2", "llama", "llama-2-7b", HYBRID },
  { "longformer", "roberta", "roberta-base", SPARSE },
  { "longt5", "t5", "t5-base", SPARSE },
  { "m2m_100", "pegasus", "transformer-base", OTHER_NAME },
  { "mamba", "llama", "llama-2-7b", NO_ATTENTION },
  { "mamba2", "llama", "llama-2-7b", NO_ATTENTION },
  { "megatron-bert", "bert", "bert-base", IS_PRE_LN },
  { "minicpm", "llama", "llama-2-7b", FACTORS },
  { "minimax", "llama", "llama-2-7b", HYBRID },
  { "mllama", "llama", "llama-2-7b", N_ ("some of its blocks attend to images") },
  { "mobilebert", "bert", "bert-base", N_ ("each of its blocks has a bottleneck and several FFNs") },
  { "modernbert", "bert", "bert-base", N_ ("its blocks are Pre-LN with gated FFNs") },
  { "mpnet", "bert", "bert-base", RELATIVE },
  { "nemotron", "llama", "llama-2-7b", N_ ("its FFN squares a ReLU") },
  { "nemotron_h", "llama", "llama-2-7b", HYBRID },
  { "nllb-moe", "pegasus", "transformer-base", HAS_EXPERTS },
  { "olmo", "llama", "llama-2-7b", N_ ("its LayerNorm has neither gain nor bias") },
  { "olmo3", "olmo2", "olmo2-7b", N_ ("its blocks are the same, but some attend to a window") },
  { "olmoe", "llama", "llama-2-7b", HAS_EXPERTS },
  { "openai-gpt", "gpt2", "gpt2-small", N_ ("its blocks are Post-LN, which --variant post gives") },
  { "palm", NULL, "palm-8b", N_ ("Transformers has no class for it") },
  { "phimoe", "phi3", "llama-2-7b", HAS_EXPERTS },
  { "qwen3_next", "qwen3", "qwen3-0.6b", HYBRID },
  { "recurrent_gemma", "gemma", "gemma2-2b", HYBRID },
  { "roberta-prelayernorm", "roberta", "roberta-base", IS_PRE_LN },
  { "rwkv", "llama", "llama-2-7b", NO_ATTENTION },
  { "siglip", "vit", "vit-b", TOWERS },
  { "stablelm", "llama", "llama-2-7b", N_ ("its norms are LayerNorms, which --norm layernorm gives") },
  { "starcoder2", "gpt2", "gpt2-small", MULTI_QUERY },
  { "swin", "vit", "vit-b", STAGES },
  { "swinv2", "vit", "vit-b", STAGES },
  { "switch_transformers", "t5", "t5-base", HAS_EXPERTS },
  { "umt5", "mt5", "t5-base", N_ ("each of its blocks has relative positions of its own") },
  { "wav2vec2", "bert", "bert-base", AUDIO },
  { "whisper", "pegasus", "transformer-base", AUDIO },
  { "xglm", "opt", "gpt2-small", N_ ("its positions are sinusoidal, and its embedding has a factor") },
  { "xlm-roberta-xl", "xlm-roberta", "roberta-base", IS_PRE_LN },
  { "xlnet", "bert", "bert-base", RELATIVE },
  { "zamba", "llama", "llama-2-7b", HYBRID },
  { "zamba2", "llama", "llama-2-7b", HYBRID },
};

const NsConfigNearest *
ns_config_get_nearest (gsize *n)
{
  *n = G_N_ELEMENTS (nearest_table);
  return nearest_table;
}

/* Return TRUE if the class begins with the type, "WhisperForConditionalGeneration" with "whisper"; *length is that of
 * the common part. */
static gboolean
is_class_of_type (const char *class_name, const char *model_type, gsize *length)
{
  const char *c = class_name;

  for (const char *t = model_type; *t != '\0'; t++)
    if (*t != '_' && *t != '-')
      {
        if (g_ascii_tolower (*c) != *t)
          return FALSE;
        c++;
      }
  *length = (gsize) (c - class_name);
  return TRUE;
}

const NsConfigNearest *
ns_config_find_nearest (const char *model_type, const char *class_name)
{
  const NsConfigNearest *nearest = NULL;
  gsize longest = 0, length;

  for (gsize i = 0; i < G_N_ELEMENTS (nearest_table); i++)
    {
      if (model_type != NULL && strcmp (model_type, nearest_table[i].model_type) == 0)
        return &nearest_table[i];
      if (model_type == NULL && class_name != NULL
          && is_class_of_type (class_name, nearest_table[i].model_type, &length) && length > longest)
        {
          nearest = &nearest_table[i];
          longest = length;
        }
    }
  return nearest;
}

const char *
ns_config_guess_family (JsonObject *object)
{
  static const struct
  {
    const char *key, *family;
  } telling[] = {
    { "d_kv", "t5" },          { "encoder_layers", "pegasus" }, { "patch_size", "vit" },
    { "rms_norm_eps", "llama" }, { "n_embd", "gpt2" },          { "layer_norm_eps", "bert" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (telling); i++)
    if (ns_config_is_set (json_object_get_member (object, telling[i].key)))
      return telling[i].family;
  return NULL;
}
