/* Test the quantities that take passes of their own: path lengths, gains, the size of a step.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-own-passes.h"
#include "engine/run/ns-paths.h"
#include "engine/run/ns-sweep.h"
#include "tests.h"

#include <string.h>

static const NsShape small = {
  .depth = 3, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 5, .batch = 2, .vocab = 11
};
static const char single[] = "pre post sandwich parallel b2t residual mix pre:norm=dyt,bias=on,name=DyT "
                             "none:attn.residual=off,name=Cut";
static const char pair[] = "pre post residual post:input_norm=on,name=Input";

static NsExperiment *
make_experiment (gboolean is_pair)
{
  NsShape shape = small;

  if (is_pair)
    {
      shape.stack = NS_STACK_ENCODER_DECODER;
      shape.depth = 2;
    }
  return check_experiment (shape, is_pair ? pair : single);
}

static NsQuantitySet
get_own (void)
{
  NsQuantitySet set = { { 0 } };

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_takes_own_passes (q))
      ns_quantity_set_add (&set, q);
  return set;
}

static NsResult *
run_on (const NsExperiment *e, const NsQuantitySet *set, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  g_autoptr (GError) error = NULL;
  NsResult *result = ns_engine_run_quantities (engine, e, set, 0, (guint) e->sampling.seeds, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static double
get (const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  double value;

  g_assert_true (ns_result_get_value (result, variant, quantity, site, 0, &value, NULL));
  return value;
}

static NsPaths *
run_paths (const NsExperiment *e, NsPathsKind kind)
{
  const NsPathsSettings settings = { .kind = kind, .n_probes = NS_OWN_PROBES };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);

  return ns_engine_run_paths (engine, e, &settings, 0, 1, NULL, NULL);
}

static double
get_cell (const NsPaths *paths, guint variant, NsPathsMap map, gint64 row, gint64 column)
{
  double value;

  g_assert_true (ns_paths_get_value (paths, variant, map, row, column, 0, &value, NULL));
  return value;
}

/* An ordinary run has none of them; a run for them has them alone, with a number at each of their sites. */
static void
test_asked (void)
{
  g_autoptr (NsExperiment) e = make_experiment (TRUE);
  NsQuantitySet own = get_own ();
  g_autoptr (NsResult) ordinary = check_run (e, 1, 0), some = run_on (e, &own, 1, 0);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      g_assert_cmpint (ns_result_has (ordinary, q), ==, !ns_quantity_takes_own_passes (q));
      g_assert_cmpint (ns_result_has (some, q), ==, ns_quantity_takes_own_passes (q));
      for (gint64 site = 0; site <= ns_experiment_get_head_site (e) && ns_result_has (some, q); site++)
        if (ns_quantity_exists (q, e, 0, site))
          g_assert_true (isfinite (get (some, 0, q, site)));
    }
}

/* The mean length at an input is that of the shares of all lengths; the gain is the last column of the map. */
static void
test_maps (void)
{
  NsQuantitySet own = get_own ();

  for (int is_pair = 0; is_pair < 2; is_pair++)
    {
      g_autoptr (NsExperiment) e = make_experiment (is_pair);
      g_autoptr (NsResult) result = run_on (e, &own, 1, 0);
      g_autoptr (NsPaths) lengths = run_paths (e, NS_PATHS_LENGTHS), gain = run_paths (e, NS_PATHS_GAIN);
      gint64 last = ns_experiment_get_head_site (e) - 1;

      for (guint v = 0; v < e->variants->len; v++)
        {
          for (gint64 part = 0; part < ns_experiment_get_n_parts (e); part++)
            {
              double mean = get_cell (lengths, v, NS_MAP_LENGTH_MEAN, part, 0);

              g_assert_cmpfloat (fabs (get (result, v, NS_Q_PATH_LENGTH, part * (e->shape.depth + 1)) - mean), <,
                                 1e-5 * fmax (1, fabs (mean)));
            }
          g_assert_cmpfloat (get (result, v, NS_Q_PATH_LENGTH, last), ==, 0);
          for (gint64 site = 0; site <= last; site++)
            g_assert_cmpfloat (get (result, v, NS_Q_GAIN, site), ==, get_cell (gain, v, NS_MAP_GAIN, site, last));
        }
      /* without a residual, every path runs through the branch: three lengths from the last block to the input */
      if (!is_pair)
        g_assert_cmpfloat (get (result, 8, NS_Q_PATH_LENGTH, 0), >=, 3);
    }
}

