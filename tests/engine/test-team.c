/* Test teams of threads: each item once, loops within loops, and how passes and their products share the threads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-team.h"
#include "engine/run/ns-engine-private.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MAX_ITEMS 200
#define MAX_THREADS 8

/* ---- loops ---- */

/* What a loop has done. */
typedef struct
{
  guint size;                      /* of its team */
  atomic_uint done[MAX_ITEMS];     /* times that the item was run */
  atomic_uint busy[MAX_THREADS];   /* items that run now under the number of a thread */
  NsTeam *inner;                   /* of a loop in each item; NULL: none */
} Loop;

static void run_loop (NsTeam *team, guint n_items, NsTeam *inner);

static void
count_item (gpointer data, guint item, guint thread)
{
  Loop *loop = data;

  g_assert_cmpuint (thread, <, loop->size);
  g_assert_cmpuint (atomic_fetch_add (&loop->busy[thread], 1), ==, 0); /* the number is this thread's alone */
  if (loop->inner != NULL)
    run_loop (loop->inner, 3 + item % 5, NULL);
  atomic_fetch_add (&loop->done[item], 1);
  atomic_fetch_sub (&loop->busy[thread], 1);
}

/* Run a loop that checks itself. */
static void
run_loop (NsTeam *team, guint n_items, NsTeam *inner)
{
  Loop loop = { .size = ns_team_size (team), .inner = inner };

  ns_team_run (team, n_items, count_item, &loop);
  for (guint i = 0; i < n_items; i++)
    g_assert_cmpuint (loop.done[i], ==, 1);
}

static void
test_loops (void)
{
  for (guint n = 1; n <= MAX_THREADS; n++)
    {
      NsTeam *team = ns_team_new (n);

      g_assert_cmpuint (ns_team_size (team), ==, n);
      for (guint round = 0; round < 50; round++)
        {
          run_loop (team, round % 7, NULL);
          run_loop (team, MAX_ITEMS, NULL);
        }
      for (guint outer = 1; outer <= n; outer++)
        for (guint inner = 1; inner <= n; inner++)
          run_loop (ns_team_get_part (team, outer), 20, ns_team_get_part (team, inner));
      ns_team_free (team);
    }
  run_loop (NULL, 20, NULL);
}

static void
test_parts (void)
{
  NsTeam *team = ns_team_new (4);

  g_assert_null (ns_team_get_part (team, 1));
  g_assert_null (ns_team_get_part (team, 0));
  g_assert_null (ns_team_get_part (NULL, 3));
  g_assert_cmpuint (ns_team_size (ns_team_get_part (team, 3)), ==, 3);
  g_assert_true (ns_team_get_part (team, 9) == team);
  /* a part has no more threads than it is allowed */
  g_assert_cmpuint (ns_team_size (ns_team_get_part (ns_team_get_part (team, 2), 3)), ==, 2);
  ns_team_free (team);
}

/* Items that wait for each other, so that each needs a thread of its own. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t came;
  guint n_here, n_expected;
  NsTeam *inner;
} Meeting;

static void
meet (gpointer data, guint item, guint thread)
{
  Meeting *meeting = data;
  struct timespec end = { .tv_sec = time (NULL) + 60 };

  (void) item, (void) thread;
  pthread_mutex_lock (&meeting->lock);
  meeting->n_here++;
  pthread_cond_broadcast (&meeting->came);
  while (meeting->n_here < meeting->n_expected)
    g_assert_cmpint (pthread_cond_timedwait (&meeting->came, &meeting->lock, &end), ==, 0);
  pthread_mutex_unlock (&meeting->lock);
}

static void
meet_inside (gpointer data, guint item, guint thread)
{
  Meeting *all = data;

  (void) item, (void) thread;
  ns_team_run (all->inner, all->n_expected / 2, meet, all);
}

/* Threads without items of the outer loop join those inside: 2 items with 3 each take 6 threads. */
static void
test_threads_join (void)
{
  NsTeam *team = ns_team_new (6);

  for (int round = 0; round < 20; round++)
    {
      Meeting all = { .lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER, .n_expected = 6,
                      .inner = ns_team_get_part (team, 3) };

      ns_team_run (ns_team_get_part (team, 2), 2, meet_inside, &all);
      g_assert_cmpuint (all.n_here, ==, 6);
    }
  ns_team_free (team);
}

