/* Test runs that are asked for some quantities only.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/pass/ns-pass.h"
#include "tests.h"

#include <string.h>

/* Every norm and learned scale; parallel blocks; grouped queries, whose matrices differ in shape and share a Gram
 * matrix; minibatches; an encoder-decoder; one token. */
static const struct
{
  const char *variant;
  NsShape shape;
  gint64 batches;
  gboolean pair, unit_gradient;
} cases[] = {
  { "pre-post:bias=on,qk_norm=head,attn.inner_norm=on,ffn.inner_norm=on,input_norm=on,branch_parameter=scalar,"
    "activation=swiglu,norm=dyt",
    { .depth = 2, .d_model = 8, .heads = 2, .d_ff = 12, .seq_len = 5, .batch = 2, .vocab = 11 }, 1, FALSE, FALSE },
  { "parallel:attention=causal",
    { .depth = 2, .d_model = 16, .heads = 4, .d_ff = 20, .seq_len = 12, .batch = 2, .vocab = 11 }, 1, FALSE, TRUE },
  { "pre",
    { .depth = 2, .d_model = 24, .heads = 4, .kv_heads = 2, .d_ff = 48, .seq_len = 7, .batch = 2, .vocab = 11 },
    1, FALSE, FALSE },
  { "pre:position_bias=t5,position_buckets=6",
    { .depth = 2, .d_model = 8, .heads = 2, .d_ff = 16, .seq_len = 6, .batch = 1, .vocab = 11 }, 2, TRUE, FALSE },
  { "post:bias=on",
    { .depth = 2, .d_model = 8, .heads = 2, .d_ff = 16, .seq_len = 6, .batch = 1, .vocab = 11 }, 3, FALSE, FALSE },
  { "sandwich:dual_residual=on,block_residual=on",
    { .depth = 2, .d_model = 8, .heads = 1, .d_ff = 8, .seq_len = 4, .batch = 1, .vocab = 11 }, 1, TRUE, FALSE },
  { "pre:attention=uniform",
    { .depth = 1, .d_model = 8, .heads = 1, .d_ff = 8, .seq_len = 1, .batch = 3, .vocab = 11 }, 1, FALSE, TRUE },
};

static NsExperiment *
make_experiment (gsize i)
{
  NsExperiment *experiment = check_experiment (cases[i].shape, cases[i].variant);

  experiment->shape.stack = cases[i].pair ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
  experiment->sampling.batches = cases[i].batches;
  experiment->loss = cases[i].unit_gradient ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  return experiment;
}

/* Compare the quantity in both results, which must have it at the same sites, bit by bit. */
static void
assert_same (const NsResult *all, const NsResult *some, NsQuantity q)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (all));

  for (gint64 site = 0; site <= head; site++)
    for (int e = 0; e < NS_N_ESTIMATES; e++)
      {
        double a[2] = { 0, 0 }, b[2] = { 0, 0 };
        gboolean in_all = ns_result_get_value_of (all, 0, q, (NsGradientEstimate) e, site, 0, &a[0], &a[1]);
        gboolean in_some = ns_result_get_value_of (some, 0, q, (NsGradientEstimate) e, site, 0, &b[0], &b[1]);

        g_assert_cmpint (in_all, ==, in_some);
        if (memcmp (a, b, sizeof a) != 0)
          g_error ("%s at site %d is %.17g alone and %.17g with the others", ns_quantity_info (q)->name, (int) site,
                   b[0], a[0]);
      }
}

/* One quantity at a time has the same bits as all together, and the result has nothing else. */
static void
test_one (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (NsExperiment) experiment = make_experiment (i);
  gint64 head = ns_experiment_get_head_site (experiment);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsResult) all = check_run_on (engine, experiment);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      NsQuantitySet set = { { 0 } };
      g_autoptr (NsResult) result = NULL;

      if (ns_quantity_takes_own_passes (q))
        continue; /* test-own-passes.c */
      ns_quantity_set_add (&set, q);
      result = ns_engine_run_quantities (engine, experiment, &set, 0, 1, NULL, NULL);
      g_assert_nonnull (result);
      g_assert_true (ns_result_has (all, q) && ns_result_has (result, q));
      assert_same (all, result, q);
      for (NsQuantity other = 0; other < NS_N_QUANTITIES; other++)
        for (gint64 site = 0; site <= head && other != q; site++)
          {
            NsStat stat;

            g_assert_false (ns_result_has (result, other)
                            || ns_result_get_value (result, 0, other, site, 0, NULL, NULL)
                            || ns_result_get_stat (result, 0, other, site, &stat));
          }
    }
}

