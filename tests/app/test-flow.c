/* The flow view in the window: former curves, its panels, and the height of the plots with six variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "app-widgets.h"
#include "app/flow/normscope-flow-view.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-sentence.h"
#include "app/sidebar/normscope-display-group.h"
#include "app/work/normscope-runner.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

/* Longer than the time within which changes belong to one drag. */
#define AFTER_A_DRAG_MS 1000

/* ---- former curves ---- */

static const NsSeries *
find_ghost (Fixture *fixture)
{
  const NsFigure *figure = normscope_plot_get_figure (fixture->plot);
  const NsPanel *panel = g_ptr_array_index (figure->panels, 0);

  for (guint s = 0; s < panel->series->len; s++)
    {
      const NsSeries *series = g_ptr_array_index (panel->series, s);

      if (series->role == NS_ROLE_GHOST)
        return series;
    }
  return NULL;
}

static void
assert_ghost (Fixture *fixture, const char *name)
{
  const NsSeries *ghost = find_ghost (fixture);

  if (name == NULL)
    {
      g_assert_null (ghost);
      return;
    }
  g_assert_nonnull (ghost);
  g_assert_cmpstr (ghost->name, ==, name);
}

static void
set_depth (Fixture *fixture, gint64 depth)
{
  app_iterate (AFTER_A_DRAG_MS);
  app_move_slider (fixture, "shape.depth", (double) depth);
  fixture->experiment->shape.depth = depth;
  app_assert_shows (fixture);
}

/* A former curve says what was before; another experiment has no former curves. */
static void
test_ghosts (Fixture *fixture, gconstpointer data)
{
  gint64 depth = fixture->experiment->shape.depth;
  g_autofree char *before = g_strdup_printf ("before: depth\302\240%d", (int) depth);

  assert_ghost (fixture, NULL);
  set_depth (fixture, depth + 2);
  assert_ghost (fixture, before);
  set_depth (fixture, depth + 3);
  g_free (before);
  before = g_strdup_printf ("before: depth\302\240%d", (int) depth + 2);
  assert_ghost (fixture, before);

  app_iterate (AFTER_A_DRAG_MS);
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_preset_load ("tiny", NULL);
  fixture->experiment->shape.depth = depth + 5;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  app_assert_shows (fixture);
  assert_ghost (fixture, NULL);
}

/* ---- the panels ---- */

static const NsPanel *
get_panel (Fixture *fixture, guint index)
{
  const NsFigure *figure = normscope_plot_get_figure (fixture->plot);

  return index < figure->panels->len ? g_ptr_array_index (figure->panels, index) : NULL;
}

static void
show_variants (Fixture *fixture, const char *const *variants)
{
  g_ptr_array_set_size (fixture->experiment->variants, 0);
  for (; *variants != NULL; variants++)
    g_ptr_array_add (fixture->experiment->variants, ns_variant_from_text (*variants, NULL));
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  app_assert_shows (fixture);
}

/* Switching a residual off gives the similarity a panel of its own, whose range stays from 0 to 1. */
static void
test_similarity (Fixture *fixture, gconstpointer data)
{
  static const char *const off[] = { "post:attn.residual=off", NULL }, *const on[] = { "post", NULL };

  g_assert_null (get_panel (fixture, 2));
  show_variants (fixture, off);
  g_assert_nonnull (get_panel (fixture, 2));
  app_wait_until (app_has_settled, fixture->plot);
  g_assert_cmpfloat (get_panel (fixture, 2)->min, ==, 0);
  g_assert_cmpfloat (get_panel (fixture, 2)->max, ==, 1);
  show_variants (fixture, on);
  g_assert_null (get_panel (fixture, 2));
}

/* The bars of one variant would flatten the other's: the axis becomes logarithmic by itself, and K makes it linear. */
static void
test_flattened_bars (Fixture *fixture, gconstpointer data)
{
  static const char *const variants[] = { "post", "none:branch_scale=10,name=Loud", NULL };

  g_assert_cmpint (get_panel (fixture, 1)->scale, ==, NS_AXIS_LINEAR);
  show_variants (fixture, variants);
  g_assert_cmpint (get_panel (fixture, 1)->scale, ==, NS_AXIS_LOG10);
  g_assert_nonnull (strstr (get_panel (fixture, 1)->subtitle, "Loud would flatten others"));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.toggle-second-axis", NULL);
  g_assert_cmpint (get_panel (fixture, 1)->scale, ==, NS_AXIS_LINEAR);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.toggle-second-axis", NULL);
  g_assert_cmpint (get_panel (fixture, 1)->scale, ==, NS_AXIS_LOG10);
  g_assert_null (strstr (get_panel (fixture, 1)->subtitle, "Loud"));
}

