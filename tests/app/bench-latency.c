/* Latency from a slider event to the new figure, drawing time, and memory, with the default experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times are printed, not asserted, since they vary between machines. Without a compositor there is no presentation
 * time, so the frame clock's "after-paint" counts as the end. The first figure shows one seed.
 */
#include "bench-window.h"

#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lecture-json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/controls/normscope-parameter.h"
#include "app/paths/normscope-paths-view.h"
#include "app/work/normscope-engine.h"
#include "app/work/normscope-runner.h"
#include "engine/experiment/ns-params.h"
#include "plot/ns-draw.h"

#define N_SAMPLES 120
#define N_DRAWINGS 60
#define N_RELEASES 5
#define N_STEPS 30

typedef struct
{
  Fixture *fixture;
  char *description;  /* before the change */
  gint64 painted_at;  /* monotonic time, 0 if not painted yet */
  guint64 drawings;   /* before the change */
  gint64 handled_at;  /* the event's handlers have returned */
  gint64 result_at;   /* the result has reached the main loop */
  gint64 shown_at;    /* the figure is made */
  gint64 frame_at;    /* the frame clock begins the frame that shows it */
  double engine_ms;   /* time of the run */
} Sample;

/* What an event to a picture consists of. */
enum { HANDLERS, ENGINE, HAND_OVER, FIGURE, CLOCK, PAINT, N_STAGES };
static const char *const stages[N_STAGES] = {
  "handlers of the event",
  "engine, first seed of all variants",
  "to the worker thread and back to the main loop",
  "figure, sentence and read-out",
  "wait for the frame clock",
  "layout and painting",
};

static void
after_paint_cb (Sample *sample)
{
  g_autofree char *differs = NULL;

  if (sample->painted_at != 0 || normscope_plot_get_n_drawings (sample->fixture->plot) == sample->drawings)
    return;
  differs = gtk_test_accessible_check_property (GTK_ACCESSIBLE (sample->fixture->plot),
                                                GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, sample->description);
  if (differs != NULL)
    sample->painted_at = g_get_monotonic_time ();
}

/* A frame after the result may show it. */
static void
before_paint_cb (Sample *sample)
{
  if (sample->painted_at == 0)
    sample->frame_at = g_get_monotonic_time ();
}

/* Runs before the handlers of the runner's signal. */
static gboolean
result_hook (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  Sample *sample = data;

  if (sample->result_at == 0)
    {
      sample->result_at = g_get_monotonic_time ();
      sample->engine_ms = ns_result_get_elapsed_ms (g_value_get_pointer (&values[1]));
    }
  return TRUE;
}

static gboolean
is_painted (gpointer data)
{
  return ((Sample *) data)->painted_at != 0;
}

static double
get_ms (gint64 from, gint64 to)
{
  return (double) (to - from) / 1000.0;
}

/* Return the time from an action to the painted figure, in ms, and in `stage` (nullable) [N_STAGES] what it consists
 * of. */
static double
trace_action (Fixture *fixture, void (*act) (Fixture *fixture, gpointer data), gpointer data, double *stage)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window));
  guint signal = g_signal_lookup ("result", NORMSCOPE_TYPE_RUNNER);
  Sample sample = { .fixture = fixture };
  gint64 start;
  gulong after, before, hook;

  sample.description = app_dup_description (GTK_WIDGET (fixture->plot));
  sample.drawings = normscope_plot_get_n_drawings (fixture->plot);
  after = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (after_paint_cb), &sample);
  before = g_signal_connect_swapped (clock, "before-paint", G_CALLBACK (before_paint_cb), &sample);
  hook = g_signal_add_emission_hook (signal, 0, result_hook, &sample, NULL);
  start = g_get_monotonic_time ();
  act (fixture, data);
  sample.handled_at = g_get_monotonic_time ();
  while (sample.result_at == 0 && sample.painted_at == 0)
    g_main_context_iteration (NULL, TRUE);
  sample.shown_at = g_get_monotonic_time ();
  g_assert_true (app_wait_for (is_painted, &sample, TIMEOUT_MS));
  g_signal_remove_emission_hook (signal, hook);
  g_signal_handler_disconnect (clock, after);
  g_signal_handler_disconnect (clock, before);
  g_free (sample.description);
  if (stage != NULL)
    {
      stage[HANDLERS] = get_ms (start, sample.handled_at);
      stage[ENGINE] = sample.engine_ms;
      stage[HAND_OVER] = get_ms (sample.handled_at, sample.result_at) - sample.engine_ms;
      stage[FIGURE] = get_ms (sample.result_at, sample.shown_at);
      stage[CLOCK] = get_ms (sample.shown_at, sample.frame_at);
      stage[PAINT] = get_ms (sample.frame_at, sample.painted_at);
    }
  return get_ms (start, sample.painted_at);
}

