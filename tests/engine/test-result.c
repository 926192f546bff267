/* Test results: storage, statistics, merging and use from several threads.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "settings.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-result-private.h"
#include "tests.h"

#include <math.h>
#include <pthread.h>

/* ---- storage ---- */

static double
number_for (guint variant, guint quantity, gint64 site, guint seed)
{
  return 1 + seed + 100.0 * (double) (site + 100 * (gint64) (quantity + NS_N_QUANTITIES * variant));
}

/* Fill `result` with distinct numbers; its first seed counts as seed `first`. */
static void
fill (NsResult *result, guint first)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
          if (ns_quantity_exists ((NsQuantity) q, experiment, v, site))
            ns_result_set (result, v, (NsQuantity) q, site, s, number_for (v, q, site, first + s),
                           -number_for (v, q, site, first + s));
}

static void
assert_filled (const NsResult *result)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  guint n_found = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        for (guint s = 0; s < ns_result_get_n_seeds (result); s++)
          {
            double value, log10_value;

            if (!ns_result_get_value (result, v, (NsQuantity) q, site, s, &value, &log10_value))
              continue;
            g_assert_cmpfloat (value, ==, number_for (v, q, site, s));
            if (!ns_quantity_has_log10 ((NsQuantity) q))
              g_assert_true (isnan (log10_value));
            else
              g_assert_cmpfloat (log10_value, ==, -value);
            n_found++;
          }
  g_assert_cmpuint (n_found, >, 100);
}

static NsExperiment *
several_variants (void)
{
  NsExperiment *experiment = one_variant ("mix");

  g_ptr_array_add (experiment->variants, ns_variant_from_text ("pre:activation=swiglu,bias=on", NULL));
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("parallel:attention=uniform", NULL));
  return experiment;
}

/* Create an encoder-decoder with quantities that only some of its blocks have. */
static NsExperiment *
several_pairs (void)
{
  NsExperiment *experiment = one_variant ("mix");

  g_ptr_array_add (experiment->variants, ns_variant_from_text ("pre:norm=dyt,bias=on,input_norm=on", NULL));
  g_ptr_array_add (experiment->variants,
                   ns_variant_from_text ("post:qk_norm=full,branch_parameter=vector,cross.inner_norm=on", NULL));
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_true (ns_experiment_validate (experiment, NULL));
  return experiment;
}

/* Quantities of the decoder only, of two of eight blocks in each part, of both inputs, and of the head. */
static void
test_pair_storage (void)
{
  g_autoptr (NsExperiment) experiment = several_pairs ();
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, 3, NULL);
  const gint64 decoder = DEPTH + 1, head = 2 * (DEPTH + 1);
  NsStat stat;

  fill (result, 0);
  assert_filled (result);
  for (gint64 site = 0; site <= head + 1; site++)
    {
      gint64 layer = site % (DEPTH + 1);
      gboolean in_decoder = site > decoder && site < head, is_block = site < head && layer > 0;
      gboolean is_post = is_block && layer <= 2, is_input = site == 0 || site == decoder;

      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_CROSS, site, 2, NULL, NULL), ==, in_decoder);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_RMS_CROSS, site, 2, NULL, NULL), ==, in_decoder);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_CROSS_W_O, site, 2, NULL, NULL), ==, in_decoder);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_GAIN_CROSS_POST, site, 2, NULL, NULL), ==,
                       in_decoder && is_post);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_GAIN_CROSS_PRE, site, 2, NULL, NULL), ==,
                       in_decoder && !is_post);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_GAIN_ATTN_POST, site, 2, NULL, NULL), ==, is_post);
      g_assert_cmpint (ns_result_get_value (result, 0, NS_Q_GAIN_FFN_PRE, site, 2, NULL, NULL), ==,
                       is_block && !is_post);
      g_assert_cmpint (ns_result_get_value (result, 1, NS_Q_ALPHA_INPUT, site, 2, NULL, NULL), ==, is_input);
      g_assert_cmpint (ns_result_get_value (result, 1, NS_Q_BIAS_ENCODER_FINAL, site, 2, NULL, NULL), ==,
                       site == head);
      g_assert_cmpint (ns_result_get_value (result, 2, NS_Q_GAIN_CROSS_INNER, site, 2, NULL, NULL), ==, in_decoder);
      g_assert_cmpint (ns_result_get_value (result, 2, NS_Q_SCALE_CROSS, site, 2, NULL, NULL), ==, in_decoder);
      g_assert_cmpint (ns_result_get_stat (result, 0, NS_Q_GRAD_X, site, &stat), ==, site < head);
    }
}

