/* The scaling view in the real window: its numbers match sweeps of the test's own engine after every change.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-scaling.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "app/scaling/normscope-scaling-view.h"
#include "engine/experiment/ns-experiment.h"

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

/* Read superscripts as a number. */
static double
read_superscript (const char **text)
{
  static const char *const digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "·", "⁻" };
  g_autoptr (GString) number = g_string_new (NULL);
  gsize d;

  do
    for (d = 0; d < G_N_ELEMENTS (digits); d++)
      if (g_str_has_prefix (*text, digits[d]))
        {
          g_string_append_c (number, "0123456789.-"[d]);
          *text += strlen (digits[d]);
          break;
        }
  while (d < G_N_ELEMENTS (digits));
  return g_ascii_strtod (number->str, NULL);
}

/* Read the exponent from "NAME: L⁻⁰·⁴⁹ (exponent ± 0.03)". */
static void
read_exponent (const char *text, const char *name, double *p, double *error)
{
  g_autofree char *before = g_strdup_printf ("%s: L", name);
  const char *at = strstr (text, before);

  g_assert_nonnull (at);
  at += strlen (before);
  *p = read_superscript (&at);
  g_assert_true (g_str_has_prefix (at, " (exponent ± "));
  at += strlen (" (exponent ± ");
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
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) sweep = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  NsScalingOptions options;
  g_autofree char *description = NULL;

  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, sweep, &options);
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
      /* Theorem 1 predicts -1/2 and 0, at any size. */
      g_assert_cmpfloat (fabs (p - (v == 0 ? -0.5 : 0)), <, 0.15);
    }
  g_assert_cmpuint (normscope_plot_get_figure (scaling.plot)->panels->len, ==, 1);
}

static void
test_metric (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) first = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autoptr (NsSweep) second = NULL;
  g_autoptr (NsSweep) third = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, first, &options);

  /* After several quick changes only the newest counts. */
  for (guint i = 0; i < 4; i++)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "quantity")), i);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "quantity")), 1);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "where")), NS_AT_FIRST);
  second = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "block@first");
  scaling_assert_shows (&scaling, second, &options);

  /* Change the experiment and the points. */
  app_type_number (fixture, "sampling.seeds", "3");
  fixture->experiment->sampling.seeds = 3;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "points")), 1);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (scaling_get_child (&scaling, "last")), 20);
  third = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..20:every", "block@first");
  scaling_assert_shows (&scaling, third, &options);
}

static void
test_width (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) sweep = NULL;
  NsScalingOptions options;

  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "axis")), NS_SWEEP_D_MODEL);
  sweep = scaling_run_sweep (&scaling, NS_SWEEP_D_MODEL, "8..48", "w_2@last");
  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, sweep, &options);
  /* Each axis keeps its range. */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "axis")), NS_SWEEP_DEPTH);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (scaling_get_child (&scaling, "last"))), ==, 32);
}

static void
test_figure (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) sweep = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  const NsFigure *figure;
  NsScalingOptions options;
  guint n_series;

  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, sweep, &options);
  scaling_wait_until_idle (&scaling);
  n_series = ((NsPanel *) g_ptr_array_index (normscope_plot_get_figure (scaling.plot)->panels, 0))->series->len;

  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "residuals")), TRUE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "log_x")), FALSE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "best_law")), FALSE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (app_find_type (scaling_get_child (&scaling, "law_box"),
                                                                GTK_TYPE_CHECK_BUTTON)), TRUE);
  figure = normscope_plot_get_figure (scaling.plot);
  g_assert_cmpuint (figure->panels->len, ==, 2);
  g_assert_cmpint (figure->x_scale, ==, NS_AXIS_LINEAR);
  /* Two curves, each with its fit of the constant law, although another law fits best. */
  g_assert_cmpuint (((NsPanel *) g_ptr_array_index (figure->panels, 0))->series->len, ==, 4);
  g_assert_cmpuint (n_series, >=, 2);

  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "ratio")), TRUE);
  options.view = NS_SCALING_RATIO;
  scaling_assert_shows (&scaling, sweep, &options);
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
  return strstr (gtk_button_get_label (GTK_BUTTON (scaling_get_child (data, "run_button"))), "Cancel") != NULL;
}