/* ---- the plots own the window ---- */

/* Return the label of a cell of the table at the crosshair. */
static const char *
get_cell (Fixture *fixture, int column, int row)
{
  GtkWidget *table = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_READOUT);
  GtkWidget *label = gtk_grid_get_child_at (GTK_GRID (gtk_widget_get_first_child (table)), column, row);

  g_assert_true (gtk_widget_get_mapped (label));
  return gtk_label_get_label (GTK_LABEL (label));
}

static void
assert_plots_own_the_window (Fixture *fixture)
{
  GtkWidget *plot = GTK_WIDGET (fixture->plot);
  int height;

  app_wait_for_frame (fixture);
  height = gtk_widget_get_height (GTK_WIDGET (fixture->window));
  g_test_message ("plot %d of %d px", gtk_widget_get_height (plot), height);
  g_assert_cmpfloat (gtk_widget_get_height (plot), >=, 0.55 * height);
}

static void
set_text_scale (Fixture *fixture, double text_scale)
{
  NormscopeView view = *normscope_session_get_view (fixture->session);

  view.text_scale = text_scale;
  normscope_session_set_view (fixture->session, &view);
}

static gboolean
is_insensitive (gpointer widget)
{
  return !gtk_widget_get_sensitive (widget);
}

/* Six variants, whatever the size of the text, leave the plots their height; the rest of the sentence is behind "More",
 * and the values are at the crosshair. */
static void
test_six_variants (Fixture *fixture, gconstpointer data)
{
  static const char *const variants[] = { "pre", "post", "deepnorm", "sandwich", "rezero", "sub-ln", NULL };
  static const double scales[] = { 1, 1.5, 2 };
  GtkWidget *sentence = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SENTENCE);
  GtkWidget *more = app_find_type (sentence, GTK_TYPE_MENU_BUTTON);

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1280, 720);
  show_variants (fixture, variants);
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      set_text_scale (fixture, scales[i]);
      normscope_plot_set_cursor (fixture->plot, NAN);
      assert_plots_own_the_window (fixture);
      normscope_plot_set_cursor (fixture->plot, 3);
      assert_plots_own_the_window (fixture);
      app_assert_readout (fixture, 3);
      g_assert_cmpstr (get_cell (fixture, 0, 0), ==, "Block 3");
      g_assert_cmpstr (get_cell (fixture, 0, 6), ==, "Sub-LN");
      g_assert_true (g_str_has_prefix (get_cell (fixture, 2, 6), "×/÷ "));
    }
  g_assert_false (is_insensitive (more));
  gtk_menu_button_popup (GTK_MENU_BUTTON (more));
  app_wait_for_frame (fixture);
  g_assert_nonnull (app_find_text (more, "Sub-LN: "));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (more));

  /* One variant needs no more than two lines. */
  g_ptr_array_set_size (fixture->experiment->variants, 1);
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  set_text_scale (fixture, 1);
  app_assert_shows (fixture);
  g_assert_true (app_wait_for (is_insensitive, more, TIMEOUT_MS));
}

static void
count_change (guint *n)
{
  (*n)++;
}

/* While texts that are cut and texts that fit take turns, as in a drag, "More" stays. */
static void
test_more (Fixture *fixture, gconstpointer data)
{
  GtkWidget *found = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SENTENCE);
  GtkWidget *more = app_find_type (found, GTK_TYPE_MENU_BUTTON);
  NormscopeSentence *sentence = NORMSCOPE_SENTENCE (found);
  g_autoptr (GString) long_text = g_string_new (NULL);
  guint n = 0;

  for (int i = 0; i < 200; i++)
    g_string_append (long_text, "many words ");
  normscope_sentence_set_text (sentence, "one word", NULL);
  g_assert_true (app_wait_for (is_insensitive, more, TIMEOUT_MS));
  g_signal_connect_swapped (more, "notify::sensitive", G_CALLBACK (count_change), &n);
  for (int i = 0; i < 10; i++)
    {
      normscope_sentence_set_text (sentence, i % 2 == 0 ? long_text->str : "one word", NULL);
      app_wait_for_frame (fixture);
    }
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (app_wait_for (is_insensitive, more, TIMEOUT_MS));
  g_assert_cmpuint (n, ==, 2);
  g_signal_handlers_disconnect_by_func (more, count_change, &n);

  /* the popover has the text of the moment */
  normscope_sentence_set_text (sentence, long_text->str, NULL);
  app_wait_until (app_is_sensitive, more);
  gtk_menu_button_popup (GTK_MENU_BUTTON (more));
  app_wait_for_frame (fixture);
  g_assert_nonnull (app_find_text (more, "many words many words"));
  normscope_sentence_set_text (sentence, "other words", NULL);
  g_assert_nonnull (app_find_text (more, "other words"));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (more));
}

