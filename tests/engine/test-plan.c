/* Test the constants of a variant: standard deviations of the weights by scheme, residual rule and depth, against the
 * formulas of the papers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/pass/ns-plan.h"
#include "tests.h"

#include <string.h>

static const NsShape shape = {
  .depth = 12, .d_model = 64, .heads = 4, .d_ff = 256, .seq_len = 8, .batch = 2, .vocab = 1000,
};

static const struct
{
  const char *variant;
  double w_q, w_v, w_o, w_1, w_2, w_head; /* variances */
} cases[] = {
  { "pre", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 2.0 / 1064 },
  { "pre:init.scheme=xavier-uniform", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 2.0 / 1064 },
  { "pre:init.scheme=lecun-normal", 1.0 / 64, 1.0 / 64, 1.0 / 64, 1.0 / 64, 1.0 / 256, 1.0 / 64 },
  { "pre:init.scheme=kaiming-normal", 2.0 / 64, 2.0 / 64, 2.0 / 64, 2.0 / 64, 2.0 / 256, 2.0 / 64 },
  { "pre:init.scheme=normal,init.std=0.05", 0.0025, 0.0025, 0.0025, 0.0025, 0.0025, 0.0025 },
  /* the last matrix of each branch: variance times 1/(2L), or times the square of the number */
  { "pre:init.scheme=lecun-normal,init.residual=gpt2", 1.0 / 64, 1.0 / 64, 1.0 / 64 / 24, 1.0 / 64, 1.0 / 256 / 24,
    1.0 / 64 },
  { "pre:init.scheme=lecun-normal,init.residual=0.5", 1.0 / 64, 1.0 / 64, 0.25 / 64, 1.0 / 64, 0.25 / 256, 1.0 / 64 },
  /* without W_O, W_V is the last matrix */
  { "pre:init.scheme=lecun-normal,init.residual=0.5,attention_output=off", 1.0 / 64, 0.25 / 64, 1.0 / 64, 1.0 / 64,
    0.25 / 256, 1.0 / 64 },
  /* β² = (8L)^(−1/2) = 1/√96, except for queries and keys */
  { "deepnorm:init.scheme=lecun-normal", 1.0 / 64, 1.0 / 64 / 9.797958971132712, 1.0 / 64 / 9.797958971132712,
    1.0 / 64 / 9.797958971132712, 1.0 / 256 / 9.797958971132712, 1.0 / 64 },
  /* the head has a rule of its own: 1/d, or the square of a number */
  { "pre:init.head=lecun", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 1.0 / 64 },
  { "pre:init.head=0.5,init.scheme=mitchell", 1.0 / 64, 1.0 / 64, 1.0 / 128, 1.0 / 64, 1.0 / 512, 0.25 },
  /* μP at 4 times the base width: matrices of blocks have variance 1/width anyway, or are divided by 4; the head has
   * that of the base width, divided by 16 */
  { "pre:init.mup_base=16", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 2.0 / 1016 / 16 },
  { "pre:init.scheme=normal,init.std=0.05,init.mup_base=16", 0.0025 / 4, 0.0025 / 4, 0.0025 / 4, 0.0025 / 4, 0.0025 / 4,
    0.0025 / 16 },
  { "pre:init.head=lecun,init.mup_base=16", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 1.0 / 16 / 16 },
  { "pre:init.head=0.5,init.mup_base=64", 2.0 / 128, 2.0 / 128, 2.0 / 128, 2.0 / 320, 2.0 / 320, 0.25 },
};

static void
test_std (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const NsTensor tensors[] = { NS_T_W_Q, NS_T_W_K, NS_T_W_V, NS_T_W_O, NS_T_W_1, NS_T_W_2, NS_T_W_3, NS_T_W_HEAD };
      const double variances[] = { cases[i].w_q, cases[i].w_q, cases[i].w_v, cases[i].w_o,
                                   cases[i].w_1, cases[i].w_2, cases[i].w_1, cases[i].w_head };
      g_autoptr (NsExperiment) experiment = check_experiment (shape, cases[i].variant);
      NsPlan plan;

      ns_plan_init (&plan, experiment, 0);
      for (gsize t = 0; t < G_N_ELEMENTS (tensors); t++)
        {
          g_test_message ("%s, %s", cases[i].variant, ns_tensor_get_name (tensors[t]));
          g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, tensors[t], 1), sqrt (variances[t]), 1e-12);
        }
    }
}

