/* Test the token ids of minibatches: windows of a text, the Markov chain and its entropies, the reversal.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "settings.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/pass/ns-batch.h"
#include "tests.h"

#include <math.h>
#include <string.h>

#define MAX_IDS 4096

typedef struct
{
  NsExperiment *experiment;
  gpointer memory;
  NsBatchSource source;
} Data;

static void
data_init (Data *data, NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;

  ns_experiment_validate (experiment, &error);
  g_assert_no_error (error);
  *data = (Data){ .experiment = experiment, .memory = g_malloc (ns_batch_source_get_bytes (experiment)) };
  if (experiment->data.source != NS_SOURCE_GAUSSIAN)
    ns_batch_source_init (&data->source, experiment, data->memory);
  g_assert_cmpuint (data->source.N, <=, MAX_IDS);
}

static void
data_clear (Data *data)
{
  ns_experiment_free (data->experiment);
  g_free (data->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Data, data_clear)

static NsExperiment *
new_experiment (const char *source, const char *stack)
{
  NsExperiment *experiment = one_variant ("pre");

  set (experiment, "shape.stack", stack);
  set (experiment, "shape.seq_len", "7");
  set (experiment, "shape.batch", "3");
  set (experiment, "data.source", source);
  return experiment;
}

/* ---- Markov chain ---- */

typedef struct
{
  NsMarkov chain;
  gpointer memory;
} Chain;

