/* Test validation, copies and equality of experiments.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "settings.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define REFUSED(experiment_, ...)                                                                                    \
  G_STMT_START                                                                                                       \
  {                                                                                                                  \
    g_autoptr (GError) refused_error = NULL;                                                                         \
    g_assert_false (ns_experiment_validate ((experiment_), &refused_error));                                         \
    MENTIONS (refused_error, __VA_ARGS__);                                                                           \
  }                                                                                                                  \
  G_STMT_END
#define ACCEPTED(experiment_)                                                                                        \
  G_STMT_START                                                                                                       \
  {                                                                                                                  \
    GError *accepted_error = NULL;                                                                                   \
    ns_experiment_validate ((experiment_), &accepted_error);                                                         \
    g_assert_no_error (accepted_error);                                                                              \
  }                                                                                                                  \
  G_STMT_END

static void
test_heads (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  ACCEPTED (experiment);
  set (experiment, "shape.heads", "3");
  REFUSED (experiment, "shape.heads: 3 does not divide shape.d_model = 128", "allowed: 1, 2, 4, 8, 16, 32, 64, 128");
  set (experiment, "shape.d_model", "5040");
  set (experiment, "shape.heads", "11");
  REFUSED (experiment, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, …");
  set (experiment, "shape.d_model", "7");
  set (experiment, "shape.heads", "7");
  ACCEPTED (experiment);
}

static void
test_grouped_heads (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "shape.heads", "8");
  set (experiment, "shape.kv_heads", "3");
  REFUSED (experiment, "shape.kv_heads: 3 does not divide shape.heads = 8; allowed: 1, 2, 4, 8");
  set (experiment, "shape.kv_heads", "16");
  REFUSED (experiment, "shape.kv_heads: 16 does not divide shape.heads = 8; allowed: 1, 2, 4, 8");
  set (experiment, "shape.kv_heads", "2");
  ACCEPTED (experiment);
  /* with d_head set, heads need not divide d_model */
  set (experiment, "shape.heads", "6");
  REFUSED (experiment, "shape.heads: 6 does not divide shape.d_model = 128");
  set (experiment, "shape.d_head", "40");
  ACCEPTED (experiment);
  set (experiment, "shape.kv_heads", "4");
  REFUSED (experiment, "shape.kv_heads: 4 does not divide shape.heads = 6; allowed: 1, 2, 3, 6");
}

