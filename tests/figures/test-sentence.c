/* Test the sentence and the readout, word for word.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-private.h"
#include "figures/ns-flow.h"
#include "figures/ns-trend.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const only_pre[] = { "pre", NULL };

static NsResult *
make (gint64 depth, const char *const *variants, guint n_seeds)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (depth, variants);

  return synthetic_result (experiment, n_seeds);
}

static void
assert_sentence (const NsResult *result, const NsFlowOptions *options, const char *expected)
{
  NsFlowOptions fallback;
  g_autofree char *text = NULL;
  g_autofree char *all = NULL;

  ns_flow_options_init (&fallback);
  options = options != NULL ? options : &fallback;
  all = synthetic_dup_sentence (expected, ns_result_get_n_seeds (result), options->log_gradient);
  text = ns_flow_sentence (result, options);
  g_assert_cmpstr (text, ==, all);
}

/* Set a straight line in log10 from `first` to `last`. */
static void
set_line (NsResult *result, guint variant, NsQuantity quantity, double first, double last, double spread)
{
  gsize n = (gsize) ns_result_get_experiment (result)->shape.depth;
  g_autofree double *values = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    values[i] = first + (last - first) * (double) i / (double) MAX (n - 1, 1);
  synthetic_set_curve (result, variant, quantity, values, n, spread);
}

static void
test_two_variants (void)
{
  g_autoptr (NsResult) result = make (24, pre_post, 8);

  set_line (result, 0, NS_Q_BLOCK, log10 (0.41), log10 (0.1), 0);
  set_line (result, 1, NS_Q_BLOCK, log10 (0.43 * 1.1), log10 (0.43), 0);
  assert_sentence (result, NULL,
                   "Pre-LN: falls to a quarter from block 1 to 24.\n"
                   "Post-LN: flat.\n"
                   "At the top Post-LN is 4.3 times Pre-LN.");
}

static void
test_other_way (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 1);

  set_line (result, 0, NS_Q_BLOCK, log10 (0.1), log10 (3.0), 0);
  set_line (result, 1, NS_Q_BLOCK, log10 (0.1), log10 (0.25), 0);
  assert_sentence (result, NULL,
                   "Pre-LN: rises to 30 times from block 1 to 6.\n"
                   "Post-LN: rises to 2.5 times from block 1 to 6.\n"
                   "At the top Pre-LN is 12 times Post-LN.");
}

/* The sentence describes the selected quantity, on either axis. */
static void
test_quantity (void)
{
  g_autoptr (NsResult) result = make (6, only_pre, 2);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  set_line (result, 0, NS_Q_BLOCK, 0, -1, 0);
  set_line (result, 0, NS_Q_W_2, 0, 1.5, 0);
  options.gradient = NS_Q_W_2;
  options.log_gradient = FALSE;
  assert_sentence (result, &options, "Pre-LN: rises to 32 times from block 1 to 6.");
  options.gradient = NS_Q_W_3;
  assert_sentence (result, &options, "Pre-LN: has no ‖∂L/∂W₃‖.");
}

/* A share may be negative, so it has no ratio; its axis is linear whatever the options. */
static void
test_share (void)
{
  g_autoptr (NsResult) result = make (6, only_pre, 2);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.gradient = NS_Q_IDENTITY_SHARE;
  for (gint64 block = 1; block <= 6; block++)
    synthetic_set (result, 0, NS_Q_IDENTITY_SHARE, block, block < 6 ? -0.25 : 1, NAN);
  options.log_gradient = FALSE; /* for the kind of mean that the test expects */
  assert_sentence (result, &options, "Pre-LN: −0.250 in block 1, 1.000 in block 6.");
}

/* 1.6:1 is a trend if the seeds agree, and none if they differ by more than that. */
static void
test_within_seeds (void)
{
  g_autoptr (NsResult) result = make (4, pre_post, 8);

  set_line (result, 0, NS_Q_BLOCK, 0, -0.2, 0.15);
  set_line (result, 1, NS_Q_BLOCK, 0, -0.2, 0.01);
  assert_sentence (result, NULL,
                   "Pre-LN: shows no trend beyond the spread of the seeds.\n"
                   "Post-LN: falls to 63 % from block 1 to 4.\n"
                   "At the top Pre-LN and Post-LN are close.");
}

