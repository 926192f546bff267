/* Test the mean-field recursion against real runs, and the settings that it does not cover.
 *
 *     test-engine -p /mean-field/subprocess/print     prints the table of docs/MEASURED.md: the errors at d = 512
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-quantity-set.h"
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define THEORY "norm_eps=0,attention=uniform,attention_output=off"
#define DEPTH 12
#define SEEDS 6

/* Compute a prediction that must be possible. */
static void
predict (const NsExperiment *experiment, guint variant, NsQuantity quantity, double *value)
{
  g_assert_true (ns_mean_field_predict (experiment, variant, quantity, value, NULL));
}

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
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = NULL;
  NsQuantitySet forward = { { 0 } };
  double rms_x[DEPTH + 1], token_cos[DEPTH + 1];

  ns_quantity_set_add (&forward, NS_Q_RMS_X);
  ns_quantity_set_add (&forward, NS_Q_TOKEN_COS);
  result = ns_engine_run_quantities (engine, experiment, &forward, 0, SEEDS, NULL, NULL);
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_assert_true (ns_mean_field_holds (experiment, v, NS_Q_RMS_X));
      predict (experiment, v, NS_Q_RMS_X, rms_x);
      predict (experiment, v, NS_Q_TOKEN_COS, token_cos);
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

  predict (experiment, 0, NS_Q_RMS_X, rms_x);
  predict (experiment, 0, NS_Q_TOKEN_COS, token_cos);
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

  predict (experiment, 1, NS_Q_RMS_X, rms_x);
  predict (experiment, 1, NS_Q_TOKEN_COS, token_cos);
  g_assert_cmpfloat_with_epsilon (token_cos[1], (r + k / 2) / 1.5, 1e-12);
  for (int l = 1; l <= DEPTH; l++)
    g_assert_cmpfloat_with_epsilon (rms_x[l], 1, 1e-12);
  /* The distance from 1 halves with each block in the limit. */
  g_assert_cmpfloat ((1 - token_cos[DEPTH]) / (1 - token_cos[DEPTH - 1]), >, 0.4);
  g_assert_cmpfloat ((1 - token_cos[DEPTH]) / (1 - token_cos[DEPTH - 1]), <, 0.5);
}

/* ---- gradients ---- */

static const NsQuantity gradients[] = {
  NS_Q_GRAD_X, NS_Q_GRAD_Y_ATTN, NS_Q_GRAD_Z_ATTN, NS_Q_GRAD_Z_FFN, NS_Q_W_V,  NS_Q_W_1,  NS_Q_W_2,      NS_Q_B_V,
  NS_Q_B_1,    NS_Q_B_2,         NS_Q_ATTN,        NS_Q_FFN,        NS_Q_BLOCK, NS_Q_IDENTITY,
};

/* Return the relative error of a prediction at a site, and in *noise the standard error of the measured mean
 * of the squares. The prediction is the root of the expected square. */
static double
get_error (const NsResult *result, guint variant, NsQuantity quantity, gint64 site, double predicted, double *noise)
{
  guint n = ns_result_get_n_seeds (result);
  double mean = 0, square = 0, value;

  for (guint s = 0; s < n; s++)
    {
      g_assert_true (ns_result_get_value (result, variant, quantity, site, s, &value, NULL));
      mean += value * value / n;
      square += value * value * value * value / n;
    }
  *noise = mean > 0 ? sqrt (MAX (0, square - mean * mean) / (n - 1)) / (2 * mean) : 0;
  /* Without residuals the identity path is exactly 0. */
  return mean > 0 ? predicted / sqrt (mean) - 1 : predicted;
}

/* Return TRUE if all predicted gradients are within four standard errors plus `finite_width` of a result, whose
 * experiment may differ from that of the prediction. */
