/* The scaling figure and its words on sweeps whose numbers the test chose, and on a real one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-sweep-private.h"
#include "figures/ns-scaling.h"
#include "synthetic.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };
static const char *const only_pre[] = { "pre", NULL };

static NsSweep *
make (const char *points, const char *metric, const char *const *variants, guint n_seeds, NsSweepAxis axis)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (4, variants);
  g_autofree gint64 *x = NULL;
  GError *error = NULL;
  NsMetric parsed;
  NsSweep *sweep;
  guint n;

  experiment->sampling.seeds = n_seeds;
  experiment->shape.d_model = 32;
  experiment->shape.heads = 4;
  experiment->shape.d_ff = 32;
  x = ns_sweep_points_from_text (points, &n, &error);
  g_assert_no_error (error);
  ns_metric_from_text (metric, &parsed, &error);
  g_assert_no_error (error);
  sweep = ns_sweep_new (experiment, axis, x, n, parsed, &error);
  g_assert_no_error (error);
  return sweep;
}

static void
set_value (NsSweep *sweep, guint variant, guint point, guint seed, double log10_value)
{
  SweepValue *value = ns_sweep_at (sweep, variant, point, seed);

  value->log10_value = log10_value;
  value->value = pow (10, log10_value);
  atomic_store (&value->ready, TRUE);
}

/* c·f (x), the exponent of the seeds `tilt` above and below by turns; points and seeds from `from` on are left out. */
static void
set_law (NsSweep *sweep, guint variant, NsLaw law, double p, double c, double tilt, guint from)
{
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  for (guint i = 0; i < MIN (n_points, from); i++)
    for (guint s = 0; s < ns_sweep_get_n_seeds (sweep); s++)
      {
        double x = (double) points[i], log_f = law == NS_LAW_POWER ? p * log (x) : ns_law_log (law, MAX (x, 1.5));

        set_value (sweep, variant, i, s, log10 (c) + (log_f + (s % 2 == 0 ? tilt : -tilt) * log (x)) / G_LN10);
      }
}

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

/* ---- words ---- */

/* With 4 seeds ±t about p the interval is 3.182·t·√(4/3)/2, so t = 0.01 gives 0.0184. */
static void
test_verdicts (void)
{
  g_autoptr (NsSweep) sweep = make ("1..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);

  set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_LN, 0, 0.1, 0.01, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L^(−0.50 ± 0.02); closest law 1/√L (weight >0.99, off by <0.1 %).\n"
                   "Post-LN: L^(0.42 ± 0.02); closest law ln L (weight >0.99, off by <0.1 %).");
  set_law (sweep, 0, NS_LAW_LN_OVER_SQRT, 0, 7, 0.003, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_POWER, 1.5, 7, 0, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L^(−0.085 ± 0.006); closest law ln L/√L (weight >0.99, off by <0.1 %).\n"
                   "Post-LN: L^(1.5000 ± <0.0001); closest law L^1.50 (off by <0.1 %); of the laws with a name L is "
                   "closest (off by 75 %).");
  set_law (sweep, 0, NS_LAW_CONSTANT, 0, 7, 0.002, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 7, 0, G_MAXUINT);
  assert_sentence (sweep, NULL,
                   "Pre-LN: L^(0.000 ± 0.004); closest law constant (weight >0.99, off by <0.1 %).\n"
                   "Post-LN: flat: the same number at every L.");
}

