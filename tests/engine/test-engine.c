/* What a run may not depend on: threads, memory budget, what ran before, which other seeds and variants run with it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <string.h>

#define MIB ((guint64) 1 << 20)

static const NsShape small = {
  .depth = 6, .d_model = 32, .heads = 4, .d_ff = 64, .seq_len = 9, .batch = 2, .vocab = 40,
};
static const NsShape wide = {
  .depth = 1, .d_model = 1024, .heads = 8, .d_ff = 4096, .seq_len = 6, .batch = 1, .vocab = 300,
};
static const NsShape many_tokens = {
  .depth = 2, .d_model = 48, .heads = 3, .d_ff = 100, .seq_len = 70, .batch = 2, .vocab = 33,
};

static const struct
{
  const char *name, *variants;
  const NsShape *shape;
  gint64 seeds;
  gboolean unit_gradient;
  int source;
} runs[] = {
  { "placements", "pre post sandwich branch none pre-post", &small, 2, FALSE, NS_SOURCE_GAUSSIAN },
  { "kinds", "mix:activation=swiglu,bias=on deepnorm:activation=gelu parallel:attention=causal "
             "pre:attention=uniform,attention_output=off layernorm-scaling:norm=rmsnorm",
    &small, 3, FALSE, NS_SOURCE_TOKENS },
  { "one-pass", "post:activation=geglu,init.scheme=xavier-uniform", &small, 1, TRUE, NS_SOURCE_GAUSSIAN },
  { "vanishing", "none:attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-6", &small, 2, TRUE,
    NS_SOURCE_GAUSSIAN },
  { "overflowing", "none:residual_scale=1e6 pre", &small, 2, FALSE, NS_SOURCE_GAUSSIAN },
  { "panels", "pre:activation=swiglu", &wide, 1, FALSE, NS_SOURCE_GAUSSIAN },
  { "many-tokens", "pre post:attention=causal", &many_tokens, 1, FALSE, NS_SOURCE_TOKENS },
};

static NsExperiment *
make_experiment (gsize i)
{
  NsExperiment *experiment = check_experiment (*runs[i].shape, runs[i].variants);

  experiment->sampling.seeds = runs[i].seeds;
  experiment->loss = runs[i].unit_gradient ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  experiment->data.source = runs[i].source;
  return experiment;
}

static void
test_threads_and_budget (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  const guint threads[] = { 2, 3, 5 };
  const guint64 budgets[] = { 0, 1, MIB, 3 * MIB };
  g_autoptr (NsExperiment) experiment = make_experiment (i);
  g_autoptr (NsResult) plain = check_run (experiment, 1, 0);
  gboolean large = runs[i].shape == &wide;

  for (gsize t = 0; t < (large ? 1 : G_N_ELEMENTS (threads)); t++)
    for (gsize b = 0; b < G_N_ELEMENTS (budgets); b += large ? 2 : 1)
      {
        g_autoptr (NsResult) result = check_run (experiment, threads[t], budgets[b]);

        g_assert_cmpuint (check_count_different_all (plain, result), ==, 0);
      }
  if (!large)
    {
      g_autoptr (NsResult) tight = check_run (experiment, 1, 1);

      g_assert_cmpuint (check_count_different_all (plain, tight), ==, 0);
      /* another seed is another result: the comparison sees it */
      experiment->sampling.seed += 1000;
      g_autoptr (NsResult) other = check_run (experiment, 1, 0);
      g_assert_cmpuint (check_count_different_all (plain, other), >, 50);
    }
}

/* ---- seeds and merging ---- */

