/* Test blocks of one sub-layer: attention-only stacks against the closed form of uniform attention, what such blocks do
 * not have, and the constants that count residual branches.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/pass/ns-plan.h"
#include "engine/pass/ns-workspace.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const NsShape small = {
  .depth = 3, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 5, .batch = 2, .vocab = 11,
};

/* ---- the closed form ---- */

#define WIDTH 512
#define TOKENS 32
#define SEEDS 24

static double
mean_square (const NsResult *result, guint variant, gint64 site)
{
  double sum = 0;

  for (guint s = 0; s < SEEDS; s++)
    {
      double rms = pow (10, check_log10 (result, variant, NS_Q_RMS_X, site, s));

      sum += rms * rms / SEEDS;
    }
  return sum;
}

static double
mean_cosine (const NsResult *result, guint variant, gint64 site)
{
  double sum = 0;

  for (guint s = 0; s < SEEDS; s++)
    sum += check_value (result, variant, NS_Q_TOKEN_COS, site, s) / SEEDS;
  return sum;
}

/* Uniform attention without norms, x ← x + a·A·x·W, of independent tokens: the mean over the n tokens grows by 1 + a²
 * in each block and the rest stays. With G = (1 + a²)^l the mean square is 1 + (G − 1)/n, and the mean cosine of two
 * tokens, of which the first may be the second, G/(n − 1 + G). */
static void
test_closed_form (void)
{
  static const double scales[] = { 1, 0.5 };
  NsShape shape = { .depth = 8, .d_model = WIDTH, .heads = 4, .d_ff = 16, .seq_len = TOKENS, .batch = 1, .vocab = 11 };
  g_autoptr (NsExperiment) experiment
      = check_experiment (shape, "none:sublayers=attention,attention=uniform,attention_output=off,name=a,"
                                 "init.scheme=lecun-normal "
                                 "none:sublayers=attention,attention=uniform,attention_output=off,name=b,"
                                 "init.scheme=lecun-normal,branch_scale=0.5 "
                                 "none:attention=uniform,attention_output=off,init.scheme=lecun-normal");
  g_autoptr (NsResult) result = NULL;
  const double n = TOKENS;

  experiment->sampling.seeds = SEEDS;
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  result = check_run (experiment, 2, 0);
  for (guint v = 0; v < G_N_ELEMENTS (scales); v++)
    for (gint64 l = 0; l <= shape.depth; l++)
      {
        double G = pow (1 + scales[v] * scales[v], (double) l), cosine = G / (n - 1 + G);
        double others = (n * cosine - 1) / (n - 1); /* of two different tokens */

        g_test_message ("a = %g, l = %d: mean square %g (%g), cosine %g (%g)", scales[v], (int) l,
                        mean_square (result, v, l), 1 + (G - 1) / n, mean_cosine (result, v, l), others);
        g_assert_cmpfloat (check_relative_error (mean_square (result, v, l), 1 + (G - 1) / n, 0), <, 0.08);
        g_assert_cmpfloat_with_epsilon (mean_cosine (result, v, l), others, 0.03);
      }
  /* with the FFN the stream is another one: the test would see it */
  g_assert_cmpfloat (check_relative_error (mean_square (result, 2, 4), 1 + 15 / n, 0), >, 0.5);
}

/* ---- what the blocks lack ---- */

/* The words of quantities and tensors of a sub-layer. */
static gboolean
is_of_ffn (const char *name)
{
  return strstr (name, "ffn") != NULL || strchr ("123", name[strlen (name) - 1]) != NULL;
}

static gboolean
is_of_attention (const char *name)
{
  return (strstr (name, "attn") != NULL || strcmp (name, "entropy") == 0 || strcmp (name, "max_logit") == 0
          || strcmp (name, "rms_scores") == 0
          || ((name[0] == 'w' || name[0] == 'b') && name[1] == '_' && strchr ("qkvo", name[2]) != NULL
              && name[3] == '\0'));
}

