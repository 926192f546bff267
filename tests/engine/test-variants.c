/* Test built-in variants, variants from text, and values derived from a variant's settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

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

static double
get_alpha (const NsVariant *variant, NsPart part, gint64 depth)
{
  NsParts parts = part == NS_PART_STACK ? ns_parts_single (depth) : (NsParts){ 2, { depth, depth } };

  return ns_variant_get_alpha (variant, part, 2, &parts);
}

/* Existing files and command lines use these ids: they and their settings must not change. */
static void
test_first_ids (void)
{
  const char *const first[][2] = {
    { "pre", "attn.norm=pre,ffn.norm=pre" },
    { "post", "attn.norm=post,ffn.norm=post" },
    { "none", "attn.norm=none,ffn.norm=none,final_norm=off" },
    { "sandwich", "attn.norm=sandwich,ffn.norm=sandwich" },
    { "branch", "attn.norm=branch,ffn.norm=branch" },
    { "pre-post", "attn.norm=pre-post,ffn.norm=pre-post" },
    { "mix", "attn.norm=pre,ffn.norm=pre,post_fraction=0.25" },
    { "deepnorm", "attn.norm=post,ffn.norm=post,residual_scale=deepnorm,init.residual=deepnorm" },
    { "layernorm-scaling", "attn.norm=pre,ffn.norm=pre,norm_scale=layernorm-scaling" },
    { "parallel", "topology=parallel,attn.norm=pre,ffn.norm=pre" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    {
      const NsBuiltinVariant *builtin = ns_builtin_variant_find (first[i][0]);

      g_assert_nonnull (builtin);
      g_assert_cmpstr (builtin->settings, ==, first[i][1]);
    }
  g_assert_null (ns_builtin_variant_find ("preln"));
}

static NsExperiment *
experiment_of (const char *id, NsStack stack)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape.stack = stack;
  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, from_text (id));
  return experiment;
}

/* Each row is a valid variant, also in an encoder-decoder unless its sub-layers are parallel, one is missing, or it is
 * nGPT, and has a description. */
static void
test_builtins (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  g_assert_cmpuint (n, >=, 30);
  for (gsize i = 0; i < n; i++)
    {
      const NsBuiltinVariant *builtin = &builtins[i];
      g_autoptr (NsExperiment) single = experiment_of (builtin->id, NS_STACK_SINGLE);
      g_autoptr (NsExperiment) both = experiment_of (builtin->id, NS_STACK_ENCODER_DECODER);
      gboolean single_only = ns_experiment_variant (both, 0)->topology != NS_TOPOLOGY_SEQUENTIAL
                             || ns_experiment_variant (both, 0)->hyper.streams > 0;
      gboolean one = ns_experiment_variant (both, 0)->sublayers != NS_SUB_LAYERS_BOTH;
      gboolean is_ngpt = ns_experiment_variant (both, 0)->ngpt;
      GError *error = NULL;

      ns_experiment_validate (single, &error);
      g_assert_no_error (error);
      g_assert_cmpint (ns_experiment_validate (both, NULL), ==, !single_only && !one && !is_ngpt);
      g_assert_cmpstr (ns_experiment_variant (single, 0)->name, ==, builtin->name);
      g_assert_true (ns_builtin_variant_find (builtin->id) == builtin);
      g_assert_nonnull (strstr (builtin->equation, builtin->group == NS_VARIANT_INIT ? "W" : "←"));
      g_assert_cmpuint (strlen (builtin->equation), >, 5);
      g_assert_true (ns_builtin_variant_get_equation (builtin, NS_STACK_SINGLE) == builtin->equation);
      if (builtin->pair_equation != NULL)
        {
          g_assert_true (ns_builtin_variant_get_equation (builtin, NS_STACK_ENCODER_DECODER) == builtin->pair_equation);
          g_assert_nonnull (strstr (builtin->pair_equation, "_enc = "));
          g_assert_nonnull (strstr (builtin->pair_equation, "_dec = "));
        }
      g_assert_cmpuint (strlen (builtin->sentence), >, 20);
      g_assert_false (g_str_has_suffix (builtin->sentence, "."));
      g_assert_true (builtin->note == NULL || g_str_has_suffix (builtin->note, "."));
      /* Only wirings that no paper proposes lack a source. */
      g_assert_true (*builtin->source != '\0' || strcmp (builtin->id, "none") == 0
                     || strcmp (builtin->id, "pre-post") == 0 || strcmp (builtin->id, "ffn-only") == 0);
      g_assert_true (i == 0 || builtin->group >= builtins[i - 1].group);
      g_assert_cmpuint (strlen (ns_variant_group_get_name (builtin->group)), >, 0);

      /* No two variants differ only in their name. */
      for (gsize j = 0; j < i; j++)
        {
          g_autoptr (NsVariant) mine = from_text (builtin->id);
          g_autoptr (NsExperiment) other = experiment_of (builtins[j].id, NS_STACK_SINGLE);

          g_assert_cmpstr (builtin->name, !=, builtins[j].name);
          ns_param_set_string (ns_param_find ("name"), ns_experiment_variant (other, 0), mine->name, "", NULL);
          g_assert_false (ns_experiment_equal (single, other));
        }
    }
}