/* Values neither overlap nor get lost. */
static void
test_storage (void)
{
  g_autoptr (NsExperiment) experiment = several_variants ();
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 5, 3, NULL);
  double value = 0, log10_value = 0;
  NsStat stat = { .mean = 42 };

  g_assert_true (ns_experiment_equal (ns_result_get_experiment (result), experiment));
  g_assert_true (ns_result_get_experiment (result) != experiment);
  g_assert_cmpuint (ns_result_get_first_seed (result), ==, 5);
  g_assert_cmpuint (ns_result_get_n_seeds (result), ==, 3);

  g_assert_true (ns_result_get_value (result, 0, NS_Q_W_Q, 1, 0, &value, &log10_value));
  g_assert_true (isnan (value) && isnan (log10_value));
  fill (result, 0);
  assert_filled (result);

  g_assert_false (ns_result_get_value (result, 0, NS_Q_W_3, 1, 0, &value, NULL));
  g_assert_false (ns_result_get_stat (result, 0, NS_Q_GAIN_ATTN_PRE, 1, &stat));
  g_assert_cmpfloat (stat.mean, ==, 42);
  g_assert_true (ns_result_get_stat (result, 0, NS_Q_GAIN_ATTN_PRE, DEPTH, &stat));

  ns_result_set_elapsed (result, 12.5, 2);
  g_assert_cmpfloat (ns_result_get_elapsed_ms (result), ==, 12.5);
  g_assert_cmpuint (ns_result_get_threads (result), ==, 2);
}

/* Count the quantities of the only variant at a site. */
static guint64
count_at (const NsExperiment *experiment, gint64 site)
{
  guint64 n = 0;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    n += ns_quantity_exists (q, experiment, 0, site) ? 1 : 0;
  return n;
}

static guint64
count_all (const NsExperiment *experiment)
{
  guint64 n = 0;

  for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
    n += count_at (experiment, site);
  return n;
}

static void
test_size (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre");
  NsQuantitySet all = { { 0 } };
  guint64 one;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    ns_quantity_set_add (&all, q);
  one = ns_result_get_needed_bytes (experiment, 1, &all);

  /* Two doubles for each quantity at each site, and one overflow site. */
  g_assert_cmpuint (one, ==, count_all (experiment) * 16 + 8);
  g_assert_cmpuint (count_all (experiment), >=, 16 * DEPTH + 3 + 3);
  g_assert_cmpuint (ns_result_get_needed_bytes (experiment, 64, &all), ==, 64 * one);
  {
    g_autoptr (NsExperiment) pair = ns_experiment_copy (experiment);
    guint64 both, in_block;

    pair->shape.stack = NS_STACK_ENCODER_DECODER;
    both = ns_result_get_needed_bytes (pair, 1, &all);
    g_assert_cmpuint (both, >=, count_all (pair) * 16 + 8);
    /* A result may reserve space in every block for quantities of some blocks. A decoder block has the most
     * quantities. */
    in_block = count_at (pair, ns_experiment_get_site (pair, NS_PART_DECODER, 1));
    g_assert_cmpuint (both, <=, (2 * in_block * (DEPTH + 1) + 8) * 16 + 8);
  }
  experiment->shape.depth = 65536;
  g_assert_cmpuint (ns_result_get_needed_bytes (experiment, G_MAXUINT, &all), >, (guint64) 1 << 50);
  g_assert_null (ns_result_new_of (experiment, 0, G_MAXUINT, NULL));
}

