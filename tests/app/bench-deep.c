/* From a slider event to the pictures of a stack of 1000 blocks, otherwise at the default shape: the first one, of the
 * blocks that the pass has come through, the first with gradients, and that of the whole first seed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times are printed, not asserted. In the first round the memory is new, and in the others just used.
 */
#include "bench-window.h"

#include "app/work/normscope-runner.h"

#define DEPTH 1000
#define N_ROUNDS 5
#define PATIENCE_MS 60000

typedef struct
{
  Fixture *fixture;
  guint64 drawings;   /* before the last frame */
  gboolean has_result; /* of the whole first seed */
  guint n_partial;    /* that came */
  gint64 first_at, gradient_at, whole_at; /* monotonic times of the paintings; 0: none yet */
} Deep;

static gboolean
partial_hook (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  ((Deep *) data)->n_partial++;
  return TRUE;
}

static gboolean
result_hook (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  ((Deep *) data)->has_result = TRUE;
  return TRUE;
}

/* Return TRUE if the upper panel has a curve of this experiment. */
static gboolean
has_gradients (const NsFigure *figure)
{
  const NsPanel *panel = g_ptr_array_index (figure->panels, 0);

  for (guint i = 0; i < panel->series->len; i++)
    if (((const NsSeries *) g_ptr_array_index (panel->series, i))->role == NS_ROLE_DATA)
      return TRUE;
  return FALSE;
}

static void
note (gint64 *time, gboolean is_there)
{
  if (is_there && *time == 0)
    *time = g_get_monotonic_time ();
}

static void
after_paint_cb (Deep *deep)
{
  NormscopePlot *plot = deep->fixture->plot;
  guint64 drawings = normscope_plot_get_n_drawings (plot);

  if (drawings == deep->drawings || (deep->n_partial == 0 && !deep->has_result))
    return;
  deep->drawings = drawings;
  note (&deep->first_at, TRUE);
  note (&deep->gradient_at, has_gradients (normscope_plot_get_figure (plot)));
  note (&deep->whole_at, deep->has_result);
}

static gboolean
is_whole (gpointer data)
{
  return ((Deep *) data)->whole_at != 0;
}

static double
get_ms (gint64 from, gint64 to)
{
  return (double) (to - from) / 1000.0;
}

static void
bench_deep (Fixture *fixture, gconstpointer data)
{
  BenchMove there = bench_find_move (fixture, DEPTH), back = bench_find_move (fixture, 24);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window));
  guint partial = g_signal_lookup ("partial", NORMSCOPE_TYPE_RUNNER);
  guint result = g_signal_lookup ("result", NORMSCOPE_TYPE_RUNNER);
  double first[N_ROUNDS], gradient[N_ROUNDS], whole[N_ROUNDS];

  for (int i = 0; i < N_ROUNDS; i++)
    {
      Deep deep = { .fixture = fixture, .drawings = normscope_plot_get_n_drawings (fixture->plot) };
      gulong partials = g_signal_add_emission_hook (partial, 0, partial_hook, &deep, NULL);
      gulong results = g_signal_add_emission_hook (result, 0, result_hook, &deep, NULL);
      gulong paints = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (after_paint_cb), &deep);
      gint64 start = g_get_monotonic_time ();

      bench_move_slider (fixture, &there);
      g_assert_true (app_wait_for (is_whole, &deep, PATIENCE_MS));
      g_signal_handler_disconnect (clock, paints);
      g_signal_remove_emission_hook (result, results);
      g_signal_remove_emission_hook (partial, partials);
      first[i] = get_ms (start, deep.first_at);
      gradient[i] = get_ms (start, deep.gradient_at);
      whole[i] = get_ms (start, deep.whole_at);
      g_test_message ("round %d: first picture %.0f ms, with gradients %.0f ms, whole first seed %.0f ms, %u partial",
                      i + 1, first[i], gradient[i], whole[i], deep.n_partial);
      bench_move_slider (fixture, &back);
      g_assert_true (app_wait_for (bench_is_idle, fixture->plot, TIMEOUT_MS));
    }
  bench_print_times ("slider event to the first picture of 1000 blocks", first, N_ROUNDS);
  bench_print_times ("slider event to its first gradients", gradient, N_ROUNDS);
  bench_print_times ("slider event to its whole first seed", whole, N_ROUNDS);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  app_test_add_with_defaults ("/deep", bench_deep);
  return app_test_run ();
}
