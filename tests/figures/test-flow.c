/* Test the flow figure: its arrays hold the values of the result, and values that are not finite have marks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-result-private.h"
#include "figures/ns-depths.h"
#include "figures/ns-flow.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const three[] = { "pre", "post", "sandwich", NULL };

static NsResult *
make (gint64 depth, const char *const *variants, guint n_seeds)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (depth, variants);

  return synthetic_result (experiment, n_seeds);
}

static NsPanel *
panel_at (const NsFigure *figure, guint i)
{
  g_assert_cmpuint (i, <, figure->panels->len);
  return g_ptr_array_index (figure->panels, i);
}

static NsSeries *
series_at (const NsPanel *panel, guint i)
{
  g_assert_cmpuint (i, <, panel->series->len);
  return g_ptr_array_index (panel->series, i);
}

static void
assert_series (const NsSeries *series, const NsResult *result, guint variant, NsQuantity quantity, gint64 first_site,
               gboolean is_log)
{
  gint64 depth = ns_result_get_experiment (result)->shape.depth;

  g_assert_cmpint ((gint64) series->n, ==, depth - first_site + 1);
  for (gsize i = 0; i < series->n; i++)
    {
      NsStat stat;
      double center, spread;

      g_assert_cmpfloat (series->x[i], ==, (double) (first_site + (gint64) i));
      g_assert_true (ns_result_get_stat (result, variant, quantity, first_site + (gint64) i, &stat));
      center = is_log ? stat.log10_mean : stat.mean;
      spread = is_log ? stat.log10_std : stat.std;
      g_assert_cmpfloat (series->y[i], ==, center);
      if (series->low != NULL)
        {
          g_assert_cmpfloat (spread, >, 0);
          g_assert_cmpfloat (series->low[i], ==, center - spread);
          g_assert_cmpfloat (series->high[i], ==, center + spread);
        }
    }
}

static void
test_arrays (gconstpointer is_log)
{
  gboolean log_axes = GPOINTER_TO_INT (is_log);
  g_autoptr (NsResult) result = make (12, three, 4);
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  g_assert_true (options.log_gradient && options.bars_axis == NS_BARS_AXIS_AUTO && options.band);
  options.log_gradient = log_axes;
  options.bars_axis = log_axes ? NS_BARS_AXIS_LOG : NS_BARS_AXIS_LINEAR;
  figure = ns_flow_figure (result, NULL, &options);

  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_true (figure->x_integers);
  for (guint p = 0; p < 2; p++)
    {
      NsPanel *panel = panel_at (figure, p);

      g_assert_cmpint (panel->scale, ==, log_axes ? NS_AXIS_LOG10 : NS_AXIS_LINEAR);
      g_assert_cmpint (panel->zero_based, ==, !log_axes);
      g_assert_null (panel->message);
      g_assert_null (panel->right_title);
      g_assert_cmpuint (panel->series->len, ==, 3);
      for (guint v = 0; v < 3; v++)
        {
          NsSeries *series = series_at (panel, v);

          assert_series (series, result, v, p == 0 ? NS_Q_BLOCK : NS_Q_RMS_X, p == 0 ? 1 : 0, log_axes);
          g_assert_cmpint (series->kind, ==, p == 0 ? NS_SERIES_LINE : NS_SERIES_BARS);
          g_assert_cmpint (series->role, ==, NS_ROLE_DATA);
          g_assert_cmpint (series->style, ==, (int) v);
          g_assert_false (series->provisional);
          g_assert_null (series->mark);
          g_assert_true ((series->low != NULL) == (p == 0));
        }
    }
  g_assert_cmpstr (series_at (panel_at (figure, 0), 1)->name, ==, "Post-LN");
}

/* The subtitle of a parameter's gradient over several minibatches names the estimate. */
static void
test_estimates (void)
{
  static const char *const subtitles[] = {
    "log scale · mean ×/÷ 1 sd of 4 seeds · mean of the norms of 3 minibatches",
    "log scale · mean ×/÷ 1 sd of 4 seeds · norm of the mean over 3 minibatches",
    "log scale · mean ×/÷ 1 sd of 4 seeds · expected gradient from 3 minibatches (NaN: negative square)",
  };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (12, pre_post);
  NsFlowOptions options;

  ns_flow_options_init (&options);
  experiment->sampling.batches = 3;
  for (int e = 0; e < NS_N_ESTIMATES; e++)
    {
      g_autoptr (NsResult) result = NULL;
      g_autoptr (NsFigure) figure = NULL;

      experiment->sampling.estimate = e;
      result = synthetic_result (experiment, 4);
      options.gradient = NS_Q_W_2;
      figure = ns_flow_figure (result, NULL, &options);
      g_assert_cmpstr (panel_at (figure, 0)->subtitle, ==, subtitles[e]);
      g_assert_cmpstr (panel_at (figure, 1)->subtitle, ==, "linear scale · mean of 4 seeds");
      g_clear_pointer (&figure, ns_figure_free);
      options.gradient = NS_Q_GRAD_X;
      figure = ns_flow_figure (result, NULL, &options);
      g_assert_cmpstr (panel_at (figure, 0)->subtitle, ==, "log scale · mean ×/÷ 1 sd of 4 seeds");
    }
}

