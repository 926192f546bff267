/* The scaling view in the real window: its numbers are those of a sweep run beside it, whatever is changed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-fixture.h"

#include <math.h>
#include <string.h>

#include "app/scaling/normscope-scaling-card.h"
#include "app/scaling/normscope-scaling-claims.h"
#include "app/scaling/normscope-scaling-setup.h"
#include "app/scaling/normscope-scaling-view.h"
#include "document/ns-claims.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-match.h"
#include "figures/ns-claim-words.h"

typedef struct
{
  Fixture *fixture;
  GtkWidget *view;
  NormscopeScalingBar *bar;
  NormscopePlot *plot;
} Scaling;

/* ---- driving ---- */

static gboolean
is_plot_of_scaling (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_PLOT (widget) && gtk_widget_get_ancestor (widget, NORMSCOPE_TYPE_SCALING_VIEW) != NULL;
}

static Scaling
find_scaling (Fixture *fixture)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);
  Scaling scaling = { fixture, app_find_type (window, NORMSCOPE_TYPE_SCALING_VIEW), NULL, NULL };

  scaling.bar = NORMSCOPE_SCALING_BAR (app_find_type (window, NORMSCOPE_TYPE_SCALING_BAR));
  scaling.plot = NORMSCOPE_PLOT (app_find (window, is_plot_of_scaling, NULL));
  return scaling;
}

static GtkWidget *
get_child (Scaling *scaling, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (scaling->bar), NORMSCOPE_TYPE_SCALING_BAR, name));
}

static void
show_view (Scaling *scaling, const char *name)
{
  gtk_widget_activate_action (GTK_WIDGET (scaling->fixture->window), "win.show-view", "s", name);
}

/* The theory's setting, small, and few points of it. */
static void
set_small_theory (Scaling *scaling)
{
  NormscopeScalingSettings settings = *normscope_scaling_bar_get_settings (scaling->bar);
  NsExperiment *experiment = ns_preset_load ("xiong-theory", NULL);

  g_assert_nonnull (experiment);
  experiment->shape.d_model = experiment->shape.d_ff = 32;
  experiment->shape.depth = 12;
  experiment->sampling.seeds = 5;
  ns_experiment_free (scaling->fixture->experiment);
  scaling->fixture->experiment = ns_experiment_copy (experiment);
  normscope_session_take_experiment (scaling->fixture->session, experiment);
  settings.last[NS_SWEEP_DEPTH] = 32;
  settings.first[NS_SWEEP_D_MODEL] = 8;
  settings.last[NS_SWEEP_D_MODEL] = 48;
  normscope_scaling_bar_set_settings (scaling->bar, &settings);
}

static Scaling
begin (Fixture *fixture)
{
  Scaling scaling = find_scaling (fixture);

  set_small_theory (&scaling);
  show_view (&scaling, "scaling");
  return scaling;
}

/* ---- what is expected ---- */

static NsSweep *
run_sweep (Scaling *scaling, NsSweepAxis axis, const char *points_text, const char *metric_text)
{
  g_autofree gint64 *points = NULL;
  g_autoptr (GError) error = NULL;
  NsMetric metric;
  NsSweep *sweep;
  guint n;

  points = ns_sweep_points_from_text (points_text, &n, &error);
  g_assert_no_error (error);
  g_assert_true (ns_metric_from_text (metric_text, &metric, NULL));
  sweep = ns_sweep_new (scaling->fixture->experiment, axis, points, n, metric, &error);
  g_assert_no_error (error);
  g_assert_true (ns_engine_run_sweep (scaling->fixture->engine, sweep, NULL, &error));
  g_assert_no_error (error);
  return sweep;
}

typedef struct
{
  NormscopePlot *plot;
  const char *text;
  gboolean whole; /* else a part of it */
} Expectation;

static gboolean
is_described (gpointer data)
{
  Expectation *expectation = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (expectation->plot));

  return expectation->whole ? strcmp (text, expectation->text) == 0 : strstr (text, expectation->text) != NULL;
}