static void
test_norm_scale (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (shape, "layernorm-scaling pre");
  NsPlan plan;

  ns_plan_init (&plan, experiment, 0);
  g_assert_cmpfloat (ns_plan_get_norm_scale (&plan, 1), ==, 1);
  g_assert_cmpfloat (ns_plan_get_norm_scale (&plan, 4), ==, 0.5);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_norm_scale (&plan, 12), 0.28867513459481287, 1e-15);
  ns_plan_init (&plan, experiment, 1);
  g_assert_cmpfloat (ns_plan_get_norm_scale (&plan, 4), ==, 1);
}

/* ---- every scheme with every rule, in every part ---- */

/* Sizes that all differ, so that a formula with the wrong one fails: d 48, f 100, 6 query heads and 2 key heads of
 * width 10, hence A 60 and K 20; L 5; patches of 11 pixels. */
#define L_ 5.0
#define D_ 48.0
#define F_ 100.0
#define A_ 60.0
#define K_ 20.0
#define W_ 10.0 /* d_head */
#define V_ 77.0
#define P_ 11.0

static const NsShape odd = {
  .depth = 5, .d_model = 48, .heads = 6, .kv_heads = 2, .d_head = 10, .d_ff = 100, .seq_len = 4, .batch = 1,
  .vocab = 77,
  .patch_features = 11,
};

/* Role of a matrix in the rules. */
typedef enum { QUERY, KEY, VALUE, OUTPUT, FIRST, LAST, HEAD, DENSE, PATCH } Role;

static const struct
{
  NsTensor tensor;
  Role role;
  double in, out;
} matrices[] = {
  { NS_T_W_Q, QUERY, D_, A_ },       { NS_T_W_K, KEY, D_, K_ },       { NS_T_W_V, VALUE, D_, K_ },
  { NS_T_W_O, OUTPUT, A_, D_ },      { NS_T_W_1, FIRST, D_, F_ },     { NS_T_W_3, FIRST, D_, F_ },
  { NS_T_W_2, LAST, F_, D_ },        { NS_T_CROSS_W_Q, QUERY, D_, A_ }, { NS_T_CROSS_W_K, KEY, D_, K_ },
  { NS_T_CROSS_W_V, VALUE, D_, K_ }, { NS_T_CROSS_W_O, OUTPUT, A_, D_ }, { NS_T_W_HEAD, HEAD, D_, V_ },
  { NS_T_W_HEAD_DENSE, DENSE, D_, D_ }, { NS_T_W_PATCH, PATCH, P_, D_ },
};

#define INIT_STD 0.03

static double
expected_scheme (const char *scheme, Role role, double in, double out, double l)
{
  if (strcmp (scheme, "xavier-normal") == 0 || strcmp (scheme, "xavier-uniform") == 0)
    return sqrt (2 / (in + out));
  if (strcmp (scheme, "lecun-normal") == 0)
    return sqrt (1 / in);
  if (strcmp (scheme, "kaiming-normal") == 0)
    return sqrt (2 / in);
  if (strcmp (scheme, "normal") == 0)
    return INIT_STD;
  if (strcmp (scheme, "small") == 0)
    return sqrt (2 / (5 * D_));
  if (strcmp (scheme, "mitchell") == 0)
    return role == OUTPUT ? 1 / sqrt (2 * D_ * l) : role == LAST ? 1 / sqrt (2 * F_ * l) : 1 / sqrt (D_);
  if (strcmp (scheme, "t5") == 0)
    return role == QUERY    ? pow (D_ * W_, -0.5)
           : role == OUTPUT ? pow (A_, -0.5)
           : role == LAST   ? pow (F_, -0.5)
           : role == PATCH  ? pow (P_, -0.5)
                            : pow (D_, -0.5);
  g_assert_cmpstr (scheme, ==, "fairseq");
  return sqrt (2 / (in + out)) * (role == QUERY || role == KEY || role == VALUE ? sqrt (0.5) : 1);
}