static void
test_titles (void)
{
  g_autoptr (NsResult) result = make (12, pre_post, 4);
  g_autoptr (NsFigure) figure = NULL, titled = NULL;
  g_autofree char *sentence = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.gradient = NS_Q_W_2;
  options.activation = NS_Q_RMS_FFN;
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpstr (panel_at (figure, 0)->title, ==, "Gradient norm of the FFN&apos;s last matrix, ‖∂L/∂W<sub>2</sub>‖");
  g_assert_cmpstr (panel_at (figure, 0)->short_title, ==, "‖∂L/∂W<sub>2</sub>‖");
  g_assert_cmpstr (panel_at (figure, 0)->subtitle, ==, "log scale · mean ×/÷ 1 sd of 4 seeds");
  g_assert_cmpstr (panel_at (figure, 0)->accessible_title, ==, "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖");
  g_assert_cmpstr (panel_at (figure, 1)->title, ==, "Size of the FFN branch, rms(ffn)");
  g_assert_cmpstr (panel_at (figure, 1)->subtitle, ==, "linear scale · mean of 4 seeds");
  g_assert_cmpstr (figure->x_title, ==, "← input · Block · loss →");
  g_assert_cmpstr (figure->x_name, ==, "Block");
  g_assert_null (figure->title);
  g_assert_null (figure->caption);
  g_assert_null (figure->note);

  options.titles = TRUE;
  titled = ns_flow_figure (result, NULL, &options);
  sentence = ns_flow_sentence (result, &options);
  g_assert_cmpstr (titled->title, ==, "At initialization: depth 12, d_model 128, 2 × 32 tokens, 4 seeds");
  g_assert_cmpstr (titled->caption, ==, sentence);
}

/* x_0 has a gradient and a magnitude. The input has no branches and no tensors. */
static void
test_sites (void)
{
  g_autoptr (NsResult) result = make (3, pre_post, 2);
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.gradient = NS_Q_GRAD_X;
  options.activation = NS_Q_RMS_ATTN;
  figure = ns_flow_figure (result, NULL, &options);
  assert_series (series_at (panel_at (figure, 0), 1), result, 1, NS_Q_GRAD_X, 0, TRUE);
  assert_series (series_at (panel_at (figure, 1), 1), result, 1, NS_Q_RMS_ATTN, 1, FALSE);
}

static void
test_seeds (void)
{
  g_autoptr (NsResult) result = make (3, pre_post, 1);
  g_autoptr (NsResult) all = make (3, pre_post, 8);
  g_autoptr (NsFigure) figure = NULL, refined = NULL, bandless = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.n_seeds_wanted = 8;
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpstr (figure->note, ==, "1 of 8 seeds");
  for (guint p = 0; p < 2; p++)
    g_assert_true (series_at (panel_at (figure, p), 0)->provisional);
  g_assert_null (series_at (panel_at (figure, 0), 0)->low);

  refined = ns_flow_figure (all, NULL, &options);
  g_assert_null (refined->note);
  g_assert_false (series_at (panel_at (refined, 0), 0)->provisional);
  g_assert_nonnull (series_at (panel_at (refined, 0), 0)->low);

  options.band = FALSE;
  bandless = ns_flow_figure (all, NULL, &options);
  g_assert_null (series_at (panel_at (bandless, 0), 0)->low);
}