static gboolean
gradients_match (const NsExperiment *experiment, const NsResult *result, guint variant, double finite_width)
{
  gint64 depth = experiment->shape.depth;
  g_autofree double *predicted = g_new (double, depth + 1);
  gboolean match = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (gradients); i++)
    {
      predict (experiment, variant, gradients[i], predicted);
      for (gint64 l = 0; l <= depth; l++)
        {
          double noise, error;

          if (!ns_quantity_exists (gradients[i], experiment, variant, l))
            {
              g_assert_true (isnan (predicted[l]));
              continue;
            }
          error = get_error (result, variant, gradients[i], l, predicted[l], &noise);
          /* The tolerance must be small, or the test would pass for any prediction. */
          g_assert_cmpfloat (noise, <, 0.08);
          if (fabs (error) <= 4 * noise + finite_width)
            continue;
          g_test_message ("%s %u at %d: off by %.3f, standard error %.3f", ns_quantity_info (gradients[i])->name,
                          variant, (int) l, error, noise);
          match = FALSE;
        }
    }
  return match;
}

static void
check_gradients (NsExperiment *experiment, double finite_width)
{
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_test_message ("%s", ns_experiment_variant (experiment, v)->name);
      g_assert_true (ns_mean_field_holds (experiment, v, NS_Q_BLOCK));
      g_assert_true (gradients_match (experiment, result, v, finite_width));
    }
}

static NsExperiment *
make_wide (const char *variants, gint64 depth, gint64 d, gint64 n_tokens, gint64 batch, gint64 n_seeds)
{
  NsShape shape = { .depth = depth, .d_model = d, .heads = 1, .d_ff = d, .seq_len = n_tokens, .batch = batch,
                    .vocab = 256 };
  NsExperiment *experiment = check_experiment (shape, variants);

  experiment->sampling.seeds = n_seeds;
  return experiment;
}

static void
test_gradients (void)
{
  g_autoptr (NsExperiment) deep = make_wide ("pre:" THEORY " post:" THEORY, 12, 512, 32, 2, 8);
  g_autoptr (NsExperiment) one_token = make_wide ("pre:" THEORY " post:" THEORY, 6, 256, 1, 8, 12);
  g_autoptr (NsExperiment) one_sequence = make_wide ("pre:" THEORY " post:" THEORY, 6, 256, 16, 1, 16);

  /* Here the products between sequences are most of a gradient. */
  g_autoptr (NsExperiment) sequences
      = make_wide ("pre:init.head=lecun," THEORY " post:init.head=lecun," THEORY, 6, 256, 2, 32, 8);

  sequences->shape.vocab = 64;
  check_gradients (sequences, 0.03);
  check_gradients (deep, 0.02);
  check_gradients (one_token, 0.03);
  check_gradients (one_sequence, 0.03);
}

static void
test_gradient_wirings (void)
{
  static const char placements[]
      = "sandwich:" THEORY " branch:" THEORY " pre-post:" THEORY " mix:" THEORY " layernorm-scaling:" THEORY
        " pre:final_norm=on,ffn.residual=off," THEORY;
  static const char scales[]
      = "post:residual_scale=2,branch_scale=0.5," THEORY " post:residual_scale=deepnorm," THEORY
        " pre:branch_parameter=vector,branch_scale=0.7," THEORY " pre:norm=rmsnorm,bias=on," THEORY
        " post:bias=on,init.head=lecun,init.scheme=xavier-uniform," THEORY;
  g_autoptr (NsExperiment) placed = make_wide (placements, 6, 256, 16, 4, 12);
  g_autoptr (NsExperiment) scaled = make_wide (scales, 6, 256, 16, 4, 12);

  check_gradients (placed, 0.03);
  check_gradients (scaled, 0.03);
}