/* Settings that are each valid but conflict. `pair`: in an encoder-decoder. */
static void
test_together (void)
{
  static const struct
  {
    const char *settings[8]; /* key, value, …, NULL */
    gboolean pair;
    const char *needles[4];  /* none: valid */
  } cases[] = {
    { { "topology", "parallel" }, TRUE,
      { "variants[0].topology: parallel is not allowed when shape.stack = encoder-decoder", "allowed: sequential" } },
    { { "topology", "parallel-two-norms" }, TRUE,
      { "variants[0].topology: parallel-two-norms is not allowed", "allowed: sequential" } },
    { { "topology", "parallel-two-norms" }, FALSE, { NULL } },
    { { "topology", "parallel", "block_residual", "on" }, FALSE,
      { "variants[0].block_residual: true is not allowed when the topology is parallel", "allowed: false" } },
    { { "streams", "4", "topology", "parallel" }, FALSE,
      { "variants[0].streams: 4 is not allowed when the topology is parallel", "allowed: null, or topology" } },
    { { "streams", "4", "block_residual", "on" }, FALSE,
      { "variants[0].streams: 4 is not allowed when block_residual = true", "allowed: null" } },
    { { "streams", "2", "dual_residual", "on" }, FALSE,
      { "variants[0].streams: 2 is not allowed when dual_residual = true", "allowed: null" } },
    { { "streams", "2", "attn.norm", "post" }, FALSE,
      { "variants[0].streams: 2 is not allowed with a norm after an addition", "none, pre, branch and sandwich" } },
    { { "streams", "2", "post_fraction", "0.5" }, FALSE,
      { "variants[0].streams: 2 is not allowed with a norm after an addition", "allowed: null" } },
    { { "streams", "2", "ffn.residual", "off" }, FALSE,
      { "variants[0].streams: 2 is not allowed without a residual", "ffn.residual = true" } },
    { { "streams", "2", "residual_scale", "deepnorm" }, FALSE,
      { "variants[0].streams: 2 is not allowed with a scale on the residual", "residual_scale = 1" } },
    { { "streams", "2", "init.mup_base", "32" }, FALSE,
      { "variants[0].streams: 2 is not allowed with μP", "init.mup_base = null" } },
    { { "streams", "4" }, TRUE,
      { "variants[0].streams: 4 is not allowed when shape.stack = encoder-decoder", "shape.stack = single" } },
    { { "streams", "1", "attn.norm", "sandwich" }, FALSE, { NULL } },
    { { "topology", "parallel-two-norms", "dual_residual", "on" }, FALSE,
      { "variants[0].dual_residual: true is not allowed when the topology is parallel", "allowed: false" } },
    { { "block_residual", "on", "dual_residual", "on" }, TRUE, { NULL } },
    { { "qk_norm", "full", "attention", "uniform" }, FALSE,
      { "variants[0].qk_norm: full is not allowed when attention = uniform", "allowed: none" } },
    { { "qk_norm", "cosine", "attention", "uniform" }, TRUE, { "variants[0].qk_norm: cosine is not allowed" } },
    { { "qk_norm", "qkv-head", "attention", "causal" }, TRUE, { NULL } },
    { { "rotary", "half", "attention", "uniform" }, FALSE,
      { "variants[0].rotary: half is not allowed when attention = uniform", "allowed: none" } },
    { { "rotary", "half", "rotary_dim", "6" }, TRUE, { NULL } },
    { { "rotary", "half", "qk_norm", "head-rotary", "rotary_skip_every", "4" }, TRUE, { NULL } },
    { { "rotary_skip_every", "4", "attention", "uniform" }, TRUE, { NULL } },
    { { "qk_norm", "head-rotary" }, FALSE,
      { "variants[0].qk_norm: head-rotary is not allowed when rotary = none", "allowed: none, full, head" } },
    { { "rotary", "half", "qk_norm", "head-rotary", "rotary_scaling", "yarn" }, TRUE,
      { "variants[0].qk_norm: head-rotary is not allowed when rotary_scaling = yarn", "allowed: none, full, head" } },
    { { "rotary", "half", "qk_norm", "head-rotary", "rotary_scaling", "longrope" }, TRUE,
      { "variants[0].qk_norm: head-rotary is not allowed when rotary_scaling = longrope", "allowed: none, full" } },
    { { "rotary", "half", "rotary_scaling", "longrope", "rotary_original", "1" }, FALSE,
      { "variants[0].rotary_original: 1 is not allowed when rotary_scaling = longrope", "allowed: 2 or more" } },
    { { "rotary", "half", "rotary_scaling", "longrope", "rotary_original", "1", "rotary_attention_factor", "1" },
      FALSE,
      { NULL } },
    { { "rotary", "half", "rotary_scaling", "longrope", "rotary_dim", "6", "rotary_short_factors", "1 2 3" },
      FALSE,
      { NULL } },
    { { "rotary", "half", "rotary_scaling", "longrope", "rotary_dim", "6", "rotary_long_factors", "1 2" },
      FALSE,
      { "variants[0].rotary_long_factors: a length of 2 is not allowed", "allowed: 3, one number for each pair" } },
    { { "rotary", "half", "rotary_scaling", "yarn", "rotary_long_factors", "1 2" }, FALSE, { NULL } },
    { { "rotary", "none", "rotary_dim", "7", "rotary_low", "9" }, TRUE, { NULL } },
    { { "rotary", "half", "rotary_dim", "7" }, FALSE,
      { "variants[0].rotary_dim: 7 is not allowed with heads of 32 features", "allowed: an even number", "or null" } },
    { { "rotary", "interleaved", "rotary_dim", "34" }, TRUE, { "variants[0].rotary_dim: 34 is not allowed" } },
    { { "rotary", "half", "rotary_scaling", "llama3", "rotary_low", "4" }, FALSE, { NULL } },
    { { "rotary", "half", "rotary_scaling", "yarn", "rotary_low", "32" }, FALSE,
      { "variants[0].rotary_low: 32 is not below the high turns, 32", "allowed: a smaller number" } },
    { { "rotary", "half", "rotary_scaling", "llama3", "rotary_low", "5" }, FALSE,
      { "variants[0].rotary_low: 5 is not below the high turns, 4", "allowed: a smaller number" } },
    { { "rotary", "half", "rotary_scaling", "yarn", "rotary_low", "4" }, FALSE, { NULL } },
    { { "position_bias", "alibi", "attention", "uniform" }, FALSE,
      { "variants[0].position_bias: alibi is not allowed when attention = uniform", "allowed: none" } },
    { { "position_bias", "alibi", "attention", "causal" }, TRUE, { NULL } },
    { { "position_bias", "alibi-scaled", "attention", "uniform" }, FALSE, { "position_bias: alibi-scaled is not" } },
    { { "position_bias", "alibi-scaled", "qk_norm", "cosine" }, TRUE, { NULL } },
    { { "ngpt", "true", "bias", "true" }, FALSE,
      { "variants[0].bias: true is not allowed when ngpt = true", "allowed: false" } },
    { { "ngpt", "true", "branch_scale", "1.5" }, FALSE,
      { "variants[0].branch_scale: 1.5 is not allowed when ngpt = true", "allowed: above 0, up to 1" } },
    { { "ngpt", "true", "branch_scale", "0" }, FALSE, { "variants[0].branch_scale: 0 is not allowed" } },
    { { "ngpt", "true", "attention", "uniform" }, FALSE,
      { "variants[0].attention: uniform is not allowed when ngpt = true", "allowed: full or causal" } },
    { { "ngpt", "true", "final_norm", "on" }, FALSE, { "variants[0].final_norm: on is not", "auto or off" } },
    { { "ngpt", "true", "init.head", "lecun" }, FALSE, { "variants[0].init.head: lecun is not", "scheme or tied" } },
    { { "ngpt", "true", "qk_norm", "head" }, FALSE, { "variants[0].qk_norm: head is not", "allowed: none" } },
    { { "ngpt", "true", "rotary", "half", "rotary_scaling", "longrope" }, FALSE,
      { "variants[0].rotary_scaling: longrope is not allowed when ngpt = true" } },
    { { "ngpt", "true", "rotary", "half", "rotary_scaling", "yarn" }, FALSE,
      { "variants[0].rotary_scaling: yarn is not allowed when ngpt = true" } },
    { { "ngpt", "true", "shape.kv_heads", "2" }, FALSE, { "variants[0].ngpt: true is not", "shape.kv_heads" } },
    { { "ngpt", "true", "data.positions", "learned" }, FALSE, { "variants[0].ngpt: true is not", "positions" } },
    { { "ngpt", "true", "attn.norm", "post" }, TRUE, { "variants[0].ngpt: true is not allowed when shape.stack" } },
    { { "ngpt", "true", "attn.norm", "post", "rotary", "half" }, FALSE, { NULL } },
    { { "window", "8", "attention", "uniform" }, TRUE,
      { "variants[0].window: 8 is not allowed when attention = uniform", "allowed: null" } },
    { { "window", "8", "attention", "causal" }, FALSE, { NULL } },
    { { "window", "8", "window_full_every", "2", "window_after", "1" }, TRUE, { NULL } },
    { { "window_full_every", "6", "rotary_base_local", "500", "attention", "uniform" }, FALSE, { NULL } },
    { { "position_bias", "t5", "attention", "uniform" }, FALSE,
      { "variants[0].position_bias: t5 is not allowed when attention = uniform", "allowed: none" } },
    { { "position_bias", "t5", "position_distance", "16" }, FALSE,
      { "variants[0].position_distance: 16 is not allowed with 32 buckets", "allowed: more than half of them" } },
    { { "position_bias", "t5", "position_distance", "17" }, TRUE, { NULL } },
    { { "position_bias", "alibi", "position_distance", "16" }, TRUE, { NULL } },
    { { "experts", "4", "shared_experts", "2" }, TRUE, { NULL } },
    { { "experts", "4", "experts_per_token", "4" }, FALSE, { NULL } },
    { { "experts_per_token", "9" }, FALSE, { NULL } },
    { { "experts", "4", "experts_per_token", "5" }, FALSE,
      { "variants[0].experts_per_token: 5 is not allowed with experts = 4", "allowed: from 1 to 4" } },
    { { "experts", "8", "bias", "on" }, FALSE,
      { "variants[0].experts: 8 is not allowed with FFN biases", "allowed: null, or bias_ffn = false" } },
    { { "experts", "8", "bias", "on", "bias_ffn", "off" }, FALSE, { NULL } },
    { { "experts", "8", "ffn.inner_norm", "on" }, FALSE,
      { "variants[0].experts: 8 is not allowed when ffn.inner_norm = true" } },
    { { "experts", "8", "init.mup_base", "64" }, FALSE, { "variants[0].experts: 8 is not allowed with μP" } },
    { { "attention_output", "off", "shape.d_head", "16" }, FALSE,
      { "variants[0].attention_output: false is not allowed when shape.heads times shape.d_head is not shape.d_model",
        "allowed: true" } },
    { { "attention_output", "off", "shape.d_head", "32" }, FALSE, { NULL } },
    { { "attention_output", "off", "attn.inner_norm", "on" }, FALSE,
      { "variants[0].attn.inner_norm: true is not allowed when attention_output = false", "allowed: false" } },
    { { "attention_output", "off", "cross.inner_norm", "on" }, TRUE,
      { "variants[0].cross.inner_norm: true is not allowed when attention_output = false", "allowed: false or null" } },
    { { "attention_output", "off", "cross.inner_norm", "off", "ffn.inner_norm", "on" }, TRUE, { NULL } },
    { { "topology", "parallel-two-norms", "ffn.norm", "post" }, FALSE,
      { "variants[0].ffn.norm: post does not agree with variants[0].attn.norm = pre" } },
    { { "topology", "parallel-two-norms", "ffn.residual", "off" }, FALSE,
      { "variants[0].ffn.residual: false does not agree with variants[0].attn.residual = true" } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();
      g_autoptr (GError) error = NULL;

      experiment->shape.stack = cases[i].pair ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
      for (gsize s = 0; s < G_N_ELEMENTS (cases[i].settings) && cases[i].settings[s] != NULL; s += 2)
        set (experiment, cases[i].settings[s], cases[i].settings[s + 1]);
      if (cases[i].needles[0] == NULL)
        {
          ACCEPTED (experiment);
          continue;
        }
      g_assert_false (ns_experiment_validate (experiment, &error));
      g_test_message ("%s", error->message);
      assert_mentions (error, cases[i].needles);
      /* the second variant is checked, too */
      g_ptr_array_insert (experiment->variants, 0, ns_variant_new ("Before"));
      REFUSED (experiment, "variants[1].");
    }
}

static void
test_fields_are_checked (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *second = ns_experiment_variant (experiment, 1);

  set (experiment, "shape.stack", "encoder-decoder");
  ACCEPTED (experiment);
  experiment->shape.stack = 2;
  REFUSED (experiment, "shape.stack: 2 is not allowed; allowed: one of single, encoder-decoder");
  experiment->shape.stack = NS_STACK_SINGLE;
  second->cross.norm = -2;
  REFUSED (experiment, "variants[1].cross.norm: -2 is not allowed", "pre-post, or null");
  second->cross.norm = NS_NULL_CHOICE;
  experiment->shape.kv_heads = -1;
  REFUSED (experiment, "shape.kv_heads: -1 is not allowed", "from 1 to 4096, or null");
  experiment->shape.kv_heads = 0;
  experiment->shape.depth = 0;
  REFUSED (experiment, "shape.depth: 0 is not allowed; allowed: a whole number from 1 to 65536");
  experiment->shape.depth = 1;
  experiment->loss = 7;
  REFUSED (experiment, "loss: 7 is not allowed");
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  second->norm_eps = NAN;
  REFUSED (experiment, "variants[1].norm_eps: nan is not allowed; allowed: a number from 0 to 1");
  second->norm_eps = 0;
  second->residual_scale = (NsScale) { 0, -1 };
  REFUSED (experiment, "variants[1].residual_scale: -1 is not allowed", "deepnorm");
  second->residual_scale = (NsScale) { NS_RESIDUAL_SCALE_DEEPNORM, NAN };
  ACCEPTED (experiment);
  second->bias = 5;
  REFUSED (experiment, "variants[1].bias: 5 is not allowed; allowed: true or false");
}

static void
test_variants_count_and_names (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *second = ns_experiment_variant (experiment, 1);

  g_free (g_steal_pointer (&second->name));
  second->name = g_strdup ("Pre-LN");
  REFUSED (experiment, "variants[1].name", "\"Pre-LN\"", "variants[0]", "allowed: a name that no other variant has");
  *second->name = '\0';
  REFUSED (experiment, "variants[1].name: \"\" is not allowed");

  g_ptr_array_set_size (experiment->variants, 0);
  REFUSED (experiment, "variants: 0 variants", "from 1 to 16");
  for (guint v = 0; v < NS_MAX_VARIANTS; v++)
    {
      g_autofree char *name = g_strdup_printf ("Curve %u", v);

      g_ptr_array_add (experiment->variants, ns_variant_new (name));
      ACCEPTED (experiment);
    }
  g_ptr_array_add (experiment->variants, ns_variant_new ("One more"));
  REFUSED (experiment, "variants: 17 variants", "from 1 to 16");
}

static void
test_parallel (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "topology", "parallel");
  ACCEPTED (experiment);
  set (experiment, "ffn.norm", "sandwich");
  ACCEPTED (experiment);
  set (experiment, "ffn.norm", "pre-post");
  REFUSED (experiment, "variants[0].ffn.norm: pre-post", "variants[0].attn.norm = pre", "topology = parallel",
           ": pre, sandwich");
  set (experiment, "ffn.norm", "none");
  REFUSED (experiment, "variants[0].ffn.norm: none", "variants[0].attn.norm = pre");
  set (experiment, "post_fraction", "0.5");
  ACCEPTED (experiment);
  set (experiment, "ffn.residual", "off");
  REFUSED (experiment, "variants[0].ffn.residual: false", "variants[0].attn.residual = true", "parallel");
  set (experiment, "topology", "sequential");
  ACCEPTED (experiment);
}

