/* Test that a run does not depend on threads, memory budget, earlier runs, or the other seeds and variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/run/ns-arrays.h"
#include "engine/run/ns-engine-private.h"
#include "tests.h"

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

static const NsShape pair = {
  .stack = NS_STACK_ENCODER_DECODER, .depth = 3, .d_model = 32, .heads = 4, .d_ff = 64, .seq_len = 9, .batch = 2,
  .vocab = 40,
};
/* A = 48, K = 24, d_model = 32 */
static const NsShape grouped = {
  .depth = 5, .d_model = 32, .heads = 4, .kv_heads = 2, .d_head = 12, .d_ff = 64, .seq_len = 9, .batch = 2, .vocab = 40,
};
static const NsShape grouped_pair = {
  .stack = NS_STACK_ENCODER_DECODER, .depth = 3, .d_model = 32, .heads = 4, .kv_heads = 2, .d_head = 12, .d_ff = 64,
  .seq_len = 9, .batch = 2, .vocab = 40,
};
static const NsShape pair_of_many_tokens = {
  .stack = NS_STACK_ENCODER_DECODER, .depth = 2, .d_model = 48, .heads = 3, .d_ff = 100, .seq_len = 70, .batch = 2,
  .vocab = 33,
};

static const struct
{
  const char *name, *variants;
  const NsShape *shape;
  gint64 seeds;
  gboolean unit_gradient;
  int source;
  gint64 batches;
} runs[] = {
  { "placements", "pre post sandwich branch none pre-post", &small, 2, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "kinds", "mix:activation=swiglu,bias=on deepnorm:activation=gelu parallel:attention=causal "
             "pre:attention=uniform,attention_output=off layernorm-scaling:norm=rmsnorm",
    &small, 3, FALSE, NS_SOURCE_TOKENS, 1 },
  { "one-pass", "post:activation=geglu,init.scheme=xavier-uniform", &small, 1, TRUE, NS_SOURCE_GAUSSIAN, 1 },
  { "vanishing", "none:attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-6", &small, 2, TRUE,
    NS_SOURCE_GAUSSIAN, 1 },
  { "overflowing", "none:residual_scale=1e6 pre", &small, 2, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "panels", "pre:activation=swiglu", &wide, 1, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "many-tokens", "pre post:attention=causal", &many_tokens, 1, FALSE, NS_SOURCE_TOKENS, 1 },
  { "new-wirings", "post:dual_residual=on,block_residual=on pre:norm=dyt,input_norm=on,bias=on "
                   "parallel-two-norms:branch_parameter=scalar sandwich:branch_norm_gain=0.5,branch_parameter=vector "
                   "pre:activation=geglu-tanh,input_scale=t-fixup,init.scheme=fairseq",
    &small, 2, FALSE, NS_SOURCE_TOKENS, 1 },
  { "grouped", "pre:qk_norm=full,attn.inner_norm=on post:qk_norm=cosine,ffn.inner_norm=on "
               "none:qk_norm=qkv-head,norm=dyt,bias=on branch:qk_norm=head,attention=causal pre:attention=uniform "
               "pre:rotary=half,rotary_dim=2,name=Rotary pre:rotary=interleaved,qk_norm=full,name=Other "
               "pre:position_bias=alibi,score_cap=0.5,logit_cap=1,init.truncate=1,name=ALiBi "
               "pre:position_bias=t5,position_buckets=8,name=Relative "
               "pre:window=3,window_full_every=2,rotary=half,rotary_base_local=50,name=Window "
               "pre:experts=4,shared_experts=2,activation=swiglu post:experts=8,experts_per_token=1",
    &grouped, 2, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "pair", "pre post:bias=on sandwich:cross.norm=none,cross.residual=off mix none:attention=uniform", &pair, 2, FALSE,
    NS_SOURCE_TOKENS, 1 },
  { "pair-wirings", "post:dual_residual=on,block_residual=on pre:norm=dyt,input_norm=on,bias=on deepnorm t-fixup "
                    "sub-ln:branch_parameter=vector",
    &pair, 2, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "pair-grouped", "pre:qk_norm=full,attn.inner_norm=on post:qk_norm=cosine,cross.inner_norm=on "
                    "none:qk_norm=qkv-head,norm=dyt,bias=on",
    &grouped_pair, 2, TRUE, NS_SOURCE_TOKENS, 1 },
  { "pair-one-pass", "post:activation=geglu,dual_residual=on", &pair, 1, FALSE, NS_SOURCE_TOKENS, 1 },
  { "pair-vanishing", "none:attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-6", &pair, 2, TRUE,
    NS_SOURCE_GAUSSIAN, 1 },
  { "pair-overflowing", "none:residual_scale=1e6 pre", &pair, 2, FALSE, NS_SOURCE_GAUSSIAN, 1 },
  { "minibatches", "pre:bias=on post:norm=dyt,branch_parameter=vector none:activation=swiglu,qk_norm=head", &small, 2,
    FALSE, NS_SOURCE_TOKENS, 3 },
  { "minibatches-one-pass", "post:bias=on", &many_tokens, 1, TRUE, NS_SOURCE_GAUSSIAN, 2 },
  { "minibatches-pair", "pre:bias=on post", &pair, 1, FALSE, NS_SOURCE_TOKENS, 4 },
  { "pair-many-tokens", "pre post:qk_norm=head", &pair_of_many_tokens, 1, FALSE, NS_SOURCE_TOKENS, 1 },
};