/* The spread is the standard deviation of the ratios of single seeds; a factor common to all seeds cancels. */
static void
test_ratio_spread (void)
{
  g_autoptr (NsResult) result = make (4, pre_post, 3);
  g_autoptr (NsResult) one = make (4, pre_post, 1);

  for (guint s = 0; s < 3; s++)
    {
      ns_result_set (result, 0, NS_Q_BLOCK, 1, s, 1, -400 - 5.0 * s);
      ns_result_set (result, 0, NS_Q_BLOCK, 4, s, 1, -90 - 5.1 * s);
      ns_result_set (result, 1, NS_Q_BLOCK, 4, s, 1, -90 - 5.1 * s);
    }
  NsTrendSource first = { result, 0, NS_Q_BLOCK, NS_MEAN_GEOMETRIC, 3, FALSE };
  NsTrendSource second = { result, 1, NS_Q_BLOCK, 0, 3, FALSE };
  NsTrendSource alone = { one, 0, NS_Q_BLOCK, NS_MEAN_GEOMETRIC, 1, FALSE };

  g_assert_cmpfloat_with_epsilon (ns_ratio_spread (&first, 1, &first, 4), 0.1, 1e-9);
  g_assert_cmpfloat_with_epsilon (ns_ratio_spread (&first, 4, &second, 4), 0, 1e-9);
  g_assert_cmpfloat (ns_ratio_spread (&alone, 1, &alone, 4), ==, 0);
}

/* One seed of eight is far above the others in the first block, as at depth 1000: its arithmetic mean is that seed, its
 * geometric mean is not. Everything said is of the mean that the axis draws. */
static void
test_one_statistic (void)
{
  g_autoptr (NsResult) result = make (3, only_pre, 8);
  NsFlowOptions options;
  g_autofree char *log_readout = NULL;
  g_autofree char *linear_readout = NULL;

  for (gint64 site = 1; site <= 3; site++)
    for (guint s = 0; s < 8; s++)
      {
        double value = site == 3 ? 1 : s == 7 ? 7.93 : 0.01;

        ns_result_set (result, 0, NS_Q_BLOCK, site, s, value, log10 (value));
      }
  ns_flow_options_init (&options);
  for (int is_log = 0; is_log < 2; is_log++)
    {
      g_autoptr (NsFigure) figure = NULL;
      const NsSeries *curve;
      double rise;

      options.log_gradient = is_log;
      figure = ns_flow_figure (result, NULL, &options);
      curve = g_ptr_array_index (((NsPanel *) g_ptr_array_index (figure->panels, 0))->series, 0);
      rise = is_log ? pow (10, curve->y[2] - curve->y[0]) : curve->y[2] / curve->y[0];
      g_assert_cmpfloat_with_epsilon (rise, is_log ? 43.4 : 1, 0.1);
      assert_sentence (result, &options,
                       is_log ? "Pre-LN: rises to 43 times from block 1 to 3." : "Pre-LN: flat.");
    }
  log_readout = ns_flow_readout (result, &options, 1);
  options.log_gradient = FALSE;
  linear_readout = ns_flow_readout (result, &options, 1);
  g_assert_nonnull (strstr (log_readout, "Pre-LN 0.0230 ×/÷ 11,"));
  g_assert_nonnull (strstr (linear_readout, "Pre-LN 1.00 ± 2.8,"));
}

/* On a linear axis the seeds are compared by their differences, not by their ratios. */
static void
test_within_seeds_linear (void)
{
  g_autoptr (NsResult) result = make (2, only_pre, 4);
  NsFlowOptions options;

  for (guint s = 0; s < 4; s++)
    {
      ns_result_set (result, 0, NS_Q_BLOCK, 1, s, s == 0 ? 1000 : 1, s == 0 ? 3 : 0);
      ns_result_set (result, 0, NS_Q_BLOCK, 2, s, 1, 0);
    }
  ns_flow_options_init (&options);
  options.log_gradient = FALSE;
  assert_sentence (result, &options, "Pre-LN: shows no trend beyond the spread of the seeds.");
}