static void
test_hidden (void)
{
  g_autoptr (NsResult) result = make (3, three, 2);
  g_autoptr (NsFigure) figure = NULL, styled = NULL, none = NULL;
  static const int styles[] = { 7, 9, 4 };
  static const NsColor colors[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const gboolean has_color[] = { TRUE, FALSE, TRUE };
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.hidden = 1;
  options.colors = colors;
  options.has_color = has_color;
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (panel_at (figure, 0)->series->len, ==, 2);
  g_assert_cmpint (series_at (panel_at (figure, 0), 0)->style, ==, 1);
  g_assert_false (series_at (panel_at (figure, 0), 0)->has_color);
  g_assert_cmpint (series_at (panel_at (figure, 1), 1)->style, ==, 2);
  g_assert_true (series_at (panel_at (figure, 1), 1)->has_color);
  g_assert_cmpfloat (series_at (panel_at (figure, 1), 1)->color.blue, ==, 1);

  options.styles = styles;
  styled = ns_flow_figure (result, result, &options);
  g_assert_cmpint (series_at (panel_at (styled, 0), 0)->style, ==, 9);
  g_assert_cmpint (series_at (panel_at (styled, 1), 1)->style, ==, 4);

  options.hidden = 7;
  none = ns_flow_figure (result, NULL, &options);
  for (guint p = 0; p < 2; p++)
    {
      g_assert_cmpuint (panel_at (none, p)->series->len, ==, 0);
      g_assert_cmpstr (panel_at (none, p)->message, ==, "Every variant is hidden: show one in the list of variants.");
    }
}

/* A quantity that some variants lack is shown for the others. If all lack it, the panel says so. */
static void
test_absent (void)
{
  static const char *const variants[] = { "pre", "pre:activation=swiglu,name=Gated", NULL };
  g_autoptr (NsResult) result = make (3, variants, 2);
  g_autoptr (NsFigure) some = NULL, none = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.gradient = NS_Q_W_3;
  some = ns_flow_figure (result, NULL, &options);
  g_assert_null (panel_at (some, 0)->message);
  g_assert_cmpuint (panel_at (some, 0)->series->len, ==, 1);
  g_assert_cmpint (series_at (panel_at (some, 0), 0)->style, ==, 1);

  options.hidden = 2;
  none = ns_flow_figure (result, NULL, &options);
  g_assert_cmpstr (panel_at (none, 0)->message, ==, "No visible variant has ‖∂L/∂W₃‖: choose another quantity.");
  g_assert_null (panel_at (none, 1)->message);
}

/* Blocks 1..6 hold a norm, 0, an underflow, an overflow, Inf and NaN. */
static void
test_marks (void)
{
  static const double values[] = { 0.5, 0, 0, INFINITY, INFINITY, NAN };
  static const double logs[] = { -0.30103, -INFINITY, -412.5, 412.5, INFINITY, NAN };
  static const NsMark log_marks[] = {
    NS_MARK_NONE, NS_MARK_UNDERFLOW, NS_MARK_NONE, NS_MARK_NONE, NS_MARK_INF, NS_MARK_NAN,
  };
  static const NsMark linear_marks[] = {
    NS_MARK_NONE, NS_MARK_UNDERFLOW, NS_MARK_UNDERFLOW, NS_MARK_INF, NS_MARK_INF, NS_MARK_NAN,
  };
  g_autoptr (NsResult) result = make (6, pre_post, 3);

  for (gint64 site = 1; site <= 6; site++)
    {
      synthetic_set (result, 0, NS_Q_BLOCK, site, values[site - 1], logs[site - 1]);
      synthetic_set (result, 0, NS_Q_RMS_FFN, site, values[site - 1], logs[site - 1]);
    }
  for (int is_log = 0; is_log < 2; is_log++)
    {
      g_autoptr (NsFigure) figure = NULL;
      NsFlowOptions options;

      ns_flow_options_init (&options);
      options.activation = NS_Q_RMS_FFN;
      options.log_gradient = is_log;
      options.bars_axis = is_log ? NS_BARS_AXIS_LOG : NS_BARS_AXIS_LINEAR;
      figure = ns_flow_figure (result, NULL, &options);
      for (guint p = 0; p < 2; p++)
        {
          NsSeries *series = series_at (panel_at (figure, p), 0);

          g_assert_nonnull (series->mark);
          g_assert_null (series_at (panel_at (figure, p), 1)->mark);
          for (gsize i = 0; i < 6; i++)
            {
              g_assert_cmpint (series->mark[i], ==, is_log ? log_marks[i] : linear_marks[i]);
              g_assert_cmpint (ns_series_get_mark (series, i), ==, series->mark[i]);
              if (p == 0 && series->mark[i] != NS_MARK_NONE)
                g_assert_true (isnan (series->low[i]) && isnan (series->high[i]));
            }
          if (is_log)
            {
              g_assert_cmpfloat (series->y[2], ==, -412.5);
              g_assert_cmpfloat (series->y[3], ==, 412.5);
            }
        }
    }
}

/* One NaN among the seeds makes the mean NaN. The band of a norm does not reach below 0. */
static void
test_one_bad_seed (void)
{
  g_autoptr (NsResult) result = make (3, pre_post, 3);
  g_autoptr (NsFigure) figure = NULL, linear = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  ns_result_set (result, 0, NS_Q_BLOCK, 2, 1, NAN, NAN);
  ns_result_set (result, 1, NS_Q_BLOCK, 2, 1, 100, 2);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (series_at (panel_at (figure, 0), 0)->mark[1], ==, NS_MARK_NAN);
  g_assert_cmpint (series_at (panel_at (figure, 0), 0)->mark[0], ==, NS_MARK_NONE);

  options.log_gradient = FALSE;
  linear = ns_flow_figure (result, NULL, &options);
  g_assert_cmpfloat (series_at (panel_at (linear, 0), 1)->y[1], >, 30);
  g_assert_cmpfloat (series_at (panel_at (linear, 0), 1)->low[1], ==, 0);
}

static void
test_token_cos (void)
{
  static const char *const variants[] = { "pre", "post:attn.residual=off", "sandwich:ffn.residual=off", NULL };
  g_autoptr (NsResult) result = make (6, variants, 2);
  const struct
  {
    NsTokenCosMode mode;
    guint64 hidden;
    guint shown;
  } cases[] = {
    { NS_TOKEN_COS_AUTO, 0, 3 },
    { NS_TOKEN_COS_AUTO, 2, 2 },
    { NS_TOKEN_COS_AUTO, 4, 2 },
    { NS_TOKEN_COS_AUTO, 6, 0 },
    { NS_TOKEN_COS_ALWAYS, 6, 1 },
    { NS_TOKEN_COS_NEVER, 0, 0 },
    { NS_TOKEN_COS_ALWAYS, 7, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsFigure) figure = NULL;
      NsFlowOptions options;

      ns_flow_options_init (&options);
      options.token_cos = cases[i].mode;
      options.hidden = cases[i].hidden;
      figure = ns_flow_figure (result, NULL, &options);
      /* In a panel of its own, so that the bars stay free. */
      g_assert_cmpuint (figure->panels->len, ==, cases[i].shown > 0 ? 3 : 2);
      g_assert_null (panel_at (figure, 1)->right_title);
      if (cases[i].shown > 0)
        g_assert_cmpuint (panel_at (figure, 2)->series->len, ==, cases[i].shown);
    }
}

static void
test_token_cos_axis (void)
{
  g_autoptr (NsResult) result = make (6, pre_post, 2);
  g_autoptr (NsFigure) figure = NULL, negative = NULL;
  NsFlowOptions options;
  NsSeries *series;

  ns_flow_options_init (&options);
  options.token_cos = NS_TOKEN_COS_ALWAYS;
  options.bars_axis = NS_BARS_AXIS_LOG;
  synthetic_set (result, 0, NS_Q_TOKEN_COS, 3, -0.01, NAN);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (panel_at (figure, 1)->series->len, ==, 2);
  series = series_at (panel_at (figure, 2), 0);
  g_assert_cmpint (series->kind, ==, NS_SERIES_LINE);
  g_assert_cmpint (series->style, ==, 0);
  assert_series (series_at (panel_at (figure, 2), 1), result, 1, NS_Q_TOKEN_COS, 0, FALSE);
  g_assert_cmpfloat (series->y[3], ==, -0.01);
  g_assert_null (series->mark);
  g_assert_cmpint (panel_at (figure, 2)->scale, ==, NS_AXIS_LINEAR);
  g_assert_true (panel_at (figure, 2)->has_range);
  g_assert_cmpfloat (panel_at (figure, 2)->min, ==, 0);
  g_assert_cmpfloat (panel_at (figure, 2)->max, ==, 1);

  synthetic_set (result, 0, NS_Q_TOKEN_COS, 3, -0.3, NAN);
  negative = ns_flow_figure (result, NULL, &options);
  g_assert_cmpfloat (panel_at (negative, 2)->min, ==, -1);
}

/* One variant's bars are a hundred times as long as the other's: a linear axis would show it alone. */
static void
test_flattened_bars (void)
{
  g_autoptr (NsResult) result = make (6, three, 2);
  g_autoptr (NsFigure) figure = NULL, linear = NULL, hidden = NULL, level = NULL;
  g_autofree char *readout = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  for (gint64 site = 0; site <= 6; site++)
    for (guint v = 0; v < 3; v++)
      synthetic_set (result, v, NS_Q_RMS_X, site, v == 1 ? 100 : 1, v == 1 ? 2 : 0);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (panel_at (figure, 1)->scale, ==, NS_AXIS_LOG10);
  g_assert_cmpstr (panel_at (figure, 1)->subtitle, ==,
                   "log scale · mean of 2 seeds · on a linear one Post-LN would flatten others");
  g_assert_cmpfloat (series_at (panel_at (figure, 1), 1)->y[0], ==, 2);
  readout = ns_flow_readout (result, &options, 3);
  g_assert_nonnull (strstr (readout, "rms(xₗ) 100 ×/÷ 1.00"));

  options.bars_axis = NS_BARS_AXIS_LINEAR;
  linear = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (panel_at (linear, 1)->scale, ==, NS_AXIS_LINEAR);
  options.bars_axis = NS_BARS_AXIS_AUTO;
  options.hidden = 2;
  hidden = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (panel_at (hidden, 1)->scale, ==, NS_AXIS_LINEAR);
  options.hidden = 0;
  synthetic_set (result, 1, NS_Q_RMS_X, 3, INFINITY, INFINITY);
  for (gint64 site = 0; site <= 6; site++)
    if (site != 3)
      synthetic_set (result, 1, NS_Q_RMS_X, site, 10, 1);
  level = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (panel_at (level, 1)->scale, ==, NS_AXIS_LINEAR);
  g_assert_cmpstr (panel_at (level, 1)->subtitle, ==, "linear scale · mean of 2 seeds");
}

/* Numbers that may be negative have no logarithmic axis to escape to. */
static void
test_signed_bars (void)
{
  g_autoptr (NsResult) result = make (6, three, 2);
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  options.activation = NS_Q_MAX_LOGIT;
  for (gint64 site = 1; site <= 6; site++)
    for (guint v = 0; v < 3; v++)
      synthetic_set (result, v, NS_Q_MAX_LOGIT, site, v == 1 ? 100 : site == 2 ? -1 : 1, NAN);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpint (panel_at (figure, 1)->scale, ==, NS_AXIS_LINEAR);
  g_assert_cmpstr (panel_at (figure, 1)->subtitle, ==, "linear scale · mean of 2 seeds");
  g_assert_cmpfloat (series_at (panel_at (figure, 1), 0)->y[1], ==, -1);
}

/* With one token there is no pair and no cosine. */
static void
test_one_token (void)
{
  static const char *const variants[] = { "post:attn.residual=off", NULL };
  g_autoptr (NsExperiment) experiment = synthetic_experiment (3, variants);
  g_autoptr (NsResult) result = NULL;
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  experiment->shape.seq_len = 1;
  result = synthetic_result (experiment, 2);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (panel_at (figure, 1)->series->len, ==, 1);
  g_assert_cmpuint (figure->panels->len, ==, 2);
}

static guint
count_ghosts (const NsPanel *panel)
{
  guint n = 0;

  for (guint i = 0; i < panel->series->len; i++)
    n += series_at (panel, i)->role == NS_ROLE_GHOST ? 1 : 0;
  return n;
}

static void
test_ghost (void)
{
  static const char *const before_names[] = { "post", "pre", NULL };
  g_autoptr (NsResult) result = make (4, three, 2);
  g_autoptr (NsResult) before = make (6, before_names, 2);
  g_autoptr (NsResult) same = make (4, three, 2);
  g_autoptr (NsFigure) figure = NULL, unchanged = NULL;
  NsFlowOptions options;
  NsSeries *ghost;

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, before, &options);
  g_assert_cmpuint (count_ghosts (panel_at (figure, 0)), ==, 2);
  g_assert_cmpuint (count_ghosts (panel_at (figure, 1)), ==, 2);

  /* The ghost belongs to the variant of the same name, ends where its curve ends and is named by what differed. */
  ghost = series_at (panel_at (figure, 0), 0);
  g_assert_cmpstr (ghost->name, ==, "before: depth\302\2406");
  g_assert_cmpint (ghost->role, ==, NS_ROLE_GHOST);
  g_assert_true (ghost->keeps_range);
  g_assert_cmpint (ghost->kind, ==, NS_SERIES_LINE);
  g_assert_cmpint (ghost->style, ==, 0);
  g_assert_cmpint (series_at (panel_at (figure, 0), 1)->style, ==, 0);
  g_assert_cmpuint (ghost->n, ==, 4);
  g_assert_null (ghost->low);
  for (gsize i = 0; i < 4; i++)
    {
      NsStat stat;

      g_assert_true (ns_result_get_stat (before, 1, NS_Q_BLOCK, (gint64) i + 1, &stat));
      g_assert_cmpfloat (ghost->y[i], ==, stat.log10_mean);
    }

  /* No ghost without a change. */
  unchanged = ns_flow_figure (result, same, &options);
  g_assert_cmpuint (count_ghosts (panel_at (unchanged, 0)), ==, 0);
}

