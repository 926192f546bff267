/* Test sweeps: metrics and their text, the experiment at each point, and values equal to those of whole runs.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/run/ns-sweep-private.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static const NsShape small = {
  .depth = 4, .d_model = 16, .heads = 4, .d_ff = 24, .seq_len = 5, .batch = 2, .vocab = 11,
};

/* ---- metrics ---- */

static void
test_metric_text (void)
{
  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    for (int where = NS_AT_LAST; where < NS_N_WHERES; where++)
      for (int part = NS_PART_STACK; part <= NS_PART_DECODER; part++)
        {
          NsMetric metric = { (NsQuantity) q, (NsWhere) where, (NsPart) part }, read = { NS_Q_LOSS, NS_AT_MAX, 7 };
          g_autofree char *text = ns_metric_dup_text (&metric);

          g_assert_true (ns_metric_from_text (text, &read, NULL));
          g_assert_true (read.quantity == metric.quantity && read.where == metric.where && read.part == metric.part);
        }
}

static void
test_metric_forms (void)
{
  static const struct
  {
    const char *text;
    NsMetric metric;
  } good[] = {
    { "w_2", { NS_Q_W_2, NS_AT_LAST, NS_PART_STACK } },
    { "w_2@first", { NS_Q_W_2, NS_AT_FIRST, NS_PART_STACK } },
    { "decoder:cross_w_v@max", { NS_Q_CROSS_W_V, NS_AT_MAX, NS_PART_DECODER } },
    { "encoder:grad_x", { NS_Q_GRAD_X, NS_AT_LAST, NS_PART_ENCODER } },
    { "encoder:block@total", { NS_Q_BLOCK, NS_AT_TOTAL, NS_PART_ENCODER } },
  };
  static const char *const bad[][2] = {
    { "stack:w_2", "“stack:” is not a part; allowed: encoder:, decoder:, or none" },
    { ":w_2", "“:” is not a part" },
    { "Encoder:w_2", "“Encoder:” is not a part" },
    { "head:w_head", "“head:” is not a part" },
    { "encoder:", "no quantity “”" },
    { "encoder:w_9@last", "no quantity “w_9”; allowed: a tensor such as w_q" },
    { "encoder:decoder:w_2", "no quantity “decoder:w_2”" },
    { "", "no quantity “”" },
    { "w_2@", "“@” is not a place; allowed: @last, @first, @max, @total, @squares" },
    { "decoder:w_2@end", "“@end” is not a place" },
    { "w_2@last@first", "“@last@first” is not a place" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      NsMetric metric;

      g_assert_true (ns_metric_from_text (good[i].text, &metric, NULL));
      g_assert_true (metric.quantity == good[i].metric.quantity && metric.where == good[i].metric.where);
      g_assert_cmpint (metric.part, ==, good[i].metric.part);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      NsMetric metric = { NS_Q_LOSS, NS_AT_MAX, NS_PART_ENCODER };
      g_autoptr (GError) error = NULL;

      g_assert_false (ns_metric_from_text (bad[i][0], &metric, &error));
      g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i][1]));
      /* the metric keeps its value */
      g_assert_true (metric.quantity == NS_Q_LOSS && metric.where == NS_AT_MAX && metric.part == NS_PART_ENCODER);
    }
}