static void
chain_clear (Chain *chain)
{
  g_free (chain->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Chain, chain_clear)

static void
chain_init (Chain *chain, guint64 seed, gsize V, double temperature)
{
  *chain = (Chain){ .memory = g_malloc (ns_markov_get_bytes (V)) };
  ns_markov_init (&chain->chain, (NsRandomKey){ seed, 0, NS_STREAM_MARKOV, 0, 0 }, V, temperature, chain->memory);
}

static double
get_probability (const double *cumulative, gsize j)
{
  return cumulative[j] - (j > 0 ? cumulative[j - 1] : 0);
}

/* The transitions are the softmax of the stream's normal numbers; π·P = π; the entropies are those of π and P. */
static void
test_chain (void)
{
  static const struct
  {
    gsize V;
    double temperature;
  } rows[] = { { 2, 1 }, { 5, 0.1 }, { 16, 0.3 }, { 64, 1 }, { 256, 2 }, { 32, 100 } };

  for (gsize r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      gsize V = rows[r].V;
      g_auto (Chain) chain = { 0 };
      g_autofree float *z = g_malloc_n (V * V, sizeof *z);
      g_autofree double *next = g_new0 (double, V);
      double rate = 0, symbol = 0;

      g_test_message ("%zu states, temperature %g", V, rows[r].temperature);
      chain_init (&chain, 7, V, rows[r].temperature);
      ns_random_fill_plain ((NsRandomKey){ 7, 0, NS_STREAM_MARKOV, 0, 0 }, NS_DISTRIBUTION_NORMAL, 0, V * V, z);
      for (gsize i = 0; i < V; i++)
        {
          const double *row = chain.chain.cumulative + i * V;
          double sum = 0, pi = get_probability (chain.chain.start, i);

          for (gsize j = 0; j < V; j++)
            sum += exp (z[i * V + j] / rows[r].temperature);
          for (gsize j = 0; j < V; j++)
            {
              double p = exp (z[i * V + j] / rows[r].temperature) / sum;

              g_assert_cmpfloat_with_epsilon (get_probability (row, j), p, 1e-11);
              next[j] += pi * get_probability (row, j);
              rate -= pi * p * log (p);
            }
          g_assert_cmpfloat_with_epsilon (row[V - 1], 1, 1e-13);
          symbol -= pi * log (pi);
        }
      for (gsize j = 0; j < V; j++)
        g_assert_cmpfloat_with_epsilon (next[j], get_probability (chain.chain.start, j), 1e-14);
      g_assert_cmpfloat_with_epsilon (chain.chain.entropy_rate, rate, 1e-10);
      g_assert_cmpfloat_with_epsilon (chain.chain.symbol_entropy, symbol, 1e-12);
      g_assert_cmpfloat (chain.chain.entropy_rate, <, chain.chain.symbol_entropy);
      if (rows[r].temperature == 100)
        g_assert_cmpfloat_with_epsilon (chain.chain.entropy_rate, log ((double) V), 1e-3);
    }
}

/* A chain that leaves its states rarely: two states have a closed form. */
static void
test_slow_chain (void)
{
  for (guint64 seed = 0; seed < 200; seed++)
    {
      g_auto (Chain) chain = { 0 };
      float z[4];
      double a, b, pi;

      chain_init (&chain, seed, 2, 0.1);
      ns_random_fill_plain ((NsRandomKey){ seed, 0, NS_STREAM_MARKOV, 0, 0 }, NS_DISTRIBUTION_NORMAL, 0, 4, z);
      a = 1 / (1 + exp (((double) z[0] - z[1]) / 0.1)); /* from state 0 to 1 */
      b = 1 / (1 + exp (((double) z[3] - z[2]) / 0.1));
      pi = b / (a + b);
      g_assert_cmpfloat_with_epsilon (get_probability (chain.chain.start, 0) / pi, 1, 1e-9);
    }
}

#define V 6
#define LENGTH 40
#define WALKS 5000

/* States and transitions occur as often as π and P say: their empirical conditional entropy is the entropy rate. */
static void
test_walk (void)
{
  g_auto (Chain) chain = { 0 };
  double counts[V * V] = { 0 };
  double first[V] = { 0 }, total = 0, entropy = 0;
  NsRandomKey key = { 3, 9, NS_STREAM_MARKOV_WALK, 0, 0 };

  chain_init (&chain, 1, V, 0.5);
  for (gsize walk = 0; walk < WALKS; walk++)
    {
      gint32 states[LENGTH], rest[LENGTH];

      ns_markov_walk (&chain.chain, key, walk, LENGTH, 0, LENGTH, states);
      ns_markov_walk (&chain.chain, key, walk, LENGTH, 11, LENGTH - 11, rest);
      g_assert_cmpmem (states + 11, (LENGTH - 11) * sizeof *states, rest, (LENGTH - 11) * sizeof *states);
      first[states[0]] += 1.0 / WALKS;
      for (gsize t = 1; t < LENGTH; t++)
        counts[states[t - 1] * V + states[t]]++;
    }
  for (gsize i = 0; i < V; i++)
    {
      double sum = 0;

      g_assert_cmpfloat_with_epsilon (first[i], get_probability (chain.chain.start, i), 4 * 0.5 / sqrt (WALKS));
      for (gsize j = 0; j < V; j++)
        sum += counts[i * V + j];
      for (gsize j = 0; j < V; j++)
        if (counts[i * V + j] > 0)
          entropy -= counts[i * V + j] * log (counts[i * V + j] / sum);
      total += sum;
    }
  g_assert_cmpfloat_with_epsilon (entropy / total, chain.chain.entropy_rate, 0.01);
}

#undef V

/* All draws of an experiment share the chain; another first seed has another one. */
static void
test_chain_of_experiment (void)
{
  g_auto (Data) a = { 0 }, b = { 0 };
  gint32 ids[2][MAX_IDS];

  data_init (&a, new_experiment ("markov", "single"));
  data_init (&b, new_experiment ("markov", "single"));
  set (b.experiment, "sampling.seed", "5");
  ns_batch_source_init (&b.source, b.experiment, b.memory);
  g_assert_cmpfloat (ns_batch_source_get_floor (&a.source), !=, ns_batch_source_get_floor (&b.source));
  g_assert_cmpfloat (ns_batch_source_get_floor (&a.source), <, ns_batch_source_get_symbol_entropy (&a.source));
  ns_batch_draw_ids (&a.source, 5, 0, 0, ids[0]);
  ns_batch_draw_ids (&b.source, 5, 0, 0, ids[1]);
  g_assert_true (memcmp (ids[0], ids[1], a.source.N * sizeof **ids) != 0);
}

/* ---- windows ---- */

/* The targets are the tokens after the input; a decoder goes on where its encoder ends. */
static void
check_windows (const Data *data, gint64 step)
{
  const NsBatchSource *source = &data->source;
  gsize T = source->T;
  gint32 ids[2][MAX_IDS], targets[MAX_IDS];

  for (gint64 part = 0; part < source->n_parts; part++)
    ns_batch_draw_ids (source, 11, step, part, ids[part]);
  ns_batch_draw_targets (source, 11, step, targets);
  for (gsize b = 0; b < source->B; b++)
    {
      const gint32 *last = ids[source->n_parts - 1] + b * T;

      g_assert_cmpmem (targets + b * T, (T - 1) * sizeof *last, last + 1, (T - 1) * sizeof *last);
      for (gsize t = 0; t < T; t++)
        g_assert_true (ids[0][b * T + t] >= 0 && ids[0][b * T + t] < data->experiment->shape.vocab);
    }
}

static void
test_windows (void)
{
  static const char *const sources[] = { "tokens", "text", "markov" };
  static const char *const stacks[] = { "single", "encoder-decoder" };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (stacks); j++)
      {
        g_auto (Data) data = { 0 };
        NsExperiment *experiment = new_experiment (sources[i], stacks[j]);
        gint32 a[MAX_IDS], b[MAX_IDS];

        set (experiment, "data.text", "It is a truth universally acknowledged, that a single man in possession");
        data_init (&data, experiment);
        for (gint64 step = NS_BATCH_INITIAL; step < 20; step++)
          check_windows (&data, step);
        /* other steps and seeds have other windows; the same ones have the same */
        ns_batch_draw_ids (&data.source, 1, 4, 0, a);
        ns_batch_draw_ids (&data.source, 1, 4, 0, b);
        g_assert_cmpmem (a, data.source.N * sizeof *a, b, data.source.N * sizeof *b);
        ns_batch_draw_ids (&data.source, 1, 5, 0, b);
        g_assert_true (memcmp (a, b, data.source.N * sizeof *a) != 0);
        ns_batch_draw_ids (&data.source, 2, 4, 0, b);
        g_assert_true (memcmp (a, b, data.source.N * sizeof *a) != 0);
      }
}