/* A renamed variant keeps its ghost. A new variant and an unchanged curve have none. */
static void
test_ghost_names (void)
{
  static const char *const renamed_names[] = { "pre", "post:name=Mine", NULL };
  static const char *const added_names[] = { "pre", "post", "sandwich", NULL };
  g_autoptr (NsResult) before = make (6, pre_post, 2);
  g_autoptr (NsResult) renamed = make (5, renamed_names, 2);
  g_autoptr (NsResult) added = make (5, added_names, 2);
  g_autoptr (NsFigure) one = NULL, two = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  synthetic_set (renamed, 1, NS_Q_BLOCK, 1, 7, log10 (7));
  synthetic_set (added, 1, NS_Q_BLOCK, 1, 7, log10 (7));
  one = ns_flow_figure (renamed, before, &options);
  g_assert_cmpuint (panel_at (one, 0)->series->len, ==, 3);
  g_assert_cmpint (series_at (panel_at (one, 0), 1)->role, ==, NS_ROLE_GHOST);
  g_assert_cmpint (series_at (panel_at (one, 0), 1)->style, ==, 1);
  g_assert_cmpstr (series_at (panel_at (one, 0), 1)->name, ==, "before: depth\302\2406, Post-LN");
  two = ns_flow_figure (added, before, &options);
  g_assert_cmpuint (panel_at (two, 0)->series->len, ==, 4);
  g_assert_cmpint (series_at (panel_at (two, 0), 1)->role, ==, NS_ROLE_GHOST);
  g_assert_cmpint (series_at (panel_at (two, 0), 1)->style, ==, 1);
}

