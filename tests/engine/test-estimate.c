/* Test scaled-down experiments and the estimates of a run. With the argument "time", compare them to the real time.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-estimate.h"
#include "engine/train/ns-training-estimate.h"
#include "tests.h"

#include <math.h>
#include <string.h>
#include <time.h>

static NsExperiment *
new_experiment (gint64 depth, gint64 d_model, gint64 heads, gint64 d_ff, gint64 tokens, gint64 vocab)
{
  NsExperiment *experiment = ns_experiment_new ();
  NsShape *shape = &experiment->shape;

  shape->depth = depth;
  shape->d_model = d_model;
  shape->heads = heads;
  shape->d_ff = d_ff;
  shape->seq_len = tokens;
  shape->batch = 1;
  shape->vocab = vocab;
  experiment->sampling.seeds = 1;
  g_ptr_array_set_size (experiment->variants, 1);
  return experiment;
}

/* ---- scaling down ---- */

static void
test_ratios (void)
{
  g_autoptr (NsExperiment) llama = new_experiment (32, 4096, 32, 11008, 64, 32000);
  g_autoptr (NsExperiment) smaller = NULL;
  NsVariant *variant = ns_experiment_variant (llama, 0);

  variant->init.scheme = NS_INIT_NORMAL;
  variant->init.std = 0.02;
  smaller = ns_experiment_scale_down (llama, 128);
  g_assert_cmpint (smaller->shape.depth, ==, 32);
  g_assert_cmpint (smaller->shape.d_model, ==, 128);
  g_assert_cmpint (smaller->shape.d_ff, ==, 344); /* 11008/32 */
  g_assert_cmpint (smaller->shape.heads, ==, 8);  /* of 16 features */
  g_assert_cmpint (smaller->shape.kv_heads, ==, 0);
  g_assert_cmpint (smaller->shape.d_head, ==, 0);
  g_assert_cmpint (smaller->shape.vocab, ==, NS_SCALED_VOCAB);
  g_assert_cmpint (smaller->shape.seq_len, ==, 64);
  /* σ·√d stays: 0.02·√4096 = 0.1131·√128. */
  g_assert_cmpfloat_with_epsilon (ns_experiment_variant (smaller, 0)->init.std, 0.1131, 1e-9);
  g_assert_cmpfloat (smaller->data.embed_std, ==, llama->data.embed_std);
}

/* 8 query heads and 4 key heads of width 256, d_model 2304. */
static void
test_groups (void)
{
  g_autoptr (NsExperiment) gemma = new_experiment (26, 2304, 8, 9216, 32, 256000);
  g_autoptr (NsExperiment) smaller = NULL;
  const NsShape *shape;

  gemma->shape.kv_heads = 4;
  gemma->shape.d_head = 256;
  gemma->data.embed_scale.rule = NS_EMBED_SCALE_SQRT_D_MODEL;
  gemma->data.embed_std = 0.02;
  smaller = ns_experiment_scale_down (gemma, 128);
  shape = &smaller->shape;
  g_assert_cmpint (shape->d_model, >=, 64);
  g_assert_cmpint (shape->d_model, <=, 128);
  g_assert_cmpint (shape->d_ff, ==, 4 * shape->d_model);
  g_assert_cmpint (shape->heads * shape->d_head * 2304, ==, 8 * 256 * shape->d_model);
  g_assert_cmpint (shape->heads, ==, 2 * shape->kv_heads);
  /* The embeddings keep their size. */
  g_assert_cmpfloat_with_epsilon (smaller->data.embed_std * sqrt ((double) shape->d_model), 0.02 * 48, 1e-3);
}