static double
expected_std (const char *rule, NsPart part, Role role, double l, double std)
{
  gboolean last = role == OUTPUT || role == LAST, scaled = last || role == VALUE || role == FIRST;
  /* indexed by part: stack, encoder, decoder */
  const double deepnorm[] = { pow (8 * L_, -0.25), 0.87 * pow (pow (L_, 5), -1.0 / 16), pow (12 * L_, -0.25) };
  const double sub_ln[] = { sqrt (log (2 * L_)), sqrt (log (3 * L_) * log (2 * L_) / 3), sqrt (log (3 * L_)) };
  const double t_fixup[] = { 0.67 * pow (L_, -0.25), 0.67 * pow (L_, -0.25), pow (9 * L_, -0.25) };

  if (role == HEAD || role == DENSE || role == PATCH || strcmp (rule, "none") == 0)
    return std;
  if (strcmp (rule, "0.7") == 0)
    return last ? 0.7 * std : std;
  if (strcmp (rule, "gpt2") == 0)
    return last ? std / sqrt (2 * L_) : std;
  if (strcmp (rule, "wang") == 0)
    return last ? 2 / (L_ * sqrt (D_)) : std;
  if (strcmp (rule, "ds-init") == 0)
    return std / sqrt (l);
  /* m = 4 matrices of an attention and 3 of a gated FFN; 2L branches, or 5L in an encoder-decoder */
  if (strcmp (rule, "fixup") == 0)
    return last ? 0 : std * pow (part == NS_PART_STACK ? 2 * L_ : 5 * L_, role == FIRST ? -1.0 / 4 : -1.0 / 6);
  if (!scaled)
    return std;
  if (strcmp (rule, "deepnorm") == 0)
    return std * deepnorm[part];
  if (strcmp (rule, "sub-ln") == 0)
    return std * sub_ln[part];
  g_assert_cmpstr (rule, ==, "t-fixup");
  return std * t_fixup[part];
}

static const char *const rules[] = { "none",    "gpt2",    "deepnorm", "wang", "sub-ln",
                                     "t-fixup", "ds-init", "fixup",    "0.7" };

static void
check_plan (const NsPlan *plan, NsStack stack, const char *scheme, const char *rule)
{
  for (gint64 site = 0; site <= ns_plan_get_head_site (plan); site++)
    for (gsize m = 0; m < G_N_ELEMENTS (matrices); m++)
      {
        gint64 layer = site % 6;
        gboolean is_head = site == ns_plan_get_head_site (plan);
        NsPart part = stack == NS_STACK_SINGLE ? NS_PART_STACK : site < 6 ? NS_PART_ENCODER : NS_PART_DECODER;
        double expected;

        if (!ns_tensor_exists (matrices[m].tensor, plan->experiment, 0, site))
          continue;
        g_assert_cmpint (matrices[m].role == HEAD || matrices[m].role == DENSE, ==, is_head);
        g_assert_cmpint (matrices[m].role == PATCH, ==, site == 0);
        expected = expected_scheme (scheme, matrices[m].role, matrices[m].in, matrices[m].out, (double) layer);
        expected = expected_std (rule, part, matrices[m].role, (double) layer, expected);
        if (fabs (ns_plan_get_std (plan, matrices[m].tensor, site) - expected) > 1e-12 * expected)
          g_error ("%s, %s, %s at site %d: %g, expected %g", scheme, rule,
                   ns_tensor_get_name (matrices[m].tensor), (int) site,
                   ns_plan_get_std (plan, matrices[m].tensor, site), expected);
      }
}

