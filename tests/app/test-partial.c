/* The flow view while a long run goes on: it shows what the run has so far, and the last whole result where it ends
 * without one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "app-widgets.h"
#include "app/flow/normscope-flow-view.h"
#include "engine/experiment/ns-params.h"
#include "figures/ns-marks.h"

/* Deep enough that the first seed takes much longer than the time after which it is shown. */
#define DEPTH 2000
/* A block that is not known at first. */
#define CURSOR (DEPTH - 3)

static const NsFigure *
get_figure (Fixture *fixture)
{
  return normscope_plot_get_figure (fixture->plot);
}

/* Return the first measured curve of a panel, of that name unless it is NULL; or NULL. */
static const NsSeries *
find_named (Fixture *fixture, guint panel, const char *name)
{
  const NsPanel *p = g_ptr_array_index (get_figure (fixture)->panels, panel);

  for (guint i = 0; i < p->series->len; i++)
    {
      const NsSeries *series = g_ptr_array_index (p->series, i);

      if (series->role == NS_ROLE_DATA && (name == NULL || g_str_equal (series->name, name)))
        return series;
    }
  return NULL;
}

static const NsSeries *
find_curve (Fixture *fixture, guint panel)
{
  return find_named (fixture, panel, NULL);
}

static gboolean
is_partial (gpointer fixture)
{
  const char *note = get_figure (fixture)->note;

  return note != NULL && g_str_equal (note, "Still running");
}

static gboolean
has_partial_figure (gpointer fixture)
{
  return get_figure (fixture) != NULL && is_partial (fixture);
}

static gboolean
has_whole_figure (gpointer fixture)
{
  return get_figure (fixture) != NULL && !is_partial (fixture) && find_curve (fixture, 0) != NULL;
}

static gboolean
has_gradients (gpointer fixture)
{
  return is_partial (fixture) && find_curve (fixture, 0) != NULL;
}

/* Return TRUE once the curve has the block of the crosshair. */
static gboolean
has_last_gradients (gpointer fixture)
{
  return has_gradients (fixture) && find_curve (fixture, 0)->x[0] <= CURSOR;
}

static NormscopeFlowView *
get_view (Fixture *fixture)
{
  return app_get_child (fixture->window, "flow_view");
}

/* Set the large depth and wait for the first partial result. */
static void
go_deep (Fixture *fixture)
{
  app_type_number (fixture, "shape.depth", G_STRINGIFY (DEPTH));
  g_assert_true (app_wait_for (is_partial, fixture, TIMEOUT_MS));
}

/* Fail unless the figure is that of the whole result, which is at the fixture's depth. */
static void
assert_whole (Fixture *fixture)
{
  gint64 depth = fixture->experiment->shape.depth;

  g_assert_false (is_partial (fixture));
  g_assert_cmpuint (find_curve (fixture, 0)->n, ==, depth);
  g_assert_cmpuint (find_curve (fixture, 1)->n, ==, depth + 1);
}

/* The residual stream comes from the input, the gradients come from the loss. */
static void
test_grows (Fixture *fixture, gconstpointer data)
{
  const NsSeries *bars, *curve;
  g_autofree char *sentence = NULL;
  gsize n;

  go_deep (fixture);
  bars = find_curve (fixture, 1);
  g_assert_cmpfloat (get_figure (fixture)->x_max, ==, DEPTH);
  g_assert_nonnull (bars);
  g_assert_cmpfloat (bars->x[0], ==, 0);
  n = bars->n;
  sentence = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_true (g_str_has_prefix (sentence, "Still running"));
  /* what is exported is whole */
  g_assert_null (normscope_flow_view_get_result (get_view (fixture)));
  g_assert_null (normscope_flow_view_dup_picture (get_view (fixture), FALSE));
  normscope_plot_set_cursor (fixture->plot, CURSOR);
  g_assert_true (gtk_widget_get_mapped (app_get_child (get_view (fixture), "readout")));

  g_assert_true (app_wait_for (has_gradients, fixture, TIMEOUT_MS));
  curve = find_curve (fixture, 0);
  g_assert_cmpuint (curve->n, <, DEPTH);
  g_assert_cmpfloat (curve->x[curve->n - 1], ==, DEPTH);
  g_assert_cmpuint (find_named (fixture, 1, curve->name)->n, ==, DEPTH + 1);
  g_assert_cmpuint (n, <, DEPTH + 1);
  /* the crosshair stays, whether its block is there or not */
  g_assert_cmpfloat (normscope_plot_get_cursor (fixture->plot), ==, CURSOR);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, CURSOR);
  normscope_plot_set_cursor (fixture->plot, NAN);

  /* another experiment, whose result is whole at once */
  fixture->experiment->shape.depth = 3;
  app_move_slider (fixture, "shape.depth", 3);
  app_assert_shows (fixture);
  assert_whole (fixture);
}