static void
assert_before (const char *now_text, const char *before_text, const char *expected)
{
  const char *const now_variants[] = { now_text, NULL }, *const before_variants[] = { before_text, NULL };
  g_autoptr (NsResult) now = make (6, now_variants, 2);
  g_autoptr (NsResult) before = make (6, before_variants, 2);
  g_autoptr (NsFigure) figure = NULL;
  static const gboolean has_color[] = { TRUE };
  static const NsColor colors[] = { { 0.5, 0, 0 } };
  NsFlowOptions options;
  NsSeries *ghost;

  ns_flow_options_init (&options);
  options.has_color = has_color;
  options.colors = colors;
  synthetic_set (now, 0, NS_Q_BLOCK, 1, 7, log10 (7));
  figure = ns_flow_figure (now, before, &options);
  ghost = series_at (panel_at (figure, 0), 0);
  g_assert_cmpint (ghost->role, ==, NS_ROLE_GHOST);
  g_assert_true (ghost->keeps_range);
  g_assert_cmpstr (ghost->name, ==, expected);
  g_assert_true (ghost->has_color && ghost->color.red == 0.5);
}

/* A former curve says what its variant was, in its variant's colour. */
static void
test_ghost_labels (void)
{
  assert_before ("pre:name=A", "pre:name=A,attn.residual=off", "before: Attention residual off");
  assert_before ("pre:name=A", "pre:name=B", "before: B");
  assert_before ("pre:name=A", "pre:name=A,activation=gelu,bias=on,norm_eps=0.1",
                 "before: Norm epsilon 0.1, Activation gelu, …");
}

