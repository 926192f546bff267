/* Test refused jobs, and jobs that other threads cancel, watch or run at the same time.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-arrays.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const NsShape small = {
  .depth = 8, .d_model = 32, .heads = 4, .d_ff = 64, .seq_len = 8, .batch = 1, .vocab = 40,
};

/* ---- refusals ---- */

static void
test_beyond_memory (void)
{
  const NsShape shapes[] = {
    { .depth = 65536, .d_model = 65536, .heads = 1, .d_ff = 4, .seq_len = 1024, .batch = 64, .vocab = 2 },
    { .depth = 1, .d_model = 8, .heads = 8, .d_ff = 4, .seq_len = 65536, .batch = 65536, .vocab = 2 },
    { .depth = 65536, .d_model = 65536, .heads = 4096, .d_ff = 1048576, .seq_len = 65536, .batch = 65536,
      .vocab = 1048576 },
    /* the largest valid values together overflow the count of bytes */
    { .depth = 65536, .d_model = 65536, .heads = 4096, .kv_heads = 4096, .d_head = 65536, .d_ff = 1048576,
      .seq_len = 65536, .batch = 65536, .vocab = 1048576 },
  };
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
      g_autoptr (GError) error = NULL, arrays_error = NULL;
      g_autofree char *available = g_format_size_full (ns_machine_memory (), G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *needed = NULL;
      guint64 bytes;

      experiment->shape = shapes[i];
      experiment->shape.stack = i == 1 ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
      bytes = ns_engine_get_needed_memory (engine, experiment);
      needed = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
      g_assert_cmpuint (bytes, >, ns_machine_memory ());
      g_assert_null (ns_engine_run (engine, experiment, 0, 1, NULL, &error));
      g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_MEMORY);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, available));
      g_assert_nonnull (strstr (error->message, bytes == G_MAXUINT64 ? "more than 16 EiB" : needed));
      g_assert_nonnull (strstr (error->message, "d_model"));
      g_assert_false (ns_engine_foreach_array (engine, experiment, 0, 0, NULL, NULL, &arrays_error));
      g_assert_error (arrays_error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_MEMORY);
    }
}

static void
test_needed_memory (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0), tight = ns_engine_new (1, 1);
  guint64 shallow, deep;

  shallow = ns_engine_get_needed_memory (engine, experiment);
  experiment->shape.depth = 800;
  deep = ns_engine_get_needed_memory (engine, experiment);
  g_assert_cmpuint (shallow, >, 8 * 32 * 9 * 4); /* at least the residual stream */
  g_assert_cmpuint (deep - shallow, >, 792 * 10 * 8 * 32 * 4); /* ten arrays of the stream for each block */
  /* two such stacks, plus cross-attention and the encoder's output */
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_cmpuint (ns_engine_get_needed_memory (engine, experiment), >, 2 * deep + 792 * 4 * 8 * 32 * 4);
  g_assert_cmpuint (ns_engine_get_needed_memory (tight, experiment), <, deep);
  experiment->shape.stack = NS_STACK_SINGLE;
  /* without a budget activations are recomputed, and only the stream and the result grow with depth */
  g_assert_cmpuint (ns_engine_get_needed_memory (tight, experiment), <, deep / 2);
}

static void
test_invalid (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (GError) error = NULL;

  experiment->shape.heads = 5;
  g_assert_null (ns_engine_run (engine, experiment, 0, 1, NULL, &error));
  g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "heads"));
}

/* ---- progress ---- */

