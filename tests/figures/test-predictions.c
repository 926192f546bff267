/* Test the predictions in the flow figure and the scaling figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-flow.h"
#include "figures/ns-scaling.h"
#include "synthetic-sweep.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>
#include <string.h>

static NsPanel *
get_panel (const NsFigure *figure, guint i)
{
  g_assert_cmpuint (figure->panels->len, >, i);
  return g_ptr_array_index (figure->panels, i);
}

static NsSeries *
get_series (const NsPanel *panel, guint i)
{
  g_assert_cmpuint (panel->series->len, >, i);
  return g_ptr_array_index (panel->series, i);
}

/* ---- the flow figure ---- */

static const char *const theory[] = { "pre:norm_eps=0,attention=uniform,attention_output=off,name=Pre",
                                      "post:norm_eps=0,attention=uniform,attention_output=off,name=Post",
                                      "pre:name=Full", NULL };

/* List the references of the panels from `first` on, in order. Return their number. */
static guint
list_references (const NsFigure *figure, guint first, const NsSeries **references, guint max)
{
  guint n = 0;

  for (guint p = first; p < figure->panels->len; p++)
    for (guint i = 0; i < get_panel (figure, p)->series->len; i++)
      if (get_series (get_panel (figure, p), i)->role == NS_ROLE_REFERENCE && n < max)
        references[n++] = get_series (get_panel (figure, p), i);
  g_assert_cmpuint (n, <, max);
  return n;
}

static void
assert_reason (const NsExperiment *experiment, const NsFlowOptions *options, const char *expected,
               gboolean expected_drawn)
{
  gboolean is_drawn = !expected_drawn;
  g_autofree char *reason = ns_flow_dup_no_prediction (experiment, options, &is_drawn);

  g_assert_cmpstr (reason, ==, expected);
  g_assert_cmpint (is_drawn, ==, expected_drawn);
}

static void
test_flow (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (6, theory);
  g_autoptr (NsResult) result = NULL;
  const NsSeries *references[8];
  double rms_x[7], token_cos[7], w_2[7], rms_ffn[7];
  NsFlowOptions options;

  experiment->shape.d_ff = experiment->shape.d_model;
  result = synthetic_result (experiment, 2);
  ns_flow_options_init (&options);
  {
    g_autoptr (NsFigure) figure = ns_flow_figure (result, NULL, &options);

    g_assert_cmpuint (list_references (figure, 1, references, 8), ==, 0);
  }
  options.predictions = TRUE;
  options.token_cos = NS_TOKEN_COS_ALWAYS;
  {
    g_autoptr (NsFigure) figure = ns_flow_figure (result, NULL, &options);

    /* The variant with full attention does not meet an assumption. */
    g_assert_cmpuint (list_references (figure, 1, references, 8), ==, 4);
    ns_mean_field_predict (experiment, 0, NS_Q_RMS_X, rms_x, NULL);
    ns_mean_field_predict (experiment, 0, NS_Q_TOKEN_COS, token_cos, NULL);
    g_assert_cmpstr (references[0]->name, ==, "mean field; Lemma 2");
    g_assert_cmpstr (references[1]->name, ==, "mean field");
    g_assert_null (references[1]->low);
    g_assert_cmpint (references[1]->style, ==, 1);
    /* The similarities have a panel of their own. */
    g_assert_cmpuint (figure->panels->len, ==, 3);
    g_assert_cmpint (references[2]->style, ==, 0);
    for (int l = 0; l <= 6; l++)
      {
        g_assert_cmpfloat (references[0]->x[l], ==, l);
        g_assert_cmpfloat (references[0]->y[l], ==, rms_x[l]);
        g_assert_cmpfloat_with_epsilon (pow (references[0]->low[l], 2), 1 + 0.5 * l, 1e-12);
        g_assert_cmpfloat_with_epsilon (pow (references[0]->high[l], 2), 1 + 1.5 * l, 1e-12);
        g_assert_cmpfloat_with_epsilon (references[1]->y[l], 1, 1e-12);
        g_assert_cmpfloat (references[2]->y[l], ==, token_cos[l]);
      }
  }
  options.token_cos = NS_TOKEN_COS_NEVER;
  options.bars_axis = NS_BARS_AXIS_LOG;
  options.hidden = 2;
  {
    g_autoptr (NsFigure) figure = ns_flow_figure (result, NULL, &options);

    g_assert_cmpuint (list_references (figure, 1, references, 8), ==, 1);
    g_assert_cmpfloat_with_epsilon (references[0]->y[6], log10 (rms_x[6]), 1e-12);
    g_assert_cmpfloat_with_epsilon (references[0]->high[6], 0.5, 1e-12);
  }
  /* Other activations have no lemma, and start at block 1. */
  options.activation = NS_Q_RMS_FFN;
  {
    g_autoptr (NsFigure) figure = ns_flow_figure (result, NULL, &options);

    g_assert_cmpuint (list_references (figure, 1, references, 8), ==, 1);
    ns_mean_field_predict (experiment, 0, NS_Q_RMS_FFN, NULL, rms_ffn);
    g_assert_cmpuint (references[0]->n, ==, 6);
    g_assert_null (references[0]->low);
    g_assert_cmpfloat (references[0]->x[0], ==, 1);
    g_assert_cmpfloat (references[0]->y[5], ==, rms_ffn[6]);
  }

  /* The gradients' panel is the first. */
  options.gradient = NS_Q_W_2;
  options.hidden = 0;
  {
    g_autoptr (NsFigure) figure = ns_flow_figure (result, NULL, &options);
    guint n = list_references (figure, 0, references, 8) - list_references (figure, 1, references + 4, 4);

    g_assert_cmpuint (n, ==, 2);
    g_assert_cmpstr (references[1]->name, ==, "mean field");
    g_assert_cmpint (references[1]->style, ==, 1);
    ns_mean_field_predict (experiment, 1, NS_Q_W_2, NULL, w_2);
    for (int l = 1; l <= 6; l++)
      g_assert_cmpfloat (references[1]->y[l - 1], ==, w_2[l]);
  }

  /* Without a prediction the figure gives the reason. */
  assert_reason (experiment, &options, NULL, TRUE);
  options.gradient = NS_Q_GAIN_ATTN_PRE;
  assert_reason (experiment, &options, "Gradients: Not for ‖∂L/∂γ_attn,pre‖", TRUE);
  options.gradient = NS_Q_W_2;
  experiment->shape.vocab = 8;
  assert_reason (experiment, &options, "Gradients: Not for Vocabulary 8", TRUE);
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  options.hidden = 2;
  options.hidden = 3;
  assert_reason (experiment, &options, "Not for Attention: Full, Output projection: on", FALSE);
  experiment->shape.d_ff = 512;
  assert_reason (experiment, &options, "Not for FFN width 512, Attention: Full, Output projection: on", FALSE);
  options.hidden = 0;
  assert_reason (experiment, &options, "Not for FFN width 512", FALSE);
  options.hidden = 7;
  assert_reason (experiment, &options, "Every variant is hidden", FALSE);
}

