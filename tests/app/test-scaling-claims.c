/* The cards of claims in the real window, their set-up, and undo of scaling settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-scaling.h"

#include <string.h>

#include "app/scaling/normscope-scaling-card.h"
#include "app/scaling/normscope-scaling-claims.h"
#include "document/ns-claims.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variant-match.h"
#include "figures/ns-claim-words.h"

static const char *
get_card_text (Scaling *scaling, const char *id, const char *name)
{
  return gtk_label_get_label (GTK_LABEL (scaling_get_card_child (scaling, id, name)));
}

static gboolean
is_outside (Scaling *scaling, const char *id)
{
  return gtk_widget_has_css_class (scaling_get_card_child (scaling, id, "verdict_box"), "outside");
}

/* Every sweep that a card needs, at the points that the window takes by default; caller owns them. */
static GPtrArray *
run_needed_sweeps (Scaling *scaling)
{
  GPtrArray *sweeps = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_sweep_unref);
  g_autoptr (GArray) needs = ns_claims_list_needs (ns_claims_builtin (), scaling->fixture->experiment);

  for (guint i = 0; i < needs->len; i++)
    {
      const NsClaimNeed *need = &g_array_index (needs, NsClaimNeed, i);
      g_autofree char *metric = ns_metric_dup_text (&need->metric);
      const char *points = need->axis == NS_SWEEP_DEPTH ? "1..32" : "8..48:8";

      if (need->is_sweep)
        g_ptr_array_add (sweeps, scaling_run_sweep (scaling, need->axis, points, metric));
    }
  return sweeps;
}

static void
test_claims (Fixture *fixture, gconstpointer data)
{
  static const char *const css[] = { "consistent", "not-consistent", "cannot-tell" };
  Scaling scaling = scaling_begin (fixture);
  GPtrArray *claims = ns_claims_builtin ();
  g_autoptr (GPtrArray) sweeps = run_needed_sweeps (&scaling);
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, fixture->experiment, 0, 5, NULL, NULL);
  NsEvidence evidence = { .sweeps = (NsSweep *const *) sweeps->pdata, .n_sweeps = sweeps->len, .result = result };
  guint seen[3] = { 0 };

  scaling_wait_until_idle (&scaling);
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
      g_assert_true (gtk_widget_has_css_class (scaling_get_card_child (&scaling, claim->id, "verdict_box"),
                                               css[expected.verdict]));
      g_assert_cmpint (is_outside (&scaling, claim->id), ==, expected.missed != 0);
      seen[expected.verdict]++;
    }
  /* The experiment gives both kinds of verdicts. */
  g_assert_cmpuint (seen[NS_VERDICT_CONSISTENT], >, 0);
  g_assert_cmpuint (seen[NS_VERDICT_NOT_CONSISTENT], >, 0);
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions_count"), "all met"));
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions"), "✓ 1 head"));

  /* Hidden cards run nothing, and are updated when they are shown again. */
  g_object_set (scaling.bar, "show-claims", FALSE, NULL);
  app_type_number (fixture, "shape.heads", "2");
  scaling_wait_until_idle (&scaling);
  g_object_set (scaling.bar, "show-claims", TRUE, NULL);
  scaling_wait_until_idle (&scaling);
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions"),
                            "✗ 2 heads; the theorem assumes 1."));
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "assumptions_count"), "1 of "));

  /* A verdict outside the assumptions is marked as such and has no colour. */
  g_assert_nonnull (strstr (get_card_text (&scaling, "theorem-1-pre", "verdict"), ", outside its assumptions"));
  g_assert_true (is_outside (&scaling, "theorem-1-pre"));
  g_assert_false (is_outside (&scaling, "lemma-2-pre"));
  app_type_number (fixture, "shape.heads", "1");
  scaling_wait_until_idle (&scaling);
  g_assert_null (strstr (get_card_text (&scaling, "theorem-1-pre", "verdict"), "outside"));
  g_assert_false (is_outside (&scaling, "theorem-1-pre"));
}

static gboolean
is_wide (gpointer claims)
{
  return gtk_widget_get_width (claims) > 400;
}

static gboolean
is_narrow (gpointer claims)
{
  return gtk_widget_get_width (claims) <= 330;
}