static void
test_totals (void)
{
  const guint threads[] = { 1, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post");
      g_autoptr (NsEngine) engine = ns_engine_new (threads[i], i == 0 ? 0 : 1);
      g_autoptr (NsProgress) progress = ns_progress_new ();
      g_autoptr (NsResult) result = NULL;
      guint64 done = 1, total = 1;

      ns_progress_get (progress, &done, &total);
      g_assert_cmpuint (done, ==, 0);
      g_assert_cmpuint (total, ==, 0);
      experiment->sampling.seeds = 3;
      result = ns_engine_run (engine, experiment, 0, 3, progress, NULL);
      g_assert_nonnull (result);
      ns_progress_get (progress, &done, &total);
      g_assert_cmpuint (total, ==, 2 * 8 * 2 * 3);
      g_assert_cmpuint (done, ==, total);
      {
        g_autoptr (NsProgress) pair_progress = ns_progress_new ();
        g_autoptr (NsResult) pair_result = NULL;

        /* the blocks of both parts count */
        experiment->shape.stack = NS_STACK_ENCODER_DECODER;
        pair_result = ns_engine_run (engine, experiment, 0, 3, pair_progress, NULL);
        g_assert_nonnull (pair_result);
        ns_progress_get (pair_progress, &done, &total);
        g_assert_cmpuint (total, ==, 2 * 16 * 2 * 3);
        g_assert_cmpuint (done, ==, total);
      }
      g_assert_false (ns_progress_is_cancelled (progress));
      g_assert_cmpuint (ns_result_get_threads (result), ==, ns_engine_get_threads (engine));
      g_assert_cmpfloat (ns_result_get_elapsed_ms (result), >, 0);
    }
}

/* ---- cancelling ---- */

/* Cancel after `wanted` blocks. at_cancel is the number of blocks done at that moment. */
typedef struct
{
  NsProgress *progress;
  guint64 wanted, at_cancel;
  atomic_bool finished;
} Canceller;

static void *
cancel_main (void *data)
{
  Canceller *c = data;
  guint64 total;

  for (c->at_cancel = 0; c->at_cancel < c->wanted && !atomic_load (&c->finished);
       ns_progress_get (c->progress, &c->at_cancel, &total))
    g_usleep (20);
  ns_progress_cancel (c->progress);
  ns_progress_get (c->progress, &c->at_cancel, &total);
  return NULL;
}

static void
check_cancel (NsStack stack, guint n_threads, guint64 budget, guint64 wanted)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post none");
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (NsResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Canceller canceller = { .progress = ns_progress_ref (progress), .wanted = wanted };
  pthread_t thread;
  guint64 done, total;

  experiment->shape.stack = stack;
  experiment->shape.depth = 600;
  experiment->sampling.seeds = 12;
  g_assert_cmpint (pthread_create (&thread, NULL, cancel_main, &canceller), ==, 0);
  g_assert_null (ns_engine_run (engine, experiment, 0, 12, progress, &error));
  atomic_store (&canceller.finished, TRUE);
  pthread_join (thread, NULL);
  ns_progress_unref (canceller.progress);

  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_assert_true (ns_progress_is_cancelled (progress));
  ns_progress_get (progress, &done, &total);
  /* each thread at most finishes its current block */
  g_assert_cmpuint (done, <=, canceller.at_cancel + 2 * n_threads);
  g_assert_cmpuint (done, <, total / 2);

  /* the engine computes the next run correctly */
  experiment->shape.depth = 3;
  experiment->sampling.seeds = 1;
  result = check_run_on (engine, experiment);
  g_autoptr (NsResult) fresh = check_run (experiment, 1, 0);
  g_assert_cmpuint (check_count_different_all (result, fresh), ==, 0);
}

static void
test_cancel (void)
{
  check_cancel (NS_STACK_SINGLE, 1, 0, 50);
  check_cancel (NS_STACK_SINGLE, 1, 1, 700);
  check_cancel (NS_STACK_SINGLE, 3, 0, 100);
  check_cancel (NS_STACK_SINGLE, 2, 0, 0);
  /* in the forward pass of the encoder and of the decoder, then in the backward pass of the decoder and of the
   * encoder */
  check_cancel (NS_STACK_ENCODER_DECODER, 1, 0, 300);
  check_cancel (NS_STACK_ENCODER_DECODER, 1, 0, 800);
  check_cancel (NS_STACK_ENCODER_DECODER, 1, 1, 1500);
  check_cancel (NS_STACK_ENCODER_DECODER, 2, 0, 2100);
}