/* Another loss, LeCun weights of an FFN of another width, no norm at all, and estimates over minibatches. */
static void
test_gradient_settings (void)
{
  g_autoptr (NsExperiment) unit = make_wide ("pre:" THEORY " post:" THEORY " none:" THEORY, 6, 256, 16, 2, 8);
  g_autoptr (NsExperiment) lecun = make_wide ("pre:init.scheme=lecun-normal,bias=on," THEORY, 6, 256, 16, 2, 8);
  g_autoptr (NsExperiment) batches = make_wide ("pre:" THEORY " post:" THEORY, 4, 256, 8, 2, 8);

  unit->loss = NS_LOSS_UNIT_GRADIENT;
  check_gradients (unit, 0.03);
  lecun->shape.d_ff = 512;
  lecun->shape.vocab = 512;
  check_gradients (lecun, 0.03);
  batches->sampling.batches = 4;
  batches->sampling.estimate = NS_ESTIMATE_MEAN;
  check_gradients (batches, 0.03);
  batches->sampling.estimate = NS_ESTIMATE_NORM;
  check_gradients (batches, 0.03);
}

/* The comparison detects predictions for a little different network: the tokens' products, their number, the branches'
 * size and the place of the norms matter. */
static void
test_planted (void)
{
  g_autoptr (NsExperiment) experiment = make_wide ("pre:" THEORY " post:" THEORY, 6, 256, 16, 4, 8);
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);
  g_autoptr (NsExperiment) swapped = make_wide ("post:" THEORY " pre:" THEORY, 6, 256, 16, 4, 1);
  g_autoptr (NsExperiment) smaller
      = make_wide ("pre:branch_scale=0.85," THEORY " post:branch_scale=0.85," THEORY, 6, 256, 16, 4, 1);
  g_autoptr (NsExperiment) regrouped = make_wide ("pre:" THEORY " post:" THEORY, 6, 256, 4, 16, 1);
  const NsExperiment *const others[] = { swapped, smaller, regrouped };

  for (guint v = 0; v < 2; v++)
    {
      g_assert_true (gradients_match (experiment, result, v, 0.03));
      for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
        g_assert_false (gradients_match (others[i], result, v, 0.03));
    }
}

/* One block of one token by hand: x_1 has the mean square 2 before the FFN. */
static void
test_gradients_by_hand (void)
{
  static const struct
  {
    NsQuantity quantity;
    gint64 site;
    double square;
  } wanted[] = {
    { NS_Q_GRAD_X, 1, 1 },           { NS_Q_W_2, 1, 256 / 2.0 },     { NS_Q_W_1, 1, 256 / 2.0 },
    { NS_Q_GRAD_Y_ATTN, 1, 5 / 4.0 }, { NS_Q_W_V, 1, 256 * 5 / 4.0 }, { NS_Q_GRAD_X, 0, 5 / 2.0 },
    { NS_Q_IDENTITY, 0, 1 },         { NS_Q_IDENTITY_SHARE, 0, 4 / 25.0 }, { NS_Q_GRAD_COS, 0, 2 / 5.0 },
  };
  g_autoptr (NsExperiment) experiment = make_wide ("pre:" THEORY, 1, 256, 1, 1, 1);
  double value[2], log10_value[2];

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      g_assert_true (ns_mean_field_predict (experiment, 0, wanted[i].quantity, value, log10_value));
      g_assert_cmpfloat_with_epsilon (value[wanted[i].site], sqrt (wanted[i].square), 1e-12);
      g_assert_cmpfloat_with_epsilon (log10_value[wanted[i].site], 0.5 * log10 (wanted[i].square), 1e-12);
    }
}

/* ---- over depths ---- */

