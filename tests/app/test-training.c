/* The Training view with pointer and keys through the X server: its figures match those of a training of the test's own
 * engine.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <adwaita.h>
#include <math.h>
#include <string.h>

#include "app-input.h"
#include "app-watchdog.h"
#include "app/training/normscope-training-view.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "engine/train/ns-training-estimate.h"

#define STEPS 30
#define MANY  10000 /* steps of a training that a test interrupts */

/* ---- the view ---- */

static NormscopeTrainingPage *
get_page (Fixture *fixture)
{
  return normscope_training_view_get_page (app_get_child (fixture->window, "training_view"));
}

static NormscopePlot *
get_plot (Fixture *fixture, NsFigureKind figure)
{
  return normscope_training_page_get_plot (get_page (fixture), figure);
}

static NsTraining *
get_training (Fixture *fixture)
{
  return normscope_training_page_get_training (get_page (fixture));
}

static gpointer
get_transport (Fixture *fixture)
{
  return app_get_child (get_page (fixture), "transport");
}

static gboolean
is_button (GtkWidget *widget, gconstpointer label)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0;
}

static GtkWidget *
find_button (Fixture *fixture, const char *label)
{
  return app_find (get_transport (fixture), is_button, label);
}

static void
set_int (Fixture *fixture, const char *path, gint64 value)
{
  const NsParam *param = ns_param_find (path);

  g_assert_true (normscope_session_set_int (fixture->session, param, value, NULL));
  g_assert_true (ns_param_set_int (param, fixture->experiment, value, "", NULL));
}

/* Show an experiment that can be trained. */
static void
set_up (Fixture *fixture, gint64 steps, gint64 seeds)
{
  static const char *const settings[][2] = { { "data.source", "markov" }, { "shape.vocab", "32" },
                                             { "loss", "cross-entropy" }, { "shape.depth", "2" },
                                             { "shape.seq_len", "16" },   { "shape.batch", "2" } };
  NsExperiment *experiment = fixture->experiment;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      ns_param_set_text (ns_param_find (settings[i][0]), experiment, settings[i][1], "", &error);
      g_assert_no_error (error);
    }
  if (steps == MANY)
    experiment->shape.batch = 16; /* slow enough to be interrupted */
  experiment->training.steps = steps;
  experiment->sampling.seeds = seeds;
  for (guint v = 0; v < experiment->variants->len; v++)
    ns_experiment_variant (experiment, v)->attention = NS_ATTENTION_CAUSAL;
  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (experiment));
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

static gboolean
is_unmapped (gpointer widget)
{
  return !gtk_widget_get_mapped (widget);
}

static void
show (Fixture *fixture)
{
  app_input_control_key (GDK_KEY_4);
  g_assert_true (app_wait_for (is_mapped, get_page (fixture), TIMEOUT_MS));
}

/* ---- how far it is ---- */

static const char *
get_status (Fixture *fixture)
{
  return gtk_label_get_label (app_get_child (get_page (fixture), "status_label"));
}

static gboolean
has_refused (gpointer fixture)
{
  return gtk_revealer_get_reveal_child (app_get_child (get_page (fixture), "error_revealer"));
}

static gint64
count_steps_of (Fixture *fixture, guint seed)
{
  NsTraining *training = get_training (fixture);
  gint64 n = 0;

  for (guint v = 0; training != NULL && v < ns_training_get_experiment (training)->variants->len; v++)
    n += ns_training_count_steps (training, v, seed);
  return n;
}

static gint64
count_steps (Fixture *fixture)
{
  gint64 n = 0;

  for (guint s = 0; get_training (fixture) != NULL && s < ns_training_get_n_seeds (get_training (fixture)); s++)
    n += count_steps_of (fixture, s);
  return n;
}

static gboolean
is_running (gpointer fixture)
{
  return find_button (fixture, "Pause") != NULL && count_steps (fixture) > 0;
}

static gboolean
is_finished (gpointer fixture)
{
  return find_button (fixture, "Train Again") != NULL;
}

static gboolean
is_paused (gpointer fixture)
{
  return find_button (fixture, "Go On") != NULL;
}

static gboolean
is_stopped (gpointer fixture)
{
  return find_button (fixture, "Pause") == NULL;
}

/* With several seeds, the one that trains has a time of its own. */
static gboolean
has_time_left (gpointer fixture)
{
  return strstr (get_status (fixture), " steps · seed 1 of 2: ") != NULL
         && strstr (get_status (fixture), " left · all: ") != NULL;
}