static double
measure_action (Fixture *fixture, void (*act) (Fixture *fixture, gpointer data), gpointer data)
{
  return trace_action (fixture, act, data, NULL);
}

static double
measure_one (Fixture *fixture, double depth)
{
  BenchMove move = bench_find_move (fixture, depth);

  return measure_action (fixture, bench_move_slider, &move);
}

static void
bench_slider (Fixture *fixture, gconstpointer data)
{
  double ms[N_SAMPLES];

  g_test_message ("%s, %s", ns_blas_get_core (),
                  ns_blas_get_forced_core () != NULL ? "core set by OPENBLAS_CORETYPE" : "core detected");
  for (int i = 0; i < N_SAMPLES; i++)
    {
      /* Alternate between two depths near the default, from idle and at a random phase of the frame clock. */
      ms[i] = measure_one (fixture, i % 2 == 0 ? 25 : 24);
      g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
      app_iterate (20 + (guint) g_random_int_range (0, 17));
    }
  bench_print_times ("slider event to figure, from idle", ms, N_SAMPLES);
}

/* The weights went back to the system a while after the last run, so the first event draws them again. */
static void
bench_released (Fixture *fixture, gconstpointer data)
{
  double ms[N_RELEASES];

  for (int i = 0; i < N_RELEASES; i++)
    {
      g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
      app_iterate (NORMSCOPE_ENGINE_IDLE_MS + 1000);
      ms[i] = measure_one (fixture, i % 2 == 0 ? 25 : 24);
    }
  bench_print_times ("slider event to figure, after the memory was released", ms, N_RELEASES);
}

/* A drag: each event comes as soon as the figure of the last one is painted. */
static void
bench_drag (Fixture *fixture, gconstpointer data)
{
  BenchMove moves[] = { bench_find_move (fixture, 25), bench_find_move (fixture, 24) };
  double ms[N_SAMPLES], stage[N_STAGES][N_SAMPLES];

  for (int i = 0; i < N_SAMPLES; i++)
    {
      double trace[N_STAGES];

      ms[i] = trace_action (fixture, bench_move_slider, &moves[i % 2], trace);
      for (int s = 0; s < N_STAGES; s++)
        stage[s][i] = trace[s];
    }
  bench_print_times ("slider event to figure, dragging", ms, N_SAMPLES);
  for (int s = 0; s < N_STAGES; s++)
    bench_print_times (stages[s], stage[s], N_SAMPLES);
}

static void
bench_drawing (Fixture *fixture, gconstpointer data)
{
  const NsFigure *figure = normscope_plot_get_figure (fixture->plot);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 1600, 1000);
  double ms[N_DRAWINGS];
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  for (int i = 0; i < N_DRAWINGS; i++)
    {
      cairo_t *cr = cairo_create (surface);
      gint64 start = g_get_monotonic_time ();

      ns_figure_draw (figure, cr, &theme, 1600, 1000);
      cairo_surface_flush (surface);
      ms[i] = (double) (g_get_monotonic_time () - start) / 1000.0;
      cairo_destroy (cr);
    }
  cairo_surface_destroy (surface);
  bench_print_times ("drawing at 1600 x 1000", ms, N_DRAWINGS);
}

/* Run first, before the test's own engine allocates memory. */
static void
open_lecture (Fixture *fixture, gpointer file)
{
  normscope_window_open (fixture->window, file);
}

static void
go_next (Fixture *fixture, gpointer data)
{
  g_assert_true (normscope_lecture_session_go_next (normscope_window_get_lecture (fixture->window)));
}

/* A lecture with 100 steps: from the file to the first step's figure, and from step to step, each over a slider event
 * of the same window, which draws a figure, too. */
static void
bench_lecture (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-bench-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a" NS_LECTURE_SUFFIX, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (NsLecture) lecture = ns_lecture_new ("Hundred", "en");
  double slider[N_STEPS], steps[N_STEPS], opening;

  for (guint i = 0; i < 100; i++)
    {
      NsExperiment *experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
      NsLectureStep *step;

      experiment->shape.depth = 24 + i % 2;
      step = ns_lecture_step_new ("A step", experiment);
      step->question = ns_question_new (NS_QUESTION_CHOICE);
      ns_lecture_take_step (lecture, i, step);
    }
  g_assert_true (ns_lecture_save (lecture, path, NULL));
  for (int i = 0; i < N_STEPS; i++)
    slider[i] = measure_one (fixture, i % 2 == 0 ? 25 : 24);
  g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
  app_move_slider (fixture, "shape.depth", 30);
  g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
  opening = measure_action (fixture, open_lecture, file);
  for (int i = 0; i < N_STEPS; i++)
    steps[i] = measure_action (fixture, go_next, NULL);
  bench_print_times ("from a lecture's step to the next, to figure", steps, N_STEPS);
  bench_print_times ("slider event to figure, for comparison", slider, N_STEPS);
  g_test_message ("opening a lecture with 100 steps, to figure: %.1f ms, %.1f slider events", opening,
                  opening / slider[N_STEPS / 2]);
  ns_file_remove_tree (folder);
}