static void
test_every_std (void)
{
  const NsParam *schemes = ns_param_find ("init.scheme");
  guint checked = 0;

  for (int stack = NS_STACK_SINGLE; stack <= NS_STACK_ENCODER_DECODER; stack++)
    for (int s = 0; schemes->choices[s] != NULL; s++)
      for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
        {
          g_autofree char *text
              = g_strdup_printf ("pre:activation=swiglu,head_transform=on,init.scheme=%s,init.std=0.03,"
                                 "init.residual=%s",
                                 schemes->choices[s], rules[i]);
          g_autoptr (NsExperiment) experiment = check_experiment (odd, text);
          NsPlan plan;

          experiment->shape.stack = stack;
          ns_plan_init (&plan, experiment, 0);
          check_plan (&plan, (NsStack) stack, schemes->choices[s], rules[i]);
          g_assert_cmpint (plan.distribution == NS_DISTRIBUTION_UNIFORM, ==,
                           strcmp (schemes->choices[s], "xavier-uniform") == 0
                               || strcmp (schemes->choices[s], "fairseq") == 0);
          checked++;
        }
  g_assert_cmpuint (checked, ==, 2 * 9 * 9);
}

/* Without W_O, the value projection is the last matrix of the branch. */
static void
test_std_without_output (void)
{
  NsShape square = odd;
  const struct
  {
    const char *init;
    double w_v;
  } cases_v[] = {
    { "init.scheme=lecun-normal,init.residual=gpt2", 1 / sqrt (D_) / sqrt (2 * L_) },
    { "init.scheme=lecun-normal,init.residual=wang", 2 / (L_ * sqrt (D_)) },
    { "init.scheme=mitchell", 1 / sqrt (2 * D_ * 3) },
    { "init.scheme=t5", 1 / sqrt (D_) },
  };

  square.d_head = square.kv_heads = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (cases_v); i++)
    {
      g_autofree char *text = g_strdup_printf ("pre:attention_output=off,%s", cases_v[i].init);
      g_autoptr (NsExperiment) experiment = check_experiment (square, text);
      NsPlan plan;

      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      ns_plan_init (&plan, experiment, 0);
      g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_V, 3), cases_v[i].w_v, 1e-12);
      g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_V, 6 + 3), cases_v[i].w_v, 1e-12);
      g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_CROSS_W_V, 6 + 3), cases_v[i].w_v, 1e-12);
    }
}

static double
get_alpha (const NsVariant *variant, NsPart part, gint64 depth)
{
  NsParts parts = part == NS_PART_STACK ? ns_parts_single (depth) : (NsParts){ 2, { depth, depth } };

  return ns_variant_get_alpha (variant, part, 2, &parts);
}

/* Published values for 6 layers in each part. */
static void
test_published (void)
{
  NsShape six = shape;
  g_autoptr (NsExperiment) deepnorm = NULL, plain = NULL;
  const NsVariant *variant;
  NsPlan plan, reference;

  six.depth = 6;
  deepnorm = check_experiment (six, "deepnorm");
  plain = check_experiment (six, "post");
  variant = ns_experiment_variant (deepnorm, 0);
  g_assert_cmpfloat_with_epsilon (get_alpha (variant, NS_PART_STACK, 6), 1.861, 5e-4);
  g_assert_cmpfloat_with_epsilon (get_alpha (variant, NS_PART_ENCODER, 6), 1.418, 5e-4);
  g_assert_cmpfloat_with_epsilon (get_alpha (variant, NS_PART_DECODER, 6), 2.060, 5e-4);
  ns_plan_init (&plan, deepnorm, 0);
  ns_plan_init (&reference, plain, 0);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_O, 2) / ns_plan_get_std (&reference, NS_T_W_O, 2),
                                  0.3799, 5e-5);
  deepnorm->shape.stack = plain->shape.stack = NS_STACK_ENCODER_DECODER;
  ns_plan_init (&plan, deepnorm, 0);
  ns_plan_init (&reference, plain, 0);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 2) / ns_plan_get_std (&reference, NS_T_W_2, 2),
                                  0.497, 5e-4);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_CROSS_W_V, 9)
                                      / ns_plan_get_std (&reference, NS_T_CROSS_W_V, 9),
                                  0.343, 5e-4);
  g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_CROSS_W_Q, 9)
                                      / ns_plan_get_std (&reference, NS_T_CROSS_W_Q, 9),
                                  1, 1e-12);
}

