/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-scaling.h"

#include <string.h>

#include "app/scaling/normscope-scaling-card.h"
#include "app/scaling/normscope-scaling-view.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"

/* ---- driving ---- */

static gboolean
is_plot_of_scaling (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_PLOT (widget) && gtk_widget_get_ancestor (widget, NORMSCOPE_TYPE_SCALING_VIEW) != NULL;
}

Scaling
scaling_find (Fixture *fixture)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);
  Scaling scaling = { fixture, app_find_type (window, NORMSCOPE_TYPE_SCALING_VIEW), NULL, NULL };

  scaling.bar = NORMSCOPE_SCALING_BAR (app_find_type (window, NORMSCOPE_TYPE_SCALING_BAR));
  scaling.plot = NORMSCOPE_PLOT (app_find (window, is_plot_of_scaling, NULL));
  return scaling;
}

GtkWidget *
scaling_get_child (Scaling *scaling, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (scaling->bar), NORMSCOPE_TYPE_SCALING_BAR, name));
}

void
scaling_show_view (Scaling *scaling, const char *name)
{
  gtk_widget_activate_action (GTK_WIDGET (scaling->fixture->window), "win.show-view", "s", name);
}

void
scaling_set_small_theory (Scaling *scaling)
{
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (scaling->bar);
  NsExperiment *experiment = ns_preset_load ("xiong-theory", NULL);

  g_assert_nonnull (experiment);
  experiment->shape.d_model = experiment->shape.d_ff = 32;
  experiment->shape.depth = 12;
  experiment->sampling.seeds = 5;
  ns_experiment_free (scaling->fixture->experiment);
  scaling->fixture->experiment = ns_experiment_copy (experiment);
  scaling->fixture->keeps_names = TRUE;
  normscope_session_take_experiment (scaling->fixture->session, experiment);
  settings.last[NS_SWEEP_DEPTH] = 32;
  settings.first[NS_SWEEP_D_MODEL] = 8;
  settings.last[NS_SWEEP_D_MODEL] = 48;
  normscope_scaling_bar_set_settings (scaling->bar, &settings);
}

Scaling
scaling_begin (Fixture *fixture)
{
  Scaling scaling = scaling_find (fixture);

  scaling_set_small_theory (&scaling);
  scaling_show_view (&scaling, "scaling");
  return scaling;
}

/* ---- expected results ---- */

NsSweep *
scaling_run_sweep (Scaling *scaling, NsSweepAxis axis, const char *points_text, const char *metric_text)
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
  gboolean is_whole; /* text is the whole description, not a part of it */
} Expectation;

static gboolean
is_described (gpointer data)
{
  Expectation *expectation = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (expectation->plot));

  return expectation->is_whole ? strcmp (text, expectation->text) == 0 : strstr (text, expectation->text) != NULL;
}

void
scaling_assert_describes (Scaling *scaling, const char *text, gboolean is_whole)
{
  Expectation expectation = { scaling->plot, text, is_whole };

  if (!app_wait_for (is_described, &expectation, TIMEOUT_MS))
    {
      g_autofree char *shown = app_dup_description (GTK_WIDGET (scaling->plot));

      g_error ("“%s” is shown, “%s” expected", shown, text);
    }
}

void
scaling_assert_shows (Scaling *scaling, NsSweep *sweep, const NsScalingOptions *options)
{
  g_autofree char *sentence = ns_scaling_sentence (sweep, options);

  scaling_assert_describes (scaling, sentence, TRUE);
  app_assert_first_clause (scaling->view, sentence);
}

gboolean
scaling_is_idle (gpointer data)
{
  Scaling *scaling = data;
  g_autofree char *differs = gtk_test_accessible_check_state (GTK_ACCESSIBLE (scaling->plot),
                                                              GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

void
scaling_wait_until_idle (Scaling *scaling)
{
  app_draw_frames (1);
  g_assert_true (app_wait_for (scaling_is_idle, scaling, TIMEOUT_MS));
}

/* ---- cards of claims ---- */

static gboolean
is_card_of (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_SCALING_CARD (widget)
         && strcmp (normscope_scaling_card_get_claim (NORMSCOPE_SCALING_CARD (widget))->id, data) == 0;
}

GtkWidget *
scaling_get_card_child (Scaling *scaling, const char *id, const char *name)
{
  GtkWidget *card = app_find (scaling->view, is_card_of, id);

  g_assert_nonnull (card);
  return GTK_WIDGET (gtk_widget_get_template_child (card, NORMSCOPE_TYPE_SCALING_CARD, name));
}