static void
assert_describes (Scaling *scaling, const char *text, gboolean whole)
{
  Expectation expectation = { scaling->plot, text, whole };

  if (!app_wait_for (is_described, &expectation, PATIENCE_MS))
    {
      g_autofree char *shown = app_dup_description (GTK_WIDGET (scaling->plot));

      g_error ("“%s” is shown, “%s” expected", shown, text);
    }
}

static void
assert_shows (Scaling *scaling, NsSweep *sweep, const NsScalingOptions *options)
{
  g_autofree char *sentence = ns_scaling_sentence (sweep, options);

  assert_describes (scaling, sentence, TRUE);
  g_assert_nonnull (app_find_text (scaling->view, sentence));
}

static gboolean
is_idle (gpointer data)
{
  Scaling *scaling = data;
  g_autofree char *differs = gtk_test_accessible_check_state (GTK_ACCESSIBLE (scaling->plot),
                                                              GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

/* Everything is over, the claims' sweeps too. */
static void
wait_until_idle (Scaling *scaling)
{
  app_iterate (20);
  g_assert_true (app_wait_for (is_idle, scaling, PATIENCE_MS));
}

/* ---- numbers ---- */

static double
read_number (const char **text)
{
  gboolean negative = g_str_has_prefix (*text, "−");
  char *end;
  double value = g_ascii_strtod (negative ? *text + strlen ("−") : *text, &end);

  *text = end;
  return negative ? -value : value;
}

/* "NAME: L^(−0.49 ± 0.03)" */
static void
read_exponent (const char *text, const char *name, double *p, double *error)
{
  g_autofree char *before = g_strdup_printf ("%s: L^(", name);
  const char *at = strstr (text, before);

  g_assert_nonnull (at);
  at += strlen (before);
  *p = read_number (&at);
  g_assert_true (g_str_has_prefix (at, " ± "));
  at += strlen (" ± ");
  *error = read_number (&at);
}

static void
fit (NsSweep *sweep, guint variant, NsFit *result)
{
  guint n, n_seeds = ns_sweep_get_n_seeds (sweep);
  const gint64 *points = ns_sweep_get_points (sweep, &n);
  gsize n_values = (gsize) n * n_seeds;
  g_autofree double *x = g_new (double, n);
  g_autofree double *y = g_new (double, n_values);

  for (guint p = 0; p < n; p++)
    x[p] = (double) points[p];
  for (guint s = 0; s < n_seeds; s++)
    for (guint p = 0; p < n; p++)
      g_assert_true (ns_sweep_get_value (sweep, variant, p, s, NULL, &y[s * n + p]));
  ns_fit_laws (x, n, y, n_seeds, result);
}

static void
test_numbers (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) sweep = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  NsScalingOptions options;
  g_autofree char *description = NULL;

  ns_scaling_options_init (&options);
  assert_shows (&scaling, sweep, &options);
  description = app_dup_description (GTK_WIDGET (scaling.plot));
  for (guint v = 0; v < 2; v++)
    {
      double p, error;
      NsFit expected;

      fit (sweep, v, &expected);
      read_exponent (description, v == 0 ? "Pre-LN" : "Post-LN", &p, &error);
      g_assert_cmpfloat (fabs (p - expected.exponent.p), <=, 0.0051);
      g_assert_cmpfloat (fabs (error - expected.exponent.error), <=, 0.0051);
      g_assert_cmpfloat (expected.exponent.error, >, 0);
      /* Theorem 1, at any size: -1/2 and 0. */
      g_assert_cmpfloat (fabs (p - (v == 0 ? -0.5 : 0)), <, 0.15);
    }
  g_assert_cmpuint (normscope_plot_get_figure (scaling.plot)->panels->len, ==, 1);
}

static void
test_metric (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) first = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autoptr (NsSweep) second = NULL;
  g_autoptr (NsSweep) third = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  assert_shows (&scaling, first, &options);

  /* Back and forth in one moment: the newest wins. */
  for (guint i = 0; i < 4; i++)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "quantity")), i);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "quantity")), 1);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "where")), NS_AT_FIRST);
  second = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "block@first");
  assert_shows (&scaling, second, &options);

  /* Another experiment, and other points of it. */
  app_type_number (fixture, "sampling.seeds", "3");
  fixture->experiment->sampling.seeds = 3;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "points")), 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_child (&scaling, "last")), 20);
  third = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..20:every", "block@first");
  assert_shows (&scaling, third, &options);
}