static void
test_depth_one (void)
{
  g_autoptr (NsResult) result = make (1, pre_post, 1);
  g_autoptr (NsFigure) figure = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_cmpuint (series_at (panel_at (figure, 0), 0)->n, ==, 1);
  g_assert_cmpfloat (series_at (panel_at (figure, 0), 0)->x[0], ==, 1);
}

/* A run that goes on: the axes are those of its end, the curves have the blocks that are known, and the former curve
 * stays. */
static void
test_partial (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (12, pre_post);
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, 1, NULL);
  g_autoptr (NsResult) before = make (6, pre_post, 1);
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *sentence = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  g_assert_true (ns_result_begin_partial (result));
  for (gint64 site = 0; site <= 5; site++)
    ns_result_set (result, 0, NS_Q_RMS_X, site, 0, 2, log10 (2));
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_nonnull (strstr (figure->note, "Still running"));
  g_assert_cmpfloat (figure->x_min, ==, 0);
  g_assert_cmpfloat (figure->x_max, ==, 12);
  g_assert_cmpuint (panel_at (figure, 0)->series->len, ==, 0);
  g_assert_nonnull (strstr (panel_at (figure, 0)->message, "is not measured yet"));
  g_assert_cmpuint (panel_at (figure, 1)->series->len, ==, 1);
  g_assert_cmpuint (series_at (panel_at (figure, 1), 0)->n, ==, 6);
  g_assert_null (series_at (panel_at (figure, 1), 0)->mark);
  sentence = ns_flow_sentence (result, &options);
  g_assert_true (g_str_has_prefix (sentence, "Still running"));

  g_clear_pointer (&figure, ns_figure_free);
  figure = ns_flow_figure (result, before, &options);
  g_assert_cmpuint (panel_at (figure, 0)->series->len, ==, 2);
  g_assert_null (panel_at (figure, 0)->message); /* the former curves are in its place */

  g_clear_pointer (&figure, ns_figure_free);
  options.gradient = NS_Q_EXPERT_LOAD_MAX;
  options.token_cos = NS_TOKEN_COS_ALWAYS;
  options.activation = NS_Q_RMS_ATTN;
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_nonnull (strstr (panel_at (figure, 0)->message, "No visible variant"));
  g_assert_cmpfloat (figure->x_min, ==, 0); /* of the similarity */
  options.gradient = NS_Q_BLOCK;
  options.activation = NS_Q_RMS_X;
  options.token_cos = NS_TOKEN_COS_AUTO;

  g_clear_pointer (&figure, ns_figure_free);
  for (gint64 site = 12; site > 9; site--)
    ns_result_set (result, 1, NS_Q_BLOCK, site, 0, 3, log10 (3));
  figure = ns_flow_figure (result, before, &options);
  g_assert_cmpuint (panel_at (figure, 0)->series->len, ==, 3);
  g_assert_cmpint (series_at (panel_at (figure, 0), 0)->role, ==, NS_ROLE_GHOST);
  g_assert_cmpint (series_at (panel_at (figure, 0), 1)->role, ==, NS_ROLE_GHOST);
  g_assert_cmpuint (series_at (panel_at (figure, 0), 2)->n, ==, 3);
  g_assert_cmpfloat (series_at (panel_at (figure, 0), 2)->x[0], ==, 10);

  /* at the end, what has no number is NaN */
  g_clear_pointer (&figure, ns_figure_free);
  ns_result_end_partial (result);
  figure = ns_flow_figure (result, NULL, &options);
  g_assert_null (figure->note);
  g_assert_true (isnan (figure->x_max));
  g_assert_cmpuint (series_at (panel_at (figure, 0), 1)->n, ==, 12);
  g_assert_cmpint (series_at (panel_at (figure, 0), 1)->mark[0], ==, NS_MARK_NAN);
}