static NsTraining *
train_own (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  NsTraining *training = ns_training_new (fixture->experiment, &NS_TRAINING_PLAN_DEFAULT, 0,
                                          (guint) fixture->experiment->sampling.seeds, &error);

  g_assert_no_error (error);
  g_assert_true (ns_engine_train (fixture->engine, training, NULL, &error));
  return training;
}

typedef struct
{
  Fixture *fixture;
  NsFigureKind figure;
  const char *text;
} Shown;

static gboolean
is_shown (gpointer data)
{
  Shown *shown = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (get_plot (shown->fixture, shown->figure)));

  return g_strcmp0 (text, shown->text) == 0;
}

/* Fail unless a figure of the training is on the screen, at a step; −1: the last one. */
static void
assert_shows (Fixture *fixture, NsTraining *training, NsFigureKind figure, int step)
{
  NsFigureSource source = { .training = training, .experiment = ns_training_get_experiment (training), .variant = -1 };
  g_autofree char *sentence = NULL;
  Shown shown = { fixture, figure, NULL };
  NsFigureOptions options;

  ns_figure_options_init (&options);
  options.training.step = step;
  options.training.quantity = normscope_session_get_training (fixture->session)->options.training.quantity;
  shown.text = sentence = ns_figure_info (figure)->make_sentence (&source, &options, NULL);
  if (!app_wait_for (is_shown, &shown, TIMEOUT_MS))
    {
      g_autofree char *text = app_dup_description (GTK_WIDGET (get_plot (fixture, figure)));

      g_error ("%s: “%s” is shown, “%s” expected", ns_figure_info (figure)->id, text, sentence);
    }
}

/* ---- tests ---- */

/* The space bar trains; the losses, the blocks of each step under the slider and the wiring are those of the engine. */
static void
test_train (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsTraining) own = NULL;
  GtkWidget *scale;
  const gint64 *records;
  guint n;

  set_up (fixture, STEPS, 2);
  show (fixture);
  g_assert_nonnull (app_find_text (GTK_WIDGET (get_page (fixture)), "Not Trained Yet"));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  own = train_own (fixture);
  records = ns_training_get_records (own, &n);
  assert_shows (fixture, own, NS_FIGURE_TRAINING, -1);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_PROFILE, -1);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "step 29"));

  scale = app_find_type (get_transport (fixture), GTK_TYPE_SCALE);
  gtk_widget_grab_focus (scale);
  app_input_key (GDK_KEY_Home);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_PROFILE, 0);
  app_input_keys (GDK_KEY_Right, 3);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_PROFILE, (int) records[3]);
  g_assert_cmpint (normscope_session_get_step (fixture->session), ==, records[3]);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "step 3"));
  app_input_key (GDK_KEY_End);
  g_assert_cmpint (normscope_session_get_step (fixture->session), ==, -1);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_PROFILE, -1);
}

static gboolean
is_pinned (gpointer data)
{
  const NsFigure *figure = normscope_plot_get_figure (get_plot (data, NS_FIGURE_TRAINING_PROFILE));
  const NsPanel *panel = figure != NULL ? figure->panels->pdata[0] : NULL;

  for (guint a = 0; panel != NULL && a < panel->annotations->len; a++)
    if (((const NsAnnotation *) panel->annotations->pdata[a])->kind == NS_ANNOTATION_POINT)
      return TRUE;
  return FALSE;
}

static gboolean
is_not_pinned (gpointer data)
{
  return !is_pinned (data);
}

/* The blocks have the pins of the flow figure. */
static void
test_pins (Fixture *fixture, gconstpointer data)
{
  NsMarks *marks = ns_marks_new ();

  set_up (fixture, STEPS, 1);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (is_not_pinned, fixture, TIMEOUT_MS));
  ns_marks_add_pin (marks, &(NsPin){ .panel = NS_KIND_GRADIENT, .place = { NS_PART_STACK, 1 } });
  g_assert_true (normscope_session_take_marks (fixture->session, marks, NULL));
  g_assert_true (app_wait_for (is_pinned, fixture, TIMEOUT_MS));
  normscope_session_undo (fixture->session);
  g_assert_true (app_wait_for (is_not_pinned, fixture, TIMEOUT_MS));
}