static void
test_text (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "data.source", "text");
  REFUSED (experiment, "data.text: null is not allowed", "32 bytes", "UTF-8");
  experiment->data.text = g_strdup ("");
  REFUSED (experiment, "data.text: \"\" is not allowed", "non-empty");
  set (experiment, "data.text", "A text of 31 bytes, one too few");
  REFUSED (experiment, "data.text: \"A text of 31", "of 31 bytes", "shape.seq_len = 32", "at least 32 bytes");
  set (experiment, "data.text", "A text of 32 bytes, just enough.");
  ACCEPTED (experiment);
  experiment->data.text[31] = '\xc3';
  REFUSED (experiment, "data.text: \"A text of 32", "UTF-8");
  experiment->data.text[31] = '.';
  set (experiment, "shape.vocab", "512");
  REFUSED (experiment, "shape.vocab: 512 is not allowed", "data.source = text", "allowed: 256");
  set (experiment, "data.source", "tokens");
  ACCEPTED (experiment);
}

/* An encoder's vocabulary of its own is the decoder's where both read one sequence, and counts where it has a table. */
static void
test_encoder_vocab (void)
{
  static const gint32 tokens[] = { 3, 19, 20 };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "shape.encoder_vocab", "20");
  set (experiment, "data.source", "markov");
  ACCEPTED (experiment);
  set (experiment, "shape.stack", "encoder-decoder");
  REFUSED (experiment, "shape.encoder_vocab: 20 is not allowed", "data.source = markov", "shape.vocab = 256");
  set (experiment, "shape.encoder_vocab", "256");
  ACCEPTED (experiment);
  set (experiment, "shape.encoder_vocab", "20");
  set (experiment, "data.source", "gaussian");
  ACCEPTED (experiment);
  set (experiment, "data.source", "tokens");
  ACCEPTED (experiment);
  set (experiment, "data.task", "reversal");
  REFUSED (experiment, "shape.encoder_vocab: 20 is not allowed", "data.task = reversal", "shape.vocab = 256");
  set (experiment, "data.task", "continuation");
  experiment->data.ids = g_bytes_new_static (tokens, sizeof tokens);
  REFUSED (experiment, "shape.encoder_vocab: id 20 of token 2", "from 0 to 19");
  set (experiment, "shape.encoder_vocab", "21");
  ACCEPTED (experiment);
  set (experiment, "shape.vocab", "20");
  REFUSED (experiment, "shape.vocab: id 20 of token 2", "from 0 to 19");
  ns_shape_set_vocab (&experiment->shape, 30);
  g_assert_cmpint (experiment->shape.encoder_vocab, ==, 30);
  ACCEPTED (experiment);
}