static NsExperiment *
make_experiment (gsize i)
{
  NsExperiment *experiment = check_experiment (*runs[i].shape, runs[i].variants);

  experiment->sampling.seeds = runs[i].seeds;
  experiment->loss = runs[i].unit_gradient ? NS_LOSS_UNIT_GRADIENT : NS_LOSS_CROSS_ENTROPY;
  experiment->data.source = runs[i].source;
  experiment->sampling.batches = runs[i].batches;
  return experiment;
}

/* Each budget with one number of threads, another in the next run: each pair of run, threads and budget is there. */
static void
test_threads_and_budget (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  const guint threads[] = { 2, 3, 5 };
  const guint64 budgets[] = { 0, 1, MIB, 3 * MIB };
  g_autoptr (NsExperiment) experiment = make_experiment (i);
  g_autoptr (NsResult) plain = check_run (experiment, 1, 0);
  gboolean large = runs[i].shape == &wide;

  for (gsize b = 0; b < G_N_ELEMENTS (budgets); b += large ? 2 : 1)
    {
      guint n_threads = threads[large ? 0 : (i + b) % G_N_ELEMENTS (threads)];
      g_autoptr (NsResult) result = check_run (experiment, n_threads, budgets[b]);

      g_assert_cmpuint (check_count_different_all (plain, result), ==, 0);
    }
  if (!large)
    {
      g_autoptr (NsResult) tight = check_run (experiment, 1, 1);

      g_assert_cmpuint (check_count_different_all (plain, tight), ==, 0);
      /* another seed gives another result, and the comparison detects it */
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
      alone->sampling.seed += s; /* seed s of an experiment is a run with sampling.seed + s */
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
          NsResult *longer = check_merge (merged, one);

          ns_result_unref (merged);
          merged = longer;
        }
    }
  g_assert_cmpuint (check_count_different_all (all, merged), ==, 0);
}

/* Merge two parts of unequal size from two engines. */
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
  merged = check_merge (first, rest);
  g_assert_cmpuint (ns_result_get_n_seeds (merged), ==, 5);
  g_assert_cmpuint (check_count_different_all (all, merged), ==, 0);
}

/* ---- earlier runs ---- */

static void
test_history (void)
{
  g_autoptr (NsExperiment) a = make_experiment (0), b = make_experiment (6), c = make_experiment (3);
  g_autoptr (NsExperiment) d = make_experiment (9);
  const guint64 budgets[] = { 0, MIB };

  g_assert_cmpint (d->shape.stack, ==, NS_STACK_ENCODER_DECODER);
  for (gsize i = 0; i < G_N_ELEMENTS (budgets); i++)
    {
      g_autoptr (NsEngine) engine = ns_engine_new (2, budgets[i]);
      g_autoptr (NsResult) first = check_run_on (engine, a);

      for (int round = 0; round < 3; round++)
        {
          g_autoptr (NsResult) between = check_run_on (engine, round == 0 ? b : round == 1 ? c : d);
          g_autoptr (NsResult) again = NULL;

          a->shape.depth = round == 1 ? 3 : 6; /* like a dragged slider */
          again = check_run_on (engine, a);
          if (round != 1)
            g_assert_cmpuint (check_count_different_all (first, again), ==, 0);
        }
    }
}