/* ---- maps ---- */

#define FEW_BLOCKS 24
#define MANY_BLOCKS 1000
#define N_MAPS 10

/* The longest time between two turns of the main loop. */
typedef struct
{
  gint64 last, longest_us; /* monotonic */
} Turns;

static gboolean
turn_cb (gpointer data)
{
  Turns *turns = data;
  gint64 now = g_get_monotonic_time ();

  turns->longest_us = MAX (turns->longest_us, now - turns->last);
  turns->last = now;
  return G_SOURCE_CONTINUE;
}

static void
compare_other (Fixture *fixture, gpointer data)
{
  NsViewChoice choice = *normscope_session_get_paths (fixture->session);

  choice.figure = NS_FIGURE_SIMILARITY;
  choice.options.paths.similarity
      = choice.options.paths.similarity == NS_SIMILARITY_X ? NS_SIMILARITY_GRAD : NS_SIMILARITY_X;
  normscope_session_set_paths (fixture->session, &choice);
}

static gboolean
is_complete (gpointer view)
{
  const NsPaths *paths = normscope_paths_view_get_paths (view);

  return paths != NULL && ns_paths_is_complete (paths);
}

/* Draw another map of the depth again and again: until it is painted, and how long the main loop stands still
 * meanwhile. Return the median of the latter. */
static double
measure_maps (Fixture *fixture, gint64 depth)
{
  NormscopePathsView *view = app_get_child (fixture->window, "paths_view");
  g_autofree char *what = g_strdup_printf ("another map of %d x %d blocks, to figure", (int) depth, (int) depth);
  double ms[N_MAPS], pauses[N_MAPS];

  g_assert_true (normscope_session_set_int (fixture->session, ns_param_find ("shape.depth"), depth, NULL));
  app_iterate (200);
  g_assert_true (app_wait_for (is_complete, view, 10 * TIMEOUT_MS));
  for (int i = 0; i < N_MAPS; i++)
    {
      Turns turns = { 0 };
      guint id;

      g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
      app_iterate (1000);
      turns.last = g_get_monotonic_time ();
      id = g_timeout_add (1, turn_cb, &turns);
      ms[i] = measure_action (fixture, compare_other, NULL);
      g_source_remove (id);
      pauses[i] = (double) turns.longest_us / 1000.0;
    }
  bench_print_times (what, ms, N_MAPS);
  bench_print_times ("longest pause of the main loop meanwhile", pauses, N_MAPS);
  return pauses[N_MAPS / 2];
}

static void
bench_map (Fixture *fixture, gconstpointer data)
{
  static const char *const keys[] = { "shape.d_model", "shape.heads", "shape.d_ff", "shape.seq_len", "shape.batch",
                                      NULL };
  static const gint64 values[] = { 8, 1, 8, 4, 1 };
  double few;

  for (guint i = 0; keys[i] != NULL; i++)
    g_assert_true (normscope_session_set_int (fixture->session, ns_param_find (keys[i]), values[i], NULL));
  fixture->plot = normscope_paths_view_get_plot (app_get_child (fixture->window, "paths_view"));
  compare_other (fixture, NULL);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "paths");
  few = measure_maps (fixture, FEW_BLOCKS);
  g_test_message ("pause with %d blocks over that with %d: %.1f", MANY_BLOCKS, FEW_BLOCKS,
                  measure_maps (fixture, MANY_BLOCKS) / few);
}

static void
bench_memory (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  GtkWidget *plot = app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PLOT);
  g_autofree char *status = NULL;
  const char *peak;

  gtk_window_present (GTK_WINDOW (window));
  app_iterate (100);
  g_assert_true (app_wait_for (bench_is_idle, plot, TIMEOUT_MS));
  app_iterate (500);
  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL) && (peak = strstr (status, "VmHWM:")) != NULL)
    g_test_message ("peak resident memory of the window at the default: %.0f MB",
                    g_ascii_strtod (peak + strlen ("VmHWM:"), NULL) * 1024.0 / 1e6);
  else
    g_test_skip ("/proc/self/status is not available");
  gtk_window_destroy (GTK_WINDOW (window));
  app_iterate (100);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/latency/memory", bench_memory);
  app_test_add_with_defaults ("/latency/slider", bench_slider);
  app_test_add_with_defaults ("/latency/drag", bench_drag);
  app_test_add_with_defaults ("/latency/released", bench_released);
  app_test_add_with_defaults ("/latency/drawing", bench_drawing);
  app_test_add_with_defaults ("/latency/lecture", bench_lecture);
  app_test_add_with_defaults ("/latency/map", bench_map);
  return app_test_run ();
}