/* The same bits alone, together with everything, on any number of threads and for any budget. */
static void
test_bits (void)
{
  NsQuantitySet own = get_own (), all = ns_quantity_set_with_terms (NULL);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_takes_own_passes (q))
      ns_quantity_set_add (&all, q);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (NsExperiment) e = make_experiment (i % 2);
      g_autoptr (NsResult) some = NULL, whole = NULL, lean = NULL, ordinary = NULL;

      e->loss = i < 2 ? NS_LOSS_CROSS_ENTROPY : NS_LOSS_UNIT_GRADIENT;
      e->sampling.seeds = 2;
      some = run_on (e, &own, 1, 0);
      lean = run_on (e, &own, 3, 1);
      whole = run_on (e, &all, 2, 0);
      ordinary = check_run (e, 1, 0);
      for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
        for (guint v = 0; v < e->variants->len; v++)
          for (gint64 site = 0; site <= ns_experiment_get_head_site (e); site++)
            for (guint seed = 0; seed < 2 && ns_quantity_exists (q, e, v, site); seed++)
              {
                gboolean is_own = ns_quantity_takes_own_passes (q);
                double a = NAN, b = NAN, c = NAN;

                ns_result_get_value (whole, v, q, site, seed, &a, NULL);
                ns_result_get_value (is_own ? some : ordinary, v, q, site, seed, &b, NULL);
                g_assert_cmpint (memcmp (&a, &b, sizeof a), ==, 0);
                if (is_own && ns_result_get_value (lean, v, q, site, seed, &c, NULL))
                  g_assert_cmpint (memcmp (&a, &c, sizeof a), ==, 0);
              }
    }
}

/* A sweep has the numbers of the runs at its points, for stacks that grow and others. */
static void
test_sweep (void)
{
  static const gint64 depths[] = { 1, 2, 3 };
  const NsQuantity quantities[] = { NS_Q_PATH_LENGTH, NS_Q_GAIN, NS_Q_UPDATE_H_SGD, NS_Q_UPDATE_H_ADAM_W,
                                    NS_Q_COS_X_LAST };

  for (gsize i = 0; i < G_N_ELEMENTS (quantities) * 2; i++)
    {
      NsQuantity q = quantities[i / 2];
      NsMetric metric = { q, NS_AT_FIRST, NS_PART_STACK };
      NsQuantitySet set = { { 0 } };
      g_autoptr (NsExperiment) e = make_experiment (i % 2);
      g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
      g_autoptr (NsSweep) sweep = ns_sweep_new (e, NS_SWEEP_DEPTH, depths, 3, metric, NULL);

      ns_quantity_set_add (&set, q);
      g_assert_true (ns_engine_run_sweep (engine, sweep, NULL, NULL));
      for (guint p = 0; p < 3; p++)
        {
          g_autoptr (NsResult) result = NULL;

          e->shape.depth = depths[p];
          result = run_on (e, &set, 1, 0);
          for (guint v = 0; v < e->variants->len; v++)
            {
              gint64 site = ns_quantity_is_of_head (q) ? ns_experiment_get_head_site (e)
                                                       : ns_experiment_get_site (e, NS_PART_STACK, 1);
              double value;

              g_assert_true (ns_sweep_get_value (sweep, v, p, 0, &value, NULL));
              g_assert_cmpfloat (value, ==, get (result, v, q, site));
            }
        }
    }
}

/* A gradient of 0 has no paths; behind an overflow there is nothing; neither is 0. */
static void
test_undefined (void)
{
  g_autoptr (NsExperiment) e = check_experiment (
      small, "pre:branch_scale=0,attn.residual=off,ffn.residual=off,final_norm=off,name=Cut pre none:branch_scale=1e6,"
             "activation=swiglu,name=Overflow");
  NsQuantitySet own = get_own ();
  g_autoptr (NsResult) result = run_on (e, &own, 1, 0);
  gint64 head = ns_experiment_get_head_site (e);
  double value;

  for (gint64 site = 0; site < head - 1; site++)
    {
      g_assert_true (isnan (get (result, 0, NS_Q_PATH_LENGTH, site)));
      g_assert_cmpfloat (get (result, 0, NS_Q_GAIN, site), ==, 0); /* a gain of 0 is one */
    }
  g_assert_cmpfloat (get (result, 1, NS_Q_PATH_LENGTH, 0), >, 0);
  g_assert_cmpint (ns_result_get_overflow (result, 2, 0), >, 0);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    for (gint64 site = 0; site <= head && ns_quantity_takes_own_passes (q); site++)
      if (ns_result_get_value (result, 2, q, site, 0, &value, NULL))
        g_assert_true (isnan (value));
}

/* The progress counts every block, and a run can be cancelled at each. */
static void
test_progress (void)
{
  g_autoptr (NsExperiment) e = check_experiment (small, "pre post");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  NsQuantitySet own = get_own ();
  g_autoptr (NsResult) result = ns_engine_run_quantities (engine, e, &own, 0, 1, progress, NULL), none = NULL;
  g_autoptr (GError) error = NULL;
  guint64 done, total;

  g_assert_nonnull (result);
  ns_progress_get (progress, &done, &total);
  g_assert_cmpuint (done, ==, total);
  ns_progress_cancel (progress);
  none = ns_engine_run_quantities (engine, e, &own, 0, 1, progress, &error);
  g_assert_null (none);
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
}

void
add_own_passes_tests (void)
{
  g_test_add_func ("/own-passes/asked", test_asked);
  g_test_add_func ("/own-passes/maps", test_maps);
  g_test_add_func ("/own-passes/bits", test_bits);
  g_test_add_func ("/own-passes/sweep", test_sweep);
  g_test_add_func ("/own-passes/undefined", test_undefined);
  g_test_add_func ("/own-passes/progress", test_progress);
}