/* Widths and head counts without a common factor still give a valid experiment. */
static void
test_odd_shapes (void)
{
  static const gint64 shapes[][5] = { /* d_model, heads, kv_heads, d_head, d_ff */
    { 4099, 1, 0, 0, 1 },      { 1000, 1000, 1, 1, 7 },     { 65536, 4096, 0, 0, 1048576 }, { 129, 43, 0, 0, 131 },
    { 3001, 64, 8, 512, 3001 }, { 200, 4096, 1, 1, 1000 },  { 130, 26, 13, 5, 1 },
    { 65536, 4096, 1, 65536, 1 },
    { 510, 255, 85, 2, 9999 },  { 8192, 2, 1, 65536, 100 }, { 1024, 7, 7, 1, 1024 },        { 131, 131, 0, 0, 262 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gint64 max = 8; max <= 128; max *= 4)
      {
        g_autoptr (NsExperiment) experiment
            = new_experiment (3, shapes[i][0], shapes[i][1], shapes[i][4], 4096, 1 << 20);
        g_autoptr (NsExperiment) smaller = NULL;
        g_autoptr (GError) error = NULL;

        experiment->shape.kv_heads = shapes[i][2];
        experiment->shape.d_head = shapes[i][3];
        experiment->shape.batch = 1000;
        g_assert_true (ns_experiment_validate (experiment, NULL));
        smaller = ns_experiment_scale_down (experiment, max);
        ns_experiment_validate (smaller, &error);
        g_assert_no_error (error);
        g_assert_cmpint (smaller->shape.d_model, <=, max);
        g_assert_cmpint (smaller->shape.seq_len * smaller->shape.batch, <=, NS_SCALED_TOKENS);
      }
}

static void
test_scaling_text (void)
{
  g_autoptr (NsExperiment) big = new_experiment (12, 768, 12, 3072, 64, 50257);
  g_autoptr (NsExperiment) smaller = ns_experiment_scale_down (big, 128);
  g_autoptr (NsExperiment) small = new_experiment (12, 96, 12, 384, 64, 512);
  g_autoptr (NsExperiment) same = ns_experiment_scale_down (small, 128);
  g_autofree char *text = ns_experiment_dup_scaling (big, smaller);

  g_assert_cmpstr (text, ==,
                   "d_model 768 → 128, heads 12 → 8, d_ff 3072 → 512, vocab 50257 → 1024; depth and wiring are "
                   "unchanged");
  g_assert_true (ns_experiment_can_scale_down (big));
  g_assert_false (ns_experiment_can_scale_down (small));
  g_assert_true (ns_experiment_equal (small, same));
  g_assert_null (ns_experiment_dup_scaling (small, same));
}

/* Both vocabularies become smaller, so that they stay equal where they have to. */
static void
test_two_vocabularies (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment (2, 64, 4, 64, 8, 512);
  g_autoptr (NsExperiment) smaller = NULL;

  experiment->data.source = NS_SOURCE_TOKENS;
  experiment->shape.encoder_vocab = 3000;
  g_assert_false (ns_experiment_can_scale_down (experiment)); /* a single stack has one */
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  g_assert_true (ns_experiment_can_scale_down (experiment));
  experiment->data.task = NS_TASK_REVERSAL;
  experiment->shape.vocab = 3000;
  smaller = ns_experiment_scale_down (experiment, 64);
  g_assert_true (ns_experiment_validate (smaller, NULL));
  g_assert_cmpint (smaller->shape.encoder_vocab, ==, NS_SCALED_VOCAB);
}

/* The vocabulary of a text stays at its 256 bytes. */
static void
test_text_source (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment (2, 512, 4, 512, 128, 256);
  g_autoptr (NsExperiment) smaller = NULL;

  experiment->data.source = NS_SOURCE_TEXT;
  experiment->data.text = g_strnfill (200, 'a');
  g_assert_true (ns_experiment_validate (experiment, NULL));
  smaller = ns_experiment_scale_down (experiment, 64);
  g_assert_true (ns_experiment_validate (smaller, NULL));
  g_assert_cmpint (smaller->shape.vocab, ==, 256);
}

/* ---- counting ---- */

static void
test_weights (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) experiment = new_experiment (3, 64, 4, 100, 16, 50);
  NsEstimate estimate;

  ns_estimate_count (engine, experiment, &estimate);
  g_assert_cmpfloat (estimate.n_weights, ==, 3 * (4 * 64 * 64 + 2 * 64 * 100) + 64 * 50);
  g_assert_true (estimate.fits);
  g_assert_true (isnan (estimate.seconds));
  g_assert_cmpfloat (estimate.drawn, ==, estimate.n_weights);

  /* 4 query heads and 2 key heads of width 16; gated; encoder and decoder with cross-attention */
  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.kv_heads = 2;
  ns_experiment_variant (experiment, 0)->activation = NS_ACT_SWIGLU;
  ns_estimate_count (engine, experiment, &estimate);
  g_assert_cmpfloat (estimate.n_weights, ==, 3 * (3 * (2 * 64 * 64 + 2 * 64 * 32) + 2 * 3 * 64 * 100) + 64 * 50);
}