/* The pane takes its share of the window; the verdict stands above the title over the card's width, and assumptions are
 * folded. */
static void
test_layout (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  GtkWidget *claims, *card, *verdict, *title, *expander;
  graphene_rect_t above, below;

  claims = app_find_type (scaling.view, NORMSCOPE_TYPE_SCALING_CLAIMS);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1900, 1000);
  g_assert_true (app_wait_for (is_wide, claims, TIMEOUT_MS));

  verdict = scaling_get_card_child (&scaling, "theorem-1-pre", "verdict_box");
  title = scaling_get_card_child (&scaling, "theorem-1-pre", "title");
  expander = scaling_get_card_child (&scaling, "theorem-1-pre", "assumptions_expander");
  card = gtk_widget_get_ancestor (verdict, NORMSCOPE_TYPE_SCALING_CARD);
  g_assert_true (gtk_widget_compute_bounds (verdict, card, &above));
  g_assert_true (gtk_widget_compute_bounds (title, card, &below));
  g_assert_cmpfloat (above.origin.y + above.size.height, <=, below.origin.y);
  g_assert_cmpfloat (above.size.width, ==, below.size.width);
  g_assert_false (gtk_expander_get_expanded (GTK_EXPANDER (expander)));

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1200, 800);
  g_assert_true (app_wait_for (is_narrow, claims, TIMEOUT_MS));
}

/* Claims about the width name the default range of widths. */
static void
test_widths (void)
{
  GPtrArray *claims = ns_claims_builtin ();
  g_autofree char *widths = NULL;
  NsScalingSettings settings;
  guint n_claims = 0;

  ns_scaling_settings_init (&settings);
  widths = g_strdup_printf ("Over widths of %d to %d,", (int) settings.first[NS_SWEEP_D_MODEL],
                            (int) settings.last[NS_SWEEP_D_MODEL]);
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);

      if (!ns_check_sweeps (claim->kind) || claim->axis != NS_SWEEP_D_MODEL)
        continue;
      n_claims++;
      g_assert_nonnull (strstr (claim->statement, widths));
    }
  g_assert_cmpuint (n_claims, ==, 2);
}

/* Activate an undo or redo action. Return TRUE if it changed the experiment. */
static gboolean
changes_experiment (Scaling *scaling, const char *action)
{
  NormscopeSession *session = scaling->fixture->session;
  g_autoptr (NsExperiment) before = ns_experiment_copy (normscope_session_get_experiment (session));

  gtk_widget_activate_action (GTK_WIDGET (scaling->fixture->window), action, NULL);
  return !ns_experiment_equal (normscope_session_get_experiment (session), before);
}

/* The numbers of former settings, which may have fewer variants, judge nothing. */
static void
test_former (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) former = ns_experiment_copy (fixture->experiment);
  g_autoptr (GPtrArray) tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) normscope_task_unref);
  NormscopeTask *task;

  g_ptr_array_set_size (former->variants, 1);
  task = normscope_task_new_run (former, NULL);
  task->result = ns_engine_run (fixture->engine, former, 0, 2, NULL, NULL);
  task->state = NORMSCOPE_TASK_DONE;
  g_ptr_array_add (tasks, task);
  g_assert_cmpuint (fixture->experiment->variants->len, >, 1);
  normscope_scaling_claims_show (
      NORMSCOPE_SCALING_CLAIMS (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SCALING_CLAIMS)),
      fixture->experiment, tasks);
}

