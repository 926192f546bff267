/* The constants of a variant's equations: standard deviations of the weights by scheme, residual rule and depth, worked
 * out here from the papers' formulas.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/ns-plan.h"

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
  /* the last matrix of each branch: 1/(2L) of the variance, or the number's square */
  { "pre:init.scheme=lecun-normal,init.residual=gpt2", 1.0 / 64, 1.0 / 64, 1.0 / 64 / 24, 1.0 / 64, 1.0 / 256 / 24,
    1.0 / 64 },
  { "pre:init.scheme=lecun-normal,init.residual=0.5", 1.0 / 64, 1.0 / 64, 0.25 / 64, 1.0 / 64, 0.25 / 256, 1.0 / 64 },
  /* without W_O it is W_V */
  { "pre:init.scheme=lecun-normal,init.residual=0.5,attention_output=off", 1.0 / 64, 0.25 / 64, 1.0 / 64, 1.0 / 64,
    0.25 / 256, 1.0 / 64 },
  /* β² = (8L)^(−1/2) = 1/√96 on all but queries and keys */
  { "deepnorm:init.scheme=lecun-normal", 1.0 / 64, 1.0 / 64 / 9.797958971132712, 1.0 / 64 / 9.797958971132712,
    1.0 / 64 / 9.797958971132712, 1.0 / 256 / 9.797958971132712, 1.0 / 64 },
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
          g_test_message ("%s, %s", cases[i].variant, ns_quantity_info ((NsQuantity) tensors[t])->name);
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

/* No two matrices of a block draw from the same stream. */
static void
test_streams (void)
{
  const NsTensor tensors[] = { NS_T_W_Q, NS_T_W_K, NS_T_W_V, NS_T_W_O, NS_T_W_1, NS_T_W_2, NS_T_W_3, NS_T_W_HEAD };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    for (gsize j = 0; j < i; j++)
      g_assert_cmpint (ns_tensor_get_stream (tensors[i], NS_PART_STACK), !=,
                       ns_tensor_get_stream (tensors[j], NS_PART_STACK));
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_HEAD, NS_PART_STACK), ==, NS_STREAM_W_HEAD);
  g_assert_cmpint (ns_tensor_get_stream (NS_T_W_3, NS_PART_STACK), ==, NS_STREAM_W_3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan/std", test_std);
  g_test_add_func ("/plan/norm-scale", test_norm_scale);
  g_test_add_func ("/plan/streams", test_streams);

  return g_test_run ();
}