/* The sentence of the first picture names its single seed; the final one mentions a contradiction to it. */
static void
test_first_seed (void)
{
  g_autoptr (NsResult) one = make (2, pre_post, 1);
  g_autoptr (NsResult) all = make (2, pre_post, 4);
  NsFlowOptions options;

  for (guint s = 0; s < 4; s++)
    for (guint v = 0; v < 2; v++)
      {
        double top = v == 0 ? (s == 0 ? 0.5 : -0.5) : 0.7;

        for (gint64 site = 1; site <= 2; site++)
          {
            double value = site == 1 ? 0 : top;

            ns_result_set (all, v, NS_Q_BLOCK, site, s, pow (10, value), value);
            if (s == 0)
              ns_result_set (one, v, NS_Q_BLOCK, site, s, pow (10, value), value);
          }
      }
  ns_flow_options_init (&options);
  options.n_seeds_wanted = 4;
  assert_sentence (one, &options,
                   "From 1 of 4 seeds, more may change this:\n"
                   "Pre-LN: rises to 3.2 times from block 1 to 2.\n"
                   "Post-LN: rises to 5.0 times from block 1 to 2.\n"
                   "At the top Post-LN is 1.6 times Pre-LN.");
  assert_sentence (all, &options,
                   "Pre-LN: shows no trend beyond the spread of the seeds; first seed alone: rises to 3.2 times from "
                   "block 1 to 2.\n"
                   "Post-LN: rises to 5.0 times from block 1 to 2.\n"
                   "At the top Post-LN is 8.9 times Pre-LN.");
  /* An exported picture was never seen with one seed. */
  options.titles = TRUE;
  assert_sentence (all, &options,
                   "Pre-LN: shows no trend beyond the spread of the seeds.\n"
                   "Post-LN: rises to 5.0 times from block 1 to 2.\n"
                   "At the top Post-LN is 8.9 times Pre-LN.");
}

static void
test_turns (void)
{
  g_autoptr (NsResult) result = make (5, pre_post, 2);
  static const double peak[] = { 0, 0.3, 0.5, 0.2, -0.3 }, low[] = { -1, -1.5, -1.8, -2, -1.2 };

  synthetic_set_curve (result, 0, NS_Q_BLOCK, peak, 5, 0);
  synthetic_set_curve (result, 1, NS_Q_BLOCK, low, 5, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: rises to 3.2 times at a peak in block 3, and from there falls to 16 % at block 5.\n"
                   "Post-LN: falls to a tenth at a low in block 4, and from there rises to 6.3 times at block 5.\n"
                   "At the top Pre-LN is 7.9 times Post-LN.");
}

/* A bump that the seeds do not share is no peak. */
static void
test_noise_is_no_turn (void)
{
  g_autoptr (NsResult) result = make (5, only_pre, 8);
  static const double bump[] = { 0, 0, 0.25, 0, 0 };

  synthetic_set_curve (result, 0, NS_Q_BLOCK, bump, 5, 0.001);
  assert_sentence (result, NULL,
                   "Pre-LN: rises to 1.8 times at a peak in block 3, and from there falls to 56 % at block 5.");
  for (guint s = 0; s < 8; s++)
    ns_result_set (result, 0, NS_Q_BLOCK, 3, s, pow (10, s < 4 ? 0.75 : -0.25), s < 4 ? 0.75 : -0.25);
  assert_sentence (result, NULL, "Pre-LN: flat.");
}

/* Seeds that agree in one block by chance and differ in all others give no peak. */
static void
test_chance_is_no_turn (void)
{
  g_autoptr (NsResult) result = make (7, only_pre, 2);
  g_autoptr (NsResult) one = make (7, only_pre, 1);
  static const double bump[] = { 0, 0, 0, 0.25, 0, 0, 0 }, peak[] = { 0, 0, 0, 0.35, 0, 0, 0 };

  synthetic_set_curve (result, 0, NS_Q_BLOCK, bump, 7, 0.1);
  for (guint s = 0; s < 2; s++)
    ns_result_set (result, 0, NS_Q_BLOCK, 4, s, pow (10, s == 0 ? 0.35 : 0.15), s == 0 ? 0.35 : 0.15);
  assert_sentence (result, NULL, "Pre-LN: flat.");

  /* With one seed a peak must be higher. */
  synthetic_set_curve (one, 0, NS_Q_BLOCK, bump, 7, 0);
  assert_sentence (one, NULL, "Pre-LN: flat.");
  synthetic_set_curve (one, 0, NS_Q_BLOCK, peak, 7, 0);
  assert_sentence (one, NULL,
                   "Pre-LN: rises to 2.2 times at a peak in block 4, and from there falls to 45 % at block 7.");
}

