/* "Follow the gradient" with pointer and keys through the X server, and transitions between figures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "app-widgets.h"
#include "app-input.h"
#include "app/flow/normscope-flow-view.h"
#include "engine/experiment/ns-experiment.h"

static void
set_animations (gboolean enabled)
{
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", enabled, NULL);
}

static const char *
get_hint (Fixture *fixture)
{
  return gtk_label_get_label (app_get_child (app_get_child (fixture->window, "flow_view"), "hint_label"));
}

static gboolean
is_playing (gpointer data)
{
  double from, to;

  return normscope_plot_get_reveal (((Fixture *) data)->plot, 0, &from, &to);
}

static gboolean
is_over (gpointer data)
{
  return !is_playing (data);
}

static gboolean
is_backward (gpointer data)
{
  return strstr (get_hint (data), "Backward") != NULL;
}

static double
get_cursor (Fixture *fixture)
{
  return normscope_session_get_cursor (fixture->session);
}

/* Return the pixels of the plot. */
static GBytes *
grab (Fixture *fixture)
{
  g_autoptr (GdkTexture) texture = NULL;
  gsize stride, size;
  guchar *pixels;

  app_input_settle ();
  texture = app_grab (GTK_WIDGET (fixture->plot));
  stride = (gsize) gdk_texture_get_width (texture) * 4;
  size = stride * (gsize) gdk_texture_get_height (texture);
  pixels = g_malloc (size);
  gdk_texture_download (texture, pixels, stride);
  return g_bytes_new_take (pixels, size);
}

static void
focus_plot (Fixture *fixture)
{
  /* Away from the plot, so that no crosshair is in the pictures. */
  app_input_point_at (GTK_WIDGET (fixture->window), 5, 5);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  normscope_plot_set_cursor (fixture->plot, NAN);
  /* The axes settle. */
  app_wait_until (app_has_settled, fixture->plot);
  app_input_settle ();
}

/* Without animations each press is a step: forward block by block, then backward; the end is the ordinary picture. */
static void
test_steps (Fixture *fixture, gconstpointer data)
{
  gint64 depth = fixture->experiment->shape.depth;
  g_autoptr (GBytes) before = NULL;
  g_autoptr (GBytes) during = NULL;
  g_autoptr (GBytes) after = NULL;
  g_autofree char *hint = NULL;
  g_autofree char *expected = g_strdup_printf ("Forward pass, block 1 of %d", (int) depth);
  guint64 n_drawings;
  double from, to;

  set_animations (FALSE);
  focus_plot (fixture);
  hint = g_strdup (get_hint (fixture));
  before = grab (fixture);
  n_drawings = normscope_plot_get_n_drawings (fixture->plot);

  app_input_key (GDK_KEY_space);
  g_assert_true (is_playing (fixture));
  g_assert_cmpfloat (get_cursor (fixture), ==, 0);
  app_input_key (GDK_KEY_space);
  g_assert_cmpfloat (get_cursor (fixture), ==, 1);
  g_assert_true (g_str_has_prefix (get_hint (fixture), expected));
  g_assert_true (normscope_plot_get_reveal (fixture->plot, 1, &from, &to));
  g_assert_cmpfloat (to, ==, 1.5);
  during = grab (fixture);
  g_assert_false (g_bytes_equal (before, during));
  /* The gradient waits. */
  g_assert_true (normscope_plot_get_reveal (fixture->plot, 0, &from, &to));
  g_assert_cmpfloat (from, >, (double) depth);

  app_input_keys (GDK_KEY_space, (guint) depth - 1);
  g_assert_true (is_backward (fixture));
  g_assert_cmpfloat (get_cursor (fixture), ==, (double) depth);
  app_input_key (GDK_KEY_space);
  g_assert_true (normscope_plot_get_reveal (fixture->plot, 0, &from, &to));
  g_assert_cmpfloat (from, ==, (double) depth - 0.5);
  app_input_keys (GDK_KEY_space, (guint) depth);
  g_assert_true (is_over (fixture));
  g_assert_true (isnan (get_cursor (fixture)));
  g_assert_cmpstr (get_hint (fixture), ==, hint);
  after = grab (fixture);
  g_assert_true (g_bytes_equal (before, after));
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), ==, n_drawings);
  set_animations (TRUE);
}

/* With animations it moves by itself; Space pauses, the arrow keys step, Escape ends. */
static void
test_plays (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) before = NULL;
  g_autoptr (GBytes) after = NULL;
  double cursor;

  focus_plot (fixture);
  before = grab (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (is_playing (fixture));
  app_input_key (GDK_KEY_space);
  g_assert_nonnull (strstr (get_hint (fixture), "Space: go on"));
  cursor = get_cursor (fixture);
  app_draw_frames (18);
  g_assert_cmpfloat (get_cursor (fixture), ==, cursor);
  app_input_key (GDK_KEY_Right);
  app_input_key (GDK_KEY_Right);
  g_assert_cmpfloat (get_cursor (fixture), >, cursor);
  cursor = get_cursor (fixture);
  app_input_key (GDK_KEY_Left);
  g_assert_cmpfloat (get_cursor (fixture), ==, cursor - 1);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_backward, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_over, fixture, TIMEOUT_MS));
  after = grab (fixture);
  g_assert_true (g_bytes_equal (before, after));

  app_input_key (GDK_KEY_space);
  g_assert_true (is_playing (fixture));
  app_input_key (GDK_KEY_Escape);
  g_assert_true (is_over (fixture));
  g_assert_true (isnan (get_cursor (fixture)));
}