/* Shorter sequences with the same number of tokens need less work for attention alone: 6 products of 2·N·T·A FLOP in
 * each block. */
static void
test_attention (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) experiment = new_experiment (3, 64, 4, 100, 16, 50);
  NsEstimate one, two;

  ns_estimate_count (engine, experiment, &one);
  experiment->shape.seq_len = 8;
  experiment->shape.batch = 2;
  ns_estimate_count (engine, experiment, &two);
  g_assert_cmpfloat (one.flop - two.flop, ==, 3 * 6 * 2 * 16 * (16 - 8) * 64);
}

/* Weights beyond the budget are drawn for each use. Weights that variants share are drawn once. */
static void
test_drawn (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, (guint64) 64 << 20);
  g_autoptr (NsExperiment) small = new_experiment (2, 256, 4, 1024, 16, 256);
  g_autoptr (NsExperiment) large = new_experiment (40, 4096, 32, 16384, 16, 256);
  NsEstimate one, more;

  small->sampling.seeds = 3;
  ns_estimate_count (engine, small, &one);
  g_assert_cmpfloat (one.drawn, ==, 3 * one.n_weights);
  g_ptr_array_add (small->variants, ns_variant_from_text ("post", NULL));
  ns_estimate_count (engine, small, &more);
  g_assert_cmpfloat (more.drawn, ==, one.drawn);
  g_assert_cmpfloat (more.flop, ==, 2 * one.flop);
  /* A uniform distribution does not share them. */
  g_ptr_array_add (small->variants, ns_variant_from_text ("fairseq", NULL));
  ns_estimate_count (engine, small, &more);
  g_assert_cmpfloat (more.drawn, ==, 2 * one.drawn);

  ns_estimate_count (engine, large, &more);
  g_assert_cmpfloat (more.drawn, >, 1.9 * more.n_weights);
  g_assert_cmpfloat (more.drawn, <, 3 * more.n_weights);
  g_assert_cmpuint (more.memory, <, more.needed + ((guint64) 65 << 20));
}

/* An engine that keeps weights has those of all seeds, another those of the seeds that run at a time. */
static void
test_seeds (void)
{
  g_autoptr (NsExperiment) experiment = new_experiment (2, 256, 4, 1024, 16, 256);
  g_autoptr (NsEngine) one_thread = ns_engine_new (1, 0), threads = ns_engine_new (3, 0);
  g_autoptr (NsEngine) keeping = ns_engine_new (1, 0);
  NsEstimate estimate;
  double bytes;

  ns_engine_keep_weights (keeping);
  experiment->sampling.seeds = 10;
  g_ptr_array_add (experiment->variants, ns_variant_from_text ("post", NULL));
  ns_estimate_count (one_thread, experiment, &estimate);
  bytes = estimate.n_weights * sizeof (float);
  g_assert_cmpfloat (estimate.drawn, ==, 10 * estimate.n_weights);
  g_assert_cmpfloat ((double) (estimate.memory - estimate.needed), ==, bytes);
  ns_estimate_count (threads, experiment, &estimate);
  g_assert_cmpfloat ((double) (estimate.memory - estimate.needed), ==, 2 * bytes);
  ns_estimate_count (keeping, experiment, &estimate);
  g_assert_cmpfloat ((double) (estimate.memory - estimate.needed), ==, 10 * bytes);
  g_assert_cmpfloat (estimate.drawn, ==, 10 * estimate.n_weights);
}

/* Minibatches cost what a batch of as many sequences costs. With few tokens their norms are free: the Gram matrices are
 * those of all tokens. With many, the products of each come on top. */
