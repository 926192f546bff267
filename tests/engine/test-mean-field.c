/* Test the mean-field recursion against real runs, and the settings that it does not cover.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

#include <locale.h>
#include <math.h>

#define THEORY "norm_eps=0,attention=uniform,attention_output=off"
#define DEPTH 12
#define SEEDS 8

static NsExperiment *
make (const char *variants, gint64 n_tokens)
{
  NsShape shape = {
    .depth = DEPTH, .d_model = 256, .heads = 1, .d_ff = 256, .seq_len = n_tokens, .batch = 2, .vocab = 16
  };
  NsExperiment *experiment = check_experiment (shape, variants);

  experiment->sampling.seeds = SEEDS;
  return experiment;
}

/* Compare with the mean of the seeds to four standard errors plus the finite-width error at d = 256. */
static void
compare (const NsResult *result, guint variant, NsQuantity quantity, const double *predicted, double rounding)
{
  for (gint64 site = 0; site <= DEPTH; site++)
    {
      double tolerance;
      NsStat stat;

      g_assert_true (ns_result_get_stat (result, variant, quantity, site, &stat));
      tolerance = 4 * stat.std / sqrt (stat.n) + rounding;
      g_test_message ("%s %u at %d: %g, predicted %g, tolerance %g", ns_quantity_info (quantity)->name, variant,
                      (int) site, stat.mean, predicted[site], tolerance);
      g_assert_cmpfloat_with_epsilon (stat.mean, predicted[site], tolerance);
      /* The tolerance must be small, or the test would pass for any prediction. */
      g_assert_cmpfloat (tolerance, <, 0.1 * (1 + predicted[site]));
    }
}

static void
check_predictions (const char *variants, gint64 n_tokens)
{
  g_autoptr (NsExperiment) experiment = make (variants, n_tokens);
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);
  double rms_x[DEPTH + 1], token_cos[DEPTH + 1];

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_assert_true (ns_mean_field_holds (experiment, v));
      ns_mean_field_predict (experiment, v, rms_x, token_cos);
      compare (result, v, NS_Q_RMS_X, rms_x, 0.005 * rms_x[DEPTH]);
      compare (result, v, NS_Q_TOKEN_COS, token_cos, 0.004);
    }
}

static void
test_pre_post (void)
{
  check_predictions ("pre:" THEORY " post:" THEORY, 32);
  check_predictions ("pre:" THEORY " post:" THEORY, 4);
}

static void
test_wirings (void)
{
  check_predictions ("sandwich:" THEORY " branch:" THEORY " pre-post:" THEORY " mix:" THEORY, 16);
  check_predictions ("layernorm-scaling:" THEORY " post:residual_scale=2,branch_scale=0.5," THEORY
                " pre:ffn.residual=off," THEORY,
                16);
}

/* Scaling rules that the recursion covers, and settings that do not affect the activations: a learned scale starts at
 * its number, and a second stream is read only at the end. */
static void
test_rules (void)
{
  check_predictions ("post:residual_scale=admin," THEORY " post:residual_scale=deepnorm," THEORY
                " pre:branch_scale=inverse-sqrt-depth," THEORY " pre:branch_parameter=vector,branch_scale=0.7," THEORY
                " post:dual_residual=on," THEORY " pre:attention_scale=3,dyt_alpha=2,cross.norm=none," THEORY,
                16);
}

/* The first steps by hand, and the asymptotics of the theory. */
static void
test_by_hand (void)
{
  g_autoptr (NsExperiment) experiment = make ("pre:" THEORY " post:" THEORY, 32);
  const double u = 1.0 / 32, r = u / (1 + u);
  const double k = (sqrt (1 - r * r) + r * (G_PI - acos (r))) / G_PI;
  double rms_x[DEPTH + 1], token_cos[DEPTH + 1];

  ns_mean_field_predict (experiment, 0, rms_x, token_cos);
  g_assert_cmpfloat (rms_x[0], ==, 1);
  g_assert_cmpfloat (token_cos[0], ==, 0);
  g_assert_cmpfloat_with_epsilon (rms_x[1], sqrt (1.5 + u), 1e-12);
  g_assert_cmpfloat_with_epsilon (token_cos[1], (u + k / 2) / (1.5 + u), 1e-12);
  for (int l = 1; l <= DEPTH; l++)
    {
      /* Lemma 2 */
      g_assert_cmpfloat (rms_x[l] * rms_x[l], >=, 1 + l / 2.0);
      g_assert_cmpfloat (rms_x[l] * rms_x[l], <=, 1 + 1.5 * l);
      g_assert_cmpfloat (token_cos[l], >, token_cos[l - 1]);
    }

  ns_mean_field_predict (experiment, 1, rms_x, token_cos);
  g_assert_cmpfloat_with_epsilon (token_cos[1], (r + k / 2) / 1.5, 1e-12);
  for (int l = 1; l <= DEPTH; l++)
    g_assert_cmpfloat_with_epsilon (rms_x[l], 1, 1e-12);
  /* The distance from 1 halves with each block in the limit. */
  g_assert_cmpfloat ((1 - token_cos[DEPTH]) / (1 - token_cos[DEPTH - 1]), >, 0.4);
  g_assert_cmpfloat ((1 - token_cos[DEPTH]) / (1 - token_cos[DEPTH - 1]), <, 0.5);

  ns_mean_field_predict (experiment, 0, NULL, token_cos);
  ns_mean_field_predict (experiment, 0, rms_x, NULL);
}