/* N encoder and M decoder blocks: the constants of each part, by the formulas of the papers. */
static void
test_depths (void)
{
  NsShape uneven = shape;
  const gint64 depths[][2] = { { 2, 7 }, { 9, 3 } };

  uneven.stack = NS_STACK_ENCODER_DECODER;
  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      double N = (double) depths[i][0], M = (double) depths[i][1];
      const struct
      {
        const char *rule;
        double encoder, decoder;
      } factors[] = {
        { "deepnorm", 0.87 * pow (N * N * N * N * M, -1.0 / 16), pow (12 * M, -0.25) },
        { "sub-ln", sqrt (log (3 * M) * log (2 * N) / 3), sqrt (log (3 * M)) },
        { "t-fixup", 0.67 * pow (N, -0.25), pow (9 * M, -0.25) },
        { "gpt2", 1 / sqrt (2 * N), 1 / sqrt (2 * M) },
      };
      gint64 first = depths[i][0] + 2; /* the decoder's first block */
      NsPlan plan, reference;

      uneven.depth = depths[i][0];
      uneven.decoder_depth = depths[i][1];
      for (gsize r = 0; r < G_N_ELEMENTS (factors); r++)
        {
          g_autofree char *text = g_strdup_printf ("pre:init.residual=%s", factors[r].rule);
          g_autoptr (NsExperiment) scaled = check_experiment (uneven, text);
          g_autoptr (NsExperiment) plain = check_experiment (uneven, "pre");

          ns_plan_init (&plan, scaled, 0);
          ns_plan_init (&reference, plain, 0);
          g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_W_2, 1)
                                              / ns_plan_get_std (&reference, NS_T_W_2, 1),
                                          factors[r].encoder, 1e-12);
          g_assert_cmpfloat_with_epsilon (ns_plan_get_std (&plan, NS_T_CROSS_W_O, first)
                                              / ns_plan_get_std (&reference, NS_T_CROSS_W_O, first),
                                          factors[r].decoder, 1e-12);
          g_assert_cmpint (ns_plan_get_head_site (&plan), ==, depths[i][0] + depths[i][1] + 2);
          g_assert_cmpint (ns_plan_get_part (&plan, first), ==, NS_PART_DECODER);
          g_assert_cmpint (ns_plan_get_layer (&plan, first), ==, 1);
          g_assert_cmpint (ns_plan_get_layer (&plan, first - 1), ==, 0);
          g_assert_cmpint (ns_plan_get_part (&plan, first - 2), ==, NS_PART_ENCODER);
        }
      {
        g_autoptr (NsExperiment) e = check_experiment (uneven, "deepnorm post:residual_scale=admin-constant "
                                                               "pre:branch_scale=inverse-sqrt-depth");
        NsParts parts = ns_shape_get_parts (&e->shape);
        const NsVariant *deepnorm = ns_experiment_variant (e, 0), *admin = ns_experiment_variant (e, 1);

        g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (deepnorm, NS_PART_ENCODER, 2, &parts),
                                        0.81 * pow (N * N * N * N * M, 1.0 / 16), 1e-12);
        g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (deepnorm, NS_PART_DECODER, 2, &parts), pow (3 * M, 0.25),
                                        1e-12);
        g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (admin, NS_PART_ENCODER, 2, &parts), sqrt (2 * N), 1e-12);
        g_assert_cmpfloat_with_epsilon (ns_variant_get_alpha (admin, NS_PART_DECODER, 2, &parts), sqrt (3 * M), 1e-12);
        ns_plan_init (&plan, e, 2);
        g_assert_cmpfloat_with_epsilon (ns_plan_get_branch_scale (&plan, 1), 1 / sqrt (N), 1e-12);
        g_assert_cmpfloat_with_epsilon (ns_plan_get_branch_scale (&plan, first), 1 / sqrt (M), 1e-12);
      }
    }
}