static void
test_minibatches (void)
{
  static const struct
  {
    gint64 tokens;
    double least, most; /* of the ratio of the operations */
  } cases[] = { { 8, 1, 1.0001 }, { 512, 1.05, 1.34 } };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (NsExperiment) experiment = new_experiment (4, 256, 4, 1024, cases[i].tokens, 256);
      NsEstimate several, one;

      experiment->sampling.batches = 8;
      ns_estimate_count (engine, experiment, &several);
      experiment->sampling.batches = 1;
      experiment->shape.batch = 8;
      ns_estimate_count (engine, experiment, &one);
      g_test_message ("%.4f", several.flop / one.flop);
      g_assert_cmpfloat (several.flop, >=, cases[i].least * one.flop);
      g_assert_cmpfloat (several.flop, <=, cases[i].most * one.flop);
      g_assert_cmpfloat (several.drawn, ==, one.drawn);
      g_assert_cmpuint (several.needed, >=, one.needed);
      g_assert_cmpuint (several.needed, <, one.needed + one.needed / 10);
    }
}

static void
test_does_not_fit (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) experiment = new_experiment (2, 65536, 64, 1 << 20, 65536, 1 << 20);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  NsEstimate estimate;

  experiment->shape.batch = 64;
  g_assert_true (ns_estimate_run (engine, experiment, NULL, &estimate, &error));
  g_assert_no_error (error);
  g_assert_false (estimate.fits);
  g_assert_true (isnan (estimate.seconds));
  text = ns_estimate_dup_text (&estimate);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "does not fit this machine"));

  /* The engine refuses the same experiment. */
  g_assert_null (ns_engine_run (engine, experiment, 0, 1, NULL, &error));
  g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_MEMORY);
  g_assert_cmpstr (ns_experiment_error_get_key (error), ==, "shape");
}

