/* Automatic names of variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

static NsVariant *
from_text (const char *text)
{
  GError *error = NULL;
  NsVariant *variant = ns_variant_from_text (text, &error);

  g_assert_no_error (error);
  return variant;
}

static void
test_builtins (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsVariant) variant = from_text (builtins[i].id);
      g_autofree char *name = ns_variant_dup_automatic_name (variant);

      g_assert_cmpstr (name, ==, builtins[i].name);
      g_assert_true (ns_variant_has_automatic_name (variant));
      g_assert_false (ns_variant_name_is_wrong (variant));
    }
}

static void
test_names (void)
{
  static const char *const names[][2] = {
    /* Settings of a built-in variant give its name. */
    { "pre:attn.norm=post,ffn.norm=post", "Post-LN" },
    { "pre:post_fraction=0", "Pre-LN" },
    { "pre:post_fraction=1", "Post-LN" },
    { "post:post_fraction=0.25", "Mix-LN" },
    { "post:residual_scale=deepnorm,init.residual=deepnorm", "DeepNorm" },
    { "hybrid:first_block_pre=on", "HybridNorm*" },
    /* Settings without effect do not count. */
    { "pre:sublayers=attention,ffn.norm=post,ffn.residual=off,activation=gelu", "Attention-only" },
    { "pre:sublayers=ffn,attn.norm=none,attention=causal", "FFN-only" },
    { "post:sublayers=ffn", "Post-LN, FFN only" },
    { "pre:first_block_pre=on", "Pre-LN" },
    { "mix:first_block_pre=on", "Mix-LN" },
    { "pre:init.std=0.5", "Pre-LN" },
    { "pre:dyt_alpha=2", "Pre-LN" },
    { "pre:final_norm=on", "Pre-LN" },
    { "post:final_norm=off", "Post-LN" },
    { "pre:cross.norm=pre,cross.residual=on", "Pre-LN" },
    /* The nearest one, and what differs. */
    { "pre:attn.residual=off", "Pre-LN, no attention residual" },
    { "post:ffn.residual=off", "Post-LN, no FFN residual" },
    { "pre:attn.residual=off,ffn.residual=off", "Pre-LN, no residuals" },
    { "pre:cross.residual=off", "Pre-LN, no cross-attention residual" },
    { "pre:cross.norm=post", "Pre-LN, Cross-attention norm: Post-LN" },
    { "post:first_block_pre=on", "Post-LN, Pre-LN first block" },
    { "deepnorm:attn.residual=off", "DeepNorm, no attention residual" },
    { "pre:norm=rmsnorm,activation=swiglu", "Pre-RMSNorm, SwiGLU" },
    { "none:final_norm=on", "No norm, final norm" },
    { "pre:final_norm=off", "Pre-LN, no final norm" },
    { "pre:attention=causal,bias=on", "Pre-LN, Causal attention, biases" },
    /* Biases: what most groups have, then the others; a value of its own that changes nothing does not count. */
    { "pre:bias=on,bias_head=off", "Pre-LN, biases, no head biases" },
    { "pre:bias=on,bias_qkv=off,bias_output=off", "Pre-LN, biases, no biases of q, k, v, no output biases" },
    { "pre:bias=on,bias_qkv=off,bias_output=off,bias_ffn=off", "Pre-LN, norm biases, head biases" },
    { "pre:bias_qkv=on,bias_output=on,bias_ffn=on,bias_norms=on,bias_head=on", "Pre-LN, biases" },
    { "pre:bias=on,bias_qkv=off,bias_output=off,bias_ffn=off,bias_norms=off,bias_head=off", "Pre-LN" },
    { "rms:bias_qkv=on,bias_norms=on", "Pre-RMSNorm, biases of q, k, v" },
    { "pre:bias_qkv=on,bias_k=off", "Pre-LN, biases of q, k, v, no key biases" },
    { "pre:bias_ffn=on,bias_k=off", "Pre-LN, FFN biases" },
    { "pre:bias=on,attention_output=off,bias_output=off", "Pre-LN, no output projection, biases" },
    { "post:init.scheme=normal,init.std=0.01", "Post-LN, Normal init, Deviation 0.01" },
    { "post:residual_scale=2", "Post-LN, Residual scale 2" },
    { "pre:norm_eps=1e-6", "Pre-LN, Norm epsilon 10⁻⁶" },
    { "pre:attention=causal,bias=on,activation=gelu,norm_eps=1e-6,attn.residual=off",
      "Pre-LN, Norm epsilon 10⁻⁶, Causal attention, GELU, …" },
    /* Its own training. */
    { "post:warmup=100", "Post-LN, warm-up 100" },
    { "post:warmup=0", "Post-LN, no warm-up" },
    { "post:warmup=null", "Post-LN" },
    { "post:optimizer=adamw,learning_rate=0.001,schedule=cosine",
      "Post-LN, AdamW, learning rate 0.001, Cosine schedule" },
    /* Placements that no built-in variant has. */
    { "pre:post_fraction=0.98", "Mix 98 %" },
    { "pre:post_fraction=0.125,activation=gelu", "Mix 12.5 %, GELU" },
    { "pre:ffn.norm=post", "Pre-LN attention, Post-LN FFN" },
    { "pre:attn.norm=branch,ffn.norm=none", "Res-post-norm attention, No norm FFN" },
    /* A typed name. */
    { "pre:post_fraction=0.98,name=My curve", "My curve" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (NsVariant) variant = from_text (names[i][0]);

      g_assert_cmpstr (variant->name, ==, names[i][1]);
    }
}