/* ---- the scaling figure ---- */

/* Return the reference named "mean field" in the style, or NULL. */
static const NsSeries *
find_theory (const NsFigure *figure, int style)
{
  const NsPanel *panel = get_panel (figure, 0);

  for (guint i = 0; i < panel->series->len; i++)
    if (g_strcmp0 (get_series (panel, i)->name, "mean field") == 0 && get_series (panel, i)->style == style)
      return get_series (panel, i);
  return NULL;
}

static void
fill (NsSweep *sweep)
{
  for (guint v = 0; v < ns_sweep_get_experiment (sweep)->variants->len; v++)
    synthetic_set_law (sweep, v, NS_LAW_CONSTANT, 0, 1, 0.01, G_MAXUINT);
}

static void
assert_value (const NsSweep *sweep, guint variant, gint64 depth, double y)
{
  double wanted;

  g_assert_true (ns_mean_field_predict_metric (ns_sweep_get_experiment (sweep), variant, ns_sweep_get_metric (sweep),
                                               &depth, 1, &wanted));
  g_assert_cmpfloat_with_epsilon (y, wanted, 1e-12);
}

static void
assert_contains (char *text, const char *wanted)
{
  if (strstr (text, wanted) == NULL)
    g_error ("“%s” is not in: %s", wanted, text);
  g_free (text);
}