static void
test_words (void)
{
  static const struct
  {
    double seconds;
    const char *text;
  } rows[] = {
    { 0.2, "less than a second and 2.0" }, { 1.2, "about a second and" },       { 3.4, "about 3 seconds and" },
    { 27, "about 25 seconds and" },            { 119, "about 120 seconds and" },    { 150, "about 3 minutes and" },
    { 3000, "about 50 minutes and" },          { 3 * 3600, "about 3 hours and" },   { 1e6, "about 12 days and" },
    { NAN, "2.0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      NsEstimate estimate = { .memory = (guint64) 2 << 30, .fits = TRUE, .seconds = rows[i].seconds };
      g_autofree char *text = ns_estimate_dup_text (&estimate);

      g_test_message ("%s", text);
      g_assert_true (g_str_has_prefix (text, rows[i].text));
    }
}

static void
test_cancelled (void)
{
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (NsExperiment) experiment = new_experiment (8, 256, 4, 1024, 64, 256);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  NsEstimate estimate;

  ns_progress_cancel (progress);
  g_assert_false (ns_estimate_run (engine, experiment, progress, &estimate, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_assert_cmpfloat (estimate.n_weights, >, 0);
}

/* ---- compared with the run ---- */

/* Return the factor between the time that was estimated and that which was taken. */
static double
get_factor (const char *name, const NsEstimate *estimate, double seconds)
{
  g_test_message ("%s: %.3f s estimated, %.3f s taken", name, estimate->seconds, seconds);
  return MAX (estimate->seconds / seconds, seconds / estimate->seconds);
}

/* Compare estimate and run time. Take the best of several tries, because the load of the machine varies, and allow more
 * than the factor of 2 that holds on an idle machine. */
static void
check_time (const char *name, NsExperiment *experiment)
{
  double best = INFINITY;

  for (int i = 0; i < 5 && best > 2; i++)
    {
      g_autoptr (NsEngine) engine = ns_engine_new (0, 0);
      g_autoptr (NsResult) result = NULL;
      NsEstimate estimate;
      double seconds;

      g_assert_true (ns_estimate_run (engine, experiment, NULL, &estimate, NULL));
      result = ns_engine_run (engine, experiment, 0, (guint) experiment->sampling.seeds, NULL, NULL);
      seconds = ns_result_get_elapsed_ms (result) * 1e-3;
      best = MIN (best, get_factor (name, &estimate, seconds));
    }
  g_assert_cmpfloat (best, <, 3);
}

static void
test_time (void)
{
  g_autoptr (NsExperiment) deep = new_experiment (48, 128, 4, 512, 32, 256);
  g_autoptr (NsExperiment) wide = new_experiment (3, 1024, 16, 4096, 64, 1000);
  g_autoptr (NsExperiment) both = new_experiment (3, 512, 8, 1024, 32, 5000);
  g_autoptr (NsExperiment) many = new_experiment (2, 256, 4, 512, 512, 64);

  deep->sampling.seeds = 4;
  check_time ("48 blocks of 128, 4 seeds", deep);
  check_time ("3 blocks of 1024", wide);
  both->shape.stack = NS_STACK_ENCODER_DECODER;
  g_ptr_array_add (both->variants, ns_variant_from_text ("post", NULL));
  check_time ("3+3 blocks of 512, 2 variants", both);
  check_time ("2 blocks of 256, 512 tokens", many);
}

/* Most of an estimate's time: a probe of two steps of a fifth of a second, and half a second of noise. */
#define MAX_PROBE_S 1.5

/* The same of a training, with what a plan records. The probe itself has a bound, in processor time, which load does
 * not change. */
static void
check_training_time (const char *name, NsExperiment *experiment, const NsTrainingPlan *plan)
{
  double best = INFINITY;

  for (int i = 0; i < 5 && best > 2; i++)
    {
      g_autoptr (NsEngine) engine = ns_engine_new (0, 0);
      g_autoptr (NsTraining) training = NULL;
      NsTrainingMemory memory;
      NsEstimate estimate;
      double seconds;
      clock_t start = clock ();

      g_assert_true (ns_estimate_training (engine, experiment, plan, NULL, &estimate, &memory, NULL));
      seconds = (double) (clock () - start) / CLOCKS_PER_SEC / ns_engine_get_threads (engine);
      g_test_message ("%s: %.3f s to estimate it, on each thread", name, seconds);
      g_assert_cmpfloat (seconds, <, MAX_PROBE_S);
      training = ns_training_new (experiment, plan, 0, (guint) experiment->sampling.seeds, NULL);
      g_assert_true (ns_engine_train (engine, training, NULL, NULL));
      seconds = ns_training_get_elapsed_ms (training) * 1e-3;
      best = MIN (best, get_factor (name, &estimate, seconds));
    }
  g_assert_cmpfloat (best, <, 3);
}

static void
test_training_time (void)
{
  const NsQuantitySet nothing = { { 0 } };
  const NsTrainingPlan losses = { .quantities = &nothing }, records = NS_TRAINING_PLAN_DEFAULT;
  g_autoptr (NsExperiment) small = new_experiment (4, 64, 4, 256, 32, 256);
  g_autoptr (NsExperiment) deep = new_experiment (24, 128, 4, 512, 32, 256);
  g_autoptr (NsExperiment) wide = new_experiment (2, 768, 12, 3072, 64, 2000);
  NsExperiment *all[] = { small, deep, wide };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    all[i]->data.source = NS_SOURCE_TOKENS;
  small->training.steps = 100;
  small->sampling.seeds = 2;
  deep->training.steps = 6;
  wide->training.steps = 3;
  check_training_time ("4 blocks of 64, 100 steps, 2 seeds", small, &losses);
  check_training_time ("24 blocks of 128, 6 steps", deep, &losses);
  check_training_time ("24 blocks of 128, 6 steps, all recorded", deep, &records);
  check_training_time ("2 blocks of 768, 3 steps", wide, &losses);
}

void
add_estimate_tests (void)
{
  if (g_test_slow ())
    {
      g_test_add_func ("/estimate/time/run", test_time);
      g_test_add_func ("/estimate/time/training", test_training_time);
    }
  g_test_add_func ("/estimate/scale-down/ratios", test_ratios);
  g_test_add_func ("/estimate/scale-down/groups", test_groups);
  g_test_add_func ("/estimate/scale-down/odd-shapes", test_odd_shapes);
  g_test_add_func ("/estimate/scale-down/text", test_scaling_text);
  g_test_add_func ("/estimate/scale-down/text-source", test_text_source);
  g_test_add_func ("/estimate/scale-down/two-vocabularies", test_two_vocabularies);
  g_test_add_func ("/estimate/weights", test_weights);
  g_test_add_func ("/estimate/attention", test_attention);
  g_test_add_func ("/estimate/drawn", test_drawn);
  g_test_add_func ("/estimate/seeds", test_seeds);
  g_test_add_func ("/estimate/minibatches", test_minibatches);
  g_test_add_func ("/estimate/does-not-fit", test_does_not_fit);
  g_test_add_func ("/estimate/words", test_words);
  g_test_add_func ("/estimate/cancelled", test_cancelled);
}