static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (scaling.bar);
  g_autofree char *stopped = NULL;
  g_autofree char *later = NULL;
  g_autoptr (NsSweep) sweep = NULL;
  NsScalingOptions options;
  clock_t start;

  /* A sweep that takes far more than a minute. */
  scaling_wait_until_idle (&scaling);
  app_type_number (fixture, "shape.d_model", "256");
  settings.last[NS_SWEEP_DEPTH] = 5000;
  settings.every = TRUE;
  settings.metric.where = NS_AT_FIRST;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  scaling_assert_describes (&scaling, " so far.", FALSE);
  g_assert_true (app_wait_for (has_a_point, &scaling, TIMEOUT_MS));
  g_assert_true (app_wait_for (can_cancel, &scaling, TIMEOUT_MS));
  g_assert_false (scaling_is_idle (&scaling));
  app_wait_for_text (scaling.view, "\302\240blocks");

  start = clock ();
  g_signal_emit_by_name (scaling_get_child (&scaling, "run_button"), "clicked");
  g_assert_true (scaling_is_idle (&scaling));
  stopped = app_dup_description (GTK_WIDGET (scaling.plot));
  g_assert_nonnull (strstr (stopped, "Stopped after "));
  g_assert_null (strstr (stopped, " so far"));
  g_assert_nonnull (app_find_text (scaling.view, "Cancelled"));
  g_assert_false (can_cancel (&scaling));
  app_draw_frames (30);
  later = app_dup_description (GTK_WIDGET (scaling.plot));
  g_assert_cmpstr (later, ==, stopped);

  /* The next sweep starts at once and contains nothing of the cancelled one. */
  scaling_set_small_theory (&scaling);
  settings.last[NS_SWEEP_DEPTH] = 32;
  settings.every = FALSE;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  sweep = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@first");
  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, sweep, &options);
  g_assert_cmpint (clock () - start, <, 20 * CLOCKS_PER_SEC);
}

static void
test_off_screen (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) first = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autoptr (NsSweep) second = NULL;
  g_autofree char *before = NULL;
  g_autofree char *flow = app_dup_description (GTK_WIDGET (fixture->plot));
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, first, &options);
  scaling_wait_until_idle (&scaling);
  before = app_dup_description (GTK_WIDGET (scaling.plot));
  /* A hidden view runs nothing. */
  app_type_number (fixture, "sampling.seeds", "4");
  fixture->experiment->sampling.seeds = 4;
  second = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  scaling_assert_shows (&scaling, second, &options);
  app_assert_unchanged (fixture, flow);
  scaling_show_view (&scaling, "flow");
  app_assert_shows (fixture);

  app_type_number (fixture, "sampling.seeds", "5");
  fixture->experiment->sampling.seeds = 5;
  app_assert_shows (fixture);
  app_draw_frames (18);
  scaling_assert_describes (&scaling, ": L⁻⁰·", FALSE);
  g_assert_true (scaling_is_idle (&scaling));
  scaling_show_view (&scaling, "scaling");
  scaling_assert_describes (&scaling, before, TRUE);
}

/* ---- the theory ---- */

static gboolean
describes_theory (gpointer data)
{
  Scaling *scaling = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (scaling->plot));

  return strstr (text, "Mean field at depth 1000000: Pre-LN ") != NULL;
}

static gboolean
describes_no_theory (gpointer data)
{
  Scaling *scaling = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (scaling->plot));

  return strstr (text, "Mean field") == NULL;
}

/* The chooser draws the theory up to a million blocks, as one step of undo, and says where there is none. */
static void
test_theory (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  GtkDropDown *chooser = GTK_DROP_DOWN (scaling_get_child (&scaling, "theory"));
  GtkLabel *note = GTK_LABEL (scaling_get_child (&scaling, "theory_note"));
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (scaling.bar);

  scaling_wait_until_idle (&scaling);
  g_assert_cmpuint (gtk_drop_down_get_selected (chooser), ==, 0);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (note)));
  g_assert_true (describes_no_theory (&scaling));
  gtk_drop_down_set_selected (chooser, 5);
  g_assert_true (app_wait_for (describes_theory, &scaling, TIMEOUT_MS));
  g_assert_cmpfloat_with_epsilon (normscope_plot_get_figure (scaling.plot)->x_max, 6, 1e-9);
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->theory);

  normscope_session_undo (fixture->session);
  g_assert_cmpuint (gtk_drop_down_get_selected (chooser), ==, 0);
  g_assert_true (app_wait_for (describes_no_theory, &scaling, TIMEOUT_MS));

  settings.metric.quantity = NS_Q_GAIN_ATTN_PRE;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  g_assert_cmpstr (gtk_label_get_label (note), ==, "Not for ‖∂L/∂γ_attn,pre‖");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (note)));
}

