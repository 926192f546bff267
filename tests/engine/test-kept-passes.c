/* Test that an engine that keeps activations gives the same bits as one that does not, after any change of an
 * experiment, and that it does leave out the blocks that two runs have in common.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity-set.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-kept-passes.h"
#include "tests.h"

#include <string.h>

#define BUDGET ((guint64) 1 << 28)

static const NsShape tiny = { .depth = 5, .d_model = 16, .heads = 2, .d_ff = 24, .seq_len = 6, .batch = 2, .vocab = 9 };

/* Engines that keep activations, with one thread and with two, and one that does not. */
typedef struct
{
  NsEngine *one, *two, *plain;
} Engines;

static NsEngine *
new_keeping (guint n_threads)
{
  NsEngine *engine = ns_engine_new (n_threads, BUDGET);

  ns_engine_keep_activations (engine);
  return engine;
}

static void
engines_init (Engines *engines)
{
  engines->one = new_keeping (1);
  engines->two = new_keeping (2);
  engines->plain = ns_engine_new (1, BUDGET);
}

static void
engines_clear (Engines *engines)
{
  ns_engine_free (engines->one);
  ns_engine_free (engines->two);
  ns_engine_free (engines->plain);
}

/* Run the first seed, then the others, as the window does. */
static NsResult *
run_in_parts (NsEngine *engine, const NsExperiment *experiment)
{
  guint seeds = (guint) experiment->sampling.seeds;
  g_autoptr (NsResult) first = ns_engine_run (engine, experiment, 0, 1, NULL, NULL);
  g_autoptr (NsResult) rest = seeds > 1 ? ns_engine_run (engine, experiment, 1, seeds - 1, NULL, NULL) : NULL;

  g_assert_nonnull (first);
  return rest != NULL ? check_merge (first, rest) : g_steal_pointer (&first);
}

static void
compare (Engines *engines, const NsExperiment *experiment)
{
  g_autoptr (NsResult) fresh = check_run_on (engines->plain, experiment);
  g_autoptr (NsResult) whole = check_run_on (engines->one, experiment);
  g_autoptr (NsResult) parts = run_in_parts (engines->two, experiment);

  g_assert_cmpuint (check_count_different_all (fresh, whole), ==, 0);
  g_assert_cmpuint (check_count_different_all (fresh, parts), ==, 0);
}

/* Go through depths and back: the same, deeper, less deep, one block. */
static void
compare_depths (Engines *engines, NsExperiment *experiment)
{
  static const gint64 depths[] = { 3, 3, 4, 2, 1, 5 };

  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      ns_shape_set_depth (&experiment->shape, depths[i]);
      compare (engines, experiment);
    }
}

/* Every built-in variant, alone and next to another one, whose arrays it then shares memory with. */
static void
test_depths (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  Engines engines;

  engines_init (&engines);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *both = g_strdup_printf ("%s pre:bias=on", builtins[i].id);
      g_autoptr (NsExperiment) alone = check_experiment (tiny, builtins[i].id);
      g_autoptr (NsExperiment) pair = check_experiment (tiny, both);

      g_test_message ("%s", builtins[i].id);
      pair->sampling.seeds = 2;
      compare_depths (&engines, alone);
      compare_depths (&engines, pair);
    }
  engines_clear (&engines);
}