/* After a release the engine draws the same weights again. */
static void
test_release (void)
{
  g_autoptr (NsExperiment) experiment = make_experiment (0);
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (NsResult) first = check_run_on (engine, experiment), again = NULL;

  g_assert_cmpuint (ns_weights_get_bytes (engine->weights), >, 0);
  g_assert_cmpuint (engine->memory[0].bytes, >, 0);
  ns_engine_release_memory (engine);
  g_assert_cmpuint (ns_weights_get_bytes (engine->weights), ==, 0);
  for (guint i = 0; i < ns_engine_get_threads (engine); i++)
    g_assert_cmpuint (engine->memory[i].bytes, ==, 0);
  again = check_run_on (engine, experiment);
  g_assert_cmpuint (check_count_different_all (first, again), ==, 0);
}

/* The values of a variant do not depend on the other variants or on its index. */
static void
test_neighbours (void)
{
  g_autoptr (NsExperiment) alone = check_experiment (small, "branch:activation=gelu");
  g_autoptr (NsExperiment) together
      = check_experiment (small, "pre:activation=swiglu,bias=on post:attention=uniform branch:activation=gelu none");
  g_autoptr (NsResult) a = check_run (alone, 1, 0), b = check_run (together, 2, 0);

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

/* Count the arrays of a that differ in b. */
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
  /* variants with equal shape and init share every array under any budget */
  g_assert_cmpuint (count_different_arrays (deep, post), ==, 0);
  /* another init changes the weights, another seed changes everything */
  g_assert_cmpuint (count_different_arrays (deep, kaiming), ==, 6 * 6 + 1);
  g_assert_cmpuint (count_different_arrays (deep, seed), ==, 2 + 6 * 6 + 1);
  /* the blocks of a shallower stack are the first blocks of a deeper one */
  experiment->shape.depth = 2;
  shallow = get_arrays (experiment, 0, 0, 0);
  g_assert_cmpuint (g_hash_table_size (shallow), ==, 2 + 2 * 6 + 1);
  g_assert_cmpuint (count_different_arrays (shallow, deep), ==, 0);
  /* no two arrays are equal */
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

/* Append the name and shape of an array as one line. */
static gboolean
list_array (const NsArray *array, gpointer data, GError **error)
{
  GString *list = data;

  g_string_append_printf (list, "%s", array->name);
  for (guint d = 0; d < array->n_dims; d++)
    g_string_append_printf (list, " %d", (int) array->dims[d]);
  g_string_append (list, array->ids != NULL ? " ids\n" : "\n");
  return TRUE;
}

static char *
list_arrays (const NsExperiment *experiment)
{
  GString *list = g_string_new (NULL);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GError *error = NULL;

  ns_engine_foreach_array (engine, experiment, 0, 0, list_array, list, &error);
  g_assert_no_error (error);
  return g_string_free (list, FALSE);
}

static void
test_array_names (void)
{
  NsShape shape = grouped_pair;
  g_autoptr (NsExperiment) experiment = NULL;
  g_autofree char *both = NULL, *single = NULL;

  shape.depth = 1;
  experiment = check_experiment (shape, "pre:activation=swiglu,bias=on,input_norm=on,branch_parameter=vector");
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  both = list_arrays (experiment);
  g_assert_cmpstr (both, ==,
                   "x0 2 9 32\ny0 2 9 32\ntargets 2 9 ids\nupstream 2 9 32\n"
                   "encoder/block001/w_q 32 48\nencoder/block001/w_k 32 24\nencoder/block001/w_v 32 24\n"
                   "encoder/block001/w_o 48 32\nencoder/block001/w_1 32 64\nencoder/block001/w_2 64 32\n"
                   "encoder/block001/w_3 32 64\n"
                   "decoder/block001/w_q 32 48\ndecoder/block001/w_k 32 24\ndecoder/block001/w_v 32 24\n"
                   "decoder/block001/w_o 48 32\ndecoder/block001/w_1 32 64\ndecoder/block001/w_2 64 32\n"
                   "decoder/block001/w_3 32 64\ndecoder/block001/cross_w_q 32 48\n"
                   "decoder/block001/cross_w_k 32 24\ndecoder/block001/cross_w_v 32 24\n"
                   "decoder/block001/cross_w_o 48 32\n");
  experiment->shape.stack = NS_STACK_SINGLE;
  experiment->loss = NS_LOSS_CROSS_ENTROPY;
  single = list_arrays (experiment);
  g_assert_cmpstr (single, ==,
                   "x0 2 9 32\ntargets 2 9 ids\nblock001/w_q 32 48\nblock001/w_k 32 24\nblock001/w_v 32 24\n"
                   "block001/w_o 48 32\nblock001/w_1 32 64\nblock001/w_2 64 32\nblock001/w_3 32 64\n"
                   "head/w_head 32 40\n");
}

static gboolean
arrays_equal (GHashTable *a, const char *name_a, GHashTable *b, const char *name_b)
{
  GBytes *bytes_a = g_hash_table_lookup (a, name_a), *bytes_b = g_hash_table_lookup (b, name_b);

  g_assert_true (bytes_a != NULL && bytes_b != NULL);
  return g_bytes_equal (bytes_a, bytes_b);
}

/* An encoder equals the single stack of the same experiment. Its decoder has a residual stream of its own. */
static void
test_pair_arrays (void)
{
  static const char *const names[] = { "w_q", "w_k", "w_v", "w_o", "w_1", "w_2" };
  static const char *const cross[] = { "cross_w_q", "cross_w_k", "cross_w_v", "cross_w_o" };
  g_autoptr (NsExperiment) experiment = check_experiment (pair, "pre post:bias=on,dual_residual=on,input_scale=0.5");
  g_autoptr (GHashTable) both = get_arrays (experiment, 0, 0, 0), post = get_arrays (experiment, 1, 0, 1);
  g_autoptr (GHashTable) single = NULL;

  g_assert_cmpuint (g_hash_table_size (both), ==, 3 + 3 * 6 + 3 * 10 + 1);
  /* x0 and y0 are the same for every variant */
  g_assert_cmpuint (count_different_arrays (both, post), ==, 0);
  experiment->shape.stack = NS_STACK_SINGLE;
  single = get_arrays (experiment, 0, 0, 0);
  g_assert_true (arrays_equal (both, "x0", single, "x0"));
  g_assert_true (arrays_equal (both, "targets", single, "targets"));
  g_assert_true (arrays_equal (both, "head/w_head", single, "head/w_head"));
  g_assert_false (arrays_equal (both, "x0", both, "y0"));
  for (int block = 1; block <= 3; block++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          g_autofree char *encoder = g_strdup_printf ("encoder/block%03d/%s", block, names[i]);
          g_autofree char *decoder = g_strdup_printf ("decoder/block%03d/%s", block, names[i]);
          g_autofree char *alone = g_strdup_printf ("block%03d/%s", block, names[i]);

          g_assert_true (arrays_equal (both, encoder, single, alone));
          g_assert_false (arrays_equal (both, decoder, single, alone));
        }
      for (gsize i = 0; i < G_N_ELEMENTS (cross); i++)
        {
          g_autofree char *decoder = g_strdup_printf ("decoder/block%03d/%s", block, cross[i]);
          g_autofree char *own = g_strdup_printf ("decoder/block%03d/%s", block, cross[i] + strlen ("cross_"));
          g_autofree char *encoder = g_strdup_printf ("encoder/block%03d/%s", block, cross[i] + strlen ("cross_"));

          g_assert_false (arrays_equal (both, decoder, both, own));
          g_assert_false (arrays_equal (both, decoder, both, encoder));
        }
    }
}

