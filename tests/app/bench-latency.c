/* Latency from a slider event to the new figure, drawing time, and memory, with the default experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times are printed, not asserted, since they vary between machines. Without a compositor there is no presentation
 * time, so the frame clock's "after-paint" counts as the end. The first figure shows one seed.
 */
#include "app-fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/work/normscope-engine.h"
#include "plot/ns-draw.h"

#define N_SAMPLES 120
#define N_DRAWINGS 60
#define N_RELEASES 5

typedef struct
{
  Fixture *fixture;
  char *description;  /* before the change */
  gint64 painted_at;  /* monotonic time, 0 if not painted yet */
  guint64 drawings;   /* before the change */
} Sample;

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
print_times (const char *what, double *ms, guint n)
{
  qsort (ms, n, sizeof *ms, compare_doubles);
  g_test_message ("%s: median %.1f ms, 90 %% %.1f ms, 99 %% %.1f ms, worst %.1f ms (%u times)", what, ms[n / 2],
                  ms[n * 9 / 10], ms[n * 99 / 100], ms[n - 1], n);
}

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

static gboolean
is_painted (gpointer data)
{
  return ((Sample *) data)->painted_at != 0;
}

static gboolean
is_idle (gpointer data)
{
  g_autofree char *differs = gtk_test_accessible_check_state (GTK_ACCESSIBLE (data), GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

static double
measure_one (Fixture *fixture, double depth)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window));
  Sample sample = { .fixture = fixture };
  gint64 start;
  gulong id;

  sample.description = app_dup_description (GTK_WIDGET (fixture->plot));
  sample.drawings = normscope_plot_get_n_drawings (fixture->plot);
  id = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (after_paint_cb), &sample);
  start = g_get_monotonic_time ();
  app_move_slider (fixture, "shape.depth", depth);
  g_assert_true (app_wait_for (is_painted, &sample, TIMEOUT_MS));
  g_signal_handler_disconnect (clock, id);
  g_free (sample.description);
  return (double) (sample.painted_at - start) / 1000.0;
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
      g_assert_true (app_wait_for (is_idle, fixture->plot, TIMEOUT_MS));
      app_iterate (20 + (guint) g_random_int_range (0, 17));
    }
  print_times ("slider event to figure, from idle", ms, N_SAMPLES);
}

/* The weights went back to the system a while after the last run, so the first event draws them again. */
static void
bench_released (Fixture *fixture, gconstpointer data)
{
  double ms[N_RELEASES];

  for (int i = 0; i < N_RELEASES; i++)
    {
      g_assert_true (app_wait_for (is_idle, fixture->plot, TIMEOUT_MS));
      app_iterate (NORMSCOPE_ENGINE_IDLE_MS + 1000);
      ms[i] = measure_one (fixture, i % 2 == 0 ? 25 : 24);
    }
  print_times ("slider event to figure, after the memory was released", ms, N_RELEASES);
}

/* A drag: each event comes as soon as the figure of the last one is painted. */
static void
bench_drag (Fixture *fixture, gconstpointer data)
{
  double ms[N_SAMPLES];

  for (int i = 0; i < N_SAMPLES; i++)
    ms[i] = measure_one (fixture, i % 2 == 0 ? 25 : 24);
  print_times ("slider event to figure, dragging", ms, N_SAMPLES);
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
  print_times ("drawing at 1600 x 1000", ms, N_DRAWINGS);
}

/* Run first, before the test's own engine allocates memory. */
static void
bench_memory (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  GtkWidget *plot = app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PLOT);
  g_autofree char *status = NULL;
  const char *peak;

  gtk_window_present (GTK_WINDOW (window));
  app_iterate (100);
  g_assert_true (app_wait_for (is_idle, plot, TIMEOUT_MS));
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
  return app_test_run ();
}