/* ---- layouts ---- */

static const NsShape narrow = {
  .depth = 24, .d_model = 32, .d_ff = 64, .heads = 4, .vocab = 9, .batch = 2, .seq_len = 8,
};
/* all matrices of its blocks are in panels */
static const NsShape wide = {
  .depth = 2, .d_model = 768, .d_ff = 3072, .heads = 4, .vocab = 9, .batch = 1, .seq_len = 128,
};

/* With more threads than passes, each pass has some; with fewer, each has one. */
static void
test_layouts (void)
{
  static const struct
  {
    guint threads, passes, workers, team;
  } cases[] = { { 1, 1, 1, 1 }, { 1, 5, 1, 1 }, { 2, 1, 1, 2 }, { 2, 2, 2, 1 }, { 3, 2, 2, 2 },
                { 8, 2, 2, 4 }, { 8, 3, 3, 3 }, { 8, 14, 8, 1 }, { 16, 14, 14, 2 }, { 16, 16, 16, 1 } };
  const NsShape shapes[] = { narrow, wide };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        g_autoptr (NsEngine) engine = ns_engine_new (cases[i].threads, 0);
        g_autoptr (NsExperiment) experiment = check_experiment (shapes[s], "pre");
        NsJobLayout layout = ns_engine_lay_out (engine, experiment, cases[i].passes, TRUE, 0, 0);

        g_assert_cmpuint (layout.n_workers, ==, cases[i].workers);
        g_assert_cmpuint (ns_team_size (layout.workers), ==, cases[i].workers);
        g_assert_cmpuint (ns_team_size (layout.team), ==, cases[i].team);
        g_assert_true (layout.keep_activations);
      }
}

/* A budget without room for all passes has as many as fit; that they keep their activations comes second. */
static void
test_budgets (void)
{
  const NsShape shapes[] = { narrow, wide };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (shapes[s], "pre");
      /* three of four passes, with three threads each; two of them with four and with their activations */
      guint64 lean = 3 * ns_workspace_get_bytes (experiment, FALSE, 3);
      guint64 kept = 2 * ns_workspace_get_bytes (experiment, TRUE, 4);
      g_autoptr (NsEngine) tight = ns_engine_new (8, lean), roomy = ns_engine_new (8, kept);
      NsJobLayout layout = ns_engine_lay_out (tight, experiment, 4, TRUE, 0, 0);

      g_assert_cmpuint (layout.n_workers, ==, 3);
      g_assert_false (layout.keep_activations);
      g_assert_cmpuint (layout.needed, ==, lean);
      layout = ns_engine_lay_out (roomy, experiment, 2, TRUE, 0, 0);
      g_assert_cmpuint (layout.n_workers, ==, 2);
      g_assert_true (layout.keep_activations);
      g_assert_cmpuint (layout.needed, ==, kept);
      layout = ns_engine_lay_out (roomy, experiment, 2, FALSE, 0, 0);
      g_assert_false (layout.keep_activations);
      layout = ns_engine_lay_out (roomy, experiment, 4, TRUE, 0, 0);
      g_assert_cmpuint (layout.n_workers, >=, s == 0 ? 3 : 2); /* the wide one has little to keep */
      g_assert_cmpuint (layout.needed, <=, kept);
    }
}

/* However the threads share passes and products, the numbers are the same. */
static void
test_same_bits (void)
{
  const NsShape shapes[] = { narrow, wide };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (shapes[s], "pre post");
      g_autoptr (NsResult) expected = NULL;

      experiment->sampling.seeds = 2;
      expected = check_run (experiment, 1, 0);
      for (guint threads = 2; threads <= 11; threads += 3)
        {
          g_autoptr (NsResult) result = check_run (experiment, threads, 0);

          g_assert_cmpuint (check_count_different_all (expected, result), ==, 0);
        }
    }
}

void
add_team_tests (void)
{
  g_test_add_func ("/team/loops", test_loops);
  g_test_add_func ("/team/parts", test_parts);
  g_test_add_func ("/team/threads-join", test_threads_join);
  g_test_add_func ("/team/layouts", test_layouts);
  g_test_add_func ("/team/budgets", test_budgets);
  g_test_add_func ("/team/same-bits", test_same_bits);
}