#define STEPS 3000

/* Windows of a text begin at every byte from which they and their last target fit, each about as often. */
static void
test_text_windows (void)
{
  static const char text[] = "abcdefghijklmnopqrstuvwxyz";
  static const char *const stacks[] = { "single", "encoder-decoder" };

  for (gsize s = 0; s < G_N_ELEMENTS (stacks); s++)
    {
      g_auto (Data) data = { 0 };
      NsExperiment *experiment = new_experiment ("text", stacks[s]);
      guint counts[G_N_ELEMENTS (text)] = { 0 }, n_windows;
      gint32 ids[MAX_IDS], decoder[MAX_IDS], targets[MAX_IDS];

      set (experiment, "data.text", text);
      data_init (&data, experiment);
      n_windows = (guint) (strlen (text) - (gsize) data.source.n_parts * data.source.T);
      for (gint64 step = 0; step < STEPS; step++)
        {
          ns_batch_draw_ids (&data.source, 3, step, 0, ids);
          ns_batch_draw_ids (&data.source, 3, step, data.source.n_parts - 1, decoder);
          ns_batch_draw_targets (&data.source, 3, step, targets);
          for (gsize b = 0; b < data.source.B; b++)
            {
              gsize first = b * data.source.T, last = first + data.source.T - 1;

              counts[ids[first] - 'a']++;
              g_assert_cmpint (targets[last] - ids[first], ==, data.source.n_parts * (gint64) data.source.T);
              if (data.source.n_parts == 2)
                g_assert_cmpint (decoder[first], ==, ids[last] + 1);
            }
        }
      for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
        {
          double expected = i < n_windows ? (double) STEPS * (double) data.source.B / n_windows : 0;

          g_assert_cmpfloat (fabs (counts[i] - expected), <=, 5 * sqrt (expected));
        }
    }
}

/* A text of one window, or shorter than the encoder's and the decoder's together, repeats. */
static void
test_short_text (void)
{
  g_auto (Data) data = { 0 };
  NsExperiment *experiment = new_experiment ("text", "encoder-decoder");
  gint32 ids[MAX_IDS], decoder[MAX_IDS], targets[MAX_IDS];

  set (experiment, "data.text", "abcdefghi");
  data_init (&data, experiment);
  ns_batch_draw_ids (&data.source, 3, 17, 0, ids);
  ns_batch_draw_ids (&data.source, 3, 17, 1, decoder);
  ns_batch_draw_targets (&data.source, 3, 17, targets);
  for (gsize b = 0; b < data.source.B; b++)
    for (gsize t = 0; t < 7; t++)
      {
        g_assert_cmpint (ids[b * 7 + t], ==, "abcdefg"[t]);
        g_assert_cmpint (decoder[b * 7 + t], ==, "hiabcde"[t]);
        g_assert_cmpint (targets[b * 7 + t], ==, "iabcdef"[t]);
      }
}

/* ---- reversal ---- */