/* Return the N ids or embeddings of a part. */
static const gint32 *
ids_of (GHashTable *arrays)
{
  return g_bytes_get_data (g_hash_table_lookup (arrays, "targets"), NULL);
}

static const float *
stream_of (GHashTable *arrays, const char *name)
{
  return g_bytes_get_data (g_hash_table_lookup (arrays, name), NULL);
}

/* Return TRUE if token a of stream x [N, C] is token b of stream y [N, C] times factor. */
static gboolean
same_token (const float *x, gsize a, const float *y, gsize b, double factor)
{
  for (gsize c = 0; c < 32; c++)
    if (fabs (x[a * 32 + c] * factor - y[b * 32 + c]) > 1e-6 * fabs (y[b * 32 + c]))
      return FALSE;
  return TRUE;
}

/* The decoder continues the text after the encoder's N bytes and wraps at its end. */
static void
test_pair_data (void)
{
  /* N = 18: sources 0..17, y_0 18..35, targets 19..36, of 25 bytes */
  static const char text[] = "abcdefghijklmnopqrstuvwxy";
  NsShape shape = pair;
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (GHashTable) arrays = NULL, scaled = NULL, tokens = NULL;

  shape.vocab = 256;
  experiment = check_experiment (shape, "pre");
  experiment->data.source = NS_SOURCE_TEXT;
  experiment->data.text = g_strdup (text);
  arrays = get_arrays (experiment, 0, 0, 0);
  for (gsize n = 0; n < 18; n++)
    {
      g_assert_cmpint (ids_of (arrays)[n], ==, text[(19 + n) % 25]);
      for (gsize m = 0; m < 18; m++) /* equal bytes have equal embeddings */
        g_assert_cmpint (same_token (stream_of (arrays, "x0"), n, stream_of (arrays, "y0"), m, 1), ==,
                         text[n] == text[(18 + m) % 25]);
    }
  experiment->data.embed_scale = (NsScale){ NS_EMBED_SCALE_SQRT_D_MODEL, 1 };
  scaled = get_arrays (experiment, 0, 0, 0);
  for (gsize n = 0; n < 18; n++)
    {
      g_assert_true (same_token (stream_of (arrays, "x0"), n, stream_of (scaled, "x0"), n, sqrt (32)));
      g_assert_true (same_token (stream_of (arrays, "y0"), n, stream_of (scaled, "y0"), n, sqrt (32)));
    }

  /* the decoder has its own ids; the targets follow those of y_0; equal ids have equal embeddings */
  experiment->data.source = NS_SOURCE_TOKENS;
  experiment->data.embed_scale = (NsScale){ 0, 1 };
  tokens = get_arrays (experiment, 0, 0, 0);
  g_assert_false (arrays_equal (tokens, "x0", tokens, "y0"));
  for (gsize n = 1; n < 18; n++)
    for (gsize m = 1; m < 18; m++)
      g_assert_cmpint (same_token (stream_of (tokens, "y0"), n, stream_of (tokens, "y0"), m, 1), ==,
                       ids_of (tokens)[n - 1] == ids_of (tokens)[m - 1]);
}