/* Return the label of two lines; the one of the popover is not mapped. */
static gboolean
is_mapped_label (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) && gtk_label_get_lines (GTK_LABEL (widget)) == 2;
}

/* Of a text that does not fit, whole clauses are shown: the first one of each line before others. */
static void
test_clauses (Fixture *fixture, gconstpointer data)
{
  static const char *const lines[] = { "A", "B" };
  GtkWidget *sentence = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SENTENCE);
  GtkWidget *more = app_find_type (sentence, GTK_TYPE_MENU_BUTTON), *label;
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) shown = NULL;

  for (gsize l = 0; l < G_N_ELEMENTS (lines); l++)
    {
      g_string_append_printf (text, "%s%s: clause 0", l > 0 ? "\n" : "", lines[l]);
      for (int i = 1; i < 30; i++)
        g_string_append_printf (text, "; clause %d of line %s", i, lines[l]);
      g_string_append_c (text, '.');
    }
  normscope_sentence_set_text (NORMSCOPE_SENTENCE (sentence), text->str, NULL);
  app_wait_until (app_is_sensitive, more);
  app_wait_for_frame (fixture);
  label = app_find (sentence, is_mapped_label, NULL);
  g_assert_nonnull (label);
  g_test_message ("%s", gtk_label_get_text (GTK_LABEL (label)));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (label))), ==, 2);
  shown = g_strsplit (gtk_label_get_text (GTK_LABEL (label)), "\342\200\250", -1);
  g_assert_cmpuint (g_strv_length (shown), ==, G_N_ELEMENTS (lines));
  for (gsize l = 0; l < G_N_ELEMENTS (lines); l++)
    {
      g_autofree char *last = g_strdup (strrchr (shown[l], ';'));

      g_assert_true (g_str_has_prefix (shown[l], lines[l]));
      g_assert_true (g_str_has_prefix (last, "; clause "));
      g_assert_cmpstr (strstr (last, " of line "), !=, NULL);
      g_assert_true (g_str_has_suffix (last, l == 0 ? "A." : "B."));
    }
}

/* The switch of the theory can be used where it draws something, and says why where it would not. */
static void
test_theory (Fixture *fixture, gconstpointer data)
{
  GtkWidget *group = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_DISPLAY_GROUP);
  GtkWidget *toggle = app_get_child (group, "predictions"), *row = app_get_child (group, "predictions_row");
  NormscopeView view = *normscope_session_get_view (fixture->session);
  const char *reason = "Not for FFN width 64, Attention: Full, Output projection: on";

  gtk_menu_button_popup (app_get_child (fixture->window, "view_button"));
  app_settle ();
  g_assert_false (gtk_widget_get_sensitive (toggle));
  if (strstr (gtk_widget_get_tooltip_text (row), reason) == NULL)
    g_error ("“%s” is not in: %s", reason, gtk_widget_get_tooltip_text (row));
  g_assert_nonnull (app_find_text (row, reason));

  normscope_session_take_experiment (fixture->session, ns_preset_load ("xiong-theory", NULL));
  g_assert_true (gtk_widget_get_sensitive (toggle));
  g_assert_null (app_find_text (row, "Not for"));
  g_assert_null (strstr (gtk_widget_get_tooltip_text (row), "Not for"));
  /* It covers some gradients, and all activations of a single stack. */
  view.gradient = NS_Q_W_2;
  normscope_session_set_view (fixture->session, &view);
  g_assert_null (app_find_text (row, "Not for"));
  view.gradient = NS_Q_GAIN_ATTN_PRE;
  normscope_session_set_view (fixture->session, &view);
  g_assert_true (gtk_widget_get_sensitive (toggle));
  g_assert_nonnull (app_find_text (row, "Gradients: Not for ‖∂L/∂γ_attn,pre‖"));
  gtk_menu_button_popdown (app_get_child (fixture->window, "view_button"));
  app_settle ();
}

static const NsSeries *
find_factor_line (Fixture *fixture)
{
  const NsPanel *panel = g_ptr_array_index (normscope_plot_get_figure (fixture->plot)->panels, 0);

  for (guint s = 0; s < panel->series->len; s++)
    if (strstr (((const NsSeries *) g_ptr_array_index (panel->series, s))->name, "per block") != NULL)
      return g_ptr_array_index (panel->series, s);
  return NULL;
}