/* Real deviations are said with the law that is nearest. */
static void
test_closest (void)
{
  g_autoptr (NsSweep) sweep = make ("2..128", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  guint n_points;
  const gint64 *points = ns_sweep_get_points (sweep, &n_points);

  for (guint i = 0; i < n_points; i++)
    for (guint s = 0; s < 2; s++)
      set_value (sweep, 0, i, s, -log10 (1 + 1.2 * (double) points[i]) / 2 + (s == 0 ? 1e-4 : -1e-4));
  assert_sentence (sweep, NULL, "Pre-LN: L^(−0.4667 ± <0.0001); closest law 1/√L (weight >0.99, off by 4 %).");
}

static void
test_width (void)
{
  g_autoptr (NsSweep) sweep = make ("32,64,128,256,512", "w_2@last", only_pre, 2, NS_SWEEP_D_MODEL);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_scaling_options_init (&options);
  set_law (sweep, 0, NS_LAW_LINEAR, 0, 0.1, 0.001, G_MAXUINT);
  assert_sentence (sweep, NULL, "Pre-LN: d^(1.00 ± 0.01); closest law d (weight >0.99, off by <0.1 %).");
  figure = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (figure->x_title, ==, "Width d = d<sub>model</sub>");
}

/* Every way to have no law has its own words. */
static void
test_no_law (void)
{
  g_autoptr (NsSweep) few = make ("1,2,8", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) one = make ("1,2", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) shallow = make ("1,2,3,4,5", "w_2@last", only_pre, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) bad = make ("1,2,4,8,16,32", "w_2@last", only_pre, 2, NS_SWEEP_DEPTH);

  set_law (few, 0, NS_LAW_INV_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (few, NULL, "Pre-LN: L^(−0.50 ± 0.01); too few points for a law: 2 with L ≥ 2, of at least 4.");
  set_law (one, 0, NS_LAW_INV_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (one, NULL, "Pre-LN: too few points for a law: 1 with L ≥ 2, of at least 4.");

  set_law (shallow, 0, NS_LAW_SQRT, 0, 1, 0.3, G_MAXUINT);
  assert_sentence (shallow, NULL,
                   "Pre-LN: L^(0.50 ± 0.55); cannot tell: L = 2 to 5 with 4 seeds does not separate √L from constant.");

  set_law (bad, 0, NS_LAW_INV_SQRT, 0, 1, 0.01, G_MAXUINT);
  set_value (bad, 0, 3, 1, NAN);
  assert_sentence (bad, NULL, "Pre-LN: no law: not a finite number at L = 8 (1 of 10 values are none).");
  set_value (bad, 0, 3, 1, -INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: exactly 0 at L = 8 (1 of 10 values are).");
  set_value (bad, 0, 4, 1, INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: zeros and values that are not finite from L = 8 (2 of 10).");
  for (guint i = 0; i < 6; i++)
    for (guint s = 0; s < 2; s++)
      set_value (bad, 0, i, s, -INFINITY);
  assert_sentence (bad, NULL, "Pre-LN: no law: exactly 0 everywhere.");
  for (guint i = 0; i < 6; i++)
    for (guint s = 0; s < 2; s++)
      set_value (bad, 0, i, s, NAN);
  assert_sentence (bad, NULL, "Pre-LN: no law: not a finite number anywhere.");
}

/* As it fills, when it was stopped, before anything came. */
static void
test_filling (void)
{
  g_autoptr (NsSweep) sweep = make ("1,2,4,8,16,32,64,128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsFigure) empty = NULL;
  g_autoptr (NsFigure) half = NULL;
  NsScalingOptions options;
  NsSeries *series;
  guint n_points;

  ns_scaling_options_init (&options);
  assert_sentence (sweep, &options, "The first points are on their way.");
  empty = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (get_panel (empty, 0)->message, ==, "The first points are on their way.");
  g_assert_cmpuint (get_panel (empty, 0)->series->len, ==, 0);
  options.stopped = TRUE;
  assert_sentence (sweep, &options, "Stopped before the first point.");

  set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 1, 0.01, 6);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 1, 0.01, 5);
  set_value (sweep, 1, 5, 2, 0.5);
  g_assert_cmpuint (ns_scaling_count_complete (sweep, &n_points), ==, 5);
  g_assert_cmpuint (n_points, ==, 8);
  assert_sentence (sweep, &options,
                   "Pre-LN: L^(−0.50 ± 0.02); closest law 1/√L (weight >0.99, off by <0.1 %).\n"
                   "Post-LN: L^(0.00 ± 0.02); closest law constant (weight >0.99, off by <0.1 %).\n"
                   "Stopped after 5 of 8 points.");
  options.stopped = FALSE;
  options.hidden = 1;
  assert_sentence (sweep, &options,
                   "Post-LN: L^(0.00 ± 0.02); closest law constant (weight >0.99, off by <0.1 %).\n"
                   "5 of 8 points so far.");

  options.hidden = 0;
  half = ns_scaling_figure (sweep, &options);
  g_assert_cmpstr (half->note, ==, "5 of 8 points");
  /* The axis holds what is to come; the curve ends where it is. */
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
test_absent (void)
{
  static const char *const mixed[] = { "pre", "post:activation=swiglu", NULL };
  g_autoptr (NsSweep) none = make ("2,4,8,16,32", "w_3@last", pre_post, 2, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) some = make ("2,4,8,16,32", "w_3@last", mixed, 2, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;

  ns_scaling_options_init (&options);
  assert_sentence (none, NULL, "No visible variant has ‖∂L/∂W₃‖: choose another quantity.");
  for (guint v = 0; v < 2; v++)
    set_law (some, v, NS_LAW_SQRT, 0, 1, 0.001, G_MAXUINT);
  assert_sentence (some, NULL,
                   "Pre-LN: has no ‖∂L/∂W₃‖.\n"
                   "Post-LN (activation=swiglu): L^(0.50 ± 0.01); closest law √L (weight >0.99, off by <0.1 %).");
  figure = ns_scaling_figure (some, &options);
  g_assert_cmpstr (get_series (get_panel (figure, 0), 0)->name, ==, "Post-LN (activation=swiglu)");
  options.hidden = 3;
  assert_sentence (some, &options, "Every variant is hidden: show one in the list of variants.");
}

static void
test_ratio (void)
{
  g_autoptr (NsSweep) sweep = make ("1..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *readout = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  NsPanel *panel;
  NsFit fit;

  ns_scaling_options_init (&options);
  options.view = NS_SCALING_RATIO;
  /* The seeds tilt alike: the ratio does not. */
  set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.1, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.3, 0.1, G_MAXUINT);
  assert_sentence (sweep, &options,
                   "Post-LN / Pre-LN: L^(0.5000 ± <0.0001); closest law √L (weight >0.99, off by <0.1 %).");
  figure = ns_scaling_figure (sweep, &options);
  panel = get_panel (figure, 0);
  g_assert_cmpstr (panel->title, ==, "Ratio of ‖∂L/∂W<sub>2</sub>‖ at the last block");
  g_assert_cmpstr (panel->accessible_title, ==, "Ratio of ‖∂L/∂W₂‖ at the last block");
  g_assert_cmpuint (panel->series->len, ==, 2);
  g_assert_cmpstr (get_series (panel, 0)->name, ==, "Post-LN / Pre-LN");
  g_assert_cmpint (get_series (panel, 0)->style, ==, 1);
  g_assert_cmpstr (get_series (panel, 1)->name, ==, "√L");
  g_assert_cmpint (get_series (panel, 1)->role, ==, NS_ROLE_REFERENCE);
  g_assert_cmpfloat_with_epsilon (get_series (panel, 1)->y[0], log10 (3 * sqrt (2)), 1e-9);
  readout = ns_scaling_readout (sweep, &options, 127);
  g_assert_cmpstr (readout, ==, "Depth 128 · Post-LN / Pre-LN 33.9 ± 0");
  rows = ns_scaling_rows (sweep, &options);
  g_assert_cmpuint (rows->len, ==, NS_N_LAWS);
  g_assert_cmpuint (((NsScalingRow *) rows->pdata[0])->variant, ==, NS_MAX_VARIANTS);
  ns_scaling_fit_ratio (sweep, 0, 1, &fit);
  g_assert_cmpfloat_with_epsilon (fit.exponent.p, -0.5, 1e-9);

  options.numerator = 0;
  options.denominator = 1;
  assert_sentence (sweep, &options,
                   "Pre-LN / Post-LN: L^(−0.5000 ± <0.0001); closest law 1/√L (weight >0.99, off by <0.1 %); √L is off "
                   "by 244 %.");
  options.denominator = 0;
  assert_sentence (sweep, &options, "A ratio needs two different variants.");
  options.denominator = 2;
  assert_sentence (sweep, &options, "A ratio needs two different variants.");
}

static void
test_cells (void)
{
  static const struct
  {
    NsExponent exponent;
    const char *text;
  } exponents[] = {
    { { -0.486, 0.0312, 0, 8 }, "−0.49 ± 0.03" }, { { -0.004, 0.02, 0, 8 }, "0.00 ± 0.02" },
    { { 1.23456, 0.0042, 0, 8 }, "1.235 ± 0.004" }, { { 2, 1e-9, 0, 8 }, "2.0000 ± <0.0001" },
    { { -0.5, NAN, 0, 1 }, "−0.50" }, { { NAN, NAN, 0, 0 }, "–" },
  };
  static const struct
  {
    double value;
    const char *weight, *percent;
  } cells[] = {
    { 0.97, "0.97", "97 %" }, { 1, ">0.99", "100 %" },  { 0.003, "<0.01", "0.3 %" }, { 0.0001, "<0.01", "<0.1 %" },
    { NAN, "–", "–" },        { 20, ">0.99", ">1000 %" }, { 0.0234, "0.02", "2 %" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (exponents); i++)
    {
      g_autofree char *text = ns_scaling_dup_exponent (&exponents[i].exponent);

      g_assert_cmpstr (text, ==, exponents[i].text);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autofree char *weight = ns_scaling_dup_weight (cells[i].value);
      g_autofree char *percent = ns_scaling_dup_percent (cells[i].value);

      g_assert_cmpstr (weight, ==, cells[i].weight);
      g_assert_cmpstr (percent, ==, cells[i].percent);
    }
}

static void
test_metric_titles (void)
{
  static const char *const cases[][2] = {
    { "w_2@last", "‖∂L/∂W₂‖ at the last block" },     { "w_2@first", "‖∂L/∂W₂‖ at the first block" },
    { "rms_x@max", "largest rms(x) of all blocks" },  { "block@total", "total ‖∂L/∂θ‖ over all blocks" },
    { "w_head@last", "‖∂L/∂W_head‖" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *title = NULL;
      NsMetric metric;

      g_assert_true (ns_metric_from_text (cases[i][0], &metric, NULL));
      title = ns_scaling_dup_metric_title (metric);
      g_assert_cmpstr (title, ==, cases[i][1]);
    }
}

static void
test_rows (void)
{
  static const char *const order[] = { "1/√L", "ln L/√L", "constant" };
  g_autoptr (NsSweep) sweep = make ("2..128", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  g_autoptr (NsSweep) few = make ("2,4", "w_2@last", only_pre, 4, NS_SWEEP_DEPTH);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) few_rows = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.1, 0.01, G_MAXUINT);
  rows = ns_scaling_rows (sweep, &options);
  g_assert_cmpuint (rows->len, ==, 2 * NS_N_LAWS);
  for (guint i = 0; i < rows->len; i++)
    {
      const NsScalingRow *row = rows->pdata[i];

      g_assert_cmpuint (row->variant, ==, i / NS_N_LAWS);
      g_assert_cmpstr (row->name, ==, i < NS_N_LAWS ? "Pre-LN" : "Post-LN");
      g_assert_cmpint (row->is_best, ==, i % NS_N_LAWS == 0);
      if (i < G_N_ELEMENTS (order))
        g_assert_cmpstr (row->formula, ==, order[i]);
    }
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[0])->weight, ==, ">0.99");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[0])->relative_error, ==, "<0.1 %");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[1])->weight, ==, "<0.01");
  g_assert_cmpstr (((NsScalingRow *) rows->pdata[NS_LAW_POWER])->formula, ==, "L^−0.50");

  set_law (few, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  few_rows = ns_scaling_rows (few, &options);
  for (guint i = 0; i < few_rows->len; i++)
    {
      g_assert_cmpstr (((NsScalingRow *) few_rows->pdata[i])->weight, ==, "–");
      g_assert_false (((NsScalingRow *) few_rows->pdata[i])->is_best);
    }
}

/* ---- the figure ---- */

static void
test_figure (void)
{
  g_autoptr (NsSweep) sweep = make ("1,2,4,8,16,32,64,100", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  const NsColor colors[] = { { 1, 0, 0 }, { 0, 1, 0 } };
  const gboolean has_color[] = { FALSE, TRUE };
  const int styles[] = { 4, 5 };
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  g_autoptr (NsFigure) linear = NULL;
  NsPanel *panel;
  NsSeries *series;

  ns_scaling_options_init (&options);
  set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.1, 0.01, G_MAXUINT);
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
  g_assert_true (g_str_has_prefix (figure->caption, "Pre-LN: L^(−0.50 ± 0.02)"));
  g_assert_cmpuint (figure->panels->len, ==, 2);

  panel = get_panel (figure, 0);
  g_assert_cmpstr (panel->title, ==, "‖∂L/∂W<sub>2</sub>‖ at the last block");
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

/* What is no number has its mark, and no law is drawn through it. */
static void
test_marks (void)
{
  g_autoptr (NsSweep) sweep = make ("2,4,8,16,32", "w_2@last", only_pre, 1, NS_SWEEP_DEPTH);
  NsScalingOptions options;
  g_autoptr (NsFigure) figure = NULL;
  NsSeries *series;
  NsPanel *panel;

  ns_scaling_options_init (&options);
  options.laws = G_MAXUINT;
  options.residuals = TRUE;
  set_law (sweep, 0, NS_LAW_SQRT, 0, 1, 0, G_MAXUINT);
  set_value (sweep, 0, 1, 0, NAN);
  set_value (sweep, 0, 2, 0, INFINITY);
  set_value (sweep, 0, 3, 0, -INFINITY);
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

static void
test_readout (void)
{
  g_autoptr (NsSweep) sweep = make ("1,2,4,8,16,32,64,100", "w_2@last", pre_post, 4, NS_SWEEP_DEPTH);
  static const struct
  {
    double x;
    const char *text;
  } cases[] = {
    { 100, "Depth 100 · no number yet" },
    { 4.2, "Depth 4 · Pre-LN 0.150 ± 0 · Post-LN 0.300 ± 0" },
    { 12, "Depth 16 · Pre-LN 0.0750 ± 0 · Post-LN 3.16 (1 of 4 seeds)" },
    { 0, "Depth 1 · Pre-LN 0.300 ± 0 · Post-LN 0.300 ± 0" },
  };
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  set_law (sweep, 0, NS_LAW_POWER, -0.5, 0.3, 0, 6);
  set_law (sweep, 1, NS_LAW_CONSTANT, 0, 0.3, 0, 4);
  set_value (sweep, 1, 4, 3, 0.5);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = ns_scaling_readout (sweep, &options, cases[i].x);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* The theory's own setting, run: Post-LN is constant, Pre-LN falls as 1/√L, and their ratio is √L. */
static void
test_real (void)
{
  static const char *const variants[] = { "pre:norm_eps=0,attention=uniform,attention_output=off,name=Pre",
                                          "post:norm_eps=0,attention=uniform,attention_output=off,name=Post", NULL };
  g_autoptr (NsSweep) sweep = make ("2,3,4,6,8,12,16,24,32", "w_2@last", variants, 8, NS_SWEEP_DEPTH);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  NsScalingOptions options;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GError *error = NULL;
  NsFit fit;

  ns_engine_run_sweep (engine, sweep, NULL, &error);
  g_assert_no_error (error);
  ns_scaling_options_init (&options);
  text = ns_scaling_sentence (sweep, &options);
  g_test_message ("%s", text);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 2);
  g_assert_nonnull (strstr (lines[0], "closest law 1/√L (weight >0.99"));
  g_assert_nonnull (strstr (lines[1], "closest law constant (weight >0.99"));
  ns_scaling_fit (sweep, 0, &fit);
  g_assert_true (ns_exponent_agrees (&fit.exponent, -0.5, 0.05));
  g_assert_false (ns_exponent_agrees (&fit.exponent, 0, 0.2));
  ns_scaling_fit (sweep, 1, &fit);
  g_assert_true (ns_exponent_agrees (&fit.exponent, 0, 0.05));
  ns_scaling_fit_ratio (sweep, 1, 0, &fit);
  g_assert_cmpint (fit.best, ==, NS_LAW_SQRT);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scaling/verdicts", test_verdicts);
  g_test_add_func ("/scaling/closest", test_closest);
  g_test_add_func ("/scaling/width", test_width);
  g_test_add_func ("/scaling/no-law", test_no_law);
  g_test_add_func ("/scaling/filling", test_filling);
  g_test_add_func ("/scaling/absent", test_absent);
  g_test_add_func ("/scaling/ratio", test_ratio);
  g_test_add_func ("/scaling/cells", test_cells);
  g_test_add_func ("/scaling/metric-titles", test_metric_titles);
  g_test_add_func ("/scaling/rows", test_rows);
  g_test_add_func ("/scaling/figure", test_figure);
  g_test_add_func ("/scaling/marks", test_marks);
  g_test_add_func ("/scaling/readout", test_readout);
  g_test_add_func ("/scaling/real", test_real);
  return g_test_run ();
}