static void
test_metric_exists (void)
{
  static const struct
  {
    const char *metric;
    gboolean single, pair;
  } cases[] = {
    { "w_2", TRUE, TRUE },
    { "encoder:w_2", FALSE, TRUE },
    { "decoder:w_2", FALSE, TRUE },
    { "cross", FALSE, TRUE },
    { "decoder:cross", FALSE, TRUE },
    { "encoder:cross", FALSE, FALSE },
    { "rms_cross", FALSE, TRUE },
    { "w_3", FALSE, FALSE },
    { "loss", TRUE, TRUE },
    { "w_head", TRUE, TRUE },
    { "gain_final", TRUE, TRUE },
    { "gain_encoder_final", FALSE, TRUE },
    { "scale_ffn", FALSE, FALSE },
    /* only in the first blocks of a mixed stack, or only in the last ones */
    { "gain_attn_post", TRUE, TRUE },
    { "gain_attn_pre", TRUE, TRUE },
    { "gain_cross_post", FALSE, TRUE },
    { "encoder:gain_cross_post", FALSE, FALSE },
  };
  g_autoptr (NsExperiment) experiment = check_experiment (small, "mix");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      NsMetric metric;

      g_assert_true (ns_metric_from_text (cases[i].metric, &metric, NULL));
      g_test_message ("%s", cases[i].metric);
      experiment->shape.stack = NS_STACK_SINGLE;
      g_assert_cmpint (ns_metric_exists (&metric, experiment, 0), ==, cases[i].single);
      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      g_assert_cmpint (ns_metric_exists (&metric, experiment, 0), ==, cases[i].pair);
    }
}

/* ---- dependence on depth ---- */

