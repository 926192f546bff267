/* The plots of the Training view in a real window: where they are, what names them, and the read-out of the losses.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include "app-input.h"
#include "app/training/normscope-training-view.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

static NormscopeTrainingPage *
get_page (Fixture *fixture)
{
  return normscope_training_view_get_page (app_get_child (fixture->window, "training_view"));
}

static GtkWidget *
get_plot (Fixture *fixture, NsFigureKind figure)
{
  return GTK_WIDGET (normscope_training_page_get_plot (get_page (fixture), figure));
}

static gboolean
is_again (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), "Train Again") == 0;
}

static gboolean
is_finished (gpointer fixture)
{
  return app_find (GTK_WIDGET (get_page (fixture)), is_again, NULL) != NULL;
}

static gboolean
is_shown (gpointer page)
{
  return gtk_widget_get_mapped (page);
}

/* Train a small experiment in the view. */
static void
train (Fixture *fixture)
{
  NsExperiment *experiment = ns_experiment_copy (fixture->experiment);

  experiment->data.source = NS_SOURCE_MARKOV;
  experiment->loss = NS_LOSS_CROSS_ENTROPY;
  experiment->shape.depth = 2;
  experiment->shape.vocab = 32;
  experiment->shape.seq_len = 16;
  experiment->training.steps = 30;
  experiment->sampling.seeds = 2;
  for (guint v = 0; v < experiment->variants->len; v++)
    ns_experiment_variant (experiment, v)->attention = NS_ATTENTION_CAUSAL;
  normscope_session_take_experiment (fixture->session, experiment);
  app_input_control_key (GDK_KEY_4);
  g_assert_true (app_wait_for (is_shown, get_page (fixture), TIMEOUT_MS));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  app_settle ();
}

/* The read-out of the losses is there while the pointer is, and the crosshair then goes back to the slider's step. */
static void
test_readout (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot, *readout;

  train (fixture);
  plot = get_plot (fixture, NS_FIGURE_TRAINING);
  readout = app_get_child (get_page (fixture), "losses_readout");
  g_assert_false (gtk_widget_get_visible (readout));
  for (int i = 0; i < 2; i++)
    {
      app_input_point_at (plot, gtk_widget_get_width (plot) / 2.0, gtk_widget_get_height (plot) / 2.0);
      g_assert_true (gtk_widget_get_visible (readout));
      app_input_point_at (app_get_child (get_page (fixture), "status_label"), 2, 2);
      g_assert_false (gtk_widget_get_visible (readout));
      g_assert_cmpfloat (normscope_plot_get_cursor (NORMSCOPE_PLOT (plot)), ==, 29);
    }
}

static gboolean
has_names (GtkWidget *plot)
{
  const NsLayout *layout = normscope_plot_get_layout (NORMSCOPE_PLOT (plot));

  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);

      if (label->role == NS_LABEL_NAME || label->role == NS_LABEL_LEGEND)
        return TRUE;
    }
  return FALSE;
}

/* In a window of this width, losses and blocks are side by side; the names of the variants are in the former. */
static void
test_pair (Fixture *fixture, gconstpointer data)
{
  GtkWidget *losses, *blocks;
  double x, y;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1280, 1000);
  train (fixture);
  losses = get_plot (fixture, NS_FIGURE_TRAINING);
  blocks = get_plot (fixture, NS_FIGURE_TRAINING_PROFILE);
  g_assert_true (gtk_widget_translate_coordinates (losses, blocks, 0, 0, &x, &y));
  g_assert_cmpfloat (x, ==, -gtk_widget_get_width (losses));
  g_assert_cmpfloat (y, ==, 0);
  g_assert_true (has_names (losses));
  g_assert_false (has_names (blocks));
}

/* The sidebar has the learning rate in plain digits, beside a closed group. */
static void
test_summary (Fixture *fixture, gconstpointer data)
{
  app_input_control_key (GDK_KEY_4);
  g_assert_true (app_wait_for (is_shown, get_page (fixture), TIMEOUT_MS));
  g_assert_true (normscope_session_set_number (fixture->session, ns_param_find ("training.learning_rate"), 1e4, NULL));
  app_wait_for_text (GTK_WIDGET (fixture->window), "Adam · 10000 · ");
}

void
add_training_plots_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/training-plots/readout", test_readout);
  app_test_add ("/training-plots/pair", test_pair);
  app_test_add ("/training-plots/summary", test_summary);
}
