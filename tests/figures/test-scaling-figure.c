/* Test the scaling figure, and its sentence while points arrive.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-scaling.h"
#include "synthetic-sweep.h"
#include "synthetic.h"
#include "tests.h"

#include <math.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const only_pre[] = { "pre", NULL };

static void
assert_sentence (const NsSweep *sweep, const NsScalingOptions *options, const char *expected)
{
  NsScalingOptions fallback;
  g_autofree char *text = NULL;

  ns_scaling_options_init (&fallback);
  text = ns_scaling_sentence (sweep, options != NULL ? options : &fallback);
  g_assert_cmpstr (text, ==, expected);
}

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

/* While points arrive, after a stop, and before the first point. */
static void
test_filling (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1,2,4,8,16,32,64,128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsFigure) empty = NULL;
  g_autoptr (NsFigure) half = NULL;
  NsScalingOptions options;
  NsSeries *series;
  guint n_points;

  ns_scaling_options_init (&options);
  assert_sentence (sweep, &options, "Computing the first points.");
  empty = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (get_panel (empty, 0)->message, ==, "Computing the first points.");
  g_assert_cmpuint (get_panel (empty, 0)->series->len, ==, 0);
  options.stopped = TRUE;
  assert_sentence (sweep, &options, "Stopped before the first point.");

  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 1, 0.01, 6);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 1, 0.01, 5);
  synthetic_set_point (sweep, 1, 5, 2, 0.5);
  g_assert_cmpuint (ns_scaling_count_complete (sweep, &n_points), ==, 5);
  g_assert_cmpuint (n_points, ==, 8);
  assert_sentence (sweep, &options,
                   "Pre-LN: L⁻⁰·⁵⁰ (exponent ± 0.02); closest law 1/√L (off by <0.1\302\240%).\n"
                   "Post-LN: L⁰·⁰⁰ (exponent ± 0.02); closest law constant (off by <0.1\302\240%).\n"
                   "Stopped after 5 of 8 points.");
  options.stopped = FALSE;
  options.hidden = 1;
  assert_sentence (sweep, &options,
                   "Post-LN: L⁰·⁰⁰ (exponent ± 0.02); closest law constant (off by <0.1\302\240%).\n"
                   "5 of 8 points so far.");

  options.hidden = 0;
  half = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (half->note, ==, "5 of 8 points");
  /* The axis spans all points; the curve ends at the last one computed. */
  g_assert_cmpfloat (half->x_min, ==, 0);
  g_assert_cmpfloat_with_epsilon (half->x_max, log10 (128), 1e-12);
  series = get_series (get_panel (half, 0), 0);
  g_assert_cmpuint (series->n, ==, 6);
  g_assert_false (series->provisional);
  series = get_series (get_panel (half, 0), 2);
  g_assert_cmpstr (series->name, ==, "Post-LN");
  g_assert_cmpuint (series->n, ==, 6);
  g_assert_true (series->provisional);
}

static void
test_width (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("32,64,128,256,512", "w_2@last", only_pre, 2, NS_SWEEP_D_MODEL);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_scaling_options_init (&options);
  synthetic_set_law (sweep, 0, NS_LAW_LINEAR, 0, 0.1, 0.001, G_MAXUINT);
  assert_sentence (sweep, NULL, "Pre-LN: d¹·⁰⁰ (exponent ± 0.01); closest law d (off by <0.1\302\240%).");
  figure = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (figure->x_title, ==, "Width d = d<sub>model</sub>");
}

