/* What was measured once is there at once: passes counted for undo, steps of a lecture, added and renamed variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-passes.h"
#include "app-scaling.h"
#include "app-widgets.h"

#include "app/flow/normscope-flow-view.h"
#include "app/paths/normscope-paths-view.h"
#include "app/work/normscope-store.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-result-private.h"

#define SEEDS 3 /* of the fixture */
#define N_STEPS 3
/* A result that is known is on the screen this soon. */
#define FRAMES 2

/* ---- the window ---- */

static const NsResult *
get_result (Fixture *fixture)
{
  return normscope_flow_view_get_result (app_get_child (fixture->window, "flow_view"));
}

/* Return the sentence of what the session has, computed by the test's own engine. */
static char *
dup_expected (Fixture *fixture)
{
  ns_experiment_free (fixture->experiment);
  fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
  normscope_session_get_flow_options (fixture->session, &fixture->options);
  return app_dup_expected (fixture);
}

/* Compare the result on the screen with a new run, bit by bit. */
static void
assert_bits (Fixture *fixture)
{
  const NsExperiment *experiment = normscope_session_get_experiment (fixture->session);
  const NsResult *shown = get_result (fixture);
  guint seeds = (guint) experiment->sampling.seeds;
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) fresh = ns_engine_run_quantities (engine, experiment, ns_result_get_quantities (shown), 0, seeds,
                                                         NULL, NULL);

  g_assert_cmpuint (ns_result_get_n_seeds (shown), ==, seeds);
  g_assert_true (ns_experiment_equal (ns_result_get_experiment (shown), experiment));
  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint s = 0; s < seeds; s++)
      {
        double *x, *y;
        gint64 *x_overflow, *y_overflow;
        gsize x_n, y_n;

        ns_result_get_row (shown, v, s, &x, &x_n, &x_overflow);
        ns_result_get_row (fresh, v, s, &y, &y_n, &y_overflow);
        g_assert_cmpmem (x, x_n * sizeof *x, y, y_n * sizeof *y);
        g_assert_cmpint (*x_overflow, ==, *y_overflow);
      }
}

/* Wait for the runs, compare what the window shows, and return how many passes began since `before`. */
static guint
count_until_shown (Fixture *fixture, guint before)
{
  g_autofree char *expected = NULL;
  guint n;

  app_settle ();
  app_wait_for_idle_plot (fixture);
  n = app_passes_count () - before;
  expected = dup_expected (fixture);
  app_assert_shows_sentence (fixture, expected);
  assert_bits (fixture);
  return n;
}

/* Fail unless the window shows what the session has in two frames and without a pass. */
static void
assert_known (Fixture *fixture, guint before)
{
  g_autofree char *shown = NULL, *expected = NULL;

  app_draw_frames (FRAMES);
  shown = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_cmpuint (app_passes_count (), ==, before);
  expected = dup_expected (fixture);
  g_assert_cmpstr (shown, ==, expected);
  assert_bits (fixture);
}

static void
take_variant (Fixture *fixture, const char *text)
{
  g_assert_true (normscope_session_take_variant (fixture->session, ns_variant_from_text (text, NULL), NULL));
}

static gboolean
has_paths (gpointer data)
{
  Fixture *fixture = data;
  const NsPaths *paths = normscope_paths_view_get_paths (app_get_child (fixture->window, "paths_view"));

  return paths != NULL && ns_paths_is_complete (paths)
         && ns_experiment_equal (ns_paths_get_experiment (paths), normscope_session_get_experiment (fixture->session));
}

static void
show_view (Fixture *fixture, const char *name)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", name);
}

/* Wait until the Paths view shows what the session has. */
static void
wait_for_paths (Fixture *fixture)
{
  app_wait_until (has_paths, fixture);
}

/* ---- undo, variants, views ---- */

static void
test_undo (Fixture *fixture, gconstpointer data)
{
  guint before = app_passes_count ();

  app_move_slider (fixture, "shape.depth", 12);
  g_assert_cmpuint (count_until_shown (fixture, before), ==, 2 * SEEDS);
  before = app_passes_count ();
  app_activate (fixture, "win.undo");
  assert_known (fixture, before);
  before = app_passes_count ();
  app_activate (fixture, "win.redo");
  assert_known (fixture, before);
}