static void
test_depth_one (void)
{
  g_autoptr (NsResult) result = make (1, pre_post, 2);

  set_line (result, 0, NS_Q_BLOCK, log10 (0.123), 0, 0);
  set_line (result, 1, NS_Q_BLOCK, log10 (0.5), 0, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: 0.123 in its only block.\n"
                   "Post-LN: 0.500 in its only block.\n"
                   "In that block Post-LN is 4.1 times Pre-LN.");
  set_line (result, 1, NS_Q_BLOCK, log10 (0.13), 0, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: 0.123 in its only block.\n"
                   "Post-LN: 0.130 in its only block.\n"
                   "In that block Pre-LN and Post-LN are close.");
}

/* Only one block of a mixed stack has this norm. */
static void
test_single_block (void)
{
  static const char *const mixed[] = { "mix", NULL };
  static const char *const two[] = { "mix", "mix:name=B", NULL };
  g_autoptr (NsResult) result = make (4, mixed, 2);
  g_autoptr (NsResult) both = make (4, two, 1);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.gradient = NS_Q_GAIN_ATTN_POST;
  synthetic_set (result, 0, NS_Q_GAIN_ATTN_POST, 1, 0.02, log10 (0.02));
  assert_sentence (result, &options, "Mix-LN: 0.0200 in block 1, the only one that has it.");
  /* Neither has it at the top, so there is no comparison. */
  synthetic_set (both, 0, NS_Q_GAIN_ATTN_POST, 1, 1, 0);
  synthetic_set (both, 1, NS_Q_GAIN_ATTN_POST, 1, 1, 0);
  assert_sentence (both, &options,
                   "Mix-LN: 1.00 in block 1, the only one that has it.\n"
                   "B: 1.00 in block 1, the only one that has it.");
  options.gradient = NS_Q_GAIN_ATTN_PRE;
  for (gint64 site = 2; site <= 4; site++)
    synthetic_set (result, 0, NS_Q_GAIN_ATTN_PRE, site, pow (2, (double) site), log10 (2) * (double) site);
  assert_sentence (result, &options, "Mix-LN: rises to 4.0 times from block 2 to 4.");
}

static void
test_overflow (void)
{
  g_autoptr (NsResult) result = make (24, pre_post, 4);

  set_line (result, 1, NS_Q_BLOCK, 0, 0, 0);
  for (gint64 site = 1; site <= 24; site++)
    synthetic_set (result, 0, NS_Q_BLOCK, site, NAN, NAN);
  for (guint s = 0; s < 4; s++)
    ns_result_set_overflow (result, 0, s, 19 - s);
  assert_sentence (result, NULL,
                   "Pre-LN: the forward pass overflows in block 16.\n"
                   "Post-LN: flat.");
  ns_result_set_overflow (result, 0, 3, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: the forward pass overflows in block 17 with 3 of 4 seeds.\n"
                   "Post-LN: flat.");
  for (guint s = 0; s < 4; s++)
    ns_result_set_overflow (result, 0, s, 25);
  assert_sentence (result, NULL,
                   "Pre-LN: the forward pass overflows in the head.\n"
                   "Post-LN: flat.");
  ns_result_set_overflow (result, 0, 0, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: the forward pass overflows in the head with 3 of 4 seeds.\n"
                   "Post-LN: flat.");
}

