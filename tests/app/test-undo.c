/* Undo and redo in the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"
#include "app-widgets.h"

#include <string.h>

#include "app/session/normscope-history.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

/* Longer than the pause that ends a drag. */
#define REST_MS      (NORMSCOPE_HISTORY_REST_US / 1000 + 200)
#define MAX_ATTEMPTS 10

static void
undo (Fixture *fixture)
{
  g_assert_true (normscope_session_can_undo (fixture->session));
  app_activate (fixture, "win.undo");
}

static void
redo (Fixture *fixture)
{
  g_assert_true (normscope_session_can_redo (fixture->session));
  app_activate (fixture, "win.redo");
}

static gint64
get_depth (Fixture *fixture)
{
  return normscope_session_get_experiment (fixture->session)->shape.depth;
}

/* Drag the depth and return TRUE, or FALSE if the machine paused so long that the drag counts as two. */
static gboolean
drag (Fixture *fixture, int from, int to)
{
  gint64 last = g_get_monotonic_time (), longest = 0;

  for (int depth = from; depth <= to; depth++)
    {
      gint64 now;

      app_move_slider (fixture, "shape.depth", depth);
      now = g_get_monotonic_time ();
      longest = MAX (longest, now - last);
      last = now;
      app_iterate (5); /* the rate of a pointer */
    }
  return longest < NORMSCOPE_HISTORY_REST_US;
}

/* Drag from 25 to `middle`, rest, and drag on to `to`; without a rest if `middle` is `to`. */
static void
drag_without_pauses (Fixture *fixture, int middle, int to)
{
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
    {
      gboolean done;

      app_move_slider (fixture, "shape.depth", 24);
      normscope_session_clear_history (fixture->session);
      done = drag (fixture, 25, middle);
      if (middle < to)
        {
          app_iterate (REST_MS);
          done = drag (fixture, middle + 1, to) && done;
        }
      if (done)
        return;
    }
  g_error ("The machine pauses in every drag");
}

static void
test_one_step_a_drag (Fixture *fixture, gconstpointer data)
{
  drag_without_pauses (fixture, 48, 48);
  g_assert_cmpint (get_depth (fixture), ==, 48);
  undo (fixture);
  g_assert_cmpint (get_depth (fixture), ==, 24);
  app_assert_shows (fixture);
  g_assert_false (normscope_session_can_undo (fixture->session));
  redo (fixture);
  fixture->experiment->shape.depth = 48;
  app_assert_shows (fixture);
  g_assert_false (normscope_session_can_redo (fixture->session));
}

static void
test_rest_ends_a_drag (Fixture *fixture, gconstpointer data)
{
  drag_without_pauses (fixture, 30, 40);
  undo (fixture);
  g_assert_cmpint (get_depth (fixture), ==, 30);
  undo (fixture);
  g_assert_cmpint (get_depth (fixture), ==, 24);
}

static void
test_other_control_ends_a_drag (Fixture *fixture, gconstpointer data)
{
  const NsExperiment *experiment;

  normscope_session_clear_history (fixture->session);
  app_move_slider (fixture, "shape.depth", 30);
  app_type_number (fixture, "shape.seq_len", "16");
  app_move_slider (fixture, "shape.depth", 12);
  undo (fixture);
  experiment = normscope_session_get_experiment (fixture->session);
  g_assert_cmpint (experiment->shape.depth, ==, 30);
  g_assert_cmpint (experiment->shape.seq_len, ==, 16);
  undo (fixture);
  experiment = normscope_session_get_experiment (fixture->session);
  g_assert_cmpint (experiment->shape.depth, ==, 30);
  g_assert_cmpint (experiment->shape.seq_len, ==, fixture->experiment->shape.seq_len);
  undo (fixture);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
  g_assert_false (normscope_session_can_undo (fixture->session));
}