static gboolean
draws_factor (gpointer data)
{
  const NsSeries *line = find_factor_line (data);

  return line != NULL && strcmp (line->name, "× 0.95 per block") == 0;
}

static gboolean
draws_no_factor (gpointer data)
{
  return find_factor_line (data) == NULL;
}

/* The chooser draws a factor per block; one of a lecture that is not in its list stays while others are changed. */
static void
test_factor_chooser (Fixture *fixture, gconstpointer data)
{
  GtkWidget *group = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_DISPLAY_GROUP);
  GtkDropDown *chooser = GTK_DROP_DOWN (app_get_child (group, "factor"));
  NormscopeView view;

  gtk_menu_button_popup (app_get_child (fixture->window, "view_button"));
  app_settle ();
  g_assert_cmpuint (gtk_drop_down_get_selected (chooser), ==, 0);
  gtk_drop_down_set_selected (chooser, 2);
  g_assert_true (app_wait_for (draws_factor, fixture, TIMEOUT_MS));
  gtk_drop_down_set_selected (chooser, 0);
  g_assert_true (app_wait_for (draws_no_factor, fixture, TIMEOUT_MS));

  view = *normscope_session_get_view (fixture->session);
  view.factor = 0.97;
  normscope_session_set_view (fixture->session, &view);
  g_assert_cmpuint (gtk_drop_down_get_selected (chooser), ==, GTK_INVALID_LIST_POSITION);
  gtk_switch_set_active (GTK_SWITCH (app_get_child (group, "band")), !view.band);
  g_assert_cmpfloat (normscope_session_get_view (fixture->session)->factor, ==, 0.97);
  gtk_menu_button_popdown (app_get_child (fixture->window, "view_button"));
  app_settle ();
}

/* ---- the crosshair ---- */

static guint n_changes, n_settings;

static void
count_cb (NormscopeSession *session, guint change, guint *n)
{
  if (n == &n_changes)
    g_assert_cmpuint (change, ==, NORMSCOPE_CHANGED_CURSOR);
  (*n)++;
}

/* Plot and session have one crosshair. Moving it runs nothing, makes no figure and is no step of undo. */
static void
test_crosshair (Fixture *fixture, gconstpointer data)
{
  const NsFigure *figure;
  guint64 n_drawings;
  gboolean can_undo = normscope_session_can_undo (fixture->session);

  app_wait_until (app_has_settled, fixture->plot);
  app_settle ();
  figure = normscope_plot_get_figure (fixture->plot);
  n_drawings = normscope_plot_get_n_drawings (fixture->plot);
  g_assert_true (isnan (normscope_session_get_cursor (fixture->session)));
  n_changes = n_settings = 0;
  g_signal_connect (fixture->session, "changed", G_CALLBACK (count_cb), &n_changes);
  g_signal_connect (fixture->session, "changed::settings", G_CALLBACK (count_cb), &n_settings);

  normscope_session_set_cursor (fixture->session, 2);
  g_assert_cmpfloat (normscope_plot_get_cursor (fixture->plot), ==, 2);
  app_assert_readout (fixture, 2);
  normscope_plot_set_cursor (fixture->plot, 3);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, 3);
  normscope_session_set_cursor (fixture->session, 3);
  app_settle ();
  g_assert_cmpuint (n_changes, ==, 2);
  g_assert_cmpuint (n_settings, ==, 0);
  g_assert_true (normscope_plot_get_figure (fixture->plot) == figure);
  g_assert_cmpuint (normscope_plot_get_n_drawings (fixture->plot), ==, n_drawings);
  g_assert_cmpint (normscope_session_can_undo (fixture->session), ==, can_undo);
  normscope_session_set_cursor (fixture->session, NAN);
  g_assert_true (isnan (normscope_plot_get_cursor (fixture->plot)));
  g_signal_handlers_disconnect_by_func (fixture->session, count_cb, &n_changes);
  g_signal_handlers_disconnect_by_func (fixture->session, count_cb, &n_settings);

  /* It stays on a block when the stack becomes shallower. */
  normscope_session_set_cursor (fixture->session, (double) fixture->experiment->shape.depth);
  set_depth (fixture, 2);
  g_assert_cmpfloat (normscope_session_get_cursor (fixture->session), ==, 2);
}

#define N_TRIES 20

/* What a runner has delivered. */
typedef struct
{
  NormscopeRunner *runner;
  guint n_first, n_complete;
  guint64 total; /* blocks of the run that went on while the first seed's result was taken */
} Delivered;