static void
test_depends_on_depth (void)
{
  static const struct
  {
    const char *variant;
    gboolean depends;
  } cases[] = {
    { "pre", FALSE },
    { "pre:post_fraction=0", FALSE },
    { "pre:post_fraction=0.5", TRUE },
    { "pre:post_fraction=1", FALSE },
    { "post:first_block_pre=on", TRUE },
    { "pre:norm_scale=layernorm-scaling", FALSE }, /* depends on the number of the block */
    { "post:residual_scale=1.7", FALSE },
    { "post:residual_scale=deepnorm", TRUE },
    { "post:residual_scale=admin", TRUE },
    { "post:residual_scale=admin-constant", TRUE },
    { "pre:branch_scale=0.3", FALSE },
    { "pre:branch_scale=inverse-sqrt-depth", TRUE },
    { "pre:input_scale=0.3", FALSE },
    { "pre:input_scale=t-fixup", TRUE },
    { "pre:attention_scale=0.3", FALSE },
    { "pre:attention_scale=sqrt-d-head", FALSE },
    { "pre:init.residual=0.5", FALSE },
    { "pre:init.residual=none", FALSE },
    { "pre:init.residual=gpt2", TRUE },
    { "pre:init.residual=deepnorm", TRUE },
    { "pre:init.residual=wang", TRUE },
    { "pre:init.residual=sub-ln", TRUE },
    { "pre:init.residual=t-fixup", TRUE },
    { "pre:init.residual=fixup", TRUE },
    { "pre:init.residual=ds-init", FALSE }, /* depends on the number of the block */
    { "pre:init.scheme=mitchell", FALSE },  /* the same */
    { "pre:init.scheme=small", FALSE },
    { "pre:init.scheme=t5", FALSE },
    { "pre:init.scheme=fairseq", FALSE },
    { "post:block_residual=on,dual_residual=on,input_norm=on,branch_parameter=vector", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (small, cases[i].variant);

      g_test_message ("%s", cases[i].variant);
      g_assert_cmpint (ns_variant_depends_on_depth (experiment, 0), ==, cases[i].depends);
      /* a deeper encoder changes the input of the cross-attention in the decoder's first block */
      experiment->shape.stack = NS_STACK_ENCODER_DECODER;
      g_assert_true (ns_variant_depends_on_depth (experiment, 0));
    }
}

static NsSweep *
make_sweep (const NsExperiment *experiment, NsSweepAxis axis, const char *points, const char *metric)
{
  NsMetric read;
  guint n;
  GError *error = NULL;
  g_autofree gint64 *list = ns_sweep_points_from_text (points, &n, &error);
  NsSweep *sweep;

  g_assert_no_error (error);
  g_assert_true (ns_metric_from_text (metric, &read, NULL));
  sweep = ns_sweep_new (experiment, axis, list, n, read, &error);
  g_assert_no_error (error);
  return sweep;
}

/* Wider models keep their ratios. Heads divide the width, and groups divide the heads. */
static void
test_widths (void)
{
  static const struct
  {
    gint64 heads, kv_heads, d_head, d_model, got_heads, got_kv_heads, got_d_ff;
  } cases[] = {
    { 4, 0, 0, 32, 4, 0, 48 },  { 4, 2, 0, 32, 4, 2, 48 }, { 4, 2, 0, 6, 3, 1, 9 },
    { 4, 4, 0, 6, 3, 3, 9 },    { 4, 1, 0, 6, 3, 1, 9 },   { 4, 0, 0, 3, 3, 0, 5 },
    { 6, 3, 10, 7, 6, 3, 11 },  { 4, 2, 0, 1, 1, 1, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      NsShape shape = small;
      g_autoptr (NsExperiment) experiment = NULL, at = NULL;
      NsSweep *sweep;
      const gint64 point = cases[i].d_model;

      shape.heads = cases[i].heads;
      shape.kv_heads = cases[i].kv_heads;
      shape.d_head = cases[i].d_head;
      experiment = check_experiment (shape, "pre");
      sweep = ns_sweep_new (experiment, NS_SWEEP_D_MODEL, &point, 1, (NsMetric){ NS_Q_BLOCK, NS_AT_LAST, 0 }, NULL);
      g_assert_nonnull (sweep);
      at = ns_sweep_make_experiment (sweep, 0);
      g_assert_cmpint (at->shape.d_model, ==, cases[i].d_model);
      g_assert_cmpint (at->shape.heads, ==, cases[i].got_heads);
      g_assert_cmpint (at->shape.kv_heads, ==, cases[i].got_kv_heads);
      g_assert_cmpint (at->shape.d_head, ==, cases[i].d_head);
      g_assert_cmpint (at->shape.d_ff, ==, cases[i].got_d_ff);
      ns_sweep_unref (sweep);
    }
}

/* The share of a head that rotary positions turn stays, in whole pairs. */
static void
test_rotary_widths (void)
{
  static const struct
  {
    gint64 d_model, d_head, dim; /* 0: the whole head, where not a single pair fits */
  } cases[] = { { 32, 8, 4 }, { 64, 16, 8 }, { 48, 12, 6 }, { 40, 10, 6 }, { 6, 2, 2 }, { 3, 1, 0 } };
  NsShape shape = small;
  g_autoptr (NsExperiment) experiment = NULL;

  shape.heads = 4;
  shape.d_model = 32;
  experiment = check_experiment (shape, "pre:rotary=half,rotary_dim=4");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      NsSweep *sweep = ns_sweep_new (experiment, NS_SWEEP_D_MODEL, &cases[i].d_model, 1,
                                     (NsMetric){ NS_Q_BLOCK, NS_AT_LAST, 0 }, NULL);
      g_autoptr (NsExperiment) at = ns_sweep_make_experiment (sweep, 0);

      g_assert_true (ns_experiment_validate (at, NULL));
      g_assert_cmpint (ns_shape_get_d_head (&at->shape), ==, cases[i].d_head);
      g_assert_cmpint (ns_experiment_variant (at, 0)->rotary.dim, ==, cases[i].dim);
      ns_sweep_unref (sweep);
    }
}

/* Without W_O the heads must add up to d_model; the sweep reports this before the first run. */
static void
test_refused (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre:attention_output=off");
  const gint64 points[] = { 16, 32 };
  const NsMetric block = { NS_Q_BLOCK, NS_AT_LAST, NS_PART_STACK };
  g_autoptr (GError) error = NULL;

  experiment->shape.d_head = 4;
  g_assert_null (ns_sweep_new (experiment, NS_SWEEP_D_MODEL, points, 2, block, &error));
  g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "attention_output"));
}

/* ---- values ---- */