static void
test_set_up (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  GPtrArray *claims = ns_claims_builtin ();
  NsScalingSettings before;
  const NsScalingSettings *after;
  g_autoptr (NsExperiment) former = NULL;
  const NsClaim *claim = NULL;
  g_autoptr (NsExperiment) wanted = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < claims->len; i++)
    if (strcmp (((NsClaim *) g_ptr_array_index (claims, i))->id, "ratio-sqrt") == 0)
      claim = g_ptr_array_index (claims, i);
  g_assert_nonnull (claim);
  g_assert_false (changes_experiment (&scaling, "win.undo-set-up"));

  normscope_session_set_hidden (fixture->session, 1, TRUE);
  normscope_session_duplicate_variant (fixture->session, 0, NULL);
  former = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  before = *normscope_scaling_bar_get_settings (scaling.bar);
  g_signal_emit_by_name (scaling_get_card_child (&scaling, claim->id, "set_up_button"), "clicked");

  wanted = ns_claim_set_up (claim, former, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < claim->assumptions->len; i++)
    g_assert_true (ns_assumption_holds (g_ptr_array_index (claim->assumptions, i), wanted,
                                        ns_experiment_find_architecture (wanted, "post")));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), wanted));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (app_wait_for_toast (fixture, "Set up: "));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Undo"));

  g_assert_true (changes_experiment (&scaling, "win.undo-set-up"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), former));
  g_assert_true (normscope_session_get_look (fixture->session, 1)->hidden);
  after = normscope_scaling_bar_get_settings (scaling.bar);
  g_assert_cmpint (after->metric.quantity, ==, before.metric.quantity);
  g_assert_cmpint (after->axis, ==, before.axis);
  g_assert_cmpint (after->ratio, ==, before.ratio);
  g_assert_cmpuint (after->numerator, ==, before.numerator);
  g_assert_false (changes_experiment (&scaling, "win.undo-set-up"));

  /* The window's undo reverts the set-up, and its redo applies it again. */
  g_signal_emit_by_name (scaling_get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (changes_experiment (&scaling, "win.undo"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), former));
  g_assert_false (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (changes_experiment (&scaling, "win.redo"));
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), wanted));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "ratio"))));

  /* After another change, "Undo" of the set-up has no effect. */
  app_type_number (fixture, "sampling.seeds", "2");
  g_assert_false (changes_experiment (&scaling, "win.undo-set-up"));
  g_assert_true (changes_experiment (&scaling, "win.undo"));

  /* If the experiment already fits, the set-up changes only the scaling settings; after that, nothing. */
  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "ratio")), FALSE);
  g_signal_emit_by_name (scaling_get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_false (changes_experiment (&scaling, "win.undo-set-up"));
  g_assert_false (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_assert_false (changes_experiment (&scaling, "win.undo"));
  g_assert_true (normscope_scaling_bar_get_settings (scaling.bar)->ratio);
  g_signal_emit_by_name (scaling_get_card_child (&scaling, claim->id, "set_up_button"), "clicked");
  g_assert_true (app_wait_for_toast (fixture, "already hold"));
}

/* ---- undo ---- */

static void
assert_sweeps (Scaling *scaling, const char *points, const char *metric)
{
  g_autoptr (NsSweep) sweep = scaling_run_sweep (scaling, NS_SWEEP_DEPTH, points, metric);
  NsScalingOptions options;

  ns_scaling_options_init (&options);
  scaling_assert_shows (scaling, sweep, &options);
}

/* Each setting of the bar is a step; quick changes of the range are one. */
static void
test_undo (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  NsScalingSettings before = *normscope_scaling_bar_get_settings (scaling.bar);
  GtkSpinButton *last = GTK_SPIN_BUTTON (scaling_get_child (&scaling, "last"));

  normscope_session_clear_history (fixture->session);
  for (int depth = 31; depth >= 24; depth--)
    gtk_spin_button_set_value (last, depth);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "log_y")), !before.log_y);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scaling_get_child (&scaling, "where")), NS_AT_TOTAL);
  assert_sweeps (&scaling, "1..24", "w_2@total");

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  assert_sweeps (&scaling, "1..24", "w_2@last");
  g_assert_cmpint (normscope_session_get_scaling (fixture->session)->log_y, ==, !before.log_y);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpint (gtk_check_button_get_active (GTK_CHECK_BUTTON (scaling_get_child (&scaling, "log_y"))), ==,
                   before.log_y);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (last), ==, 32);
  g_assert_cmpuint (ns_scaling_settings_compare (normscope_session_get_scaling (fixture->session), &before), ==,
                    0);
  g_assert_false (normscope_session_can_undo (fixture->session));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.redo", NULL);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (last), ==, 24);
}

void
add_scaling_claims_tests (void)
{
  app_test_add ("/scaling-claims/claims", test_claims);
  app_test_add ("/scaling-claims/claims-layout", test_layout);
  app_test_add_func ("/scaling-claims/widths", test_widths);
  app_test_add ("/scaling-claims/former", test_former);
  app_test_add ("/scaling-claims/set-up", test_set_up);
  app_test_add ("/scaling-claims/undo", test_undo);
}
