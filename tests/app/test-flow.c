/* The flow view in the window: former curves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "app-fixture.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"

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
  g_autofree char *before = g_strdup_printf ("before: depth %d", (int) depth);

  assert_ghost (fixture, NULL);
  set_depth (fixture, depth + 2);
  assert_ghost (fixture, before);
  set_depth (fixture, depth + 3);
  g_free (before);
  before = g_strdup_printf ("before: depth %d", (int) depth + 2);
  assert_ghost (fixture, before);

  app_iterate (AFTER_A_DRAG_MS);
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_preset_load ("tiny", NULL);
  fixture->experiment->shape.depth = depth + 5;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (fixture->experiment));
  app_assert_shows (fixture);
  assert_ghost (fixture, NULL);
}

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  app_test_add ("/flow/ghosts", test_ghosts);
  return app_test_run ();
}