/* Settings that change from one run to the next: those that leave lower blocks alone, and those that leave none. */
static void
test_changes (void)
{
  static const char *const variants[] = {
    "pre:post_fraction=0 post", "pre:post_fraction=0.4 post", "pre:post_fraction=0.6 post", "pre:post_fraction=1 post",
    "pre post",                 "post pre",                   "post:first_block_pre=on",    "post",
    "post:final_norm=on",       "post:attn.residual=off",     "post",                       "post:norm=rmsnorm",
    "pre post deepnorm",        "deepnorm pre",               "pre:init.residual=gpt2",     "pre:init.residual=none",
    "pre:experts=4",            "pre:experts=4,shared_experts=1", "pre:streams=3",          "pre:rotary=half",
    "pre:position_bias=t5",     "pre:position_bias=alibi",    "pre:activation=swiglu",      "pre:window=3",
    "pre:residual_scale=keel",  "pre:residual_scale=keel,first_block_pre=on",
    "pre:streams=3,stream_weights=manifold",                  "pre:streams=3,stream_weights=dynamic",
  };
  Engines engines;

  engines_init (&engines);
  for (int round = 0; round < 3; round++)
    for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
      {
        g_autoptr (NsExperiment) experiment = check_experiment (tiny, variants[i]);

        experiment->sampling.seeds = 1 + (gint64) (i + (gsize) round) % 3;
        experiment->sampling.seed = i % 5 == 4 ? 1 : 0;
        experiment->sampling.batches = round == 2 ? 2 : 1;
        ns_shape_set_depth (&experiment->shape, 4 + (gint64) i % (round + 1));
        if (i % 7 == 6)
          experiment->shape.d_ff = 32;
        if (i % 5 < 2) /* images, two in turn */
          {
            experiment->shape.patch_features = 5;
            experiment->data.class_token = NS_CLASS_TOKEN_NORMAL;
          }
        if (i % 11 == 10)
          experiment->loss = NS_LOSS_UNIT_GRADIENT;
        compare (&engines, experiment);
      }
  engines_clear (&engines);
}

/* The chain that makes the tokens is drawn with the first seed, so the pass of another seed depends on it. */
static void
test_chain (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  Engines engines;

  engines_init (&engines);
  experiment->data.source = NS_SOURCE_MARKOV;
  experiment->sampling.seeds = 2;
  compare (&engines, experiment);
  experiment->sampling.seed = 1;
  compare (&engines, experiment);
  engines_clear (&engines);
}

/* A part of the quantities after all, and all after a part. */
static void
test_quantities (void)
{
  g_autoptr (NsEngine) engine = new_keeping (1), plain = ns_engine_new (1, BUDGET);
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "pre post");
  static const NsQuantity asked[] = { NS_Q_RMS_X, NS_Q_COS_X_LAST, NS_Q_TOKEN_COS, NS_Q_GRAD_X };

  for (int round = 0; round < 2; round++)
    for (gsize i = 0; i <= G_N_ELEMENTS (asked); i++)
      {
        NsQuantitySet set = { { 0 } };
        const NsQuantitySet *quantities = i < G_N_ELEMENTS (asked) ? &set : NULL;
        g_autoptr (NsResult) kept = NULL, fresh = NULL;
        guint different = 0;

        if (quantities != NULL)
          ns_quantity_set_add (&set, asked[i]);
        ns_shape_set_depth (&experiment->shape, 4 + (gint64) i % 3);
        kept = ns_engine_run_quantities (engine, experiment, quantities, 0, 1, NULL, NULL);
        fresh = ns_engine_run_quantities (plain, experiment, quantities, 0, 1, NULL, NULL);
        for (guint v = 0; v < 2; v++)
          for (gint64 site = 0; site <= ns_experiment_get_head_site (experiment); site++)
            for (int q = 0; q < NS_N_QUANTITIES; q++)
              {
                double x[2] = { 0, 0 }, y[2] = { 0, 0 };

                if (ns_result_get_value (kept, v, (NsQuantity) q, site, 0, &x[0], &x[1])
                        != ns_result_get_value (fresh, v, (NsQuantity) q, site, 0, &y[0], &y[1])
                    || memcmp (x, y, sizeof x) != 0)
                  different++;
              }
        g_assert_cmpuint (different, ==, 0);
      }
}

/* A stack that overflows in some block has the values below it, and overflows again. */
static void
test_overflow (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (tiny, "none:residual_scale=1000000");
  Engines engines;

  engines_init (&engines);
  compare_depths (&engines, experiment);
  engines_clear (&engines);
}

static void
drop (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
}