static void
test_reversal (void)
{
  static const char *const sources[] = { "tokens", "text", "markov" };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    for (gint64 step = NS_BATCH_INITIAL; step < 3; step++)
      {
        g_auto (Data) data = { 0 };
        NsExperiment *experiment = new_experiment (sources[i], "encoder-decoder");
        gint32 ids[MAX_IDS], decoder[MAX_IDS], targets[MAX_IDS];
        const gsize T = 7;

        set (experiment, "data.text", "It is a truth universally acknowledged, that a single man in possession");
        set (experiment, "data.task", "reversal");
        data_init (&data, experiment);
        ns_batch_draw_ids (&data.source, 4, step, 0, ids);
        ns_batch_draw_ids (&data.source, 4, step, 1, decoder);
        ns_batch_draw_targets (&data.source, 4, step, targets);
        for (gsize b = 0; b < data.source.B; b++)
          for (gsize t = 0; t < T; t++)
            {
              g_assert_cmpint (targets[b * T + t], ==, ids[b * T + T - 1 - t]);
              g_assert_cmpint (decoder[b * T + t], ==, t == 0 ? 0 : targets[b * T + t - 1]);
            }
        g_assert_cmpfloat (ns_batch_source_get_floor (&data.source), ==, 0);
        /* a single stack ignores the task */
        set (experiment, "shape.stack", "single");
        ns_batch_source_init (&data.source, experiment, data.memory);
        check_windows (&data, step);
        g_assert_cmpfloat (ns_batch_source_get_floor (&data.source), !=, 0);
      }
}

/* ---- entropies ---- */

static void
test_entropies (void)
{
  g_auto (Data) text = { 0 }, tokens = { 0 };
  NsExperiment *experiment = new_experiment ("text", "single");

  /* 2 bytes of 4, 1 of 4, 1 of 4: (1/2)·ln 2 + 2·(1/4)·ln 4 = 1.5·ln 2 */
  set (experiment, "data.text", "aabcaabc");
  data_init (&text, experiment);
  g_assert_cmpfloat_with_epsilon (ns_batch_source_get_symbol_entropy (&text.source), 1.5 * G_LN2, 1e-15);
  g_assert_true (isnan (ns_batch_source_get_floor (&text.source)));

  experiment = new_experiment ("tokens", "single");
  set (experiment, "shape.vocab", "32");
  data_init (&tokens, experiment);
  g_assert_cmpfloat_with_epsilon (ns_batch_source_get_symbol_entropy (&tokens.source), 5 * G_LN2, 1e-15);
  g_assert_cmpfloat_with_epsilon (ns_batch_source_get_floor (&tokens.source), 5 * G_LN2, 1e-15);
}

/* The same without a source; a Gaussian input has none. */
static void
test_entropies_of_experiment (void)
{
  static const char *const sources[] = { "tokens", "text", "markov" };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_auto (Data) data = { 0 };
      NsExperiment *experiment = new_experiment (sources[i], "single");

      set (experiment, "data.text", "It is a truth universally acknowledged");
      data_init (&data, experiment);
      g_assert_false (isnan (ns_batch_source_get_symbol_entropy (&data.source)));
      g_assert_cmpint (isnan (ns_batch_source_get_floor (&data.source)), ==, i == 1);
    }
}

static void
test_refusals (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment ("markov", "single");
  g_autoptr (GError) error = NULL;

  set (experiment, "shape.vocab", "512");
  g_assert_true (ns_experiment_validate (experiment, NULL));
  set (experiment, "shape.vocab", "513");
  g_assert_false (ns_experiment_validate (experiment, &error));
  MENTIONS (error, "shape.vocab: 513 is not allowed when data.source = markov", "allowed: from 2 to 512");
}

void
add_batch_tests (void)
{
  g_test_add_func ("/batch/chain", test_chain);
  g_test_add_func ("/batch/slow-chain", test_slow_chain);
  g_test_add_func ("/batch/walk", test_walk);
  g_test_add_func ("/batch/chain-of-experiment", test_chain_of_experiment);
  g_test_add_func ("/batch/windows", test_windows);
  g_test_add_func ("/batch/text-windows", test_text_windows);
  g_test_add_func ("/batch/short-text", test_short_text);
  g_test_add_func ("/batch/reversal", test_reversal);
  g_test_add_func ("/batch/entropies", test_entropies);
  g_test_add_func ("/batch/entropies-of-experiment", test_entropies_of_experiment);
  g_test_add_func ("/batch/refusals", test_refusals);
}
