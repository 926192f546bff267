/* Built-in variants, variants from text, and what derives from a variant's settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-experiment.h"

#include <math.h>
#include <string.h>

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
  const char *const expected[] = { "pre", "post", "none",     "sandwich",          "branch",
                                   "pre-post", "mix",  "deepnorm", "layernorm-scaling", "parallel" };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  g_assert_cmpuint (n, ==, G_N_ELEMENTS (expected));
  g_ptr_array_set_size (experiment->variants, 0);
  for (gsize i = 0; i < n; i++)
    {
      NsVariant *variant = from_text (builtins[i].id);

      g_assert_cmpstr (builtins[i].id, ==, expected[i]);
      g_assert_cmpstr (variant->name, ==, builtins[i].name);
      g_assert_cmpuint (strlen (builtins[i].help), >, 10);
      g_ptr_array_add (experiment->variants, variant);
    }

  GError *error = NULL;
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);

  /* They all differ in more than their name. */
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < i; j++)
      g_assert_cmpstr (builtins[i].settings, !=, builtins[j].settings);
}

static void
test_settings (void)
{
  g_autoptr (NsVariant) deepnorm = from_text ("deepnorm");
  g_assert_cmpint (deepnorm->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (deepnorm->ffn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (deepnorm->residual_scale.rule, ==, NS_RESIDUAL_SCALE_DEEPNORM);
  g_assert_cmpint (deepnorm->init.residual.rule, ==, NS_INIT_RESIDUAL_DEEPNORM);

  g_autoptr (NsVariant) mix = from_text ("mix");
  g_assert_cmpfloat (mix->post_fraction, ==, 0.25);

  g_autoptr (NsVariant) scaled = from_text ("post:residual_scale=1.5,init.scheme=normal");
  g_assert_cmpint (scaled->ffn.norm, ==, NS_PLACE_POST);
  g_assert_cmpfloat (scaled->residual_scale.number, ==, 1.5);
  g_assert_cmpint (scaled->init.scheme, ==, NS_INIT_NORMAL);
  g_assert_cmpstr (scaled->name, ==, "Post-LN (residual_scale=1.5, init.scheme=normal)");

  g_autoptr (NsVariant) named = from_text ("pre:name=My curve,bias=on");
  g_assert_cmpstr (named->name, ==, "My curve");
  g_assert_true (named->bias);
}

static void
test_bad_text (void)
{
  const struct
  {
    const char *text, *culprit, *allowed;
  } bad[] = {
    { "preln", "\"preln\"", "one of pre, post, none, sandwich" },
    { "", "\"\"", "one of pre, post" },
    { "post:depth=3", "post:\"depth\"", "one of name, norm, norm_eps" },
    { "post:shape.depth=3", "post:\"shape.depth\"", "residual_scale" },
    { "post:bias", "post:\"bias\"", "KEY=VALUE" },
    { "post:", "post:\"\"", "KEY=VALUE" },
    { "post:bias=on,", "post:\"\"", "KEY=VALUE" },
    { "post:norm_eps=2", "post:norm_eps: 2 is not allowed", "a number from 0 to 1" },
    { "post:attn.norm=mid", "post:attn.norm: \"mid\" is not allowed", "one of none, pre, post" },
    { "post:name=", "post:name: \"\" is not allowed", "not empty" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ns_variant_from_text (bad[i].text, &error));
      g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i].culprit));
      g_assert_nonnull (strstr (error->message, bad[i].allowed));
      g_assert_nonnull (strstr (error->message, "allowed: "));
    }
}