/* ---- messages ---- */

static void
test_messages (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (NsSweep) sweep = scaling_run_sweep (&scaling, NS_SWEEP_DEPTH, "1..32", "w_2@last");
  g_autofree char *kept = NULL;
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  scaling_assert_shows (&scaling, sweep, &options);
  kept = app_dup_description (GTK_WIDGET (scaling.plot));
  scaling_wait_until_idle (&scaling); /* its last numbers are shown before it has ended; a change would stop it */

  app_type_number (fixture, "shape.heads", "5");
  app_wait_for_text (scaling.view, "shape.heads: 5");
  scaling_assert_describes (&scaling, kept, TRUE);
  app_type_number (fixture, "shape.heads", "1");
  app_wait_until_no_text (scaling.view, "shape.heads: 5");

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (scaling_get_child (&scaling, "first")), 40);
  app_wait_for_text (scaling.view, "“40..32”");
  scaling_assert_describes (&scaling, kept, TRUE);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (scaling_get_child (&scaling, "first")), 31);
  scaling_assert_describes (&scaling, "too few points", FALSE);
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
  Scaling scaling = scaling_begin (fixture);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_auto (GStrv) accels = NULL;
  GtkWidget *missed;

  scaling_assert_describes (&scaling, ": L⁻⁰·", FALSE);
  scaling_wait_until_idle (&scaling);
  accels = gtk_application_get_accels_for_action (app_test_get_application (), "win.show-view::scaling");
  g_assert_true (g_strv_contains ((const char *const *) accels, "<Control>3"));

  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_End));
  g_assert_nonnull (app_find_text (scaling.view, "Depth 32 · Pre-LN "));
  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_Home));
  g_assert_nonnull (app_find_text (scaling.view, "Depth 1 · Pre-LN "));
  g_assert_true (app_press_key (GTK_WIDGET (scaling.plot), GDK_KEY_Escape));

  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  for (int i = 0; i < 400; i++)
    {
      gtk_widget_child_focus (GTK_WIDGET (fixture->window), GTK_DIR_TAB_FORWARD);
      if (gtk_root_get_focus (GTK_ROOT (fixture->window)) != NULL)
        g_hash_table_add (seen, gtk_root_get_focus (GTK_ROOT (fixture->window)));
    }
  missed = app_find (scaling.view, wants_focus, seen);
  if (missed != NULL)
    g_error ("Tab never comes to a %s", G_OBJECT_TYPE_NAME (missed));
}

/* ---- closing during a run ---- */

static gboolean
are_gone (gpointer data)
{
  GObject **objects = data;

  return objects[0] == NULL && objects[1] == NULL && objects[2] == NULL && objects[3] == NULL;
}

static void
test_closed_while_running (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  Fixture other = { .window = window, .session = normscope_window_get_session (window),
                    .experiment = ns_experiment_new () };
  Scaling scaling = scaling_find (&other);
  GObject *objects[] = { G_OBJECT (window), G_OBJECT (scaling.view), G_OBJECT (scaling.plot),
                         G_OBJECT (other.session) };

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    g_object_add_weak_pointer (objects[i], (gpointer *) &objects[i]);
  gtk_window_present (GTK_WINDOW (window));
  scaling_show_view (&scaling, "scaling");
  scaling_assert_describes (&scaling, " so far.", FALSE);
  g_signal_emit_by_name (scaling_get_card_child (&scaling, "theorem-1-post", "set_up_button"), "clicked");
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_true (app_wait_for (are_gone, objects, TIMEOUT_MS));
  ns_experiment_free (other.experiment);
}

void
add_scaling_tests (void)
{
  app_test_add ("/scaling/numbers", test_numbers);
  app_test_add ("/scaling/metric", test_metric);
  app_test_add ("/scaling/width", test_width);
  app_test_add ("/scaling/figure", test_figure);
  app_test_add ("/scaling/cancel", test_cancel);
  app_test_add ("/scaling/off-screen", test_off_screen);
  app_test_add ("/scaling/messages", test_messages);
  app_test_add ("/scaling/theory", test_theory);
  app_test_add ("/scaling/keyboard", test_keyboard);
  app_test_add_func ("/scaling/closed-while-running", test_closed_while_running);
}