/* Each kind of error carries the invalid key and those that it conflicts with. */
static void
test_error_keys (void)
{
  const struct
  {
    const char *settings; /* for the experiment and its first variant */
    const char *key;
    const char *involved; /* separated by spaces */
    const char *other;    /* a key that the error does not involve */
  } bad[] = {
    { "shape.heads=5", "shape.heads", "shape.heads shape.d_model", "shape.kv_heads" },
    { "shape.kv_heads=3", "shape.kv_heads", "shape.kv_heads shape.heads", "shape.d_model" },
    { "data.source=text", "data.text", "data.text data.source shape.seq_len", "shape.vocab" },
    { "sampling.estimate=expected", "sampling.estimate", "sampling.estimate sampling.batches", "sampling.seeds" },
    { "data.source=text data.text=short", "data.text", "data.text shape.seq_len", "shape.vocab" },
    { "shape.seq_len=5 data.source=text data.text=short shape.vocab=99", "shape.vocab", "shape.vocab data.source",
      "data.text" },
    { "shape.stack=encoder-decoder shape.encoder_vocab=9 data.source=markov", "shape.encoder_vocab",
      "shape.encoder_vocab shape.vocab data.source", "data.task" },
    { "topology=parallel ffn.residual=false", "variants[0].ffn.residual", "ffn.residual attn.residual topology",
      "cross.residual" },
    { "topology=parallel ffn.norm=post", "variants[0].ffn.norm", "ffn.norm attn.norm topology", "norm" },
    { "topology=parallel shape.stack=encoder-decoder", "variants[0].topology", "topology shape.stack", "attn.norm" },
    { "topology=parallel block_residual=true", "variants[0].block_residual", "block_residual topology",
      "dual_residual" },
    { "topology=parallel dual_residual=true", "variants[0].dual_residual", "dual_residual topology",
      "block_residual" },
    { "init.head=tied", "variants[0].init.head", "init.head data.source", "norm" },
    { "data.source=tokens init.head=tied init.mup_base=8", "variants[0].init.head", "init.head init.mup_base", "norm" },
    { "qk_norm=head attention=uniform", "variants[0].qk_norm", "qk_norm attention", "norm" },
    { "rotary=half attention=uniform", "variants[0].rotary", "rotary attention", "qk_norm" },
    { "rotary=half rotary_dim=3", "variants[0].rotary_dim", "rotary_dim shape.d_head shape.heads shape.d_model",
      "rotary" },
    { "rotary=half rotary_scaling=llama3 rotary_low=9", "variants[0].rotary_low",
      "rotary_low rotary_high rotary_scaling", "rotary_base" },
    { "position_bias=alibi attention=uniform", "variants[0].position_bias", "position_bias attention", "rotary" },
    { "window=8 attention=uniform", "variants[0].window", "window attention", "window_after" },
    { "experts=2 experts_per_token=3", "variants[0].experts_per_token", "experts_per_token experts", "bias" },
    { "experts=2 bias_ffn=true", "variants[0].experts", "experts bias_ffn bias", "experts_per_token" },
    { "experts=2 ffn.inner_norm=true", "variants[0].experts", "experts ffn.inner_norm", "bias" },
    { "experts=2 init.mup_base=8", "variants[0].experts", "experts init.mup_base", "bias" },
    { "attention_output=false shape.d_head=8", "variants[0].attention_output",
      "attention_output shape.heads shape.d_head shape.d_model", "attention" },
    { "attention_output=false attn.inner_norm=true", "variants[0].attn.inner_norm", "attn.inner_norm attention_output",
      "ffn.inner_norm" },
    { "attention_output=false cross.inner_norm=true", "variants[0].cross.inner_norm",
      "cross.inner_norm attention_output", "attn.inner_norm" },
    { "name=Post-LN", "variants[1].name", "name", "norm" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();
      g_auto (GStrv) settings = g_strsplit (bad[i].settings, " ", -1);
      g_auto (GStrv) involved = g_strsplit (bad[i].involved, " ", -1);
      g_autoptr (GError) error = NULL;

      for (char **setting = settings; *setting != NULL; setting++)
        {
          g_auto (GStrv) parts = g_strsplit (*setting, "=", 2);

          set (experiment, parts[0], parts[1]);
        }
      g_assert_false (ns_experiment_validate (experiment, &error));
      g_test_message ("%s", error->message);
      g_assert_cmpstr (ns_experiment_error_get_key (error), ==, bad[i].key);
      for (char **path = involved; *path != NULL; path++)
        g_assert_true (ns_experiment_error_involves (error, *path));
      g_assert_false (ns_experiment_error_involves (error, bad[i].other));
    }
}

static void
test_error_copies (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (GError) error = NULL, other = NULL;

  set (experiment, "shape.heads", "5");
  g_assert_false (ns_experiment_validate (experiment, &error));
  other = g_error_copy (error);
  g_clear_error (&error);
  g_prefix_error (&other, "experiment.json: ");
  g_assert_cmpstr (ns_experiment_error_get_key (other), ==, "shape.heads");
  g_assert_true (ns_experiment_error_involves (other, "shape.d_model"));

  /* Errors without a key, and errors of other domains. */
  g_assert_null (ns_experiment_error_get_key (NULL));
  g_assert_false (ns_experiment_error_involves (NULL, "shape.heads"));
  error = g_error_new_literal (G_CONVERT_ERROR, G_CONVERT_ERROR_FAILED, "shape.heads");
  g_assert_null (ns_experiment_error_get_key (error));
  g_assert_false (ns_experiment_error_involves (error, "shape.heads"));
  g_clear_error (&error);
  g_set_error_literal (&error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE, "shape.heads");
  g_assert_null (ns_experiment_error_get_key (error));
  g_assert_false (ns_experiment_error_involves (error, "shape.heads"));
}

static void
test_copies (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  set (experiment, "data.text", "Owned by one");
  set (experiment, "residual_scale", "deepnorm");

  g_autoptr (NsExperiment) copy = ns_experiment_copy (experiment);
  g_assert_true (ns_experiment_equal (experiment, copy));
  g_assert_true (experiment->data.text != copy->data.text);
  g_assert_true (ns_experiment_variant (experiment, 0)->name != ns_experiment_variant (copy, 0)->name);

  /* The number is ignored while a rule is set. */
  ns_experiment_variant (copy, 0)->residual_scale.number = 7;
  g_assert_true (ns_experiment_equal (experiment, copy));
  ns_experiment_variant (copy, 0)->post_fraction = 0.5;
  g_assert_false (ns_experiment_equal (experiment, copy));
  ns_experiment_variant (copy, 0)->post_fraction = NAN;
  g_assert_true (ns_experiment_equal (experiment, copy));
  g_ptr_array_set_size (copy->variants, 1);
  g_assert_false (ns_experiment_equal (experiment, copy));
  g_assert_false (ns_experiment_equal (copy, experiment));
}

/* With fewer pairs each has the factors of the former pair with the same angle, or the next faster one. */
static void
test_fit_rotary (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsRotarySettings *rotary = &ns_experiment_variant (experiment, 0)->rotary;

  set (experiment, "rotary", "half");
  set (experiment, "rotary_scaling", "longrope");
  set (experiment, "rotary_dim", "12");
  set (experiment, "rotary_short_factors", "1 2 3 4 5 6");
  ACCEPTED (experiment);
  experiment->shape.d_head = 16; /* half of 32: pairs 0, 2 and 4 */
  ns_experiment_fit_rotary (experiment, 32);
  g_assert_cmpint (rotary->dim, ==, 6);
  g_assert_cmpstr (rotary->short_factors, ==, "1 3 5");
  g_assert_null (rotary->long_factors);
  ACCEPTED (experiment);
  set (experiment, "rotary_dim", "null");
  set (experiment, "rotary_long_factors", "1 2 3 4 5 6 7 8");
  set (experiment, "rotary_short_factors", "null");
  ACCEPTED (experiment);
  experiment->shape.d_head = 22;
  ns_experiment_fit_rotary (experiment, 16);
  g_assert_cmpstr (rotary->long_factors, ==, "1 1 2 3 3 4 5 6 6 7 8");
  ACCEPTED (experiment);
  experiment->shape.d_head = G_MAXINT64; /* as a sweep that is refused only after this */
  ns_experiment_fit_rotary (experiment, 22);
  g_assert_cmpstr (rotary->long_factors, ==, "1 1 2 3 3 4 5 6 6 7 8");
}

/* Return a value of the parameter other than its default. */
static const char *
other_value (const NsParam *param)
{
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      return "7";
    case NS_TYPE_NUMBER:
      return param->min > 0.25 ? "3" : "0.25";
    case NS_TYPE_BOOLEAN:
      return param->fallback == 1 ? "false" : "true";
    case NS_TYPE_CHOICE:
      return param->choices[param->fallback == 0 ? 1 : 0];
    case NS_TYPE_SCALE: /* a rule other than the default, or a number */
      return param->fallback_rule == 0 ? param->choices[0] : "0.5";
    case NS_TYPE_STRING:
      return "another text";
    case NS_TYPE_LIST:
      return "1 2.5 0.125";
    default:
      g_assert_not_reached ();
    }
}