/* The positions of a variant's norms are those of its paper. */
static void
test_wirings (void)
{
  g_autoptr (NsVariant) swin = from_text ("swin-v2"), olmo2 = from_text ("olmo2"), hybrid = from_text ("hybrid");
  g_autoptr (NsVariant) b2t = from_text ("b2t"), residual = from_text ("residual"), sub = from_text ("sub-ln");
  g_autoptr (NsVariant) former = from_text ("normformer"), rezero = from_text ("rezero"), admin = from_text ("admin");
  g_autoptr (NsVariant) layerscale = from_text ("layerscale"), fixup = from_text ("t-fixup"), dyt = from_text ("dyt");

  g_assert_cmpfloat (swin->branch_norm_gain, ==, 0);
  g_assert_cmpint (swin->qk_norm, ==, NS_QK_NORM_COSINE);
  g_assert_cmpfloat (olmo2->branch_norm_gain, ==, 1);
  g_assert_cmpint (olmo2->qk_norm, ==, NS_QK_NORM_FULL);
  g_assert_cmpint (olmo2->norm, ==, NS_NORM_RMSNORM);
  g_assert_cmpint (hybrid->attn.norm, ==, NS_PLACE_POST);
  g_assert_cmpint (hybrid->ffn.norm, ==, NS_PLACE_NONE);
  g_assert_cmpint (hybrid->qk_norm, ==, NS_QK_NORM_QKV_HEAD);
  g_assert_cmpint (hybrid->init.scheme, ==, NS_INIT_SMALL);
  g_assert_true (b2t->block_residual && b2t->ffn.norm == NS_PLACE_POST);
  g_assert_true (residual->dual_residual && residual->attn.norm == NS_PLACE_POST);
  g_assert_true (sub->attn.inner_norm && sub->ffn.inner_norm && sub->attn.norm == NS_PLACE_PRE);
  g_assert_cmpint (sub->init.residual.rule, ==, NS_INIT_RESIDUAL_SUB_LN);
  g_assert_true (!former->attn.inner_norm && former->ffn.inner_norm);
  g_assert_cmpint (former->attn.norm, ==, NS_PLACE_SANDWICH);
  g_assert_cmpint (former->ffn.norm, ==, NS_PLACE_PRE);
  g_assert_cmpint (rezero->branch_parameter, ==, NS_BRANCH_PARAMETER_SCALAR);
  g_assert_cmpfloat (ns_variant_get_branch_scale (rezero, 24), ==, 0);
  g_assert_cmpint (layerscale->branch_parameter, ==, NS_BRANCH_PARAMETER_VECTOR);
  g_assert_cmpfloat (ns_variant_get_branch_scale (layerscale, 24), ==, 1e-5);
  g_assert_cmpint (fixup->init.residual.rule, ==, NS_INIT_RESIDUAL_T_FIXUP);
  g_assert_cmpint (fixup->input_scale.rule, ==, NS_INPUT_SCALE_T_FIXUP);
  g_assert_true (fixup->attn.norm == NS_PLACE_NONE && fixup->final_norm == NS_FINAL_NORM_OFF);
  g_assert_cmpint (dyt->norm, ==, NS_NORM_DYT);
  g_assert_cmpfloat (dyt->dyt_alpha, ==, 0.5);
  /* n = 2L = 48 sub-layers: sqrt (49/ln 49 - 1). */
  g_assert_cmpfloat_with_epsilon (get_alpha (admin, NS_PART_STACK, 24), 3.40448, 1e-4);
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
  g_assert_cmpstr (scaled->name, ==, "Post-LN, Residual scale 1.5, Normal init");

  g_autoptr (NsVariant) named = from_text ("pre:name=My curve,bias=on");
  g_assert_cmpstr (named->name, ==, "My curve");
  g_assert_true (named->bias);
}