/* A factor per block is a straight line on a log axis through the last point of every measured curve, in both parts of
 * an encoder-decoder. */
static void
test_factor (void)
{
  for (int pair = 0; pair < 4; pair++)
    {
      gboolean is_log = pair % 2 == 0;
      g_autoptr (NsExperiment) experiment = synthetic_experiment (5, pre_post);
      g_autoptr (NsResult) result = NULL;
      g_autoptr (NsFigure) figure = NULL;
      const NsPanel *panel;
      NsFlowOptions options;
      gsize n_ends = 0;

      experiment->shape.stack = pair < 2 ? NS_STACK_SINGLE : NS_STACK_ENCODER_DECODER;
      result = synthetic_result (experiment, 2);
      synthetic_set (result, 0, NS_Q_BLOCK, ns_experiment_get_head_site (experiment) - 1, 0, -INFINITY);
      ns_flow_options_init (&options);
      options.log_gradient = is_log;
      options.factor = 0.95;
      figure = ns_flow_figure (result, NULL, &options);
      g_assert_cmpuint (panel_at (figure, 1)->series->len, ==, 2);
      panel = panel_at (figure, 0);
      g_assert_cmpuint (panel->series->len, ==, 4);
      for (guint v = 0; v < 2; v++)
        {
          const NsSeries *curve = series_at (panel, v), *line = series_at (panel, 2 + v);

          g_assert_cmpstr (line->name, ==, v == 0 ? "× 0.95 per block" : "");
          g_assert_cmpint (line->role, ==, NS_ROLE_REFERENCE);
          g_assert_cmpint (line->style, ==, curve->style);
          g_assert_cmpuint (line->n, ==, curve->n - (v == 0)); /* Pre-LN has no number in the last block */
          for (gsize i = 0; i < line->n; i++)
            {
              const NsAxisPart *part = ns_figure_find_x_part (figure, line->x[i]);

              g_assert_cmpfloat (line->x[i], ==, curve->x[i]);
              if (i + 1 == line->n || part != ns_figure_find_x_part (figure, line->x[i + 1]))
                {
                  g_assert_cmpfloat (line->y[i], ==, curve->y[i]);
                  n_ends++;
                }
              else if (is_log)
                g_assert_cmpfloat_with_epsilon (line->y[i] - line->y[i + 1], log10 (0.95), 1e-12);
              else
                g_assert_cmpfloat_with_epsilon (line->y[i] / line->y[i + 1], 0.95, 1e-12);
            }
        }
      g_assert_cmpuint (n_ends, ==, pair < 2 ? 2 : 4);
    }
}