static void
set_name (NsVariant *variant, const char *name)
{
  g_free (variant->name);
  variant->name = g_strdup (name);
}

static void
test_automatic (void)
{
  static const struct
  {
    const char *settings, *name;
    gboolean is_automatic, is_wrong;
  } cases[] = {
    { "pre", "Pre-LN", TRUE, FALSE },
    { "pre", "Pre-LN 2", TRUE, FALSE },
    { "pre", "Pre-LN 12", TRUE, FALSE },
    { "pre", "Pre-LN two", FALSE, FALSE },
    { "pre", "Pre-LN 2 b", FALSE, FALSE },
    { "post:residual_scale=2", "Post-LN, Residual scale 2", TRUE, FALSE },
    { "post:residual_scale=2", "Post-LN, Residual scale 2 (3)", TRUE, FALSE },
    { "post:residual_scale=2", "Post-LN, Residual scale 23", FALSE, FALSE },
    { "pre:bias=on", "Pre-LN", FALSE, FALSE }, /* less than all, but true */
    { "pre:bias=on", "My curve", FALSE, FALSE },
    { "pre:post_fraction=0.98", "Pre-LN", FALSE, TRUE },
    { "pre:attn.residual=off", "Pre-LN", FALSE, TRUE },
    { "pre:attn.residual=off", "Pre-LN 2", FALSE, TRUE },
    { "pre:attn.residual=off", "Pre-LN, one residual", FALSE, FALSE },
    { "post", "Pre-LN, one residual", FALSE, TRUE },
    { "post", "GPT-2 (Pre-LN)", FALSE, TRUE },
    { "pre", "GPT-2 (Pre-LN)", FALSE, FALSE },
    { "post", "Deeper than Pre-LN", FALSE, FALSE },
    { "parallel-two-norms", "Parallel, two norms", TRUE, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsVariant) variant = from_text (cases[i].settings);

      set_name (variant, cases[i].name);
      g_test_message ("%s: %s", cases[i].settings, cases[i].name);
      g_assert_cmpint (ns_variant_has_automatic_name (variant), ==, cases[i].is_automatic);
      g_assert_cmpint (ns_variant_name_is_wrong (variant), ==, cases[i].is_wrong);
    }
}