static void
test_seeds (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post:activation=gelu");
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsResult) all = NULL, merged = NULL;
  GError *error = NULL;

  experiment->sampling.seeds = 6;
  experiment->sampling.seed = 41;
  all = check_run_on (engine, experiment);
  for (guint s = 0; s < 6; s++)
    {
      g_autoptr (NsResult) one = ns_engine_run (engine, experiment, s, 1, NULL, &error);
      g_autoptr (NsExperiment) alone = ns_experiment_copy (experiment);
      g_autoptr (NsResult) own = NULL;

      g_assert_no_error (error);
      g_assert_cmpuint (ns_result_get_first_seed (one), ==, s);
      alone->sampling.seed += s; /* seed s of the sampling is the run of seed + s */
      alone->sampling.seeds = 1;
      own = check_run (alone, 1, 0);
      for (guint v = 0; v < 2; v++)
        {
          g_assert_cmpuint (check_count_different (all, v, s, one, v, 0), ==, 0);
          g_assert_cmpuint (check_count_different (all, v, s, own, v, 0), ==, 0);
          g_assert_cmpuint (check_count_different (all, v, s, all, v, (s + 1) % 6), >, 50);
        }
      if (merged == NULL)
        merged = g_steal_pointer (&one);
      else
        {
          NsResult *longer = ns_result_merge (merged, one);

          ns_result_unref (merged);
          merged = longer;
        }
    }
  g_assert_cmpuint (check_count_different_all (all, merged), ==, 0);
}

/* Two parts of unequal size, on engines of their own. */
static void
test_merge (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "sandwich none");
  g_autoptr (NsEngine) one = ns_engine_new (1, 0), two = ns_engine_new (3, MIB);
  g_autoptr (NsResult) all = NULL, first = NULL, rest = NULL, merged = NULL;

  experiment->sampling.seeds = 5;
  all = check_run_on (one, experiment);
  first = ns_engine_run (two, experiment, 0, 2, NULL, NULL);
  rest = ns_engine_run (one, experiment, 2, 3, NULL, NULL);
  merged = ns_result_merge (first, rest);
  g_assert_cmpuint (ns_result_get_n_seeds (merged), ==, 5);
  g_assert_cmpuint (check_count_different_all (all, merged), ==, 0);
}

/* ---- what ran before ---- */

static void
test_history (void)
{
  g_autoptr (NsExperiment) a = make_experiment (0), b = make_experiment (6), c = make_experiment (3);
  const guint64 budgets[] = { 0, MIB };

  for (gsize i = 0; i < G_N_ELEMENTS (budgets); i++)
    {
      g_autoptr (NsEngine) engine = ns_engine_new (2, budgets[i]);
      g_autoptr (NsResult) first = check_run_on (engine, a);

      for (int round = 0; round < 3; round++)
        {
          g_autoptr (NsResult) between = check_run_on (engine, round == 0 ? b : c);
          g_autoptr (NsResult) again = NULL;

          a->shape.depth = round == 1 ? 3 : 6; /* as a dragged slider does */
          again = check_run_on (engine, a);
          if (round != 1)
            g_assert_cmpuint (check_count_different_all (first, again), ==, 0);
        }
    }
}

/* A variant's numbers do not depend on the variants beside it, nor on its place among them. */
static void
test_neighbours (void)
{
  g_autoptr (NsExperiment) alone = check_experiment (small, "branch:activation=gelu");
  g_autoptr (NsExperiment) beside
      = check_experiment (small, "pre:activation=swiglu,bias=on post:attention=uniform branch:activation=gelu none");
  g_autoptr (NsResult) a = check_run (alone, 1, 0), b = check_run (beside, 2, 0);

  g_assert_cmpuint (check_count_different (a, 0, 0, b, 2, 0), ==, 0);
}

/* ---- arrays ---- */

typedef struct
{
  GHashTable *arrays; /* name → GBytes */
} Arrays;

static gboolean
keep_array (const NsArray *array, gpointer data, GError **error)
{
  GHashTable *arrays = data;
  gsize n = 1;

  for (guint d = 0; d < array->n_dims; d++)
    n *= (gsize) array->dims[d];
  g_assert_true ((array->values == NULL) != (array->ids == NULL));
  g_assert_false (g_hash_table_contains (arrays, array->name));
  g_hash_table_insert (arrays, g_strdup (array->name),
                       g_bytes_new (array->values != NULL ? (gconstpointer) array->values : array->ids, 4 * n));
  return TRUE;
}

static GHashTable *
get_arrays (const NsExperiment *experiment, guint variant, guint seed, guint64 budget)
{
  GHashTable *arrays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autoptr (NsEngine) engine = ns_engine_new (1, budget);
  GError *error = NULL;

  ns_engine_foreach_array (engine, experiment, variant, seed, keep_array, arrays, &error);
  g_assert_no_error (error);
  return arrays;
}