/* A variant that is added runs alone, and so do seeds; one that goes and comes back does not run. */
static void
test_variants (Fixture *fixture, gconstpointer data)
{
  guint before = app_passes_count ();

  take_variant (fixture, "sandwich");
  g_assert_cmpuint (count_until_shown (fixture, before), ==, SEEDS);
  before = app_passes_count ();
  g_assert_true (normscope_session_remove_variant (fixture->session, 0, NULL));
  assert_known (fixture, before);
  before = app_passes_count ();
  take_variant (fixture, "pre");
  assert_known (fixture, before);
  before = app_passes_count ();
  app_type_number (fixture, "sampling.seeds", "5");
  g_assert_cmpuint (count_until_shown (fixture, before), ==, 3 * 2);
  before = app_passes_count ();
  app_type_number (fixture, "sampling.seeds", "2");
  assert_known (fixture, before);
}

/* Names, colours, what is hidden and views run nothing. */
static void
test_looks (Fixture *fixture, gconstpointer data)
{
  static const NsColor red = { 0.8, 0.1, 0.1 };
  NormscopeView view = *normscope_session_get_view (fixture->session), other = view;
  guint before = app_passes_count ();

  g_assert_true (normscope_session_rename_variant (fixture->session, 0, "Another name", NULL));
  assert_known (fixture, before);
  before = app_passes_count ();
  normscope_session_set_color (fixture->session, 0, &red);
  normscope_session_set_hidden (fixture->session, 1, TRUE);
  assert_known (fixture, before);
  before = app_passes_count ();
  normscope_session_set_hidden (fixture->session, 1, FALSE);
  other.gradient = NS_Q_GRAD_X;
  normscope_session_set_view (fixture->session, &other);
  assert_known (fixture, before);
  before = app_passes_count ();
  normscope_session_set_view (fixture->session, &view);
  assert_known (fixture, before);
  show_view (fixture, "paths");
  wait_for_paths (fixture);
  before = app_passes_count ();
  show_view (fixture, "flow");
  assert_known (fixture, before);
  before = app_passes_count ();
  show_view (fixture, "paths");
  wait_for_paths (fixture);
  show_view (fixture, "flow");
  assert_known (fixture, before);
}

/* The maps, too: a variant that is added is computed alone, and what was computed is not computed again. */
static void
test_paths (Fixture *fixture, gconstpointer data)
{
  NormscopePathsView *view = app_get_child (fixture->window, "paths_view");
  guint before, n;

  show_view (fixture, "paths");
  before = app_passes_count ();
  wait_for_paths (fixture);
  n = app_passes_count () - before;
  g_assert_cmpuint (n, >, 0);
  before = app_passes_count ();
  take_variant (fixture, "sandwich");
  wait_for_paths (fixture);
  g_assert_cmpuint (app_passes_count () - before, ==, SEEDS + n / 2);
  before = app_passes_count ();
  g_assert_true (normscope_session_rename_variant (fixture->session, 0, "Another name", NULL));
  wait_for_paths (fixture);
  app_activate (fixture, "win.undo");
  wait_for_paths (fixture);
  app_activate (fixture, "win.undo");
  wait_for_paths (fixture);
  g_assert_cmpuint (app_passes_count (), ==, before);
  g_assert_nonnull (normscope_paths_view_get_paths (view));
}

/* The same for a sweep. */
static void
test_sweep (Fixture *fixture, gconstpointer data)
{
  Scaling scaling = scaling_begin (fixture);
  guint before;

  scaling_wait_until_idle (&scaling);
  before = app_passes_count ();
  g_assert_true (normscope_session_rename_variant (fixture->session, 0, "Another name", NULL));
  app_settle ();
  scaling_wait_until_idle (&scaling);
  take_variant (fixture, "sandwich");
  app_settle ();
  scaling_wait_until_idle (&scaling);
  g_assert_cmpuint (app_passes_count () - before, >, 0);
  before = app_passes_count ();
  app_activate (fixture, "win.undo");
  app_settle ();
  scaling_wait_until_idle (&scaling);
  app_activate (fixture, "win.redo");
  app_settle ();
  scaling_wait_until_idle (&scaling);
  g_assert_cmpuint (app_passes_count (), ==, before);
}

/* ---- what is not known yet ---- */