/* Vectors have no next token: each way to begin takes a text that has, says so, and trains. Undo brings the vectors
 * back, and stops. */
static void
test_text (Fixture *fixture, gconstpointer data)
{
  static const char *const ways[] = { "Train on Text", "Train", "Step", "win.train" };
  GtkWidget *message = app_get_child (fixture->window, "message"), *button;

  set_int (fixture, "sampling.seeds", 1);
  set_int (fixture, "shape.depth", 2);
  show (fixture);
  g_assert_nonnull (app_find_text (GTK_WIDGET (get_page (fixture)), "no next token"));
  g_assert_null (app_find_text (GTK_WIDGET (get_page (fixture)), "data.source"));
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      set_int (fixture, "training.steps", i == 3 ? MANY : 3 + (gint64) i);
      button = i == 0 ? app_get_child (get_page (fixture), "begin_button") : find_button (fixture, ways[i]);
      g_test_message ("%s", ways[i]);
      if (button == NULL)
        app_activate (fixture, ways[i]);
      else
        g_assert_true (app_input_click (button));
      g_assert_true (app_wait_for (i == 3 ? is_running : i == 2 ? is_paused : is_finished, fixture, TIMEOUT_MS));
      g_assert_cmpint (normscope_session_get_experiment (fixture->session)->data.source, ==, NS_SOURCE_TEXT);
      g_assert_false (has_refused (fixture));
      g_assert_nonnull (app_find_text (message, "Training takes the sample text"));
      g_assert_true (app_input_click (app_find (message, is_button, "_Undo")));
      g_assert_cmpint (normscope_session_get_experiment (fixture->session)->data.source, ==, NS_SOURCE_GAUSSIAN);
      g_assert_false (gtk_widget_get_mapped (message));
    }
  g_assert_true (app_wait_for (is_stopped, fixture, TIMEOUT_MS));
  g_assert_false (has_refused (fixture));
}

/* A loss of no tokens gives way, too, and the tokens stay. A change takes back the offer to undo, which would mean the
 * change. */
static void
test_loss (Fixture *fixture, gconstpointer data)
{
  GtkWidget *message = app_get_child (fixture->window, "message");

  set_up (fixture, STEPS, 1);
  set_int (fixture, "loss", NS_LOSS_UNIT_GRADIENT);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->data.source, ==, NS_SOURCE_MARKOV);
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->loss, ==, NS_LOSS_CROSS_ENTROPY);
  g_assert_nonnull (app_find_text (message, "cross-entropy"));
  set_int (fixture, "training.steps", 3);
  g_assert_false (gtk_widget_get_mapped (message));
}

/* The slider has numbers of steps, in ascending order, each where its step is. */
static void
test_scale (Fixture *fixture, gconstpointer data)
{
  GtkWidget *scale, *number;
  graphene_rect_t bounds;

  set_up (fixture, 60, 1);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  scale = app_find_type (get_transport (fixture), GTK_TYPE_SCALE);
  g_assert_nonnull (app_find_text (scale, "59"));
  number = app_find_text (scale, "20");
  g_assert_nonnull (number);
  g_assert_true (gtk_widget_compute_bounds (number, scale, &bounds));
  g_assert_true (app_input_click_at (scale, graphene_rect_get_x (&bounds) + graphene_rect_get_width (&bounds) / 2,
                                     graphene_rect_get_y (&bounds) / 2));
  g_assert_cmpint (ABS (normscope_session_get_step (fixture->session) - 20), <=, 2);
}

