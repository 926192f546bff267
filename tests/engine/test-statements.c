/* Test statements of the documents, of Help and of lectures at the edge of what is true, with their counterexamples.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "tests.h"

#include <math.h>

#define SEEDS 4

static NsResult *
run_stack (gint64 depth, gint64 d_ff, const char *variants)
{
  NsShape shape = { .depth = depth, .d_model = 64, .heads = 4, .d_ff = d_ff, .seq_len = 16, .batch = 2, .vocab = 32 };
  g_autoptr (NsExperiment) experiment = check_experiment (shape, variants);

  experiment->sampling.seeds = SEEDS;
  return check_run (experiment, 1, 0);
}

/* Return the mean over the seeds of the logarithm of a quantity at a site. */
static double
mean_log (const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  double sum = 0;

  for (guint s = 0; s < SEEDS; s++)
    sum += M_LN10 * check_log10 (result, variant, quantity, site, s);
  return sum / SEEDS;
}

static double
first_over_last (const NsResult *result, guint variant, gint64 depth)
{
  return exp (mean_log (result, variant, NS_Q_W_2, 1) - mean_log (result, variant, NS_Q_W_2, depth));
}

/* MEASURED.md and the lectures: Post-LN's gradients are about even with Xavier weights and ReLU or GELU, and not with
 * others. */
static void
test_post_is_not_always_flat (void)
{
  g_autoptr (NsResult) result
      = run_stack (24, 256, "post post:activation=gelu post:init.scheme=lecun-normal,activation=swiglu");

  for (guint v = 0; v < 2; v++)
    {
      g_test_message ("%u: %g:1", v, first_over_last (result, v, 24));
      g_assert_cmpfloat (fabs (log (first_over_last (result, v, 24))), <, log (2.5));
    }
  g_test_message ("SwiGLU with LeCun weights: %g:1", first_over_last (result, 2, 24));
  g_assert_cmpfloat (first_over_last (result, 2, 24), >, 6);
}

/* Help on ffn.residual: FFNs alone make the tokens one vector, too. */
static void
test_ffns_alone_collapse (void)
{
  g_autoptr (NsResult) result = run_stack (96, 256, "ffn-only:ffn.residual=off ffn-only");
  double without = 0, with = 0;

  for (guint s = 0; s < SEEDS; s++)
    {
      without += check_value (result, 0, NS_Q_TOKEN_COS, 96, s) / SEEDS;
      with += check_value (result, 1, NS_Q_TOKEN_COS, 96, s) / SEEDS;
    }
  g_test_message ("token_cos %g, with residuals %g", without, with);
  g_assert_cmpfloat (without, >, 0.95);
  g_assert_cmpfloat (with, <, 0.7);
}

/* The lecture on paths: √(2/3) is the factor of the norm behind an FFN of d_ff = d; the one behind the attention has
 * its own. */
static void
test_factor_of_the_identity_path (void)
{
  g_autoptr (NsResult) result = run_stack (24, 64, "post:attention=uniform,attention_output=off,norm_eps=0");
  double ffn = 0, attn = 0, whole = 0;

  for (gint64 l = 1; l <= 24; l++)
    {
      ffn -= mean_log (result, 0, NS_Q_RMS_Z_FFN, l) / 24;
      attn -= mean_log (result, 0, NS_Q_RMS_Z_ATTN, l) / 24;
    }
  whole = mean_log (result, 0, NS_Q_IDENTITY, 0) / 24;
  g_test_message ("factors of the FFN's norm %g, the attention's %g; of a block %g", exp (ffn), exp (attn),
                  exp (whole));
  g_assert_cmpfloat_with_epsilon (exp (ffn), sqrt (2.0 / 3), 0.02);
  g_assert_cmpfloat (exp (attn), <, 0.9);
  g_assert_cmpfloat_with_epsilon (exp (whole), exp (ffn + attn), 0.03);
}

void
add_statements_tests (void)
{
  g_test_add_func ("/statements/post-is-not-always-flat", test_post_is_not_always_flat);
  g_test_add_func ("/statements/ffns-alone-collapse", test_ffns_alone_collapse);
  g_test_add_func ("/statements/factor-of-the-identity-path", test_factor_of_the_identity_path);
}
