/* The table of parameters: each key of an experiment, declared once.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params.h"

#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* The last integer that any JSON reader keeps. */
#define MAX_SAFE_INTEGER 9007199254740991.0

/* Order of the names = order of the enumerations in ns-settings.h. */
static const char *const stacks[] = { "single", "encoder-decoder", NULL };
static const char *const sources[] = { "gaussian", "tokens", "text", NULL };
static const char *const positions[] = { "none", "sinusoidal", "learned", NULL };
static const char *const losses[] = { "cross-entropy", "unit-gradient", NULL };
static const char *const norms[] = { "layernorm", "rmsnorm", "dyt", NULL };
static const char *const topologies[] = { "sequential", "parallel", "parallel-two-norms", NULL };
static const char *const attentions[] = { "full", "causal", "uniform", NULL };
static const char *const activations[] = { "relu", "gelu", "silu", "swiglu", "geglu", "gelu-tanh", "geglu-tanh", NULL };
static const char *const qk_norms[] = { "none", "full", "head", "qkv-head", "cosine", NULL };
static const char *const branch_parameters[] = { "none", "scalar", "vector", NULL };
static const char *const placements[] = { "none", "pre", "post", "sandwich", "branch", "pre-post", NULL };
static const char *const norm_scales[] = { "none", "layernorm-scaling", NULL };
static const char *const final_norms[] = { "auto", "on", "off", NULL };
static const char *const schemes[] = { "xavier-normal", "xavier-uniform", "lecun-normal", "kaiming-normal", "normal",
                                       "small",         "mitchell",       "t5",           "fairseq",        NULL };
static const char *const embed_scales[] = { "sqrt-d-model", NULL };
static const char *const input_scales[] = { "t-fixup", NULL };
static const char *const attention_scales[] = { "sqrt-d-head", NULL };
static const char *const residual_scales[] = { "deepnorm", "admin", "admin-constant", NULL };
static const char *const branch_scales[] = { "inverse-sqrt-depth", NULL };
static const char *const init_residuals[] = { "none", "gpt2", "deepnorm", "wang", "sub-ln", "t-fixup", "ds-init",
                                              NULL };
static const char *const init_heads[] = { "scheme", "lecun", "tied", NULL };

#define SHARED(section_, key_, field_)                                                                               \
  .section = NS_SECTION_##section_, .key = (key_), .offset = G_STRUCT_OFFSET (NsExperiment, field_)
#define VARIANT(key_, field_)                                                                                        \
  .section = NS_SECTION_VARIANT, .key = (key_), .offset = G_STRUCT_OFFSET (NsVariant, field_)
#define INTEGER(min_, max_, ui_min_, ui_max_)                                                                        \
  .type = NS_TYPE_INTEGER, .min = (min_), .max = (max_), .ui_min = (ui_min_), .ui_max = (ui_max_), .step = 1
#define NUMBER(min_, max_, ui_min_, ui_max_, step_)                                                                  \
  .type = NS_TYPE_NUMBER, .min = (min_), .max = (max_), .ui_min = (ui_min_), .ui_max = (ui_max_), .step = (step_)
#define SCALE(choices_, min_, max_, ui_min_, ui_max_, step_)                                                         \
  .type = NS_TYPE_SCALE, .choices = (choices_), .min = (min_), .max = (max_), .ui_min = (ui_min_),                   \
  .ui_max = (ui_max_), .step = (step_)
#define CHOICE(choices_)                                                                                             \
  .type = NS_TYPE_CHOICE, .choices = (choices_), .min = 0, .max = G_N_ELEMENTS (choices_) - 2, .ui_min = 0,          \
  .ui_max = G_N_ELEMENTS (choices_) - 2, .step = 1
#define BOOLEAN .type = NS_TYPE_BOOLEAN, .min = 0, .max = 1, .ui_min = 0, .ui_max = 1, .step = 1
#define STRING .type = NS_TYPE_STRING