static void
test_metrics (void)
{
  static const char *const metrics[]
      = { "w_2@last", "w_2@first", "grad_x@max", "block@total", "block@squares", "rms_x@last", "token_cos@last",
          "identity@first", "rms_ffn@total" };
  static const gint64 depths[] = { 1, 2, 5, 12, 40 };
  g_autoptr (NsExperiment) experiment
      = make_wide ("pre:" THEORY " post:" THEORY " mix:" THEORY " post:residual_scale=deepnorm," THEORY, 3, 64, 8, 2,
                   1);

  for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++)
    for (guint v = 0; v < experiment->variants->len; v++)
      {
        double found[G_N_ELEMENTS (depths)];
        NsMetric metric;

        g_assert_true (ns_metric_from_text (metrics[i], &metric, NULL));
        g_assert_true (ns_mean_field_predict_metric (experiment, v, metric, depths, G_N_ELEMENTS (depths), found));
        for (gsize k = 0; k < G_N_ELEMENTS (depths); k++)
          {
            gint64 depth = depths[k];
            g_autoptr (NsExperiment) whole = ns_experiment_copy (experiment);
            g_autofree double *value = g_new (double, depth + 1);
            double squares = 0, largest = 0, wanted;

            whole->shape.depth = depth;
            predict (whole, v, metric.quantity, value);
            for (gint64 l = 1; l <= depth; l++)
              {
                squares += value[l] * value[l];
                largest = MAX (largest, value[l]);
              }
            wanted = metric.where == NS_AT_LAST    ? value[depth]
                     : metric.where == NS_AT_FIRST ? value[1]
                     : metric.where == NS_AT_MAX   ? largest
                     : metric.where == NS_AT_TOTAL ? sqrt (squares)
                                                   : squares;
            g_assert_cmpfloat_with_epsilon (pow (10, found[k]) / wanted, 1, 1e-9);
          }
      }
}

/* A million blocks: finite, with the exponents that the recursion has in the limit; and a gradient far below the
 * smallest double. */