/* Several depths share one axis from 0 to 1. Each curve has its result's values and is lighter in shallow stacks. */
static void
test_depths (void)
{
  static const gint64 depths[] = { 3, 6, 12 };
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);
  g_autoptr (NsFigure) figure = NULL, hidden = NULL;
  g_autofree char *sentence = NULL, *of_one = NULL;
  NsFlowOptions options;

  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    g_ptr_array_add (results, make (depths[i], pre_post, 2));
  for (gint64 block = 1; block <= 6; block++)
    synthetic_set (g_ptr_array_index (results, 1), 1, NS_Q_BLOCK, block, block == 6 ? 0.25 : 1,
                   block == 6 ? log10 (0.25) : 0);
  ns_flow_options_init (&options);
  options.bars_axis = NS_BARS_AXIS_LOG;
  figure = ns_depths_figure (results, &options);
  for (guint p = 0; p < 2; p++)
    {
      g_assert_cmpuint (panel_at (figure, p)->series->len, ==, 6);
      for (guint s = 0; s < 6; s++)
        {
          const NsSeries *series = series_at (panel_at (figure, p), s);
          const NsResult *result = g_ptr_array_index (results, s % 3);
          gsize depth = (gsize) depths[s % 3];
          g_autofree char *name = g_strdup_printf ("%s, %d", s < 3 ? "Pre-LN" : "Post-LN", (int) depth);

          g_assert_cmpstr (series->name, ==, name);
          g_assert_cmpint (series->style, ==, s / 3);
          g_assert_cmpfloat_with_epsilon (series->lightness, 1 - (s % 3 + 1) / 3.0, 1e-12);
          g_assert_cmpuint (series->n, ==, depth + p);
          for (gsize i = 0; i < series->n; i++)
            {
              gint64 block = (gint64) i + 1 - p;
              NsStat stat;

              g_assert_cmpfloat (series->x[i], ==, (double) block / (double) depth);
              g_assert_true (ns_result_get_stat (result, s / 3, p == 0 ? NS_Q_BLOCK : NS_Q_RMS_X, block, &stat));
              g_assert_cmpfloat (series->y[i], ==, stat.log10_mean);
            }
        }
    }
  sentence = ns_depths_sentence (results, &options);
  g_assert_nonnull (strstr (sentence, "Post-LN, last block relative to the first: "));
  g_assert_nonnull (strstr (sentence, ", 0.250 at depth 6, "));

  options.hidden = 1;
  options.titles = TRUE;
  hidden = ns_depths_figure (results, &options);
  g_assert_cmpuint (panel_at (hidden, 0)->series->len, ==, 3);
  g_assert_nonnull (strstr (hidden->title, "depths 3, 6, 12"));
  of_one = ns_depths_sentence (results, &options);
  g_assert_null (strstr (of_one, "Pre-LN"));
  g_assert_cmpstr (hidden->caption, ==, of_one);
  options.gradient = NS_Q_W_3;
  g_clear_pointer (&hidden, ns_figure_free);
  hidden = ns_depths_figure (results, &options);
  g_assert_nonnull (strstr (panel_at (hidden, 0)->message, "No visible variant has ‖∂L/∂W₃‖"));
}

void
add_flow_tests (void)
{
  g_test_add_data_func ("/flow/arrays/linear", GINT_TO_POINTER (FALSE), test_arrays);
  g_test_add_data_func ("/flow/arrays/log", GINT_TO_POINTER (TRUE), test_arrays);
  g_test_add_func ("/flow/titles", test_titles);
  g_test_add_func ("/flow/estimates", test_estimates);
  g_test_add_func ("/flow/sites", test_sites);
  g_test_add_func ("/flow/seeds", test_seeds);
  g_test_add_func ("/flow/hidden", test_hidden);
  g_test_add_func ("/flow/absent", test_absent);
  g_test_add_func ("/flow/marks", test_marks);
  g_test_add_func ("/flow/one-bad-seed", test_one_bad_seed);
  g_test_add_func ("/flow/token-cos/shown", test_token_cos);
  g_test_add_func ("/flow/token-cos/axis", test_token_cos_axis);
  g_test_add_func ("/flow/flattened-bars", test_flattened_bars);
  g_test_add_func ("/flow/signed-bars", test_signed_bars);
  g_test_add_func ("/flow/token-cos/one-token", test_one_token);
  g_test_add_func ("/flow/ghost", test_ghost);
  g_test_add_func ("/flow/ghost/names", test_ghost_names);
  g_test_add_func ("/flow/ghost/labels", test_ghost_labels);
  g_test_add_func ("/flow/factor", test_factor);
  g_test_add_func ("/flow/depths", test_depths);
  g_test_add_func ("/flow/depth-one", test_depth_one);
  g_test_add_func ("/flow/partial", test_partial);
}