static void
test_not_finite (void)
{
  g_autoptr (NsResult) result = make (24, only_pre, 4);

  set_line (result, 0, NS_Q_BLOCK, 0, 0, 0);
  synthetic_set (result, 0, NS_Q_BLOCK, 5, NAN, NAN);
  assert_sentence (result, NULL, "Pre-LN: not a number in block 5.");
  synthetic_set (result, 0, NS_Q_BLOCK, 6, NAN, NAN);
  assert_sentence (result, NULL, "Pre-LN: not a number in blocks 5 to 6.");
  synthetic_set (result, 0, NS_Q_BLOCK, 8, NAN, NAN);
  assert_sentence (result, NULL, "Pre-LN: not a number in 3 of 24 blocks.");

  set_line (result, 0, NS_Q_BLOCK, 0, 0, 0);
  ns_result_set (result, 0, NS_Q_BLOCK, 3, 2, INFINITY, INFINITY);
  assert_sentence (result, NULL, "Pre-LN: infinite in block 3.");
}

static void
test_zero (void)
{
  g_autoptr (NsResult) result = make (6, only_pre, 4);

  set_line (result, 0, NS_Q_BLOCK, 0, 0, 0);
  for (gint64 site = 1; site <= 3; site++)
    synthetic_set (result, 0, NS_Q_BLOCK, site, 0, -INFINITY);
  assert_sentence (result, NULL, "Pre-LN: exactly 0 in blocks 1 to 3.");
  for (gint64 site = 4; site <= 6; site++)
    synthetic_set (result, 0, NS_Q_BLOCK, site, 0, -INFINITY);
  assert_sentence (result, NULL, "Pre-LN: exactly 0 in every block.");
}

/* Values below the range of a double still have a ratio and are not 0. */
static void
test_underflow (void)
{
  g_autoptr (NsResult) result = make (5, pre_post, 4);

  set_line (result, 0, NS_Q_BLOCK, -412.25, -100, 0);
  set_line (result, 1, NS_Q_BLOCK, -2, -96, 0);
  assert_sentence (result, NULL,
                   "Pre-LN: rises by a factor of 10³¹² from block 1 to 5; too small for a double in blocks 1 to 2.\n"
                   "Post-LN: falls by a factor of 10⁹⁴ from block 1 to 5.\n"
                   "At the top Post-LN is 1.0·10⁴ times Pre-LN.");
}

/* Values above the range of a double have ratios, too. */
static void
test_explosion (void)
{
  g_autoptr (NsResult) result = make (5, only_pre, 4);

  set_line (result, 0, NS_Q_BLOCK, 400, 0, 0);
  assert_sentence (result, NULL, "Pre-LN: falls by a factor of 10⁴⁰⁰ from block 1 to 5.");
}

static void
test_similarity (void)
{
  static const char *const off[] = { "pre:attn.residual=off,name=No residual", NULL };
  g_autoptr (NsResult) result = make (24, off, 4);
  g_autoptr (NsResult) kept = make (24, only_pre, 4);

  set_line (result, 0, NS_Q_BLOCK, 0, 0, 0);
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 0, 0.01, NAN);
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 24, 0.9994, NAN);
  assert_sentence (result, NULL,
                   "No residual: flat; tokens become one vector (similarity 0.999).");
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 24, 0.95, NAN);
  assert_sentence (result, NULL, "No residual: flat; tokens become alike: similarity 0.950 at block 24.");
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 24, 0.42, NAN);
  assert_sentence (result, NULL, "No residual: flat; token similarity 0.420 at block 24.");
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 0, 0.996, NAN);
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 24, 0.999, NAN);
  assert_sentence (result, NULL,
                   "No residual: flat; tokens are alike from the input on: similarity 0.999 at block 24.");

  /* With residuals the sentence mentions similarity only if the tokens collapse. */
  set_line (kept, 0, NS_Q_BLOCK, 0, 0, 0);
  synthetic_set (kept, 0, NS_Q_TOKEN_COS, 0, 0.01, NAN);
  synthetic_set (kept, 0, NS_Q_TOKEN_COS, 24, 0.98, NAN);
  assert_sentence (kept, NULL, "Pre-LN: flat.");
  synthetic_set (kept, 0, NS_Q_TOKEN_COS, 24, 0.992, NAN);
  assert_sentence (kept, NULL,
                   "Pre-LN: flat; tokens become one vector (similarity 0.992).");
}