static const NsParam table[] = {
  { SHARED (SHAPE, "stack", shape.stack), CHOICE (stacks), .fallback = NS_STACK_SINGLE, .label = N_ ("Stack"),
    .help = N_ ("How the blocks are stacked: one stack of them, or an encoder and a decoder") },
  { SHARED (SHAPE, "depth", shape.depth), INTEGER (1, 65536, 1, 1024), .logarithmic = TRUE, .fallback = 24,
    .unit = N_ ("blocks"), .label = N_ ("Depth"), .help = N_ ("Number of transformer blocks, L") },
  { SHARED (SHAPE, "d_model", shape.d_model), INTEGER (1, 65536, 8, 2048), .logarithmic = TRUE, .fallback = 128,
    .unit = N_ ("features"), .label = N_ ("Model width"),
    .help = N_ ("Features of each token in the residual stream, d") },
  { SHARED (SHAPE, "heads", shape.heads), INTEGER (1, 4096, 1, 64), .fallback = 4, .unit = N_ ("heads"),
    .label = N_ ("Attention heads"),
    .help = N_ ("Number of attention heads, h; it divides the model width unless a head has a width of its own") },
  { SHARED (SHAPE, "d_ff", shape.d_ff), INTEGER (1, 1048576, 8, 8192), .logarithmic = TRUE, .fallback = 512,
    .unit = N_ ("features"), .label = N_ ("FFN width"),
    .help = N_ ("Hidden features of the feed-forward network, f; for a gated one the width of one of its halves") },
  { SHARED (SHAPE, "seq_len", shape.seq_len), INTEGER (1, 65536, 1, 1024), .logarithmic = TRUE, .fallback = 32,
    .unit = N_ ("tokens"), .label = N_ ("Sequence length"), .help = N_ ("Tokens in each sequence, T") },
  { SHARED (SHAPE, "batch", shape.batch), INTEGER (1, 65536, 1, 64), .logarithmic = TRUE, .fallback = 2,
    .unit = N_ ("sequences"), .label = N_ ("Batch size"), .help = N_ ("Sequences in the batch, B") },
  { SHARED (SHAPE, "vocab", shape.vocab), INTEGER (2, 1048576, 2, 65536), .logarithmic = TRUE, .fallback = 256,
    .unit = N_ ("tokens"), .label = N_ ("Vocabulary"),
    .help = N_ ("Number of different tokens, V: the rows of the embedding and the classes of the head") },

  { SHARED (SHAPE, "kv_heads", shape.kv_heads), INTEGER (1, 4096, 1, 64), .nullable = TRUE, .unit = N_ ("heads"),
    .label = N_ ("Key and value heads"),
    .help = N_ ("Heads of keys and values, each shared by a group of query heads (grouped-query attention); by default "
                "as many as there are heads") },
  { SHARED (SHAPE, "d_head", shape.d_head), INTEGER (1, 65536, 1, 256), .nullable = TRUE, .unit = N_ ("features"),
    .label = N_ ("Head width"),
    .help = N_ ("Features of one attention head; by default the model width over the heads") },

  { SHARED (DATA, "source", data.source), CHOICE (sources), .fallback = NS_SOURCE_GAUSSIAN, .label = N_ ("Input"),
    .help = N_ ("Where the input comes from: Gaussian vectors, random tokens, or the bytes of a text") },
  { SHARED (DATA, "embed_std", data.embed_std), NUMBER (0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Embedding deviation"),
    .help = N_ ("Standard deviation of the token embeddings and of learned positions") },
  { SHARED (DATA, "embed_scale", data.embed_scale), SCALE (embed_scales, 0, 1e6, 0, 64, 0.1), .fallback = 1,
    .label = N_ ("Embedding scale"),
    .help = N_ ("Factor on the token embeddings, before positions are added; sqrt-d-model is the root of the model "
                "width") },
  { SHARED (DATA, "positions", data.positions), CHOICE (positions), .fallback = NS_POSITIONS_NONE,
    .label = N_ ("Positions"), .help = N_ ("Position vectors added to the token embeddings") },
  { SHARED (DATA, "text", data.text), STRING, .nullable = TRUE, .label = N_ ("Text"),
    .help = N_ ("The text whose bytes are the tokens when the input is a text; null is the sample text") },

  { SHARED (TOP, "loss", loss), CHOICE (losses), .fallback = NS_LOSS_CROSS_ENTROPY, .label = N_ ("Loss"),
    .help = N_ ("Cross-entropy after a linear head, or a random gradient of norm 1 at the stack's output") },

  { SHARED (SAMPLING, "seed", sampling.seed), INTEGER (0, MAX_SAFE_INTEGER, 0, MAX_SAFE_INTEGER), .fallback = 0,
    .label = N_ ("First seed"), .help = N_ ("Seed of the first random draw; the draws after it count up from here") },
  { SHARED (SAMPLING, "seeds", sampling.seeds), INTEGER (1, 10000, 1, 64), .logarithmic = TRUE, .fallback = 8,
    .unit = N_ ("draws"), .label = N_ ("Seeds"),
    .help = N_ ("How many random draws of weights and input the statistics are taken over") },

  { VARIANT ("name", name), STRING, .label = N_ ("Name"),
    .help = N_ ("Name of the variant, its own in the experiment") },
  { VARIANT ("norm", norm), CHOICE (norms), .fallback = NS_NORM_LAYERNORM, .label = N_ ("Norm"),
    .help = N_ ("Kind of the normalization: LayerNorm, RMSNorm, which does not subtract the mean, or DyT, a tanh in "
                "place of a norm") },
  { VARIANT ("norm_eps", norm_eps), NUMBER (0, 1, 0, 1e-3, 1e-6), .fallback = 1e-5, .label = N_ ("Norm epsilon"),
    .help = N_ ("What the norms add to the variance, or the mean square, before the root") },
  { VARIANT ("dyt_alpha", dyt_alpha), NUMBER (0, 1e3, 0, 2, 0.05), .fallback = 0.5, .label = N_ ("DyT alpha"),
    .help = N_ ("Factor before the tanh of DyT, which stands in place of a norm") },
  { VARIANT ("branch_norm_gain", branch_norm_gain), NUMBER (0, 1e3, 0, 1, 0.01), .fallback = 1,
    .label = N_ ("Branch norm gain"),
    .help = N_ ("Initial gain of the norms on the branches; 0 makes each block the identity (Swin Transformer V2)") },
  { VARIANT ("topology", topology), CHOICE (topologies), .fallback = NS_TOPOLOGY_SEQUENTIAL,
    .label = N_ ("Topology"),
    .help = N_ ("Attention and then FFN, or both in parallel from one shared norm (GPT-J, PaLM) or from a norm for "
                "each (GPT-NeoX)") },
  { VARIANT ("attention", attention), CHOICE (attentions), .fallback = NS_ATTENTION_FULL, .label = N_ ("Attention"),
    .help = N_ ("Every token sees all, only itself and those before it, or all with the same weight (W_Q = W_K = 0)") },
  { VARIANT ("attention_output", attention_output), BOOLEAN, .fallback = TRUE, .label = N_ ("Output projection"),
    .help = N_ ("Whether the attention ends in a matrix W_O") },
  { VARIANT ("attention_scale", attention_scale), SCALE (attention_scales, 0, 1e3, 0, 1, 0.01),
    .fallback = 1, .fallback_rule = NS_ATTENTION_SCALE_SQRT_D_HEAD, .label = N_ ("Attention scale"),
    .help = N_ ("Factor on the products of queries and keys; sqrt-d-head is one over the root of the head width") },
  { VARIANT ("qk_norm", qk_norm), CHOICE (qk_norms), .fallback = NS_QK_NORM_NONE, .label = N_ ("QK-norm"),
    .help = N_ ("Norm on queries and keys: over all their features (full), over those of each head (head), likewise on "
                "values (qkv-head), or their cosine times 10 in place of the product (cosine)") },
  { VARIANT ("activation", activation), CHOICE (activations), .fallback = NS_ACT_RELU, .label = N_ ("Activation"),
    .help = N_ ("Non-linearity of the FFN; SwiGLU and GEGLU are gated by a third matrix W_3; -tanh is the "
                "approximation of GELU by tanh") },
  { VARIANT ("bias", bias), BOOLEAN, .fallback = FALSE, .label = N_ ("Biases"),
    .help = N_ ("Whether linear maps and LayerNorms have a bias; all start at 0") },
  { VARIANT ("attn.norm", attn.norm), CHOICE (placements), .fallback = NS_PLACE_PRE,
    .label = N_ ("Attention norm"),
    .help = N_ ("Where the attention has norms: before it (pre), after the add (post), on the branch, before it and "
                "on the branch (sandwich), before it and after the add (pre-post)") },
  { VARIANT ("attn.residual", attn.residual), BOOLEAN, .fallback = TRUE, .label = N_ ("Attention residual"),
    .help = N_ ("Whether the attention's input is added to its output, in every block of both parts") },
  { VARIANT ("attn.inner_norm", attn.inner_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("Attention inner norm"),
    .help = N_ ("Whether a norm stands before the attention's output projection (Sub-LN)") },
  { VARIANT ("cross.norm", cross.norm), CHOICE (placements), .nullable = TRUE, .implied = TRUE,
    .fallback = NS_NULL_CHOICE, .label = N_ ("Cross-attention norm"),
    .help = N_ ("Where the decoder's cross-attention has norms; by default where the attention has them") },
  { VARIANT ("cross.residual", cross.residual), BOOLEAN, .nullable = TRUE, .implied = TRUE, .fallback = NS_NULL_CHOICE,
    .label = N_ ("Cross-attention residual"),
    .help = N_ ("Whether the cross-attention's input is added to its output; by default as with the attention") },
  { VARIANT ("cross.inner_norm", cross.inner_norm), BOOLEAN, .nullable = TRUE, .implied = TRUE,
    .fallback = NS_NULL_CHOICE, .label = N_ ("Cross-attention inner norm"),
    .help = N_ ("Whether a norm stands before the cross-attention's output projection; by default as with the "
                "attention") },
  { VARIANT ("ffn.norm", ffn.norm), CHOICE (placements), .fallback = NS_PLACE_PRE, .label = N_ ("FFN norm"),
    .help = N_ ("Where the FFN has norms: before it (pre), after the add (post), on the branch, before it and on the "
                "branch (sandwich), before it and after the add (pre-post)") },
  { VARIANT ("ffn.residual", ffn.residual), BOOLEAN, .fallback = TRUE, .label = N_ ("FFN residual"),
    .help = N_ ("Whether the FFN's input is added to its output, in every block of both parts") },
  { VARIANT ("ffn.inner_norm", ffn.inner_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("FFN inner norm"),
    .help = N_ ("Whether a norm stands before the FFN's last matrix (Sub-LN, NormFormer)") },
  { VARIANT ("post_fraction", post_fraction), NUMBER (0, 1, 0, 1, 0.01), .nullable = TRUE, .fallback = NAN,
    .label = N_ ("Post-LN share"),
    .help = N_ ("Share of the blocks, from the bottom, that are Post-LN while the others are Pre-LN (Mix-LN); null "
                "leaves the norms where attention and FFN have them") },
  { VARIANT ("norm_scale", norm_scale), CHOICE (norm_scales), .fallback = NS_NORM_SCALE_NONE,
    .label = N_ ("Norm scale"),
    .help = N_ ("Factor after the norm before a sub-layer: none, or one over the root of the block's number") },
  { VARIANT ("residual_scale", residual_scale), SCALE (residual_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Residual scale"),
    .help = N_ ("Factor on the residual connection; deepnorm is the fourth root of twice the depth, admin and "
                "admin-constant grow with the number of sub-layers") },
  { VARIANT ("branch_scale", branch_scale), SCALE (branch_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Branch scale"),
    .help = N_ ("Factor on what each sub-layer adds; inverse-sqrt-depth is one over the root of the depth") },
  { VARIANT ("branch_parameter", branch_parameter), CHOICE (branch_parameters), .fallback = NS_BRANCH_PARAMETER_NONE,
    .label = N_ ("Learned branch scale"),
    .help = N_ ("Whether the branch scale is a parameter with a gradient: one number (ReZero, SkipInit) or one for "
                "each feature (LayerScale)") },
  { VARIANT ("block_residual", block_residual), BOOLEAN, .fallback = FALSE, .label = N_ ("Block residual"),
    .help = N_ ("Whether the block's input is added once more before the block's last norm (B2T)") },
  { VARIANT ("dual_residual", dual_residual), BOOLEAN, .fallback = FALSE, .label = N_ ("Dual residual"),
    .help = N_ ("Whether what the sub-layers add also goes into a second stream without norms, which joins at the end "
                "(ResiDual)") },
  { VARIANT ("input_scale", input_scale), SCALE (input_scales, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .label = N_ ("Input scale"),
    .help = N_ ("Factor on the stack's input; t-fixup is one over the fourth root of nine times the depth") },
  { VARIANT ("input_norm", input_norm), BOOLEAN, .fallback = FALSE, .label = N_ ("Input norm"),
    .help = N_ ("Whether a norm stands between the embedding and the first block (BERT)") },
  { VARIANT ("final_norm", final_norm), CHOICE (final_norms), .fallback = NS_FINAL_NORM_AUTO,
    .label = N_ ("Final norm"),
    .help = N_ ("Norm between the last block and the head; auto is on unless the last block ends in a norm") },
  { VARIANT ("init.scheme", init.scheme), CHOICE (schemes), .fallback = NS_INIT_XAVIER_NORMAL,
    .label = N_ ("Initialization"), .help = N_ ("Distribution that the weights are drawn from") },
  { VARIANT ("init.std", init.std), NUMBER (0, 1e6, 0, 1, 0.001), .fallback = 0.02, .label = N_ ("Deviation"),
    .help = N_ ("Standard deviation of the weights when the initialization is normal") },
  { VARIANT ("init.residual", init.residual), SCALE (init_residuals, 0, 1e6, 0, 4, 0.01), .fallback = 1,
    .fallback_rule = NS_INIT_RESIDUAL_NONE, .label = N_ ("Residual initialization"),
    .help = N_ ("Factor on the last matrix of each branch: none, gpt2 (one over the root of twice the depth), wang (a "
                "deviation of its own) or a number; deepnorm, sub-ln and t-fixup scale all but the queries and keys, "
                "ds-init every matrix") },
  { VARIANT ("init.head", init.head), SCALE (init_heads, 0, 1e6, 0, 1, 0.001), .fallback = 0.02,
    .fallback_rule = NS_INIT_HEAD_SCHEME, .label = N_ ("Head initialization"),
    .help = N_ ("Weights of the output projection: scheme (as the blocks), lecun (normal, deviation one over the root of "
                "the model width), tied (the embedding's matrix), or the deviation of normal ones") },
};

const NsParam *
ns_params (gsize *n)
{
  if (n != NULL)
    *n = G_N_ELEMENTS (table);
  return table;
}

static const char *
section_prefix (NsSection section)
{
  switch (section)
    {
    case NS_SECTION_SHAPE:
      return "shape.";
    case NS_SECTION_DATA:
      return "data.";
    case NS_SECTION_SAMPLING:
      return "sampling.";
    case NS_SECTION_TOP:
    case NS_SECTION_VARIANT:
      break;
    }
  return "";
}

const NsParam *
ns_param_find (const char *path)
{
  g_return_val_if_fail (path != NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const char *prefix = section_prefix (table[i].section);
      gsize length = strlen (prefix);

      if (strncmp (path, prefix, length) == 0 && strcmp (path + length, table[i].key) == 0)
        return &table[i];
    }
  return NULL;
}

const char *
ns_param_get_path (const NsParam *param)
{
  const char *prefix = section_prefix (param->section);

  if (*prefix == '\0')
    return param->key;

  g_autofree char *path = g_strconcat (prefix, param->key, NULL);
  return g_intern_string (path);
}

char *
ns_param_dup_allowed (const NsParam *param)
{
  g_autofree char *min = ns_dup_number (param->min);
  g_autofree char *max = ns_dup_number (param->max);
  g_autofree char *names = param->choices != NULL ? g_strjoinv (", ", (char **) param->choices) : NULL;
  g_autofree char *allowed = NULL;

  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      allowed = g_strdup_printf (_ ("a whole number from %s to %s"), min, max);
      break;
    case NS_TYPE_NUMBER:
      allowed = g_strdup_printf (_ ("a number from %s to %s"), min, max);
      break;
    case NS_TYPE_BOOLEAN:
      allowed = g_strdup (_ ("true or false"));
      break;
    case NS_TYPE_CHOICE:
      allowed = g_strdup_printf (_ ("one of %s"), names);
      break;
    case NS_TYPE_SCALE:
      allowed = g_strdup_printf (_ ("a number from %s to %s, or %s"), min, max, names);
      break;
    case NS_TYPE_STRING:
      allowed = g_strdup (_ ("a text in UTF-8 that is not empty"));
      break;
    default:
      g_assert_not_reached ();
    }
  return param->nullable ? g_strdup_printf (_ ("%s, or null"), allowed) : g_steal_pointer (&allowed);
}