/* The button does the same, and every change ends it. */
static void
test_ends (Fixture *fixture, gconstpointer data)
{
  GtkWidget *button = app_get_child (app_get_child (fixture->window, "flow_view"), "play_button");
  NormscopeView view = *normscope_session_get_view (fixture->session);

  g_assert_true (app_input_click (button));
  g_assert_true (is_playing (fixture));
  app_input_key (GDK_KEY_Escape);
  g_assert_true (is_over (fixture));

  app_activate (fixture, "win.play");
  g_assert_true (is_playing (fixture));
  app_move_slider (fixture, "shape.depth", (double) fixture->experiment->shape.depth + 1);
  g_assert_true (is_over (fixture));
  app_wait_for_idle_plot (fixture);

  app_activate (fixture, "win.play");
  g_assert_true (is_playing (fixture));
  view.log_gradient = !view.log_gradient;
  normscope_session_set_view (fixture->session, &view);
  g_assert_true (is_over (fixture));

  app_activate (fixture, "win.play");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  g_assert_true (app_wait_for (is_over, fixture, TIMEOUT_MS));
  app_activate (fixture, "win.play");
  app_wait_for_frame (fixture);
  app_activate (fixture, "win.play");
  g_assert_true (is_playing (fixture));
  app_activate (fixture, "win.undo");
  g_assert_true (is_over (fixture));
}

/* A deep stack is crossed in the same number of presses; an encoder-decoder in the order of its parts. */
static void
test_depths (Fixture *fixture, gconstpointer data)
{
  const gint64 depths[] = { 1, 48 };

  set_animations (FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      NsExperiment *experiment = ns_experiment_copy (fixture->experiment);
      guint presses = 0;

      experiment->shape.depth = depths[i];
      experiment->shape.stack = i == 0 ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
      experiment->sampling.seeds = 1;
      normscope_session_take_experiment (fixture->session, experiment);
      app_wait_for_idle_plot (fixture);
      focus_plot (fixture);
      do
        {
          app_input_key (GDK_KEY_space);
          if (depths[i] == 1 && presses == 3)
            g_assert_true (g_str_has_prefix (get_hint (fixture), "Forward pass, decoder block 1 of 1")
                           || is_backward (fixture));
          presses++;
        }
      while (is_playing (fixture) && presses < 200);
      g_assert_cmpuint (presses, <=, 52);
    }
  set_animations (TRUE);
}

/* ---- transitions ---- */

static gboolean
is_at_rest (gpointer data)
{
  return !normscope_plot_is_moving (((Fixture *) data)->plot);
}

static void
toggle_quantity (Fixture *fixture)
{
  NormscopeView view = *normscope_session_get_view (fixture->session);

  view.gradient = view.gradient == NS_Q_BLOCK ? NS_Q_GRAD_X : NS_Q_BLOCK;
  normscope_session_set_view (fixture->session, &view);
}

/* Off by default; then for one figure, which ends as if there had been none. */
static void
test_transition (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) before = NULL;
  g_autoptr (GBytes) after = NULL;

  focus_plot (fixture);
  toggle_quantity (fixture);
  g_assert_true (is_at_rest (fixture));
  app_wait_until (app_has_settled, fixture->plot);
  before = grab (fixture);
  toggle_quantity (fixture);
  app_wait_until (app_has_settled, fixture->plot);
  normscope_plot_animate_next (fixture->plot);
  toggle_quantity (fixture);
  g_assert_false (is_at_rest (fixture));
  g_assert_true (app_wait_for (is_at_rest, fixture, TIMEOUT_MS));
  app_wait_until (app_has_settled, fixture->plot);
  after = grab (fixture);
  g_assert_true (g_bytes_equal (before, after));

  set_animations (FALSE);
  normscope_plot_animate_next (fixture->plot);
  toggle_quantity (fixture);
  g_assert_true (is_at_rest (fixture));
  set_animations (TRUE);
}

/* A window may stay in memory for a while after it was closed. No tooltip is to be shown in it then; see
 * normscope_window_unmap(). */
static void
test_closed (Fixture *fixture, gconstpointer data)
{
  app_input_point_at (GTK_WIDGET (fixture->plot), 100, 100);
  app_activate (fixture, "win.play");
  app_input_settle ();
  g_assert_true (is_playing (fixture));
  g_object_ref (fixture->window);
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  app_iterate (800); /* sources that are left would fire; no frame is drawn any more */
  g_idle_add_once (g_object_unref, fixture->window);
}

void
add_play_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/play/steps", test_steps);
  app_test_add ("/play/plays", test_plays);
  app_test_add ("/play/ends", test_ends);
  app_test_add ("/play/depths", test_depths);
  app_test_add ("/play/transition", test_transition);
  app_test_add ("/play/closed", test_closed);
}