/* A run that is stopped leaves the last whole figure. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  go_deep (fixture);
  g_signal_emit_by_name (app_get_child (get_view (fixture), "cancel_button"), "clicked");
  assert_whole (fixture);
  app_draw_frames (30);
  assert_whole (fixture);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "previous\302\240settings"));
}

/* So does a run whose view is hidden; it begins again when the view comes back. */
static void
test_hide (Fixture *fixture, gconstpointer data)
{
  go_deep (fixture);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "training");
  app_draw_frames (30);
  assert_whole (fixture);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "flow");
  g_assert_true (app_wait_for (is_partial, fixture, TIMEOUT_MS));
}

/* A question hides the values: no axis may grow with them. */
static void
test_question (Fixture *fixture, gconstpointer data)
{
  go_deep (fixture);
  normscope_session_set_asking (fixture->session, TRUE);
  g_assert_false (is_partial (fixture));
  app_draw_frames (60);
  g_assert_false (is_partial (fixture));
  normscope_session_set_asking (fixture->session, FALSE);
  g_assert_true (app_wait_for (is_partial, fixture, TIMEOUT_MS));
}

/* A click in the plot means a block of what is on screen. */
static void
test_pin (Fixture *fixture, gconstpointer data)
{
  const NsMarks *marks;

  go_deep (fixture);
  g_assert_true (app_wait_for (has_last_gradients, fixture, TIMEOUT_MS));
  normscope_plot_set_cursor (fixture->plot, CURSOR);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  g_assert_true (app_press_key (GTK_WIDGET (fixture->plot), GDK_KEY_p));
  marks = normscope_session_get_marks (fixture->session);
  g_assert_cmpuint (marks->pins->len, ==, 1);
  g_assert_cmpint (g_array_index (marks->pins, NsPin, 0).place.block, ==, CURSOR);
}

/* The first run of a window, stopped before its first result. */
static void
test_first_run (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  Fixture other = { .window = window };

  g_assert_true (normscope_session_set_int (normscope_window_get_session (window), ns_param_find ("shape.depth"), DEPTH,
                                            NULL));
  gtk_window_present (GTK_WINDOW (window));
  other.plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PLOT));
  g_assert_true (app_wait_for (has_partial_figure, &other, TIMEOUT_MS));
  g_signal_emit_by_name (app_get_child (get_view (&other), "cancel_button"), "clicked");
  app_wait_for_text (GTK_WIDGET (window), "stopped before its first result");
  app_draw_frames (30);
  g_assert_nonnull (app_find_text (GTK_WIDGET (window), "Run Stopped"));
  g_assert_null (app_find_text (GTK_WIDGET (window), "Still running"));
  g_assert_cmpstr (gtk_label_get_label (app_get_child (get_view (&other), "status_label")), ==, "");
  /* it stays when the figure would be made again */
  normscope_session_set_asking (normscope_window_get_session (window), TRUE);
  normscope_session_set_asking (normscope_window_get_session (window), FALSE);
  g_assert_nonnull (app_find_text (GTK_WIDGET (window), "stopped before its first result"));
  g_assert_true (normscope_session_set_int (normscope_window_get_session (window), ns_param_find ("shape.depth"), 3,
                                            NULL));
  g_assert_true (app_wait_for (has_whole_figure, &other, TIMEOUT_MS));
  gtk_window_destroy (GTK_WINDOW (window));
  app_settle ();
}

void
add_partial_tests (void)
{
  app_test_add_with_defaults ("/partial/grows", test_grows);
  app_test_add_with_defaults ("/partial/cancel", test_cancel);
  app_test_add_with_defaults ("/partial/hide", test_hide);
  app_test_add_with_defaults ("/partial/question", test_question);
  app_test_add_with_defaults ("/partial/pin", test_pin);
  app_test_add_func ("/partial/first-run", test_first_run);
}
