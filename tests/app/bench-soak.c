/* Use the window for an hour: drags, views, sweeps, trainings, paths. Memory and file descriptors stay flat.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NORMSCOPE_SOAK_MINUTES sets its length. The first fifth fills caches and is not judged.
 */
#include "app-scaling.h"
#include "app-use.h"
#include "app/training/normscope-training-page.h"
#include "app/training/normscope-training-view.h"
#include "app/work/normscope-engine.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/train/ns-training.h"

#include <stdlib.h>

#define MINUTES 60.0
#define WARM_UP_SHARE 0.2
#define N_DRAGS 40
#define N_STEPS 20

static gboolean
is_idle (gpointer plot)
{
  g_autofree char *differs = gtk_test_accessible_check_state (plot, GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

/* Drag the depth up and down, faster than pictures are complete, then wait for the last one. */
static void
drag (Fixture *fixture)
{
  for (int i = 0; i < N_DRAGS; i++)
    {
      app_move_slider (fixture, "shape.depth", 6 + abs (N_DRAGS / 2 - i));
      app_iterate (20);
    }
  g_assert_true (app_wait_for (is_idle, fixture->plot, TIMEOUT_MS));
}

static gboolean
is_trained (gpointer page)
{
  const NsTraining *training = normscope_training_page_get_training (page);
  const NsExperiment *experiment;

  if (training == NULL)
    return FALSE;
  experiment = ns_training_get_experiment (training);
  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint s = 0; s < (guint) experiment->sampling.seeds; s++)
      if (!ns_training_is_finished (training, v, s))
        return FALSE;
  return TRUE;
}

static void
train (Scaling *scaling)
{
  Fixture *fixture = scaling->fixture;
  gpointer page = normscope_training_view_find_page (app_get_child (fixture->window, "training_view"),
                                                     NS_FIGURE_TRAINING);

  scaling_show_view (scaling, "training");
  app_iterate (200);
  normscope_training_page_toggle (page);
  g_assert_true (app_wait_for (is_trained, page, TIMEOUT_MS));
}

static void
show_paths (Scaling *scaling)
{
  static const NsFigureKind figures[] = { NS_FIGURE_CONTRIBUTIONS, NS_FIGURE_LENGTHS, NS_FIGURE_SIMILARITY };

  scaling_show_view (scaling, "paths");
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      NsViewChoice choice = *normscope_session_get_paths (scaling->fixture->session);

      choice.figure = figures[i];
      normscope_session_set_paths (scaling->fixture->session, &choice);
      app_iterate (500);
    }
}

static void
soak_round (Scaling *scaling)
{
  scaling_show_view (scaling, "flow");
  drag (scaling->fixture);
  scaling_show_view (scaling, "scaling");
  scaling_wait_until_idle (scaling);
  train (scaling);
  show_paths (scaling);
  scaling_show_view (scaling, "flow");
  /* the engine gives its memory back */
  app_iterate (NORMSCOPE_ENGINE_IDLE_MS + 1500);
}

static void
bench_soak (Fixture *fixture, gconstpointer data)
{
  const char *text = g_getenv ("NORMSCOPE_SOAK_MINUTES");
  double minutes = text != NULL ? g_ascii_strtod (text, NULL) : MINUTES;
  Scaling scaling = scaling_find (fixture);
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (scaling.bar);
  g_autoptr (GArray) uses = g_array_new (FALSE, FALSE, sizeof (AppUse));
  g_autofree char *grown = NULL;
  gint64 start = g_get_monotonic_time (), now = start, end = start + (gint64) (minutes * 60e6);
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  guint round;

  experiment->data.source = NS_SOURCE_TOKENS; /* can be trained */
  experiment->training.steps = N_STEPS;
  settings.last[NS_SWEEP_DEPTH] = 32;
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  for (round = 0; now < end; round++)
    {
      AppUse use;

      experiment->sampling.seed = round;
      normscope_session_take_experiment (fixture->session, ns_experiment_copy (experiment));
      soak_round (&scaling);
      use = app_use_measure ();
      now = g_get_monotonic_time ();
      if ((double) (now - start) >= WARM_UP_SHARE * (double) (end - start))
        g_array_append_val (uses, use);
      g_test_message ("%.1f min: %.0f MiB resident, %.1f MiB of heap in use, %u descriptors",
                      (double) (now - start) / 60e6, use.resident_mib, use.heap_mib, use.n_descriptors);
    }
  g_assert_cmpuint (uses->len, >=, 3);
  grown = app_use_judge ((const AppUse *) uses->data, uses->len - 1);
  g_test_message ("%u rounds in %.1f minutes: %s", round, (double) (now - start) / 60e6,
                  grown != NULL ? grown : "flat");
  g_assert_null (grown);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  app_test_add ("/soak", bench_soak);
  return app_test_run ();
}