static void
test_bad_text (void)
{
  const struct
  {
    const char *text, *culprit, *allowed, *key;
  } bad[] = {
    { "preln", "\"preln\"", "one of pre, post, none, sandwich", NULL },
    { "", "\"\"", "one of pre, post", NULL },
    { "post:depth=3", "post:\"depth\"", "one of name, norm, norm_eps", "depth" },
    { "post:shape.depth=3", "post:\"shape.depth\"", "residual_scale", "shape.depth" },
    { "post:bias", "post:\"bias\"", "KEY=VALUE", NULL },
    { "post:", "post:\"\"", "KEY=VALUE", NULL },
    { "post:bias=on,", "post:\"\"", "KEY=VALUE", NULL },
    { "post:norm_eps=2", "post:norm_eps: 2 is not allowed", "a number from 0 to 1", "norm_eps" },
    { "post:attn.norm=mid", "post:attn.norm: \"mid\" is not allowed", "one of none, pre, post", "attn.norm" },
    { "post:name=", "post:name: \"\" is not allowed", "non-empty", "name" },
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
      g_assert_cmpstr (ns_experiment_error_get_key (error), ==, bad[i].key);
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

  /* Values from the paper for N = 6, 24 and 1000 layers. */
  g_assert_cmpfloat_with_epsilon (get_alpha (deepnorm, NS_PART_STACK, 6), 1.861, 5e-4);
  g_assert_cmpfloat_with_epsilon (get_alpha (deepnorm, NS_PART_STACK, 24), 2.632, 5e-4);
  g_assert_cmpfloat_with_epsilon (get_alpha (deepnorm, NS_PART_STACK, 1000), 6.687, 5e-4);
  g_assert_cmpfloat (get_alpha (scaled, NS_PART_STACK, 24), ==, 1.5);

  g_assert_true (ns_activation_is_gated (NS_ACT_SWIGLU));
  g_assert_true (ns_activation_is_gated (NS_ACT_GEGLU));
  g_assert_false (ns_activation_is_gated (NS_ACT_GELU));
  g_assert_false (ns_activation_is_gated (NS_ACT_RELU));
  g_assert_false (ns_activation_is_gated (NS_ACT_SILU));
}

/* ---- finding built-in variants ---- */

static NsExperiment *
experiment_with (const char *const *texts)
{
  NsExperiment *experiment = ns_experiment_new ();

  g_ptr_array_set_size (experiment->variants, 0);
  for (; *texts != NULL; texts++)
    g_ptr_array_add (experiment->variants, from_text (*texts));
  return experiment;
}

static void
test_find_architecture (void)
{
  static const char *const ids[]
    = { "pre", "post", "sandwich", "deepnorm", "mix", "layernorm-scaling", "parallel", NULL };
  g_autoptr (NsExperiment) experiment = experiment_with (ids);

  for (guint i = 0; ids[i] != NULL; i++)
    g_assert_cmpuint (ns_experiment_find_architecture (experiment, ids[i]), ==, i);
  g_assert_cmpuint (ns_experiment_find_architecture (experiment, "none"), ==, NS_MAX_VARIANTS);
  g_assert_cmpuint (ns_experiment_find_architecture (experiment, "no such"), ==, NS_MAX_VARIANTS);

  /* With a fraction of 0 or 1 every block is Pre-LN or Post-LN. */
  ns_experiment_variant (experiment, 0)->post_fraction = 1;
  g_assert_cmpuint (ns_experiment_find_architecture (experiment, "post"), ==, 0);
  ns_experiment_variant (experiment, 0)->post_fraction = 0.5;
  g_assert_cmpuint (ns_experiment_find_architecture (experiment, "post"), ==, 1);
  g_assert_cmpuint (ns_experiment_find_architecture (experiment, "pre"), ==, NS_MAX_VARIANTS);
}

static void
test_find_builtin (void)
{
  static const char *const texts[]
    = { "rms:name=0", "pre:bias=true,activation=gelu,name=1", "pre:bias=true,name=2", "post:name=3", NULL };
  static const char *const only_rms[] = { "rms", NULL };
  g_autoptr (NsExperiment) experiment = experiment_with (texts);
  g_autoptr (NsExperiment) rms = experiment_with (only_rms);
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  /* The built-in variant with the fewest differences wins, so the RMSNorm variant is "rms" and not "pre". */
  g_assert_cmpuint (ns_experiment_find_builtin (experiment, "pre"), ==, 2);
  g_assert_cmpuint (ns_experiment_find_builtin (experiment, "rms"), ==, 0);
  g_assert_cmpuint (ns_experiment_find_builtin (experiment, "post"), ==, 3);
  g_assert_cmpuint (ns_experiment_find_builtin (experiment, "deepnorm"), ==, NS_MAX_VARIANTS);
  g_assert_cmpuint (ns_experiment_find_builtin (experiment, "no such"), ==, NS_MAX_VARIANTS);
  /* It is "pre" if no other variant is closer. */
  g_assert_cmpuint (ns_experiment_find_builtin (rms, "pre"), ==, 0);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) all = ns_experiment_new ();

      g_ptr_array_set_size (all->variants, 0);
      for (gsize j = 0; j < n; j++)
        g_ptr_array_add (all->variants, from_text (builtins[j].id));
      g_assert_cmpuint (ns_experiment_find_builtin (all, builtins[i].id), ==, i);
    }
}