static void
test_width (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) sweep = NULL;
  NsScalingOptions options;

  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "axis")), NS_SWEEP_D_MODEL);
  sweep = run_sweep (&scaling, NS_SWEEP_D_MODEL, "8..48", "w_2@last");
  ns_scaling_options_init (&options);
  assert_shows (&scaling, sweep, &options);
  /* The range of depths comes back with the depth. */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "axis")), NS_SWEEP_DEPTH);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (get_child (&scaling, "last"))), ==, 32);
}

static void
test_figure (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) sweep = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  const NsFigure *figure;
  NsScalingOptions options;
  guint n_series;

  ns_scaling_options_init (&options);
  assert_shows (&scaling, sweep, &options);
  wait_until_idle (&scaling);
  n_series = ((NsPanel *) g_ptr_array_index (normscope_plot_get_figure (scaling.plot)->panels, 0))->series->len;

  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "residuals")), TRUE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "log_x")), FALSE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "best_law")), FALSE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (app_find_type (get_child (&scaling, "law_box"),
                                                                GTK_TYPE_CHECK_BUTTON)), TRUE);
  figure = normscope_plot_get_figure (scaling.plot);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_cmpint (figure->x_scale, ==, NS_AXIS_LINEAR);
  /* The constant through both, whatever is the closest. */
  g_assert_cmpuint (((NsPanel *) g_ptr_array_index (figure->panels, 0))->series->len, ==, 4);
  g_assert_cmpuint (n_series, >=, 2);

  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "ratio")), TRUE);
  options.view = NS_SCALING_RATIO;
  assert_shows (&scaling, sweep, &options);
}

/* ---- cancelling ---- */

static gboolean
has_a_point (gpointer data)
{
  Scaling *scaling = data;
  const NsFigure *figure = normscope_plot_get_figure (scaling->plot);

  return figure != NULL && ((NsPanel *) g_ptr_array_index (figure->panels, 0))->series->len > 0;
}

static gboolean
can_cancel (gpointer data)
{
  return strstr (gtk_button_get_label (GTK_BUTTON (get_child (data, "run_button"))), "Cancel") != NULL;
}

static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  NormscopeScalingSettings settings = *normscope_scaling_bar_get_settings (scaling.bar);
  g_autofree char *stopped = NULL;
  g_autofree char *later = NULL;
  g_autoptr (NsSweep) sweep = NULL;
  NsScalingOptions options;
  gint64 start;

  /* Far more than a minute of it. */
  wait_until_idle (&scaling);
  app_type_number (fixture, "shape.d_model", "256");
  settings.last[NS_SWEEP_DEPTH] = 5000;
  settings.every = TRUE;
  settings.metric.where = NS_AT_FIRST;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  assert_describes (&scaling, " so far.", FALSE);
  g_assert_true (app_wait_for (has_a_point, &scaling, PATIENCE_MS));
  g_assert_true (app_wait_for (can_cancel, &scaling, PATIENCE_MS));
  g_assert_false (is_idle (&scaling));
  app_iterate (1300);
  g_assert_nonnull (app_find_text (scaling.view, "\302\240blocks"));

  start = g_get_monotonic_time ();
  g_signal_emit_by_name (get_child (&scaling, "run_button"), "clicked");
  g_assert_true (is_idle (&scaling));
  stopped = app_dup_description (GTK_WIDGET (scaling.plot));
  g_assert_nonnull (strstr (stopped, "Stopped after "));
  g_assert_null (strstr (stopped, " so far"));
  g_assert_nonnull (app_find_text (scaling.view, "Cancelled"));
  g_assert_false (can_cancel (&scaling));
  app_iterate (500);
  later = app_dup_description (GTK_WIDGET (scaling.plot));
  g_assert_cmpstr (later, ==, stopped);

  /* The next sweep begins within a block, and nothing of the former one is in it. */
  set_small_theory (&scaling);
  settings.last[NS_SWEEP_DEPTH] = 32;
  settings.every = FALSE;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  sweep = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@first");
  ns_scaling_options_init (&options);
  assert_shows (&scaling, sweep, &options);
  g_assert_cmpfloat ((double) (g_get_monotonic_time () - start) / G_TIME_SPAN_SECOND, <, 20);
}