static void
test_absent (void)
{
  static const char *const mixed[] = { "pre", "post:activation=swiglu", NULL };
  g_autoptr (NsSweep) none = synthetic_sweep ("2,4,8,16,32", "w_3@last", pre_post, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) some = synthetic_sweep ("2,4,8,16,32", "w_3@last", mixed, 2, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_scaling_options_init (&options);
  assert_sentence (none, NULL, "No visible variant has ‖∂L/∂W₃‖: choose another quantity.");
  for (guint v = 0; v < 2; v++)
    synthetic_set_law (some, v, NS_LAW_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (some, NULL,
                   "Pre-LN: has no ‖∂L/∂W₃‖.\n"
                   "Post-LN, SwiGLU: L⁰·⁵⁰ (exponent ± 0.01); closest law √L (off by <0.1\302\240%).");
  figure = ns_scaling_figure (some, &options);
  g_assert_cmpstr (get_series (get_panel (figure, 0), 0)->name, ==, "Post-LN, SwiGLU");
  options.hidden = 3;
  assert_sentence (some, &options, "Every variant is hidden: show one in the list of variants.");
}

static void
test_ratio (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *readout = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  NsPanel *panel;
  NsFit fit;

  ns_scaling_options_init (&options);
  options.view = NS_SCALING_RATIO;
  /* The tilt is common to both variants and cancels in the ratio. */
  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.1, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.3, 0.1, G_MAXUINT);
  assert_sentence (sweep, &options,
                   "Post-LN / Pre-LN: L⁰·⁵⁰⁰⁰ (exponent ± <0.0001); closest law √L (off by <0.1\302\240%).");
  figure = ns_scaling_figure (sweep, &options);
  panel = get_panel (figure, 0);
  g_assert_cmpstr (panel->title, ==,
                   "Gradient norm of the FFN&apos;s last matrix, ‖∂L/∂W<sub>2</sub>‖ · last block, ratio");
  g_assert_cmpstr (panel->accessible_title, ==, "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · last block, ratio");
  g_assert_cmpuint (panel->series->len, ==, 2);
  g_assert_cmpstr (get_series (panel, 0)->name, ==, "Post-LN / Pre-LN");
  g_assert_cmpint (get_series (panel, 0)->style, ==, 1);
  g_assert_cmpstr (get_series (panel, 1)->name, ==, "√L");
  g_assert_cmpint (get_series (panel, 1)->role, ==, NS_ROLE_REFERENCE);
  g_assert_cmpfloat_with_epsilon (get_series (panel, 1)->y[0], log10 (3 * sqrt (2)), 1e-9);
  readout = ns_scaling_readout (sweep, &options, 127);
  g_assert_cmpstr (readout, ==, "Depth 128 · Post-LN / Pre-LN 33.9 ×/÷ 1.00");
  rows = ns_scaling_rows (sweep, &options);
  g_assert_cmpuint (rows->len, ==, NS_N_LAWS);
  g_assert_cmpuint (((NsScalingRow *) rows->pdata[0])->variant, ==, NS_MAX_VARIANTS);
  ns_scaling_fit_ratio (sweep, 0, 1, &fit);
  g_assert_cmpfloat_with_epsilon (fit.exponent.p, -0.5, 1e-9);

  options.numerator = 0;
  options.denominator = 1;
  assert_sentence (sweep, &options,
                   "Pre-LN / Post-LN: L⁻⁰·⁵⁰⁰⁰ (exponent ± <0.0001); closest law 1/√L (off by <0.1\302\240%); "
                   "√L is off by 244\302\240%.");
  options.denominator = 0;
  assert_sentence (sweep, &options, "A ratio needs two different variants.");
  options.denominator = 2;
  assert_sentence (sweep, &options, "A ratio needs two different variants.");
}

static void
test_figure (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1,2,4,8,16,32,64,100", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  const NsColor colors[] = { { 1, 0, 0 }, { 0, 1, 0 } };
  const gboolean has_color[] = { FALSE, TRUE };
  const int styles[] = { 4, 5 };
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autoptr (NsFigure) linear = NULL;
  NsPanel *panel;
  NsSeries *series;

  ns_scaling_options_init (&options);
  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.1, 0.01, G_MAXUINT);
  options.laws = 1u << NS_LAW_LN_OVER_SQRT;
  options.law_variants = 1;
  options.residuals = TRUE;
  options.titles = TRUE;
  options.colors = colors;
  options.has_color = has_color;
  options.styles = styles;
  figure = ns_scaling_figure (sweep, &options);

  g_assert_cmpstr (figure->x_title, ==, "Depth L");
  g_assert_cmpint (figure->x_scale, ==, NS_AXIS_LOG10);
  g_assert_true (figure->x_integers);
  g_assert_null (figure->note);
  g_assert_cmpstr (figure->title, ==, "At initialization: d_model 32, 2 × 32 tokens, 4 seeds");
  g_assert_true (g_str_has_prefix (figure->caption, "Pre-LN: L⁻⁰·⁵⁰ (exponent ± 0.02)"));
  g_assert_cmpuint (figure->panels->len, ==, 2);

  panel = get_panel (figure, 0);
  g_assert_cmpstr (panel->title, ==, "Gradient norm of the FFN&apos;s last matrix, ‖∂L/∂W<sub>2</sub>‖ · last block");
  g_assert_cmpstr (panel->short_title, ==, "‖∂L/∂W<sub>2</sub>‖ at the last block");
  g_assert_cmpstr (panel->subtitle, ==, "log scale · mean ×/÷ 1 sd of 4 seeds");
  g_assert_cmpint (panel->scale, ==, NS_AXIS_LOG10);
  g_assert_null (panel->message);
  g_assert_cmpuint (panel->series->len, ==, 4);
  series = get_series (panel, 0);
  g_assert_cmpstr (series->name, ==, "Pre-LN");
  g_assert_cmpint (series->style, ==, 4);
  g_assert_false (series->has_color);
  g_assert_cmpuint (series->n, ==, 8);
  g_assert_cmpfloat_with_epsilon (series->x[7], 2, 1e-12);
  g_assert_cmpfloat_with_epsilon (series->y[7], -2, 1e-9);
  /* The seeds lie 0.01·log10 (100) above and below the mean. */
  g_assert_cmpfloat_with_epsilon (series->high[7] - series->y[7], 0.02 * sqrt (4.0 / 3), 1e-9);
  g_assert_cmpfloat_with_epsilon (series->y[7] - series->low[7], 0.02 * sqrt (4.0 / 3), 1e-9);

  series = get_series (panel, 1);
  g_assert_cmpstr (series->name, ==, "1/√L");
  g_assert_cmpint (series->role, ==, NS_ROLE_REFERENCE);
  g_assert_cmpint (series->style, ==, 4);
  g_assert_cmpfloat_with_epsilon (series->x[0], log10 (2), 1e-12);
  g_assert_cmpfloat_with_epsilon (series->x[series->n - 1], 2, 1e-12);
  g_assert_cmpfloat_with_epsilon (series->y[series->n - 1], -2, 1e-9);
  g_assert_cmpstr (get_series (panel, 2)->name, ==, "ln L/√L");
  series = get_series (panel, 3);
  g_assert_cmpstr (series->name, ==, "Post-LN");
  g_assert_true (series->has_color);
  g_assert_cmpfloat (series->color.green, ==, 1);

  panel = get_panel (figure, 1);
  g_assert_cmpuint (panel->series->len, ==, 2);
  series = get_series (panel, 0);
  g_assert_cmpstr (series->name, ==, "Pre-LN, 1/√L");
  g_assert_cmpuint (series->n, ==, 7);
  for (guint i = 0; i < series->n; i++)
    g_assert_cmpfloat (fabs (series->y[i]), <, 1e-6);
  g_assert_cmpfloat (fabs (get_series (panel, 1)->y[0]), >, 10);

  options.log_x = options.log_y = options.residuals = FALSE;
  linear = ns_scaling_figure (sweep, &options);
  g_assert_cmpuint (linear->panels->len, ==, 1);
  panel = get_panel (linear, 0);
  g_assert_cmpint (panel->scale, ==, NS_AXIS_LINEAR);
  g_assert_true (panel->zero_based);
  g_assert_cmpfloat (linear->x_max, ==, 100);
  g_assert_cmpfloat (get_series (panel, 0)->x[7], ==, 100);
  g_assert_cmpfloat_with_epsilon (get_series (panel, 0)->y[7], 0.01, 1e-4);
  g_assert_cmpfloat_with_epsilon (get_series (panel, 1)->y[64], 0.01, 1e-9);
}

