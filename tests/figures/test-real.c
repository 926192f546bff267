/* Test figures and sentences of real runs against the values of the engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-flow.h"
#include "figures/ns-format.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static NsExperiment *
make (gint64 depth, const char *const *variants)
{
  NsExperiment *experiment = synthetic_experiment (depth, variants);

  experiment->shape.d_model = 64;
  experiment->shape.d_ff = 128;
  experiment->shape.seq_len = 16;
  experiment->sampling.seeds = 4;
  return experiment;
}

static NsResult *
run (const NsExperiment *experiment)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GError *error = NULL;
  NsResult *result = ns_engine_run (engine, experiment, 0, (guint) experiment->sampling.seeds, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static double
get_mean (const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  NsStat stat;

  g_assert_true (ns_result_get_stat (result, variant, quantity, site, &stat));
  return isnan (stat.log10_mean) ? stat.mean : pow (10, stat.log10_mean);
}

static char **
dup_lines (const NsResult *result)
{
  g_autofree char *sentence = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  sentence = ns_flow_sentence (result, &options);
  g_test_message ("%s", sentence);
  return g_strsplit (sentence, "\n", -1);
}

/* Pre-LN falls toward the top and Post-LN is about flat. The numbers of the sentence are the ratios of the means. */
static void
test_pre_post (void)
{
  static const char *const variants[] = { "pre", "post", NULL };
  g_autoptr (NsExperiment) experiment = make (24, variants);
  g_autoptr (NsResult) result = run (experiment);
  g_auto (GStrv) lines = dup_lines (result);
  double falls = get_mean (result, 0, NS_Q_BLOCK, 1) / get_mean (result, 0, NS_Q_BLOCK, 24);
  double times = get_mean (result, 1, NS_Q_BLOCK, 24) / get_mean (result, 0, NS_Q_BLOCK, 24);
  g_autofree char *change = ns_format_change (-log10 (falls));
  g_autofree char *first = g_strdup_printf ("Pre-LN: falls %s from block 1 to 24.", change);
  g_autofree char *last = g_strdup_printf ("At the top Post-LN is %.1f times Pre-LN.", times);

  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_cmpfloat (falls, >, 2);
  g_assert_cmpfloat (times, >, 2);
  g_assert_cmpstr (lines[0], ==, first);
  g_assert_true (g_str_has_prefix (lines[1], "Post-LN: shows no trend beyond the spread of the seeds"));
  g_assert_cmpstr (lines[2], ==, last);
}

/* With norms but no residuals, gradients keep their size and the tokens collapse to one vector. */
static void
test_collapse (void)
{
  static const char *const variants[] = { "pre:attn.residual=off,ffn.residual=off,name=Off", NULL };
  g_autoptr (NsExperiment) experiment = make (24, variants);
  g_autoptr (NsResult) result = run (experiment);
  g_auto (GStrv) lines = dup_lines (result);
  g_autofree char *end = NULL;
  NsFlowOptions options;
  g_autoptr (NsFigure) figure = NULL;
  NsPanel *similarities;
  double similarity = get_mean (result, 0, NS_Q_TOKEN_COS, 24);

  g_assert_cmpfloat (similarity, >, 0.99);
  end = g_strdup_printf ("; tokens become one vector (similarity %s%.3f).",
                         similarity >= 0.9995 && similarity < 1 ? ">" : "",
                         similarity >= 0.9995 && similarity < 1 ? 0.999 : similarity);
  g_assert_true (g_str_has_prefix (lines[0], "Off: "));
  g_assert_true (g_str_has_suffix (lines[0], end));
  g_assert_cmpfloat (get_mean (result, 0, NS_Q_W_2, 12), >, 0);

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (figure->panels->len, ==, 3);
  similarities = g_ptr_array_index (figure->panels, 2);
  g_assert_cmpstr (similarities->title, ==, "Token similarity");
}

/* Without norms and residuals, gradients below the range of a double keep their log10 and are not reported as 0. */
static void
test_vanishing (void)
{
  static const char *const variants[]
      = { "none:attn.residual=off,ffn.residual=off,init.scheme=normal,name=Bare", NULL };
  g_autoptr (NsExperiment) experiment = make (200, variants);
  g_autoptr (NsResult) result = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (NsFigure) figure = NULL, linear = NULL;
  NsFlowOptions options;
  const NsSeries *series;

  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  experiment->sampling.seeds = 2;
  result = run (experiment);
  lines = dup_lines (result);
  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  options.log_gradient = FALSE;
  linear = ns_flow_figure (result, NULL, &options);

  series = g_ptr_array_index (((NsPanel *) g_ptr_array_index (figure->panels, 0))->series, 0);
  g_assert_cmpuint (series->n, ==, 200);
  for (gsize i = 0; i < series->n; i++)
    g_assert_true (isfinite (series->y[i]));
  g_assert_cmpfloat (series->y[0], <, -320);
  g_assert_null (series->mark);
  series = g_ptr_array_index (((NsPanel *) g_ptr_array_index (linear->panels, 0))->series, 0);
  g_assert_cmpint (series->mark[0], ==, NS_MARK_UNDERFLOW);
  g_assert_nonnull (strstr (lines[0], "too small for a double in "));
  g_assert_null (strstr (lines[0], "exactly 0"));
}

/* The sentence names the block in which an amplified branch overflows. */
static void
test_overflow (void)
{
  static const char *const variants[] = { "none:branch_scale=1e6,name=Loud", NULL };
  g_autoptr (NsExperiment) experiment = make (24, variants);
  g_autoptr (NsResult) result = run (experiment);
  g_auto (GStrv) lines = dup_lines (result);
  gint64 block = ns_result_get_first_overflow (result, 0, NULL);
  g_autofree char *expected = g_strdup_printf ("Loud: the forward pass overflows in block %d", (int) block);
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;
  const NsSeries *bars;

  g_assert_cmpint (block, >, 1);
  g_assert_cmpint (block, <, 24);
  g_assert_true (g_str_has_prefix (lines[0], expected));

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  bars = g_ptr_array_index (((NsPanel *) g_ptr_array_index (figure->panels, 1))->series, 0);
  g_assert_nonnull (bars->mark);
  g_assert_cmpint (bars->mark[1], ==, NS_MARK_NONE);
  g_assert_cmpint (bars->mark[24], !=, NS_MARK_NONE);
}

static void
test_depth_one (void)
{
  static const char *const variants[] = { "pre", "post", NULL };
  g_autoptr (NsExperiment) experiment = make (1, variants);
  g_autoptr (NsResult) result = run (experiment);
  g_auto (GStrv) lines = dup_lines (result);

  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  g_assert_true (g_str_has_suffix (lines[0], " in its only block."));
  g_assert_true (g_str_has_prefix (lines[2], "In that block "));
}

void
add_real_tests (void)
{
  g_test_add_func ("/real/pre-post", test_pre_post);
  g_test_add_func ("/real/collapse", test_collapse);
  g_test_add_func ("/real/vanishing", test_vanishing);
  g_test_add_func ("/real/overflow", test_overflow);
  g_test_add_func ("/real/depth-one", test_depth_one);
}