static void
test_off_screen (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) first = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autoptr (NsSweep) second = NULL;
  g_autofree char *before = NULL;
  g_autofree char *flow = app_dup_description (GTK_WIDGET (fixture->plot));
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  assert_shows (&scaling, first, &options);
  wait_until_idle (&scaling);
  before = app_dup_description (GTK_WIDGET (scaling.plot));
  /* Neither view runs behind the other. */
  app_type_number (fixture, "sampling.seeds", "4");
  fixture->experiment->sampling.seeds = 4;
  second = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  assert_shows (&scaling, second, &options);
  app_assert_keeps (fixture, flow);
  show_view (&scaling, "flow");
  app_assert_shows (fixture);

  app_type_number (fixture, "sampling.seeds", "5");
  fixture->experiment->sampling.seeds = 5;
  app_assert_shows (fixture);
  app_iterate (300);
  assert_describes (&scaling, "L^(", FALSE);
  g_assert_true (is_idle (&scaling));
  show_view (&scaling, "scaling");
  assert_describes (&scaling, before, TRUE);
}

/* ---- messages ---- */

static void
test_messages (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (NsSweep) sweep = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autofree char *kept = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  assert_shows (&scaling, sweep, &options);
  kept = app_dup_description (GTK_WIDGET (scaling.plot));

  app_type_number (fixture, "shape.heads", "5");
  app_iterate (100);
  g_assert_nonnull (app_find_text (scaling.view, "shape.heads: 5"));
  assert_describes (&scaling, kept, TRUE);
  app_type_number (fixture, "shape.heads", "1");
  app_iterate (100);
  g_assert_null (app_find_text (scaling.view, "shape.heads: 5"));

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_child (&scaling, "first")), 40);
  app_iterate (100);
  g_assert_nonnull (app_find_text (scaling.view, "“40..32”"));
  assert_describes (&scaling, kept, TRUE);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_child (&scaling, "first")), 31);
  assert_describes (&scaling, "too few points", FALSE);
}

/* ---- claims ---- */

static gboolean
is_card_of (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_SCALING_CARD (widget)
         && strcmp (normscope_scaling_card_get_claim (NORMSCOPE_SCALING_CARD (widget))->id, data) == 0;
}

static GtkWidget *
get_card_child (Scaling *scaling, const char *id, const char *name)
{
  GtkWidget *card = app_find (scaling->view, is_card_of, id);

  g_assert_nonnull (card);
  return GTK_WIDGET (gtk_widget_get_template_child (card, NORMSCOPE_TYPE_SCALING_CARD, name));
}

static const char *
get_card_text (Scaling *scaling, const char *id, const char *name)
{
  return gtk_label_get_label (GTK_LABEL (get_card_child (scaling, id, name)));
}

static gboolean
is_outside (Scaling *scaling, const char *id)
{
  return gtk_widget_has_css_class (get_card_child (scaling, id, "verdict_box"), "outside");
}