/* Compute the metric from a whole run by its definition, without code of the sweep. Return NaN if it does not exist. */
static double
metric_of (const NsResult *result, NsMetric metric, guint variant, guint seed)
{
  const NsExperiment *e = ns_result_get_experiment (result);
  gboolean single = e->shape.stack == NS_STACK_SINGLE;
  gint64 N = e->shape.depth, M = single ? 0 : e->shape.decoder_depth > 0 ? e->shape.decoder_depth : N;
  gint64 head = single ? N + 1 : N + M + 2, first = single || metric.part == NS_PART_ENCODER ? 1 : N + 2;
  gint64 L = first == 1 ? N : M;
  double largest = NAN, total = 0, value;

  if (ns_result_get_value (result, variant, metric.quantity, head, seed, &value, NULL))
    return value;
  if (ns_quantity_is_of_input (metric.quantity))
    return ns_result_get_value (result, variant, metric.quantity, first - 1, seed, &value, NULL) ? value : NAN;
  for (gint64 site = first; site < first + L; site++)
    {
      if (!ns_result_get_value (result, variant, metric.quantity, site, seed, &value, NULL))
        value = NAN;
      if ((metric.where == NS_AT_FIRST && site == first) || (metric.where == NS_AT_LAST && site == first + L - 1))
        return value;
      largest = site > first && (isnan (largest) || value <= largest) ? largest : value; /* a NaN stays */
      total += value * value;
    }
  if (metric.where == NS_AT_MAX)
    return largest;
  return metric.where == NS_AT_SQUARES ? total : sqrt (total);
}

static const struct
{
  const char *variants;
  gboolean pair;
  gint64 decoder_depth; /* at the depth of `small`; 0: equal depths */
} stacks[] = {
  { "pre post:bias=on deepnorm", FALSE, 0 },
  { "mix:branch_parameter=vector layernorm-scaling pre:init.scheme=mitchell,init.residual=ds-init", FALSE, 0 },
  { "post:dual_residual=on,block_residual=on pre:input_norm=on,branch_parameter=scalar pre:norm=dyt,qk_norm=full",
    FALSE, 0 },
  { "parallel-two-norms sub-ln t-fixup", FALSE, 0 },
  { "pre post:bias=on deepnorm", TRUE, 0 },
  { "mix post:dual_residual=on,block_residual=on sandwich:cross.norm=post,cross.residual=off", TRUE, 0 },
  { "pre:qk_norm=head,attn.inner_norm=on,branch_parameter=vector pre:attention=uniform", TRUE, 0 },
  { "pre:rotary=half,rotary_base=20 post:rotary=interleaved,rotary_scaling=llama3,rotary_original=9 "
    "pre:position_bias=alibi,score_cap=0.5,logit_cap=1,name=ALiBi pre:position_bias=t5,name=T5 "
    "pre:experts=4,shared_experts=1,name=Experts", TRUE, 0 },
  { "pre:bias=on deepnorm sub-ln t-fixup", TRUE, 8 },
  { "mix deepnorm pre:branch_scale=inverse-sqrt-depth post:dual_residual=on", TRUE, 1 },
};

static const char *const metrics[] = {
  "w_q@last", "w_2@first", "block@max", "block@total", "ffn@last", "attn@first", "grad_x@last", "grad_x@first",
  "w_2@squares",
  "grad_x@max", "rms_x@last", "rms_ffn@first", "rms_attn@total", "token_cos@last", "loss@last", "w_head@last",
  "gain_final@first", "scale_ffn@last", "relative_bias@last", "share_input@last",
  "share_input@max", "share_attn@last", "share_ffn@first",
  "share_attn@total", "skip_ratio_attn@max", "skip_cos_ffn@last", "grad_skip_ratio_ffn@last",
  "grad_skip_cos_attn@first",
};