/* A click on the losses goes to that step; so does one on a map. */
static void
test_click (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsTraining) own = NULL;
  g_autoptr (NormscopePicture) picture = NULL;
  NsViewChoice choice;
  GtkWidget *plot;
  gint64 step;
  double x;

  set_up (fixture, STEPS, 2);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  own = train_own (fixture);
  assert_shows (fixture, own, NS_FIGURE_TRAINING, -1);
  plot = GTK_WIDGET (get_plot (fixture, NS_FIGURE_TRAINING));
  g_assert_true (app_input_click_at (plot, gtk_widget_get_width (plot) / 2.0, gtk_widget_get_height (plot) / 3.0));
  g_assert_cmpint (normscope_session_get_step (fixture->session), >, 0);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_PROFILE, (int) normscope_session_get_step (fixture->session));

  choice = *normscope_session_get_training (fixture->session);
  choice.figure = NS_FIGURE_TRAINING_MAP;
  choice.options.training.quantity = NS_Q_RMS_X;
  normscope_session_set_training (fixture->session, &choice);
  normscope_session_set_step (fixture->session, -1);
  assert_shows (fixture, own, NS_FIGURE_TRAINING_MAP, -1);
  plot = GTK_WIDGET (get_plot (fixture, NS_FIGURE_TRAINING_MAP));
  app_wait_for_frame (fixture);
  app_input_point_at (plot, gtk_widget_get_width (plot) / 4.0, gtk_widget_get_height (plot) / 2.0);
  x = normscope_plot_get_cursor (NORMSCOPE_PLOT (plot));
  g_assert_true (app_input_click_at (plot, gtk_widget_get_width (plot) / 4.0, gtk_widget_get_height (plot) / 2.0));
  step = normscope_session_get_step (fixture->session);
  g_assert_cmpint (step, >, 0);
  g_assert_cmpint (step, ==, ns_training_map_find_step (own, x));
  g_assert_cmpfloat (normscope_plot_get_marker (NORMSCOPE_PLOT (plot)), ==, ns_training_map_get_x (step));
  /* the line stays while the pointer looks elsewhere, and an exported picture has it, too */
  app_input_point_at (plot, gtk_widget_get_width (plot) / 8.0, gtk_widget_get_height (plot) / 2.0);
  g_assert_cmpfloat (normscope_plot_get_cursor (NORMSCOPE_PLOT (plot)), <, x);
  g_assert_cmpfloat (normscope_plot_get_marker (NORMSCOPE_PLOT (plot)), ==, ns_training_map_get_x (step));
  picture = normscope_training_page_dup_picture (get_page (fixture), TRUE);
  g_assert_cmpint (picture->options->training.step, ==, step);
  normscope_session_undo (fixture->session);
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, NS_FIGURE_TRAINING);
}

static gboolean
grows (gpointer data)
{
  gint64 *n = data;

  return count_steps (*(Fixture **) (n + 1)) > *n;
}

/* Return TRUE once there are more steps than now. */
static gboolean
wait_for_growth (Fixture *fixture)
{
  struct
  {
    gint64 n;
    Fixture *fixture;
  } now = { count_steps (fixture), fixture };

  return app_wait_for (grows, &now, TIMEOUT_MS);
}

/* Wait until the step that was in work is done and no other follows; return the number of steps. */
static gint64
wait_until_still (Fixture *fixture)
{
  gint64 n = -1;

  for (int tries = 0; tries < 100 && count_steps (fixture) != n; tries++, app_draw_frames (18))
    n = count_steps (fixture);
  g_assert_cmpint (count_steps (fixture), ==, n);
  return n;
}

/* It pauses, goes on, does one step of each variant, and waits while its view is hidden. */
static void
test_pause (Fixture *fixture, gconstpointer data)
{
  gint64 n;

  set_up (fixture, MANY, 2);
  show (fixture);
  g_assert_true (app_input_click (find_button (fixture, "Train")));
  g_assert_true (app_wait_for (is_running, fixture, TIMEOUT_MS));
  g_assert_true (app_wait_for (has_time_left, fixture, TIMEOUT_MS));
  g_assert_true (app_input_click (find_button (fixture, "Pause")));
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
  g_assert_null (strstr (get_status (fixture), " left"));
  n = wait_until_still (fixture);
  g_assert_true (app_input_click (find_button (fixture, "Step")));
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
  g_assert_cmpint (count_steps (fixture), >, n);
  n = count_steps (fixture); /* now all runs of the first seed have the same number */
  g_assert_cmpint (count_steps_of (fixture, 0), ==, n);
  g_assert_true (app_input_click (find_button (fixture, "Step")));
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
  g_assert_cmpint (count_steps (fixture), ==, n + fixture->experiment->variants->len);

  g_assert_true (app_input_click (find_button (fixture, "Go On")));
  g_assert_true (wait_for_growth (fixture));
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_unmapped, get_page (fixture), TIMEOUT_MS));
  wait_until_still (fixture);
  show (fixture);
  g_assert_true (wait_for_growth (fixture));
  app_input_key (GDK_KEY_space); /* the button has the focus: it pauses once */
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
}

static gboolean
has_former (gpointer fixture)
{
  g_autoptr (NormscopePicture) picture = normscope_training_page_dup_picture (get_page (fixture), FALSE);

  return picture != NULL && picture->source.former != NULL;
}