/* Its first block alone takes a while. */
static NsExperiment *
make_slow (void)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape = (NsShape) { .depth = 1000, .d_model = 256, .heads = 4, .d_ff = 1024, .seq_len = 128, .batch = 4,
                                  .vocab = 64 };
  return experiment;
}

static gboolean
is_unmapped (gpointer widget)
{
  return !gtk_widget_get_mapped (widget);
}

/* The picture of another document goes while the new one is measured, and is there again with it. */
static void
test_former (Fixture *fixture, gconstpointer data)
{
  guint before;

  normscope_session_set_asking (fixture->session, TRUE); /* no partial picture */
  normscope_session_take_experiment (fixture->session, make_slow ());
  app_wait_until (is_unmapped, fixture->plot);
  g_assert_null (get_result (fixture));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Measuring…"));
  g_assert_null (app_find_text (GTK_WIDGET (fixture->window), "Reset to Defaults"));
  normscope_session_set_asking (fixture->session, FALSE);
  before = app_passes_count ();
  app_activate (fixture, "win.undo");
  g_assert_true (app_wait_for (app_is_mapped, fixture->plot, TIMEOUT_MS));
  assert_known (fixture, before);
}

/* The same for maps. */
static void
test_former_paths (Fixture *fixture, gconstpointer data)
{
  NormscopePathsView *view = app_get_child (fixture->window, "paths_view");

  show_view (fixture, "paths");
  wait_for_paths (fixture);
  normscope_session_take_experiment (fixture->session, make_slow ());
  g_assert_null (normscope_paths_view_get_shown (view));
  app_wait_until (is_unmapped, normscope_paths_view_get_plot (view));
  app_activate (fixture, "win.undo");
  wait_for_paths (fixture);
}

/* Another window has the same store. */
static void
test_windows (Fixture *fixture, gconstpointer data)
{
  Fixture second = { 0 };
  guint before = app_passes_count ();

  second.window = normscope_window_new (app_test_get_application ());
  second.plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (second.window), NORMSCOPE_TYPE_PLOT));
  second.session = normscope_window_get_session (second.window);
  second.engine = fixture->engine;
  normscope_session_take_experiment (second.session,
                                     ns_experiment_copy (normscope_session_get_experiment (fixture->session)));
  gtk_window_present (GTK_WINDOW (second.window));
  assert_known (&second, before);
  gtk_window_destroy (GTK_WINDOW (second.window));
  ns_experiment_free (second.experiment);
  app_settle ();
}

/* ---- lectures ---- */

static NsLecture *
make_lecture (void)
{
  NsLecture *lecture = ns_lecture_new ("A test", "en");

  for (guint i = 0; i < N_STEPS; i++)
    {
      NsExperiment *experiment = ns_experiment_new ();

      experiment->shape = (NsShape) { .depth = 6 + i, .d_model = 16, .heads = 2, .d_ff = 32, .seq_len = 4, .batch = 2,
                                      .vocab = 16 };
      experiment->sampling.seeds = SEEDS;
      ns_lecture_take_step (lecture, i, ns_lecture_step_new ("A step", experiment));
    }
  return lecture;
}

static gboolean
has_passes (gpointer wanted)
{
  return app_passes_count () >= *(const guint *) wanted;
}

/* While the first step is on the screen the others are measured, so going on and back runs nothing. */
static void
test_lecture (Fixture *fixture, gconstpointer data)
{
  NormscopeLectureSession *lecture = normscope_window_get_lecture (fixture->window);
  guint before = app_passes_count (), wanted = before + N_STEPS * 2 * SEEDS;

  normscope_lecture_session_take_lecture (lecture, make_lecture (), NULL);
  g_assert_true (normscope_lecture_session_go_to (lecture, 0));
  app_wait_until (has_passes, &wanted);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
  g_assert_cmpuint (app_passes_count (), ==, wanted);
  for (guint i = 1; i < N_STEPS; i++)
    {
      before = app_passes_count ();
      g_assert_true (normscope_lecture_session_go_next (lecture));
      assert_known (fixture, before);
    }
  before = app_passes_count ();
  g_assert_true (normscope_lecture_session_go_previous (lecture));
  assert_known (fixture, before);
}

/* ---- the store alone ---- */