/* A value that is not finite has a mark, and no law is drawn through it. */
static void
test_marks (void)
{
  g_autoptr (NsSweep) sweep = synthetic_sweep ("2,4,8,16,32", "w_2@last", only_pre, 1, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  NsSeries *series;
  NsPanel *panel;

  ns_scaling_options_init (&options);
  options.laws = G_MAXUINT;
  options.residuals = TRUE;
  synthetic_set_law (sweep, 0, NS_LAW_SQRT, 0, 1, 0, G_MAXUINT);
  synthetic_set_point (sweep, 0, 1, 0, NAN);
  synthetic_set_point (sweep, 0, 2, 0, INFINITY);
  synthetic_set_point (sweep, 0, 3, 0, -INFINITY);
  figure = ns_scaling_figure (sweep, &options);
  panel = get_panel (figure, 0);
  g_assert_cmpuint (panel->series->len, ==, 1);
  series = get_series (panel, 0);
  g_assert_null (series->low);
  g_assert_cmpint (ns_series_get_mark (series, 0), ==, NS_MARK_NONE);
  g_assert_cmpint (ns_series_get_mark (series, 1), ==, NS_MARK_NAN);
  g_assert_cmpint (ns_series_get_mark (series, 2), ==, NS_MARK_INF);
  g_assert_cmpint (ns_series_get_mark (series, 3), ==, NS_MARK_UNDERFLOW);
  g_assert_cmpstr (get_panel (figure, 1)->message, ==, "No law is drawn.");
}

/* The title says where the quantity is taken, differently for each place. */
static void
test_places (void)
{
  static const char *const places[NS_N_WHERES] = {
    [NS_AT_LAST] = "· last block",
    [NS_AT_FIRST] = "· first block",
    [NS_AT_MAX] = "· largest of all blocks",
    [NS_AT_TOTAL] = "· total over all blocks",
    [NS_AT_SQUARES] = "· sum of squares over all blocks",
  };

  for (int where = 0; where < NS_N_WHERES; where++)
    {
      NsMetric at = { NS_Q_W_2, (NsWhere) where, NS_PART_STACK };
      g_autofree char *metric = ns_metric_dup_text (&at);
      g_autoptr (NsSweep) sweep = synthetic_sweep ("2..128", metric, only_pre, 4, NS_SWEEP_DEPTH);
      g_autoptr (NsFigure) figure = NULL;
      NsScalingOptions options;

      ns_scaling_options_init (&options);
      synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
      figure = ns_scaling_figure (sweep, &options);
      g_assert_true (g_str_has_suffix (get_panel (figure, 0)->title, places[where]));
    }
}

void
add_scaling_figure_tests (void)
{
  g_test_add_func ("/scaling-figure/filling", test_filling);
  g_test_add_func ("/scaling-figure/width", test_width);
  g_test_add_func ("/scaling-figure/absent", test_absent);
  g_test_add_func ("/scaling-figure/ratio", test_ratio);
  g_test_add_func ("/scaling-figure/figure", test_figure);
  g_test_add_func ("/scaling-figure/marks", test_marks);
  g_test_add_func ("/scaling-figure/places", test_places);
}