/* A change of a setting restarts it, with the former one as ghost; one that does not run stays. */
static void
test_restart (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsTraining) former = NULL;

  set_up (fixture, MANY, 2);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_running, fixture, TIMEOUT_MS));
  former = ns_training_ref (get_training (fixture));
  app_input_control_key (GDK_KEY_r);
  g_assert_true (app_wait_for (has_former, fixture, TIMEOUT_MS));
  g_assert_true (get_training (fixture) != former);
  g_assert_true (app_wait_for (is_running, fixture, TIMEOUT_MS));

  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
  ns_training_unref (former);
  former = ns_training_ref (get_training (fixture));
  g_assert_true (normscope_session_set_number (fixture->session, ns_param_find ("training.learning_rate"), 0.02, NULL));
  app_draw_frames (12);
  g_assert_true (get_training (fixture) == former);
  g_assert_nonnull (app_find_text (GTK_WIDGET (get_page (fixture)), "Of the former settings"));
  set_int (fixture, "training.steps", STEPS);
  g_assert_true (app_input_click (find_button (fixture, "Train")));
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  g_assert_true (has_former (fixture));
  g_assert_cmpint (ns_training_get_n_steps (get_training (fixture)), ==, STEPS);

  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  g_assert_null (get_training (fixture));
}

static gboolean
is_at_end (gpointer fixture)
{
  return normscope_session_get_step (((Fixture *) fixture)->session) == -1;
}

/* Play goes through all records, and the losses appear with them. */
static void
test_play (Fixture *fixture, gconstpointer data)
{
  GtkWidget *play;
  double from, to;

  set_up (fixture, STEPS, 2);
  show (fixture);
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  play = app_find (get_transport (fixture), is_button, NULL);
  g_assert_nonnull (play);
  g_object_set (gtk_widget_get_settings (play), "gtk-enable-animations", FALSE, NULL);
  g_assert_true (app_input_click (play)); /* without motion, each click is a step */
  g_assert_true (app_input_click (play));
  g_assert_cmpint (normscope_session_get_step (fixture->session), ==, 1);
  g_object_set (gtk_widget_get_settings (play), "gtk-enable-animations", TRUE, NULL);
  g_assert_true (app_input_click (play));
  g_assert_cmpint (normscope_session_get_step (fixture->session), >=, 0);
  app_draw_frames (12);
  if (normscope_plot_get_reveal (get_plot (fixture, NS_FIGURE_TRAINING), 0, &from, &to))
    g_assert_cmpfloat (to, <, STEPS);
  g_assert_true (app_wait_for (is_at_end, fixture, TIMEOUT_MS));
  app_settle ();
  g_object_set (gtk_widget_get_settings (play), "gtk-enable-animations", FALSE, NULL);
  g_assert_false (normscope_plot_get_reveal (get_plot (fixture, NS_FIGURE_TRAINING), 0, &from, &to));
}

static const char *
get_plan (Fixture *fixture)
{
  return adw_status_page_get_description (app_get_child (get_page (fixture), "empty_page"));
}

static gboolean
has_time (gpointer fixture)
{
  return strstr (get_plan (fixture), "That takes ") != NULL && strstr (get_plan (fixture), " second") != NULL;
}

static gboolean
has_no_room (gpointer fixture)
{
  return strstr (get_plan (fixture), "That does not fit this machine: it needs ") != NULL;
}

static gboolean
has_forecast_of_next (gpointer fixture)
{
  return strstr (get_status (fixture), "Of the former settings · ") != NULL
         && strstr (get_status (fixture), " · Train: ") != NULL && strstr (get_status (fixture), " second") != NULL;
}