static void
test_hidden (void)
{
  static const char *const three[] = { "pre", "post", "sandwich", NULL };
  g_autoptr (NsResult) result = make (24, three, 4);
  g_autofree char *none = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  set_line (result, 0, NS_Q_BLOCK, 0, 1, 0);
  set_line (result, 1, NS_Q_BLOCK, 0, -1, 0);
  set_line (result, 2, NS_Q_BLOCK, 0, 0, 0);
  options.hidden = 1;
  assert_sentence (result, &options,
                   "Post-LN: falls to a tenth from block 1 to 24.\n"
                   "Peri-LN: flat.\n"
                   "At the top Peri-LN is 10 times Post-LN.");
  options.hidden = 5;
  assert_sentence (result, &options, "Post-LN: falls to a tenth from block 1 to 24.");
  options.hidden = 7;
  none = ns_flow_sentence (result, &options);
  g_assert_cmpstr (none, ==, "Every variant is hidden.");
}

/* With more than two variants the sentence begins with the largest. */
static void
test_largest (void)
{
  static const char *const four[] = { "pre", "post", "sandwich", "deepnorm", NULL };
  g_autoptr (NsResult) result = make (2, four, 4);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  set_line (result, 0, NS_Q_BLOCK, 0, 0, 0);
  set_line (result, 1, NS_Q_BLOCK, 0, 1, 0);
  set_line (result, 2, NS_Q_BLOCK, 0, -1, 0);
  set_line (result, 3, NS_Q_BLOCK, 0, 0, 0);
  assert_sentence (result, &options,
                   "At the top Post-LN is the largest, 100 times Peri-LN, the smallest.\n"
                   "Pre-LN: flat.\n"
                   "Post-LN: rises to 10 times from block 1 to 2.\n"
                   "Peri-LN: falls to a tenth from block 1 to 2.\n"
                   "DeepNorm: flat.");
  /* One without a number at the top is not compared. */
  synthetic_set (result, 1, NS_Q_BLOCK, 2, NAN, NAN);
  assert_sentence (result, &options,
                   "At the top DeepNorm is the largest, 10 times Peri-LN, the smallest.\n"
                   "Pre-LN: flat.\n"
                   "Post-LN: not a number in block 2.\n"
                   "Peri-LN: falls to a tenth from block 1 to 2.\n"
                   "DeepNorm: flat.");
  for (guint v = 1; v < 3; v++)
    set_line (result, v, NS_Q_BLOCK, 0, 0, 0);
  assert_sentence (result, &options,
                   "At the top all are close.\n"
                   "Pre-LN: flat.\n"
                   "Post-LN: flat.\n"
                   "Peri-LN: flat.\n"
                   "DeepNorm: flat.");
}