/* The first variant becomes `settings`; the second one stays Post-LN. */
static void
test_update (void)
{
  static const struct
  {
    const char *former, *name, *settings, *becomes;
  } cases[] = {
    { "pre", "Pre-LN", "pre:bias=on", "Pre-LN, biases" },
    { "pre", "Pre-LN", "post", "Post-LN 2" },
    { "pre", "Pre-LN 7", "pre:post_fraction=0.98", "Mix 98 %" },
    { "pre:bias=on", "Pre-LN, biases", "pre", "Pre-LN" },
    { "pre", "My curve", "post", "My curve" },
    { "pre:bias=on", "Pre-LN", "pre:bias=on,activation=gelu", "Pre-LN" },
    { "pre:bias=on", "Pre-LN", "post:bias=on", "Post-LN, biases" },
    { "pre", "GPT-2 (Pre-LN)", "pre:attention=causal", "GPT-2 (Pre-LN)" },
    { "pre", "GPT-2 (Pre-LN)", "post", "Post-LN 2" },
    { "pre", "Peri-LN", "pre:bias=on", "Peri-LN" }, /* typed, though wrong before */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();
      g_autoptr (NsVariant) former = from_text (cases[i].former);
      NsVariant *variant = from_text (cases[i].settings);

      set_name (former, cases[i].name);
      set_name (variant, cases[i].name);
      ns_variant_free (ns_experiment_variant (experiment, 0));
      experiment->variants->pdata[0] = variant;
      g_assert_cmpint (ns_experiment_update_name (experiment, 0, former), ==,
                       g_strcmp0 (cases[i].name, cases[i].becomes) != 0);
      g_assert_cmpstr (variant->name, ==, cases[i].becomes);
      g_assert_cmpstr (ns_experiment_variant (experiment, 1)->name, ==, "Post-LN");
    }
}

/* A name with what has changed says nothing of biases that are the same without a value of their own. */
static void
test_changed_biases (void)
{
  static const struct
  {
    const char *from, *to, *name;
  } cases[] = {
    { "pre:bias=on,bias_head=off", "pre:bias_head=off", "Model, no biases" },
    { "pre:bias=on,bias_head=off", "pre:bias=on", "Model, head biases" },
    { "pre:bias=on,bias_head=off", "pre:bias=on,bias_head=off,bias_qkv=on", "Model" },
    { "pre:bias=on,bias_qkv=off,bias_output=off", "pre:bias_qkv=off,bias_output=off", "Model, no biases" },
    { "rms:bias_qkv=on", "rms", "Model, no biases of q, k, v" },
    { "rms:bias_qkv=on", "rms:bias=on", "Model, biases" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsVariant) from = from_text (cases[i].from), to = from_text (cases[i].to);
      g_autofree char *name = NULL;

      set_name (from, "Model");
      name = ns_variant_dup_changed_name (to, from);
      g_assert_cmpstr (name, ==, cases[i].name);
    }
}

/* A stack without a decoder has no cross-attention, whatever its settings are. */
static void
test_nearest_without_cross (void)
{
  g_autoptr (NsVariant) variant = ns_variant_from_text ("pre", NULL);
  g_autofree char *without = NULL;
  g_autofree char *with = NULL;
  gboolean is_equal = TRUE;

  variant->attn.residual = variant->ffn.residual = FALSE;
  variant->cross.residual = TRUE;
  without = ns_variant_dup_nearest_wiring (variant, FALSE, &is_equal);
  g_assert_cmpstr (without, ==, "Pre-LN, no residuals");
  g_assert_false (is_equal);
  with = ns_variant_dup_nearest_wiring (variant, TRUE, &is_equal);
  g_assert_cmpstr (with, !=, without);
  g_assert_false (is_equal);
}

void
add_variant_names_tests (void)
{
  g_test_add_func ("/variant-names/builtins", test_builtins);
  g_test_add_func ("/variant-names/names", test_names);
  g_test_add_func ("/variant-names/automatic", test_automatic);
  g_test_add_func ("/variant-names/update", test_update);
  g_test_add_func ("/variant-names/changed-biases", test_changed_biases);

  g_test_add_func ("/variant-names/nearest-without-cross", test_nearest_without_cross);
}