/* The forward pass of the encoder equals that of the single stack and does not depend on the decoder. */
static void
test_pair_encoder (void)
{
  g_autoptr (NsExperiment) both = check_experiment (pair, "pre post:block_residual=on"), single = NULL;
  g_autoptr (NsResult) a = check_run (both, 1, 0), b = NULL;

  single = ns_experiment_copy (both);
  single->shape.stack = NS_STACK_SINGLE;
  b = check_run (single, 1, 0);
  for (guint v = 0; v < 2; v++)
    for (gint64 site = 0; site <= 3; site++)
      {
        g_assert_cmpfloat (check_value (a, v, NS_Q_RMS_X, site, 0), ==, check_value (b, v, NS_Q_RMS_X, site, 0));
        g_assert_cmpfloat (check_value (a, v, NS_Q_TOKEN_COS, site, 0), ==,
                           check_value (b, v, NS_Q_TOKEN_COS, site, 0));
        g_assert_cmpfloat (check_value (a, v, NS_Q_GRAD_X, site, 0), !=, check_value (b, v, NS_Q_GRAD_X, site, 0));
      }
}

/* With W_Q = W_K = 0 the gradients of W_Q, W_K and their biases exist and are 0. */
static void
test_uniform_zeros (void)
{
  static const NsQuantity zeros[] = { NS_Q_W_Q, NS_Q_W_K, NS_Q_B_Q, NS_Q_B_K, NS_Q_CROSS_W_Q, NS_Q_CROSS_W_K,
                                      NS_Q_CROSS_B_Q, NS_Q_CROSS_B_K };
  g_autoptr (NsExperiment) experiment = check_experiment (pair, "post:attention=uniform,bias=on");
  g_autoptr (NsResult) result = check_run (experiment, 1, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (zeros); i++)
    for (gint64 site = i < 4 ? 1 : 5; site < 8; site++)
      if (site != 4)
        {
          g_assert_cmpfloat (check_value (result, 0, zeros[i], site, 0), ==, 0);
          g_assert_true (check_log10 (result, 0, zeros[i], site, 0) == -INFINITY);
        }
}

static gboolean
count_zeros (const NsArray *array, gpointer data, GError **error)
{
  gboolean is_query_or_key = g_str_has_suffix (array->name, "w_q") || g_str_has_suffix (array->name, "w_k");
  guint zeros = 0;

  if (array->values == NULL)
    return TRUE;
  for (gint64 i = 0; i < array->dims[0] * array->dims[1]; i++)
    zeros += array->values[i] == 0;
  g_assert_cmpuint (zeros, ==, is_query_or_key ? array->dims[0] * array->dims[1] : 0);
  *(guint *) data += is_query_or_key;
  return TRUE;
}