/* The table at the crosshair has the values of the line, each in its column. */
static void
test_table (void)
{
  static const char *const variants[] = { "pre", "post:ffn.residual=off,name=Off", "sandwich", NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (12, variants);
  g_autoptr (NsResult) result = synthetic_result (experiment, 4);
  g_autoptr (NsReadout) table = NULL;
  static const int styles[] = { 3, 4, 5 };
  const NsReadoutRow *row;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.hidden = 4;
  options.styles = styles;
  options.bars_axis = NS_BARS_AXIS_LINEAR;
  synthetic_set (result, 0, NS_Q_BLOCK, 7, 0.123, log10 (0.123));
  synthetic_set (result, 0, NS_Q_RMS_X, 7, 1.734, log10 (1.734));
  synthetic_set (result, 1, NS_Q_TOKEN_COS, 7, 0.9876, NAN);
  table = ns_flow_readout_table (result, &options, 7);
  g_assert_cmpstr (table->place, ==, "Block 7");
  g_assert_cmpuint (table->n_columns, ==, 5);
  g_assert_cmpstr (table->headings[0], ==, ns_quantity_info (NS_Q_BLOCK)->markup);
  g_assert_null (table->headings[1]);
  g_assert_cmpstr (table->headings[4], ==, "similarity");
  g_assert_cmpuint (table->rows->len, ==, 2);
  row = g_ptr_array_index (table->rows, 0);
  g_assert_cmpstr (row->name, ==, "Pre-LN");
  g_assert_cmpint (row->style, ==, 3);
  g_assert_cmpstr (row->cells[0], ==, "0.123");
  g_assert_cmpstr (row->cells[1], ==, "×/÷ 1.00");
  g_assert_cmpstr (row->cells[2], ==, "1.73");
  g_assert_cmpstr (row->cells[3], ==, "± 0");
  g_assert_null (row->cells[4]);
  row = g_ptr_array_index (table->rows, 1);
  g_assert_cmpstr (row->name, ==, "Off");
  g_assert_cmpstr (row->cells[4], ==, "0.988");
}

static void
assert_readout (const NsResult *result, const NsFlowOptions *options, gint64 block, const char *expected)
{
  g_autofree char *text = ns_flow_readout (result, options, block);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_readout (void)
{
  static const char *const variants[] = { "pre", "post:ffn.residual=off", NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (12, variants);
  g_autoptr (NsResult) result = synthetic_result (experiment, 4);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  for (guint s = 0; s < 4; s++)
    {
      double value = 0.123 + (s < 2 ? 0.01 : -0.01);

      ns_result_set (result, 0, NS_Q_BLOCK, 7, s, value, log10 (value));
    }
  synthetic_set (result, 0, NS_Q_RMS_X, 7, 1.734, log10 (1.734));
  synthetic_set (result, 0, NS_Q_RMS_X, 0, 1.002, log10 (1.002));
  synthetic_set (result, 1, NS_Q_BLOCK, 7, 0, -400.5);
  synthetic_set (result, 1, NS_Q_RMS_X, 7, NAN, NAN);
  synthetic_set (result, 1, NS_Q_TOKEN_COS, 7, 0.9876, NAN);
  options.hidden = 2;
  assert_readout (result, &options, 7, "Block 7 · Pre-LN 0.123 ×/÷ 1.10, rms(xₗ) 1.73 ± 0");
  assert_readout (result, &options, 0, "Input · Pre-LN rms(xₗ) 1.00 ± 0");
  options.hidden = 1;
  assert_readout (result, &options, 7,
                  "Block 7 · Post-LN, no FFN residual 3.16·10⁻⁴⁰¹ ×/÷ 1.00, rms(xₗ) NaN, similarity 0.988");
  options.token_cos = NS_TOKEN_COS_NEVER;
  assert_readout (result, &options, 7, "Block 7 · Post-LN, no FFN residual 3.16·10⁻⁴⁰¹ ×/÷ 1.00, rms(xₗ) NaN");

  /* A crosshair past the last block reads the last block. */
  options.hidden = 3;
  assert_readout (result, &options, 99, "Block 12");
  assert_readout (result, &options, -5, "Input");
}

void
add_sentence_tests (void)
{
  g_test_add_func ("/sentence/two-variants", test_two_variants);
  g_test_add_func ("/sentence/other-way", test_other_way);
  g_test_add_func ("/sentence/quantity", test_quantity);
  g_test_add_func ("/sentence/share", test_share);
  g_test_add_func ("/sentence/within-seeds", test_within_seeds);
  g_test_add_func ("/sentence/one-statistic", test_one_statistic);
  g_test_add_func ("/sentence/within-seeds-linear", test_within_seeds_linear);
  g_test_add_func ("/sentence/first-seed", test_first_seed);
  g_test_add_func ("/sentence/ratio-spread", test_ratio_spread);
  g_test_add_func ("/sentence/turns", test_turns);
  g_test_add_func ("/sentence/noise-is-no-turn", test_noise_is_no_turn);
  g_test_add_func ("/sentence/chance-is-no-turn", test_chance_is_no_turn);
  g_test_add_func ("/sentence/depth-one", test_depth_one);
  g_test_add_func ("/sentence/single-block", test_single_block);
  g_test_add_func ("/sentence/overflow", test_overflow);
  g_test_add_func ("/sentence/not-finite", test_not_finite);
  g_test_add_func ("/sentence/zero", test_zero);
  g_test_add_func ("/sentence/underflow", test_underflow);
  g_test_add_func ("/sentence/explosion", test_explosion);
  g_test_add_func ("/sentence/similarity", test_similarity);
  g_test_add_func ("/sentence/hidden", test_hidden);
  g_test_add_func ("/sentence/largest", test_largest);
  g_test_add_func ("/sentence/readout", test_readout);
  g_test_add_func ("/sentence/readout/table", test_table);
}