static void
test_overflow (void)
{
  g_autoptr (NsExperiment) experiment = several_variants ();
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, 4, NULL);
  guint seed = 99;

  g_assert_cmpint (ns_result_get_first_overflow (result, 1, &seed), ==, 0);
  g_assert_cmpuint (seed, ==, 99);
  ns_result_set_overflow (result, 1, 0, DEPTH + 1);
  ns_result_set_overflow (result, 1, 2, 3);
  ns_result_set_overflow (result, 1, 3, 3);
  g_assert_cmpint (ns_result_get_overflow (result, 1, 0), ==, DEPTH + 1);
  g_assert_cmpint (ns_result_get_overflow (result, 1, 1), ==, 0);
  g_assert_cmpint (ns_result_get_first_overflow (result, 1, &seed), ==, 3);
  g_assert_cmpuint (seed, ==, 2);
  g_assert_cmpint (ns_result_get_first_overflow (result, 0, NULL), ==, 0);
}

/* The encoder comes before the decoder, and the head after both. */
static void
test_pair_overflow (void)
{
  g_autoptr (NsExperiment) experiment = several_pairs ();
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, 3, NULL);
  const gint64 head = 2 * (DEPTH + 1);
  guint seed = 99;

  ns_result_set_overflow (result, 1, 0, head);
  g_assert_cmpint (ns_result_get_first_overflow (result, 1, &seed), ==, head);
  g_assert_cmpuint (seed, ==, 0);
  ns_result_set_overflow (result, 1, 1, DEPTH + 1 + 2);
  g_assert_cmpint (ns_result_get_first_overflow (result, 1, &seed), ==, DEPTH + 3);
  g_assert_cmpuint (seed, ==, 1);
  ns_result_set_overflow (result, 1, 2, DEPTH);
  g_assert_cmpint (ns_result_get_first_overflow (result, 1, &seed), ==, DEPTH);
  g_assert_cmpuint (seed, ==, 2);
  g_assert_cmpint (ns_site_get_part (experiment, ns_result_get_overflow (result, 1, 1)), ==, NS_PART_DECODER);
  g_assert_cmpint (ns_site_get_layer (experiment, ns_result_get_overflow (result, 1, 1)), ==, 2);
}

/* ---- statistics ---- */

static NsStat
stat_of (const double *values, const double *logs, guint n, NsQuantity quantity)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre");
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, n, NULL);
  gint64 site = quantity == NS_Q_LOSS ? DEPTH + 1 : 2;
  NsStat stat;

  for (guint s = 0; s < n; s++)
    ns_result_set (result, 0, quantity, site, s, values[s], logs[s]);
  g_assert_true (ns_result_get_stat (result, 0, quantity, site, &stat));
  g_assert_cmpuint (stat.n, ==, n);
  return stat;
}

static void
assert_close (double value, double expected)
{
  g_assert_cmpfloat (fabs (value - expected), <=, 1e-14 * fabs (expected));
}