static void
test_million (void)
{
  static const gint64 depths[] = { 10000, NS_MEAN_FIELD_MAX_DEPTH };
  g_autoptr (NsExperiment) experiment
      = make_wide ("pre:" THEORY " post:" THEORY " post:attn.residual=off," THEORY, 3, 64, 8, 2, 1);
  NsMetric last = { NS_Q_W_2, NS_AT_LAST, NS_PART_STACK }, path = { NS_Q_IDENTITY, NS_AT_FIRST, NS_PART_STACK };
  double found[2];

  g_assert_true (ns_mean_field_predict_metric (experiment, 0, last, depths, 2, found));
  g_assert_cmpfloat_with_epsilon ((found[1] - found[0]) / 2, -0.5, 0.001);
  g_assert_true (ns_mean_field_predict_metric (experiment, 1, last, depths, 2, found));
  g_assert_cmpfloat_with_epsilon (found[1], found[0], 1e-3);
  g_assert_true (ns_mean_field_predict_metric (experiment, 1, path, depths, 2, found));
  g_assert_true (isfinite (found[1]));
  g_assert_cmpfloat (found[1], <, -200000);
  g_assert_true (ns_mean_field_predict_metric (experiment, 2, path, depths, 2, found));
  g_assert_true (isinf (found[1]) && found[1] < 0);
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
    { "streams=2", "streams" },
  };
  static const char *const met[] = { "norm=rmsnorm", "branch_parameter=scalar", "dual_residual=on", "qk_norm=none",
                                     "residual_scale=admin-constant", "branch_scale=inverse-sqrt-depth",
                                     "init.scheme=lecun-normal", "init.scheme=xavier-uniform", "cross.norm=post",
                                     "input_scale=1", "init.residual=1" };
  g_autoptr (NsExperiment) experiment = make ("pre:" THEORY, 8);

  g_assert_true (ns_mean_field_holds (experiment, 0, NS_Q_RMS_X));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *variant = g_strdup_printf ("pre:" THEORY ",%s", cases[i].settings);
      g_autoptr (NsExperiment) other = make (variant, 8);
      g_autofree const char **missed = ns_mean_field_list_missed (other, 0, NS_Q_RMS_X);

      g_assert_false (ns_mean_field_holds (other, 0, NS_Q_RMS_X));
      g_assert_cmpstr (missed[0], ==, cases[i].key);
      g_assert_null (missed[1]);
      g_assert_nonnull (ns_param_find (missed[0]));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (met); i++)
    {
      g_autofree char *variant = g_strdup_printf ("pre:" THEORY ",%s", met[i]);
      g_autoptr (NsExperiment) other = make (variant, 8);

      g_test_message ("%s", met[i]);
      g_assert_true (ns_mean_field_holds (other, 0, NS_Q_RMS_X));
    }
  {
    g_autoptr (NsExperiment) grouped = make ("pre:" THEORY, 8), inner = NULL;
    g_autofree const char **missed = NULL, **missed_inner = NULL, **missed_pair = NULL;

    grouped->shape.heads = 4;
    g_assert_true (ns_mean_field_holds (grouped, 0, NS_Q_RMS_X));
    grouped->shape.kv_heads = 4;
    g_assert_true (ns_mean_field_holds (grouped, 0, NS_Q_RMS_X));
    grouped->shape.kv_heads = 2;
    missed = ns_mean_field_list_missed (grouped, 0, NS_Q_RMS_X);
    g_assert_cmpstr (missed[0], ==, "shape.kv_heads");
    g_assert_null (missed[1]);
    grouped->shape.kv_heads = 0;
    grouped->shape.stack = NS_STACK_ENCODER_DECODER;
    missed_pair = ns_mean_field_list_missed (grouped, 0, NS_Q_RMS_X);
    g_assert_cmpstr (missed_pair[0], ==, "shape.stack");
    g_assert_null (missed_pair[1]);
    inner = make ("pre:" THEORY ",attention_output=on,attn.inner_norm=on", 8);
    missed_inner = ns_mean_field_list_missed (inner, 0, NS_Q_RMS_X);
    g_assert_cmpstr (missed_inner[0], ==, "attention_output");
    g_assert_cmpstr (missed_inner[1], ==, "attn.inner_norm");
    g_assert_null (missed_inner[2]);
  }
  experiment->data.class_token = NS_CLASS_TOKEN_ZERO;
  {
    g_autofree const char **missed = ns_mean_field_list_missed (experiment, 0, NS_Q_RMS_X);

    g_assert_cmpstr (missed[0], ==, "data.class_token");
    g_assert_null (missed[1]);
  }
  experiment->data.class_token = NS_CLASS_TOKEN_NONE;
  experiment->shape.d_ff = 512;
  experiment->data.source = NS_SOURCE_TOKENS;
  {
    g_autofree const char **missed = ns_mean_field_list_missed (experiment, 0, NS_Q_RMS_X);

    g_assert_cmpstr (missed[0], ==, "shape.d_ff");
    g_assert_cmpstr (missed[1], ==, "data.source");
    g_assert_null (missed[2]);
  }
}

/* Gradients depend on more settings than activations. */
static void
test_missed_gradients (void)
{
  static const struct
  {
    const char *settings, *key;
  } cases[] = { { "dual_residual=on", "dual_residual" },
                { "final_norm=off", "final_norm" },
                { "init.head=1", "init.head" },
                { "head_transform=on", "head_transform" } };
  g_autoptr (NsExperiment) experiment = make_wide ("pre:" THEORY " post:final_norm=off," THEORY, 3, 64, 8, 2, 1);

  g_assert_true (ns_mean_field_holds (experiment, 0, NS_Q_W_2));
  g_assert_true (ns_mean_field_holds (experiment, 1, NS_Q_W_2));
  g_assert_false (ns_mean_field_holds (experiment, 0, NS_Q_W_Q));
  g_assert_false (ns_mean_field_holds (experiment, 0, NS_Q_W_HEAD));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *variant = g_strdup_printf ("pre:" THEORY ",%s", cases[i].settings);
      g_autoptr (NsExperiment) other = make_wide (variant, 3, 64, 8, 2, 1);
      g_autofree const char **missed = ns_mean_field_list_missed (other, 0, NS_Q_W_2);

      g_assert_true (ns_mean_field_holds (other, 0, NS_Q_RMS_X));
      g_assert_cmpstr (missed[0], ==, cases[i].key);
      g_assert_null (missed[1]);
      g_assert_nonnull (ns_param_find (missed[0]));
      /* The head is of no concern to a unit gradient. */
      other->loss = NS_LOSS_UNIT_GRADIENT;
      g_assert_cmpint (ns_mean_field_holds (other, 0, NS_Q_W_2), ==, i > 0);
    }
  experiment->shape.vocab = 4;
  {
    g_autofree const char **missed = ns_mean_field_list_missed (experiment, 0, NS_Q_GRAD_X);

    g_assert_cmpstr (missed[0], ==, "shape.vocab");
    g_assert_null (missed[1]);
  }
}