static const char *const pair_metrics[] = {
  "encoder:w_q@last", "encoder:w_2@first", "encoder:block@max", "encoder:block@total", "encoder:grad_x@last",
  "encoder:grad_x@first", "encoder:rms_x@last", "encoder:rms_attn@max", "encoder:token_cos@first", "encoder:ffn@last",
  "decoder:w_q@last", "decoder:w_2@first", "decoder:block@max", "decoder:block@total", "decoder:grad_x@last",
  "decoder:grad_x@first", "decoder:rms_x@max", "decoder:token_cos@last", "decoder:attn@last", "cross@last",
  "cross@total", "cross_w_v@first", "cross_w_q@last", "decoder:cross@max", "rms_cross@last", "encoder:cross@last",
  "gain_encoder_final@last", "gain_encoder_final@first", "encoder:gain_encoder_final@max", "gain_cross_post@last",
  "encoder:share_input@last", "decoder:share_input@first", "share_cross@last", "encoder:share_ffn@last",
  "grad_skip_ratio_cross@max",
};

static const gint64 points[] = { 1, 2, 5 };

/* Return a separate run of each point. */
static GPtrArray *
run_points (const NsExperiment *experiment)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);

  for (gsize p = 0; p < G_N_ELEMENTS (points); p++)
    {
      g_autoptr (NsExperiment) e = ns_experiment_copy (experiment);

      if (e->shape.decoder_depth > 0) /* keeps its ratio */
        e->shape.decoder_depth
            = MAX (1, llround ((double) (e->shape.decoder_depth * points[p]) / (double) e->shape.depth));
      e->shape.depth = points[p];
      g_ptr_array_add (results, check_run_on (engine, e));
    }
  return results;
}

/* Compare every point of a sweep with its separate run. Return the number of values. */
static guint
check_values (const NsExperiment *experiment, GPtrArray *results, const char *text, guint n_threads, guint64 budget)
{
  NsSweep *sweep = make_sweep (experiment, NS_SWEEP_DEPTH, "1,2,5", text);
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  NsMetric metric = ns_sweep_get_metric (sweep);
  guint numbers = 0;

  g_assert_true (ns_engine_run_sweep (engine, sweep, progress, NULL));
  for (guint p = 0; p < results->len; p++)
    {
      const NsResult *result = g_ptr_array_index (results, p);

      for (guint v = 0; v < experiment->variants->len; v++)
        for (guint s = 0; s < 2; s++)
          {
            double expected = metric_of (result, metric, v, s), value = 42, log10_value = 42;

            g_assert_true (ns_sweep_get_value (sweep, v, p, s, &value, &log10_value));
            if (isnan (expected) ? isnan (value) : fabs (value - expected) <= 1e-9 * fabs (expected))
              {
                g_assert_true (isnan (value) || value <= 0 || fabs (log10_value - log10 (value)) < 1e-9);
                numbers += isfinite (value);
                continue;
              }
            g_error ("%s of %s at depth %d: %.10g, alone %.10g", text, ns_experiment_variant (experiment, v)->name,
                     (int) points[p], value, expected);
          }
    }
  ns_sweep_unref (sweep);
  return numbers;
}

static void
test_values (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (NsExperiment) experiment = check_experiment (small, stacks[i].variants);
  g_autoptr (GPtrArray) results = NULL;
  guint numbers = 0;

  experiment->sampling.seeds = 2;
  experiment->shape.stack = stacks[i].pair ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
  experiment->shape.decoder_depth = stacks[i].decoder_depth;
  results = run_points (experiment);
  for (gsize m = 0; m < G_N_ELEMENTS (metrics); m++)
    numbers += check_values (experiment, results, metrics[m], 1 + m % 2, m % 3 == 0 ? 1 : 0);
  for (gsize m = 0; stacks[i].pair && m < G_N_ELEMENTS (pair_metrics); m++)
    numbers += check_values (experiment, results, pair_metrics[m], 1 + m % 2, m % 3 == 0 ? 1 : 0);
  g_assert_cmpuint (numbers, >, 10 * experiment->variants->len * 6);
}

/* With several minibatches a sweep has the experiment's estimate. test_expected_total() is about the total of expected
 * gradients, which takes negative squares in. */