/* Seeds of a partial run can be put together. */
static void
test_merge (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (0);
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  NsQuantitySet set = { { 0 } };
  g_autoptr (NsResult) both = NULL, first = NULL, second = NULL, merged = NULL;

  experiment->sampling.seeds = 2;
  ns_quantity_set_add (&set, NS_Q_ENTROPY);
  ns_quantity_set_add (&set, NS_Q_FFN);
  both = ns_engine_run_quantities (engine, experiment, &set, 0, 2, NULL, NULL);
  first = ns_engine_run_quantities (engine, experiment, &set, 0, 1, NULL, NULL);
  second = ns_engine_run_quantities (engine, experiment, &set, 1, 1, NULL, NULL);
  merged = check_merge (first, second);
  g_assert_true (ns_result_has (merged, NS_Q_FFN) && !ns_result_has (merged, NS_Q_W_1));
  for (NsQuantity q = NS_Q_FFN; q <= NS_Q_ENTROPY; q += NS_Q_ENTROPY - NS_Q_FFN)
    for (guint seed = 0; seed < 2; seed++)
      g_assert_cmpfloat (check_value (merged, 0, q, 1, seed), ==, check_value (both, 0, q, 1, seed));
}

/* ---- what is computed ---- */

typedef struct
{
  NsQuantitySet recorded;
} Seen;

static void
record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
  Seen *seen = data;

  ns_quantity_set_add (&seen->recorded, quantity);
}

/* Run a pass for these quantities; return those that it records, and whether it goes back through the blocks. */
static NsQuantitySet
run_for (const NsQuantity *quantities, guint n, gboolean *goes_back)
{
  g_autoptr (NsExperiment) experiment = make_experiment (0);
  NsWeights *weights = ns_weights_new (0);
  NsProgress *progress = ns_progress_new ();
  guint64 done, total;
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsQuantitySet set = { { 0 } }, wanted;
  Seen seen = { { { 0 } } };
  NsPass pass;

  for (guint i = 0; i < n; i++)
    ns_quantity_set_add (&set, quantities[i]);
  wanted = ns_quantity_set_with_terms (&set);
  g_assert_true (ns_workspace_init (&work, &memory, experiment, TRUE, NULL));
  ns_pass_init (&pass, experiment, 0, 0, &work, weights);
  pass.sink = (NsSink){ .record = record, .data = &seen, .wanted = &wanted };
  ns_progress_begin (progress, 2 * (guint64) experiment->shape.depth);
  g_assert_cmpint (ns_pass_run (&pass, progress, NULL), ==, NS_PASS_DONE);
  ns_progress_get (progress, &done, &total);
  *goes_back = done == total;
  ns_workspace_memory_clear (&memory);
  ns_weights_free (weights);
  ns_progress_unref (progress);
  return seen.recorded;
}

static void
test_computed (void)
{
  const NsQuantity forward[] = { NS_Q_RMS_X, NS_Q_ENTROPY }, loss[] = { NS_Q_LOSS }, share[] = { NS_Q_SHARE_FFN };
  const NsQuantity sum[] = { NS_Q_FFN };
  gboolean goes_back;
  NsQuantitySet seen = run_for (forward, 2, &goes_back);

  g_assert_false (goes_back);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    g_assert_cmpint (ns_quantity_set_has (&seen, q), ==, q == NS_Q_RMS_X || q == NS_Q_ENTROPY);
  seen = run_for (loss, 1, &goes_back);
  g_assert_false (goes_back);
  g_assert_true (ns_quantity_set_has (&seen, NS_Q_LOSS) && !ns_quantity_set_has (&seen, NS_Q_RMS_X));
  seen = run_for (share, 1, &goes_back);
  g_assert_true (goes_back);
  g_assert_true (ns_quantity_set_has (&seen, NS_Q_SHARE_FFN) && !ns_quantity_set_has (&seen, NS_Q_GRAD_X));
  /* a sum needs its own terms */
  seen = run_for (sum, 1, &goes_back);
  g_assert_true (goes_back);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      NsTensor tensor;

      if (ns_quantity_set_has (&seen, q) && q != NS_Q_FFN)
        g_assert_true (ns_quantity_get_tensor (q, &tensor) && ns_tensor_info (tensor)->sub == NS_SUB_FFN);
    }
  g_assert_true (ns_quantity_set_has (&seen, NS_Q_W_1) && ns_quantity_set_has (&seen, NS_Q_GAIN_FFN_POST));
}

/* NULL stands for every quantity of an ordinary run. */
static void
test_all (void)
{
  NsQuantitySet all = ns_quantity_set_with_terms (NULL);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      g_assert_true (ns_quantity_set_has (&all, q) == ns_quantity_set_has (NULL, q));
      g_assert_true (ns_quantity_set_has (NULL, q) != ns_quantity_takes_own_passes (q));
    }
  g_assert_true (ns_quantity_set_needs_head (NULL) && ns_quantity_set_needs_gradients (NULL));
}

void
add_asked_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/asked/one/%d", (int) i);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_one);
    }
  g_test_add_func ("/asked/merge", test_merge);
  g_test_add_func ("/asked/computed", test_computed);
  g_test_add_func ("/asked/all", test_all);
}