static void
test_every_key_counts (void)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) a = ns_experiment_new ();
      g_autoptr (NsExperiment) b = ns_experiment_new ();

      g_test_message ("%s", ns_param_get_path (&params[i]));
      g_assert_true (ns_experiment_equal (a, b));
      set (a, ns_param_get_path (&params[i]), other_value (&params[i]));
      g_assert_false (ns_experiment_equal (a, b));
      g_assert_false (ns_experiment_equal (b, a));

      g_autoptr (NsExperiment) copy = ns_experiment_copy (a);
      g_assert_true (ns_experiment_equal (a, copy));

      /* No two keys share a field. */
      for (gsize j = 0; j < n; j++)
        {
          g_autofree char *in_a = ns_param_dup_text (&params[j], base_of (&params[j], a));
          g_autofree char *in_b = ns_param_dup_text (&params[j], base_of (&params[j], b));

          g_assert_cmpint (strcmp (in_a, in_b) != 0, ==, i == j);
        }
    }
}

/* Each key sets the field of its name. */
static void
test_fields (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  const char *const settings[][2] = {
    { "shape.depth", "11" },
    { "shape.d_model", "12" },
    { "shape.heads", "13" },
    { "shape.d_ff", "14" },
    { "shape.seq_len", "15" },
    { "shape.batch", "16" },
    { "shape.vocab", "17" },
    { "data.embed_std", "18" },
    { "sampling.seed", "19" },
    { "sampling.seeds", "20" },
    { "sampling.batches", "21" },
    { "sampling.estimate", "expected" },
    { "norm_eps", "0.21" },
    { "post_fraction", "0.22" },
    { "residual_scale", "23" },
    { "branch_scale", "24" },
    { "init.std", "25" },
    { "init.residual", "26" },
    { "bias", "true" },
    { "attention_output", "false" },
    { "attn.residual", "false" },
    { "ffn.residual", "true" },
    { "attn.norm", "sandwich" },
    { "ffn.norm", "branch" },
    { "loss", "unit-gradient" },
    { "data.positions", "learned" },
    { "data.token_types", "34" },
    { "data.class_token", "zero" },
    { "data.source", "tokens" },
    { "shape.kv_heads", "27" },
    { "shape.d_head", "28" },
    { "shape.stack", "encoder-decoder" },
    { "data.embed_scale", "29" },
    { "dyt_alpha", "30" },
    { "branch_norm_gain", "31" },
    { "attention_scale", "32" },
    { "input_scale", "33" },
    { "norm", "dyt" },
    { "topology", "parallel-two-norms" },
    { "activation", "geglu-tanh" },
    { "qk_norm", "qkv-head" },
    { "branch_parameter", "vector" },
    { "init.scheme", "fairseq" },
    { "attn.inner_norm", "true" },
    { "cross.norm", "post" },
    { "cross.residual", "false" },
    { "cross.inner_norm", "true" },
    { "ffn.inner_norm", "false" },
    { "block_residual", "true" },
    { "dual_residual", "false" },
    { "ngpt", "true" },
    { "input_norm", "true" },
  };
  const struct
  {
    const char *key, *choice;
    int rule;
  } rules[] = {
    { "residual_scale", "deepnorm", NS_RESIDUAL_SCALE_DEEPNORM },
    { "residual_scale", "admin", NS_RESIDUAL_SCALE_ADMIN },
    { "residual_scale", "admin-constant", NS_RESIDUAL_SCALE_ADMIN_CONSTANT },
    { "init.residual", "none", NS_INIT_RESIDUAL_NONE },
    { "init.residual", "gpt2", NS_INIT_RESIDUAL_GPT2 },
    { "init.residual", "deepnorm", NS_INIT_RESIDUAL_DEEPNORM },
    { "init.residual", "wang", NS_INIT_RESIDUAL_WANG },
    { "init.residual", "sub-ln", NS_INIT_RESIDUAL_SUB_LN },
    { "init.residual", "t-fixup", NS_INIT_RESIDUAL_T_FIXUP },
    { "init.residual", "ds-init", NS_INIT_RESIDUAL_DS_INIT },
    { "init.residual", "fixup", NS_INIT_RESIDUAL_FIXUP },
    { "init.head", "scheme", NS_INIT_HEAD_SCHEME },
    { "init.head", "lecun", NS_INIT_HEAD_LECUN },
    { "init.head", "tied", NS_INIT_HEAD_TIED },
    { "branch_scale", "inverse-sqrt-depth", NS_BRANCH_SCALE_INVERSE_SQRT_DEPTH },
    { "input_scale", "t-fixup", NS_INPUT_SCALE_T_FIXUP },
    { "attention_scale", "sqrt-d-head", NS_ATTENTION_SCALE_SQRT_D_HEAD },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    set (experiment, settings[i][0], settings[i][1]);

  g_assert_cmpint (experiment->shape.depth, ==, 11);
  g_assert_cmpint (experiment->shape.d_model, ==, 12);
  g_assert_cmpint (experiment->shape.heads, ==, 13);
  g_assert_cmpint (experiment->shape.d_ff, ==, 14);
  g_assert_cmpint (experiment->shape.seq_len, ==, 15);
  g_assert_cmpint (experiment->shape.batch, ==, 16);
  g_assert_cmpint (experiment->shape.vocab, ==, 17);
  g_assert_cmpfloat (experiment->data.embed_std, ==, 18);
  g_assert_cmpint (experiment->sampling.seed, ==, 19);
  g_assert_cmpint (experiment->sampling.seeds, ==, 20);
  g_assert_cmpint (experiment->sampling.batches, ==, 21);
  g_assert_cmpint (experiment->sampling.estimate, ==, NS_ESTIMATE_EXPECTED);
  g_assert_cmpfloat (variant->norm_eps, ==, 0.21);
  g_assert_cmpfloat (variant->post_fraction, ==, 0.22);
  g_assert_cmpfloat (variant->residual_scale.number, ==, 23);
  g_assert_cmpfloat (variant->branch_scale.number, ==, 24);
  g_assert_cmpfloat (variant->init.std, ==, 25);
  g_assert_cmpfloat (variant->init.residual.number, ==, 26);
  g_assert_true (variant->bias && !variant->attention_output && !variant->attn.residual && variant->ffn.residual);
  g_assert_cmpint (variant->attn.norm, ==, NS_PLACE_SANDWICH);
  g_assert_cmpint (variant->ffn.norm, ==, NS_PLACE_BRANCH);
  g_assert_cmpint (experiment->loss, ==, NS_LOSS_UNIT_GRADIENT);
  g_assert_cmpint (experiment->data.positions, ==, NS_POSITIONS_LEARNED);
  g_assert_cmpint (experiment->data.token_types, ==, 34);
  g_assert_cmpint (experiment->data.class_token, ==, NS_CLASS_TOKEN_ZERO);
  g_assert_cmpint (experiment->data.source, ==, NS_SOURCE_TOKENS);
  g_assert_cmpint (experiment->shape.kv_heads, ==, 27);
  g_assert_cmpint (experiment->shape.d_head, ==, 28);
  g_assert_cmpint (experiment->shape.stack, ==, NS_STACK_ENCODER_DECODER);
  g_assert_cmpfloat (experiment->data.embed_scale.number, ==, 29);
  g_assert_cmpfloat (variant->dyt_alpha, ==, 30);
  g_assert_cmpfloat (variant->branch_norm_gain, ==, 31);
  g_assert_cmpfloat (variant->attention_scale.number, ==, 32);
  g_assert_cmpint (variant->attention_scale.rule, ==, 0);
  g_assert_cmpfloat (variant->input_scale.number, ==, 33);
  g_assert_cmpint (variant->norm, ==, NS_NORM_DYT);
  g_assert_cmpint (variant->topology, ==, NS_TOPOLOGY_PARALLEL_TWO_NORMS);
  g_assert_cmpint (variant->activation, ==, NS_ACT_GEGLU_TANH);
  g_assert_cmpint (variant->qk_norm, ==, NS_QK_NORM_QKV_HEAD);
  g_assert_cmpint (variant->branch_parameter, ==, NS_BRANCH_PARAMETER_VECTOR);
  g_assert_cmpint (variant->init.scheme, ==, NS_INIT_FAIRSEQ);
  g_assert_true (variant->attn.inner_norm && variant->cross.inner_norm && !variant->ffn.inner_norm);
  g_assert_true (variant->cross.norm == NS_PLACE_POST && !variant->cross.residual);
  g_assert_true (variant->block_residual && !variant->dual_residual && variant->ngpt && variant->input_norm);

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      set (experiment, rules[i].key, rules[i].choice);
      g_assert_cmpint (ns_param_get_scale (find (rules[i].key), variant).rule, ==, rules[i].rule);
    }
  set (experiment, "data.embed_scale", "sqrt-d-model");
  g_assert_cmpint (experiment->data.embed_scale.rule, ==, NS_EMBED_SCALE_SQRT_D_MODEL);
}