static void
test_statistics (void)
{
  /* By hand: mean 5, squared differences 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, divided by 7. */
  NsStat stat = stat_of ((double[]) { 2, 4, 4, 4, 5, 5, 7, 9 }, (double[]) { 1, 2, 3, 4, 1, 2, 3, 4 }, 8, NS_Q_W_2);
  assert_close (stat.mean, 5);
  assert_close (stat.std, sqrt (32.0 / 7));
  assert_close (stat.log10_mean, 2.5);
  assert_close (stat.log10_std, sqrt (10.0 / 7));
  g_assert_cmpuint (stat.n_nonfinite, ==, 0);

  stat = stat_of ((double[]) { 3 }, (double[]) { 0.5 }, 1, NS_Q_GRAD_X);
  g_assert_true (stat.mean == 3 && stat.std == 0 && stat.log10_mean == 0.5 && stat.log10_std == 0);

  stat = stat_of ((double[]) { 0.5, -0.5 }, (double[]) { 1, 1 }, 2, NS_Q_TOKEN_COS);
  g_assert_cmpfloat (stat.mean, ==, 0);
  assert_close (stat.std, sqrt (0.5));
  g_assert_true (isnan (stat.log10_mean) && isnan (stat.log10_std));

  stat = stat_of ((double[]) { 5, 6 }, (double[]) { 1, 1 }, 2, NS_Q_LOSS);
  assert_close (stat.mean, 5.5);
  g_assert_true (isnan (stat.log10_mean));
}

/* Two passes keep a small spread on a large mean. Values near both ends of a double's range have valid squares. */
static void
test_statistics_range (void)
{
  NsStat stat = stat_of ((double[]) { 1e9 + 1, 1e9 + 2, 1e9 + 3 }, (double[]) { 9, 9, 9 }, 3, NS_Q_W_Q);
  assert_close (stat.mean, 1e9 + 2);
  assert_close (stat.std, 1);

  stat = stat_of ((double[]) { 1e-200, 2e-200, 3e-200 }, (double[]) { -200, -200, -200 }, 3, NS_Q_W_Q);
  assert_close (stat.mean, 2e-200);
  assert_close (stat.std, 1e-200);

  stat = stat_of ((double[]) { 1e308, 1.5e308, 0.5e308 }, (double[]) { 308, 308, 308 }, 3, NS_Q_W_Q);
  assert_close (stat.mean, 1e308);
  assert_close (stat.std, 0.5e308);
}

static void
test_statistics_nonfinite (void)
{
  /* Underflow: the value is 0, its log10 is finite. */
  NsStat stat = stat_of ((double[]) { 0, 0 }, (double[]) { -1000, -1002 }, 2, NS_Q_W_Q);
  g_assert_true (stat.mean == 0 && stat.std == 0 && stat.n_nonfinite == 0);
  assert_close (stat.log10_mean, -1001);
  assert_close (stat.log10_std, sqrt (2));

  /* Exactly 0. */
  stat = stat_of ((double[]) { 0, 1 }, (double[]) { -INFINITY, 0 }, 2, NS_Q_W_Q);
  g_assert_cmpfloat (stat.log10_mean, ==, -INFINITY);
  g_assert_cmpfloat (stat.mean, ==, 0.5);

  stat = stat_of ((double[]) { 1, INFINITY, 2 }, (double[]) { 0, 400, 1 }, 3, NS_Q_W_Q);
  g_assert_cmpfloat (stat.mean, ==, INFINITY);
  g_assert_true (isnan (stat.std));
  assert_close (stat.log10_mean, 401.0 / 3);
  g_assert_cmpuint (stat.n_nonfinite, ==, 1);

  stat = stat_of ((double[]) { NAN, 1, INFINITY }, (double[]) { NAN, 0, 1 }, 3, NS_Q_W_Q);
  g_assert_true (isnan (stat.mean) && isnan (stat.std) && isnan (stat.log10_mean));
  g_assert_cmpuint (stat.n_nonfinite, ==, 2);
}