static void
test_cancelled_before (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  guint64 done, total;

  ns_progress_cancel (progress);
  g_assert_null (ns_engine_run (engine, experiment, 0, 1, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  ns_progress_get (progress, &done, &total);
  g_assert_cmpuint (done, <=, 1);
}

/* ---- several engines ---- */

typedef struct
{
  const NsExperiment *experiment;
  const NsResult *expected;
  guint n_threads, different;
} Concurrent;

static void *
run_concurrently (void *data)
{
  Concurrent *b = data;
  g_autoptr (NsEngine) engine = ns_engine_new (b->n_threads, 0);

  for (int round = 0; round < 3; round++)
    {
      g_autoptr (NsResult) result = check_run_on (engine, b->experiment);

      b->different += check_count_different_all (b->expected, result);
    }
  return NULL;
}

static void
test_two_engines (void)
{
  g_autoptr (NsExperiment) a = check_experiment (small, "pre post:activation=swiglu");
  g_autoptr (NsExperiment) b = check_experiment (small, "none:attn.residual=off branch:attention=causal");
  g_autoptr (NsResult) ra = NULL, rb = NULL;
  pthread_t threads[2];

  a->sampling.seeds = 4;
  b->sampling.seeds = 3;
  b->shape.depth = 20;
  ra = check_run (a, 1, 0);
  rb = check_run (b, 1, 0);
  {
    Concurrent concurrent[2] = { { a, ra, 2, 0 }, { b, rb, 3, 0 } };

    for (int i = 0; i < 2; i++)
      g_assert_cmpint (pthread_create (&threads[i], NULL, run_concurrently, &concurrent[i]), ==, 0);
    for (int i = 0; i < 2; i++)
      {
        pthread_join (threads[i], NULL);
        g_assert_cmpuint (concurrent[i].different, ==, 0);
      }
  }
}

/* Read the progress until it is cancelled, then drop the reference. */
static void *
watch_main (void *data)
{
  NsProgress *progress = data;
  guint64 done = 0, total = 0, before = 0;

  while (!ns_progress_is_cancelled (progress))
    {
      ns_progress_get (progress, &done, &total);
      g_assert_cmpuint (done, >=, before);
      before = done;
    }
  ns_progress_unref (progress);
  return NULL;
}

static void
test_watchers (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  Canceller cancellers[2];
  pthread_t watchers[2], threads[2];

  experiment->shape.depth = 300;
  experiment->sampling.seeds = 12;
  for (int i = 0; i < 2; i++)
    {
      cancellers[i] = (Canceller){ .progress = progress, .wanted = 40 };
      g_assert_cmpint (pthread_create (&watchers[i], NULL, watch_main, ns_progress_ref (progress)), ==, 0);
      g_assert_cmpint (pthread_create (&threads[i], NULL, cancel_main, &cancellers[i]), ==, 0);
    }
  g_assert_null (ns_engine_run (engine, experiment, 0, 12, progress, NULL));
  for (int i = 0; i < 2; i++)
    {
      pthread_join (watchers[i], NULL);
      pthread_join (threads[i], NULL);
    }
}

void
add_jobs_tests (void)
{
  g_test_add_func ("/jobs/beyond-memory", test_beyond_memory);
  g_test_add_func ("/jobs/needed-memory", test_needed_memory);
  g_test_add_func ("/jobs/invalid", test_invalid);
  g_test_add_func ("/jobs/totals", test_totals);
  g_test_add_func ("/jobs/cancel", test_cancel);
  g_test_add_func ("/jobs/cancelled-before", test_cancelled_before);
  g_test_add_func ("/jobs/two-engines", test_two_engines);
  g_test_add_func ("/jobs/watchers", test_watchers);
}