static void
test_estimates (void)
{
  static const char *const estimated[] = { "w_q@last", "w_2@first", "block@max", "grad_x@last", "rms_x@last", "loss" };
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post:bias=on deepnorm");
  guint numbers = 0;

  experiment->sampling.seeds = 2;
  experiment->sampling.batches = 3;
  for (int estimate = 0; estimate < NS_N_ESTIMATES; estimate++)
    {
      g_autoptr (GPtrArray) results = NULL;

      experiment->sampling.estimate = estimate;
      results = run_points (experiment);
      for (gsize m = 0; m < G_N_ELEMENTS (estimated); m++)
        numbers += check_values (experiment, results, estimated[m], 1 + m % 2, 0);
      if (estimate != NS_ESTIMATE_EXPECTED)
        numbers += check_values (experiment, results, "block@total", 1, 0);
    }
  g_assert_cmpuint (numbers, >, 200);
}

/* Return the unbiased square of block l of two minibatches, whose first one is `first` alone. */
static double
square_of_two (const NsResult *two, const NsResult *first, gint64 l)
{
  double mean, norm, one = check_value (first, 0, NS_Q_W_2, l, 0), other;

  g_assert_true (ns_result_get_value_of (two, 0, NS_Q_W_2, NS_ESTIMATE_MEAN, l, 0, &mean, NULL));
  g_assert_true (ns_result_get_value_of (two, 0, NS_Q_W_2, NS_ESTIMATE_NORM, l, 0, &norm, NULL));
  other = 2 * norm - one;
  return 2 * mean * mean - (one * one + other * other) / 2;
}

/* The total of expected gradients is the sum of the blocks' unbiased squares, negative ones included. */
static void
test_expected_total (void)
{
  g_autoptr (NsExperiment) one = check_experiment (small, "pre");
  guint n_negative = 0, n_totals = 0;

  one->data.source = NS_SOURCE_TOKENS;
  for (one->sampling.seed = 0; one->sampling.seed < 20; one->sampling.seed++)
    {
      g_autoptr (NsExperiment) two = ns_experiment_copy (one);
      g_autoptr (NsResult) one_result = check_run (one, 1, 0), two_result = NULL;
      g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
      double total = 0, got, value;
      NsSweep *sweep;

      two->sampling.batches = 2;
      two->sampling.estimate = NS_ESTIMATE_EXPECTED;
      two_result = check_run (two, 1, 0);
      for (gint64 l = 1; l <= one->shape.depth; l++)
        {
          double square = square_of_two (two_result, one_result, l);

          value = check_value (two_result, 0, NS_Q_W_2, l, 0);
          g_assert_true (square < 0 ? isnan (value) : fabs (value * value - square) < 1e-5);
          n_negative += square < 0;
          total += square;
        }
      sweep = make_sweep (two, NS_SWEEP_DEPTH, "4", "w_2@total");
      g_assert_true (ns_engine_run_sweep (engine, sweep, NULL, NULL));
      g_assert_true (ns_sweep_get_value (sweep, 0, 0, 0, &got, NULL));
      g_assert_true (total < 0 ? isnan (got) : fabs (got * got - total) < 1e-5);
      n_totals += isfinite (got);
      ns_sweep_unref (sweep);
    }
  g_test_message ("%u of 80 squares are negative, %u of 20 sums are not", n_negative, n_totals);
  g_assert_cmpuint (n_negative, >, 5);
  g_assert_cmpuint (n_totals, >, 2);
}