static void
test_scaling (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("2,4,8,16,32", "rms_x@last", theory, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsFigure) without = NULL, over = NULL, far = NULL, same = NULL, linear = NULL, ratio = NULL;
  g_autoptr (NsScalingTheory) made = NULL, deep = NULL;
  const NsSeries *series;
  NsScalingOptions options;

  fill (sweep);
  ns_scaling_options_init (&options);
  options.best_law = FALSE;
  without = ns_scaling_figure (sweep, &options);
  g_assert_null (find_theory (without, 0));

  /* At the points of the sweep, for the variants that meet the assumptions. */
  options.predictions = TRUE;
  over = ns_scaling_figure (sweep, &options);
  series = find_theory (over, 0);
  g_assert_cmpint (series->role, ==, NS_ROLE_REFERENCE);
  g_assert_cmpuint (series->n, ==, 5);
  g_assert_cmpfloat_with_epsilon (series->x[4], log10 (32), 1e-12);
  assert_value (sweep, 0, 32, series->y[4]);
  assert_value (sweep, 1, 32, find_theory (over, 1)->y[4]);
  g_assert_null (find_theory (over, 2));
  g_assert_cmpfloat_with_epsilon (over->x_max, log10 (32), 1e-12);

  /* A million blocks, on an axis that reaches them. */
  options.theory_depth = NS_MEAN_FIELD_MAX_DEPTH;
  options.theory = deep = ns_scaling_theory_new (sweep, NS_MEAN_FIELD_MAX_DEPTH);
  far = ns_scaling_figure (sweep, &options);
  series = find_theory (far, 0);
  g_assert_cmpfloat_with_epsilon (series->x[series->n - 1], 6, 1e-12);
  g_assert_cmpuint (series->n, >, 30);
  g_assert_cmpuint (series->n, <, 60);
  assert_value (sweep, 0, NS_MEAN_FIELD_MAX_DEPTH, series->y[series->n - 1]);
  g_assert_cmpfloat_with_epsilon (far->x_max, 6, 1e-12);
  assert_contains (ns_scaling_sentence (sweep, &options), "\nMean field at depth 1000000: Pre ");
  assert_contains (ns_scaling_readout (sweep, &options, 1e6), "Depth 1000000 · mean field: Pre ");
  assert_contains (ns_scaling_readout (sweep, &options, 33), "Depth 32 · Pre ");

  /* Numbers that are given are the ones that are drawn, if they are of this depth. */
  made = ns_scaling_theory_new (sweep, 1000);
  g_assert_true (ns_scaling_theory_is_of (made, sweep, 1000));
  g_assert_false (ns_scaling_theory_is_of (made, sweep, 999));
  options.theory = made;
  options.theory_depth = 10000;
  same = ns_scaling_figure (sweep, &options);
  g_assert_cmpfloat_with_epsilon (same->x_max, 4, 1e-12);
  options.theory_depth = 1000;

  options.log_y = options.log_x = FALSE;
  linear = ns_scaling_figure (sweep, &options);
  g_assert_cmpfloat (linear->x_max, ==, 1000);
  series = find_theory (linear, 1);
  g_assert_cmpfloat_with_epsilon (series->y[series->n - 1], 1, 1e-12);

  options.log_y = TRUE;
  options.view = NS_SCALING_RATIO;
  ratio = ns_scaling_figure (sweep, &options);
  series = find_theory (ratio, 1);
  assert_value (sweep, 0, 1000, -series->y[series->n - 1]);
}

/* Against width, and reasons where there is no theory. */
static void
test_scaling_width (void)
{
  static const char *const full[] = { "pre:attention=full", NULL };
  g_autoptr (NsSweep) widths = synthetic_sweep ("64,128,256", "grad_x@first", theory, 2, NS_SWEEP_D_MODEL);
  g_autoptr (NsSweep) other = synthetic_sweep ("2,4", "w_2@last", full, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) head = synthetic_sweep ("2,4", "gain_attn_pre@last", theory, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsFigure) figure = NULL;
  NsScalingOptions options;

  fill (widths);
  fill (other);
  fill (head);
  ns_scaling_options_init (&options);
  options.predictions = TRUE;
  options.theory_depth = 1000;
  figure = ns_scaling_figure (widths, &options);
  for (guint p = 0; p < 3; p++)
    {
      g_autoptr (NsExperiment) experiment = ns_sweep_make_experiment (widths, p);
      double wanted[7];

      g_assert_cmpint (experiment->shape.depth, ==, 4);
      g_assert_cmpint (ns_mean_field_holds (experiment, 0, NS_Q_GRAD_X), ==, find_theory (figure, 0) != NULL);
      g_assert_true (ns_mean_field_predict (experiment, 0, NS_Q_GRAD_X, NULL, wanted));
      g_assert_cmpfloat_with_epsilon (find_theory (figure, 0)->y[p], wanted[1], 1e-12);
    }
  g_assert_cmpfloat_with_epsilon (figure->x_max, log10 (256), 1e-12);
  assert_contains (ns_scaling_sentence (widths, &options), "\nMean field at width 256: Pre ");
  assert_contains (ns_scaling_sentence (other, &options),
                   "\nNo theory: Not for Attention: Full, Output projection: on.");
  assert_contains (ns_scaling_sentence (head, &options), "\nNo theory: Not for ‖∂L/∂γ_attn,pre‖.");
}

void
add_predictions_tests (void)
{
  g_test_add_func ("/predictions/flow", test_flow);
  g_test_add_func ("/predictions/scaling", test_scaling);
  g_test_add_func ("/predictions/scaling-width", test_scaling_width);
}
