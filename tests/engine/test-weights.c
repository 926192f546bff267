/* Test the store of weights: what it keeps from seed to seed, and that each matrix has its values.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/pass/ns-weights.h"
#include "engine/run/ns-engine-private.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <pthread.h>

#define IN 64
#define OUT 48
#define BYTES (IN * OUT * sizeof (ns_real))
#define N_BLOCKS 12

static NsRandomKey
get_key (guint64 seed, guint block)
{
  return (NsRandomKey){ .seed = seed, .block = block, .stream = NS_STREAM_W_1 };
}

/* Get the matrices of a seed, which must have their values; `first` (nullable) gets the place of the first. */
static void
get_all (NsWeights *weights, guint64 seed, const ns_real **first)
{
  ns_real expected[IN * OUT];

  for (guint block = 0; block < N_BLOCKS; block++)
    {
      const ns_real *values
        = ns_weights_get (weights, get_key (seed, block), NS_DISTRIBUTION_NORMAL, 0, IN, OUT, NULL, NULL);

      ns_weights_fill (expected, get_key (seed, block), NS_DISTRIBUTION_NORMAL, OUT, 0, IN, 0, OUT);
      g_assert_cmpmem (values, BYTES, expected, BYTES);
      if (block == 0 && first != NULL)
        *first = values;
    }
}

/* The matrices of a seed whose passes have ended make room for those of the next. */
static void
test_next_seed (void)
{
  NsWeights *weights = ns_weights_new (1 << 30);

  for (guint64 seed = 1; seed < 20; seed++)
    {
      ns_weights_begin (weights, seed);
      ns_weights_begin (weights, seed); /* another variant */
      get_all (weights, seed, NULL);
      ns_weights_end (weights, seed);
      get_all (weights, seed, NULL);
      ns_weights_end (weights, seed);
      g_assert_cmpuint (ns_weights_get_bytes (weights), ==, N_BLOCKS * BYTES);
    }
  ns_weights_free (weights);
}

/* As long as a pass of a seed runs, its matrices stay where they are. */
static void
test_running (void)
{
  NsWeights *weights = ns_weights_new (1 << 30);
  const ns_real *first, *again;

  ns_weights_begin (weights, 1);
  get_all (weights, 1, &first);
  ns_weights_begin (weights, 2);
  get_all (weights, 2, NULL);
  ns_weights_end (weights, 2);
  ns_weights_begin (weights, 3);
  get_all (weights, 3, NULL); /* in place of seed 2 */
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 2 * N_BLOCKS * BYTES);
  get_all (weights, 1, &again);
  g_assert_true (again == first);
  ns_weights_end (weights, 1);
  ns_weights_end (weights, 3);
  get_all (weights, 1, &again); /* nothing was needed meanwhile */
  g_assert_true (again == first);
  ns_weights_free (weights);
}

/* Neither seeds without passes are dropped, nor any in a store that is told to keep them. */
static void
test_kept (void)
{
  const NsShape shape = { .depth = 2, .d_model = IN, .d_ff = OUT, .heads = 4, .vocab = 50, .batch = 1, .seq_len = 4 };
  g_autoptr (NsExperiment) experiment = check_experiment (shape, "pre");
  NsWeights *weights = ns_weights_new (1 << 30);

  get_all (weights, 1, NULL);
  get_all (weights, 2, NULL);
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 2 * N_BLOCKS * BYTES);
  ns_weights_trim (weights, experiment, 1, 3); /* both may be of use, until another seed is needed */
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 2 * N_BLOCKS * BYTES);
  ns_weights_begin (weights, 2);
  ns_weights_begin (weights, 3);
  get_all (weights, 3, NULL); /* in place of seed 1 */
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 2 * N_BLOCKS * BYTES);
  ns_weights_end (weights, 2);
  ns_weights_end (weights, 3);

  ns_weights_keep (weights);
  for (guint64 seed = 4; seed < 9; seed++)
    {
      ns_weights_begin (weights, seed);
      get_all (weights, seed, NULL);
      ns_weights_end (weights, seed);
    }
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 7 * N_BLOCKS * BYTES);
  ns_weights_clear (weights);
  g_assert_cmpuint (ns_weights_get_bytes (weights), ==, 0);
  ns_weights_free (weights);
}

/* ---- several threads ---- */

#define SIDE 512 /* of a matrix that several threads draw */
#define N_THREADS 4

typedef struct
{
  NsWeights *weights;
  NsTeam *team;              /* of one of the threads */
  pthread_barrier_t barrier; /* all threads ask for the same matrix at once */
  const ns_real *values[N_BLOCKS][N_THREADS];
} Shared;

typedef struct
{
  Shared *shared;
  guint index;
} Asking;