/* Admin's ω for n sub-layers, and the branch scale 1/√L. */
static void
test_scales (void)
{
  g_autoptr (NsExperiment) experiment
      = check_experiment (shape, "pre:residual_scale=admin pre:residual_scale=admin-constant "
                                 "pre:branch_scale=inverse-sqrt-depth pre:branch_scale=0.3");
  const NsVariant *admin = ns_experiment_variant (experiment, 0), *constant = ns_experiment_variant (experiment, 1);

  /* 12 blocks have 24 sub-layers in a stack or an encoder, 36 in a decoder */
  g_assert_cmpfloat_with_epsilon (get_alpha (admin, NS_PART_STACK, 12), sqrt (25 / log (25) - 1), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_alpha (admin, NS_PART_ENCODER, 12), sqrt (25 / log (25) - 1), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_alpha (admin, NS_PART_DECODER, 12), sqrt (37 / log (37) - 1), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_alpha (constant, NS_PART_STACK, 12), sqrt (24), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_alpha (constant, NS_PART_ENCODER, 12), sqrt (24), 1e-12);
  g_assert_cmpfloat_with_epsilon (get_alpha (constant, NS_PART_DECODER, 12), 6, 1e-12);
  g_assert_cmpfloat_with_epsilon (ns_variant_get_branch_scale (ns_experiment_variant (experiment, 2), 12),
                                  0.28867513459481287, 1e-15);
  g_assert_cmpfloat (ns_variant_get_branch_scale (ns_experiment_variant (experiment, 3), 12), ==, 0.3);
}

/* ---- attention and norms ---- */

static void
test_attention (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (
      odd, "pre pre:attention=causal pre:attention=uniform pre:attention_scale=0.25 pre:qk_norm=cosine");
  const struct
  {
    gboolean self, encoder, decoder; /* causal self-attention in a stack, an encoder, a decoder */
    double scale;
  } expected[] = {
    { FALSE, FALSE, TRUE, 1 / sqrt (W_) },
    { TRUE, FALSE, TRUE, 1 / sqrt (W_) },
    { FALSE, FALSE, TRUE, 1 / sqrt (W_) },
    { FALSE, FALSE, TRUE, 0.25 },
    { FALSE, FALSE, TRUE, 10 / W_ }, /* for vectors of length √W */
  };

  for (guint v = 0; v < G_N_ELEMENTS (expected); v++)
    {
      NsPlan plan;

      experiment->shape.stack = NS_STACK_SINGLE;
      ns_plan_init (&plan, experiment, v);
      g_assert_cmpint (ns_plan_is_causal (&plan, NS_SUB_ATTN, 3), ==, expected[v].self);
      g_assert_cmpfloat_with_epsilon (ns_plan_get_attention_scale (&plan), expected[v].scale, 1e-15);
      g_assert_cmpint (ns_plan_is_uniform (&plan), ==, v == 2);
      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      ns_plan_init (&plan, experiment, v);
      g_assert_cmpint (ns_plan_is_causal (&plan, NS_SUB_ATTN, 3), ==, expected[v].encoder);
      g_assert_cmpint (ns_plan_is_causal (&plan, NS_SUB_ATTN, 6 + 3), ==, expected[v].decoder);
      g_assert_false (ns_plan_is_causal (&plan, NS_SUB_CROSS, 6 + 3));
    }
}

/* LayerNorm scaling numbers the blocks of each part from 1. */
static void
test_norm_scale_in_pair (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (odd, "layernorm-scaling");
  NsPlan plan;

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  ns_plan_init (&plan, experiment, 0);
  for (gint64 l = 1; l <= 5; l++)
    {
      g_assert_cmpfloat_with_epsilon (ns_plan_get_norm_scale (&plan, l), 1 / sqrt ((double) l), 1e-15);
      g_assert_cmpfloat_with_epsilon (ns_plan_get_norm_scale (&plan, 6 + l), 1 / sqrt ((double) l), 1e-15);
    }
}