static void
test_absent (void)
{
  g_autoptr (NsExperiment) experiment
      = check_experiment (small, "pre:bias=on,name=both pre:sublayers=attention,bias=on,name=attention "
                                 "pre:sublayers=ffn,bias=on,name=ffn");
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);
  guint n_attention = 0, n_ffn = 0;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      const char *name = ns_quantity_info (q)->name;
      gboolean between = strstr (name, "y_attn") != NULL;
      NsStat stat;

      if (!ns_quantity_exists (q, experiment, 0, 2))
        continue;
      g_test_message ("%s", name);
      g_assert_cmpint (ns_quantity_exists (q, experiment, 1, 2), ==, !is_of_ffn (name) && !between);
      g_assert_cmpint (ns_quantity_exists (q, experiment, 2, 2), ==, !is_of_attention (name));
      for (guint v = 1; v < 3; v++)
        if (!ns_quantity_exists (q, experiment, v, 2))
          g_assert_false (ns_result_get_stat (result, v, q, 2, &stat));
      n_attention += is_of_attention (name) ? 1 : 0;
      n_ffn += is_of_ffn (name) ? 1 : 0;
    }
  g_assert_cmpuint (n_attention, >, 15);
  g_assert_cmpuint (n_ffn, >, 10);
}

/* The block's gradient is that of its one sub-layer, and all that the branches add is in the shares. */
static void
test_sums (void)
{
  g_autoptr (NsExperiment) experiment
      = check_experiment (small, "sandwich:sublayers=attention,name=a post:sublayers=ffn,name=f");
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);
  static const NsQuantity sums[] = { NS_Q_ATTN, NS_Q_FFN }, shares[] = { NS_Q_SHARE_ATTN, NS_Q_SHARE_FFN };

  for (guint v = 0; v < 2; v++)
    {
      double share = check_value (result, v, NS_Q_SHARE_INPUT, 0, 0);

      for (gint64 l = 1; l <= small.depth; l++)
        {
          g_assert_cmpfloat (check_log10 (result, v, sums[v], l, 0), ==, check_log10 (result, v, NS_Q_BLOCK, l, 0));
          share += check_value (result, v, shares[v], l, 0);
        }
      g_assert_cmpfloat_with_epsilon (share, 1, 1e-5);
    }
}

/* Without an FFN its width costs no memory, without attention the heads do not. */
static void
test_memory (void)
{
  static const char *const variants[] = { "pre:sublayers=attention", "pre:sublayers=ffn" };

  for (guint i = 0; i < 2; i++)
    {
      NsShape shape = small;
      g_autoptr (NsExperiment) one = check_experiment (shape, variants[i]), another = NULL;

      if (i == 0)
        shape.d_ff = 8000;
      else
        shape.d_head = 1000;
      another = check_experiment (shape, variants[i]);
      /* sums over the features of any array are as wide as the widest */
      g_assert_cmpuint (ns_workspace_get_bytes (another, TRUE, 1), <, ns_workspace_get_bytes (one, TRUE, 1) + 400000);
      ns_experiment_variant (another, 0)->sublayers = NS_SUB_LAYERS_BOTH;
      g_assert_cmpuint (ns_workspace_get_bytes (another, TRUE, 1), >, ns_workspace_get_bytes (one, TRUE, 1) + 1000000);
    }
}

/* ---- constants ---- */