/* The same slider for another variant counts as another control. */
static void
test_other_variant_ends_a_drag (Fixture *fixture, gconstpointer data)
{
  const NsParam *param = ns_param_find ("branch_scale");

  normscope_session_clear_history (fixture->session);
  g_assert_true (normscope_session_set_number (fixture->session, param, 0.5, NULL));
  normscope_session_select (fixture->session, 1);
  g_assert_true (normscope_session_set_number (fixture->session, param, 0.25, NULL));
  undo (fixture);
  g_assert_cmpfloat (normscope_session_get_value (fixture->session, param), ==, 1.0);
  undo (fixture);
  g_assert_cmpuint (normscope_session_get_selected (fixture->session), ==, 0);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
}

/* Each click on a switch is a step. */
static void
test_every_click_is_a_step (Fixture *fixture, gconstpointer data)
{
  const NsParam *param = ns_param_find ("attn.residual");

  normscope_session_clear_history (fixture->session);
  for (int i = 0; i < 3; i++)
    normscope_session_set_int (fixture->session, param, i % 2, NULL);
  for (int i = 3; i-- > 0;)
    {
      g_assert_cmpfloat (normscope_session_get_value (fixture->session, param), ==, i % 2);
      undo (fixture);
    }
  g_assert_cmpfloat (normscope_session_get_value (fixture->session, param), ==, 1);
  g_assert_false (normscope_session_can_undo (fixture->session));
}

static void
test_everything_comes_back (Fixture *fixture, gconstpointer data)
{
  const NsColor red = { 1, 0, 0 };
  NormscopeView view = *normscope_session_get_view (fixture->session);
  g_autoptr (NsExperiment) last = NULL;

  normscope_session_clear_history (fixture->session);
  g_assert_true (normscope_session_remove_variant (fixture->session, 0, NULL));
  g_assert_true (normscope_session_rename_variant (fixture->session, 0, "Renamed", NULL));
  normscope_session_set_color (fixture->session, 0, &red);
  normscope_session_set_hidden (fixture->session, 0, TRUE);
  view.log_gradient = FALSE;
  normscope_session_set_view (fixture->session, &view);
  normscope_session_new_seed (fixture->session);
  last = ns_experiment_copy (normscope_session_get_experiment (fixture->session));

  for (int i = 0; i < 6; i++)
    undo (fixture);
  g_assert_false (normscope_session_can_undo (fixture->session));
  g_assert_true (normscope_session_get_view (fixture->session)->log_gradient);
  g_assert_false (normscope_session_get_look (fixture->session, 0)->has_color);
  app_assert_shows (fixture);

  for (int i = 0; i < 6; i++)
    redo (fixture);
  g_assert_false (normscope_session_can_redo (fixture->session));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), last));
  g_assert_true (normscope_session_get_look (fixture->session, 0)->hidden);
  g_assert_cmpfloat (normscope_session_get_look (fixture->session, 0)->color.red, ==, 1);
  g_assert_false (normscope_session_get_view (fixture->session)->log_gradient);
}

static void
test_new_change_ends_redo (Fixture *fixture, gconstpointer data)
{
  normscope_session_clear_history (fixture->session);
  app_move_slider (fixture, "shape.depth", 30);
  undo (fixture);
  app_move_slider (fixture, "shape.depth", 12);
  g_assert_false (normscope_session_can_redo (fixture->session));
  undo (fixture);
  g_assert_cmpint (get_depth (fixture), ==, 24);
}

/* Undo skips a drag that ends where it began. */
static void
test_no_empty_step (Fixture *fixture, gconstpointer data)
{
  normscope_session_clear_history (fixture->session);
  app_type_number (fixture, "shape.seq_len", "16");
  app_move_slider (fixture, "shape.depth", 30);
  app_move_slider (fixture, "shape.depth", 24);
  undo (fixture);
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.seq_len, ==,
                   fixture->experiment->shape.seq_len);
}

static void
test_preset_can_be_undone (Fixture *fixture, gconstpointer data)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", "tiny");
  app_answer_question ("_Discard");
  g_assert_false (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
  undo (fixture);
  app_assert_shows (fixture);
}

static void
test_limit (Fixture *fixture, gconstpointer data)
{
  guint n = 0;

  normscope_session_clear_history (fixture->session);
  for (guint i = 0; i < NORMSCOPE_HISTORY_MAX_STEPS + 5; i++)
    normscope_session_set_int (fixture->session, ns_param_find ("attn.residual"), i % 2, NULL);
  for (; normscope_session_can_undo (fixture->session); n++)
    normscope_session_undo (fixture->session);
  g_assert_cmpuint (n, ==, NORMSCOPE_HISTORY_MAX_STEPS);
}