static NsResult *
run (NormscopeStore *store, NsEngine *engine, double embed_std, guint n_seeds)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsResult *result;

  experiment->shape = (NsShape) { .depth = 2, .d_model = 8, .heads = 1, .d_ff = 8, .seq_len = 2, .batch = 1,
                                  .vocab = 4 };
  experiment->data.embed_std = embed_std;
  experiment->sampling.seeds = 2;
  result = normscope_store_run (store, engine, experiment, NULL, 0, n_seeds, NULL, NULL, NULL);
  g_assert_nonnull (result);
  return result;
}

/* Return TRUE if it needs no pass. */
static gboolean
is_kept (NormscopeStore *store, NsEngine *engine, double embed_std, guint n_seeds)
{
  guint before = app_passes_count ();
  g_autoptr (NsResult) result = run (store, engine, embed_std, n_seeds);

  return app_passes_count () == before;
}

/* Without room for more than three results, the oldest goes; one without all its seeds goes before. */
static void
test_bound (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) result = NULL;
  NormscopeStore *store = normscope_store_new (G_MAXUINT64);
  guint64 bytes;

  result = run (store, engine, 4, 2);
  bytes = ns_result_get_n_numbers (result) * 2 * sizeof (double);
  normscope_store_free (store);
  store = normscope_store_new (3 * bytes + bytes / 4);
  g_clear_pointer (&result, ns_result_unref);

  g_assert_false (is_kept (store, engine, 4, 2));
  g_assert_false (is_kept (store, engine, 3, 1));
  g_assert_false (is_kept (store, engine, 2, 2));
  g_assert_true (is_kept (store, engine, 4, 2));
  g_assert_true (is_kept (store, engine, 2, 2));
  g_assert_false (is_kept (store, engine, 1, 2)); /* takes the place of the first seed of 3 */
  g_assert_true (is_kept (store, engine, 4, 2));
  g_assert_false (is_kept (store, engine, 3, 2)); /* takes that of 2 */
  g_assert_true (is_kept (store, engine, 4, 2));
  g_assert_true (is_kept (store, engine, 4, 1));
  g_assert_false (is_kept (store, engine, 2, 2));
  normscope_store_free (store);
}

/* Called on a thread of the engine. */
static void
count_partial (gpointer n, NsResult *partial)
{
  gint64 last = ns_result_get_experiment (partial)->shape.depth;

  g_assert_true (ns_result_is_partial (partial));
  g_assert_cmpuint (ns_result_get_experiment (partial)->variants->len, ==, 2);
  g_assert_true (ns_result_get_value (partial, 0, NS_Q_GRAD_X, 1, 0, NULL, NULL));
  g_assert_false (ns_result_get_value (partial, 1, NS_Q_GRAD_X, 1, 0, NULL, NULL)
                  && !ns_result_get_value (partial, 1, NS_Q_RMS_X, last, 0, NULL, NULL));
  g_atomic_int_inc ((gint *) n);
  ns_result_unref (partial);
}

/* A variant that runs alone is shown block by block beside those that are known. */
static void
test_partial (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsResult) known = NULL, both = NULL;
  NormscopeStore *store = normscope_store_new (G_MAXUINT64);
  gint n = 0;
  const NsResultWatch watch = { 0, 0, 0, count_partial, &n };

  experiment->sampling.seeds = 1;
  g_ptr_array_remove_index (experiment->variants, 1);
  known = normscope_store_run (store, engine, experiment, NULL, 0, 1, NULL, NULL, NULL);
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("post", NULL));
  both = normscope_store_run (store, engine, experiment, NULL, 0, 1, &watch, NULL, NULL);
  g_assert_nonnull (both);
  g_assert_false (ns_result_is_partial (both));
  g_assert_cmpint (n, >, 0);
  normscope_store_free (store);
}

void
add_store_tests (void)
{
  app_test_add ("/store/undo", test_undo);
  app_test_add ("/store/variants", test_variants);
  app_test_add ("/store/looks", test_looks);
  app_test_add ("/store/paths", test_paths);
  app_test_add ("/store/sweep", test_sweep);
  app_test_add ("/store/former", test_former);
  app_test_add ("/store/former-paths", test_former_paths);
  app_test_add ("/store/windows", test_windows);
  app_test_add ("/store/lecture", test_lecture);
  app_test_add_func ("/store/bound", test_bound);
  app_test_add_func ("/store/partial", test_partial);
}