/* ---- a model wired as a built-in variant ---- */

static NsVariant *
wire (const NsVariant *model, const char *text)
{
  g_autoptr (GError) error = NULL;
  NsVariant *variant = ns_variant_wired_from_text (model, text, &error);

  g_assert_no_error (error);
  return variant;
}

static void
test_wired (void)
{
  g_autoptr (NsVariant) model = from_text ("pre:norm=rmsnorm,activation=swiglu,init.residual=gpt2,name=M"), same = NULL,
                        post = NULL, pre = NULL, deepnorm = NULL, again = NULL, automatic = NULL, scaled = NULL;
  g_autoptr (NsVariant) plain = from_text ("pre:activation=gelu");
  g_autoptr (GError) error = NULL;

  same = wire (model, NS_VARIANT_MODEL);
  g_assert_cmpstr (same->name, ==, "M");
  post = wire (model, "post");
  g_assert_cmpstr (post->name, ==, "M as Post-LN");
  g_assert_true (post->attn.norm == NS_PLACE_POST && post->ffn.norm == NS_PLACE_POST);
  g_assert_true (post->norm == NS_NORM_RMSNORM && post->activation == NS_ACT_SWIGLU);
  g_assert_cmpint (post->init.residual.rule, ==, model->init.residual.rule);
  scaled = wire (model, "post:residual_scale=2");
  g_assert_cmpstr (scaled->name, ==, "M as Post-LN, Residual scale 2");

  /* From Post-LN nothing remains; DeepNorm's weights do. */
  pre = wire (post, "pre");
  g_assert_cmpstr (pre->name, ==, "M as Pre-LN");
  deepnorm = wire (post, "deepnorm");
  g_assert_cmpstr (deepnorm->name, ==, "M as DeepNorm");
  g_assert_cmpint (deepnorm->init.residual.rule, ==, NS_INIT_RESIDUAL_DEEPNORM);
  again = wire (deepnorm, "pre");
  g_assert_cmpstr (again->name, ==, "M as DeepNorm as Pre-LN");
  g_assert_cmpint (again->init.residual.rule, ==, NS_INIT_RESIDUAL_DEEPNORM);

  /* An automatic name follows the settings. */
  automatic = wire (plain, "post");
  g_assert_cmpstr (automatic->name, ==, "Post-LN, GELU");

  g_assert_null (ns_variant_wired_from_text (model, "rms", &error));
  g_assert_nonnull (strstr (error->message, "allowed: model:norm=rmsnorm"));
}

void
add_variants_tests (void)
{
  g_test_add_func ("/variants/first-ids", test_first_ids);
  g_test_add_func ("/variants/builtins", test_builtins);
  g_test_add_func ("/variants/wirings", test_wirings);
  g_test_add_func ("/variants/settings", test_settings);
  g_test_add_func ("/variants/bad-text", test_bad_text);
  g_test_add_func ("/variants/placement", test_placement);
  g_test_add_func ("/variants/final-norm", test_final_norm);
  g_test_add_func ("/variants/alpha", test_alpha);
  g_test_add_func ("/variants/find-architecture", test_find_architecture);
  g_test_add_func ("/variants/find-builtin", test_find_builtin);
  g_test_add_func ("/variants/wired", test_wired);
}