static void *
ask (void *data)
{
  const Asking *asking = data;
  Shared *shared = asking->shared;
  g_autofree ns_real *expected = g_new (ns_real, SIDE * SIDE);

  for (guint block = 0; block < N_BLOCKS; block++)
    {
      const ns_real *values;

      ns_weights_fill (expected, get_key (7, block), NS_DISTRIBUTION_NORMAL, SIDE, 0, SIDE, 0, SIDE);
      pthread_barrier_wait (&shared->barrier);
      values = ns_weights_get (shared->weights, get_key (7, block), NS_DISTRIBUTION_NORMAL, 0, SIDE, SIDE,
                               asking->index == 0 ? shared->team : NULL, NULL);
      g_assert_cmpmem (values, SIDE * SIDE * sizeof *values, expected, SIDE * SIDE * sizeof *expected);
      shared->values[block][asking->index] = values;
    }
  return NULL;
}

/* Threads that need the same matrix draw it together, once, and none goes on before it is whole. */
static void
test_together (void)
{
  for (int round = 0; round < 5; round++)
    {
      Shared shared = { .weights = ns_weights_new (1 << 30), .team = ns_team_new (2) };
      Asking asking[N_THREADS];
      pthread_t threads[N_THREADS];

      pthread_barrier_init (&shared.barrier, NULL, N_THREADS);
      for (guint i = 0; i < N_THREADS; i++)
        {
          asking[i] = (Asking){ &shared, i };
          g_assert_cmpint (pthread_create (&threads[i], NULL, ask, &asking[i]), ==, 0);
        }
      for (guint i = 0; i < N_THREADS; i++)
        pthread_join (threads[i], NULL);
      for (guint block = 0; block < N_BLOCKS; block++)
        for (guint i = 1; i < N_THREADS; i++)
          g_assert_true (shared.values[block][i] == shared.values[block][0]);
      g_assert_cmpuint (ns_weights_get_bytes (shared.weights), ==, N_BLOCKS * SIDE * SIDE * sizeof (ns_real));
      pthread_barrier_destroy (&shared.barrier);
      ns_team_free (shared.team);
      ns_weights_free (shared.weights);
    }
}

/* ---- engines ---- */

static const NsShape tiny = { .depth = 6, .d_model = 32, .d_ff = 64, .heads = 4, .vocab = 9, .batch = 2, .seq_len = 8 };

/* An engine needs the weights of as many seeds as run at a time, and computes the same. */
static void
test_engine (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0), keeping = ns_engine_new (2, 0);
  g_autoptr (NsResult) one = NULL, all = NULL, kept = NULL;
  guint64 bytes;

  ns_engine_keep_weights (keeping);
  one = check_run_on (engine, experiment);
  bytes = ns_weights_get_bytes (engine->weights);
  g_assert_cmpuint (bytes, >, 0);
  experiment->sampling.seeds = 10;
  all = check_run_on (engine, experiment);
  g_assert_cmpuint (ns_weights_get_bytes (engine->weights), <=, 2 * bytes);
  kept = check_run_on (keeping, experiment);
  g_assert_cmpuint (ns_weights_get_bytes (keeping->weights), ==, 10 * bytes);
  g_assert_cmpuint (check_count_different_all (all, kept), ==, 0);
}

/* The same where each seed is a run of its own, as with a checkpoint, and where its memory goes by paths. */
static void
test_runs (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  const NsPathsSettings settings = { .kind = NS_PATHS_CONTRIBUTIONS };
  g_autoptr (NsPaths) paths = NULL;
  guint64 bytes = 0;

  experiment->sampling.seeds = 10;
  for (guint seed = 0; seed < 10; seed++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (NsResult) result = ns_engine_run (engine, experiment, seed, 1, NULL, &error);

      g_assert_no_error (error);
      if (seed == 0)
        bytes = ns_weights_get_bytes (engine->weights);
      g_assert_cmpuint (ns_weights_get_bytes (engine->weights), ==, bytes);
    }
  paths = ns_engine_run_paths (engine, experiment, &settings, 0, 10, NULL, NULL);
  g_assert_nonnull (paths);
  g_assert_cmpuint (ns_weights_get_bytes (engine->weights), <=, 2 * bytes);
}

/* The same in a sweep. */
static void
test_sweep (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsResult) one = check_run_on (engine, experiment);
  guint64 bytes = ns_weights_get_bytes (engine->weights);
  const gint64 depths[] = { 2, 4, 6 };
  g_autoptr (NsSweep) sweep = NULL;
  g_autoptr (GError) error = NULL;

  experiment->sampling.seeds = 10;
  sweep = ns_sweep_new (experiment, NS_SWEEP_DEPTH, depths, G_N_ELEMENTS (depths),
                        (NsMetric){ NS_Q_W_2, NS_AT_LAST, 0 }, &error);
  g_assert_no_error (error);
  g_assert_true (ns_engine_run_sweep (engine, sweep, NULL, &error));
  g_assert_cmpuint (ns_weights_get_bytes (engine->weights), <=, 2 * bytes);
}

void
add_weights_tests (void)
{
  g_test_add_func ("/weights/next-seed", test_next_seed);
  g_test_add_func ("/weights/running", test_running);
  g_test_add_func ("/weights/kept", test_kept);
  g_test_add_func ("/weights/together", test_together);
  g_test_add_func ("/weights/engine", test_engine);
  g_test_add_func ("/weights/runs", test_runs);
  g_test_add_func ("/weights/sweep", test_sweep);
}