static void
test_norm_shapes (void)
{
  const struct
  {
    const char *variant;
    gsize q_rows, q, k_rows, k;
  } expected[] = {
    { "pre:qk_norm=full", 4, 60, 4, 20 },
    { "pre:qk_norm=head", 24, 10, 8, 10 },
    { "pre:qk_norm=qkv-head", 24, 10, 8, 10 },
    { "pre:qk_norm=cosine", 24, 10, 8, 10 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (odd, expected[i].variant);
      NsPlan plan;
      gsize rows, features;

      ns_plan_init (&plan, experiment, 0);
      for (int cross = 0; cross < 2; cross++)
        {
          ns_plan_get_norm_shape (&plan, cross ? NS_NORM_CROSS_Q : NS_NORM_ATTN_Q, &rows, &features);
          g_assert_true (rows == expected[i].q_rows && features == expected[i].q);
          ns_plan_get_norm_shape (&plan, cross ? NS_NORM_CROSS_K : NS_NORM_ATTN_K, &rows, &features);
          g_assert_true (rows == expected[i].k_rows && features == expected[i].k);
          ns_plan_get_norm_shape (&plan, cross ? NS_NORM_CROSS_INNER : NS_NORM_ATTN_INNER, &rows, &features);
          g_assert_true (rows == 4 && features == 60);
        }
      ns_plan_get_norm_shape (&plan, NS_NORM_FFN_INNER, &rows, &features);
      g_assert_true (rows == 4 && features == 100);
      ns_plan_get_norm_shape (&plan, NS_NORM_ENCODER_FINAL, &rows, &features);
      g_assert_true (rows == 4 && features == 48);
    }
}

/* ---- random streams ---- */

/* All matrices of a block and the inputs have distinct streams, also across the encoder's and the decoder's block of
 * the same number. */
static void
test_streams (void)
{
  int used[256] = { 0 };

  for (gsize m = 0; m < G_N_ELEMENTS (matrices); m++)
    {
      NsTensor t = matrices[m].tensor;
      gboolean is_cross = t >= NS_T_CROSS_W_Q && t <= NS_T_CROSS_W_O;
      gboolean is_head = t == NS_T_W_HEAD || t == NS_T_W_HEAD_DENSE || t == NS_T_W_PATCH;
      NsStream single = ns_tensor_get_stream (t, NS_PART_STACK), decoder = ns_tensor_get_stream (t, NS_PART_DECODER);

      g_assert_cmpint (ns_stream_get_tensor (decoder), ==, t);
      used[decoder]++;
      if (is_cross)
        continue;
      g_assert_cmpint (ns_stream_get_tensor (single), ==, t);
      /* an encoder has the streams of a single stack */
      g_assert_cmpint (ns_tensor_get_stream (t, NS_PART_ENCODER), ==, single);
      g_assert_cmpint (single == decoder, ==, is_head);
      used[single] += !is_head;
    }
  for (int s = NS_STREAM_EMBEDDING; s <= NS_STREAM_TARGET_IDS; s++)
    used[s]++;
  used[NS_STREAM_TEST]++;
  for (gsize s = 0; s < G_N_ELEMENTS (used); s++)
    g_assert_cmpint (used[s], <=, 1);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_HEAD, NS_PART_STACK), ==, NS_STREAM_W_HEAD);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_HEAD_DENSE, NS_PART_STACK), ==, 35);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_PATCH, NS_PART_STACK), ==, 36);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_3, NS_PART_STACK), ==, NS_STREAM_W_3);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_3, NS_PART_DECODER), ==, NS_STREAM_DECODER_W_Q + 6);
}

void
add_plan_tests (void)
{
  g_test_add_func ("/plan/std", test_std);
  g_test_add_func ("/plan/every-std", test_every_std);
  g_test_add_func ("/plan/std-without-output", test_std_without_output);
  g_test_add_func ("/plan/published", test_published);
  g_test_add_func ("/plan/depths", test_depths);
  g_test_add_func ("/plan/scales", test_scales);
  g_test_add_func ("/plan/attention", test_attention);
  g_test_add_func ("/plan/norm-scale", test_norm_scale);
  g_test_add_func ("/plan/norm-scale-in-pair", test_norm_scale_in_pair);
  g_test_add_func ("/plan/norm-shapes", test_norm_shapes);
  g_test_add_func ("/plan/streams", test_streams);
}