static void
test_claims (Fixture *fixture, gconstpointer data)
{
  static const char *const css[] = { "consistent", "not-consistent", "cannot-tell" };
  Scaling scaling = begin (fixture);
  GPtrArray *claims = ns_claims_builtin ();
  g_autoptr (NsSweep) depths = run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autoptr (NsSweep) widths = run_sweep (&scaling, NS_SWEEP_D_MODEL, "8..48:8", "w_2@last");
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, fixture->experiment, 0, 5, NULL, NULL);
  NsSweep *sweeps[] = { depths, widths };
  NsEvidence evidence = { sweeps, 2, result };
  guint seen[3] = { 0 };

  wait_until_idle (&scaling);
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);
      NsClaimResult expected;
      g_autofree char *measured = NULL;
      g_autofree char *verdict = NULL;

      ns_claim_evaluate (claim, fixture->experiment, &evidence, &expected);
      measured = ns_claim_dup_measured (claim, &expected);
      verdict = ns_claim_dup_verdict (&expected);
      g_assert_cmpstr (get_card_text (&scaling, claim->id, "measured"), ==, measured);
      g_assert_cmpstr (get_card_text (&scaling, claim->id, "verdict") + 1, ==, verdict + 1);
      g_assert_true (gtk_widget_has_css_class (get_card_child (&scaling, claim->id, "verdict_box"),
                                               css[expected.verdict]));
      g_assert_cmpint (is_outside (&scaling, claim->id), ==, expected.missed != 0);
      seen[expected.verdict]++;
    }
  /* The check goes either way. */
  g_assert_cmpuint (seen[NS_VERDICT_CONSISTENT], >, 0);
  g_assert_cmpuint (seen[NS_VERDICT_NOT_CONSISTENT], >, 0);
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions"), "met"));

  /* Cards that are away need nothing, and know the newest numbers when they are back. */
  g_object_set (scaling.bar, "show-claims", FALSE, NULL);
  app_type_number (fixture, "shape.heads", "2");
  wait_until_idle (&scaling);
  g_object_set (scaling.bar, "show-claims", TRUE, NULL);
  wait_until_idle (&scaling);
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions"), "heads is 2"));

  /* A verdict outside the assumptions says so where it stands, and has no colour; back among them it has its own. */
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "verdict"), ", outside its assumptions"));
  g_assert_true (is_outside (&scaling, "theorem-1-pre"));
  g_assert_false (is_outside (&scaling, "lemma-2-pre"));
  app_type_number (fixture, "shape.heads", "1");
  wait_until_idle (&scaling);
  g_assert_null (strstr (get_card_text (&scaling, "theorem-1-pre", "verdict"), "outside"));
  g_assert_false (is_outside (&scaling, "theorem-1-pre"));
}

/* Claims about the width name the widths that the view sweeps over when nobody has chosen others. */
static void
test_widths (Fixture *fixture, gconstpointer data)
{
  GPtrArray *claims = ns_claims_builtin ();
  g_autofree char *widths = NULL;
  NormscopeScalingSettings settings;
  guint n_claims = 0;

  normscope_scaling_settings_init (&settings);
  widths = g_strdup_printf ("Over widths of %d to %d,", (int) settings.first[NS_SWEEP_D_MODEL],
                            (int) settings.last[NS_SWEEP_D_MODEL]);
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);

      if (ns_check_is_by_block (claim->kind) || claim->axis != NS_SWEEP_D_MODEL)
        continue;
      n_claims++;
      g_assert_nonnull (strstr (claim->statement, widths));
    }
  g_assert_cmpuint (n_claims, ==, 2);
}

/* Whether that made a difference. */
static gboolean
take_back (Scaling *scaling, const char *action)
{
  NormscopeSession *session = scaling->fixture->session;
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (session));

  gtk_widget_activate_action (GTK_WIDGET (scaling->fixture->window), action, NULL);
  return !ns_experiment_equal (normscope_session_get_experiment (session), before);
}