/* Return the blocks that a run of the variants does not run forward, after one of `before`. */
static gint64
count_left_out (const char *before, gint64 depth_before, const char *after, gint64 depth, guint64 budget)
{
  NsKeptPasses *kept = ns_kept_passes_new (budget);
  g_autoptr (NsExperiment) a = check_experiment (tiny, before), b = check_experiment (tiny, after);
  NsQuantitySet all = ns_quantity_set_with_terms (NULL);
  gint64 n = 0;

  for (int i = 0; i < 2; i++)
    {
      NsExperiment *experiment = i == 0 ? a : b;
      g_autofree NsKeptPass **passes = NULL;
      NsWeights *weights = ns_weights_new (BUDGET);
      NsWorkspaceMemory memory = { 0 };
      NsWorkspace work;

      ns_shape_set_depth (&experiment->shape, i == 0 ? depth_before : depth);
      g_assert_true (ns_workspace_init (&work, &memory, experiment, TRUE, NULL));
      passes = ns_kept_passes_begin (kept, experiment, 0, 1, &all);
      for (guint v = 0; v < experiment->variants->len; v++)
        {
          NsPass pass;

          if (passes[v] == NULL)
            continue;
          n += i == 1 ? ns_kept_pass_get_n_common (passes[v]) : 0;
          ns_pass_init (&pass, experiment, v, 0, &work, weights);
          pass.sink.record = drop;
          g_assert_cmpint (ns_kept_pass_forward (passes[v], &pass, NULL), ==, NS_PASS_DONE);
        }
      ns_workspace_memory_clear (&memory);
      ns_weights_free (weights);
    }
  ns_kept_passes_free (kept);
  return n;
}

static void
test_left_out (void)
{
  /* a deeper stack, the same, a less deep one, whose last block runs again */
  g_assert_cmpint (count_left_out ("pre", 5, "pre", 8, BUDGET), ==, 5);
  g_assert_cmpint (count_left_out ("pre post", 5, "pre post", 6, BUDGET), ==, 10);
  g_assert_cmpint (count_left_out ("pre", 5, "pre", 5, BUDGET), ==, 4);
  g_assert_cmpint (count_left_out ("pre", 5, "pre", 3, BUDGET), ==, 2);
  g_assert_cmpint (count_left_out ("pre post", 5, "post pre", 6, BUDGET), ==, 10);
  /* the depth is in a constant */
  g_assert_cmpint (count_left_out ("deepnorm", 5, "deepnorm", 6, BUDGET), ==, 0);
  g_assert_cmpint (count_left_out ("deepnorm", 5, "deepnorm", 5, BUDGET), ==, 4);
  g_assert_cmpint (count_left_out ("pre:init.residual=gpt2", 5, "pre:init.residual=gpt2", 6, BUDGET), ==, 0);
  /* Post-LN in 2 of 5 blocks, then in 3: two are the same */
  g_assert_cmpint (count_left_out ("pre:post_fraction=0.4", 5, "pre:post_fraction=0.6", 5, BUDGET), ==, 2);
  g_assert_cmpint (count_left_out ("pre:post_fraction=0.4", 5, "pre:post_fraction=0.4", 10, BUDGET), ==, 2);
  /* other wiring; no room */
  g_assert_cmpint (count_left_out ("pre", 5, "pre:attn.residual=off", 5, BUDGET), ==, 0);
  g_assert_cmpint (count_left_out ("pre", 5, "pre", 8, 1000), ==, 0);
}

void
add_kept_passes_tests (void)
{
  g_test_add_func ("/kept-passes/depths", test_depths);
  g_test_add_func ("/kept-passes/changes", test_changes);
  g_test_add_func ("/kept-passes/chain", test_chain);
  g_test_add_func ("/kept-passes/quantities", test_quantities);
  g_test_add_func ("/kept-passes/overflow", test_overflow);
  g_test_add_func ("/kept-passes/left-out", test_left_out);
}