/* A sweep passes as many blocks as it announces. */
static void
test_progress (void)
{
  static const char *const counted[] = { "block@last", "block@max", "rms_x@last", "encoder:block@last",
                                         "encoder:w_2@first", "cross@last", "encoder:rms_x@first", "grad_x@last" };
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post deepnorm");

  experiment->sampling.seeds = 2;
  for (int stack = NS_STACK_SINGLE; stack <= NS_STACK_ENCODER_DECODER; stack++)
    for (gsize m = 0; m < G_N_ELEMENTS (counted); m++)
      {
        NsSweep *sweep;
        g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
        g_autoptr (NsProgress) progress = ns_progress_new ();
        guint64 done, total;

        experiment->shape.stack = stack;
        experiment->shape.decoder_depth = m % 2 == 0 ? 0 : 2;
        sweep = make_sweep (experiment, NS_SWEEP_DEPTH, "1,3,4", counted[m]);
        if (m % 2 == 1)
          ns_sweep_limit_variants (sweep, 1u << 2 | 1u << 0);
        g_assert_true (ns_engine_run_sweep (engine, sweep, progress, NULL));
        ns_progress_get (progress, &done, &total);
        g_test_message ("%s: %u of %u", counted[m], (guint) done, (guint) total);
        g_assert_cmpuint (done, ==, total);
        g_assert_cmpuint (done, >, 0);
        ns_sweep_unref (sweep);
      }
}

/* A sweep of some variants has their values to the bit, and none of the others. */
static void
test_some_variants (void)
{
  static const char *const measured[] = { "block@last", "w_2@first", "rms_x@max", "share_input@last" };
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post deepnorm none sandwich");

  experiment->sampling.seeds = 3;
  for (guint n_threads = 1; n_threads <= 4; n_threads += 3)
    for (gsize m = 0; m < G_N_ELEMENTS (measured); m++)
      {
        g_autoptr (NsEngine) engine = ns_engine_new (n_threads, 0);
        NsSweep *all = make_sweep (experiment, NS_SWEEP_DEPTH, "1,3,4", measured[m]);
        NsSweep *some = make_sweep (experiment, NS_SWEEP_DEPTH, "1,3,4", measured[m]);
        guint n_values = 0;

        ns_sweep_limit_variants (some, 1u << 1 | 1u << 4);
        g_assert_true (ns_engine_run_sweep (engine, all, NULL, NULL));
        g_assert_true (ns_engine_run_sweep (engine, some, NULL, NULL));
        for (guint v = 0; v < experiment->variants->len; v++)
          for (guint p = 0; p < 3; p++)
            for (guint s = 0; s < 3; s++)
              {
                double want, have, log_want, log_have;

                g_assert_true (ns_sweep_get_value (all, v, p, s, &want, &log_want));
                g_assert_true (ns_sweep_get_value (some, v, p, s, &have, &log_have) == (v == 1 || v == 4));
                if (v != 1 && v != 4)
                  continue;
                g_assert_cmpmem (&have, sizeof have, &want, sizeof want);
                g_assert_cmpmem (&log_have, sizeof log_have, &log_want, sizeof log_want);
                n_values++;
              }
        g_assert_cmpuint (n_values, ==, 18);
        ns_sweep_unref (all);
        ns_sweep_unref (some);
      }
}

void
add_sweep_tests (void)
{
  g_test_add_func ("/sweep/metric-text", test_metric_text);
  g_test_add_func ("/sweep/metric-forms", test_metric_forms);
  g_test_add_func ("/sweep/metric-exists", test_metric_exists);
  g_test_add_func ("/sweep/depends-on-depth", test_depends_on_depth);
  g_test_add_func ("/sweep/widths", test_widths);
  g_test_add_func ("/sweep/rotary-widths", test_rotary_widths);
  g_test_add_func ("/sweep/refused", test_refused);
  for (gsize i = 0; i < G_N_ELEMENTS (stacks); i++)
    {
      g_autofree char *path = g_strdup_printf ("/sweep/values/%u%s", (guint) i, stacks[i].pair ? "-pair" : "");

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_values);
    }
  g_test_add_func ("/sweep/estimates", test_estimates);
  g_test_add_func ("/sweep/expected-total", test_expected_total);
  g_test_add_func ("/sweep/progress", test_progress);
  g_test_add_func ("/sweep/some-variants", test_some_variants);
}