/* ---- the table of docs/MEASURED.md ---- */

static void
print_table (void)
{
  static const NsQuantity columns[] = { NS_Q_GRAD_X, NS_Q_W_V, NS_Q_W_1, NS_Q_W_2, NS_Q_BLOCK, NS_Q_IDENTITY };

  printf ("| variant | blocks | tokens |");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    printf (" `%s` |", ns_quantity_info (columns[i])->name);
  printf ("\n| --- | --- | --- |");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    printf (" --- |");
  printf ("\n");
  for (int shape = 0; shape < 3; shape++)
    {
      gint64 depth = shape == 1 ? 24 : 12, n_tokens = shape == 2 ? 8 : 32, batch = shape == 2 ? 8 : 2;
      g_autoptr (NsExperiment) experiment
          = make_wide ("pre:name=Pre-LN," THEORY " post:name=Post-LN," THEORY, depth, 512, n_tokens, batch, 64);
      g_autoptr (NsResult) result = check_run (experiment, 0, 0);
      g_autofree double *predicted = g_new (double, depth + 1);

      for (guint v = 0; v < 2; v++)
        {
          printf ("| %s | %d | %d × %d |", ns_experiment_variant (experiment, v)->name, (int) depth, (int) batch,
                  (int) n_tokens);
          for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
            {
              double sum = 0, worst = 0, worst_noise = 0;
              int n = 0;

              predict (experiment, v, columns[i], predicted);
              for (gint64 l = 0; l <= depth; l++)
                if (ns_quantity_exists (columns[i], experiment, v, l))
                  {
                    double noise, error = fabs (get_error (result, v, columns[i], l, predicted[l], &noise));

                    sum += error;
                    worst = MAX (worst, error);
                    worst_noise = MAX (worst_noise, noise);
                    n++;
                  }
              printf (" %.1f, %.1f (%.1f) |", 100 * sum / n, 100 * worst, 100 * worst_noise);
            }
          printf ("\n");
        }
    }
}

void
add_mean_field_tests (void)
{
  g_test_add_func ("/mean-field/pre-post", test_pre_post);
  g_test_add_func ("/mean-field/wirings", test_wirings);
  g_test_add_func ("/mean-field/rules", test_rules);
  g_test_add_func ("/mean-field/by-hand", test_by_hand);
  g_test_add_func ("/mean-field/gradients", test_gradients);
  g_test_add_func ("/mean-field/gradient-wirings", test_gradient_wirings);
  g_test_add_func ("/mean-field/gradient-settings", test_gradient_settings);
  g_test_add_func ("/mean-field/gradients-by-hand", test_gradients_by_hand);
  g_test_add_func ("/mean-field/planted", test_planted);
  g_test_add_func ("/mean-field/metrics", test_metrics);
  g_test_add_func ("/mean-field/million", test_million);
  g_test_add_func ("/mean-field/missed", test_missed);
  g_test_add_func ("/mean-field/missed-gradients", test_missed_gradients);
  g_test_add_func ("/mean-field/subprocess/print", print_table);
}