static void
test_merge (void)
{
  g_autoptr (NsExperiment) experiment = several_variants ();
  g_autoptr (NsResult) a = ns_result_new_of (experiment, 0, 1, NULL);
  g_autoptr (NsResult) b = ns_result_new_of (experiment, 1, 3, NULL);

  fill (a, 0);
  fill (b, 1);
  ns_result_set_overflow (b, 2, 1, 4);
  ns_result_set_elapsed (a, 10, 1);
  ns_result_set_elapsed (b, 20, 2);

  g_autoptr (NsResult) merged = check_merge (a, b);
  g_assert_cmpuint (ns_result_get_first_seed (merged), ==, 0);
  g_assert_cmpuint (ns_result_get_n_seeds (merged), ==, 4);
  assert_filled (merged);
  g_assert_cmpint (ns_result_get_overflow (merged, 2, 2), ==, 4);
  g_assert_cmpint (ns_result_get_overflow (merged, 2, 1), ==, 0);
  g_assert_cmpfloat_with_epsilon (ns_result_get_elapsed_ms (merged), 30, 1e-9);
  g_assert_cmpuint (ns_result_get_threads (merged), ==, 2);
}

/* ---- threads ---- */

#define N_THREADS 4
#define N_ROUNDS 20000

static void *
hold_and_drop (void *data)
{
  NsResult *result = data;

  for (guint i = 0; i < N_ROUNDS; i++)
    ns_result_unref (ns_result_ref (result));
  g_assert_cmpuint (ns_result_get_n_seeds (result), ==, 1);
  ns_result_unref (result);
  return NULL;
}

/* With a wrong count the result is freed too early or never; the sanitizers detect both. */
static void
test_reference_count (void)
{
  g_autoptr (NsExperiment) experiment = one_variant ("pre");
  NsResult *result = ns_result_new_of (experiment, 0, 1, NULL);
  pthread_t threads[N_THREADS];

  for (guint t = 0; t < N_THREADS; t++)
    g_assert_cmpint (pthread_create (&threads[t], NULL, hold_and_drop, ns_result_ref (result)), ==, 0);
  for (guint t = 0; t < N_THREADS; t++)
    pthread_join (threads[t], NULL);

  /* This thread still holds the first reference. */
  fill (result, 0);
  assert_filled (result);
  ns_result_unref (result);
}

typedef struct
{
  NsResult *result;
  guint seed;
} Share;

static void *
fill_one_seed (void *data)
{
  const Share *share = data;
  const NsExperiment *experiment = ns_result_get_experiment (share->result);

  for (guint v = 0; v < experiment->variants->len; v++)
    for (guint q = 0; q < NS_N_QUANTITIES; q++)
      for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
        if (ns_quantity_exists ((NsQuantity) q, experiment, v, site))
          {
            double number = number_for (v, q, site, share->seed);

            ns_result_set (share->result, v, (NsQuantity) q, site, share->seed, number, -number);
          }
  return NULL;
}

static void
test_fill_from_threads (void)
{
  g_autoptr (NsExperiment) experiment = several_variants ();
  g_autoptr (NsResult) result = ns_result_new_of (experiment, 0, N_THREADS, NULL);
  pthread_t threads[N_THREADS];
  Share shares[N_THREADS];

  for (guint t = 0; t < N_THREADS; t++)
    {
      shares[t] = (Share) { result, t };
      g_assert_cmpint (pthread_create (&threads[t], NULL, fill_one_seed, &shares[t]), ==, 0);
    }
  for (guint t = 0; t < N_THREADS; t++)
    pthread_join (threads[t], NULL);
  assert_filled (result);
}

void
add_result_tests (void)
{
  g_test_add_func ("/result/storage", test_storage);
  g_test_add_func ("/result/pair-storage", test_pair_storage);
  g_test_add_func ("/result/size", test_size);
  g_test_add_func ("/result/overflow", test_overflow);
  g_test_add_func ("/result/pair-overflow", test_pair_overflow);
  g_test_add_func ("/result/statistics", test_statistics);
  g_test_add_func ("/result/statistics-range", test_statistics_range);
  g_test_add_func ("/result/statistics-nonfinite", test_statistics_nonfinite);
  g_test_add_func ("/result/merge", test_merge);
  g_test_add_func ("/result/reference-count", test_reference_count);
  g_test_add_func ("/result/fill-from-threads", test_fill_from_threads);
}
