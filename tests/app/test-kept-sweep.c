/* Long sweeps of the window go on from a checkpoint.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <glib/gstdio.h>

#include "app/work/normscope-kept-sweep.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"

#define N_POINTS 3
#define SEEDS 40

static NsSweep *
make_sweep (void)
{
  static const gint64 points[N_POINTS] = { 1, 4, 16 };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsSweep *sweep;

  experiment->sampling.seeds = SEEDS;
  sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, points, N_POINTS, ns_metric_get_default (), NULL);
  g_assert_nonnull (sweep);
  return sweep;
}

static guint
count_values (const NsSweep *sweep)
{
  guint n = 0, n_variants = ns_sweep_get_experiment (sweep)->variants->len;

  for (guint v = 0; v < n_variants; v++)
    for (guint p = 0; p < N_POINTS; p++)
      for (guint s = 0; s < SEEDS; s++)
        n += ns_sweep_get_value (sweep, v, p, s, NULL, NULL) ? 1 : 0;
  return n;
}

/* Check that every value is that of a sweep without a checkpoint. */
static void
check_values (const NsSweep *sweep)
{
  g_autoptr (NsSweep) plain = make_sweep ();
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  g_assert_true (ns_engine_run_sweep (engine, plain, NULL, NULL));
  for (guint v = 0; v < ns_sweep_get_experiment (sweep)->variants->len; v++)
    for (guint p = 0; p < N_POINTS; p++)
      for (guint s = 0; s < SEEDS; s++)
        {
          double here, wanted;

          g_assert_true (ns_sweep_get_value (sweep, v, p, s, &here, NULL));
          g_assert_true (ns_sweep_get_value (plain, v, p, s, &wanted, NULL));
          g_assert_cmpmem (&here, sizeof here, &wanted, sizeof wanted);
        }
}

typedef struct
{
  NsSweep *sweep;
  NsProgress *progress;
  gboolean ok;
} Job;

static gpointer
run (gpointer data)
{
  Job *job = data;
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  job->ok = normscope_kept_sweep_run (engine, job->sweep, job->progress, NULL);
  return NULL;
}

/* Run a sweep, and cancel it when it has some values. */
static guint
run_and_cancel (void)
{
  Job job = { make_sweep (), ns_progress_new (), TRUE };
  GThread *thread = g_thread_new (NULL, run, &job);
  guint n;

  while (count_values (job.sweep) < 5 * N_POINTS)
    g_usleep (100);
  ns_progress_cancel (job.progress);
  g_thread_join (thread);
  g_assert_false (job.ok);
  n = count_values (job.sweep);
  ns_sweep_unref (job.sweep);
  ns_progress_unref (job.progress);
  return n;
}

/* Run the sweep to its end. Return the blocks that were left. */
static guint64
run_to_end (void)
{
  Job job = { make_sweep (), ns_progress_new (), FALSE };
  guint64 done, total;

  run (&job);
  g_assert_true (job.ok);
  check_values (job.sweep);
  ns_progress_get (job.progress, &done, &total);
  ns_sweep_unref (job.sweep);
  ns_progress_unref (job.progress);
  return total;
}

static char *
dup_path (void)
{
  g_autoptr (NsSweep) sweep = make_sweep ();

  return normscope_kept_sweep_dup_path (sweep);
}

static void
test_goes_on (void)
{
  g_autofree char *path = dup_path ();
  guint64 all = run_to_end (), left;

  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS)); /* finished */
  g_assert_cmpuint (run_and_cancel (), >=, 5 * N_POINTS);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  left = run_to_end ();
  g_assert_cmpuint (left, <=, all - all / (2 * SEEDS) * 4);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* A short sweep leaves no file. */
static void
test_short (void)
{
  g_autofree char *path = dup_path ();

  normscope_kept_sweep_set_delay_us (G_MAXINT64);
  run_and_cancel ();
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  normscope_kept_sweep_set_delay_us (0);
}

/* A file that is damaged or no checkpoint does no harm, and stays. */
static void
test_damaged (void)
{
  g_autofree char *path = dup_path (), *folder = g_path_get_dirname (path), *text = NULL;

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (path, "notes", -1, NULL));
  run_to_end ();
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "notes");
  g_unlink (path);
}

/* Only the newest files stay. */
static void
test_room (void)
{
  g_autofree char *path = dup_path (), *folder = g_path_get_dirname (path);
  g_autoptr (GDir) dir = NULL;
  guint n = 0;

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *old = g_strdup_printf ("%s/%u", folder, i);

      g_assert_true (g_file_set_contents (old, "", -1, NULL));
    }
  run_and_cancel ();
  dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 8);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

static const char *
prepare (void)
{
  normscope_kept_sweep_set_delay_us (0);
  return NULL;
}

void
add_kept_sweep_tests (void)
{
  app_test_prepare (prepare);
  app_test_add_func ("/kept-sweep/goes-on", test_goes_on);
  app_test_add_func ("/kept-sweep/short", test_short);
  app_test_add_func ("/kept-sweep/damaged", test_damaged);
  app_test_add_func ("/kept-sweep/room", test_room);
}
