/* Test partial results: what a run hands out while it goes on has the bits of its end, grows, and has no more.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-engine.h"
#include "tests.h"

#include <string.h>

#define BUDGET ((guint64) 1 << 28)

static const NsShape tiny = { .depth = 5, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 6, .batch = 2, .vocab = 9 };

/* Compare all numbers of a variant's seed with those of another result; return how many it has. */
static guint
count_same (const NsResult *partial, const NsResult *whole, guint variant, guint seed)
{
  const NsExperiment *experiment = ns_result_get_experiment (whole);
  guint n = 0;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
      for (guint e = 0; e < NS_N_ESTIMATES; e++)
        {
          double value, log10_value, end, log10_end;

          if (!ns_result_get_value_of (partial, variant, q, (NsGradientEstimate) e, site, seed, &value, &log10_value))
            continue;
          g_assert_true (ns_result_get_value_of (whole, variant, q, (NsGradientEstimate) e, site, seed, &end,
                                                 &log10_end));
          g_assert_cmpint (memcmp (&value, &end, sizeof value), ==, 0);
          g_assert_cmpint (memcmp (&log10_value, &log10_end, sizeof value), ==, 0);
          n++;
        }
  return n;
}

/* Return TRUE if the statistic of the seeds has a number there. */
static gboolean
has (const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  NsStat stat;

  return ns_result_get_stat (result, variant, quantity, site, &stat);
}

/* A forward pass comes up the stack, the backward pass then goes down. */
static void
check_order (const NsResult *partial, guint variant)
{
  gint64 L = ns_result_get_experiment (partial)->shape.depth;

  for (gint64 site = 1; site <= L; site++)
    {
      if (has (partial, variant, NS_Q_RMS_X, site))
        g_assert_true (has (partial, variant, NS_Q_RMS_X, site - 1));
      if (has (partial, variant, NS_Q_GRAD_X, site - 1))
        g_assert_true (has (partial, variant, NS_Q_GRAD_X, site));
    }
  if (has (partial, variant, NS_Q_GRAD_X, L))
    g_assert_true (has (partial, variant, NS_Q_RMS_X, L));
}

static void
keep (gpointer user_data, NsResult *partial)
{
  g_ptr_array_add (user_data, partial);
}

static GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) ns_result_unref);
}

/* Check the partial results of a run against its end. With several threads, of which the system stops any at any time,
 * a pass may run as a whole between two partial results. */
static void
check_all (const GPtrArray *partials, const NsResult *whole, guint n_threads)
{
  const NsExperiment *experiment = ns_result_get_experiment (whole);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint s = 0; s < ns_result_get_n_seeds (whole); s++)
      {
        guint all = count_same (whole, whole, v, s), before = 0, first = 0;

        for (guint i = 0; i < partials->len; i++)
          {
            const NsResult *partial = g_ptr_array_index (partials, i);
            guint n;

            g_assert_true (ns_result_is_partial (partial));
            n = count_same (partial, whole, v, s);
            g_assert_cmpuint (n, >=, before);
            first = i == 0 ? n : first;
            before = n;
            if (ns_result_get_n_seeds (whole) == 1)
              check_order (partial, v);
          }
        if (n_threads > 1)
          continue;
        g_assert_cmpuint (first, <, all);
        g_assert_cmpuint (before, >, all / 2);
      }
}

static void
check_partials (const char *variants, gint64 n_seeds, gint64 n_batches, guint n_threads, gboolean keeps)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, variants);
  g_autoptr (GPtrArray) partials = new_list ();
  const NsResultWatch watch = { 0, 0, 0, keep, partials };
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, BUDGET);
  g_autoptr (NsResult) fresh = NULL;
  g_autoptr (NsResult) whole = NULL;

  g_test_message ("%s, %u threads", variants, n_threads);
  experiment->sampling.seeds = n_seeds;
  experiment->sampling.batches = n_batches;
  if (keeps)
    ns_engine_keep_activations (engine);
  fresh = check_run (experiment, 1, BUDGET);
  /* the second run of an engine that keeps activations goes on from the first one's */
  for (int run = 0; run < 2; run++)
    {
      g_ptr_array_set_size (partials, 0);
      g_clear_pointer (&whole, ns_result_unref);
      whole = ns_engine_run_watched (engine, experiment, NULL, 0, (guint) n_seeds, &watch, NULL, NULL);
      g_assert_nonnull (whole);
      g_assert_false (ns_result_is_partial (whole));
      g_assert_cmpuint (check_count_different_all (fresh, whole), ==, 0);
      g_assert_cmpuint (partials->len, >, 0);
      check_all (partials, whole, n_threads);
    }
}