/* Cross-attention has the wiring of self-attention except for its own settings. */
static void
test_cross_wiring (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("post:attn.residual=off,attn.inner_norm=on,ffn.norm=branch");
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  NsWiring cross = ns_variant_get_wiring (variant, NS_SUB_CROSS);

  g_assert_true (cross.norm == NS_PLACE_POST && !cross.residual && cross.inner_norm);
  set (experiment, "cross.residual", "on");
  cross = ns_variant_get_wiring (variant, NS_SUB_CROSS);
  g_assert_true (cross.norm == NS_PLACE_POST && cross.residual && cross.inner_norm);
  set (experiment, "cross.inner_norm", "off");
  cross = ns_variant_get_wiring (variant, NS_SUB_CROSS);
  g_assert_true (cross.norm == NS_PLACE_POST && cross.residual && !cross.inner_norm);
  set (experiment, "cross.norm", "none");
  cross = ns_variant_get_wiring (variant, NS_SUB_CROSS);
  g_assert_true (cross.norm == NS_PLACE_NONE && cross.residual && !cross.inner_norm);
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_CROSS, 3, DEPTH), ==, NS_PLACE_NONE);
  set (experiment, "post_fraction", "0.25");
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_CROSS, 2, DEPTH), ==, NS_PLACE_POST);
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_CROSS, 3, DEPTH), ==, NS_PLACE_PRE);
  g_assert_cmpint (ns_variant_get_wiring (variant, NS_SUB_FFN).norm, ==, NS_PLACE_BRANCH);
}

void
add_experiment_tests (void)
{
  g_test_add_func ("/experiment/heads", test_heads);
  g_test_add_func ("/experiment/grouped-heads", test_grouped_heads);
  g_test_add_func ("/experiment/together", test_together);
  g_test_add_func ("/experiment/cross-wiring", test_cross_wiring);
  g_test_add_func ("/experiment/fields", test_fields_are_checked);
  g_test_add_func ("/experiment/variants", test_variants_count_and_names);
  g_test_add_func ("/experiment/parallel", test_parallel);
  g_test_add_func ("/experiment/text", test_text);
  g_test_add_func ("/experiment/encoder-vocab", test_encoder_vocab);
  g_test_add_func ("/experiment/error-keys", test_error_keys);
  g_test_add_func ("/experiment/error-copies", test_error_copies);
  g_test_add_func ("/experiment/copies", test_copies);
  g_test_add_func ("/experiment/every-key-counts", test_every_key_counts);
  g_test_add_func ("/experiment/each-field", test_fields);
  g_test_add_func ("/experiment/fit-rotary", test_fit_rotary);
}