/* How many arrays of a are not the same in b. */
static guint
count_different_arrays (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name, bytes;
  guint different = 0;

  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &bytes))
    {
      GBytes *other = g_hash_table_lookup (b, name);

      different += other == NULL || !g_bytes_equal (bytes, other);
    }
  return different;
}

static void
test_arrays (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre post:bias=on pre:init.scheme=kaiming-normal");
  g_autoptr (GHashTable) deep = get_arrays (experiment, 0, 0, 0), post = get_arrays (experiment, 1, 0, 1);
  g_autoptr (GHashTable) kaiming = get_arrays (experiment, 2, 0, 0), seed = get_arrays (experiment, 0, 1, 0);
  g_autoptr (GHashTable) shallow = NULL;

  g_assert_cmpuint (g_hash_table_size (deep), ==, 2 + 6 * 6 + 1);
  /* variants of a shape and an init share every array, however little memory there is */
  g_assert_cmpuint (count_different_arrays (deep, post), ==, 0);
  /* another init differs in the weights, another seed in everything */
  g_assert_cmpuint (count_different_arrays (deep, kaiming), ==, 6 * 6 + 1);
  g_assert_cmpuint (count_different_arrays (deep, seed), ==, 2 + 6 * 6 + 1);
  /* the blocks of a shallower stack are the first blocks of a deeper one */
  experiment->shape.depth = 2;
  shallow = get_arrays (experiment, 0, 0, 0);
  g_assert_cmpuint (g_hash_table_size (shallow), ==, 2 + 2 * 6 + 1);
  g_assert_cmpuint (count_different_arrays (shallow, deep), ==, 0);
  /* no two of them are alike */
  {
    g_autofree gpointer *names = g_hash_table_get_keys_as_array (deep, NULL);

    for (gsize i = 0; names[i] != NULL; i++)
      for (gsize j = 0; j < i; j++)
        g_assert_false (g_bytes_equal (g_hash_table_lookup (deep, names[i]), g_hash_table_lookup (deep, names[j])));
  }
}

/* The forward pass of the first blocks is the same at every depth. */
static void
test_depths (void)
{
  g_autoptr (NsExperiment) deep = check_experiment (small, "pre"), shallow = check_experiment (small, "pre");
  g_autoptr (NsResult) a = check_run (deep, 1, 0), b = NULL;

  shallow->shape.depth = 4;
  b = check_run (shallow, 1, 0);
  for (gint64 site = 0; site <= 4; site++)
    {
      g_assert_cmpfloat (check_value (a, 0, NS_Q_RMS_X, site, 0), ==, check_value (b, 0, NS_Q_RMS_X, site, 0));
      if (site > 0)
        g_assert_cmpfloat (check_value (a, 0, NS_Q_RMS_FFN, site, 0), ==, check_value (b, 0, NS_Q_RMS_FFN, site, 0));
    }
  g_assert_cmpfloat (check_value (a, 0, NS_Q_GRAD_X, 4, 0), !=, check_value (b, 0, NS_Q_GRAD_X, 4, 0));
}

static gboolean
stop_at_third (const NsArray *array, gpointer data, GError **error)
{
  return ++*(int *) data < 3;
}

static void
test_arrays_stop (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (small, "pre");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  int calls = 0;

  g_assert_false (ns_engine_foreach_array (engine, experiment, 0, 0, stop_at_third, &calls, NULL));
  g_assert_cmpint (calls, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/threads-and-budget/", runs[i].name, NULL);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_threads_and_budget);
    }
  g_test_add_func ("/engine/seeds", test_seeds);
  g_test_add_func ("/engine/merge", test_merge);
  g_test_add_func ("/engine/history", test_history);
  g_test_add_func ("/engine/neighbours", test_neighbours);
  g_test_add_func ("/engine/arrays", test_arrays);
  g_test_add_func ("/engine/arrays-stop", test_arrays_stop);
  g_test_add_func ("/engine/depths", test_depths);

  return g_test_run ();
}