static void
test_constants (void)
{
  NsShape shape = small;
  g_autoptr (NsExperiment) experiment = NULL;
  NsVariant *variant;
  NsPlan plan;

  shape.depth = 16;
  experiment = check_experiment (shape, "deepnorm:sublayers=ffn,init.scheme=lecun-normal");
  variant = ns_experiment_variant (experiment, 0);
  ns_plan_init (&plan, experiment, 0);
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (variant, NS_PART_STACK, 2, &(NsParts){ 1, { 16 } }), 2, 1e-12);
  /* β = (4·16)^(−1/4), W_2 [24, 16] */
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 3), pow (64, -0.25) / sqrt (24), 1e-12);
  variant->residual_scale.rule = NS_RESIDUAL_SCALE_ADMIN_CONSTANT;
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (variant, NS_PART_STACK, 2, &(NsParts){ 1, { 16 } }), 4, 1e-12);
  variant->residual_scale.rule = NS_RESIDUAL_SCALE_ADMIN;
  g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (variant, NS_PART_STACK, 2, &(NsParts){ 1, { 16 } }),
                                  sqrt (17 / log (17) - 1), 1e-12);
  variant->init.residual.rule = NS_INIT_RESIDUAL_GPT2;
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 3), 1 / sqrt (24) / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_1, 3), 1.0 / 4, 1e-12);
  /* these count blocks */
  variant->init.residual.rule = NS_INIT_RESIDUAL_T_FIXUP;
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 3), 0.67 * 0.5 / sqrt (24), 1e-12);
  variant->init.residual.rule = NS_INIT_RESIDUAL_WANG;
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 3), 2.0 / 16 / 4, 1e-12);
  variant->init.residual.rule = NS_INIT_RESIDUAL_NONE;
  variant->init.scheme = NS_INIT_MITCHELL;
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 3), 1 / sqrt (24 * 3), 1e-12);
  variant->sublayers = NS_SUB_LAYERS_ATTENTION;
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_O, 3), 1 / sqrt (16 * 3), 1e-12);
}

/* ---- refused ---- */

static void
test_refused (void)
{
  static const struct
  {
    const char *settings, *message;
  } cases[] = {
    { "topology=parallel,sublayers=attention", "sublayers: attention is not allowed when the topology is parallel" },
    { "block_residual=on,sublayers=ffn", "sublayers: ffn is not allowed when block_residual = true" },
    { "init.residual=sub-ln,sublayers=ffn", "is not allowed when init.residual = sub-ln" },
    { "experts=4,sublayers=attention", "sublayers: attention is not allowed with experts" },
    { "experts=4,sublayers=ffn", NULL },
    { "qk_norm=head,sublayers=ffn", "allowed: both or attention" },
    { "rotary=half,sublayers=ffn", "allowed: both or attention" },
    { "position_bias=alibi,sublayers=ffn", "allowed: both or attention" },
    { "window=2,sublayers=ffn", "allowed: both or attention" },
    { "score_cap=2,sublayers=ffn", "allowed: both or attention" },
    { "window=2,rotary=half,score_cap=2,sublayers=attention", NULL },
    { "post_fraction=0.5,dual_residual=on,sublayers=attention", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat ("pre:", cases[i].settings, NULL);
      NsVariant *variant = ns_variant_from_text (text, NULL);
      g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (variant);
      g_ptr_array_set_size (experiment->variants, 0);
      g_ptr_array_add (experiment->variants, variant);
      g_test_message ("%s", text);
      g_assert_cmpint (ns_experiment_validate (experiment, &error), ==, cases[i].message == NULL);
      if (error != NULL)
        {
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, cases[i].message));
        }
    }
}

static void
test_refused_stack (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre:sublayers=attention");
  g_autoptr (GError) error = NULL;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_false (ns_experiment_validate (experiment, &error));
  g_assert_nonnull (strstr (error->message, "shape.stack = encoder-decoder; allowed: both"));
}

void
add_sub_layers_tests (void)
{
  g_test_add_func ("/sub-layers/closed-form", test_closed_form);
  g_test_add_func ("/sub-layers/absent", test_absent);
  g_test_add_func ("/sub-layers/sums", test_sums);
  g_test_add_func ("/sub-layers/memory", test_memory);
  g_test_add_func ("/sub-layers/constants", test_constants);
  g_test_add_func ("/sub-layers/refused", test_refused);
  g_test_add_func ("/sub-layers/refused-stack", test_refused_stack);
}