static void
test_set_up (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  GPtrArray *claims = ns_claims_builtin ();
  NormscopeScalingSettings before;
  const NormscopeScalingSettings *after;
  g_autoptr (NsExperiment) former = NULL;
  const NsClaim *claim = NULL;
  g_autoptr (NsExperiment) wanted = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < claims->len; i++)
    if (strcmp (((NsClaim *) g_ptr_array_index (claims, i))->id, "ratio-sqrt") == 0)
      claim = g_ptr_array_index (claims, i);
  g_assert_nonnull (claim);
  g_assert_false (take_back (&scaling, "win.undo-set-up"));

  normscope_session_set_hidden (fixture->session, 1, TRUE);
  normscope_session_duplicate_variant (fixture->session, 0, NULL);
  former = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  before = *normscope_scaling_bar_get_settings (scaling.bar);
  g_signal_emit_by_name (get_card_child (&scaling, claim->id, "set_up_button"), "clicked");

  wanted = normscope_claim_set_up (claim, former, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < claim->assumptions->len; i++)
    g_assert_true (ns_assumption_holds (g_ptr_array_index (claim->assumptions, i), wanted,
                                        ns_experiment_find_architecture (wanted, "post")));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), wanted));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (app_wait_for_toast (fixture, "Set up: "));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Undo"));

  g_assert_true (take_back (&scaling, "win.undo-set-up"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), former));
  g_assert_true (normscope_session_get_look (fixture->session, 1)->hidden);
  after = normscope_scaling_bar_get_settings (scaling.bar);
  g_assert_cmpint (after->metric.quantity, ==, before.metric.quantity);
  g_assert_cmpint (after->axis, ==, before.axis);
  g_assert_cmpint (after->ratio, ==, before.ratio);
  g_assert_cmpuint (after->numerator, ==, before.numerator);
  g_assert_false (take_back (&scaling, "win.undo-set-up"));

  /* The window's undo does the same, and its redo sets up all of it again. */
  g_signal_emit_by_name (get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (take_back (&scaling, "win.undo"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), former));
  g_assert_false (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (take_back (&scaling, "win.redo"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), wanted));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (get_child (&scaling, "ratio"))));

  /* What came after it is not lost to it. */
  app_type_number (fixture, "sampling.seeds", "2");
  g_assert_false (take_back (&scaling, "win.undo-set-up"));
  g_assert_true (take_back (&scaling, "win.undo"));

  /* Where all is in place already, only what is swept changes and comes back, and then nothing. */
  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "ratio")), FALSE);
  g_signal_emit_by_name (get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_false (take_back (&scaling, "win.undo-set-up"));
  g_assert_false (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_false (take_back (&scaling, "win.undo"));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_signal_emit_by_name (get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (app_wait_for_toast (fixture, "already hold"));
}

static void
assert_sweeps (Scaling *scaling, const char *points, const char *metric)
{
  g_autoptr (NsSweep) sweep = run_sweep (scaling, NS_SWEEP_DEPTH, points, metric);
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  assert_shows (scaling, sweep, &options);
}

/* Every setting of the strip is a step, digits of the range together are one. */
static void
test_undo (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  NormscopeScalingSettings before = *normscope_scaling_bar_get_settings (scaling.bar);
  GtkSpinButton *last = GTK_SPIN_BUTTON (get_child (&scaling, "last"));

  normscope_session_clear_history (fixture->session);
  for (int depth = 31; depth >= 24; depth--)
    gtk_spin_button_set_value (last, depth);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (get_child (&scaling, "log_y")), !before.log_y);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (get_child (&scaling, "where")), NS_AT_TOTAL);
  assert_sweeps (&scaling, "1..24", "w_2@total");

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  assert_sweeps (&scaling, "1..24", "w_2@last");
  g_assert_cmpint (normscope_session_get_scaling (fixture->session)->log_y, ==, !before.log_y);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpint (gtk_check_button_get_active (GTK_CHECK_BUTTON (get_child (&scaling, "log_y"))), ==, before.log_y);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (last), ==, 32);
  g_assert_cmpuint (normscope_scaling_settings_compare (normscope_session_get_scaling (fixture->session), &before), ==,
                    0);
  g_assert_false (normscope_session_can_undo (fixture->session));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.redo", NULL);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (last), ==, 24);
}