/* The arrays of W_Q and W_K are 0, as used in the pass. */
static void
test_uniform_arrays (void)
{
  g_autoptr (NsExperiment) experiment = check_experiment (pair, "pre:attention=uniform");
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  guint found = 0;

  g_assert_true (ns_engine_foreach_array (engine, experiment, 0, 0, count_zeros, &found, NULL));
  g_assert_cmpuint (found, ==, 3 * 2 + 3 * 4);
}

/* With branches of weight 0 and no norms a block only multiplies the stream by the constants of its part, forward and
 * backward. */
static void
test_constants (void)
{
  static const struct
  {
    const char *settings;
    double encoder, decoder, input; /* factors of a block and of the input, for L = 3 */
  } expected[] = {
    { "residual_scale=1.5", 2.25, 3.375, 1 },
    { "residual_scale=deepnorm", 1.30368, 5.19615, 1 }, /* (0.81·(3^5)^(1/16))² and 9^(3/4) */
    { "residual_scale=admin", 2.59729, 6.11215, 1 },    /* 7/ln 7 − 1, and (10/ln 10 − 1)^(3/2) */
    { "residual_scale=admin-constant", 6, 27, 1 },
    { "residual_scale=1.5,block_residual=on", 3.25, 4.375, 1 },
    { "residual_scale=1.5,cross.residual=off", 2.25, 0, 1 },
    { "input_scale=t-fixup", 1, 1, 0.43869 }, /* 27^(−1/4) */
    { "input_scale=3", 1, 1, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *variant = g_strdup_printf ("none:branch_scale=0,%s none", expected[i].settings);
      g_autoptr (NsExperiment) experiment = check_experiment (pair, variant);
      g_autoptr (NsResult) result = NULL;
      gboolean open = expected[i].decoder > 0;

      experiment->loss = NS_LOSS_UNIT_GRADIENT;
      result = check_run (experiment, 1, 0);
      g_test_message ("%s", expected[i].settings);
      g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_RMS_X, 0, 0)
                                          / check_value (result, 1, NS_Q_RMS_X, 0, 0),
                                      expected[i].input, 1e-4);
      g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_RMS_X, 4, 0)
                                          / check_value (result, 1, NS_Q_RMS_X, 4, 0),
                                      expected[i].input, 1e-4);
      for (gint64 l = 1; l <= 3; l++)
        {
          g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_RMS_X, l, 0)
                                              / check_value (result, 0, NS_Q_RMS_X, l - 1, 0),
                                          expected[i].encoder, 2e-4);
          if (!open)
            continue;
          g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_RMS_X, 4 + l, 0)
                                              / check_value (result, 0, NS_Q_RMS_X, 4 + l - 1, 0),
                                          expected[i].decoder, 1e-3);
          g_assert_cmpfloat_with_epsilon (check_value (result, 0, NS_Q_GRAD_X, 4 + l - 1, 0)
                                              / check_value (result, 0, NS_Q_GRAD_X, 4 + l, 0),
                                          expected[i].decoder, 1e-3);
        }
      /* cross-attention of weight 0 passes no gradient to the encoder */
      g_assert_cmpfloat (check_value (result, 0, NS_Q_GRAD_X, 3, 0), ==, 0);
    }
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

void
add_engine_tests (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/threads-and-budget/", runs[i].name, NULL);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_threads_and_budget);
    }
  g_test_add_func ("/engine/seeds", test_seeds);
  g_test_add_func ("/engine/merge", test_merge);
  g_test_add_func ("/engine/history", test_history);
  g_test_add_func ("/engine/release", test_release);
  g_test_add_func ("/engine/neighbours", test_neighbours);
  g_test_add_func ("/engine/arrays", test_arrays);
  g_test_add_func ("/engine/arrays-stop", test_arrays_stop);
  g_test_add_func ("/engine/array-names", test_array_names);
  g_test_add_func ("/engine/pair-arrays", test_pair_arrays);
  g_test_add_func ("/engine/pair-data", test_pair_data);
  g_test_add_func ("/engine/pair-encoder", test_pair_encoder);
  g_test_add_func ("/engine/uniform-zeros", test_uniform_zeros);
  g_test_add_func ("/engine/uniform-arrays", test_uniform_arrays);
  g_test_add_func ("/engine/constants", test_constants);
  g_test_add_func ("/engine/depths", test_depths);
}