static void
test_placement (void)
{
  const gboolean expected[][3] = {
    [NS_PLACE_NONE] = { FALSE, FALSE, FALSE },
    [NS_PLACE_PRE] = { TRUE, FALSE, FALSE },
    [NS_PLACE_POST] = { FALSE, FALSE, TRUE },
    [NS_PLACE_SANDWICH] = { TRUE, TRUE, FALSE },
    [NS_PLACE_BRANCH] = { FALSE, TRUE, FALSE },
    [NS_PLACE_PRE_POST] = { TRUE, FALSE, TRUE },
  };
  g_autoptr (NsVariant) variant = from_text ("pre:ffn.norm=branch");

  for (guint p = 0; p < G_N_ELEMENTS (expected); p++)
    {
      g_assert_cmpint (ns_placement_has_pre ((NsPlacement) p), ==, expected[p][0]);
      g_assert_cmpint (ns_placement_has_branch ((NsPlacement) p), ==, expected[p][1]);
      g_assert_cmpint (ns_placement_has_post ((NsPlacement) p), ==, expected[p][2]);
    }

  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_ATTN, 3, 10), ==, NS_PLACE_PRE);
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_FFN, 3, 10), ==, NS_PLACE_BRANCH);

  /* floor (0.25 · 10) = 2 blocks of Post-LN. */
  variant->post_fraction = 0.25;
  for (gint64 block = 1; block <= 10; block++)
    for (int sub = NS_SUB_ATTN; sub < NS_N_SUBS; sub++)
      g_assert_cmpint (ns_variant_get_placement (variant, (NsSub) sub, block, 10), ==,
                       block <= 2 ? NS_PLACE_POST : NS_PLACE_PRE);
  variant->post_fraction = 0;
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_FFN, 1, 10), ==, NS_PLACE_PRE);
  variant->post_fraction = 1;
  g_assert_cmpint (ns_variant_get_placement (variant, NS_SUB_FFN, 10, 10), ==, NS_PLACE_POST);
}

static void
test_final_norm (void)
{
  const struct
  {
    const char *text;
    gboolean has;
  } cases[] = {
    { "pre", TRUE },
    { "post", FALSE },
    { "sandwich", TRUE },
    { "branch", TRUE },
    { "pre-post", FALSE },
    { "none:final_norm=auto", TRUE },
    { "none", FALSE },
    { "mix", TRUE },
    { "pre:post_fraction=1", FALSE },
    { "deepnorm", FALSE },
    { "post:ffn.norm=pre", TRUE },
    { "pre:ffn.norm=post", FALSE },
    { "pre:final_norm=off", FALSE },
    { "post:final_norm=on", TRUE },
    { "parallel", TRUE },
    { "post:topology=parallel", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = ns_experiment_new ();

      experiment->shape.depth = 12;
      g_ptr_array_set_size (experiment->variants, 0);
      g_ptr_array_add (experiment->variants, from_text (cases[i].text));
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (ns_experiment_has_final_norm (experiment, 0), ==, cases[i].has);
      experiment->loss = NS_LOSS_UNIT_GRADIENT;
      g_assert_false (ns_experiment_has_final_norm (experiment, 0));
    }
}

static void
test_alpha (void)
{
  g_autoptr (NsVariant) deepnorm = from_text ("deepnorm");
  g_autoptr (NsVariant) scaled = from_text ("post:residual_scale=1.5");

  /* The paper's table: N = 6, 24 and 1000 layers. */
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (deepnorm, NS_PART_STACK, 6), 1.861, 5e-4);
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (deepnorm, NS_PART_STACK, 24), 2.632, 5e-4);
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (deepnorm, NS_PART_STACK, 1000), 6.687, 5e-4);
  g_assert_cmpfloat (ns_variant_get_alpha (scaled, NS_PART_STACK, 24), ==, 1.5);

  g_assert_true (ns_activation_is_gated (NS_ACT_SWIGLU));
  g_assert_true (ns_activation_is_gated (NS_ACT_GEGLU));
  g_assert_false (ns_activation_is_gated (NS_ACT_GELU));
  g_assert_false (ns_activation_is_gated (NS_ACT_RELU));
  g_assert_false (ns_activation_is_gated (NS_ACT_SILU));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/variants/builtins", test_builtins);
  g_test_add_func ("/variants/settings", test_settings);
  g_test_add_func ("/variants/bad-text", test_bad_text);
  g_test_add_func ("/variants/placement", test_placement);
  g_test_add_func ("/variants/final-norm", test_final_norm);
  g_test_add_func ("/variants/alpha", test_alpha);

  return g_test_run ();
}