/* Undo brings back pins and notes; another document has none, and keeps the reference curves. */
static void
test_marks (Fixture *fixture, gconstpointer data)
{
  const NsPlace place = { NS_PART_STACK, 3 };
  const NsNote note = { .text = (char *) "falls", .place = place, .quantity = NS_Q_BLOCK, .variant = 1 };
  NsMarks *marks = ns_marks_new ();
  g_autoptr (GError) error = NULL;

  normscope_session_clear_history (fixture->session);
  ns_marks_add_pin (marks, &(NsPin){ .panel = NS_KIND_GRADIENT, .place = place });
  ns_marks_add_note (marks, &note);
  ns_marks_add_reference (marks, "kept", fixture->experiment, 0, NULL);
  g_assert_true (normscope_session_take_marks (fixture->session, marks, NULL));

  marks = ns_marks_copy (normscope_session_get_marks (fixture->session));
  g_array_index (marks->pins, NsPin, 0).place.block = -1;
  g_assert_false (normscope_session_take_marks (fixture->session, marks, &error));
  g_assert_cmpint (ns_marks_find_pin (normscope_session_get_marks (fixture->session), NS_KIND_GRADIENT, &place), ==, 0);

  g_assert_true (normscope_session_remove_variant (fixture->session, 0, NULL));
  g_assert_cmpint (((NsNote *) g_ptr_array_index (normscope_session_get_marks (fixture->session)->notes, 0))->variant,
                   ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", "tiny");
  app_answer_question ("_Discard");
  g_assert_cmpuint (normscope_session_get_marks (fixture->session)->pins->len, ==, 0);
  g_assert_cmpuint (normscope_session_get_marks (fixture->session)->notes->len, ==, 0);
  g_assert_cmpuint (normscope_session_get_marks (fixture->session)->references->len, ==, 1);
  undo (fixture);
  undo (fixture);
  g_assert_cmpint (((NsNote *) g_ptr_array_index (normscope_session_get_marks (fixture->session)->notes, 0))->variant,
                   ==, 1);
  undo (fixture);
  g_assert_true (ns_marks_are_empty (normscope_session_get_marks (fixture->session)));
  g_assert_false (normscope_session_can_undo (fixture->session));
  normscope_session_redo (fixture->session);
  g_assert_cmpuint (normscope_session_get_marks (fixture->session)->pins->len, ==, 1);
}

/* In a focused spin button, undo restores the setting, not the typed text. */
static void
test_typing (Fixture *fixture, gconstpointer data)
{
  GtkWidget *spin = app_find_in_row (fixture, "shape.seq_len", GTK_TYPE_SPIN_BUTTON);
  GtkWidget *text = app_find_type (spin, GTK_TYPE_TEXT);

  normscope_session_clear_history (fixture->session);
  gtk_widget_grab_focus (text);
  app_type_number (fixture, "shape.seq_len", "16");
  undo (fixture);
  app_assert_shows (fixture);
}

void
add_undo_tests (void)
{
  app_test_add ("/undo/one-step-a-drag", test_one_step_a_drag);
  app_test_add ("/undo/rest-ends-a-drag", test_rest_ends_a_drag);
  app_test_add ("/undo/other-control-ends-a-drag", test_other_control_ends_a_drag);
  app_test_add ("/undo/other-variant-ends-a-drag", test_other_variant_ends_a_drag);
  app_test_add ("/undo/every-click-is-a-step", test_every_click_is_a_step);
  app_test_add ("/undo/everything-comes-back", test_everything_comes_back);
  app_test_add ("/undo/marks", test_marks);
  app_test_add ("/undo/new-change-ends-redo", test_new_change_ends_redo);
  app_test_add ("/undo/no-empty-step", test_no_empty_step);
  app_test_add ("/undo/preset", test_preset_can_be_undone);
  app_test_add ("/undo/limit", test_limit);
  app_test_add ("/undo/typing", test_typing);
}