/* Before it begins, the view says how long it takes and what memory; one that does not fit is refused. */
static void
test_forecast (Fixture *fixture, gconstpointer data)
{
  const NsTrainingPlan plan = NS_TRAINING_PLAN_DEFAULT;
  guint64 budget = normscope_session_get_memory_budget (fixture->session);
  NsEngine *engine = ns_engine_new (0, budget); /* as the window's */
  g_autofree char *parts = NULL, *total = NULL;
  NsTrainingMemory memory;
  NsEstimate estimate;

  set_up (fixture, STEPS, 2);
  show (fixture);
  g_assert_nonnull (strstr (get_plan (fixture), "Measuring time and memory…"));
  g_assert_true (app_wait_for (has_time, fixture, TIMEOUT_MS));
  ns_estimate_count_training (engine, fixture->experiment, &plan, &estimate, &memory);
  ns_engine_free (engine);
  total = g_format_size_full (estimate.memory, G_FORMAT_SIZE_IEC_UNITS);
  parts = ns_training_memory_dup_text (&memory);
  g_assert_nonnull (strstr (get_plan (fixture), total));
  g_assert_nonnull (strstr (get_plan (fixture), parts));

  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_finished, fixture, TIMEOUT_MS));
  g_assert_null (strstr (get_status (fixture), "Train:"));
  set_int (fixture, "training.steps", 2 * STEPS);
  g_assert_true (app_wait_for (has_forecast_of_next, fixture, TIMEOUT_MS));

  set_up (fixture, STEPS, 2);
  fixture->experiment->shape.depth = 1000;
  fixture->experiment->shape.d_model = fixture->experiment->shape.d_ff = 32768;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  g_assert_true (app_wait_for (has_no_room, fixture, TIMEOUT_MS));
  g_assert_false (has_refused (fixture));
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (has_refused, fixture, TIMEOUT_MS));
  g_assert_null (get_training (fixture));
}

/* The settings of training are in the sidebar while their view is shown. */
static void
test_sidebar (Fixture *fixture, gconstpointer data)
{
  GtkWidget *group = app_get_child (app_get_child (fixture->window, "sidebar"), "learning_group");

  g_assert_false (gtk_widget_get_mapped (group));
  show (fixture);
  g_assert_true (app_wait_for (is_mapped, group, TIMEOUT_MS));
  app_input_control_key (GDK_KEY_1);
  g_assert_true (app_wait_for (is_unmapped, group, TIMEOUT_MS));
}

/* The main loop goes on while many runs train. */
static void
test_responds (Fixture *fixture, gconstpointer data)
{
  g_autofree char *name = NULL;
  double longest;

  set_up (fixture, MANY, 10);
  show (fixture);
  app_watchdog_start ();
  app_watchdog_name ("a training");
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_running, fixture, TIMEOUT_MS));
  app_draw_frames (60);
  longest = app_watchdog_take_longest (&name);
  g_test_message ("%.0f ms", longest);
  g_assert_cmpfloat (longest, <, APP_WATCHDOG_LIMIT_MS);
  app_watchdog_stop ();
  app_input_key (GDK_KEY_space);
  g_assert_true (app_wait_for (is_paused, fixture, TIMEOUT_MS));
}

/* A step of a lecture brings back figure, quantity and step. */
static void
test_lecture (Fixture *fixture, gconstpointer data)
{
  NsViewChoice choice;

  set_up (fixture, STEPS, 2);
  show (fixture);
  choice = *normscope_session_get_training (fixture->session);
  choice.figure = NS_FIGURE_TRAINING_PROFILE;
  normscope_session_set_training (fixture->session, &choice);
  normscope_session_set_step (fixture->session, 7);
  app_activate (fixture, "win.add-step");
  app_settle ();
  choice.figure = NS_FIGURE_TRAINING_MAP;
  normscope_session_set_training (fixture->session, &choice);
  normscope_session_set_step (fixture->session, 2);
  app_activate (fixture, "win.add-step");
  app_input_control_key (GDK_KEY_1);
  app_settle ();
  normscope_lecture_session_go_to (normscope_window_get_lecture (fixture->window), 0);
  g_assert_true (app_wait_for (is_mapped, get_page (fixture), TIMEOUT_MS));
  g_assert_cmpint (normscope_session_get_training (fixture->session)->figure, ==, NS_FIGURE_TRAINING_PROFILE);
  g_assert_cmpint (normscope_session_get_step (fixture->session), ==, 7);
}

void
add_training_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add ("/training/train", test_train);
  app_test_add ("/training/text", test_text);
  app_test_add ("/training/loss", test_loss);
  app_test_add ("/training/scale", test_scale);
  app_test_add ("/training/click", test_click);
  app_test_add ("/training/pins", test_pins);
  app_test_add ("/training/pause", test_pause);
  app_test_add ("/training/restart", test_restart);
  app_test_add ("/training/play", test_play);
  app_test_add ("/training/forecast", test_forecast);
  app_test_add ("/training/sidebar", test_sidebar);
  app_test_add ("/training/responds", test_responds);
  app_test_add ("/training/lecture", test_lecture);
}