/* ---- keyboard ---- */

static gboolean
wants_focus (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget) && gtk_widget_get_focusable (widget)
         && (GTK_IS_BUTTON (widget) || NORMSCOPE_IS_PLOT (widget))
         && gtk_widget_get_ancestor (widget, NORMSCOPE_TYPE_SCALING_VIEW) != NULL
         && !g_hash_table_contains ((GHashTable *) data, widget);
}

static void
test_keyboard (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = begin (fixture);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_auto (GStrv) accels = NULL;
  GtkWidget *missed;

  assert_describes (&scaling, "L^(", FALSE);
  wait_until_idle (&scaling);
  accels = gtk_application_get_accels_for_action (app_test_get_application (), "win.show-view::scaling");
  g_assert_true (g_strv_contains ((const char *const *) accels, "<Control>2"));

  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_End));
  g_assert_nonnull (app_find_text (scaling.view, "Depth 32 · Pre-LN "));
  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_Home));
  g_assert_nonnull (app_find_text (scaling.view, "Depth 1 · Pre-LN "));
  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_Escape));

  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  for (int i = 0; i < 200; i++)
    {
      gtk_widget_child_focus (GTK_WIDGET (fixture->window), GTK_DIR_TAB_FORWARD);
      if (gtk_root_get_focus (GTK_ROOT (fixture->window)) != NULL)
        g_hash_table_add (seen, gtk_root_get_focus (GTK_ROOT (fixture->window)));
    }
  missed = app_find (scaling.view, wants_focus, seen);
  if (missed != NULL)
    g_error ("Tab never comes to a %s", G_OBJECT_TYPE_NAME (missed));
}

/* ---- an end in the middle ---- */

static gboolean
are_gone (gpointer data)
{
  GObject **objects = data;

  return objects[0] == NULL && objects[1] == NULL && objects[2] == NULL && objects[3] == NULL;
}

static void
test_closed_while_running (Fixture *fixture, gconstpointer data)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  Fixture other = { .window = window, .session = normscope_window_get_session (window),
                    .experiment = ns_experiment_new () };
  Scaling scaling = find_scaling (&other);
  GObject *objects[] = { G_OBJECT (window), G_OBJECT (scaling.view), G_OBJECT (scaling.plot),
                         G_OBJECT (other.session) };

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    g_object_add_weak_pointer (objects[i], (gpointer *) &objects[i]);
  gtk_window_present (GTK_WINDOW (window));
  show_view (&scaling, "scaling");
  assert_describes (&scaling, " so far.", FALSE);
  g_signal_emit_by_name (get_card_child (&scaling, "theorem-1-post", "set_up_button"), "clicked");
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_true (app_wait_for (are_gone, objects, PATIENCE_MS));
  ns_experiment_free (other.experiment);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  app_test_add ("/scaling/numbers", test_numbers);
  app_test_add ("/scaling/metric", test_metric);
  app_test_add ("/scaling/width", test_width);
  app_test_add ("/scaling/figure", test_figure);
  app_test_add ("/scaling/cancel", test_cancel);
  app_test_add ("/scaling/off-screen", test_off_screen);
  app_test_add ("/scaling/messages", test_messages);
  app_test_add ("/scaling/claims", test_claims);
  app_test_add ("/scaling/widths", test_widths);
  app_test_add ("/scaling/set-up", test_set_up);
  app_test_add ("/scaling/undo", test_undo);
  app_test_add ("/scaling/keyboard", test_keyboard);
  app_test_add ("/scaling/closed-while-running", test_closed_while_running);
  return app_test_run ();
}