static void
test_numbers (void)
{
  for (guint n_threads = 1; n_threads <= 3; n_threads += 2)
    {
      check_partials ("pre post", 1, 1, n_threads, FALSE);
      check_partials ("pre post deepnorm", 3, 1, n_threads, FALSE);
      check_partials ("pre post", 2, 2, n_threads, FALSE);
      check_partials ("pre post", 1, 1, n_threads, TRUE);
    }
}

/* What an overflow leaves out does not exist before the end, and is NaN at the end. */
static void
test_overflow (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "none:residual_scale=1e6");
  g_autoptr (GPtrArray) partials = new_list ();
  const NsResultWatch watch = { 0, 0, 0, keep, partials };
  g_autoptr (NsEngine) engine = ns_engine_new (1, BUDGET);
  g_autoptr (NsResult) whole = NULL;

  whole = ns_engine_run_watched (engine, experiment, NULL, 0, 1, &watch, NULL, NULL);
  g_assert_nonnull (whole);
  g_assert_cmpint (ns_result_get_overflow (whole, 0, 0), >, 0);
  g_assert_true (has (whole, 0, NS_Q_GRAD_X, 1));
  g_assert_true (isnan (check_value (whole, 0, NS_Q_GRAD_X, 1, 0)));
  g_assert_cmpuint (partials->len, >, 0);
  for (guint i = 0; i < partials->len; i++)
    g_assert_false (has (g_ptr_array_index (partials, i), 0, NS_Q_GRAD_X, 1));
}

/* With one thread the passes that have ended before the first partial result are whole in it, then comes the one that
 * runs. */
static void
test_ended (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre");
  g_autoptr (GPtrArray) partials = new_list ();
  const NsResultWatch watch = { 20, G_MAXUINT, 0, keep, partials };
  g_autoptr (NsEngine) engine = ns_engine_new (1, BUDGET);
  g_autoptr (NsResult) whole = NULL;
  guint all, n_whole = 0, n_some = 0;

  experiment->sampling.seeds = 1000; /* a multiple of 20 ms */
  whole = ns_engine_run_watched (engine, experiment, NULL, 0, 1000, &watch, NULL, NULL);
  g_assert_nonnull (whole);
  g_assert_cmpuint (partials->len, ==, 1);
  all = count_same (whole, whole, 0, 0);
  for (guint s = 0; s < 1000; s++)
    {
      guint n = count_same (g_ptr_array_index (partials, 0), whole, 0, s);

      if (n == all)
        g_assert_cmpuint (n_whole++, ==, s);
      else if (n > 0)
        g_assert_cmpuint (n_some++, ==, 0);
    }
  g_assert_cmpuint (n_whole, >, 0);
  g_assert_cmpuint (n_whole + n_some, <, 1000);
}

/* A run that ends before the first partial result is due shows none. */
static void
test_times (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  g_autoptr (GPtrArray) partials = new_list ();
  const NsResultWatch watch = { G_MAXUINT, G_MAXUINT, 0, keep, partials };
  g_autoptr (NsEngine) engine = ns_engine_new (2, BUDGET);
  g_autoptr (NsResult) whole = ns_engine_run_watched (engine, experiment, NULL, 0, 1, &watch, NULL, NULL);

  g_assert_nonnull (whole);
  g_assert_false (ns_result_is_partial (whole));
  g_assert_cmpuint (partials->len, ==, 0);
}

void
add_partial_tests (void)
{
  g_test_add_func ("/partial/numbers", test_numbers);
  g_test_add_func ("/partial/overflow", test_overflow);
  g_test_add_func ("/partial/ended", test_ended);
  g_test_add_func ("/partial/times", test_times);
}