static void
test_missed (void)
{
  static const struct
  {
    const char *settings, *key;
  } cases[] = {
    { "attention=full", "attention" },       { "attention=causal", "attention" },
    { "attention_output=on", "attention_output" }, { "activation=gelu", "activation" },
    { "norm_eps=0.01", "norm_eps" },         { "init.scheme=kaiming-normal", "init.scheme" },
    { "init.scheme=normal", "init.scheme" }, { "init.residual=gpt2", "init.residual" },
    { "init.residual=0.5", "init.residual" }, { "topology=parallel", "topology" },
    { "topology=parallel-two-norms", "topology" }, { "activation=gelu-tanh", "activation" },
    { "activation=geglu-tanh", "activation" }, { "norm=dyt", "norm" }, { "branch_norm_gain=0.5", "branch_norm_gain" },
    { "ffn.inner_norm=on", "ffn.inner_norm" }, { "block_residual=on", "block_residual" },
    { "input_scale=2", "input_scale" }, { "input_scale=t-fixup", "input_scale" }, { "input_norm=on", "input_norm" },
    { "init.scheme=small", "init.scheme" }, { "init.scheme=mitchell", "init.scheme" },
    { "init.scheme=t5", "init.scheme" }, { "init.scheme=fairseq", "init.scheme" },
    { "init.residual=wang", "init.residual" }, { "init.residual=sub-ln", "init.residual" },
    { "init.residual=t-fixup", "init.residual" }, { "init.residual=ds-init", "init.residual" },
    { "init.residual=deepnorm", "init.residual" },
  };
  static const char *const met[] = { "norm=rmsnorm", "branch_parameter=scalar", "dual_residual=on", "qk_norm=none",
                                     "residual_scale=admin-constant", "branch_scale=inverse-sqrt-depth",
                                     "init.scheme=lecun-normal", "init.scheme=xavier-uniform", "cross.norm=post",
                                     "input_scale=1", "init.residual=1" };
  g_autoptr (NsExperiment) experiment = make ("pre:" THEORY, 8);

  g_assert_true (ns_mean_field_holds (experiment, 0));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *variant = g_strdup_printf ("pre:" THEORY ",%s", cases[i].settings);
      g_autoptr (NsExperiment) other = make (variant, 8);
      g_autofree const char **missed = ns_mean_field_list_missed (other, 0);

      g_assert_false (ns_mean_field_holds (other, 0));
      g_assert_cmpstr (missed[0], ==, cases[i].key);
      g_assert_null (missed[1]);
      g_assert_nonnull (ns_param_find (missed[0]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (met); i++)
    {
      g_autofree char *variant = g_strdup_printf ("pre:" THEORY ",%s", met[i]);
      g_autoptr (NsExperiment) other = make (variant, 8);

      g_test_message ("%s", met[i]);
      g_assert_true (ns_mean_field_holds (other, 0));
    }
  {
    g_autoptr (NsExperiment) grouped = make ("pre:" THEORY, 8), inner = NULL;
    g_autofree const char **missed = NULL, **missed_inner = NULL, **missed_pair = NULL;

    grouped->shape.heads = 4;
    g_assert_true (ns_mean_field_holds (grouped, 0));
    grouped->shape.kv_heads = 4;
    g_assert_true (ns_mean_field_holds (grouped, 0));
    grouped->shape.kv_heads = 2;
    missed = ns_mean_field_list_missed (grouped, 0);
    g_assert_cmpstr (missed[0], ==, "shape.kv_heads");
    g_assert_null (missed[1]);
    grouped->shape.kv_heads = 0;
    grouped->shape.stack = NS_STACK_ENCODER_DECODER;
    missed_pair = ns_mean_field_list_missed (grouped, 0);
    g_assert_cmpstr (missed_pair[0], ==, "shape.stack");
    g_assert_null (missed_pair[1]);
    inner = make ("pre:" THEORY ",attention_output=on,attn.inner_norm=on", 8);
    missed_inner = ns_mean_field_list_missed (inner, 0);
    g_assert_cmpstr (missed_inner[0], ==, "attention_output");
    g_assert_cmpstr (missed_inner[1], ==, "attn.inner_norm");
    g_assert_null (missed_inner[2]);
  }
  experiment->data.class_token = NS_CLASS_TOKEN_ZERO;
  {
    g_autofree const char **missed = ns_mean_field_list_missed (experiment, 0);

    g_assert_cmpstr (missed[0], ==, "data.class_token");
    g_assert_null (missed[1]);
  }
  experiment->data.class_token = NS_CLASS_TOKEN_NONE;
  experiment->shape.d_ff = 512;
  experiment->data.source = NS_SOURCE_TOKENS;
  {
    g_autofree const char **missed = ns_mean_field_list_missed (experiment, 0);

    g_assert_cmpstr (missed[0], ==, "shape.d_ff");
    g_assert_cmpstr (missed[1], ==, "data.source");
    g_assert_null (missed[2]);
  }
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/mean-field/pre-post", test_pre_post);
  g_test_add_func ("/mean-field/wirings", test_wirings);
  g_test_add_func ("/mean-field/rules", test_rules);
  g_test_add_func ("/mean-field/by-hand", test_by_hand);
  g_test_add_func ("/mean-field/missed", test_missed);
  return g_test_run ();
}