static void
take_result (Delivered *delivered, NsResult *result, gboolean complete)
{
  guint64 done;

  (void) result;
  delivered->n_first += complete ? 0 : 1;
  delivered->n_complete += complete ? 1 : 0;
  if (complete)
    return;
  g_usleep (10000); /* as long as it takes to paint */
  normscope_background_get_progress (NORMSCOPE_BACKGROUND (delivered->runner), &done, &delivered->total);
}

static gboolean
is_complete (gpointer data)
{
  return ((Delivered *) data)->n_complete > 0;
}

/* The other seeds leave the processors to the picture of the first one. A late thread can spoil that, so one of several
 * runs has to show it. */
static void
test_first_picture (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NormscopeEngine *engine = normscope_engine_new (2, 0);
  g_autoptr (NormscopeRunner) runner = normscope_runner_new (engine);
  guint64 of_first = 2 * experiment->variants->len * (guint64) experiment->shape.depth;
  guint n_alone = 0;

  for (int i = 0; i < N_TRIES && n_alone == 0; i++)
    {
      Delivered delivered = { .runner = runner };
      gulong id = g_signal_connect_swapped (runner, "result", G_CALLBACK (take_result), &delivered);

      normscope_runner_submit (runner, experiment);
      g_assert_true (app_wait_for (is_complete, &delivered, TIMEOUT_MS));
      g_assert_cmpuint (delivered.n_first, ==, 1);
      g_assert_cmpuint (delivered.n_complete, ==, 1);
      n_alone += delivered.total == of_first ? 1 : 0;
      g_signal_handler_disconnect (runner, id);
    }
  g_assert_cmpuint (n_alone, >, 0);
  normscope_engine_unref (engine);
}

typedef struct
{
  NormscopeFlowView *view;
  const NsResult *result;
} Shown;

static gboolean
has_other_result (gpointer data)
{
  Shown *shown = data;

  return normscope_flow_view_get_result (shown->view) != shown->result;
}

/* Settings of training change no number: nothing runs, the same result stays on the screen and belongs to the present
 * settings. They are steps of undo like others. */
static void
test_training (Fixture *fixture, gconstpointer data)
{
  GtkWidget *found = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_FLOW_VIEW);
  NormscopeFlowView *view = NORMSCOPE_FLOW_VIEW (found);
  const NsParam *rate = ns_param_find ("training.learning_rate"), *warmup = ns_param_find ("warmup");
  const NsResult *result;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  app_wait_until (app_has_settled, fixture->plot);
  app_wait_for_idle_plot (fixture);
  result = normscope_flow_view_get_result (view);
  before = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_true (normscope_session_set_number (fixture->session, rate, 0.5, NULL));
  app_draw_frames (30);
  app_wait_for_idle_plot (fixture);
  after = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_true (normscope_flow_view_get_result (view) == result);
  g_assert_cmpstr (before, ==, after);
  g_assert_null (app_find_text (GTK_WIDGET (fixture->window), "previous\302\240settings"));

  app_activate (fixture, "win.undo");
  g_assert_cmpfloat (normscope_session_get_experiment (fixture->session)->training.learning_rate, ==, rate->fallback);
  app_draw_frames (30);
  app_wait_for_idle_plot (fixture);
  g_assert_true (normscope_flow_view_get_result (view) == result);

  /* 0 is no null */
  g_assert_true (normscope_session_set_int (fixture->session, warmup, 0, NULL));
  g_assert_cmpint (ns_experiment_variant (normscope_session_get_experiment (fixture->session), 0)->training.warmup, ==,
                   0);
  g_assert_cmpstr (ns_experiment_variant (normscope_session_get_experiment (fixture->session), 0)->name, ==,
                   "Pre-LN, no warm-up");
  normscope_session_reset (fixture->session, warmup);
  g_assert_cmpstr (ns_experiment_variant (normscope_session_get_experiment (fixture->session), 0)->name, ==, "Pre-LN");

  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("sampling.seed"), 9, NULL));
  app_wait_until (has_other_result, &(Shown){ view, result });
}

void
add_flow_tests (void)
{
  app_test_add ("/flow/crosshair", test_crosshair);
  app_test_add ("/flow/ghosts", test_ghosts);
  app_test_add ("/flow/similarity", test_similarity);
  app_test_add ("/flow/flattened-bars", test_flattened_bars);
  app_test_add ("/flow/six-variants", test_six_variants);
  app_test_add ("/flow/more", test_more);
  app_test_add ("/flow/clauses", test_clauses);
  app_test_add ("/flow/theory", test_theory);
  app_test_add ("/flow/factor", test_factor_chooser);
  app_test_add ("/flow/training", test_training);
  app_test_add_func ("/flow/first-picture", test_first_picture);
}
